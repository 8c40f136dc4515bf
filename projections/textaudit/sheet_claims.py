"""Answers a claim about a text record: each figure is computed from the sheet's bids and tricks, or named as not computed."""

import msgspec

from events.cards import SEATS
from projections.claims import BadClaim, Claim, ClaimAnswer, Clock, Difference, Facts, Search, search
from projections.claims.claim import check_hand
from projections.claims.comparing import bare_difference, difference
from projections.claims.facts import Fact, Ledger, ScoredHand
from projections.textaudit.figures import Judgement, SheetFigures, grouped
from projections.textrecord.game import TextGame


def answer(game: TextGame, facts: Facts, figures: SheetFigures, claim: Claim, clock: Clock) -> ClaimAnswer:
    """The answer; `facts` are those of the hands before the first without a score, `clock` is processor time in seconds.

    Raises `BadClaim` where the claim names a hand that the record does not have, or nothing at all.
    """
    if not claim:
        raise BadClaim("nothing is claimed: name at least one figure, such as north=104")
    for said in claim:
        check_hand(said)
        if said.hand is not None and said.hand > len(game.hands):
            where = f"{said.at}: " if said.at else ""
            there = f"its last hand is {len(game.hands)}" if game.hands else "it has no hand"
            raise BadClaim(f"{where}this record has no hand {said.hand}: {there}")
    judged = [figures.judge(said) for said in sorted(claim, key=lambda said: said.order)]
    ledger = facts.ledger()
    whole = len(facts.hands) == len(figures.counting)
    wrong = tuple(_difference(facts, ledger, claim, one, whole=whole) for one in judged if one.wrong)
    unchecked = tuple(grouped([one for one in judged if not one.checked]))
    scored = all(said.hand is None or said.hand <= len(facts.hands) for said in claim)  # readings change scored hands
    searched = search(facts, claim, clock) if wrong and whole and scored and not unchecked else None
    if unchecked and not wrong:
        searched = _trick_missing(game, facts, figures, claim, clock)
    return ClaimAnswer(not wrong and not unchecked, claim, wrong, searched, unchecked)


def _trick_missing(game: TextGame, facts: Facts, figures: SheetFigures, claim: Claim, clock: Clock) -> Search | None:
    """The readings in which a hand with 12 tricks lacks one, None where none of them makes the claim true."""
    hands = []
    for written, hand in zip(game.hands, figures.counting, strict=False):
        one_short = written.tricks is not None and sum(written.tricks.values()) == 12
        if len(hand.bids) < len(SEATS) or not (hand.scored or one_short):
            return None
        counts = {seat: next(iter(hand.taken(seat))) for seat in SEATS} if hand.scored else written.tricks or {}
        hands.append(ScoredHand(hand.number, *(Fact(hand.bids[seat], counts[seat]) for seat in SEATS)))
    if all(hand.scored for hand in figures.counting):
        return None
    found = search(msgspec.structs.replace(facts, hands=tuple(hands)), claim, clock)
    readings = tuple(reading for reading in found.readings if reading.code == "trick_missing")
    return msgspec.structs.replace(found, readings=readings) if readings else None


def _difference(facts: Facts, ledger: Ledger, claim: Claim, one: Judgement, *, whole: bool) -> Difference:
    said, right = one.figure, one.right
    assert right is not None
    if (said.hand is None and whole) or (said.hand is not None and said.hand <= len(facts.hands)):
        return difference(facts, ledger, claim, said, right)
    return bare_difference(said, right)
