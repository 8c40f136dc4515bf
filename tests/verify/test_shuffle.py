"""The shuffle is even, follows from everything it must follow from, and every guard of it is missed when it is gone.

Each check here is run twice: on the product, where it holds, and on the product with one guard taken away, where it fails.
"""

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from events import shuffle
from events.cards import DECK, Card, Seat
from events.hashing import M, u32

VECTORS = json.loads((Path(__file__).parents[1] / "cases/fairness.json").read_text())
ROOT = bytes.fromhex(VECTORS["root"])
GAME = VECTORS["game"]
NORTH, SOUTH = b"\x01" * 32, b"\x02" * 32
KEY = shuffle.hand_key(ROOT, GAME, 1, NORTH, SOUTH)
PILE = DECK[3:29]
DECKS = 3000


def chi_square(counts: Counter[Any], cells: int, total: int) -> float:
    """How far the counts are from all being alike."""
    expected = total / cells
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (cells - len(counts)) * expected


# The checks -------------------------------------------------------------------------------------------------------------


def check_vectors() -> None:
    """Every vector of an independent program: commitments, keys, words, the forced rejection, decks and draws."""
    assert shuffle.root_commitment(ROOT) == VECTORS["root_commitment"]
    assert shuffle.contribution(NORTH) == VECTORS["contribution_north"]
    assert shuffle.contribution(SOUTH) == VECTORS["contribution_south"]
    told = VECTORS["words"]
    assert list(itertools.islice(shuffle.words(bytes(32), "deck"), len(told))) == told
    for case in VECTORS["hands"]:
        north, south = bytes.fromhex(case["north"]), bytes.fromhex(case["south"])
        key = shuffle.hand_key(ROOT, GAME, case["hand"], north, south)
        assert key.hex() == case["key"]
        assert list(shuffle.stock(key)) == case["stock"]
        pile = case["exchange"]["pile"]
        assert list(shuffle.exchange(key, "north", pile, 3)) == case["exchange"]["north_3"]
        assert list(shuffle.exchange(key, "south", pile, 1)) == case["exchange"]["south_1"]


def check_forced_rejection() -> None:
    """With n just over half of the range nearly every second word is skipped."""
    case = VECTORS["below"]
    stream = shuffle.words(bytes.fromhex(case["key"]), case["label"])
    assert [shuffle.below(stream, case["n"]) for _ in case["values"]] == case["values"]
    rest = shuffle.words(bytes.fromhex(case["key"]), case["label"])
    assert next(itertools.islice(rest, case["words_used"], None)) == next(stream)


def check_below_is_even() -> None:
    """For every n of a deck: of all words that the end of the range can give, each result comes equally often. Below the
    last complete runs the words repeat, so that this is all of them."""
    for n in range(2, 53):
        start = (2**32 - 3 * n) // n * n
        counts: Counter[int] = Counter()
        for word in range(start, 2**32):
            stream = iter((word, -1))  # −1 stands for "the next word was asked for"
            found = shuffle.below(stream, n)
            if next(stream, None) == -1:
                counts[found] += 1
                assert found == word % n
            else:
                assert word >= 2**32 - 2**32 % n
        assert set(counts.values()) == {counts[0]}
        assert len(counts) == n


def check_every_card_is_as_likely_in_every_place() -> None:
    """Card × place over decks of roots drawn from a fixed seed: 51² degrees of freedom, six deviations either way."""
    dice = random.Random(2026)
    counts: Counter[tuple[int, Card]] = Counter()
    for _ in range(DECKS):
        key = shuffle.hand_key(dice.randbytes(32), GAME, 1, dice.randbytes(32), dice.randbytes(32))
        counts.update(enumerate(shuffle.stock(key)))
    free = 51 * 51
    assert abs(chi_square(counts, 52 * 52, 52 * DECKS) - free) < 6 * (2 * free) ** 0.5


def check_every_card_is_as_likely_to_be_drawn() -> None:
    """Card × place of an exchange of three out of a pile of 26."""
    dice = random.Random(2027)
    counts: Counter[tuple[int, Card]] = Counter()
    for _ in range(DECKS):
        counts.update(enumerate(shuffle.exchange(dice.randbytes(32), "north", PILE, 3)))
    free = 3 * 25
    assert abs(chi_square(counts, 3 * 26, 3 * DECKS) - free) < 6 * (2 * free) ** 0.5


def check_every_order_once() -> None:
    """Four cards drawn out of four: every choice of words gives another order, and all orders come."""
    orders = Counter()
    real = shuffle.words
    try:
        for chosen in itertools.product(range(4), range(3), range(2), range(1)):
            shuffle.words = lambda key, label, chosen=chosen: iter(chosen)  # type: ignore[assignment,misc]
            orders[shuffle.exchange(KEY, "north", DECK[:4], 4)] += 1
    finally:
        shuffle.words = real
    assert len(orders) == 24
    assert set(orders.values()) == {1}


def check_everything_is_in_the_key() -> None:
    """Root, game, hand and both players' bytes: another one of any gives another deck; so does who brought them."""
    other = b"\x03" * 32
    wanted: list[tuple[bytes, str, int, bytes, bytes]] = [
        (ROOT, GAME, 1, NORTH, SOUTH),
        (other, GAME, 1, NORTH, SOUTH),
        (ROOT, GAME[:-1] + "d", 1, NORTH, SOUTH),
        (ROOT, GAME, 2, NORTH, SOUTH),
        (ROOT, GAME, 1, other, SOUTH),
        (ROOT, GAME, 1, NORTH, other),
        (ROOT, GAME, 1, SOUTH, NORTH),
        (ROOT, GAME, 1, NORTH, b""),
        (ROOT, GAME, 1, b"", NORTH),
        (ROOT, GAME, 1, b"", SOUTH),
        (ROOT, GAME, 1, b"", b""),
    ]
    assert len({shuffle.stock(shuffle.hand_key(*each)) for each in wanted}) == len(wanted)


def check_each_seat_draws_for_itself() -> None:
    """The seats draw differently out of one pile, and neither as the deck was shuffled."""
    drawn = [shuffle.exchange(KEY, seat, PILE, 3) for seat in ("north", "south")]
    words = [list(itertools.islice(shuffle.words(KEY, label), 8)) for label in ("deck", "exchange/north", "exchange/south")]
    assert drawn[0] != drawn[1]
    assert len(set(map(tuple, words))) == 3


def check_the_order_of_the_pile_says_nothing() -> None:
    """Which cards are on the pile is what counts, not when they came there."""
    dice = random.Random(5)
    for seat in ("north", "south"):
        found = {shuffle.exchange(KEY, seat, dice.sample(PILE, len(PILE)), 3) for _ in range(20)}  # type: ignore[arg-type]
        assert found == {shuffle.exchange(KEY, seat, PILE, 3)}  # type: ignore[arg-type]


def check_a_deck_is_a_deck() -> None:
    """Fifty-two different cards, always the same for the same key."""
    dice = random.Random(6)
    for _ in range(200):
        key = dice.randbytes(32)
        assert sorted(shuffle.stock(key)) == sorted(DECK)
        assert shuffle.stock(key) == shuffle.stock(key)


CHECKS: list[Callable[[], None]] = [
    check_vectors,
    check_forced_rejection,
    check_below_is_even,
    check_every_card_is_as_likely_in_every_place,
    check_every_card_is_as_likely_to_be_drawn,
    check_every_order_once,
    check_everything_is_in_the_key,
    check_each_seat_draws_for_itself,
    check_the_order_of_the_pile_says_nothing,
    check_a_deck_is_a_deck,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_the_shuffle_is_right(check: Callable[[], None]) -> None:
    check()


# The guards, each taken away ----------------------------------------------------------------------------------------------


def no_rejection(stream: Iterator[int], n: int) -> int:
    return next(stream) % n


def rejection_off_by_one(stream: Iterator[int], n: int) -> int:
    limit = 2**32 - 2**32 % n
    return next(x for x in stream if x <= limit) % n


def too_much_rejected(stream: Iterator[int], n: int) -> int:
    limit = 2**32 - 2**32 % n - n
    return next(x for x in stream if x < limit) % n


def keyed(*, root: bool = True, game: bool = True, hand: bool = True, own: str = "both", length: bool = True) -> Any:
    """`hand_key` without one of its parts."""

    def hand_key(r: bytes, g: str, h: int, north: bytes, south: bytes) -> bytes:
        parts = [north if own in ("both", "north") else b"", south if own in ("both", "south") else b""]
        said = b"".join((bytes([len(part)]) if length else b"") + part for part in parts)
        return M(r if root else bytes(32), "hand", (g.encode() if game else b"") + b"\x00" + (u32(h) if hand else b"") + said)

    return hand_key


def sorted_bytes(r: bytes, g: str, h: int, north: bytes, south: bytes) -> bytes:
    return M(r, "hand", g.encode() + b"\x00" + u32(h) + b"".join(sorted((north, south))))


def shuffled_by(pick: Callable[[Iterator[int], int], int]) -> Any:
    """`stock` with another choice of the place to swap with."""

    def stock(key: bytes) -> tuple[Card, ...]:
        cards, stream = list(DECK), shuffle.words(key, "deck")
        for i in range(51, 0, -1):
            j = pick(stream, i)
            cards[i], cards[j] = cards[j], cards[i]
        return tuple(cards)

    return stock


def drawn_by(label: str = "exchange/{seat}", *, in_order: bool = True, swap: bool = True) -> Any:
    """`exchange` with another label, an unsorted pile, or a draw that leaves drawn cards in the pile."""

    def exchange(key: bytes, seat: Seat, pile: Sequence[Card], count: int) -> tuple[Card, ...]:
        cards = list(shuffle.in_order(list(pile)) if in_order else pile)
        stream = shuffle.words(key, label.format(seat=seat))
        for t in range(count):
            j = t + shuffle.below(stream, len(cards) - t) if swap else shuffle.below(stream, len(cards))
            cards[t], cards[j] = cards[j], cards[t]
        return tuple(cards[:count])

    return exchange


def one_stream(key: bytes, label: str) -> Iterator[int]:
    """`words` that are the same for every label."""
    return REAL_WORDS(key, "deck")


def little_endian(key: bytes, label: str) -> Iterator[int]:
    for i in itertools.count():
        block = M(key, "draw", label.encode() + b"\x00" + u32(i))
        yield from (int.from_bytes(block[at : at + 4], "little") for at in range(0, 32, 4))


def one_block(key: bytes, label: str) -> Iterator[int]:
    """`words` that begin again after the first block."""
    return itertools.cycle(itertools.islice(REAL_WORDS(key, label), 8))


REAL_WORDS = shuffle.words
GUARDS: list[tuple[str, str, Any, list[Callable[[], None]]]] = [
    ("the rejection", "below", no_rejection, [check_forced_rejection, check_below_is_even]),
    ("the bound of the rejection", "below", rejection_off_by_one, [check_below_is_even]),
    ("the whole of the range", "below", too_much_rejected, [check_below_is_even]),
    ("the root in the key", "hand_key", keyed(root=False), [check_everything_is_in_the_key, check_vectors]),
    ("the game in the key", "hand_key", keyed(game=False), [check_everything_is_in_the_key, check_vectors]),
    ("the hand in the key", "hand_key", keyed(hand=False), [check_everything_is_in_the_key, check_vectors]),
    ("north's bytes in the key", "hand_key", keyed(own="south"), [check_everything_is_in_the_key, check_vectors]),
    ("south's bytes in the key", "hand_key", keyed(own="north"), [check_everything_is_in_the_key, check_vectors]),
    ("whose bytes they are", "hand_key", keyed(length=False), [check_everything_is_in_the_key, check_vectors]),
    ("their order", "hand_key", sorted_bytes, [check_everything_is_in_the_key, check_vectors]),
    (
        "a smaller range with every card",
        "stock",
        shuffled_by(lambda stream, i: shuffle.below(stream, 52)),
        [check_every_card_is_as_likely_in_every_place, check_vectors],
    ),
    (
        "that a card may stay where it is",
        "stock",
        shuffled_by(shuffle.below),
        [check_every_card_is_as_likely_in_every_place, check_vectors],
    ),
    ("the seat in the label", "exchange", drawn_by("exchange"), [check_each_seat_draws_for_itself, check_vectors]),
    ("the label", "words", one_stream, [check_each_seat_draws_for_itself, check_vectors]),
    ("the sorted pile", "exchange", drawn_by(in_order=False), [check_the_order_of_the_pile_says_nothing, check_vectors]),
    ("that a drawn card is gone", "exchange", drawn_by(swap=False), [check_every_order_once, check_vectors]),
    ("the byte order", "words", little_endian, [check_vectors]),
    ("the number of the block", "words", one_block, [check_vectors, check_every_card_is_as_likely_in_every_place]),
]


@pytest.mark.parametrize(("guard", "name", "broken", "checks"), GUARDS, ids=[guard[0] for guard in GUARDS])
def test_a_guard_that_is_taken_away_is_missed(
    guard: str, name: str, broken: Any, checks: list[Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle, name, broken)
    for check in checks:
        with pytest.raises((AssertionError, StopIteration, RuntimeError)):
            check()


def test_the_service_and_the_audit_ask_this_one_shuffle(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second copy: with another stock in place of this one the whole product deals and checks by it."""
    from projections.audit import audit, from_record
    from tests.kit.random_games import random_game

    turned = DECK[::-1]
    honest = random_game(3, {"max_hands": 1}).record()
    monkeypatch.setattr(shuffle, "stock", lambda key: turned)
    assert random_game(3, {"max_hands": 1}).table.house.stock == turned
    assert {finding.code for finding in audit(from_record(honest)).findings} == {"deck_not_derived"}
