"""Damages of a game's log in a real store, each with the one finding that names it, wherever it is audited."""

import secrets
from collections.abc import Callable
from typing import Any

import msgspec

from events import keys
from events.canonical import decode, encode
from events.redis_store import RedisStore
from events.ruleset import STANDARD
from projections.audit.codes import Code
from service.games import moves
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer

Entry = tuple[bytes, dict[bytes, bytes]]
FIRST, LAST = 6, 7
"""The events of the commit that is damaged: the card kept and the card thrown in the first turn."""


def played(games: Games, *, resign: bool = True) -> tuple[str, str]:
    """A game of some moves, ended by a resignation or not, and north's token."""
    made = games.create(MoveRequest(secrets.token_bytes(16), {}), lambda: NewGame("Ann", STANDARD, "north"))
    game: str = made.game
    games.join(game, MoveRequest(secrets.token_bytes(16), {}), lambda: NewPlayer("Bo", made.invite))
    for seat, move in (("north", moves.Look), ("north", moves.Keep), ("south", moves.Look), ("south", moves.Keep)):
        games.move(game, seat, MoveRequest(secrets.token_bytes(16), {}), move)  # type: ignore[arg-type]
    if resign:
        games.move(game, "north", MoveRequest(secrets.token_bytes(16), {}), moves.Resign)
    return game, made.token


class Damage(msgspec.Struct, frozen=True):
    """What is done to the entries of a log, and the code and position that every audit gives it."""

    name: str
    code: Code
    version: int
    change: Callable[[list[Entry]], list[Entry]]

    @property
    def position(self) -> str:
        return f"v{self.version}"

    def do(self, store: RedisStore, game: str) -> None:
        """Writes the log again with the damage in it."""
        name = keys.stream(game)
        entries = [(identifier, dict(values)) for identifier, values in store.client.xrange(name)]
        store.client.delete(name)
        for identifier, values in self.change(entries):
            store.client.xadd(name, values, id=identifier)


class AnotherType(Damage, frozen=True):
    """The key of the log holds something that is no stream."""

    def do(self, store: RedisStore, game: str) -> None:
        store.client.delete(keys.stream(game))
        store.client.set(keys.stream(game), "somebody else's")


class Deleted(Damage, frozen=True):
    """The entries from a version on were deleted; what is left can be read, and looks like a game that goes on."""

    def do(self, store: RedisStore, game: str) -> None:
        for identifier, _ in store.client.xrange(keys.stream(game), f"{self.version}-0"):
            store.client.xdel(keys.stream(game), identifier)


def _at(change: Callable[[dict[bytes, bytes]], object], version: int = LAST) -> Callable[[list[Entry]], list[Entry]]:
    """Changes the fields of the entry that ends at a version."""

    def changed(entries: list[Entry]) -> list[Entry]:
        for identifier, values in entries:
            if identifier == b"%d-0" % version:
                change(values)
        return entries

    return changed


def _set(name: bytes, value: bytes) -> Callable[[list[Entry]], list[Entry]]:
    return _at(lambda values: values.update({name: value}))


def _drop(name: bytes) -> Callable[[list[Entry]], list[Entry]]:
    return _at(lambda values: values.pop(name))


def _json(name: bytes, **changes: Any) -> Callable[[list[Entry]], list[Entry]]:
    return _at(lambda values: values.update({name: encode({**decode(values[name]), **changes})}))


def _of_another(values: dict[bytes, bytes]) -> None:
    values.clear()
    values[b"x"] = b"y"


def _renamed(identifier: bytes) -> Callable[[list[Entry]], list[Entry]]:
    return lambda entries: [(identifier if name == b"7-0" else name, values) for name, values in entries]


def _far_away(values: dict[bytes, bytes]) -> None:
    values[b"11"] = encode({**decode(values[b"11"]), "at": 2**53 - 1})


EVENT, SEALED = b"6", b"6s"
DAMAGES: tuple[Damage, ...] = (
    Damage("bytes that are not canonical", Code.NOT_CANONICAL, FIRST, _at(lambda v: v.update({EVENT: b" " + v[EVENT]}))),
    Damage("bytes that are cut", Code.NOT_CANONICAL, FIRST, _at(lambda v: v.update({EVENT: v[EVENT][:-9]}))),
    Damage("bytes that are not UTF-8", Code.NOT_CANONICAL, FIRST, _set(EVENT, b'{"at":"\xff"}')),
    Damage("an event that is empty", Code.NOT_CANONICAL, FIRST, _set(EVENT, b"")),
    Damage("brackets without end", Code.NOT_CANONICAL, FIRST, _set(EVENT, b"[" * 100_000)),
    Damage("a number for an event", Code.NOT_AN_EVENT, FIRST, _set(EVENT, b"1")),
    Damage("an unknown type", Code.NOT_AN_EVENT, FIRST, _json(EVENT, type="card_eaten")),
    Damage("an unknown version", Code.NOT_AN_EVENT, FIRST, _json(EVENT, v=9)),
    Damage("an event without its data", Code.NOT_AN_EVENT, FIRST, _json(EVENT, data={})),
    Damage("another number in the event", Code.EVENT_MISSING, FIRST, _json(EVENT, seq=60)),
    Damage("the number of an event before", Code.EVENT_RENUMBERED, FIRST, _json(EVENT, seq=3)),
    Damage("a time that goes back", Code.TIME_WENT_BACK, FIRST, _json(EVENT, at=1)),
    Damage("a sealed part that is no JSON", Code.NOT_CANONICAL, FIRST, _set(SEALED, b"nonsense")),
    Damage("a sealed part of another shape", Code.NOT_AN_EVENT, FIRST, _set(SEALED, b"{}")),
    Damage("another salt in a sealed part", Code.SEAL_MISMATCH, FIRST, _json(SEALED, salt="0" * 32)),
    Damage("no sealed part", Code.SEALED_MISSING, FIRST, _drop(SEALED)),
    Damage("another head", Code.HEAD_MISMATCH, LAST, _set(b"head", b"\0" * 32)),
    Damage("a head of another length", Code.HEAD_MISMATCH, LAST, _set(b"head", b"head")),
    Damage("an event that was edited", Code.HEAD_MISMATCH, LAST, _json(b"7", at=1_900_000_000_000)),
    Damage("a time in no calendar", Code.HEAD_MISMATCH, LAST, _json(b"7", at=2**53 - 1)),
    Damage("a time in no calendar at the end", Code.HEAD_MISMATCH, 11, _at(_far_away, 11)),
    Damage("a receipt that cannot be read", Code.BAD_RECEIPT, LAST, _set(b"receipt", b'{"at":')),
    Damage("a receipt of another shape", Code.BAD_RECEIPT, LAST, _set(b"receipt", b"{}")),
    Damage("no head", Code.NOT_AN_ENTRY, FIRST, _drop(b"head")),
    Damage("no receipt", Code.NOT_AN_ENTRY, FIRST, _drop(b"receipt")),
    Damage("no request", Code.NOT_AN_ENTRY, FIRST, _drop(b"by")),
    Damage("a request that cannot be read", Code.NOT_AN_ENTRY, FIRST, _set(b"by", b"\xff")),
    Damage("a request of another shape", Code.NOT_AN_ENTRY, FIRST, _set(b"by", b'{"key":1}')),
    Damage("a field that is no event", Code.NOT_AN_ENTRY, FIRST, _set(b"note", b"x")),
    Damage("a sealed part too many", Code.NOT_AN_ENTRY, FIRST, _set(b"9s", b"x")),
    Damage("an event too many", Code.NOT_AN_ENTRY, FIRST, _set(b"8", b"x")),
    Damage("an event too few", Code.NOT_AN_ENTRY, FIRST, _drop(b"7")),
    Damage("an entry of somebody else", Code.NOT_AN_ENTRY, FIRST, _at(_of_another)),
    Damage("an entry under another id", Code.NOT_AN_ENTRY, FIRST, _renamed(b"7-1")),
    Damage("an entry that is gone", Code.EVENT_MISSING, FIRST, lambda entries: [e for e in entries if e[0] != b"7-0"]),
    Damage("no first entry", Code.EVENT_MISSING, 1, lambda entries: entries[1:]),
    Damage("a first entry of somebody else", Code.NOT_AN_ENTRY, 1, _at(_of_another, 2)),
    Damage("a last entry of somebody else", Code.NOT_AN_ENTRY, 11, _at(_of_another, 11)),
    Deleted("no last entry", Code.EVENTS_CUT, 11, list),
    AnotherType("a key of another type", Code.NOT_AN_ENTRY, 1, list),
)
