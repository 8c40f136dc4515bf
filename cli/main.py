"""The ``trickbook`` command: finds the subcommand, and turns whatever goes wrong into a sentence and an exit code."""

import logging
import os
import sys
import traceback
from typing import Final

import click

from cli.commands import LazyGroup
from cli.failures import FAULT, INTERRUPTED, USAGE, code_of
from cli.text import tell

COMMANDS: Final = {
    "demo": "cli.demo:demo",
    "play": "cli.play:play",
    "serve": "cli.serve:serve",
    "worker": "cli.worker:worker",
    "games": "cli.games:games",
    "ladder": "cli.ladder:ladder",
    "show": "cli.show:show",
    "replay": "cli.replay:replay",
    "events": "cli.events:events",
    "audit": "cli.audit:audit",
    "explain": "cli.explain:explain",
    "dispute": "cli.dispute:dispute",
    "score": "cli.score:score",
    "rules": "cli.rules:rules",
    "export": "cli.export:export",
    "import": "cli.import_:import_",
    "verify": "cli.verify:verify",
    "keys": "cli.keys:keys",
    "rebuild": "cli.rebuild:rebuild",
    "history": "cli.history:history",
    "backup": "cli.backup:backup",
    "restore": "cli.backup:restore",
    "end": "cli.operator:end",
    "hide": "cli.operator:hide",
    "operator": "cli.operator:operator",
    "doctor": "cli.doctor:doctor",
    "bench": "cli.bench:bench",
}


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="trickbook", message="trickbook %(version)s")
def trickbook() -> None:
    """Two-player Spades on the record: play, replay and audit games.

    Begin with `trickbook demo`. A GAME is an id, a record or text file, a glob of files, a game's URL, or - for standard input.
    """


class _Warnings(logging.Handler):
    """Where a library's warning goes that no command expects: standard error, escaped like every other line."""

    def emit(self, record: logging.LogRecord) -> None:
        tell(f"trickbook: {record.getMessage()}")


def main() -> None:
    """The entry point; ends the process."""
    logging.lastResort = _Warnings(logging.WARNING)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command; its exit code."""
    try:
        found = trickbook.main(arguments, prog_name="trickbook", standalone_mode=False)
        sys.stdout.flush()
        return found if isinstance(found, int) else 0
    except click.ClickException as error:
        _show_usage(error)
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        tell("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        code = code_of(error)
        if code is None:
            return _internal_error(error)
        tell(f"trickbook: {error}")
        return code


def _show_usage(error: click.ClickException) -> None:
    """What is wrong with the command line, as click words it: what was typed stands in it."""
    context = getattr(error, "ctx", None)
    if context is not None:
        for line in context.get_usage().split("\n"):
            tell(line)
        tell(f"Try '{context.command_path} --help' for help.")
        tell("")
    tell(f"Error: {error.format_message()}")


def _internal_error(error: Exception) -> int:
    """An error that no command expected; its traceback is for developers."""
    if os.environ.get("TRICKBOOK_TRACEBACK"):
        for line in "".join(traceback.format_exception(error)).split("\n"):
            tell(line)
        return FAULT
    tell(
        f"trickbook: Internal error ({type(error).__name__}: {error}). Please report it with the output of the same command "
        "under TRICKBOOK_TRACEBACK=1."
    )
    return FAULT
