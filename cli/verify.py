"""``trickbook verify``: a record checked without a store and without a network, under a key that was pinned beforehand."""

from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec

from cli.addresses import requested
from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, NOT_TRUSTED, OK, UNREACHABLE, USAGE, Failure, worst
from cli.output import format_option, json_text, write_json, write_json_line
from cli.sources import load_files, timeout_option
from cli.text import Style, fitted, say, tell
from events.keys import is_game_id
from events.player_evidence import Line, UnreadableKept, read
from projections.verify import Verification
from projections.verify import verify as check

_EXIT = {"verified": OK, "not_verified": FOUND_OTHERWISE, "bad": NOT_TRUSTED}


@click.command(
    cls=Command,
    examples=(
        "trickbook verify game.trickbook.ndjson --receipts my.receipts",
        "trickbook verify game.trickbook.ndjson --server-key 5a1c…64 digits",
        "trickbook verify https://host/g/0k7f3x9q2m5v8w1c --receipts my.receipts",
        "trickbook verify game.trickbook.ndjson --game 0k7f3x9q2m5v8w1c",
        "trickbook verify 'games/*.ndjson' --format ndjson",
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--receipts", "kept", multiple=True, type=click.Path(path_type=Path), help="What a client kept as it played")
@click.option("--server-key", metavar="KEY", help="The pinned key: all 64 hex digits")
@click.option("--game", metavar="ID", help="The game you expect; a URL names it by itself")
@timeout_option
@format_option("table", "json", "ndjson")
def verify(files: tuple[str, ...], kept: tuple[Path, ...], server_key: str | None, game: str | None, form: str) -> int:
    """Verify records of games: no store, and no network but for a game's URL.

    Exit code 0: verified. 1: nothing is wrong, but it cannot be called verified. 3: something is wrong; each finding says
    about whom: the service, the file, or nobody. Of many files every one is verified, and the worst counts: a file that
    cannot be read (2, 5) is named and the others are verified all the same.
    """
    if server_key is not None and (len(server_key) != 64 or set(server_key) - set("0123456789abcdef")):
        raise Failure("a pinned key has all 64 hex digits, lower case: a shorter one could be made to fit", USAGE)
    if game is not None and not is_game_id(game):
        raise Failure("a game's id has 16 characters, 0-9 and a-z without i, l, o and u", USAGE)
    other = next((url for url in map(requested, files) if game is not None and url not in (None, game)), None)
    if other is not None:
        raise Failure(f"the URL names game {other}, but --game names {game}: give one of them", USAGE)
    lines = [line for path in kept for line in _kept(path)] if kept else None
    codes, answers, counts = [OK], [], Counter[str]()
    for loaded in load_files(files):
        answer: dict[str, Any]
        if isinstance(loaded, Failure):
            tell(f"trickbook: {loaded}")
            codes.append(loaded.code)
            answer = {"game": None, "verdict": "unreadable", "message": str(loaded)}
        else:
            source = loaded.source if game is None else msgspec.structs.replace(loaded.source, requested=game)
            result = check(source, lines, server_key)
            codes.append(_EXIT[result.verdict])
            answer = {"game": source.game, "from": loaded.name, **msgspec.to_builtins(result)}
            if form == "table":
                _print(loaded.name, source.game, result)
        if form == "ndjson":
            write_json_line(answer)
        answers.append(answer)
        counts[answer["verdict"]] += 1
    if form == "json":
        write_json(answers)
    elif form == "table" and len(answers) > 1:
        say(", ".join(f"{counts[verdict]} {text}" for verdict, text in _VERDICTS.items() if counts[verdict]))
    return worst(*codes)


def _kept(path: Path) -> list[Line]:
    try:
        with path.open("rb") as file:
            return read(file)
    except UnreadableKept as error:
        raise Failure(f"{path} is no file of kept receipts: {error}", USAGE) from None
    except FileNotFoundError:
        raise Failure(f"there is no file {path}", UNREACHABLE) from None
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}", USAGE) from None


_VERDICTS = {"verified": "VERIFIED", "not_verified": "NOT VERIFIED", "bad": "BAD", "unreadable": "UNREADABLE"}
_ABOUT = {"service": "this is the service's doing", "file": "says nothing of the service", "nobody": "proves nothing"}


def _print(name: str, game: str, result: Verification) -> None:
    style = Style()
    say(style.heading(f"Game {game}") + f"  {name}")
    for finding in result.findings:
        place = f"{finding.position}  {finding.code}"
        fitted(f"{place}  {finding.message} ({_ABOUT[finding.about]})", style, place if finding.grade == "wrong" else "")
    for note in result.notes:
        fitted(f"{note.position}  {note.code}  {note.message} (a note, no finding)", style)
    for text in result.checked:
        fitted(f"checked: {text}", style)
    for text in result.not_checked:
        fitted(f"not checked: {text}", style)
    for receipt in result.proof:
        say("proof: " + json_text(msgspec.to_builtins(receipt)))
    for event in result.proof_events:
        say("proof, by the event you kept: " + json_text(msgspec.to_builtins(event)))
    say((style.good if result.verdict == "verified" else style.bad)(f"verdict: {_VERDICTS[result.verdict]}"))
