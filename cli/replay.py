"""``trickbook replay``: a game told in the order it was played, each trick with its reason."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import click

from cli.commands import Command
from cli.output import format_option, write_json, write_json_line
from cli.sources import data_option, load_any_one, timeout_option
from cli.steps import between, steps_of
from cli.text import Style, columns, name, say
from events.cards import DECK, SEATS
from events.types import REVIEW, BidPlaced, CardDiscarded, CardKept, CardPlayed, CardsExchanged, HandScored, HandStarted, Line
from projections.replay.step_view import step_view
from projections.replay.walk import Step
from projections.sheet import arithmetic, minus


@click.command(
    cls=Command,
    examples=(
        "trickbook replay 0k7f3x9q2m5v8w1c --hand 3",
        "trickbook replay GAME --from 3.5 --to 3.7.2 --as south",
        "trickbook replay GAME --step",
        "trickbook replay game.trickbook.ndjson --format ndjson",
        "trickbook replay paper.txt --hand 3",
    ),
)
@click.argument("game", metavar="GAME")
@click.option("--hand", type=click.IntRange(1), help="One hand only")
@click.option("--from", "first", metavar="P", help="First position: v57, 3, 3.5, 3.5.2, 3.d7, 3.x1, 3.b2, 3.s")
@click.option("--to", "last", metavar="P", help="Last position")
@click.option(
    "--as", "viewer", type=click.Choice(("north", "south", "all")), help="Whose cards to show [default: all that may be]"
)
@click.option("--step", "stepping", is_flag=True, help="Walk through it with the keys of a terminal")
@format_option("table", "json", "ndjson")
@timeout_option
@data_option
def replay(
    game: str,
    hand: int | None,
    first: str | None,
    last: str | None,
    viewer: str | None,
    stepping: bool,
    form: str,
    data: Path | None,
) -> int:
    """Replay a game: draft, exchange, bids, each trick with its leader, cards, winner and why, and the score."""
    found = steps_of(load_any_one(game, data), viewer)
    if hand is not None:
        first, last = first or str(hand), last or str(hand)
    chosen = between(found.steps, first, last)
    if stepping and form == "table":
        from cli.stepping import walked

        if walked(found.steps, chosen[0]):
            return found.exit_code
    if form == "json":
        write_json([step_view(step) for step in chosen])
    elif form == "ndjson":
        for step in chosen:
            write_json_line(step_view(step))
    else:
        tell_story(chosen, Style())
    return found.exit_code


def tell_story(chosen: Sequence[Step], style: Style) -> None:
    """The steps as text, hand by hand."""
    for hand, group in groupby(chosen, key=lambda step: step.hand):
        found = list(group)
        if hand == 0:
            for step in found:
                say(f"{step.position}  {step.text}")
            continue
        o = found[0].after.open
        say()
        say(
            style.heading(f"Hand {hand}")
            + f"  {name(o.player(o.hand_first).name)} ({o.hand_first}) drafts first, "
            + f"{name(o.player(o.hand_second).name)} ({o.hand_second}) leads first"
        )
        _hand(found, style)


def _hand(found: Sequence[Step], style: Style) -> None:
    plays = [step for step in found if isinstance(step.event.data, CardPlayed)]
    before = [step for step in found if not isinstance(step.event.data, (CardPlayed, HandScored, HandStarted, *REVIEW))]
    for title, kinds in (("Draft", (CardKept, CardDiscarded)), ("Exchange", (CardsExchanged,)), ("Bids", (BidPlaced,))):
        chosen = [step for step in before if _part(step) == title]
        if chosen and kinds:
            say(f" {title}")
            _lines(chosen, style)
    if plays:
        _held(plays[0], style)
        say(" Play")
        _tricks(plays, style)
    for step in found:
        if isinstance(step.event.data, HandScored):
            say(" Score")
            _score(step)
    meanwhile = [step for step in found if isinstance(step.event.data, REVIEW) and not step.after.open.ended]
    if meanwhile:
        say(" Disputes")
        _lines(meanwhile, style)
    for step in found:
        if step.after.open.ended:
            say(f" {step.position}  {step.text}")


def _part(step: Step) -> str:
    if isinstance(step.event.data, CardsExchanged):
        return "Exchange"
    if isinstance(step.event.data, BidPlaced):
        return "Bids"
    return "" if step.after.open.ended else "Draft"


def _lines(chosen: Sequence[Step], style: Style) -> None:
    rows = [(step.position, style.sentence(step.text, DECK)) for step in chosen]
    for line in columns(rows, indent=2):
        say(line)


def _held(step: Step, style: Style) -> None:
    """The hands before the first card of this piece, where they may be shown."""
    before = step.before
    for seat in SEATS:
        own = before.own(seat)
        if own.known and own.hand and len(own.hand) == before.open.player(seat).cards:
            say(f" {seat} holds  {style.cards(own.hand)}")


def _tricks(plays: Sequence[Step], style: Style) -> None:
    rows = []
    for step in plays:
        if step.trick is not None:
            leader, follower = step.trick.cards
            cards = f"{style.card(leader[1])}, {style.card(follower[1])}"
            why = style.sentence(step.trick_why or "", DECK)
            rows.append(
                [step.position.rsplit(".", 1)[0], f"{step.trick.leader} leads", cards, f"{step.trick.winner} takes", why]
            )
        elif step is plays[-1]:
            trick = step.after.open.trick
            led = f"{trick.leader} leads" if trick else ""
            rows.append([step.position, led, style.card(getattr(step.event.data, "card", "")), "", ""])
    for line in columns(rows, indent=2):
        say(line)


def _score(step: Step) -> None:
    data, o = step.event.data, step.before.open
    assert isinstance(data, HandScored)
    rows = []
    for seat in SEATS:
        line: Line = data.north if seat == "north" else data.south
        bid = {"double_nil": "double nil", 0: "nil"}.get(line.bid, line.bid)
        sums = "; ".join(arithmetic(o.rules, o.player(seat).bags, line))
        rows.append([seat, f"bid {bid}, took {line.tricks}", sums, minus(f"{o.player(seat).total} → {line.total}")])
    for text in columns(rows, indent=2):
        say(text)
