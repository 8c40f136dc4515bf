"""One damaged game for each finding code: a log, a record with what a player kept, or a text record.

tests/audit/test_codes.py fails for a code that has none.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from events import player_evidence
from events.canonical import decode, encode
from events.cards import DECK, Card, other
from events.log import Stored
from events.record import Record
from events.types import (
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Event,
    GameEnded,
    HandScored,
    HandStarted,
    Looked,
    LossAccepted,
    Names,
    OneCard,
    PlayerJoined,
    ScoreCorrected,
    Totals,
)
from projections.audit import Source, from_commits, from_record
from projections.audit.codes import Code
from projections.verify import Verification, verify
from service.games import moves
from service.games.exporting import record_for
from tests.kit.disputes import miscounted, opened, settled
from tests.kit.entropy import Scripted
from tests.kit.forged import Groups, edited, groups_of, is_a, place_of
from tests.kit.games import BYTES, Game
from tests.kit.given import bid, given, hands, keep_all
from tests.kit.logs import GAME, OTHER_SIGNER, SIGNER, chained
from tests.kit.random_games import random_game

PLAYED = random_game(11, {"max_hands": 1}, contributions=["north", "south"])
RECORD, GROUPS, LOG = PLAYED.record(), groups_of(PLAYED), PLAYED.log()
TWO_HANDS = groups_of(hands((5, 5, 6), (5, 5, 6), rules={"max_hands": 2}))
AT = 40
"""An event in the middle of the record."""


def _exchange() -> Game:
    game = Game(entropy=Scripted(3)).join()
    keep_all(game, ["north"])
    game.play("north", moves.Exchange(game.table.north.hand[:2]))
    bid(game, {"south": 3})
    game.play("south", moves.Resign())
    return game


SWAP = groups_of(_exchange())
X = place_of(SWAP, is_a(CardsExchanged))
EXCHANGED: Any = SWAP[X[0]][X[1]].secret


def _disputed() -> Groups:
    game = miscounted((5, 5, 6), (3, 4, 7), rules={"max_hands": 2})
    points = game.table.open.scores[0].south.points - 100
    opened(game, "north")
    settled(game, 1, "upheld", corrections={(1, "south"): points})
    return groups_of(game)


DISPUTED = _disputed()


# How a log is damaged -------------------------------------------------------------------------------------------------


def _log(groups: Groups) -> Source:
    """A log that the service itself wrote so: numbers, seals, chain and receipts are in order."""
    return from_commits(GAME, chained(groups))


def _edit(groups: Groups, kind: type[Any], nth: int = 0, *, of: dict[str, Any] | None = None, **changes: Any) -> Source:
    return _log(edited(groups, place_of(groups, is_a(kind, **(of or {})), nth), **changes))


def _events(change: Callable[[list[Stored]], object], **header: Any) -> Source:
    """The record with its list of events changed, and its header."""
    events = list(RECORD.events)
    change(events)
    return _record(events=tuple(events), header=msgspec.structs.replace(RECORD.header, **header))


def _record(**changes: Any) -> Source:
    return from_record(msgspec.structs.replace(RECORD, **changes))


def _public(event: Stored, **changes: Any) -> Stored:
    return Stored(encode({**decode(event.public), **changes}), event.sealed)


def _rules(groups: Groups, **changes: Any) -> Source:
    rules = {**groups[0][0].data.rules, **changes}  # type: ignore[attr-defined]
    return _log(edited(groups, (0, 0), data={"rules": rules}))


def _played(north: str, south: str, played: Sequence[str], wrong: tuple[str, str]) -> Source:
    """A hand in which one card was played in the place of another."""
    game = given(north, south, bids={"north": 3, "south": 3})
    game.card(*played)
    return _edit(groups_of(game), CardPlayed, of={"card": wrong[0]}, data={"card": Card(wrong[1])})


def _strange_card() -> Source:
    place = place_of(GROUPS, is_a(CardKept), 4)
    held: Any = GROUPS[place[0]][place[1]].secret
    return _log(edited(GROUPS, place, secret=OneCard(next(card for card in DECK if card != held.card))))


def _double_card() -> Source:
    place = place_of(GROUPS, is_a(HandStarted))
    secret: Any = GROUPS[place[0]][place[1]].secret
    stock = (*secret.stock[:9], secret.stock[5], *secret.stock[10:])
    return _log(edited(GROUPS, place, secret=msgspec.structs.replace(secret, stock=stock)))


class _Cheat(Scripted):
    """A service that deals another stock than its root gives."""

    def stock(self, table: Any, hand: int) -> tuple[Card, ...]:
        return super().stock(table, hand)[::-1]


def _other_draw() -> Source:
    game = Game(entropy=Scripted(3)).join()
    keep_all(game, ["north"])
    right = Scripted(3).exchange(game.table, "north", 1)
    game.entropy.draws = [(next(card for card in game.table.house.pile or () if card not in right),)]
    game.play("north", moves.Exchange(game.table.north.hand[:1]), moves.Resign())
    return _log(groups_of(game))


def _drawn(cards: tuple[Card, ...]) -> Source:
    """The exchange with other cards drawn."""
    return _edit(SWAP, CardsExchanged, secret=msgspec.structs.replace(EXCHANGED, drawn=cards))


def _again(groups: Groups, kind: type[Any]) -> Source:
    """The log in which the first commit with such an event comes twice."""
    c, e = place_of(groups, is_a(kind))
    return _log([*groups[: c + 1], [groups[c][e]], *groups[c + 1 :]])


def _split() -> Source:
    c, e = place_of(TWO_HANDS, is_a(CardDiscarded), 4)
    return _log([*TWO_HANDS[:c], TWO_HANDS[c][:e], TWO_HANDS[c][e:], *TWO_HANDS[c + 1 :]])


def _joined() -> Source:
    c, _ = place_of(TWO_HANDS, is_a(BidPlaced))
    return _log([*TWO_HANDS[:c], TWO_HANDS[c] + TWO_HANDS[c + 1], *TWO_HANDS[c + 2 :]])


def _score() -> Source:
    place = place_of(TWO_HANDS, is_a(HandScored))
    data: Any = TWO_HANDS[place[0]][place[1]].data
    return _log(edited(TWO_HANDS, place, data={"north": msgspec.structs.replace(data.north, points=1)}))


def _winner() -> Source:
    winner = getattr(TWO_HANDS[-1][-1].data, "winner", None)
    return _edit(TWO_HANDS, GameEnded, data={"winner": other(winner) if winner else "north"})


def _cut() -> Source:
    c, e = place_of(TWO_HANDS, is_a(HandScored))
    return _log([*TWO_HANDS[:c], TWO_HANDS[c][:e]])


def _first(groups: Groups) -> Source:
    return _edit(groups, HandStarted, data={"first": "south"})


def _unrequested() -> Source:
    return from_commits(GAME, [*LOG[:2], msgspec.structs.replace(LOG[2], by=b"x"), *LOG[3:]])


def _after_end() -> Source:
    return _log([*TWO_HANDS, [Event(1, TWO_HANDS[-1][-1].at, Looked(3, "north"))]])


def _salted(events: list[Stored]) -> None:
    at = next(i for i, event in enumerate(events) if event.sealed is not None)
    events[at] = Stored(events[at].public, encode({**decode(events[at].sealed or b""), "salt": "0" * 32}))


def _receipt(**changes: Any) -> bytes:
    return encode({**decode(RECORD.receipt or b""), **changes})


def _swap(events: list[Stored]) -> None:
    events[AT - 1], events[AT] = events[AT], events[AT - 1]


LOGS: dict[Code, Callable[[], Source]] = {
    Code.NOT_AN_ENTRY: _unrequested,
    Code.NOT_CANONICAL: lambda: _events(lambda events: events.__setitem__(AT, Stored(b" {}"))),
    Code.NOT_AN_EVENT: lambda: _events(lambda events: events.__setitem__(AT, _public(events[AT], type="card_eaten"))),
    Code.EVENT_MISSING: lambda: _events(lambda events: events.pop(AT)),
    Code.EVENT_DOUBLED: lambda: _events(lambda events: events.insert(AT, events[AT])),
    Code.EVENT_RENUMBERED: lambda: _events(lambda events: events.insert(AT, _public(events[AT], at=9, seq=AT))),
    Code.EVENTS_SWAPPED: lambda: _events(_swap),
    Code.EVENTS_CUT: lambda: _events(lambda events: None, events=len(RECORD.events) + 1),
    Code.EVENTS_ADDED: lambda: _events(lambda events: None, events=len(RECORD.events) - 1),
    Code.TIME_WENT_BACK: lambda: _edit(GROUPS, CardPlayed, 5, at=1),
    Code.HEAD_MISMATCH: lambda: _events(lambda events: None, head="0" * 64),
    Code.BAD_SERVER_KEY: lambda: _log(
        edited(GROUPS, (0, 0), data={"server_key": msgspec.structs.replace(SIGNER.key, id="0" * 64)})
    ),
    Code.SERVER_KEY_MISMATCH: lambda: _events(lambda events: None, server_key=OTHER_SIGNER.key),
    Code.BAD_RECEIPT: lambda: _record(receipt=b"{}"),
    Code.BAD_SIGNATURE: lambda: from_commits(GAME, chained(GROUPS, OTHER_SIGNER)),
    Code.RECEIPT_MISMATCH: lambda: _record(receipt=_receipt(seq=1)),
    Code.WRONG_SEAT: lambda: _edit(TWO_HANDS, PlayerJoined, 1, data={"seat": "north"}),
    Code.CONTRIBUTION_MISMATCH: lambda: _edit(GROUPS, ContributionRevealed, data={"bytes": "0" * 64}),
    Code.ROOT_MISMATCH: lambda: _edit(GROUPS, GameEnded, data={"root": "0" * 64}),
    Code.BAD_DECK: _double_card,
    Code.DECK_NOT_DERIVED: lambda: _log(groups_of(random_game(21, {"max_hands": 1}, entropy=_Cheat(21)))),
    Code.EXCHANGE_NOT_DERIVED: _other_draw,
    Code.SEAL_MISMATCH: lambda: _events(_salted),
    Code.SALT_REPEATED: lambda: _edit(GROUPS, HandStarted, salt=GROUPS[0][0].salt),
    Code.SEALED_MISSING: lambda: _events(lambda events: events.__setitem__(0, Stored(events[0].public))),
    Code.WRONG_OWNER: lambda: _edit(GROUPS, HandStarted, owner="north"),
    Code.IMPOSSIBLE: lambda: _rules(TWO_HANDS, jokers=2),
    Code.WRONG_EVENT: lambda: _again(TWO_HANDS, HandStarted),
    Code.COMMIT_CUT: _cut,
    Code.COMMIT_SPLIT: _split,
    Code.COMMITS_JOINED: _joined,
    Code.WRONG_NAME: lambda: _log(edited(TWO_HANDS, (0, 0), data={"names": Names("Ann", "Eve")})),
    Code.WRONG_HAND: lambda: _edit(TWO_HANDS, CardPlayed, data={"hand": 2}),
    Code.WRONG_FIRST_PLAYER: lambda: _first(TWO_HANDS),
    Code.GAME_NOT_ENDED: lambda: _rules(TWO_HANDS, max_hands=1),
    Code.NOT_THEIR_TURN: lambda: _edit(TWO_HANDS, BidPlaced, data={"seat": "north"}),
    Code.WRONG_PHASE: lambda: _again(TWO_HANDS, Looked),
    Code.CARD_TWICE: lambda: _drawn(EXCHANGED.drawn[:1] * 2),
    Code.CARD_NOT_FROM_STOCK: _strange_card,
    Code.CARD_NOT_HELD: lambda: _played("4H", "KH", ("KH", "4H"), ("4H", "AS")),
    Code.CARD_NOT_IN_PILE: lambda: _drawn(EXCHANGED.discarded),
    Code.TOO_MANY_CARDS: lambda: _rules(SWAP, exchange_max=1),
    Code.WRONG_COUNT: lambda: _edit(SWAP, CardsExchanged, data={"count": 1}),
    Code.WRONG_TRICK: lambda: _edit(TWO_HANDS, CardPlayed, of={"trick": 5}, data={"trick": 6}),
    Code.REVOKE: lambda: _played("4H 2S", "KH", ("KH", "4H"), ("4H", "2S")),
    Code.SPADES_NOT_BROKEN: lambda: _played("4H", "KH 2S", ("KH",), ("KH", "2S")),
    Code.WRONG_SCORE: _score,
    Code.SCORE_MENDED: lambda: _log(DISPUTED),
    Code.LOSS_ACCEPTED: lambda: _log(
        [*TWO_HANDS, [Event(1, TWO_HANDS[-1][-1].at, LossAccepted(999, "a" * 64, "The disk died"))]]
    ),
    Code.WRONG_TOTALS: lambda: _edit(TWO_HANDS, GameEnded, data={"totals": Totals(1, 2)}),
    Code.WRONG_END: lambda: _edit(TWO_HANDS, GameEnded, data={"reason": "target"}),
    Code.WRONG_WINNER: _winner,
    Code.WRONG_DISPUTE: lambda: _log([*DISPUTED, DISPUTED[-1][:1]]),
    Code.UNFOUNDED_CORRECTION: lambda: _edit(DISPUTED, ScoreCorrected, data={"hand": 2}),
    Code.EVENT_AFTER_END: _after_end,
}
"""Found by the audit of a log: in a store, in a record, or in both."""


# What only a pinned key and a player's own file show --------------------------------------------------------------------

PIN = SIGNER.key.id
KEPT_RECEIPTS = [player_evidence.read([b'{"receipt":' + commit.receipt + b"}\n"])[0] for commit in LOG]
SHORT = record_for(GAME, LOG[:20], "south", ended=False)
FORKED = random_game(12, {"max_hands": 1}, contributions=["north", "south"])


def _verified(record: Record = RECORD, lines: Sequence[player_evidence.Line] = (), key: str | None = PIN) -> Verification:
    return verify(from_record(record), lines, key)


def _first_cards() -> Verification:
    place = place_of(GROUPS, is_a(CardKept))
    event: Any = GROUPS[place[0]][place[1]]
    version = next(number for number, stored in enumerate(RECORD.events, 1) if b'"card_kept"' in stored.public) - 1
    shown = next(card for card in DECK if card != event.secret.card)
    thrown: Any = GROUPS[place[0]][place[1] + 1]
    if event.data.choice == "second" and thrown.secret.card == shown:
        shown = next(card for card in DECK if card not in (event.secret.card, thrown.secret.card))
    return _verified(lines=[player_evidence.Drawn(shown, GAME, version)])


VERIFIED: dict[Code, Callable[[], Verification]] = {
    Code.OTHER_GAME: lambda: verify(from_record(RECORD, requested="1" * 16), server_key=PIN),
    Code.NO_KEPT_RECEIPT: lambda: _verified(lines=[msgspec.structs.replace(KEPT_RECEIPTS[3], game="1" * 16)]),
    Code.KEY_NOT_PINNED: lambda: _verified(key=None),
    Code.PINS_DIFFER: lambda: _verified(lines=[player_evidence.Pinned(GAME, OTHER_SIGNER.key.id, "north")]),
    Code.OTHER_SERVER_KEY: lambda: _verified(key=OTHER_SIGNER.key.id),
    Code.FILE_NOT_SIGNED: lambda: _verified(msgspec.structs.replace(RECORD, receipt=None)),
    Code.KEPT_RECEIPT_INVALID: lambda: _verified(
        lines=[msgspec.structs.replace(KEPT_RECEIPTS[3], signature="A" * 86)]  # type: ignore[arg-type, list-item]
    ),
    Code.CONTRADICTS_RECEIPT: lambda: _verified(
        msgspec.structs.replace(record_for(GAME, FORKED.log(), "spectator", ended=True), receipt=None), KEPT_RECEIPTS[-1:]
    ),
    Code.SERVICE_SIGNED_TWO_HISTORIES: lambda: _verified(FORKED.record(), KEPT_RECEIPTS[-1:]),
    Code.FILE_OLDER_THAN_RECEIPT: lambda: _verified(SHORT, KEPT_RECEIPTS[-1:]),
    Code.CONTRIBUTION_STRIPPED: lambda: _verified(
        random_game(11, {"max_hands": 1}).record(), [player_evidence.OwnBytes(BYTES["north"].hex(), GAME, "north")]
    ),
    Code.CONTRIBUTION_REPLACED: lambda: _verified(lines=[player_evidence.OwnBytes("0" * 64, GAME, "north")]),
    Code.DRAWN_CARD_CHANGED: _first_cards,
    Code.GAME_NOT_OVER: lambda: _verified(SHORT),
}
"""Found by `verify` alone."""


# Text records -----------------------------------------------------------------------------------------------------------

HEAD = "trickbook-text 1\nnorth Ann\nsouth Bo\nfirst north\n\n"
TWO = HEAD + "hand 1\nbids north 4 south 5\ntricks north 7\nhand 2\nbids north 3 south nil\ntricks north 9\n"
DRAFTED = f"stock {' '.join(DECK)}\ndraft {'K ' * 26}\n"
SHEETS: dict[Code, str] = {
    Code.WRONG_HELD: TWO.replace("hand 1\n", f"hand 1\n{DRAFTED}held north {' '.join(DECK[:13])}\n"),
    Code.WRONG_BID: TWO.replace("hand 1\n", "hand 1\ndouble_nil north\n"),
    Code.WRONG_TRICKS: TWO.replace("tricks north 7", "tricks north 7 south 7"),
}
"""Found in text records alone."""
