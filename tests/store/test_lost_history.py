"""A store that is not what it was: history that is gone is said to be lost, and nothing is written on top of it."""

import pytest

from events import keys
from events.redis_store import RedisStore
from events.store import Appended, BadEntry, Conflict, HistoryLost, start
from tests.kit.servers import Server, Servers
from tests.store.commits import chain, place, plain, real, require_chain, write
from tests.store.conftest import Opened


@pytest.fixture
def store(server: Server, opened: Opened) -> RedisStore:
    """On the module's server."""
    return opened(server.url)


class TestARestoredCopy:
    def test_what_was_acknowledged_after_the_copy_is_lost_and_nothing_is_appended(
        self, servers: Servers, opened: Opened, game: str
    ) -> None:
        server = servers.start()
        store = opened(server.url)
        commits = real(game, 12)
        write(store, game, commits[:8])
        copy = server.copy("copy")
        write(store, game, commits[8:11], place(commits[7]))
        server.restore(copy)
        left = commits[7].seq
        assert store.append(game, place(commits[10]), commits[11]) == HistoryLost(left)
        assert store.append(game, place(commits[9]), commits[10]) == HistoryLost(left)
        assert store.read(game, place(commits[10])) == HistoryLost(left)
        assert store.read(game) == tuple(commits[:8])
        # A decision made on what is still there is none of the lost ones: it goes on.
        assert store.append(game, place(commits[7]), plain(place(commits[7]))) == Appended()

    @pytest.mark.parametrize("more", [1, 3, 9], ids=["shorter", "as long", "longer"])
    def test_a_log_that_somebody_else_carried_on_is_never_forked(
        self, servers: Servers, opened: Opened, game: str, more: int
    ) -> None:
        server = servers.start()
        store, other = opened(server.url), opened(server.url)
        commits = chain(game, 6)
        write(store, game, commits[:2])
        copy = server.copy("copy")
        write(store, game, commits[2:5], place(commits[1]))
        server.restore(copy)
        theirs = chain(game, more, after=place(commits[1]))
        write(other, game, theirs, place(commits[1]))
        now = tuple(commits[:2] + theirs)
        assert store.append(game, place(commits[4]), commits[5]) == HistoryLost(2 + more)
        assert store.append(game, place(commits[3]), commits[4]) == HistoryLost(2 + more)
        assert store.read(game, place(commits[4])) == HistoryLost(2 + more)
        assert store.read(game) == now
        require_chain(game, now)
        # Sent from the last place both know, it is an ordinary conflict.
        assert store.append(game, place(commits[1]), commits[2]) == Conflict(tuple(theirs))

    def test_a_copy_from_before_the_game_has_lost_all_of_it(self, servers: Servers, opened: Opened, game: str) -> None:
        server = servers.start()
        store = opened(server.url)
        copy = server.copy("copy")
        commits = chain(game, 3)
        write(store, game, commits[:2])
        server.restore(copy)
        assert store.append(game, place(commits[1]), commits[2]) == HistoryLost(0)
        assert store.read(game) == ()


class TestADeletedEntry:
    """Somebody with a client of their own: Trickbook itself never deletes."""

    @pytest.mark.parametrize("known", [2, 3, 0], ids=["the end was seen", "its end was not", "nothing was"])
    def test_at_the_tail_is_lost_whatever_was_expected(self, server: Server, store: RedisStore, game: str, known: int) -> None:
        commits = chain(game, 4)
        write(store, game, commits[:3])
        with server.client() as admin:
            assert admin.xdel(keys.stream(game), "3-0") == 1
        at = place(commits[known - 1]) if known else start(game)
        assert store.append(game, at, plain(at)) == HistoryLost(2)
        assert store.read(game) == tuple(commits[:2])

    def test_when_it_was_the_only_one_is_lost_too(self, server: Server, store: RedisStore, game: str) -> None:
        commits = chain(game, 2)
        write(store, game, commits[:1])
        with server.client() as admin:
            admin.xdel(keys.stream(game), "1-0")
        assert store.append(game, place(commits[0]), commits[1]) == HistoryLost(0)
        assert store.append(game, start(game), plain(start(game))) == HistoryLost(0)
        with server.client() as admin:
            assert admin.xlen(keys.stream(game)) == 0

    @pytest.mark.parametrize("gone", [1, 2, 3])
    def test_in_the_middle_is_named_when_it_is_read(self, server: Server, store: RedisStore, game: str, gone: int) -> None:
        commits = chain(game, 4)
        write(store, game, commits)
        with server.client() as admin:
            admin.xdel(keys.stream(game), f"{gone}-0")
        with pytest.raises(BadEntry, match=f"game {game} has no event {gone} "):
            store.read(game)
        with pytest.raises(BadEntry, match=f"game {game} has no event {gone} "):
            store.append(game, start(game), plain(start(game)))
        assert store.read(game, place(commits[2])) == ((commits[3],) if gone != 3 else HistoryLost(4))

    def test_is_lost_after_a_restart_and_a_rewrite_of_the_file_too(self, servers: Servers, opened: Opened, game: str) -> None:
        server = servers.start()
        store = opened(server.url)
        commits = chain(game, 3)
        write(store, game, commits)
        with server.client() as admin:
            admin.xdel(keys.stream(game), "3-0")
            server.rewrite(admin)
        server.stop()
        server.start()
        assert store.append(game, place(commits[1]), plain(place(commits[1]))) == HistoryLost(2)


class TestForeignEntries:
    """What no Trickbook wrote is refused with its place, not guessed at."""

    GOOD = {"1": b"{}", "head": b"h" * 32, "receipt": b"{}", "by": b"{}"}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("identifier", "fields"),
        [
            ("1-0", {"1": b"{}"}),
            ("1-0", GOOD | {"2": b"{}"}),
            ("2-0", GOOD),
            ("1-1", GOOD),
            ("1-0", GOOD | {"more": b"{}"}),
            ("1-0", GOOD | {"2s": b"{}"}),
            ("1-0", GOOD | {"01": b"{}"}),
            ("3-0", GOOD | {"3": b"{}"}),
        ],
    )
    def test_are_named(self, server: Server, store: RedisStore, game: str, identifier: str, fields: dict[str, bytes]) -> None:
        with server.client() as admin:
            admin.xadd(keys.stream(game), fields, id=identifier)
        with pytest.raises(BadEntry, match=f"{identifier}.*{game}"):
            store.read(game)

    def test_a_foreign_freeze_marker_and_a_foreign_identity_are_named(
        self, servers: Servers, opened: Opened, game: str
    ) -> None:
        server = servers.start()
        store = opened(server.url)
        with server.client() as admin:
            admin.set(keys.frozen(game), b"\xff")
            admin.set(keys.SERVICE, b"[1]")
        with pytest.raises(BadEntry, match=game):
            store.frozen(game)
        assert store.append(game, start(game), plain(start(game))) == HistoryLost(0)
        with pytest.raises(BadEntry, match="service"):
            store.claim({"key": "aa"})

    def test_foreign_keys_are_no_games(self, server: Server, store: RedisStore, game: str) -> None:
        write(store, game, chain(game, 1))
        with server.client() as admin:
            for name in (
                b"trickbook:{00}:game:short",
                b"trickbook:{00}:game:\xff\xfe",
                b"trickbook:{99}:game:" + b"0" * 16,
            ):
                admin.xadd(name, {"a": "b"})
        listed = list(store.games())
        assert game in listed
        assert all(keys.is_game_id(one) for one in listed)
        assert "0" * 16 not in listed
