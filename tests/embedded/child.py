"""A child of a service, for tests: says the number of its process in a file, and does what it is told to."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path


def run(environment: Mapping[str, str]) -> None:
    Path(environment["NOTES"], f"{os.getpid()}").touch()
    how = environment.get("HOW", "")
    if how == "die":
        raise RuntimeError("as told")
    if how == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
