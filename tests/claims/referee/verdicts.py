"""The verdicts a fair referee may give on a sheet: one, or several where the pages leave a choice between them."""

from dataclasses import dataclass, field
from typing import Any

from tests.claims.referee.cards import CardFacts, bid_double, facts_of
from tests.claims.referee.paper import OTHER, SEATS, Hand, Sheet, sheet_of
from tests.claims.referee.scorer import BIDS, State, after, outcome


@dataclass
class Ruling:
    """`bad` are contradictions, `wrong` the stated figures that are others, `unknown` those that nothing can check.

    `maybe` is what may be judged more harshly than OK. `checked` says whether anything of the sheet can be checked: True,
    False, or None where that is a matter of words. `values` are those that a seat's figure of a hand can have, empty where the
    hand was not played to its end.
    """

    bad: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    maybe: list[str] = field(default_factory=list)
    checked: bool | None = False
    values: dict[tuple[int, str, str], set[Any]] = field(default_factory=dict)

    @property
    def verdicts(self) -> set[str]:
        """Every verdict that is right."""
        if self.bad or self.wrong:
            return {"bad"}
        base = {"incomplete"} if self.unknown or self.checked is False else {"ok"}
        if self.checked is None and not self.unknown:
            base.add("incomplete")
        return base | ({"incomplete", "bad"} if self.maybe else set())


def ruling(text: str) -> Ruling:
    """The ruling on a sheet. Raises `UnreadableSheet`."""
    return _Referee(sheet_of(text)).ruling


class _Referee:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.ruling = sheet, Ruling()
        self.states: dict[str, set[State]] = {seat: {(0, 0)} for seat in SEATS}
        self.before = self.states
        self.over = {"none"}
        self.scored = True
        for number, hand in enumerate(sheet.hands, 1):
            self.hand(number, hand)
        if sheet.end is not None and self.scored and self.over and "none" not in self.over:
            (self.ruling.bad if len(self.over) == 1 else self.ruling.maybe).append("an end of a game that was over")
        if sheet.result is not None:
            self.result(*sheet.result)

    def hand(self, number: int, hand: Hand) -> None:
        """Judges a hand and the figures stated of it."""
        if "none" not in self.over:
            sure = self.scored or number > self.sheet.rules["max_hands"]
            (self.ruling.bad if sure else self.ruling.maybe).append(f"hand {number} after the end")
        first = self.sheet.first if number % 2 else OTHER[self.sheet.first]
        facts = facts_of(hand, first, self.sheet.rules)
        self.ruling.bad += facts.faults
        self.ruling.maybe += facts.doubts
        last = number == len(self.sheet.hands)
        stopped = last and self.sheet.end is not None
        tricks = self.tricks(hand, facts, stopped=stopped)
        bids = {seat: self.bid(hand, seat) for seat in SEATS}
        self.scored = all(len(bid) == 1 for bid in bids.values()) and len(tricks) == 1
        self.before = self.states
        self.states = {}
        for seat in SEATS:
            took = tricks if seat == "north" else {13 - each for each in tricks}
            changes, self.states[seat] = after(self.sheet.rules, self.before[seat], bids[seat], took)
            values = changes, {total for total, _ in self.states[seat]}, {bags for _, bags in self.states[seat]}
            for name, value in zip(("points", "total", "bags"), values, strict=True):
                self.ruling.values[number, seat, name] = set() if stopped and not self.scored else value
            self.ruling.values[number, seat, "bid"], self.ruling.values[number, seat, "tricks"] = bids[seat], took
            if seat in hand.score:
                for said, possible in zip(hand.score[seat], values, strict=True):
                    self.figure(f"hand {number} {seat}", said, possible, stopped=stopped and not self.scored)
        if self.scored or facts.drafted or any(trick[2] for trick in hand.plays):
            self.ruling.checked = True
        elif self.ruling.checked is False and (hand.plays or hand.held or hand.stock or hand.bids):
            self.ruling.checked = None
        self.over = self.outcomes(number)

    def bid(self, hand: Hand, seat: str) -> set[str]:
        if seat in hand.double_nils and hand.bids.get(seat, "double_nil") != "double_nil":
            self.ruling.bad.append("a bid beside double nil")
        return {"double_nil"} if bid_double(hand, seat) else {hand.bids[seat]} if seat in hand.bids else set(BIDS)

    def tricks(self, hand: Hand, facts: CardFacts, *, stopped: bool) -> set[int]:
        """The counts north can have ended with."""
        complete = sum(facts.taken.values())
        allowed = set(range(facts.taken["north"], facts.taken["north"] + 13 - complete + 1))
        exact = set(facts.north)
        if hand.tricks is None:
            return allowed if stopped else exact
        north, total = hand.tricks["north"], sum(hand.tricks.values())
        if stopped and total < 13:
            if any(hand.tricks[seat] < facts.taken[seat] for seat in SEATS):
                self.ruling.bad.append("fewer tricks than the plays")
            return allowed
        if total != 13 or north not in allowed or (complete >= 12 and not stopped and north not in exact):
            self.ruling.bad.append("a count of tricks that cannot be")
        elif north not in exact:
            self.ruling.maybe.append("a count that no legal play gives")
        return {north}

    def figure(self, name: str, said: int, possible: set[int], *, stopped: bool = False) -> None:
        """Judges a stated figure against the values it can have."""
        if stopped:
            self.ruling.unknown.append(name)
            self.ruling.maybe.append(name)
        elif len(possible) == 1:
            self.ruling.checked = True
            if said not in possible:
                self.ruling.wrong.append(f"{name}: {said}, not {possible}")
        else:
            self.ruling.unknown.append(name)
            if said not in possible:
                self.ruling.maybe.append(name)

    def outcomes(self, number: int) -> set[str]:
        norths, souths = ({total for total, _ in self.states[seat]} for seat in SEATS)
        return {outcome(self.sheet.rules, number, {"north": n, "south": s}) for n in norths for s in souths}

    def result(self, totals: dict[str, int], winner: str | None) -> None:
        """Judges the result line."""
        if not self.sheet.hands:
            self.ruling.unknown.append("a result without a hand")
            if self.sheet.end is None or winner is None:
                return
        last = self.sheet.hands[-1] if self.sheet.hands else Hand()
        is_open = bool(self.sheet.hands) and not self.scored and (not last.score or self.sheet.end is not None)
        for seat, said in totals.items() if self.sheet.hands else ():
            possible = {total for total, _ in (self.before if is_open else self.states)[seat]}
            if is_open and said not in possible:  # the score so far, or the end of a hand that has no score
                self.ruling.unknown.append("a total of the end")
                self.ruling.maybe.append("a total of the end")
            else:
                self.figure(f"the end {seat}", said, possible)
        if winner is not None:
            self.winner(winner, is_open=is_open)

    def winner(self, winner: str, *, is_open: bool) -> None:
        by: Any = self.sheet.end[1] if self.sheet.end is not None else None
        if self.sheet.end is not None and (is_open or "none" in self.over):
            known = all(len(states) == 1 for states in self.states.values())
            if is_open or (known and len(self.over) == 1):
                self.ruling.wrong += [] if winner == (OTHER[by] if by else "none") else ["the winner of a game that stopped"]
            else:  # with totals that are not known the game may have been over
                self.ruling.unknown.append("the winner")
                self.ruling.maybe.append("the winner")
        elif is_open:
            self.ruling.wrong.append("a winner of a game that is still played")
        elif len(self.over) > 1:
            self.ruling.unknown.append("the winner")
            if winner not in self.over:
                self.ruling.maybe.append("the winner")
        elif winner not in self.over:
            (self.ruling.wrong if self.scored and not self.ruling.unknown else self.ruling.maybe).append("the winner")
            self.ruling.unknown += [] if self.scored and not self.ruling.unknown else ["the winner"]
        elif not self.scored or any(len(states) > 1 for states in self.states.values()):
            self.ruling.maybe.append("a winner that follows from unknown totals")
