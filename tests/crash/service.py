"""`trickbook serve` on a data directory, or on a named store: started as its user starts it, killed whole, started again."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from service.client.http import Client, ClientError
from service.runtime.ports import free_port
from tests.embedded.processes import children, working_in
from tests.kit.waiting import eventually


class Service:
    """It runs on `data`, or with `store` on the server at that address; `arguments` are further ones of `serve`."""

    def __init__(self, data: Path, store: str | None = None, *arguments: str) -> None:
        self.data = data
        self.port = free_port("127.0.0.1")
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data.parent / "serve.log"
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TRICKBOOK_")}
        self.environment |= {"TRICKBOOK_DATA": str(data), "TRICKBOOK_CREATE_LIMIT": "0"}
        self.environment |= {} if store is None else {"TRICKBOOK_REDIS_URL": store}

    def start(self) -> float:
        """Starts it; the seconds until it takes moves."""
        begun = time.monotonic()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self.command("serve", "--port", str(self.port)), *self._arguments],
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        eventually(self.answers, 20)
        return time.monotonic() - begun

    @staticmethod
    def command(*arguments: str) -> list[str]:
        """The words of a command of Trickbook."""
        return [sys.executable, "-c", "from cli.main import main; main()", *arguments]

    def run(self, *arguments: str, code: int = 0) -> str:
        """Runs a command beside the service, on the same data; what it printed. Its exit code must be `code`."""
        done = subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def answers(self) -> bool:
        try:
            return Client(self.url).get("/readyz")["status"] == "ready"
        except ClientError:
            return False

    def kill(self, chance: random.Random) -> None:
        """Kills every process of the directory, in any order."""
        assert self._process is not None
        main = self._process.pid
        pids = [main, *children(main), *working_in(self.data)]
        chance.shuffle(pids)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(10)

    def stop(self) -> None:
        """Ends it as an operator does."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(15)
