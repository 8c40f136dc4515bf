"""What is new in a game, for many who follow it: read once, never another game's, never what is gone."""

import pytest

from events.log import Commit
from events.memory import MemoryStore
from events.receipts import Signer
from events.store import HistoryLost, LogHead, start
from service.base.clock import SystemClock
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.games.handler import Games
from service.games.refusals import Refused
from service.games.tail_cache import TailCache
from tests.store.commits import chain, fresh_game, place, real, write


class Counting(MemoryStore):
    """Counts its reads."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def read(self, game: str, after: LogHead | None = None) -> tuple[Commit, ...] | HistoryLost:
        self.reads += 1
        return super().read(game, after)


@pytest.fixture
def store() -> Counting:
    return Counting()


@pytest.fixture
def news(store: Counting) -> TailCache:
    return TailCache(Games(store, Identity(bytes(32), Signer(bytes(32))), SystemClock(), Csprng()))


def test_those_at_the_same_place_share_one_read_and_all_get_on(store: Counting, news: TailCache) -> None:
    game = fresh_game()
    commits = chain(game, 3)
    write(store, game, commits[:2])
    before = store.reads
    assert [news.after(game, start(game)) for _ in range(5)] == [tuple(commits[:2])] * 5
    assert store.reads == before + 1
    write(store, game, commits[2:], place(commits[1]))
    before = store.reads
    assert [news.after(game, place(commits[1])) for _ in range(5)] == [tuple(commits[2:])] * 5
    assert store.reads == before + 1
    assert news.after(game, place(commits[0])) == tuple(commits[1:])
    assert news.after(game, place(commits[2])) == ()


def test_a_long_piece_is_not_kept(store: Counting, news: TailCache) -> None:
    game = fresh_game()
    write(store, game, commits := chain(game, 20))
    before = store.reads
    for _ in range(2):
        assert news.after(game, start(game)) == tuple(commits)
    assert store.reads == before + 2


def test_a_place_that_is_gone_is_refused(store: Counting, news: TailCache) -> None:
    game = fresh_game()
    write(store, game, real(game, 2))
    with pytest.raises(Refused) as caught:
        news.after(game, LogHead(2, b"\1" * 32))
    assert caught.value.code == "history_lost"
