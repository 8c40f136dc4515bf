"""``trickbook dispute list`` and ``show``: the disputes of a game in the operator's store or in a record, and the report."""

import time
from pathlib import Path
from typing import Any

import click
import msgspec

from cli.claims import all_readings_option, print_answer
from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, NOT_TRUSTED, OK, UNREACHABLE, Failure
from cli.output import format_option, write_json, write_rows
from cli.sources import GameInput, data_option, load_one, timeout_option
from cli.text import Style, name, say, wrapped
from events.types import DisputeNote, DisputeOpened
from projections.claims import BadClaim
from projections.claims.recorded import claim_of
from projections.disputes import Report, report
from projections.fold import Impossible, fold
from projections.hiding import shown_events
from projections.sheet import minus
from projections.table import Dispute, Open, empty

HEADINGS = ("n", "seat", "about", "claim", "opened", "status")


@click.command(
    "list",
    cls=Command,
    examples=("trickbook dispute list 0k7f3x9q2m5v8w1c", "trickbook dispute list game.trickbook.ndjson --format json"),
)
@click.argument("game", metavar="GAME")
@format_option("table", "json", "ndjson", "csv")
@timeout_option
@data_option
def list_(game: str, form: str, data: Path | None) -> None:
    """List the disputes of a game of your store, or of a record."""
    loaded = load_one(game, data)
    rows = [_row(dispute) for dispute in _folded(loaded).disputes]
    if not rows and form == "table":
        say(f"Game {loaded.source.game} has no disputes.")
        return
    write_rows(form, HEADINGS, rows, right=(0,))


@click.command(
    cls=Command,
    examples=("trickbook dispute show 0k7f3x9q2m5v8w1c 1", "trickbook dispute show game.trickbook.ndjson 1 --format json"),
)
@click.argument("game", metavar="GAME")
@click.argument("n", metavar="N", type=click.IntRange(1))
@all_readings_option
@format_option("table", "json")
@timeout_option
@data_option
def show(game: str, n: int, all_readings: bool, form: str, data: Path | None) -> int:
    """Show a dispute and the report on it: who is right, at which figure the two sides part, and why.

    While play goes on it is made of what everybody may know. Exit code 0: the claim holds. 1: it does not. 3: the log itself
    cannot be trusted.
    """
    loaded = load_one(game, data)
    disputes = _folded(loaded).disputes
    if n > len(disputes):
        raise Failure(f"game {loaded.source.game} has no dispute {n}: it has {len(disputes)}", UNREACHABLE)
    dispute, note = disputes[n - 1], _note(loaded, n)
    found = _report(loaded, n)
    if form == "json":
        shown: dict[str, Any] = {"game": loaded.source.game, "dispute": msgspec.to_builtins(dispute)}
        write_json(shown | ({} if note is None else {"note": note}) | {"report": found})
    else:
        _print(loaded, dispute, note, found, all_readings=all_readings)
    if any(finding.code != "wrong_score" for finding in found.audit.findings):
        return NOT_TRUSTED
    return OK if found.claim.holds else FOUND_OTHERWISE


def _report(loaded: GameInput, n: int) -> Report:
    """The report. Raises `Failure` for a log in which there cannot be such a dispute."""
    try:
        return report(loaded.source, n, "spectator", time.process_time, lambda events: shown_events(events, loaded.hidden))
    except (LookupError, ValueError):  # a record somebody made up: none of ours has such a claim or such a hand
        raise Failure(f"dispute {n} of {loaded.name} cannot be: `trickbook audit` says what is wrong", NOT_TRUSTED) from None


def _folded(loaded: GameInput) -> Open:
    """The game as everybody may know it. Raises `Failure` where the log breaks off."""
    try:
        if len(loaded.events()) == len(loaded.source.events) and loaded.source.broken is None:
            return fold(empty(loaded.source.game), loaded.events()).open
    except Impossible:
        pass
    raise Failure(f"the log of {loaded.name} is damaged: `trickbook audit` names the place and the fault", NOT_TRUSTED)


def _note(loaded: GameInput, n: int) -> str | None:
    """The note, where we have it: in the store of the service alone."""
    for event in loaded.events():
        if isinstance(event.data, DisputeOpened) and event.data.n == n and isinstance(event.secret, DisputeNote):
            return event.secret.note
    return None


def told(dispute: Dispute) -> str:
    """A claim as it is given on the command line."""
    try:
        claim = claim_of(dispute.claim)
    except BadClaim:
        return "?"
    parts = []
    for said in claim:
        place = [] if said.hand is None else [str(said.hand)]
        what = [said.seat or "", "" if said.figure == "total" and said.seat else said.figure]
        parts.append(".".join([*place, *filter(None, what)]) + f"={said.value}")
    return ",".join(parts)


def _row(dispute: Dispute) -> list[object]:
    status = dispute.verdict or "open"
    return [dispute.n, dispute.seat, f"v{dispute.version}", told(dispute), f"v{dispute.opened}", status]


def _print(loaded: GameInput, dispute: Dispute, note: str | None, found: Report, *, all_readings: bool) -> None:
    style = Style()
    place = found.moment.position
    where = f"{place} (v{dispute.version})" if place != f"v{dispute.version}" else place
    say(style.heading(f"Dispute {dispute.n} of game {loaded.source.game}"))
    wrapped(f"opened by {dispute.seat} at v{dispute.opened}, about {where}", "  ")
    wrapped(f"claim: {told(dispute)}", "       ")
    if note:
        wrapped(f"note: {name(note)}", "      ")
    if dispute.verdict is None:
        say("open: `trickbook dispute settle` ends it")
    else:
        wrapped(f"{dispute.verdict} at v{dispute.settled}: {name(dispute.reason or '')}", "  ")
    say()
    print_answer(found.claim, style, all_readings=all_readings)
    north, south = found.plays["north"], found.plays["south"]
    say(minus(f"by the plays it was north {north}, south {south}"))
    for wrong in found.mistakes:
        wrapped(
            minus(
                f"recorded wrongly: {wrong.seat} in hand {wrong.hand} ({wrong.hand}.s): total {wrong.old.total}, bags "
                f"{wrong.old.bags} is recorded; the plays make it total {wrong.new.total}, bags {wrong.new.bags}"
            ),
            "  ",
        )
        say(f"  to put it right: --correct {wrong.hand}:{wrong.seat}={wrong.points}")
    if not found.mistakes:
        say("the recorded score is what the plays make it")
    for finding in found.audit.findings:
        if finding.code != "wrong_score":
            wrapped(f"{finding.position}  {finding.code}  {finding.message}", "  ", style)
    for finding in found.audit.notes:
        wrapped(f"{finding.position}  {finding.code}  {finding.message}", "  ", style)
    say(f"at {place}:")
    for sentence in found.moment.sentences:
        wrapped(f"  {sentence}", "    ", style)
