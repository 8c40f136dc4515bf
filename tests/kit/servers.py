"""Private servers for tests: each on a unix socket in its own directory, ended with the process that started it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from events.redis_client import connect
from service.embedded.binary import find_server
from tests.kit.waiting import eventually

DURABLE: Final = (
    *("--appendonly", "yes", "--appendfsync", "always", "--save", ""),
    *("--maxmemory-policy", "noeviction"),
)
"""What the design wants of a server (design §3)."""

# The kernel ends the server with the thread that started it, also when that is killed; the wish outlives the exec.
_FOLLOW: Final = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the tests have ended")
os.execv(sys.argv[2], sys.argv[2:])
"""


def program() -> str:
    """The server under test: `TRICKBOOK_TEST_SERVER`, else the one Trickbook would run."""
    return os.environ.get("TRICKBOOK_TEST_SERVER") or str(find_server())


class Server:
    """A server on a directory; it can be ended, killed, paused and started again, and its data copied and put back."""

    def __init__(self, directory: Path, *options: str) -> None:
        self.directory = directory
        self.data = directory / "data"
        self.data.mkdir(parents=True, exist_ok=True)
        self.socket = directory / "s"
        self.url = f"unix://{quote(str(self.socket))}"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> "Server":
        """Returns when it answers, or at once."""
        assert threading.current_thread() is threading.main_thread(), "a server ends with the thread that starts it"
        where = ("--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.data))
        log = ("--logfile", str(self.directory / "log"))
        command = [sys.executable, "-S", "-E", "-c", _FOLLOW, str(os.getpid()), program()]
        self._process = subprocess.Popen([*command, *where, *log, *DURABLE, *self._options])
        if wait:
            eventually(self.answers)
        return self

    def answers(self) -> bool:
        """Whether it has loaded its data and serves."""
        return self.ping().startswith((b"+PONG", b"-NOAUTH"))

    def ping(self) -> bytes:
        """What it says to a PING; nothing when nobody listens."""
        assert self._process is None or self._process.poll() is None, (self.directory / "log").read_text()
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(5)
            try:
                asking.connect(str(self.socket))
                asking.sendall(b"PING\r\n")
                return asking.recv(64)
            except OSError:
                return b""

    def client(self) -> Any:
        """A client of one's own, to look and to change settings; close it by ``with``."""
        return connect(self.url)

    def stop(self) -> None:
        """Ends it as an administrator would."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once, in the middle of whatever it does."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Stops it from running; what is sent meanwhile lies in the socket. Returns when it stands still."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        if hasattr(os, "waitid") and sys.platform == "linux":
            os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOWAIT)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def copy(self, name: str) -> Path:
        """A copy of the data as it is on the disk now."""
        self.pause()
        try:
            return Path(shutil.copytree(self.data, self.directory / name))
        finally:
            self.resume()

    def rewrite(self, admin: Any) -> None:
        """Has the append-only file written anew, and waits for it."""
        admin.bgrewriteaof()
        names = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")
        eventually(lambda: not any(admin.info("persistence")[name] for name in names))

    def restore(self, copy: Path) -> "Server":
        """Ends it and starts it on a copy made before, at the same address."""
        self.stop()
        shutil.rmtree(self.data)
        shutil.copytree(copy, self.data)
        return self.start()

    def _end(self, signum: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGCONT)
        self._process.send_signal(signum)
        self._process.wait(timeout=20)
        self._process = None
        self.socket.unlink(missing_ok=True)

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.kill()


class Servers:
    """Starts servers on new short directories (a socket's path has little room) and removes them all in the end."""

    def __init__(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="tb-"))
        self._started: list[Server] = []

    def start(self, *options: str) -> Server:
        """A new server, running."""
        server = Server(self._root / str(len(self._started)), *options)
        self._started.append(server)
        return server.start()

    def end(self) -> None:
        for server in self._started:
            server.kill()
        shutil.rmtree(self._root, ignore_errors=True)


__all__ = ["DURABLE", "Server", "Servers", "program"]
