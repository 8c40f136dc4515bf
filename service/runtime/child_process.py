"""A process that works beside the service, from its first line on: it works until SIGTERM and dies with its parent."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from events.printable import printable
from service.base.process_ends import follow_parent

_SENTENCES: Final = {"StoreUnavailable", "Unreachable", "BadSetting", "BadSecret", "OtherIdentity", "BadEntry"}
"""What has a message for a person already, by name: no child imports what another needs."""


def main(module: str, parent: str) -> None:
    """Runs the module's `run` with the environment; `parent` is the number of the process that started this one."""
    follow_parent(int(parent))
    run: Callable[[Mapping[str, str]], Any] = importlib.import_module(module).run
    try:
        run(os.environ)
    except Exception as error:
        if type(error).__name__ not in _SENTENCES:
            raise
        sys.stderr.write(printable(f"trickbook ({module}): {error}") + "\n")
        sys.exit(1)
