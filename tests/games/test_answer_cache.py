"""What is kept of answers: computed once for everybody who asks, one at a time, bounded by bytes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.games.answer_cache import ENTRY_BYTES, AnswerCache


def test_those_who_ask_together_share_one_computation() -> None:
    cache, barrier, made = AnswerCache(), threading.Barrier(8), []

    def compute() -> bytes:
        made.append(threading.get_ident())
        return b"answer"

    def ask(_: int) -> bytes:
        barrier.wait(20)
        return cache.get("question", compute, len)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {b"answer"}
    assert len(made) == 1


def test_one_value_is_computed_at_a_time() -> None:
    cache, barrier, inside, most = AnswerCache(), threading.Barrier(6), [0], [0]

    def compute() -> bytes:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        sum(range(20_000))
        inside[0] -= 1
        return b"x"

    def ask(number: int) -> bytes:
        barrier.wait(20)
        return cache.get(number, compute, len)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(ask, range(6))) == [b"x"] * 6
    assert most == [1]


def test_the_values_used_last_are_kept_within_the_bound() -> None:
    cache, made = AnswerCache(4000), []

    def ask(number: int) -> bytes:
        return cache.get(number, lambda: made.append(number) or bytes(1000), len)

    ask(1), ask(2), ask(1), ask(3)  # 2 was used least lately
    assert cache.size == 2 * (1000 + ENTRY_BYTES)
    ask(1), ask(3)
    assert made == [1, 2, 3]
    ask(2)
    assert made == [1, 2, 3, 2]
    assert cache.get("large", lambda: bytes(1600), len) == bytes(1600)
    assert cache.size == 2 * (1000 + ENTRY_BYTES)


def test_what_fails_is_not_kept_and_holds_nobody_up() -> None:
    cache = AnswerCache()
    with pytest.raises(ZeroDivisionError):
        cache.get("question", lambda: bytes(1 // 0), len)
    assert cache.get("question", lambda: b"answer", len) == b"answer"


def test_answers_of_no_bytes_are_bounded_too() -> None:
    cache = AnswerCache(4000)
    for number in range(100):
        cache.get(number, bytes, len)
    assert cache.size <= 4000
