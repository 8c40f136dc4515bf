"""A service of its own for tests that end it or start it again."""

import os
import signal
from pathlib import Path

from service.runtime.ports import free_port
from service.runtime.server_process import ServerProcess


class Service:
    """A service that can be ended and started again at its address."""

    def __init__(self, redis_url: str, directory: Path) -> None:
        self._log = directory / "log"
        self._port = free_port("127.0.0.1")
        self._environment = {
            "TRICKBOOK_REDIS_URL": redis_url,
            "TRICKBOOK_DATA": str(directory / "data"),
            "TRICKBOOK_SECRET": bytes(range(32)).hex(),
            "TRICKBOOK_SIGNING_KEY": bytes(range(1, 33)).hex(),
            "TRICKBOOK_CREATE_LIMIT": "0",
        }
        self.url = f"http://127.0.0.1:{self._port}"
        self.process = self.start()

    def start(self) -> ServerProcess:
        factory = "service.runtime.web_process:create_from_environment"
        self.process = ServerProcess.start(factory, log=self._log, port=self._port, env=self._environment)
        return self.process

    def pause(self, signum: signal.Signals) -> None:
        """Stops it or lets it go on, its workers too: it is a session of its own."""
        os.killpg(self.process.pid, signum)
