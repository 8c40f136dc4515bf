"""Plays a text record: what is written becomes steps that replay, explain and the claims can follow, and what could not be
is found. Nothing of it is a log: it has no seals and no chain, and none is made for it.
"""

from typing import Final, Literal

import msgspec

from events.cards import HAND_TRICKS, SEATS, Owner, Seat, other
from events.types import (
    Bid,
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    Data,
    DoubleNilBid,
    Event,
    Exchanged,
    GameCreated,
    GameEnded,
    HandScored,
    HandStarted,
    Line,
    Looked,
    OneCard,
    PlayerJoined,
    ServerKey,
    Stock,
    Totals,
)
from projections.audit import dealt, played
from projections.audit.codes import Code
from projections.audit.dealing import deck_problem
from projections.audit.judging import HandState as Judged
from projections.audit.judging import Stop
from projections.fold import Impossible, apply
from projections.legal import discard_owner
from projections.positions import of
from projections.scoring import outcome, score_hand
from projections.table import Table, empty
from projections.textaudit.hand_facts import HandFacts, counted, possible
from projections.textaudit.partial_plays import exchange_faults, faults, stock_faults
from projections.textrecord.cards import held_of, stock_of
from projections.textrecord.game import TextGame, TextHand

NAME: Final = "text"
"""What a text record's game is called where a game's id would stand."""


class TextFinding(msgspec.Struct, frozen=True):
    """Something wrong in a text record: a stable code, the position, the number of the line, a sentence."""

    code: Code
    position: str
    line: int
    message: str


class PlayedText(msgspec.Struct, frozen=True):
    """A text record played: `events` in order, those of the versions in `hidden` only there so that the rest has a place
    (a draft that is not written down). After the first hand that has no score there are no events, but its plays and those of
    later hands are judged all the same; `hands` are the facts of every hand, `followed` the numbers of those whose plays were
    judged with both hands known, `judged` how many complete tricks of a hand were judged,
    `drafted` the numbers of those whose draft gave the hands."""

    events: tuple[Event, ...]
    hidden: frozenset[int]
    findings: tuple[TextFinding, ...]
    hands: tuple[HandFacts, ...] = ()
    followed: frozenset[int] = frozenset()
    judged: dict[int, int] = {}
    drafted: frozenset[int] = frozenset()


class _Lost(Exception):
    """The rest of the cards of a hand cannot be followed."""


def play(game: TextGame) -> PlayedText:
    """Plays it hand by hand. Never raises for what is written."""
    table = _Playing(game)
    for hand in game.hands:
        table.hand(hand)
    table.end()
    return PlayedText(
        tuple(table.events),
        frozenset(table.hidden),
        tuple(table.findings),
        tuple(table.hands),
        frozenset(table.followed),
        table.tricks_judged,
        frozenset(table.drafted),
    )


class _Playing:
    """The table, the events that led to it and what was found."""

    def __init__(self, game: TextGame) -> None:
        self.game = game
        self.table: Table = empty(NAME)
        self.events: list[Event] = []
        self.hidden: set[int] = set()
        self.findings: list[TextFinding] = []
        self.judged = Judged()
        self.line = 1
        self.over = ""
        self.hands: list[HandFacts] = []
        self.followed: set[int] = set()
        self.tricks_judged: dict[int, int] = {}
        self.drafted: set[int] = set()
        self.recorded = True
        self.add(GameCreated(game.rules.data(), game.first, "", ServerKey("", "")))
        alone = game.end is not None and game.end.reason == "abandoned"
        for seat in SEATS:
            if seat in game.names or not alone:
                self.add(PlayerJoined(seat, game.names.get(seat, seat.capitalize())))

    def add(self, data: Data, secret: Data | None = None, owner: Owner | None = None, *, shown: bool = True) -> None:
        """Lets an event happen. Raises `_Lost` where it cannot."""
        event = Event(self.table.open.version + 1, 0, data, secret, owner)
        try:
            self.table = apply(self.table, event)
        except Impossible as error:
            self.find(Code.IMPOSSIBLE, of(self.table.open, event), str(error))
            raise _Lost from None
        if not self.recorded:  # only judged: a hand before has no score
            return
        self.events.append(event)
        if not shown:
            self.hidden.add(event.seq)

    def find(self, code: Code, position: str, message: str) -> None:
        self.findings.append(TextFinding(code, position, self.line, message))

    # A hand -----------------------------------------------------------------------------------------------------------

    def hand(self, hand: TextHand) -> None:
        """One hand, as deep as it is given, and its score."""
        self.line = hand.lines["hand"]
        if self.hands and not self.hands[-1].scored:
            self.recorded = False
        if self.over:
            self.find(Code.GAME_NOT_ENDED, str(hand.number), f"hand {hand.number} follows, but {self.over}")
        elif hand.number > (most := self.game.rules.max_hands):  # whatever the scores were
            text = f"hand {hand.number} follows, but the game was over after {most} hand{'s' if most > 1 else ''} (rules §8.6)"
            self.find(Code.GAME_NOT_ENDED, str(hand.number), text)
        first = self.game.first if hand.number % 2 else other(self.game.first)
        self.judged = Judged()
        undrafted = hand.depth == "whole" and hand.plays != () and not hand.draft
        known = self._cards_good(hand) and not undrafted  # a stock alone gives no hands
        before = len(self.findings)
        self.add(HandStarted(hand.number, first), Stock(stock_of(hand, first)) if known else None, "house")
        try:
            if known and hand.depth == "whole":
                self._drafted(hand)
            elif hand.depth in ("whole", "play"):
                self._drafted_unseen(hand)
            self._bid(hand)
            self._deal_unseen(hand, other(first))
            if known:
                self._held_as_drafted(hand)
                self.followed.add(hand.number)
                self._cards(hand)
            elif hand.plays:
                self._partial(hand, other(first))
        except _Lost:
            known = False
        facts = self._facts(hand, known=known and len(self.findings) == before)
        self.hands.append(facts)
        if self.recorded and facts.scored:
            self._score(hand, facts)

    def _partial(self, hand: TextHand, second: Seat) -> None:
        """The plays of a hand whose cards are not all known."""
        self.line = hand.lines.get("plays", self.line)
        self.tricks_judged[hand.number] = counted(hand)[1]
        for fault in faults(hand, second):
            self.find(fault.code, fault.position, fault.message)
            if fault.code == Code.NOT_THEIR_TURN:  # the rest is not judged
                self.tricks_judged[hand.number] = int(fault.position.split(".")[1]) - 1

    def _deal_unseen(self, hand: TextHand, second: Seat) -> None:
        """Exchanges, and cards of a stock, beside a draft that is not known."""
        if hand.stock and len(hand.draft) == 26:
            return
        most = self.game.rules.exchange_max
        found = [*exchange_faults(hand, second, most)]
        if hand.stock and not hand.draft and deck_problem(hand.stock) is None:
            found += stock_faults(hand, second, most)
        for word, fault in found:
            self.line = hand.lines[word]
            self.find(fault.code, fault.position, fault.message)

    def _held_as_drafted(self, hand: TextHand) -> None:
        """A `held` line beside stock and draft must say what the draft gave."""
        if hand.depth != "whole" or len(hand.draft) < 26:
            return
        self.drafted.add(hand.number)
        for seat, held in hand.held.items():
            own = self.table.own(seat)
            exchanged = any(exchange.seat == seat for exchange in hand.exchanges)
            if not own.known or (hand.bid(seat) == "double_nil" and self.game.rules.exchange_max and not exchanged):
                continue  # an exchange that nobody wrote down may explain the difference
            self.line = hand.lines[f"held {seat}"]
            wrong = next((card for card in held if card not in own.hand), None)
            if wrong is not None:
                text = f"held {seat} has {wrong}, but stock and draft give {seat} {' '.join(own.hand)}"
                self.find(Code.WRONG_HELD, str(hand.number), text)

    def _cards_good(self, hand: TextHand) -> bool:
        """Whether the cards given are those of one deck, so that the plays can be followed."""
        if hand.depth not in ("whole", "play"):
            return False
        written = [card for held in hand.held.values() for card in held]
        if twice := next((card for card in written if written.count(card) > 1), None):
            self.line = max(line for word, line in hand.lines.items() if word.startswith("held"))
            self.find(Code.BAD_DECK, str(hand.number), f"{twice} is held twice in hand {hand.number}")
            return False
        if hand.depth == "whole":
            self.line = hand.lines["stock"]
            if problem := deck_problem(hand.stock):
                self.find(Code.BAD_DECK, str(hand.number), problem)
                return False
            return True
        cards = [card for held in held_of(hand).values() for card in held]
        self.line = next((line for word, line in hand.lines.items() if word.startswith("held")), hand.lines["hand"])
        twice = next((card for card in cards if cards.count(card) > 1), None)
        if twice is not None:
            self.find(Code.BAD_DECK, str(hand.number), f"{twice} is played twice in hand {hand.number}")
        return twice is None and len(cards) == 26

    def _judge(self, judge: object, data: Data, secret: Data | None = None, owner: Owner | None = None) -> None:
        """Lets an event happen that is looked at first. Raises `_Lost`."""
        event = Event(self.table.open.version + 1, 0, data, secret, owner)
        place = of(self.table.open, event)
        try:
            for code, message in judge(self.table, self.judged, event):  # type: ignore[operator]
                self.find(code, place, message)
        except Stop as stop:
            self.find(stop.problem[0], place, stop.problem[1])
            raise _Lost from None
        self.add(data, secret, owner)

    def _drafted(self, hand: TextHand) -> None:
        """Draft and exchange as they are written."""
        o = self.table.open
        order = (o.hand_first, o.hand_second)
        for turn in range(min(len(hand.draft) + 1, 26)):
            seat = order[turn % 2]
            if turn < 2 and (hand.bid(seat) == "double_nil"):
                self.line = hand.lines.get(f"double_nil {seat}", hand.lines.get("bids", self.line))
                self.add(DoubleNilBid(hand.number, seat))
            elif turn < min(2, len(hand.draft)):
                self.add(Looked(hand.number, seat))
            if turn < len(hand.draft):
                kept = hand.draft[turn] == "K"
                top, under = hand.stock[2 * turn], hand.stock[2 * turn + 1]
                choice: Literal["first", "second"] = "first" if kept else "second"
                self.add(CardKept(hand.number, seat, choice), OneCard(top if kept else under), seat)
                owner = discard_owner(o.rules, seat, choice)
                self.add(CardDiscarded(hand.number, seat), OneCard(under if kept else top), owner)
        if len(hand.draft) < 26:
            if hand.plays:
                self.line = hand.lines.get("draft", hand.lines["hand"])
                text = f"the draft has {len(hand.draft)} of 26 turns, but cards were played"
                self.find(Code.WRONG_COUNT, str(hand.number), text)
                raise _Lost
            return
        numbers = any(bid != "double_nil" for bid in hand.bids.values())
        exchanged = numbers or bool(hand.plays) or hand.tricks is not None  # each of them comes after the exchange
        given = {exchange.seat: exchange for exchange in hand.exchanges}
        for seat in (order[1], order[0]):
            exchange = given.pop(seat, None)
            if exchange is not None:
                self.line = hand.lines[f"exchange {seat}"]
                data = CardsExchanged(hand.number, seat, len(exchange.thrown))
                self._judge(dealt.exchanged, data, Exchanged(exchange.thrown, exchange.drawn), seat)
            elif self.table.open.phase == "exchange" and self.table.open.turn == seat and exchanged:
                self.add(CardsExchanged(hand.number, seat, 0), Exchanged((), ()), seat, shown=False)

    def _drafted_unseen(self, hand: TextHand) -> None:
        """A draft that is not written down: it gives the hands held, or hands that are not known."""
        o = self.table.open
        stock = self.table.house.stock
        for turn in range(26):
            seat = o.hand_first if turn % 2 == 0 else o.hand_second
            if turn < 2:
                double = hand.bid(seat) == "double_nil"
                self.add((DoubleNilBid if double else Looked)(hand.number, seat), shown=double)
            kept, thrown = (None, None) if stock is None else (OneCard(stock[2 * turn]), OneCard(stock[2 * turn + 1]))
            self.add(CardKept(hand.number, seat, "first"), kept, seat if kept else None, shown=False)
            self.add(CardDiscarded(hand.number, seat), thrown, "house" if thrown else None, shown=False)
        while self.table.open.phase == "exchange" and self.table.open.turn is not None:
            seat = self.table.open.turn
            self.add(CardsExchanged(hand.number, seat, 0), Exchanged((), ()), seat, shown=False)

    def _bid(self, hand: TextHand) -> None:
        o = self.table.open
        self.line = hand.lines.get("bids", hand.lines["hand"])
        for seat in SEATS:
            if seat in hand.double_nils and hand.bids.get(seat, "double_nil") != "double_nil":
                text = f"{seat} bid double nil before the first card, so {hand.bids[seat]} is no bid (rules §3.1)"
                self.find(Code.WRONG_BID, str(hand.number), text)
        if hand.plays and any(hand.bid(seat) is None for seat in SEATS):
            self.recorded = False  # the plays are judged as if both had bid
        for seat in (o.hand_second, o.hand_first):
            wanted = hand.bid(seat) if self.recorded or hand.bid(seat) is not None or not hand.plays else 1
            if wanted == "double_nil" and self.table.open.player(seat).bid is None:
                self.add(DoubleNilBid(hand.number, seat))
            elif isinstance(wanted, int) and self.table.open.phase in ("draft", "bidding"):
                self.add(BidPlaced(hand.number, seat, wanted))

    def _cards(self, hand: TextHand) -> None:
        """The tricks as they are written, each card judged before it is played."""
        self.line = hand.lines.get("plays", self.line)
        for number, trick in enumerate(hand.plays, 1):
            o = self.table.open
            if o.phase != "play":
                self.find(Code.WRONG_PHASE, f"{hand.number}", f"cards are played in hand {hand.number}, but a bid is missing")
                raise _Lost
            if o.turn != trick.leader:
                why = "is the second player" if number == 1 else f"took trick {number - 1}"
                text = f"{trick.leader} leads trick {number}, but {o.turn} {why} (rules §6.1)"
                self.find(Code.NOT_THEIR_TURN, f"{hand.number}.{number}.1", text)
                raise _Lost
            for seat, card in ((trick.leader, trick.led), (other(trick.leader), trick.follow)):
                if card is not None:
                    data = CardPlayed(hand.number, seat, number, card)
                    self._judge(played.played, data)
                    self.judged.plays.append(data)
            if trick.follow is not None:
                self.tricks_judged[hand.number] = number

    # Its score --------------------------------------------------------------------------------------------------------

    def _score(self, hand: TextHand, facts: HandFacts) -> None:
        lines = {seat: self._line(seat, facts.bids[seat], next(iter(facts.taken(seat)))) for seat in SEATS}
        self.add(HandScored(hand.number, lines["north"], lines["south"]))
        o = self.table.open
        over = outcome(o.rules, o.hand, o.north.total, o.south.total)
        if over is not None and not self.over:
            self.over = f"the game was over after hand {hand.number} with north {o.north.total}, south {o.south.total}"

    def _line(self, seat: Seat, bid: Bid, tricks: int) -> Line:
        player = self.table.open.player(seat)
        return score_hand(self.table.open.rules, player.total, player.bags, bid, tricks)

    def _facts(self, hand: TextHand, *, known: bool) -> HandFacts:
        """Bids and tricks as far as they are given; `known` says that the cards both seats still hold are known."""
        left = {seat: self.table.own(seat).hand for seat in SEATS}
        last = hand.number == self.game.hands[-1].number
        stopped = last and self.game.end is not None
        tricks = possible(hand, left if known and not stopped else None)
        (north, proved), claimed, contradicted = counted(hand), False, False
        if stopped and hand.tricks is not None and _stopped_at(hand.tricks, north, proved):
            claimed = proved < sum(hand.tricks.values())
        elif hand.tricks is not None:
            self.line = hand.lines["tricks"]
            contradiction = self._contradiction(hand, tricks)
            contradicted = contradiction != ""
            if contradicted:
                self.find(Code.WRONG_TRICKS, f"{hand.number}.s", contradiction)
            else:
                claimed = len(tricks) > 1
                tricks = frozenset((hand.tricks["north"],))
        bids = {seat: bid for seat in SEATS if (bid := hand.bid(seat)) is not None}
        return HandFacts(
            hand.number, bids, tricks, proved, claimed, hand.lines["hand"], bool(hand.score), last, stopped, contradicted
        )

    def _contradiction(self, hand: TextHand, tricks: frozenset[int]) -> str:
        """Why the counts of a `tricks` line are impossible, empty where they are possible."""
        assert hand.tricks is not None
        north, south = (hand.tricks[seat] for seat in SEATS)
        written = f"tricks are written as north {north}, south {south}"
        took, full = counted(hand)
        if north + south != HAND_TRICKS and full < HAND_TRICKS:
            text = f"{north} and {south} tricks are {north + south}: a hand has 13"
            return f"{text}; a trick of hand {hand.number} may be missing from the sheet" if north + south == 12 else text
        if north in tricks and north + south == HAND_TRICKS:
            return ""
        if len(tricks) == 1:
            right = next(iter(tricks))
            return f"{written}; the plays make it {right} and {HAND_TRICKS - right}"
        taken = f"after {full} tricks on record north has {took} and south {full - took}"
        return f"{written}; {taken}, so north can end with {min(tricks)} to {max(tricks)} only"

    # The end ----------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """How the game ended, by its score or by an ``end`` line."""
        o, end = self.table.open, self.game.end
        totals = Totals(o.north.total, o.south.total)
        over = outcome(o.rules, o.hand, totals.north, totals.south) if o.due == "verdict" and self.recorded else None
        if end is not None:
            self.line = end.line
            if over is not None:
                self.find(Code.WRONG_END, f"v{o.version}", f"the game is said to have ended by {end.reason}, but {self.over}")
            elif self.hands and self.hands[-1].scored and len(self.hands) >= self.game.rules.max_hands:  # with totals not known
                text = (
                    f"the game is said to have ended by {end.reason}, but it was over after hand {len(self.hands)} (rules §8.6)"
                )
                self.find(Code.WRONG_END, f"v{o.version}", text)
            else:
                winner = None if end.by is None else other(end.by)
                self.add(GameEnded(end.reason, totals, "", winner, end.by))
                return
        if over is not None:
            self.add(GameEnded(over.reason, totals, "", over.winner))


def _stopped_at(tricks: dict[Seat, int], north: int, proved: int) -> bool:
    """Whether counts below 13 can be those of a hand that stopped, with north's and all tricks on record."""
    return sum(tricks.values()) < HAND_TRICKS and tricks["north"] >= north and tricks["south"] >= proved - north
