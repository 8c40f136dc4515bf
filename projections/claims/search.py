"""Which reading makes a claim true: the smallest changes of rules, facts or arithmetic that reproduce every figure claimed.

Deterministic: what fits is listed by cost, ties in the order of the tables; only the budget of processor time may end it early.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, product
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import EARLY_ENDS, Line
from projections.claims.claim import Claim, figure_of, winner_of
from projections.claims.comparing import parting
from projections.claims.endings import winner_name
from projections.claims.facts import Facts, Ledger
from projections.claims.options import ENDING, RARE, RULES, SCORING, Change, changes, told, under
from projections.claims.readings import Fit, Reading, Search, clause, merged, reading_of
from projections.claims.rule_readings import rule_readings
from projections.claims.scoring_mistakes import Sheet, Slip, adding_errors, slips
from projections.scoring import outcome

BUDGET_SECONDS: Final = 1.0
"""Processor time after which a search ends and says so."""

Clock = Callable[[], float]
"""Processor time in seconds, from any start."""

_COMMON_OPTION, _RARE_OPTION, _HANDS_MISSING, _TWO_OPTIONS, _TWO_SLIPS = 10, 40, 50, 55, 80
_END_IGNORED: Final = 20
_SIMPLEST: Final = 5
"""How many mistakes of each seat are paired with those of the other."""

_COMMON_RANKS: Final = 3
"""The values of an option that many tables use come before any slip, the others after the likely ones."""


class _OutOfTime(Exception):
    pass


class _Seeker:
    """One search."""

    def __init__(self, facts: Facts, claim: Claim, clock: Clock, budget: float) -> None:
        self.facts, self.claim = facts, claim
        self.sheet = Sheet(facts)
        self.clock, self.until = clock, clock() + budget
        self.tried = 0
        self.found: list[Fit] = []
        self.stage = ""
        self.wanted = {
            seat: [(-1 if s.hand is None else s.hand - 1, s.figure, s.value) for s in claim if s.seat == seat] for seat in SEATS
        }
        self.winner = next((str(s.value) for s in claim if s.figure == "winner"), None)
        self.honest = {seat: self.fits(seat, self.sheet.lines[seat]) for seat in SEATS}
        self.alone: dict[Seat, list[Slip]] = {"north": [], "south": []}
        self.idle: list[str] = []

    def tick(self) -> None:
        """Counts one change tried. Raises `_OutOfTime`."""
        self.tried += 1
        if self.clock() > self.until:
            raise _OutOfTime

    def fits(self, seat: Seat, lines: Sequence[Line], end: int | None = None) -> bool:
        """Whether a seat's lines say everything that is claimed of it; `end` is the number of hands played."""
        last = len(lines) if end is None else end
        for at, figure, value in self.wanted[seat]:
            if at >= last:
                return False
            right = figure_of(lines[last - 1 if at < 0 else at], figure) if last else 0
            if right != value:
                return False
        return True

    # Options ----------------------------------------------------------------------------------------------------------

    def options(self, count: int) -> None:
        """One option changed, or two together; two only where neither does it alone."""
        self.stage = "two options together" if count > 1 else "one option"
        single = [fit.reading.options for fit in self.found if len(fit.reading.options) == 1]
        alone = {item for options in single for item in options.items()}
        ledgers: dict[tuple[Change, ...], Ledger] = {}
        for chosen in combinations(self._worth_trying(most_rank=None if count == 1 else RARE - 1), count):
            if len({change.option for change in chosen}) < count:
                continue
            if any((change.option, change.value) in alone for change in chosen):
                continue
            self.tick()
            rules = under(self.facts.rules, *chosen)
            scoring = tuple(change for change in chosen if change.option in SCORING)
            if scoring not in ledgers:
                ledgers[scoring] = self.facts.ledger(rules) if scoring else self.sheet.lines
            self._option(rules, ledgers[scoring], chosen)

    def _worth_trying(self, most_rank: int | None = None) -> list[Change]:
        """The changes that can matter: where no nil was bid, the value of a nil cannot. `most_rank` leaves out rarer values."""
        bids = [bid for seat in SEATS for bid, _ in self.sheet.played[seat]]
        failed = any(bid in (0, "double_nil") and tricks for seat in SEATS for bid, tricks in self.sheet.played[seat])
        idle = {
            "nil_value": 0 not in bids, "double_nil_value": "double_nil" not in bids, "failed_nil": not failed,
            "turn_seconds": not self.facts.waits,
        }  # fmt: skip
        self.idle = [option for option, left_out in idle.items() if left_out]
        return [
            change
            for change in changes(self.facts.rules, len(self.facts.hands))
            if not idle.get(change.option) and (most_rank is None or change.rank <= most_rank)
        ]

    def _option(self, rules: Ruleset, ledger: Ledger, chosen: Sequence[Change]) -> None:
        played = len(self.facts.hands)
        end, winner = _ending(rules, self.facts, ledger, timed=any(c.option == "turn_seconds" for c in chosen))
        if self.winner is not None and winner != self.winner:
            return
        scoring = not any(change.option in ENDING for change in chosen)  # then the sheet may have been kept after its end
        if not all(self.fits(seat, ledger[seat], played if scoring else end) for seat in SEATS):
            return
        cost = (_base(chosen[0]) if len(chosen) == 1 else _TWO_OPTIONS) + sum(change.rank for change in chosen)
        clauses = " and ".join(told(change.option, change.value) for change in chosen)
        names = ", ".join(f"{c.option}={'none' if c.value is None else c.value}" for c in chosen)
        here = " and ".join(told(change.option, getattr(self.facts.rules, change.option)) for change in chosen)
        numbers = " and ".join(dict.fromkeys(f"§{RULES[change.option]}" for change in chosen))
        after = f"; the game would have ended after hand {end}" if end < played or self.winner not in (None, "none") else ""
        wins = f": {winner_name(self.facts, winner)}" if after and self.winner is not None else ""
        code = "+".join(change.option for change in chosen)
        reading = Reading(
            code,
            cost,
            f"right if {clauses} ({names}): in this game {here} (rules {numbers}), {self.facts.rules_at}{after}{wins}",
            options={change.option: change.value for change in chosen},
            parts=parting(self.facts.rules, self.sheet.lines, ledger, rules),
        )
        self.found.append(Fit(reading, code))

    def end_ignored(self) -> None:
        """The game as if nobody had resigned or run out of time."""
        result = self.facts.result
        if self.winner is None or result is None or result.reason not in EARLY_ENDS:
            return
        self.tick()
        facts = msgspec.structs.replace(self.facts, result=None)
        fitting = all(self.fits(seat, self.sheet.lines[seat]) for seat in SEATS)
        if not fitting or winner_of(facts.rules, facts, self.sheet.lines) != self.winner:
            return
        what, rule = {
            "resigned": ("the resignation", "8.3"),
            "timed_out": ("the time that ran out", "8.4"),
        }.get(result.reason, ("the end of the game by a player", "8.3"))
        text = f"right if {what} does not count and only the score decides: {winner_name(facts, self.winner)} (rules §{rule})"
        self.found.append(Fit(Reading("end_ignored", _END_IGNORED, text), "end_ignored"))

    # Slips ------------------------------------------------------------------------------------------------------------

    def slips(self) -> None:
        """One slip; what fits one seat alone is kept for two slips together."""
        self.stage = "one mistake"
        for slip in chain(rule_readings(self.sheet), slips(self.sheet)):
            self.tick()
            self._slip(slip)

    def adding(self) -> None:
        """An adding error by as much as the first figure of a seat is off."""
        self.stage = "an adding error"
        for seat in SEATS:
            for slip in self._adding(seat):
                self.tick()
                self._slip(slip)

    def _adding(self, seat: Seat) -> Iterator[Slip]:
        lines = self.sheet.lines[seat]
        if not lines:
            return
        for at, figure, value in sorted(self.wanted[seat], key=lambda want: want[0] % (len(lines) + 1)):
            if figure in ("total", "points") and isinstance(value, int):
                delta = value - int(figure_of(lines[at], figure))
                if delta:
                    last = len(lines) - 1 if at < 0 else at
                    points = any(said == "points" for _, said, _ in self.wanted[seat])
                    yield from adding_errors(self.sheet, seat, delta, last, points=points)
                    return

    def _slip(self, slip: Slip) -> None:
        touched = {seat: self.fits(seat, lines) for seat, lines in slip.lines.items()}
        if len(touched) == 1:
            ((seat, right),) = touched.items()
            if right and not self.honest[seat] and slip.code != "adding_error":  # two of them would explain everything
                self.alone[seat].append(slip)
        if not all(touched.values()) or not all(self.honest[seat] for seat in SEATS if seat not in touched):
            return
        whole = {**self.sheet.lines, **slip.lines}
        if self.winner is not None and winner_of(self.facts.rules, self.facts, whole) != self.winner:
            return
        self.found.append(reading_of(self.sheet, slip))

    def missing_hands(self) -> None:
        """The claim is the score before the last hands."""
        if not self._of_the_end_alone():
            return
        for end in range(len(self.facts.hands) - 1, 0, -1):
            self.tick()
            if all(self.fits(seat, self.sheet.lines[seat], end) for seat in SEATS):
                text = f"right if it is the score after hand {end}: hand {end + 1} and what follows is missing ({end}.s)"
                self.found.append(Fit(Reading("hands_missing", _HANDS_MISSING, text, (f"{end}.s",), (end,)), "hands_missing"))
                return

    def _of_the_end_alone(self) -> bool:
        return self.winner is None and not any(at >= 0 for seat in SEATS for at, *_ in self.wanted[seat])

    def two_slips(self) -> None:
        """The simplest mistake of each seat, where both are wrong and nothing else fits."""
        if self.found or not all(self.alone.values()):
            return
        best = (sorted(self.alone[seat], key=lambda slip: slip.cost)[:_SIMPLEST] for seat in SEATS)
        for north, south in sorted(product(*best), key=lambda pair: pair[0].cost + pair[1].cost):
            lines = {**north.lines, **south.lines}
            if self.winner is not None and winner_of(self.facts.rules, self.facts, lines) != self.winner:
                continue
            rests_on = tuple(dict.fromkeys(north.rests_on + south.rests_on))
            places = f" ({', '.join(rests_on)})" if rests_on else ""
            text = f"right if {clause(north)}, and {clause(south)}{places}"
            hands = tuple(hand for hand in (north.hand, south.hand) if hand is not None)
            parts = parting(self.facts.rules, self.sheet.lines, lines, self.facts.rules)
            cost = _TWO_SLIPS + north.cost + south.cost
            self.found.append(Fit(Reading("two_slips", cost, text, rests_on, hands, parts=parts), text))
            return

    # Bounds -----------------------------------------------------------------------------------------------------------

    def not_tried(self, *, early: bool, budget: float) -> Iterator[str]:
        """Each kind of change that was left out, and why."""
        if early:
            yield f"what was left after {budget:g} s of processor time, when {self.stage} was tried"
        yield "values of an option that few tables use (the list is in docs/disputes.md)"
        if self.idle:
            names = self.idle[0] if len(self.idle) == 1 else f"{', '.join(self.idle[:-1])} and {self.idle[-1]}"
            yield f"{names}: no hand of this game depends on {'it' if len(self.idle) == 1 else 'them'}"
        yield "three or more options together, an option together with a mistake, and two mistakes of one player"
        if any(fit.reading.code != "two_slips" for fit in self.found):
            yield "a mistake of each player: a single change fits"
        if len(self.facts.hands) > 1:
            yield "two options together where one is a hand limit that few tables use"
            if not self._of_the_end_alone():
                yield "the score after an earlier hand: the claim names a winner or a hand"


def search(facts: Facts, claim: Claim, clock: Clock, budget: float = BUDGET_SECONDS) -> Search:
    """Every change that makes the claim true, the simplest first, and what was not tried."""
    seeker = _Seeker(facts, claim, clock, budget)
    early = False
    try:
        seeker.options(1)
        seeker.end_ignored()
        seeker.slips()
        seeker.missing_hands()
        seeker.adding()
        seeker.options(2)
    except _OutOfTime:
        early = True
    seeker.two_slips()
    readings = tuple(merged(sorted(seeker.found, key=lambda fit: fit.reading.cost)))
    return Search(readings, seeker.tried, early, tuple(seeker.not_tried(early=early, budget=budget)))


def _base(change: Change) -> int:
    return _COMMON_OPTION if change.rank < _COMMON_RANKS else _RARE_OPTION


def _ending(rules: Ruleset, facts: Facts, ledger: Ledger, *, timed: bool) -> tuple[int, str]:
    """After how many hands a game under these rules would have ended, and who would have won."""
    end, winner = len(facts.hands), winner_of(rules, facts, ledger)
    for at, hand in enumerate(facts.hands):
        over = outcome(rules, hand.number, *(ledger[seat][at].total for seat in SEATS))
        if over is not None:
            end, winner = at + 1, over.winner or "draw"
            break
    if timed and rules.turn_seconds is not None:
        for wait in facts.waits:
            if wait.scored < end and wait.ms > 1000 * rules.turn_seconds:
                return wait.scored, "south" if wait.seat == "north" else "north"
    return end, winner
