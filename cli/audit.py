"""``trickbook audit``: the score sheet with its arithmetic, the findings, the verdict."""

import json
from pathlib import Path
from typing import Any

import click
import msgspec

from cli.commands import Command
from cli.failures import NOT_TRUSTED, OK
from cli.output import format_option, write_json
from cli.sources import LoadedGame, data_option, load_games
from cli.text import Style, columns, name, say
from events.cards import SEATS
from events.ruleset import STANDARD, Ruleset
from events.types import Event, GameCreated, GameEnded, PlayerJoined
from projections.audit import Audit
from projections.audit import audit as check
from projections.sheet import minus, rows
from projections.why import ending


@click.command(
    cls=Command,
    examples=("trickbook audit 0k7f3x9q2m5v8w1c", "trickbook audit game.trickbook.ndjson", "trickbook audit 'games/*.ndjson'"),
)
@click.argument("games", metavar="GAME...", nargs=-1, required=True)
@format_option("table", "json", "ndjson")
@data_option
def audit(games: tuple[str, ...], form: str, data: Path | None) -> int:
    """Audit games from their raw logs: exit code 0 if all is well, 3 if a log cannot be trusted.

    It checks form, numbers, chain, receipts, seals, every move and every score, and after the end root and decks. A
    consistent rewrite of a log, or one cut between two moves, it cannot see alone: for that somebody must hold a receipt.
    """
    worst, answers = OK, []
    for loaded in load_games(games, data):
        result = check(loaded.source)
        if result.verdict != "ok":
            worst = NOT_TRUSTED
        answer: dict[str, Any] = {"game": loaded.source.game, "from": loaded.name, **msgspec.to_builtins(result)}
        if form == "ndjson":
            say(json.dumps(answer, ensure_ascii=False))
        elif form == "json":
            answers.append(answer)
        else:
            print_audit(loaded, result, Style())
    if form == "json":
        write_json(answers)
    return worst


def print_audit(loaded: LoadedGame, result: Audit, style: Style) -> None:
    """One audit as text."""
    events = loaded.events()
    say(style.heading(f"Game {loaded.source.game}") + (" (imported)" if loaded.imported else "") + _who(events))
    for text in _sheet(events, style):
        say(text)
    ended = next((event.data for event in events if isinstance(event.data, GameEnded)), None)
    say(ending(ended) if ended else "Play has not ended.")
    say()
    for finding in result.findings:
        say(style.bad(f"{finding.position}  {finding.code}") + f"  {finding.message} (event {finding.version})")
    for text in result.checked:
        say(f"checked: {text}")
    for text in result.not_checked:
        say(f"not checked: {text}")
    count = len(result.findings)
    said = f"BAD: {count} finding{'s' if count > 1 else ''}, the first at {result.findings[0].position}" if count else "OK"
    say(style.bad(f"verdict: {said}") if count else style.good(f"verdict: {said}"))


def _who(events: tuple[Event, ...]) -> str:
    names = {event.data.seat: event.data.name for event in events if isinstance(event.data, PlayerJoined)}
    text = "  " + " and ".join(f"{name(names[seat])} ({seat})" for seat in SEATS if seat in names)
    created = next((event.data for event in events if isinstance(event.data, GameCreated)), None)
    if created is None:
        return text
    try:
        changes = msgspec.convert(created.rules, Ruleset).changes()
    except msgspec.ValidationError:
        return text
    told = " ".join(f"{key}={'none' if value is None else value}" for key, value in changes.items())
    return f"{text}\nrules {STANDARD.ruleset}" + (f", but {told}" if told else "")


def _sheet(events: tuple[Event, ...], style: Style) -> list[str]:
    """The score sheet; a line's second piece of arithmetic goes under its first."""
    lines: list[list[str]] = [["hand", "seat", "bid", "took", "arithmetic", "total", "bags"]]
    for row in rows(events):
        for seat in SEATS:
            line = row.lines[seat]
            bid = {"double_nil": "double nil", 0: "nil"}.get(line.bid, str(line.bid))
            first, *more = row.arithmetic[seat]
            hand = str(row.hand) if seat == "north" else ""
            lines.append([hand, seat, bid, str(line.tricks), first, minus(str(line.total)), str(line.bags)])
            lines.extend(["", "", "", "", text, "", ""] for text in more)
    if len(lines) == 1:
        return ["No hand has been scored."]
    return [style.heading(text) if i == 0 else text for i, text in enumerate(columns(lines, right=(0, 3, 5, 6)))]
