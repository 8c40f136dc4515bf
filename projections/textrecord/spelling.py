"""A text record written out: each fact in its one canonical spelling (record.md §2)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from events.cards import Seat
from events.ruleset import OPTIONS, Ruleset
from projections.textrecord.game import Claimed, TextGame, TextHand

FORMAT: Final = "trickbook-text 1"


def spelled(game: TextGame) -> str:
    """The whole text, which reads to the same game."""
    lines = [FORMAT, *(f"{seat}  {name}" for seat, name in game.names.items()), *rules_line(game.rules)]
    lines.append(f"first  {game.first}")
    for hand in game.hands:
        lines += ["", *hand_lines(hand)]
    return "\n".join([*lines, *_ending(game)]) + "\n"


def rules_line(rules: Ruleset) -> list[str]:
    """The ``rules`` line, none for the standard ruleset."""
    changes = rules.changes()
    options = " ".join(f"{name}={'none' if changes[name] is None else changes[name]}" for name in OPTIONS if name in changes)
    return [f"rules  {options}"] if options else []


def hand_lines(hand: TextHand) -> list[str]:
    """The lines of a hand, as deep as it is given."""
    lines = [f"hand {hand.number}"]
    lines += [f"stock  {' '.join(hand.stock)}"] if hand.stock else []
    lines += [f"held   {seat} {' '.join(cards)}" for seat, cards in hand.held.items()]
    lines += [f"double_nil {seat}" for seat in hand.double_nils]
    lines += [f"draft  {' '.join(hand.draft)}".rstrip()] if hand.draft or "draft" in hand.lines else []
    for exchange in hand.exchanges:
        lines.append(" ".join(("exchange", exchange.seat, *exchange.thrown, ">", *exchange.drawn)))
    lines += [f"bids   {_by_seat(hand.bids)}"] if hand.bids else []
    plays = [" ".join((trick.leader, trick.led, *([trick.follow] if trick.follow else []))) for trick in hand.plays]
    lines += [f"plays  {' / '.join(plays)}"] if plays else []
    lines += [f"tricks {_by_seat(hand.tricks)}"] if hand.tricks is not None else []
    return [*lines, *([score_line(hand.score)] if hand.score else [])]


def score_line(score: Mapping[Seat, Claimed]) -> str:
    """The ``score`` line: the net change, the total and the bags of each seat."""
    return f"score  {_by_seat({seat: f'{said.change:+} {said.total} {said.bags}' for seat, said in score.items()})}"


def result_line(north: int, south: int, winner: str | None) -> str:
    """The ``result`` line."""
    return f"result north {north} south {south}" + (f" winner {winner}" if winner else "")


def _by_seat(values: Mapping[Seat, Any]) -> str:
    return " ".join(f"{seat} {value}" for seat, value in values.items())


def _ending(game: TextGame) -> Iterable[str]:
    lines = []
    if game.end is not None:
        lines.append(" ".join(("end   ", game.end.reason, *([game.end.by] if game.end.by else []))))
    if game.result is not None:
        lines.append(result_line(game.result.north, game.result.south, game.result.winner))
    return ["", *lines] if lines else []
