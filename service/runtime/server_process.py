"""The service in a process of its own, for who needs one beside itself (the demo, a test): started, waited for until
it answers, and ended with its owner however that ends. `serve` itself runs the server in its own process.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from events.printable import printable
from service.runtime.ports import CannotServe, check_address, free_port

_ROOT = Path(__file__).parents[2]
_POLL_SECONDS = 0.01
_START = "import sys; sys.path.append(sys.argv[1]); from service.runtime.server_process import main; main(sys.argv[2])"
_UNREACHABLE = 5  # the exit code of `serve` when it cannot start


class ServerProcess:
    """A running service; a context manager that ends it."""

    def __init__(self, process: "subprocess.Popen[bytes]", host: str, port: int, log: Path) -> None:
        """Use `start`."""
        self._process = process
        self._log = log
        self.host = host
        self.port = port

    @classmethod
    def start(
        cls,
        factory: str,
        *,
        log: Path,
        host: str = "127.0.0.1",
        port: int = 0,
        workers: int = 1,
        threads: int = 64,
        connections: int | None = None,
        silence: float | None = None,
        env: Mapping[str, str] | None = None,
        seconds: float = 15.0,
    ) -> Self:
        """Start it and return when `/healthz` answers. What it prints goes to the file `log`; port 0 is a free one;
        `connections` and `silence` as in `run_server`.

        Raises `CannotServe` with the sentence of the service, also when it does not answer within `seconds`.
        """
        port = port or free_port(host)
        address = check_address(host, port)
        wanted = {"factory": factory, "host": host, "port": port, "workers": workers, "threads": threads}
        chosen = {"connections": connections, "silence": silence}
        orders = json.dumps(wanted | {name: value for name, value in chosen.items() if value is not None})
        with log.open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(_ROOT), orders],
                stdin=subprocess.PIPE,  # never written to: it closes when we end
                stdout=output,
                stderr=output,
                env={**os.environ, **(env or {})},
                start_new_session=True,  # Ctrl-C is for the owner, who then ends it
            )
        started = cls(process, address, port, log)
        deadline = time.monotonic() + seconds
        while not started.answers():
            if process.poll() is not None or time.monotonic() > deadline:
                started.stop()
                raise CannotServe(started.last_words() or f"The service did not answer within {seconds:.0f} s.")
            time.sleep(_POLL_SECONDS)
        return started

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def pid(self) -> int:
        """Of its main process."""
        return self._process.pid

    def answers(self) -> bool:
        """Whether `/healthz` says 200 now."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait(self) -> int:
        """Wait until it ends; its exit code, negative for a signal."""
        return self._process.wait()

    def stop(self, seconds: float = 10.0) -> int:
        """End it, requests under way first; its exit code. Harmless when it has ended."""
        self._process.terminate()
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        return code

    def last_words(self) -> str:
        """The end of what it printed."""
        return self._log.read_text(errors="replace").strip()[-2000:]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def main(orders: str) -> None:
    """In the started process: serve, and end as if told to when the owner's end of standard input closes."""
    from service.runtime.server import run_server  # here: an owner has no use for it

    threading.Thread(target=_end_with_owner, name="owner", daemon=True).start()
    try:
        sys.exit(run_server(**json.loads(orders)))
    except CannotServe as error:
        sys.stderr.write(printable(str(error)) + "\n")
        sys.exit(_UNREACHABLE)


def _end_with_owner() -> None:
    while os.read(0, 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
