"""The audit of a text record: everything written is worked out again; the first claim that differs is named, and why."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from events.cards import HAND_TRICKS, SEATS, Seat
from events.types import Event
from projections.audience import seen_by
from projections.audit.codes import Code
from projections.claims import Claim, ClaimAnswer, Clock, Facts, facts_of
from projections.claims.reading import scores_of
from projections.replay.walk import Step, steps
from projections.textaudit.figures import SheetFigures
from projections.textaudit.hand_facts import HandFacts
from projections.textaudit.playing import NAME, PlayedText, TextFinding, play
from projections.textaudit.sheet_claims import answer
from projections.textrecord.game import TextGame, TextHand

Verdict = Literal["ok", "incomplete", "bad"]
STATED = frozenset({Code.WRONG_SCORE, Code.WRONG_TOTALS, Code.WRONG_WINNER})
"""Findings about stated figures; every other one is about what the figures rest on."""


class TextAudit(msgspec.Struct, frozen=True):
    """The result of an audit. The verdict is *bad* where there is a finding; else *incomplete* where a stated figure could not
    be checked, or nothing at all was; else *ok*. `unchecked` is the number of stated figures that could not be checked,
    `claims` the answer to the score and result lines, None without any."""

    verdict: Verdict
    findings: tuple[TextFinding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    claims: ClaimAnswer | None = None
    unchecked: int = 0

    @property
    def contradicted(self) -> bool:
        """Whether what a score rests on is contradicted: a finding that is not about a stated figure."""
        return any(finding.code not in STATED for finding in self.findings)

    @property
    def summary(self) -> str:
        """Why the verdict is *incomplete*, in a few words."""
        if not self.unchecked:
            return "there is nothing to check"
        return f"{self.unchecked} stated figure{' was' if self.unchecked == 1 else 's were'} not checked"


class ToldGame(msgspec.Struct, frozen=True):
    """A text record, played."""

    game: TextGame
    played: PlayedText

    def facts(self) -> Facts:
        """The facts its score rests on."""
        return facts_of(self.events, self.game.rules_at)

    def figures(self) -> SheetFigures:
        """The figures that its hands give."""
        return SheetFigures(self.game.rules, self.played.hands, self.game.end)

    def answer(self, claim: Claim, clock: Clock) -> ClaimAnswer:
        """The answer to a claim about it. Raises `BadClaim`."""
        return answer(self.game, self.facts(), self.figures(), claim, clock)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, with what had to be put in its place, up to the first hand that has no score."""
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
    stated = tuple(scores_of(text.game, len(text.game.hands)))
    given = text.answer(stated, clock) if stated else None
    findings = list(text.played.findings)
    if given is not None and given.differences:
        first = given.differences[0]
        code = Code.WRONG_SCORE if first.hand is not None else Code.WRONG_WINNER if first.seat is None else Code.WRONG_TOTALS
        position = first.rests_on[-1] if first.rests_on else "v1"
        findings.append(TextFinding(code, position, int(first.at.removeprefix("line ")), first.message))
    findings.sort(key=lambda finding: finding.line)
    unchecked = sum(not text.figures().judge(figure).checked for figure in stated)
    checked = tuple(_checked(text, len(stated), len(stated) - unchecked))
    verdict: Verdict = "bad" if findings else "incomplete" if unchecked or not checked else "ok"
    return TextAudit(verdict, tuple(findings), checked, tuple(_not_checked(text, given)), given, unchecked)


def _checked(text: ToldGame, stated: int, checked: int) -> Iterator[str]:
    """What was checked, hand by hand: never what was only given."""
    yield from _hands((hand.number, _checked_of(text, hand)) for hand in text.game.hands)
    if checked:
        of = "" if checked == stated else f" of {stated}"
        yield f"{checked}{of} figure{'s' if stated > 1 else ''} of score and result lines"


def _checked_of(text: ToldGame, hand: TextHand) -> str:
    facts = text.played.hands[hand.number - 1]
    parts = []
    if hand.number in text.played.drafted:
        parts.append("the draft")
        parts += ["the exchange"] if hand.exchanges else []
    elif hand.depth == "whole" and 0 < len(hand.draft) < 26:
        parts.append(f"{len(hand.draft)} of 26 turns of the draft")
    judged = text.played.judged.get(hand.number, 0)
    if judged and hand.number in text.played.followed:
        parts.append("every play" if judged == HAND_TRICKS else f"{judged} of 13 tricks")
    elif judged:
        parts.append(f"{judged} of 13 tricks, as far as the cards on record show the hands")
    if facts.scored:
        known = all(before.scored for before in text.played.hands[: hand.number])
        parts.append("the score" if known else "the net change")
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else ""


def _hands(found: Iterable[tuple[int, str]]) -> Iterator[str]:
    """``hands 1 to 3: …``: the hands of which the same is to be said, together."""
    groups: dict[str, list[int]] = {}
    for number, what in found:
        if what:
            groups.setdefault(what, []).append(number)
    for what, numbers in groups.items():
        unbroken = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1))
        listed = f"{numbers[0]} to {numbers[-1]}" if unbroken else ", ".join(map(str, numbers))
        yield f"hand{'s' if len(numbers) > 1 else ''} {listed}: {what}"


def _not_checked(text: ToldGame, given: ClaimAnswer | None) -> Iterator[str]:
    hands = text.game.hands
    yield "seals, chain and receipts: a text record has none, anybody can have written it"
    if given is None:
        yield "the score somebody wrote down: there is no score and no result line"
    else:
        yield from given.unchecked
    yield from _hands((hand.number, "the draft: no stock is given") for hand in hands if hand.depth == "play")
    undrafted = (hand.number for hand in hands if hand.depth == "whole" and not hand.draft)
    yield from _hands((number, "the draft: a stock is given, but no draft") for number in undrafted)
    yield from _hands(
        (hand.number, "the pile that an exchange drew from: no stock is given")
        for hand in hands
        if hand.exchanges and not hand.stock
    )
    yield from _hands(
        (hand.number, "the cards: only bids and tricks are given, and only claimed") for hand in hands if hand.depth == "score"
    )
    yield from _hands((hand.number, "anything: neither bids nor cards are given") for hand in hands if hand.depth == "nothing")
    for hand, facts in zip(hands, text.played.hands, strict=True):
        yield from _unproved(hand, facts)


def _unproved(hand: TextHand, facts: HandFacts) -> Iterator[str]:
    """What the tricks and the score of a hand rest on that the plays do not prove."""
    if facts.proved < HAND_TRICKS and (hand.depth in ("whole", "play") or facts.stopped):
        tricks = f"tricks {facts.proved + 1} to 13" if facts.proved < 12 else "trick 13"
        if facts.claimed:
            yield f"{tricks} of hand {hand.number} {'are' if facts.proved < 12 else 'is'} only claimed"
        elif facts.stopped and not facts.scored:
            yield f"{tricks} of hand {hand.number}: not played"
        elif hand.plays and not facts.scored:
            yield f"{tricks} of hand {hand.number}: not on record"
    if not facts.scored:
        yield f"hand {hand.number} is not scored: {facts.lacking}"


def _unsealed(step: Step) -> Step:
    """A step without the word about sealed parts, which a text record has none of."""
    return msgspec.structs.replace(step, why=step.why[:1]) if step.event.type.name == "game_ended" else step
