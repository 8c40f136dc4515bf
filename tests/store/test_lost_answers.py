"""Requests and replies that get lost on the way: a commit is in once, and whoever sent it is told so."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from events import entry, keys
from events.journal import Note
from events.redis_store import RedisStore
from events.store import Appended, Conflict, FrozenGame, Unreachable, start
from tests.kit.servers import Server
from tests.store.commits import chain, fresh_game, place, plain, require_chain
from tests.store.conftest import Opened
from tests.store.proxy import Proxy

APPEND = "EVALSHA"


@pytest.fixture(params=["unix", "tcp"])
def between(request: pytest.FixtureRequest, server: Server) -> Iterator[Proxy]:
    """A proxy on either kind of connection."""
    with Proxy(server.directory, server.socket, tcp=request.param == "tcp") as proxy:
        yield proxy
        (server.directory / "p").unlink(missing_ok=True)


def warm(store: RedisStore, proxy: Proxy) -> None:
    """Connects and loads the script, so that what follows is one request a sending."""
    store.append(game := fresh_game(), start(game), plain(start(game)))
    proxy.received.clear()


def entries(server: Server, game: str) -> list[int]:
    """What the server itself holds: the version of each entry."""
    store = RedisStore(server.url)
    try:
        commits = store.read(game)
        assert isinstance(commits, tuple)
        require_chain(game, commits)
        return [commit.seq for commit in commits]
    finally:
        store.close()


LOSSES: list[Callable[[Proxy], None]] = [
    lambda proxy: proxy.swallow_reply(APPEND),
    lambda proxy: proxy.swallow_request(APPEND),
    lambda proxy: proxy.cut_at_reply(APPEND),
]
NAMES = ["a reply", "a request", "a connection"]


@pytest.mark.parametrize("lose", LOSSES, ids=NAMES)
def test_a_loss_leaves_one_entry_and_the_sender_is_told(
    between: Proxy, server: Server, opened: Opened, game: str, lose: Callable[[Proxy], None]
) -> None:
    store = opened(between.url)
    warm(store, between)
    commits = chain(game, 2)
    lose(between)
    assert store.append(game, start(game), commits[0]) == Appended()
    assert between.count(APPEND) == 2
    lose(between)
    assert store.append(game, place(commits[0]), commits[1]) == Appended()
    assert entries(server, game) == [1, 2]


@pytest.mark.parametrize("lose", LOSSES, ids=NAMES)
def test_each_sending_of_an_announced_commit_is_preceded_by_its_announcement(
    between: Proxy, server: Server, opened: Opened, game: str, lose: Callable[[Proxy], None]
) -> None:
    store = opened(between.url)
    warm(store, between)
    lose(between)
    assert store.append(game, start(game), plain(start(game)), announce=True) == Appended()
    assert [command for command in between.received if command in ("XADD", APPEND)] == ["XADD", APPEND] * 2
    assert entries(server, game) == [1]
    with server.client() as admin:
        hints = admin.xrange(keys.feed(keys.partition(game)))
    assert [fields for _, fields in hints if fields[b"game"] == game.encode()] == [
        {b"game": game.encode(), b"version": b"1"}
    ] * 2


def test_a_feed_that_takes_no_hint_does_not_hide_what_became_of_the_commit(server: Server, opened: Opened, game: str) -> None:
    store = opened(server.url)
    feed = keys.feed(keys.partition(game))
    with server.client() as admin:
        kept = admin.dump(feed)
        admin.delete(feed)
        admin.set(feed, "no stream")
        try:
            assert store.append(game, start(game), plain(start(game)), announce=True) == Appended()
        finally:
            admin.delete(feed)
            if kept is not None:
                admin.restore(feed, 0, kept)
    assert entries(server, game) == [1]


def test_a_server_that_lost_the_script_gets_it_with_the_announced_commit(
    proxy: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store = opened(proxy.url)
    with server.client() as admin:
        admin.script_flush()
    assert store.append(game, start(game), plain(start(game)), announce=True) == Appended()
    assert entries(server, game) == [1]


def test_losses_one_after_the_other_still_leave_one_entry(proxy: Proxy, server: Server, opened: Opened, game: str) -> None:
    store = opened(proxy.url, answer=0.2)
    warm(store, proxy)
    for lose in LOSSES * 2:
        lose(proxy)
    assert store.append(game, start(game), plain(start(game))) == Appended()
    assert proxy.count(APPEND) == 7
    assert entries(server, game) == [1]


def test_a_request_executed_after_its_repetition_changes_nothing(
    between: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store = opened(between.url)
    warm(store, between)
    held = between.hold_request(APPEND)
    assert store.append(game, start(game), plain(start(game))) == Appended()
    assert held.arrived.is_set()
    assert not held.executed.is_set()
    held.release()
    assert entries(server, game) == [1]


def test_a_request_executed_when_the_game_has_gone_on_changes_nothing(
    proxy: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store, other = opened(proxy.url), opened(server.url)
    warm(store, proxy)
    held = proxy.hold_request(APPEND)
    commits = chain(game, 4)
    assert store.append(game, start(game), commits[0]) == Appended()
    for before, after in pairwise(commits):
        assert other.append(game, place(before), after) == Appended()
    held.release()
    assert other.read(game) == tuple(commits)


def test_a_lost_reply_is_found_among_what_others_wrote_meanwhile(
    proxy: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store, other = opened(proxy.url), opened(server.url)
    warm(store, proxy)
    commits = chain(game, 3)
    proxy.swallow_reply(APPEND)
    held = proxy.hold_request(APPEND)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(store.append, game, start(game), commits[0])
        assert held.arrived.wait(10)
        for before, after in pairwise(commits):
            assert other.append(game, place(before), after) == Appended()
        held.release()
        assert answer.result(10) == Appended()
    assert other.read(game) == tuple(commits)


def test_a_lost_request_that_somebody_overtook_is_told_to_have_moved(
    proxy: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store, other = opened(proxy.url), opened(server.url)
    warm(store, proxy)
    proxy.swallow_request(APPEND)
    held = proxy.hold_request(APPEND)
    theirs = plain(start(game))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(store.append, game, start(game), plain(start(game)))
        assert held.arrived.wait(10)
        assert other.append(game, start(game), theirs) == Appended()
        held.release()
        assert answer.result(10) == Conflict((theirs,))
    assert entries(server, game) == [1]


def test_one_sending_is_one_request_because_the_client_repeats_nothing(
    between: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store = opened(between.url, patience=0.0, answer=0.2)
    warm(store, between)
    for number, lose in enumerate(LOSSES, 1):
        lose(between)
        with pytest.raises(Unreachable, match="not known: repeat it with the same key"):
            store.append(game, start(game), plain(start(game)))
        assert between.count(APPEND) == number
    lost = "XRANGE"
    between.swallow_reply(lost)
    with pytest.raises(Unreachable):
        store.read(game)
    assert between.count(lost) == 1


def test_only_what_a_connection_needs_is_said_before_the_first_command(
    between: Proxy, server: Server, opened: Opened, game: str
) -> None:
    opened(between.url).read(game)
    assert set(between.received) <= {"HELLO", "CLIENT", "SELECT", "INFO", "XRANGE"}
    assert len(between.received) <= 5


def test_a_late_reply_is_not_taken_for_the_answer_of_the_next_call(
    between: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store = opened(between.url, patience=0.0, answer=0.2)
    warm(store, between)
    commits = chain(game, 1)
    held = between.hold_request(APPEND)
    with pytest.raises(Unreachable):
        store.append(game, start(game), commits[0])
    held.release()
    for _ in range(3):
        assert store.read(game) == tuple(commits)
        assert store.frozen(game) is None


def test_a_lost_reply_of_a_freeze_keeps_the_first_proof(proxy: Proxy, server: Server, opened: Opened, game: str) -> None:
    store = opened(proxy.url)
    proof = FrozenGame(1, "ab" * 32, "{}")
    proxy.swallow_reply("SET")
    store.freeze(game, proof)
    assert proxy.count("SET") == 2
    store.freeze(game, FrozenGame(2, "cd" * 32, "{}"))
    assert store.frozen(game) == proof


def test_reading_outlives_a_lost_reply_and_a_cut_connection(proxy: Proxy, server: Server, opened: Opened, game: str) -> None:
    store = opened(proxy.url)
    store.append(game, start(game), commit := plain(start(game)))
    proxy.swallow_reply("XRANGE")
    assert store.read(game) == (commit,)
    proxy.cut()
    assert store.read(game) == (commit,)
    proxy.swallow_reply("SCAN")
    assert game in set(store.games())


def test_a_refused_connection_is_mended_before_the_next_try(proxy: Proxy, server: Server, opened: Opened, game: str) -> None:
    mended = threading.Event()

    def mend() -> None:
        mended.set()
        proxy.accept()

    store = opened(proxy.url, mend=mend)
    warm(store, proxy)
    proxy.refuse()
    assert store.append(game, start(game), plain(start(game))) == Appended()
    assert mended.is_set()
    assert entries(server, game) == [1]


def test_silence_is_no_reason_to_mend(proxy: Proxy, server: Server, opened: Opened, game: str) -> None:
    mended = threading.Event()
    store = opened(proxy.url, mend=mended.set)
    warm(store, proxy)
    proxy.swallow_reply(APPEND)
    assert store.append(game, start(game), plain(start(game))) == Appended()
    assert not mended.is_set()


def test_what_could_not_be_mended_is_said(proxy: Proxy, opened: Opened, game: str) -> None:
    def mend() -> None:
        raise RuntimeError("the disk is full")

    store = opened(proxy.url, mend=mend)
    proxy.refuse()
    with pytest.raises(Unreachable, match="could not be started again: the disk is full"):
        store.append(game, start(game), plain(start(game)))


def test_a_restart_between_loading_and_calling_the_script_is_outlived(
    proxy: Proxy, server: Server, opened: Opened, game: str
) -> None:
    store = opened(proxy.url)
    with server.client() as admin:
        admin.script_flush()
        held = proxy.hold_request(APPEND)
        again = proxy.hold_request(APPEND)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(store.append, game, start(game), plain(start(game)))
            assert held.arrived.wait(10)
            held.release()
            assert again.arrived.wait(10)
            admin.script_flush()
            again.release()
            assert answer.result(10) == Appended()
    assert entries(server, game) == [1]


def test_an_entry_has_the_version_as_its_id(server: Server, opened: Opened, game: str) -> None:
    commit = plain(start(game), "one", "two", "three", "four")
    opened(server.url).append(game, start(game), commit)
    with server.client() as admin:
        [(identifier, fields)] = admin.xrange(keys.stream(game))
    assert identifier == b"4-0"
    assert fields == dict(entry.fields(commit))


def test_a_note_whose_reply_is_lost_is_in_the_journal_once(between: Proxy, server: Server, opened: Opened) -> None:
    store, direct = opened(between.url), opened(server.url)
    before = len(direct.notes())
    store.notes()
    between.swallow_reply("XADD")
    note = Note("hide", 1, "rude", name=fresh_game())
    store.note(note)
    store.note(Note("unhide", 2, "a mistake", name=note.name))
    assert [one.kind for one in direct.notes(before)] == ["hide", "unhide"]
