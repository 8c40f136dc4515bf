"""The shuffle (fairness.md, The shuffle): deck and exchange draws derived from the root and the players' own bytes.

Nothing here draws randomness: the same inputs give the same cards for ever.
"""

from collections.abc import Iterator, Sequence

from events.cards import DECK, Card, Seat, in_order
from events.hashing import H, M, u32


def root_commitment(root: bytes) -> str:
    """What event 1 says of the root before anything else is known, 64 hex digits."""
    return H("root", root).hex()


def contribution(own: bytes) -> str:
    """What a player says of their own 32 bytes at create or join, 64 hex digits."""
    return H("contribution", own).hex()


def hand_key(root: bytes, game: str, hand: int, north: bytes, south: bytes) -> bytes:
    """The key of a hand; `north` and `south` are the revealed bytes, empty where a seat brought none (step 4)."""
    parts = bytes([len(north)]) + north + bytes([len(south)]) + south
    return M(root, "hand", game.encode() + b"\x00" + u32(hand) + parts)


def words(key: bytes, label: str) -> Iterator[int]:
    """The endless 32-bit words of a label (step 5)."""
    i = 0
    while True:
        block = M(key, "draw", label.encode() + b"\x00" + u32(i))
        for at in range(0, 32, 4):
            yield int.from_bytes(block[at : at + 4], "big")
        i += 1


def below(stream: Iterator[int], n: int) -> int:
    """A number from 0 to `n` − 1 without bias: words in the last, incomplete run of `n` are skipped (step 5)."""
    limit = 2**32 - 2**32 % n
    return next(x for x in stream if x < limit) % n


def stock(key: bytes) -> tuple[Card, ...]:
    """The 52 cards of a hand in drawing order (step 6)."""
    cards = list(DECK)
    stream = words(key, "deck")
    for i in range(51, 0, -1):
        j = below(stream, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def exchange(key: bytes, seat: Seat, pile: Sequence[Card], count: int) -> tuple[Card, ...]:
    """The `count` cards drawn in an exchange from the pile as it stood before it, in drawing order (step 7)."""
    cards = list(in_order(list(pile)))
    stream = words(key, f"exchange/{seat}")
    for t in range(count):
        j = t + below(stream, len(cards) - t)
        cards[t], cards[j] = cards[j], cards[t]
    return tuple(cards[:count])
