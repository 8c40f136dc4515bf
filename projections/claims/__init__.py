"""Claims about a score: who is right, at which figure the two sides part, and which reading would make the claim true."""

import msgspec

from projections.claims.claim import BadClaim, Claim, ClaimedFigure, check
from projections.claims.comparing import Difference, differences
from projections.claims.facts import Facts, facts_of
from projections.claims.readings import Reading, Search
from projections.claims.search import Clock, search
from projections.sheet import minus


class ClaimAnswer(msgspec.Struct, frozen=True):
    """The answer to a claim. `holds` says whether every figure was computed and is the one claimed; else `differences` names
    all that are others, the first one first, `unchecked` those that could not be computed, each with its place and the reason,
    and `search` the readings that would make the claim true, None where it was not searched."""

    holds: bool
    claim: Claim
    differences: tuple[Difference, ...] = ()
    search: Search | None = None
    unchecked: tuple[str, ...] = ()


def answer(facts: Facts, claim: Claim, clock: Clock) -> ClaimAnswer:
    """Who is right. `clock` is processor time in seconds. Raises `BadClaim` where the claim cannot be compared."""
    check(facts, claim)
    wrong = tuple(differences(facts, claim))
    return ClaimAnswer(not wrong, claim, wrong, search(facts, claim, clock) if wrong else None)


def verdict_of(found: ClaimAnswer, facts: Facts) -> str:
    """One line: who is right."""
    if found.holds:
        return "the claim holds"
    if not found.differences:
        return "the claim was not checked in full"
    lines = facts.ledger()
    if not facts.hands:
        return "the claim does not hold: no hand has been scored"
    north, south = (lines[seat][-1].total for seat in ("north", "south"))
    return minus(f"the claim does not hold; by the plays it is north {north}, south {south}")


__all__ = [
    "BadClaim",
    "Claim",
    "ClaimAnswer",
    "ClaimedFigure",
    "Clock",
    "Difference",
    "Facts",
    "Reading",
    "Search",
    "answer",
    "facts_of",
    "search",
    "verdict_of",
]
