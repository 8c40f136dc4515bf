"""``trickbook audit``: the score sheet with its arithmetic, the findings, the verdict, and who is right about a claim."""

import sys
import time
from collections.abc import Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from cli.bulk.inputs import Inputs
from cli.bulk.units import MOST_JOBS
from cli.claims import all_readings_option, answered, claim_options, print_answer, read_claim
from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, NOT_TRUSTED, OK, USAGE, Failure, worst
from cli.output import format_option, write_json, write_json_line
from cli.sources import GameInput, TextInput, data_option, fetch_timeout, load_unit, timeout_option
from cli.text import Style, columns, fitted, name, say, wrapped
from events.cards import SEATS, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import Event, GameCreated, GameEnded, PlayerJoined, ScoreCorrected
from projections.audit import Audit, Finding
from projections.audit import audit as check
from projections.claims import answer as claim_answer
from projections.claims import facts_of, verdict_of
from projections.replay.sentences import correction, ending
from projections.sheet import minus, rows
from projections.textaudit.auditing import TextAudit
from projections.textaudit.auditing import audit as check_text


@click.command(
    cls=Command,
    examples=(
        "trickbook audit 0k7f3x9q2m5v8w1c",
        "trickbook audit game.trickbook.ndjson --claim north=104,south=55",
        "trickbook audit GAME --claim-file what-ann-wrote.txt",
        "trickbook audit paper.txt",
        "trickbook audit 'games/*.ndjson' archive/ --format csv",
        "trickbook audit --all --jobs 4 --fail-fast",
    ),
)
@click.argument("games", metavar="[GAME...]", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every game of the store, imported records too")
@click.option("--jobs", type=click.IntRange(1, MOST_JOBS), help="Processes that audit many games [default: one a core]")
@click.option("--fail-fast", is_flag=True, help="Of many games, stop at the first that is not OK")
@click.option("--every-receipt", is_flag=True, help="Of many games, check every receipt, not the last alone")
@claim_options
@all_readings_option
@format_option("table", "json", "ndjson", "csv")
@timeout_option
@data_option
def audit(
    games: tuple[str, ...],
    every: bool,
    jobs: int | None,
    fail_fast: bool,
    every_receipt: bool,
    claim: str | None,
    claim_file: Path | None,
    all_readings: bool,
    form: str,
    data: Path | None,
) -> int:
    """Audit games from their raw logs, or from text; with a claim, say who is right about the score.

    Of one game the whole sheet is shown, of many only those that are not OK, and how many there were. Of one game every
    receipt is checked, of many the last of each, which signs all before it; every one with --every-receipt, or where
    anything is found.

    Exit code 0: all is well, the claim holds. 1: a claim is wrong or not proved, or a text record is INCOMPLETE or BAD. 3: a
    log cannot be trusted.

    It checks form, numbers, chain, receipts, seals, every move and every score, and after the end root and decks. A
    consistent rewrite of a log, or one cut between two moves, it cannot see alone: for that somebody must hold a receipt.
    """
    if every == bool(games):
        raise click.UsageError("name games, or --all" if every else "name a game: an id, a file, a glob, - (or --all)")
    claimed = claim is not None or claim_file is not None
    if claimed and (every or len(games) > 1):
        raise Failure(_ONE_CLAIM, USAGE)
    if every:
        from cli.bulk.run import BulkOptions, audit_store

        return audit_store(data, BulkOptions(form, jobs, fail_fast=fail_fast, every_receipt=every_receipt))
    inputs = Inputs(games, lambda: sys.stdin.buffer, timeout=fetch_timeout())
    units = iter(inputs)
    first = list(islice(units, 2))
    if claimed and len(first) > 1:
        raise Failure(_ONE_CLAIM, USAGE)
    if len(first) > 1 or form == "csv":
        from cli.bulk.run import BulkOptions, audit_named

        wish = BulkOptions(form, jobs, fail_fast=fail_fast, every_receipt=every_receipt or len(first) == 1)
        return audit_named(inputs, chain(first, units), data, wish)
    return _one(load_unit(first[0], data), claim, claim_file, form, all_readings=all_readings)


_ONE_CLAIM: Final = "a claim is about one game: name one"


def _one(loaded: GameInput | TextInput, claim: str | None, claim_file: Path | None, form: str, *, all_readings: bool) -> int:
    """The audit of one game, with its sheet; the exit code."""
    result = check(loaded.source) if isinstance(loaded, GameInput) else check_text(loaded.told, time.process_time)
    is_text = isinstance(loaded, TextInput)
    code, bad = OK, bool(result.findings)
    if result.verdict != "ok":
        code = FOUND_OTHERWISE if is_text else NOT_TRUSTED
    answer: dict[str, Any] = {"game": _game(loaded), "from": loaded.name, **msgspec.to_builtins(result)}
    if isinstance(loaded, TextInput) and loaded.told.game.notes:
        answer["notes"] = list(loaded.told.game.notes)
    if isinstance(result, TextAudit) and result.claims is not None:
        answer["claims"] = result.claims
    facts = said = None
    doubtful = False
    if claim is not None or claim_file is not None:
        facts = loaded.told.facts() if isinstance(loaded, TextInput) else facts_of(loaded.events())
        wanted = read_claim(claim, claim_file, facts.names)
        assert wanted is not None
        said = answered(loaded.told.answer if isinstance(loaded, TextInput) else partial(claim_answer, facts), wanted)
        doubtful = result.contradicted if isinstance(result, TextAudit) else bad
        holds = said.holds and not doubtful
        if is_text:  # a sheet that states more than can be checked may still prove what is claimed
            code = OK if holds else FOUND_OTHERWISE
        elif not holds:
            code = worst(code, FOUND_OTHERWISE)
        answer["claim"] = said
    if form == "ndjson":
        write_json_line(answer)
    elif form == "json":
        write_json([answer])
    else:
        style = Style()
        print_audit(loaded, result, style, all_readings=all_readings)
        if facts is not None and said is not None:
            say()
            if said.holds and doubtful:
                say(style.bad("claim: not decided") + ", what it rests on is contradicted by the findings above")
                say(style.bad("verdict: the claim is not proved"))
                return code
            print_answer(said, style, all_readings=all_readings)
            if doubtful:
                say(style.bad("what is found above comes first: the plays themselves are in doubt"))
            say((style.good if said.holds else style.bad)(f"verdict: {verdict_of(said, facts)}"))
    return code


def _game(loaded: GameInput | TextInput) -> str | None:
    return loaded.source.game if isinstance(loaded, GameInput) else None


def print_audit(loaded: GameInput | TextInput, result: Audit | TextAudit, style: Style, *, all_readings: bool = False) -> None:
    """One audit as text."""
    events = loaded.events()
    if isinstance(loaded, GameInput):
        title = style.heading(f"Game {loaded.source.game}") + (" (imported)" if loaded.imported else "")
    else:
        title = style.heading(f"Text record {name(loaded.name)}")
    who, *rules = _who(events)
    say(title + who)
    for line in rules:
        fitted(line, style)
    for text in sheet_lines(events, style):
        say(text)
    ended = next((event.data for event in events if isinstance(event.data, GameEnded)), None)
    if ended is None and isinstance(loaded, GameInput) and loaded.damaged(events):
        say(f"The log can be read up to event {len(events)}." if events else "Nothing of the log can be read.")
    else:
        say(ending(ended) if ended else "Play has not ended.")
    for event in events:
        if isinstance(event.data, ScoreCorrected):
            wrapped(f"v{event.seq}: {correction(event.data)}", "  ", style)
    say()
    for finding in result.findings:
        place = f"event {finding.version}" if isinstance(finding, Finding) else f"line {finding.line}"
        head = f"{finding.position}  {finding.code}"
        fitted(f"{head}  {finding.message} ({place})", style, head)
    if isinstance(result, TextAudit) and result.claims is not None:
        print_answer(result.claims, style, told=True, all_readings=all_readings)
    for note in result.notes if isinstance(result, Audit) else ():
        fitted(f"{note.position}  {note.code}  {note.message} (event {note.version})", style)
    for text in result.checked:
        fitted(f"checked: {text}", style)
    for text in result.not_checked:
        fitted(f"not checked: {text}", style)
    verdict = f"verdict: {summary_of(result)}"
    say(style.good(verdict) if result.verdict == "ok" else style.bad(verdict))


def summary_of(result: Audit | TextAudit) -> str:
    """The verdict in a line: ``OK``, or ``INCOMPLETE`` or ``BAD`` with the reason."""
    count = len(result.findings)
    if count:
        return f"BAD: {count} finding{'s' if count > 1 else ''}, the first at {result.findings[0].position}"
    if isinstance(result, TextAudit) and result.verdict == "incomplete":
        return f"INCOMPLETE: {result.summary}"
    return "OK"


def _who(events: tuple[Event, ...]) -> list[str]:
    """The players, and the rules in a line of their own."""
    names = {event.data.seat: event.data.name for event in events if isinstance(event.data, PlayerJoined)}
    text = "  " + " and ".join(f"{name(names[seat])} ({seat})" for seat in SEATS if seat in names)
    created = next((event.data for event in events if isinstance(event.data, GameCreated)), None)
    if created is None:
        return [text]
    try:
        changes = msgspec.convert(created.rules, Ruleset).changes()
    except msgspec.ValidationError:
        return [text]
    told = " ".join(f"{key}={'none' if value is None else value}" for key, value in changes.items())
    return [text, f"rules {STANDARD.ruleset}" + (f", but {told}" if told else "")]


def sheet_lines(events: tuple[Event, ...], style: Style, names: Mapping[Seat, str] | None = None) -> list[str]:
    """The score sheet, by player where `names` are given; a line's second piece of arithmetic goes under its first."""
    lines: list[list[str]] = [["hand", "player" if names else "seat", "bid", "took", "arithmetic", "total", "bags"]]
    for row in rows(events):
        for seat in SEATS:
            line = row.lines[seat]
            bid = {"double_nil": "double nil", 0: "nil"}.get(line.bid, str(line.bid))
            first, *more = row.arithmetic[seat]
            hand = str(row.hand) if seat == "north" else ""
            lines.append(
                [hand, names[seat] if names else seat, bid, str(line.tricks), first, minus(str(line.total)), str(line.bags)]
            )
            lines.extend(["", "", "", "", text, "", ""] for text in more)
    if len(lines) == 1:
        return ["No hand has been scored."]
    return [style.heading(text) if i == 0 else text for i, text in enumerate(columns(lines, right=(0, 3, 5, 6)))]
