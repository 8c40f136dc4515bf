"""Records for the two verifiers: honest ones of random games in every state, and each of them with one damage.

A damage is done to the bytes of a file, or to its parts, which are then put in order again as far as its author could: a
reader of the file (seals), somebody without the key (chain), the service itself (signed), or a forger with another key.
"""

import io
import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from events import player_evidence, record, shuffle
from events.canonical import decode
from events.cards import DECK, SEATS, Seat, other
from events.hashing import H
from events.log import Commit, genesis, next_head, seal_of
from events.receipts import Receipt, Signer
from events.record import Record
from events.ruleset import OPTIONS
from events.types import (
    CardDiscarded,
    CardKept,
    ClaimedResult,
    ClaimedScore,
    DisputeNote,
    DisputeOpened,
    Event,
    GameEnded,
    GameSecrets,
    HandStarted,
    Stock,
    Totals,
)
from projections.audience import Viewer
from service.games import moves
from tests.kit.entropy import Scripted
from tests.kit.forged import groups_of
from tests.kit.games import BYTES, Game
from tests.kit.logs import GAME, OTHER_SIGNER, SIGNER, START, chained
from tests.kit.random_games import random_game

OTHER_GAME = "0k7f3x9q2m5v8w1d"
Dice = random.Random


class Case(msgspec.Struct, frozen=True):
    """What a verifier is given: a file, what the player kept, the id of the pinned key, the game that was asked for, and what
    was done to it."""

    name: str
    record: bytes
    kept: bytes | None = None
    server_key: str | None = None
    game: str | None = None


# Games ----------------------------------------------------------------------------------------------------------------


def any_rules(dice: Dice) -> dict[str, Any]:
    """Rules in which every option takes every kind of value, and games stay short."""
    wanted: dict[str, Any] = {
        "target": dice.choice((50, 60, 200, 500)),
        "nil_value": dice.choice((0, 50, 100)),
        "double_nil_value": dice.choice((0, 150, 200)),
        "bag_limit": dice.choice((0, 1, 2, 3, 10)),
        "bag_penalty": dice.choice((0, 7, 100)),
        "bag_carry": dice.choice(("remainder", "zero")),
        "failed_nil": dice.choice(("ignore", "bags", "bags_and_points")),
        "second_card": dice.choice(("hidden", "seen")),
        "exchange_max": dice.choice((0, 1, 2, 3, 3)),
        "floor": dice.choice((-50, -100, -200)),
        "turn_seconds": dice.choice((5, 60)),
    }
    rules = {name: value for name, value in wanted.items() if dice.random() < 0.5}
    return rules | {"max_hands": dice.choice((1, 1, 1, 2, 2, 3))}


def any_game(seed: int) -> Game:
    """A game out of `seed`: played out, resigned, timed out, abandoned, in the middle, or hardly begun."""
    dice = Dice(seed)
    rules, first = any_rules(dice), dice.choice(SEATS)
    brought = dice.choice(((), ("north",), ("south",), SEATS, SEATS))
    kind = dice.choice(("whole",) * 10 + ("resign", "timeout", "running", "running", "abandon", "waiting", "reveal"))
    if kind == "waiting":
        return Game(rules, first=first, entropy=Scripted(seed), contributions=brought)
    if kind == "reveal":
        return _in_the_reveal(dice, Game(rules, first=first, entropy=Scripted(seed), contributions=SEATS))
    if kind == "timeout":
        rules["turn_seconds"] = 5
    most = dice.randrange(130) if kind in ("resign", "timeout", "running") else None
    end = kind if kind in ("resign", "timeout", "abandon") else None
    return random_game(seed, rules, first=first, contributions=brought, most=most, end=end)


def _in_the_reveal(dice: Dice, game: Game) -> Game:
    game.sit_down()
    if dice.random() < 0.5:
        game.reveal("south", BYTES["south"])
    if dice.random() < 0.5:
        game.now += 1000 * (game.table.open.rules.turn_seconds or 24 * 60 * 60)
        game.play(other(game.turn), moves.ClaimTimeout())
    return game


def kept_of(game: Game, seat: Seat, dice: Dice) -> list[player_evidence.Line]:
    """What the player of `seat` kept of a game: the key, their own bytes, some receipts, the first cards they were shown."""
    lines: list[player_evidence.Line] = [player_evidence.Pinned(GAME, SIGNER.key.id, seat)]
    if seat in game.contributions:
        lines.append(player_evidence.OwnBytes(BYTES[seat].hex(), GAME, seat))
    log, often, also = game.log(), dice.choice((0.2, 0.2, 1.0)), dice.choice((0, 0.5, 1.0))
    lines += [_receipt(commit.receipt) for commit in log if commit is log[-1] or dice.random() < often]
    lines += [event for event in events_kept(log) if dice.random() < also]
    stock: tuple[Any, ...] = ()
    events = game.events
    for event, following in zip(events, [*events[1:], None], strict=True):
        if isinstance(event.data, HandStarted) and isinstance(event.secret, Stock):
            stock, turn = event.secret.stock, 0
        if isinstance(event.data, CardKept) and isinstance(following and following.data, CardDiscarded):
            if event.data.seat == seat:
                lines.append(player_evidence.Drawn(stock[turn], GAME, event.seq - 1))
            turn += 2
    return lines


def events_kept(log: Sequence[Commit], game: str = GAME) -> list[player_evidence.PublicEvent]:
    """The public events that a client keeps of a log: of each commit all but the first, and the last."""
    found, head, seq = [], genesis(game), 0
    for commit in log:
        for stored in commit.events:
            seq += 1
            if seq > commit.first or seq == commit.seq:
                found.append(player_evidence.PublicEvent(head.hex(), game, stored.public.decode(), seq))
            head = next_head(head, stored.public)
    return found


def _receipt(raw: bytes) -> Receipt:
    return msgspec.convert(decode(raw), Receipt)


def file_of(lines: Iterable[player_evidence.Line]) -> bytes:
    return b"".join(player_evidence.write(line) for line in lines)


# A record in parts ----------------------------------------------------------------------------------------------------

_any_json = msgspec.json.Encoder(order="sorted")


class Parts:
    """A record taken apart: everything in it may be changed, and it is written as it stands."""

    def __init__(self, raw: bytes) -> None:
        lines = [json.loads(line) for line in raw.splitlines()]
        self.header: dict[str, Any] = lines[0]
        self.receipt: Any = lines.pop()["receipt"] if "receipt" in lines[-1] else None
        self.events: list[dict[str, Any]] = lines[1:]

    def write(self) -> bytes:
        lines = [self.header, *self.events] + ([{"receipt": self.receipt}] if self.receipt is not None else [])
        return b"".join(_any_json.encode(line) + b"\n" for line in lines)

    def renumber(self) -> None:
        for number, event in enumerate(self.events, 1):
            event["public"]["seq"] = number

    def seal(self) -> None:
        for event in self.events:
            if "sealed" in event and "seal" in event["public"]:
                event["public"]["seal"] = seal_of(_any_json.encode(event["sealed"]))

    def chain(self) -> None:
        head = genesis(str(self.header["game"]))
        for event in self.events:
            head = next_head(head, _any_json.encode(event["public"]))
        self.header |= {"events": max(len(self.events), 1), "head": head.hex()}

    def sign(self, signer: Signer) -> None:
        if self.events:
            last = self.events[-1]["public"]
            at = last.get("at")
            head = bytes.fromhex(self.header["head"])
            self.receipt = json.loads(signer.sign(at if type(at) is int else START, GAME, head, len(self.events)))

    def where(self, *types: str, sealed: bool = False) -> list[int]:
        """The places of events of these types (all without any), with a sealed part where it is asked for."""
        wanted = [i for i, event in enumerate(self.events) if not types or event["public"].get("type") in types]
        return [i for i in wanted if not sealed or "sealed" in self.events[i]]


def _set_right(parts: Parts, dice: Dice) -> str:
    """As far as the author of a damage could: what they could."""
    able = dice.choice(("nothing", "seals", "chain", "signed", "signed", "signed", "signed", "forged"))
    if able != "nothing":
        parts.seal()
    if able in ("chain", "signed", "forged"):
        parts.chain()
    if able in ("signed", "forged"):
        parts.sign(SIGNER if able == "signed" else OTHER_SIGNER)
    return able


# Damages of the parts -------------------------------------------------------------------------------------------------

STRANGE: tuple[Any, ...] = (
    0, 1, -1, 2, 13, 14, 52, 99, 2**53 - 1, 1 - 2**53, 2**53, 1.5, None, True, False, "", "north", "south", "house", "QS",
    "2C", "1S", "double_nil", "constructor", "toString", "__proto__", "first", "second", "é" * 65, "x" * 64, "0" * 64,
    "0" * 32, [], {}, {"constructor": {"to_string": 1}}, ["QS"], [[[[[[]]]]]], "\u2028", "\ufeffAnn", "😀" * 64, "a\u0085b",
    '"\\',
)  # fmt: skip


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))


def near(dice: Dice, value: Any) -> Any:
    """Another value of the same kind."""
    if type(value) is int:
        return value + dice.choice((-10, -1, 1, 10, 1000))
    if value in SEATS:
        return other(value)
    if value in DECK:
        return dice.choice(DECK)
    if isinstance(value, str) and value:
        i = dice.randrange(len(value))
        return value[:i] + ("0" if value[i] != "0" else "1") + value[i + 1 :]
    return value


def a_value(parts: Parts, dice: Dice) -> str:
    """One value anywhere in the events, in the public or the sealed part, near what it was or of another kind."""
    event = parts.events[dice.randrange(len(parts.events))]
    path = dice.choice(list(leaves(event)))
    value: Any = event
    for name in path[:-1]:
        value = value[name]
    value[path[-1]] = near(dice, value[path[-1]]) if dice.random() < 0.6 else dice.choice(STRANGE)
    return f"{event['public'] if isinstance(event.get('public'), dict) else '?'} at {path}"[:150]


def a_key(parts: Parts, dice: Dice) -> str:
    """A key left out or one too many."""
    event = parts.events[dice.randrange(len(parts.events))]
    objects = [event, *(_at(event, path) for path in leaves(event) if isinstance(_at(event, path), dict))]
    chosen = dice.choice(objects)
    if chosen and dice.random() < 0.5:
        del chosen[dice.choice(list(chosen))]
    else:
        chosen[dice.choice(("constructor", "winner", "by", "seal", "sealed", "contribution", "z"))] = dice.choice(STRANGE)
    return "a key"


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def an_order(parts: Parts, dice: Dice) -> str:
    """An event gone, there twice, moved, or two swapped; numbered again or not."""
    events, i = parts.events, dice.randrange(len(parts.events))
    j = dice.choice((max(i - 1, 0), min(i + 1, len(events) - 1), dice.randrange(len(events))))
    kind = dice.choice(("gone", "twice", "moved", "swapped", "copied", "cut"))
    if kind == "gone":
        del events[i]
    elif kind == "twice":
        events.insert(i + 1, json.loads(json.dumps(events[i])))
    elif kind == "moved":
        events.insert(j, events.pop(i))
    elif kind == "copied":
        events.insert(j, json.loads(json.dumps(events[i])))
    elif kind == "swapped":
        events[i], events[j] = events[j], events[i]
    else:
        del events[i + 1 :]
    if dice.random() < 0.7:
        parts.renumber()
    return f"{kind} {i + 1} {j + 1}"


def a_play(parts: Parts, dice: Dice) -> str:
    """Two cards of one seat in another order: a revoke, spades led too early, another winner."""
    seat = dice.choice(SEATS)
    plays = [i for i in parts.where("card_played") if parts.events[i]["public"]["data"]["seat"] == seat]
    if len(plays) < 2:
        return a_value(parts, dice)
    i, j = sorted(dice.sample(plays[: dice.choice((13, len(plays)))], 2))
    one, two = (parts.events[k]["public"]["data"] for k in (i, j))
    one["card"], two["card"] = two["card"], one["card"]
    return f"plays {i + 1} and {j + 1} swapped"


HIDDEN = (
    ("card_kept",),
    ("card_kept", "card_discarded", "hand_started", "cards_exchanged"),
    ("hand_started",),
    ("cards_exchanged",),
)
"""Of which events the sealed parts are taken away."""


def a_hidden_play(parts: Parts, dice: Dice) -> str:
    """The same where one hand, the stock, or all of it is not shown."""
    hidden = dice.choice(HIDDEN)
    for i in parts.where(*hidden, sealed=True):
        if dice.random() < 0.9:
            del parts.events[i]["sealed"]
    return "hidden, " + dice.choice((a_play, a_draw, an_exchange, a_value))(parts, dice)


def a_draw(parts: Parts, dice: Dice) -> str:
    """A card of the draft changed for another, or for one that was drawn before."""
    places = parts.where("card_kept", "card_discarded", sealed=True)
    if not places:
        return a_value(parts, dice)
    i = dice.choice(places)
    card = dice.choice([*DECK[:4], *(parts.events[k]["sealed"]["data"]["card"] for k in places)])
    parts.events[i]["sealed"]["data"]["card"] = card
    return f"card of {i + 1} is {card}"


def an_exchange(parts: Parts, dice: Dice) -> str:
    """Another count, another card thrown or drawn, one twice."""
    places = parts.where("cards_exchanged")
    if not places:
        return a_stock(parts, dice)
    event = parts.events[dice.choice(places)]
    sealed = event.get("sealed", {}).get("data", {"discarded": [], "drawn": []})
    lists = [cards for cards in sealed.values() if cards]
    if lists and dice.random() < 0.8:
        cards = dice.choice(lists)
        cards[-1] = dice.choice([*DECK, *cards, *sealed["discarded"]])
    else:
        event["public"]["data"]["count"] = dice.randrange(4)
    return "exchange"


def a_stock(parts: Parts, dice: Dice) -> str:
    """Two cards of a stock swapped, with the turns that follow or without, or one there twice."""
    places = parts.where("hand_started", sealed=True)
    if not places:
        return a_value(parts, dice)
    i = dice.choice(places)
    stock = parts.events[i]["sealed"]["data"]["stock"]
    a, b = dice.sample(range(52), 2)
    if dice.random() < 0.3:
        stock[a] = stock[b]
        return f"{stock[a]} twice in {i + 1}"
    one, two = stock[a], stock[b]
    for event in parts.events[i:] if dice.random() < 0.7 else parts.events[i : i + 1]:
        text = json.dumps(event)
        event.update(json.loads(text.replace(f'"{one}"', '"?"').replace(f'"{two}"', f'"{one}"').replace('"?"', f'"{two}"')))
        if event["public"]["type"] == "hand_scored":
            break
    return f"{one} and {two} swapped from {i + 1} on"


def a_number(parts: Parts, dice: Dice) -> str:
    """A hand, a trick, a time, a bid or a number of a score."""
    event = parts.events[dice.choice(parts.where(*dice.choice(((), ("bid_placed",), ("hand_scored",)))) or [0])]
    data = event["public"]["data"]
    names = [name for name in data if type(data[name]) is int]
    if "north" in data and isinstance(data["north"], dict) and dice.random() < 0.9:
        line = data[dice.choice(SEATS)]
        line[dice.choice(list(line))] = dice.choice((0, 1, 5, 13, 100, 505, -60, "double_nil"))
    elif names and dice.random() < 0.7:
        data[dice.choice(names)] += dice.choice((-1, 1))
    else:
        event["public"]["at"] += dice.choice((-5000, -1, 1, 5000))
    return f"a number in {event['public']['type']}"


def a_turn(parts: Parts, dice: Dice) -> str:
    """A move of the other seat, or one that comes a moment too early or too late; any kind of move as often as another."""
    kind = dice.choice(sorted({event["public"]["type"] for event in parts.events}))
    i = dice.choice(parts.where(kind))
    data = parts.events[i]["public"]["data"]
    if "seat" in data and dice.random() < 0.6:
        data["seat"] = other(data["seat"])
        if "sealed" in parts.events[i] and dice.random() < 0.5:
            parts.events[i]["sealed"]["owner"] = data["seat"]
    else:
        j = max(0, min(i + dice.choice((-2, -1, 1, 2)), len(parts.events) - 1))
        parts.events.insert(j, parts.events.pop(i))
        parts.renumber()
    return f"{kind} {i + 1}"


def an_end(parts: Parts, dice: Dice) -> str:
    """Another reason, winner, total or root at the end; an end too early, or something after it."""
    places = parts.where("game_ended")
    data = {"reason": "resigned", "by": "north", "winner": "south", "root": "0" * 64, "totals": {"north": 0, "south": 0}}
    if not places or dice.random() < 0.2:
        public = {"at": START + 10**9, "data": data, "seq": 0, "type": "game_ended", "v": 1}
        parts.events.insert(dice.randint(1, len(parts.events)), {"public": public})
        parts.renumber()
    else:
        data = parts.events[places[0]]["public"]["data"]
    kind = dice.choice(("reason", "winner", "by", "totals", "root", "at", "none"))
    if kind == "reason":
        data["reason"] = dice.choice(("target", "floor", "hand_limit", "resigned", "timed_out", "abandoned"))
    elif kind == "totals":
        data["totals"][dice.choice(SEATS)] += 10
    elif kind == "root":
        data["root"] = "1" * 64
    elif kind == "at":
        parts.events[-1]["public"]["at"] += dice.choice((-(10**9), -1, 10**9))
    elif kind != "none":
        if dice.random() < 0.5:
            data.pop(kind, None)
        else:
            data[kind] = dice.choice(SEATS)
    return f"end: {kind}"


def a_rule(parts: Parts, dice: Dice) -> str:
    """Another option, one that does not exist, one left out."""
    rules = parts.events[0]["public"]["data"]["rules"]
    kind = dice.choice(("near", "gone", "more", "other"))
    name = dice.choice(list(rules))
    if kind == "near":
        rules[name] = near(dice, rules[name])
    elif kind == "gone":
        del rules[name]
    elif kind == "more":
        rules[dice.choice(("constructor", "to_string", "floor", "turn_seconds", "max"))] = dice.choice((-60, 5, 60, "x"))
    else:
        rules |= {k: v for k, v in any_rules(dice).items() if dice.random() < 0.3}
    return f"rules: {kind} {name}"


def a_beginning(parts: Parts, dice: Dice) -> str:
    """Joins, contributions, reveals, the root's commitment, the signing key, the first player."""
    join = parts.events[dice.choice(parts.where("player_joined") or [0])]["public"]["data"]
    created = parts.events[0]["public"]["data"]
    reveals = parts.where("contribution_revealed")
    kind = dice.choice(("stripped", "replaced", "seat", "revealed", "reveals", "commitment", "root", "key", "first", "reveal"))
    if kind == "stripped":
        join.pop("contribution", None)
    elif kind == "replaced":
        join["contribution"] = shuffle.contribution(b"\x03" * 32)
    elif kind == "seat":
        join["seat"] = dice.choice(SEATS)
    elif kind in ("revealed", "reveal") and reveals:
        parts.events[dice.choice(reveals)]["public"]["data"]["bytes"] = (b"\x03" * 32).hex()
    elif kind == "reveals" and len(reveals) == 2:
        i, j = reveals
        parts.events[i], parts.events[j] = parts.events[j], parts.events[i]
        parts.renumber()
    elif kind == "commitment":
        created["root_commitment"] = "0" * 64
    elif kind == "root" and "sealed" in parts.events[0]:
        parts.events[0]["sealed"]["data"]["root"] = "0" * 64
    elif kind == "key":
        key = msgspec.to_builtins(OTHER_SIGNER.key)
        created["server_key"] = dice.choice((key, created["server_key"] | {"ed25519": key["ed25519"]}, {"id": "0" * 64} | key))
        if dice.random() < 0.5:
            parts.header["server_key"] = created["server_key"]
    else:
        created["first"] = other(created["first"])
    return f"beginning: {kind}"


def a_seal(parts: Parts, dice: Dice) -> str:
    """A sealed part dropped, swapped with another, of another owner or salt; a seal too many."""
    places = parts.where(sealed=True)
    if not places:
        return a_value(parts, dice)
    i, j = dice.choice(places), dice.choice(places)
    one, two = parts.events[i], parts.events[j]
    kind = dice.choice(("dropped", "swapped", "owner", "owner", "salt", "same salt", "same salt", "moved"))
    if kind == "dropped":
        del one["sealed"]
    elif kind == "swapped":
        one["sealed"], two["sealed"] = two["sealed"], one["sealed"]
    elif kind == "owner":
        one["sealed"]["owner"] = dice.choice(("north", "south", "house", "nobody"))
    elif kind == "salt":
        one["sealed"]["salt"] = "00" * 16
    elif kind == "same salt":
        one["sealed"]["salt"] = two["sealed"]["salt"]
    else:
        parts.events[dice.randrange(len(parts.events))]["sealed"] = one.pop("sealed")
    return f"seal {kind} {i + 1} {j + 1}"


def a_header(parts: Parts, dice: Dice) -> str:
    """One field of the header; never set right."""
    name = dice.choice([*list(parts.header), "z", "events", "head", "server_key"])
    kind = dice.choice(("near", "strange", "gone", "key"))
    if kind == "near":
        parts.header[name] = near(dice, parts.header.get(name, 1))
    elif kind == "key":
        parts.header["server_key"] = msgspec.to_builtins(OTHER_SIGNER.key)
    elif kind == "gone":
        parts.header.pop(name, None)
    else:
        parts.header[name] = dice.choice((*STRANGE, OTHER_GAME))
    return f"header: {name} {kind}"


def a_receipt(parts: Parts, dice: Dice) -> str:
    """The file's receipt: gone, of another key, game, head, number or time, or no receipt at all; never set right."""
    receipt = parts.receipt
    if receipt is None:
        parts.receipt = dice.choice(STRANGE)
        return "receipt: strange"
    at, head, seq = receipt["at"], bytes.fromhex(receipt["head"]), receipt["seq"]
    kind = dice.choice(("gone", "field", "strange", "key", "game", "head", "seq", "at", "missing", "spelling"))
    signed = {
        "key": lambda: OTHER_SIGNER.sign(at, GAME, head, seq),
        "game": lambda: SIGNER.sign(at, OTHER_GAME, head, seq),
        "head": lambda: SIGNER.sign(at, GAME, genesis(GAME), seq),
        "seq": lambda: SIGNER.sign(at, GAME, head, seq + 1),
        "at": lambda: SIGNER.sign(at + 1, GAME, head, seq),
    }
    name = dice.choice(list(receipt))
    if kind in signed:
        parts.receipt = json.loads(signed[kind]())
    elif kind == "gone":
        parts.receipt = None
    elif kind == "field":
        receipt[name] = near(dice, receipt[name])
    elif kind == "missing":
        del receipt[name]
    elif kind == "spelling":
        receipt["signature"] = receipt["signature"][:-1] + dice.choice("BCDEFGH")
    else:
        parts.receipt = dice.choice(STRANGE)
    return f"receipt: {kind} {name}"


SET_RIGHT: tuple[Callable[[Parts, Dice], str], ...] = (
    a_value, a_value, a_key, an_order, an_order, a_play, a_hidden_play, a_draw, an_exchange, a_stock, a_number, a_number,
    an_end, a_turn, a_turn, a_rule, a_beginning, a_seal,
)  # fmt: skip
AS_IT_IS: tuple[Callable[[Parts, Dice], str], ...] = (a_header, a_receipt)


# Damages of the bytes -------------------------------------------------------------------------------------------------


SPELLINGS = (
    (b'"v":1', b'"v":1.0'), (b'":', b'": '), (b'"at":1', b'"at":01'), (b'"seq":', b'"seq":-'), (b"e", b"\\u0065"),
    (b'"v":1}', b'"v":1,"v":1}'), (b'"hand":1', b'"hand":1e0'), (b"n", b"\xc3"),
)  # fmt: skip


def of_the_bytes(raw: bytes, dice: Dice) -> tuple[str, bytes]:
    """One byte, one line or one spelling changed, without a thought for what it means."""
    kind = dice.choice(("flip", "byte", "gone", "twice", "swap", "cut", "end", "blank", "text", "more", "long", "mark"))
    if kind in ("flip", "byte", "cut"):
        i = dice.randrange(len(raw))
        new = b"" if kind == "cut" else bytes([raw[i] ^ 1 << dice.randrange(8)]) if kind == "flip" else dice.randbytes(1)
        return f"{kind} {i}", raw[:i] + new + (raw[i + 1 :] if kind != "cut" else b"")
    lines = raw.splitlines(keepends=True)
    i, j = dice.randrange(len(lines)), dice.randrange(len(lines))
    if kind == "gone":
        del lines[i]
    elif kind == "twice":
        lines.insert(i, lines[i])
    elif kind == "swap":
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == "end":
        lines[-1] = lines[-1].rstrip(b"\n")
    elif kind == "blank":
        lines[i] = dice.choice((b"", b" ", lines[i].rstrip() + b"\r", lines[i].rstrip() + b" ")) + b"\n"
    elif kind == "more":
        lines += dice.choice(([b"{}\n"], [lines[-1]], [lines[1]] if len(lines) > 1 else [b"\n"], [b"x"]))
    elif kind == "long":
        size = 64 * 1024 - len(lines[i]) + dice.choice((0, 1))
        lines[i] = lines[i][:-1] + b" " * size + b"\n"
    elif kind == "mark":
        lines[0] = b"\xef\xbb\xbf" + lines[0]
    else:
        old, new = dice.choice(SPELLINGS)
        lines[i] = lines[i].replace(old, new, 1)
    return f"{kind} {i + 1} {j + 1}", b"".join(lines)


# What was kept --------------------------------------------------------------------------------------------------------


KEPT = (
    "other key", "other head", "beyond", "signature", "unsigned", "bytes", "other's bytes", "card", "pin", "game", "file",
    "cut", "event", "event", "event's place", "made up", "no receipt", "other game",
)  # fmt: skip


def of_what_was_kept(game: Game, seat: Seat, dice: Dice) -> tuple[str, bytes]:
    """One thing kept that does not fit: a receipt, the bytes, a card shown, the key, the file itself."""
    lines = kept_of(game, seat, dice)
    last = game.log()[-1]
    mine = _receipt(last.receipt)
    kind = dice.choice(KEPT)
    changed: player_evidence.Line = mine
    if kind == "other key":
        changed = _receipt(OTHER_SIGNER.sign(mine.at, GAME, last.head, mine.seq))
    elif kind == "other head":
        seq = dice.randint(1, last.seq)
        changed = _receipt(SIGNER.sign(mine.at, GAME, H("event", b"another"), seq))
    elif kind == "beyond":
        changed = _receipt(SIGNER.sign(mine.at, GAME, H("event", b"later"), last.seq + dice.randint(1, 9)))
    elif kind == "signature":
        changed = msgspec.structs.replace(mine, signature="A" * 86)
    elif kind == "unsigned":
        changed = msgspec.structs.replace(mine, at=mine.at + 1)
    elif kind == "bytes":
        changed = player_evidence.OwnBytes((b"\x05" * 32).hex(), GAME, seat)
    elif kind == "other's bytes":
        changed = player_evidence.OwnBytes(BYTES[other(seat)].hex(), GAME, seat)
    elif kind == "card":
        lines = [
            msgspec.structs.replace(one, card=dice.choice(DECK)) if isinstance(one, player_evidence.Drawn) else one
            for one in lines
        ]
    elif kind == "pin":
        changed = player_evidence.Pinned(GAME, OTHER_SIGNER.key.id, seat)
    elif kind == "game":
        changed = player_evidence.Pinned(OTHER_GAME, OTHER_SIGNER.key.id, seat)
    elif kind in ("event", "event's place"):
        event = dice.choice(events_kept(game.log()))
        field = dice.choice(("before", "public")) if kind == "event" else "seq"
        value = {"before": "0" * 64, "public": event.public.replace("1", "2", 1), "seq": event.seq + dice.choice((1, 2))}[field]
        changed = msgspec.structs.replace(event, **{field: value})
    elif kind == "made up":  # the service signed what follows another event than the one in the log
        made_up = dice.choice(('{"type":"card_played"}', '{"type":"dispute_opened"}', "{}", "é", '{"type":1}', "[]"))
        event = player_evidence.PublicEvent(
            dice.choice(("0" * 64, last.head.hex())), GAME, made_up, last.seq + dice.choice((-1, 0, 1, 2))
        )
        if event.seq > 0:
            lines.append(event)
            changed = _receipt(SIGNER.sign(mine.at, GAME, bytes.fromhex(event.head), event.seq))
    elif kind in ("no receipt", "other game"):
        lines = [one for one in lines if not isinstance(one, player_evidence.Receipt)]
        changed = player_evidence.Evidence("", "", GAME, "")
        if kind == "other game":
            changed = _receipt(SIGNER.sign(mine.at, OTHER_GAME, last.head, mine.seq))
    raw = file_of([*lines, changed, player_evidence.Evidence("{}", "x", GAME, "y")])
    if kind == "file":
        i = dice.randrange(len(raw))
        raw = raw[:i] + dice.randbytes(1) + raw[i + 1 :]
    elif kind == "cut":
        raw = raw[: dice.randrange(len(raw))]
    return kind, raw


def another_history(game: Game, dice: Dice) -> bytes:
    """A record of the same game, signed by the same service, that went another way after some commit."""
    groups = [list(group) for group in game.commits[: dice.randint(1, len(game.commits))]]
    groups[-1][-1] = msgspec.structs.replace(groups[-1][-1], at=groups[-1][-1].at + 1)
    log = chained(groups)
    head, events = log[-1].head.hex(), tuple(event for commit in log for event in commit.events)
    return record.write(
        Record(record.Header(len(events), "trickbook-record", GAME, head, SIGNER.key, 1), events, log[-1].receipt)
    )


def with_forged_end(
    groups: Sequence[Sequence[Event]], seq: int, reason: str = "resigned", game: str = GAME
) -> list[list[Event]]:
    """The log up to before event `seq`, where it says that play ended: inside a commit too. Without `reason` it ends with a
    dispute that nobody opened, or with a bid."""
    before = [kept_ for group in groups if (kept_ := [event for event in group if event.seq < seq])]
    created = groups[0][0]
    assert isinstance(created.secret, GameSecrets)
    at = before[-1][-1].at
    data: Any
    if reason == "dispute":
        head = chained(before, game=game)[-1].head.hex()
        data = DisputeOpened(1, "north", seq - 1, head, ClaimedScore((), ClaimedResult(north=10)))
        return [*before, [Event(0, at, data, DisputeNote(""), "house", "1" * 32)]]
    by: Seat | None = "south" if reason == "resigned" else None
    data = GameEnded(reason, Totals(0, 0), created.secret.root, by and other(by), by)  # type: ignore[arg-type]
    return [*before, [Event(0, at, data)]]


def forged_end(game: Game, dice: Dice) -> bytes:
    """A record of the same game that was cut anywhere and ends there, signed by the service, by somebody else or not again."""
    seq = dice.randint(3, game.table.open.version)
    reason = dice.choice(("resigned", "resigned", "abandoned", "dispute"))
    forged = with_forged_end(groups_of(game), seq, reason)
    log = chained(forged, dice.choice((SIGNER, SIGNER, SIGNER, OTHER_SIGNER)))
    head, events = log[-1].head.hex(), tuple(event for commit in log for event in commit.events)
    receipt = dice.choice((log[-1].receipt, log[-1].receipt, None, game.log()[-1].receipt))
    return record.write(Record(record.Header(len(events), "trickbook-record", GAME, head, SIGNER.key, 1), events, receipt))


# Cases ----------------------------------------------------------------------------------------------------------------


def cases_of(seed: int, damages: int) -> Iterator[Case]:
    """An honest case of a random game, and so many with one damage each."""
    dice, game = Dice(seed), any_game(seed)
    seat = dice.choice(SEATS)
    ended = game.table.open.phase == "ended"
    viewer: Viewer = "spectator" if ended or dice.random() < 0.2 else seat
    raw = record.write(game.record(viewer))
    lines = file_of(kept_of(game, seat, dice))
    pin = SIGNER.key.id
    yield Case(f"{seed}: honest", raw, lines, dice.choice((pin, None)))
    for _ in range(damages):
        given, own = dice.choice((pin, pin, pin, None, OTHER_SIGNER.key.id)), dice.choice((None, b"", lines, lines))
        kind, asked = dice.random(), dice.choice((None, None, None, GAME, OTHER_GAME))
        if kind < 0.62:
            parts = Parts(raw)
            what = dice.choice(SET_RIGHT)
            said = what(parts, dice)
            yield Case(f"{seed}: {what.__name__} ({said}), {_able(parts, dice)}", parts.write(), own, given, asked)
        elif kind < 0.76:
            parts = Parts(raw)
            said = dice.choice(AS_IT_IS)(parts, dice)
            yield Case(f"{seed}: {said}", parts.write(), own, given)
        elif kind < 0.88:
            said, bad = of_the_bytes(raw, dice)
            yield Case(f"{seed}: bytes {said}", bad, own, given)
        elif kind < 0.95:
            said, own = of_what_was_kept(game, seat, dice)
            yield Case(f"{seed}: kept {said}", raw, own, dice.choice((pin, None)))
        elif kind < 0.98 and game.table.open.version > 3:
            yield Case(f"{seed}: a forged end", forged_end(game, dice), lines, given)
        else:
            yield Case(f"{seed}: another history", another_history(game, dice), lines, given)


def ended_cases(seed: int) -> Iterator[Case]:
    """A game with an end forged anywhere, against all that a client keeps and against less of it, with a pin and without."""
    dice, game = Dice(seed), any_game(seed)
    if game.table.open.version <= 3:
        return
    log = game.log()
    receipts, events = [_receipt(commit.receipt) for commit in log], events_kept(log)
    for _ in range(6):
        lines: list[player_evidence.Line] = [*receipts, *events]
        share = dice.choice((1.0, 1.0, 0.7, 0.3))
        lines = [line for line in lines if dice.random() < share]
        if dice.random() < 0.5:
            lines.append(player_evidence.Pinned(GAME, SIGNER.key.id, "south"))
        made = forged_end(game, dice)
        yield Case(
            f"{seed}: an end forged", made, file_of(lines), dice.choice((None, SIGNER.key.id)), dice.choice((None, GAME))
        )


def edge_cases() -> Iterator[Case]:
    """What no dice would find: two faults in one event, numbers near 2^53, the limits of a file."""
    pin = SIGNER.key.id
    raw = record.write(random_game(4, {"max_hands": 3, "bag_limit": 1, "target": 10000}).record())
    for total, bags in ((2**53 - 1, 0), (1 - 2**53, 2**53 - 1), (0, 2**53 - 1)):
        parts = Parts(raw)
        line = parts.events[parts.where("hand_scored")[0]]["public"]["data"]["north"]
        line |= {"total": total, "bags": bags}
        yield Case(f"{total} points, {bags} bags", by_the_service(parts), None, pin)
    for twice in (True, False):
        yield Case(f"too many thrown, one {'twice' if twice else 'not held'}", _too_many(twice=twice), None, pin)
    for public in ({"seq": 11}, {"data": {"seq": 11, "x": 1}, "seq": 21}, {"seq": True}, [11], 11):
        parts = Parts(raw)
        del parts.events[10]
        parts.events[20]["public"] = public
        yield Case(f"event 11 gone, {public} later", parts.write(), None, pin)
    yield from _fields_at_their_edges(random_game(3, {"max_hands": 1}, contributions=SEATS))
    yield from _hands_misnamed(random_game(11, {"max_hands": 2}))
    yield from _seats_kept_for(raw)
    yield from _parts_of_others()
    yield from _exchanges_that_cannot_be()
    yield from _ends_by_time()
    yield from _left_by()
    yield from _kept_at_its_edges(random_game(3, {"max_hands": 1}, contributions=SEATS, most=3, end="resign"))
    yield from _rules_at_their_edges(random_game(0, {}, end="abandon"))
    yield from _at_the_limits(raw)


HEX_EDGES = ("0" * 63, "0" * 64, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n")
BASE64_EDGES = ("A" * 42, "A" * 43, "A" * 44, "A" * 42 + "B", "A" * 42 + "=", "A" * 42 + "+")
NAMES = ("", "x", "x" * 64, "x" * 65, "😀" * 64, "😀" * 65, "\ufeffAnn", 'A"\\')
EDGES: dict[str, tuple[tuple[tuple[str, ...], Any], ...]] = {
    "game_created": (
        *((("root_commitment",), value) for value in HEX_EDGES),
        *((("server_key", "id"), value) for value in HEX_EDGES),
        *((("server_key", "ed25519"), value) for value in BASE64_EDGES),
    ),
    "contribution_revealed": tuple((("bytes",), value) for value in HEX_EDGES),
    "game_ended": tuple((("root",), value) for value in HEX_EDGES),
    "player_joined": (
        *((("name",), name) for name in NAMES),
        *((("contribution",), value) for value in HEX_EDGES),
    ),
    "hand_started": tuple((("hand",), hand) for hand in (0, 1, 2)),
    "cards_exchanged": tuple((("count",), count) for count in (-1, 0, 3, 4)),
    "bid_placed": tuple((("tricks",), tricks) for tricks in (-1, 0, 13, 14)),
    "card_played": tuple((("trick",), trick) for trick in (0, 1, 13, 14)),
    "hand_scored": tuple(
        (("north", name), value)
        for name in ("bid", "tricks", "points", "new_bags", "penalty", "total", "bags")
        for value in (-1, 0, 13, 14, 1 - 2**53, 2**53 - 1)
    ),
}
"""Values on both sides of what a field may hold, by event and place in its data."""


SEALED_EDGES: tuple[tuple[str, str, Any], ...] = (
    *(("game_created", "salt", salt) for salt in ("", "0" * 31, "0" * 32, "0" * 33, "A" * 32, "g" * 32)),
    *(("game_created", field, value) for field in ("root", "invite_hash") for value in HEX_EDGES),
    *(("hand_started", "stock", list(DECK[:count]) + ["AS"] * (count > 52)) for count in (0, 51, 52, 53)),
    *(("card_kept", "card", card) for card in ("1S", "10S", "Qs", "QSS", "QX", "", " QS")),
    *(("cards_exchanged", "discarded", list(DECK[:count])) for count in (0, 3, 4)),
    *(("cards_exchanged", "drawn", ["QS", 1]) for _ in range(1)),
)


def _fields_at_their_edges(game: Game) -> Iterator[Case]:
    raw = record.write(game.record())
    for name, values in EDGES.items():
        for path, value in values:
            parts = Parts(raw)
            for i in parts.where(name)[:1]:
                data = _at(parts.events[i]["public"]["data"], path[:-1])
                data[path[-1]] = value
                yield Case(f"{name} {path}: {value}"[:100], by_the_service(parts), None, SIGNER.key.id)
    for name, field, value in SEALED_EDGES:
        parts = Parts(raw)
        for i in parts.where(name, sealed=True)[:1]:
            sealed = parts.events[i]["sealed"]
            (sealed if field == "salt" else sealed["data"])[field] = value
            yield Case(f"{name} {field}: {value}"[:100], by_the_service(parts), None, SIGNER.key.id)
    for name, value in (("at", -1), ("at", 0), ("seq", 0), ("v", 0), ("v", 2), ("v", True)):
        parts = Parts(raw)
        parts.events[0]["public"][name] = value
        yield Case(f"{name}: {value}", by_the_service(parts), None, SIGNER.key.id)


def _hands_misnamed(game: Game) -> Iterator[Case]:
    """Each kind of event, once with the hand before and once with the hand after its own."""
    raw = record.write(game.record())
    for name in sorted({event.type.name for event in game.events}):
        for more in (-1, 1):
            parts = Parts(raw)
            data = parts.events[parts.where(name)[-1]]["public"]["data"]
            if "hand" in data:
                data["hand"] += more
                yield Case(f"{name} of hand {data['hand']}", by_the_service(parts), None, SIGNER.key.id)


def _parts_of_others() -> Iterator[Case]:
    """Each kind of sealed part as the property of everybody, that of a join too, which no honest record shows."""
    game = next(game for game in map(any_game, range(1000)) if _ended_with_an_exchange(game))
    raw = record.write(game.record())
    for name, owner in itertools.product(sorted({event.type.name for event in game.events if event.seal}), (*SEATS, "house")):
        parts = Parts(raw)
        event = parts.events[parts.where(name)[0]]
        if name == "player_joined":
            event["sealed"] = {"data": {"token_hash": "b" * 64}, "owner": owner, "salt": "0" * 32}
        if "sealed" in event:
            event["sealed"]["owner"] = owner
            yield Case(f"{name}, owned by {owner}", by_the_service(parts), None, SIGNER.key.id)


def _ended_with_an_exchange(game: Game) -> bool:
    return game.table.open.phase == "ended" and any(event.type.name == "cards_exchanged" for event in game.events)


def _exchanges_that_cannot_be() -> Iterator[Case]:
    """An exchange with every wrong card there is, with the stock shown and without, and one that is not shown at all."""
    found = 0
    for seed in range(1000):
        game = random_game(seed, {"max_hands": 1})
        raw = record.write(game.record())
        parts = Parts(raw)
        places = [i for i in parts.where("cards_exchanged") if parts.events[i]["public"]["data"]["count"] >= 2]
        if not places:
            continue
        i, found = places[0], found + 1
        seat, secret = parts.events[i]["public"]["data"]["seat"], parts.events[i]["sealed"]["data"]
        drafted: dict[str, list[str]] = {each: [] for each in SEATS}
        for event in (parts.events[k] for k in parts.where("card_kept")):
            drafted[event["public"]["data"]["seat"]].append(event["sealed"]["data"]["card"])
        held = [card for card in drafted[seat] if card not in secret["discarded"]]
        wrong = (held[0], secret["discarded"][0], drafted[other(seat)][0], secret["drawn"][1], secret["discarded"][1])
        for name, card, hidden in itertools.product(("drawn", "discarded"), wrong, ((), ("hand_started",), ("card_kept",))):
            parts = Parts(raw)
            parts.events[i]["sealed"]["data"][name][0] = card
            for k in parts.where(*hidden) if hidden else ():
                parts.events[k].pop("sealed", None)
            yield Case(f"{seed}, {name} {card}, without {hidden}", by_the_service(parts), None, SIGNER.key.id)
        parts = Parts(raw)
        del parts.events[i]["sealed"]
        yield Case(f"{seed}, an exchange that is not shown", by_the_service(parts), None, SIGNER.key.id)
        if found == 3:
            return


def _ends_by_time() -> Iterator[Case]:
    """The time that ran out: of the right seat or the other, a moment before or after, with a limit and without."""
    reveal = Game({}, contributions=SEATS).sit_down()
    reveal.now += 24 * 60 * 60 * 1000
    reveal.play("north", moves.ClaimTimeout())
    for game in (reveal, random_game(9, {"turn_seconds": 5}, most=40, end="timeout")):
        raw = record.write(game.record())
        for more, swapped, limit in itertools.product((-1, 0, 1), (False, True), (None, 5, 6)):
            parts = Parts(raw)
            last, rules = parts.events[-1]["public"], parts.events[0]["public"]["data"]["rules"]
            last["at"] += more
            if swapped:
                last["data"]["by"], last["data"]["winner"] = last["data"]["winner"], last["data"]["by"]
            rules.pop("turn_seconds", None)
            if limit:
                rules["turn_seconds"] = limit
            yield Case(f"time: {more} ms, swapped {swapped}, limit {limit}", by_the_service(parts), None, SIGNER.key.id)


def _left_by() -> Iterator[Case]:
    """An abandoned game, before and after it was joined: left by nobody, by who was to move, by the other, with a winner."""
    games = (Game(), Game(contributions=SEATS).sit_down(), random_game(9, {}, most=1), random_game(9, {}, most=60))
    for number, game in enumerate(games):
        game.play("north", moves.Resign())
        raw = record.write(game.record())
        for by, winner in itertools.product((None, *SEATS), repeat=2):
            parts = Parts(raw)
            data = parts.events[-1]["public"]["data"]
            data["reason"] = "abandoned"
            for name, seat in (("by", by), ("winner", winner)):
                data.pop(name, None)
                if seat:
                    data[name] = seat
            yield Case(f"abandoned {number}, by {by}, winner {winner}", by_the_service(parts), None, SIGNER.key.id)


KEPT_EDGES: dict[str, tuple[Any, ...]] = {
    "game": ("", OTHER_GAME, 1), "seat": ("south", "house"), "key": HEX_EDGES, "head": HEX_EDGES, "bytes": HEX_EDGES,
    "at": (-1, 0), "seq": (0, 1), "version": (0, 1), "card": ("QX", "10S", ""), "code": (1,), "answer": (1,),
    "message": ("x" * 1000, "x" * 1001, "😀" * 1000),
    "signature": ("A" * 85, "A" * 86, "A" * 87, "A" * 85 + "=", "A" * 85 + "B"),
}  # fmt: skip


def _kept_at_its_edges(game: Game) -> Iterator[Case]:
    """Lines of a player's file on both sides of what they may be, and the same of the file's own receipt."""
    raw = record.write(game.record())
    lines: dict[str, dict[str, Any]] = {
        "pinned": {"game": GAME, "key": SIGNER.key.id, "seat": "north"},
        "own": {"bytes": BYTES["north"].hex(), "game": GAME, "seat": "north"},
        "receipt": json.loads(game.log()[-1].receipt),
        "drawn": {"card": "QS", "game": GAME, "version": 5},
        "evidence": {"answer": "", "code": "", "game": "", "message": ""},
    }
    edges = [(each, field, value) for each in lines for field in lines[each] for value in KEPT_EDGES[field]]
    for name, key, edge in edges:
        line = lines[name] | {key: edge}
        said = f"{name} {key}: {edge}"[:100]
        yield Case(f"kept {said}", raw, _any_json.encode({name: line}) + b"\n", SIGNER.key.id)
        if name == "receipt":
            parts = Parts(raw)
            parts.receipt = line
            yield Case(f"the file's {said}", parts.write(), None, SIGNER.key.id)
    for text in (b"{}", b"[]", b'{"x":{}}', b'{"own":1}', b'{"own":{},"pinned":{}}', b'"own"', b""):
        yield Case(f"kept {text!r}", raw, text + b"\n", SIGNER.key.id)


def _rules_at_their_edges(game: Game) -> Iterator[Case]:
    raw = record.write(game.record())
    for name, option in OPTIONS.items():
        edges = (option.lowest - 1, option.lowest, option.highest, option.highest + 1)
        for value in (*option.choices, "x", 0) if option.choices else (*edges, "x"):
            parts = Parts(raw)
            parts.events[0]["public"]["data"]["rules"][name] = value
            yield Case(f"{name}: {value}", by_the_service(parts), None, SIGNER.key.id)


def by_the_service(parts: Parts) -> bytes:
    parts.seal()
    parts.chain()
    parts.sign(SIGNER)
    return parts.write()


def _too_many(*, twice: bool) -> bytes:
    """A record in which three cards are exchanged where one is allowed, and one of them cannot be."""
    for seed in range(1000):
        parts = Parts(record.write(random_game(seed, {"max_hands": 1}).record()))
        for event in (parts.events[i] for i in parts.where("cards_exchanged")):
            thrown = event["sealed"]["data"]["discarded"]
            if len(thrown) == 3:
                parts.events[0]["public"]["data"]["rules"]["exchange_max"] = 1
                thrown[0] = thrown[1] if twice else event["sealed"]["data"]["drawn"][0]
                return by_the_service(parts)
    raise AssertionError("no game with an exchange of three")


def _seats_kept_for(raw: bytes) -> Iterator[Case]:
    """Records whose event 1 keeps the seats for named players: those who sat down, and others."""
    for north, south in (("Ann", "Bo"), ("Eve", "Bo"), ("Ann", "Eve"), ("Bo", "Ann")):
        parts = Parts(raw)
        parts.events[0]["public"] |= {"v": 2}
        parts.events[0]["public"]["data"]["names"] = {"north": north, "south": south}
        yield Case(f"seats kept for {north} and {south}", by_the_service(parts), b"", SIGNER.key.id)


def _at_the_limits(raw: bytes) -> Iterator[Case]:
    lines = raw.splitlines(keepends=True)
    for number in (record.MAX_EVENTS, record.MAX_EVENTS + 1):
        yield Case(
            f"{number} events", lines[0] + b"".join(lines[1:-1]) + lines[5] * (number - len(lines) + 2), None, SIGNER.key.id
        )
    for more in (0, 1):
        filler = b'{"public":{"a":"%s"}}\n'
        long = filler % (b"x" * (record.MAX_LINE - len(filler) + 2 + more))
        yield Case(f"a line of {len(long)} bytes", lines[0] + long, None, None)
        filler = b'{"evidence":{"answer":"%s","code":"x","game":"g","message":"m"}}\n'
        long = filler % (b"x" * (player_evidence.MAX_LINE - len(filler) + 2 + more))
        yield Case(f"a kept line of {len(long)} bytes", raw, long, None)
    filler = b'{"public":{"a":"%s"}}\n'
    large = filler % (b"x" * 65_000)
    many, rest = divmod(record.MAX_BYTES - len(lines[0]) - len(filler), len(large))
    for more in (2, 3):
        whole = lines[0] + large * many + filler % (b"x" * (rest + more))
        yield Case(f"a file of {len(whole)} bytes", whole, None, None)
    yield Case("too many kept lines", raw, b'{"own":{"bytes":"%s","game":"g","seat":"north"}}\n' % (b"0" * 64) * 100_001, None)
    yield Case("a long key", lines[0] + b'{"' + b"k" * 65_000 + b'":1}\n', None, None)
    for some in (0, 1, 2, len(lines) - 1):
        yield Case(f"{some} lines", b"".join(lines[:some]), None, None)
    yield Case("header and receipt", lines[0] + lines[-1], None, SIGNER.key.id)
    yield Case("a header that does not end", lines[0][:-1], None, None)


def _able(parts: Parts, dice: Dice) -> str:
    """What could be set right of it: nothing where the damage left no event that could be sealed or chained."""
    try:
        return _set_right(parts, dice)
    except (AttributeError, KeyError, TypeError, ValueError):
        return "nothing could be set right"


def read_back(raw: bytes) -> tuple[Record | None, record.UnreadableRecord | None]:
    """The record of a file as far as it can be read, and why not all of it."""
    try:
        return record.read(io.BytesIO(raw)), None
    except record.UnreadableRecord as error:
        return error.read, error
