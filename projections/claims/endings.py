"""Which rule decides how a game stands after its last scored hand (rules.md §8), as a sentence for a disputed winner."""

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import EARLY_ENDS
from projections.claims.facts import Facts, Ledger
from projections.claims.people import people
from projections.scoring import outcome
from projections.table import Result

"""The ends that no score brings about."""

_Who = dict[Seat, str]


def decided_by(rules: Ruleset, facts: Facts, ledger: Ledger) -> str:
    """The totals and the rule that decides the winner, ``… (rules §8.2)``, as `claim.winner_of` decides it."""
    who = people(facts.names)
    north, south = (ledger[seat][-1].total if ledger[seat] else 0 for seat in SEATS)
    return f"{who['north']} {north}, {who['south']} {south}; {_rule(rules, facts, who, north, south)}"


def winner_name(facts: Facts, winner: str) -> str:
    """A winner as `claim.WINNERS` has it, in words: ``Ann wins``, ``a draw``, ``no winner yet``."""
    for seat, name in people(facts.names).items():
        if seat == winner:
            return f"{name} wins"
    return "a draw" if winner == "draw" else "no winner yet"


def _rule(rules: Ruleset, facts: Facts, who: _Who, north: int, south: int) -> str:
    result = facts.result
    if result is not None and result.corrected and result.reason not in EARLY_ENDS:
        return "play had ended, so the corrected totals decide and the game is not reopened (additions, score_corrected)"
    if result is not None and result.reason in EARLY_ENDS and (result.corrected or not facts.hands):
        return _stopped(result, who)
    if not facts.hands:
        return "no hand has been scored, so nobody has won yet (rules §8.1)"
    hand = facts.hands[-1].number
    over = outcome(rules, hand, north, south)
    if over is None:
        by_a_player = result is not None and result.reason in EARLY_ENDS
        return _stopped(result, who) if result is not None and by_a_player else _open(rules, hand, who, north, south)
    higher = who["north" if north > south else "south"]
    lower = who["south" if north > south else "north"]
    if over.reason == "hand_limit":
        if north != south:
            return f"hand {hand} is the last ({_limit(rules)}), so {higher} wins with the higher score (rules §8.6, §8.7)"
        at_target = f", also at the target of {rules.target}" if north >= rules.target else ""
        return f"hand {hand} is the last ({_limit(rules)}): equal scores are a draw{at_target} (rules §8.6, §8.7)"
    if over.reason == "floor":
        both = rules.floor is not None and max(north, south) <= rules.floor
        lost = f"both are at or under the floor of {rules.floor}, and the higher score wins: {higher}"
        alone = f"{lower} is at or under the floor of {rules.floor}, so {higher} wins"
        return f"{lost if both else alone} (rules §8.5)"
    if min(north, south) >= rules.target:
        return f"both have the target of {rules.target}, and the higher score wins (rules §8.1): {higher}"
    return f"{higher} has the target of {rules.target} (rules §8.1)"


def _open(rules: Ruleset, hand: int, who: _Who, north: int, south: int) -> str:
    """Why nobody has won yet."""
    last = f"equal scores are a draw only after the last hand, here hand {rules.max_hands} (rules §8.6)"
    if north == south and north >= rules.target:
        return f"a tie at the target of {rules.target} is played on: another hand follows (rules §8.2); {last}"
    if rules.floor is not None and north == south <= rules.floor:
        return f"a tie at the floor of {rules.floor} is played on: another hand follows (rules §8.5); {last}"
    floor = "" if rules.floor is None else f", nobody is at the floor of {rules.floor} (rules §8.5)"
    goes_on = f"and hand {hand} is not the last ({_limit(rules)}, rules §8.6)"
    return f"nobody has the target of {rules.target} yet (rules §8.1){floor}, {goes_on}"


def _stopped(result: Result, who: _Who) -> str:
    """The end by a player, whatever the score is."""
    by = who[result.by] if result.by else "a player"
    wins = f"{who[result.winner]} wins whatever the scores" if result.winner else "nobody wins"
    if result.reason == "resigned":
        return f"{by} resigned, so {wins} (rules §8.3)"
    if result.reason == "timed_out":
        return f"{by} ran out of time, so {wins} (rules §8.4)"
    return f"the game was abandoned, so {wins} (rules §8.3)"


def _limit(rules: Ruleset) -> str:
    return f"max_hands={rules.max_hands}"
