"""Which rule decides how a game stands after its last scored hand (rules.md §8), as a sentence for a disputed winner."""

from events.cards import SEATS, Seat, other
from events.ruleset import Ruleset
from projections.claims.facts import Facts, Ledger
from projections.scoring import outcome


def decided_by(rules: Ruleset, facts: Facts, ledger: Ledger) -> str:
    """The totals and the rule that decides the winner, ``… (rules §8.2)``."""
    north, south = (ledger[seat][-1].total if ledger[seat] else 0 for seat in SEATS)
    return f"north {north}, south {south}; {_rule(rules, facts, north, south)}"


def _rule(rules: Ruleset, facts: Facts, north: int, south: int) -> str:
    result = facts.result
    if result is not None and result.corrected and result.reason in ("target", "floor", "hand_limit"):
        return "play had ended, so the corrected totals decide and the game is not reopened (additions, score_corrected)"
    if result is not None and result.reason in ("resigned", "timed_out", "abandoned"):
        return _stopped(result.reason, result.by, result.winner)
    hand = facts.hands[-1].number if facts.hands else 0
    over = outcome(rules, hand, north, south) if hand else None
    higher = "north" if north > south else "south"
    if over is None:
        return _open(rules, north, south)
    if over.reason == "hand_limit":
        if north != south:
            return f"hand {hand} is the last ({_limit(rules)}), so {higher} wins with the higher score (rules §8.6, §8.7)"
        at_target = f", also at the target of {rules.target}" if north >= rules.target else ""
        return f"hand {hand} is the last ({_limit(rules)}): equal scores are a draw{at_target} (rules §8.6, §8.7)"
    if over.reason == "floor":
        both = max(north, south) <= (rules.floor or 0)
        lost = f"both are at or under the floor of {rules.floor}, and the higher score wins"
        return f"{lost if both else f'{other(_seat(higher))} is at or under the floor of {rules.floor}'} (rules §8.5)"
    if min(north, south) >= rules.target:
        return f"both have the target of {rules.target}, and the higher score wins (rules §8.1)"
    return f"{higher} has the target of {rules.target} (rules §8.1)"


def _open(rules: Ruleset, north: int, south: int) -> str:
    if north == south and north >= rules.target:
        return f"a tie at the target of {rules.target} is played on: another hand follows (rules §8.2)"
    if north == south and rules.floor is not None and north <= rules.floor:
        return f"a tie at the floor of {rules.floor} is played on: another hand follows (rules §8.5)"
    return f"nobody has the target of {rules.target} yet (rules §8.1)"


def _stopped(reason: str, by: Seat | None, winner: Seat | None) -> str:
    if reason == "resigned":
        return f"{by} resigned, so {winner} wins whatever the scores (rules §8.3)"
    if reason == "timed_out":
        return f"{by} ran out of time, so {winner} wins whatever the scores (rules §8.4)"
    return "the game was abandoned, so nobody wins (rules §8.3)"


def _limit(rules: Ruleset) -> str:
    return f"max_hands={rules.max_hands}"


def _seat(name: str) -> Seat:
    return "north" if name == "north" else "south"
