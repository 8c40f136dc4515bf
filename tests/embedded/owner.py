"""A program that owns a service: says its URL and the number of its process, and waits to be ended."""

import sys
from pathlib import Path

from service.runtime.server_process import ServerProcess
from tests.embedded.processes import ROOT


def main() -> None:
    with ServerProcess.start(
        "tests.embedded.app:make", log=Path(sys.argv[1]), workers=2, env={"PYTHONPATH": str(ROOT)}
    ) as server:
        sys.stdout.write(f"{server.pid}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
