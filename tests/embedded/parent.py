"""A parent of children, for tests; says when it has started them, and waits to be ended."""

import os
import sys

from service.runtime.supervise import Children
from tests.embedded.processes import ROOT


def main() -> None:
    environment = {**os.environ, "NOTES": sys.argv[1], "PYTHONPATH": str(ROOT)}
    with Children(["one", "two"], environment, table=dict.fromkeys(["one", "two"], "tests.embedded.child")):
        sys.stdout.write("started\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
