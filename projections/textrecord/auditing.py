"""The audit of a text record: everything written is worked out again; the first claim that differs is named, and why."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from events.cards import SEATS, Seat
from events.types import Event
from projections.audience import seen_by
from projections.claims import ClaimAnswer, ClaimedFigure, Clock, Facts, answer, facts_of
from projections.claims.reading import scores_of
from projections.replay.walk import Step, steps
from projections.textrecord.game import TextGame, TextHand
from projections.textrecord.playing import NAME, PlayedText, TextFinding, play


class TextAudit(msgspec.Struct, frozen=True):
    """The result: *ok* only where nothing was found; `claims` the answer to the score and result lines, None without any."""

    verdict: Literal["ok", "bad"]
    findings: tuple[TextFinding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    claims: ClaimAnswer | None = None


class ToldGame(msgspec.Struct, frozen=True):
    """A text record, played."""

    game: TextGame
    played: PlayedText

    def facts(self) -> Facts:
        """The facts its score rests on."""
        return facts_of(self.events, self.game.rules_at)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, with what had to be put in its place."""
        return self.played.events

    def steps(self, viewer: str | None = None) -> list[Step]:
        """The steps that are written down, for replay and explain; as a seat saw them, or with all cards."""
        events = list(self.events)
        if viewer in SEATS:
            seat: Seat = "north" if viewer == "north" else "south"
            events = [seen_by(event, seat, ended=False) for event in events]
        found = steps(NAME, events)
        return [_unsealed(step) for step in found if step.event.seq not in self.played.hidden]

    def missing(self, position: str) -> str:
        """What the file does not tell of the hand of a position, empty where it tells everything."""
        number = position.split(".")[0]
        hand = next((hand for hand in self.game.hands if str(hand.number) == number), None)
        if hand is None or hand.depth == "whole":
            return ""
        if hand.depth == "play":
            return f"hand {number} is given from its first lead on, without stock and draft"
        return f"of hand {number} only bids and tricks are given, no cards"


def told(game: TextGame) -> ToldGame:
    """The game of a text record, played."""
    return ToldGame(game, play(game))


def audit(text: ToldGame, clock: Clock) -> TextAudit:
    """Audits a text record; `clock` is processor time in seconds, for the search of readings."""
    played = text.played
    claim = tuple(_claims(text.game, len(text.facts().hands)))
    said = answer(text.facts(), claim, clock) if claim else None
    findings = list(played.findings)
    if said is not None and not said.holds:
        first = said.differences[0]
        code = "wrong_score" if first.hand is not None else "wrong_winner" if first.seat is None else "wrong_totals"
        position = first.rests_on[-1] if first.rests_on else "v1"
        findings.append(TextFinding(code, position, int(first.at.removeprefix("line ")), first.message))
    findings.sort(key=lambda finding: finding.line)
    hands = text.game.hands
    checked = [
        _said(hands, ("whole",), "draft, exchange, every play and the score"),
        _said(hands, ("play",), "every play and the score"),
        _said(hands, ("score",), "the score"),
        f"{len(claim)} figures of score and result lines" if claim else "",
    ]
    return TextAudit(
        "bad" if findings else "ok",
        tuple(findings),
        tuple(line for line in checked if line),
        tuple(_not_checked(text, claimed=bool(claim))),
        said,
    )


def _claims(game: TextGame, scored: int) -> Iterator[ClaimedFigure]:
    """What the score lines say of hands that have a score, and the result where all hands but a last one have."""
    stopped_inside = game.end is not None and scored < len(game.hands)
    whole = scored == len(game.hands) - stopped_inside
    yield from (said for said in scores_of(game, scored) if whole or said.hand is not None)


def _said(hands: Sequence[TextHand], depths: tuple[str, ...], what: str) -> str:
    """``hands 1 to 3: …`` for the hands of these depths."""
    numbers = [hand.number for hand in hands if hand.depth in depths]
    if not numbers:
        return ""
    if len(numbers) == 1:
        return f"hand {numbers[0]}: {what}"
    unbroken = numbers == list(range(numbers[0], numbers[-1] + 1))
    listed = f"{numbers[0]} to {numbers[-1]}" if unbroken else ", ".join(map(str, numbers))
    return f"hands {listed}: {what}"


def _not_checked(text: ToldGame, *, claimed: bool) -> Iterator[str]:
    hands = text.game.hands
    yield "seals, chain and receipts: a text record has none, anybody can have written it"
    if text.played.stopped:
        yield text.played.stopped
    for said in (
        _said(hands, ("play",), "the draft: no stock is given"),
        _said(hands, ("score",), "the cards: only bids and tricks are given"),
        _said(hands, ("nothing",), "anything: neither bids nor cards are given"),
    ):
        if said:
            yield said
    if not claimed:
        yield "the score somebody wrote down: there is no score and no result line"


def _unsealed(step: Step) -> Step:
    """A step without the word about sealed parts, which a text record has none of."""
    return msgspec.structs.replace(step, why=step.why[:1]) if step.event.type.name == "game_ended" else step
