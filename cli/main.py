"""The ``trickbook`` command: finds the subcommand, and turns whatever goes wrong into a sentence and an exit code."""

import logging
import os
import sys
import traceback
from typing import Final

import click

from cli.commands import Entry, LazyGroup
from cli.failures import FAULT, INTERRUPTED, USAGE, code_of
from cli.text import tell

COMMANDS: Final = {
    "demo": Entry("cli.demo:demo", "Let two bots play a game over HTTP, then replay and audit it"),
    "play": Entry("cli.play:play", "Play in this terminal, against the house or a friend"),
    "serve": Entry("cli.serve:serve", "Serve games over HTTP"),
    "worker": Entry("cli.worker:worker", "Run the follower and the jobs without the web server"),
    "games": Entry("cli.games:games", "List the games of the store"),
    "ladder": Entry("cli.ladder:ladder", "List the players of rated games, best first"),
    "show": Entry("cli.show:show", "Show one position of a game"),
    "replay": Entry("cli.replay:replay", "Replay a game, or step through it"),
    "events": Entry("cli.events:events", "Print the events of a game with their heads"),
    "audit": Entry("cli.audit:audit", "Audit games and text records, and judge claims about a score"),
    "analyse": Entry("cli.analyse:analyse", "Solve positions of the play with both hands open"),
    "explain": Entry("cli.explain:explain", "Explain why a card was legal, who took a trick, how a hand scored"),
    "dispute": Entry("cli.dispute:dispute", "Open, show and settle disputes about a score"),
    "score": Entry("cli.score:score", "Keep the score of a game on paper"),
    "rules": Entry("cli.rules:rules", "Print the rules of a game, or every option"),
    "export": Entry("cli.export:export", "Write games as records, text or CSV"),
    "import": Entry("cli.import_:import_", "Import records of games played elsewhere"),
    "verify": Entry("cli.verify:verify", "Verify records without a store, under a key you pinned"),
    "keys": Entry("cli.keys:keys", "Print the public keys that receipts are signed with"),
    "rebuild": Entry("cli.rebuild:rebuild", "Rebuild the read models from the logs"),
    "history": Entry("cli.history:history", "List the games whose history was lost, and end one that cannot go on"),
    "backup": Entry("cli.backup:backup", "Back up a running service to one file"),
    "restore": Entry("cli.backup:restore", "Restore a backup into an empty directory"),
    "end": Entry("cli.operator:end", "End a running game as abandoned"),
    "hide": Entry("cli.operator:hide", "Hide a player's name in every game and list"),
    "operator": Entry("cli.operator:operator", "List what the operator did, when and why"),
    "doctor": Entry("cli.doctor:doctor", "Check the installation, the store and the settings"),
    "bench": Entry("cli.bench:bench", "Measure speed against a floor in the same run"),
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
