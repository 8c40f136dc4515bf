"""What every store must do, in memory and on a server alike (events/store.py)."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import msgspec
import pytest

from events import keys
from events.journal import Note
from events.log import Commit, Stored, head_after
from events.memory import MemoryStore
from events.redis_store import RedisStore
from events.store import Appended, BadEntry, Conflict, FrozenGame, GameStore, HistoryLost, LogHead, start
from tests.kit.servers import Servers
from tests.store.commits import chain, fresh_game, place, plain, real, require_chain, write

PROOF = FrozenGame(7, "ab" * 32, '{"receipt":1}')
LONG = 10.0
"""Seconds nobody waits unless something is wrong."""


class TestAppend:
    def test_the_first_commit_goes_into_an_empty_log(self, store: GameStore, game: str) -> None:
        assert store.read(game) == ()
        commit = plain(start(game))
        assert store.append(game, start(game), commit) == Appended()
        assert store.read(game) == (commit,)

    def test_a_real_game_is_read_back_byte_for_byte(self, store: GameStore, game: str) -> None:
        commits = real(game, 90)
        write(store, game, commits)
        assert store.read(game) == tuple(commits)
        assert {len(commit.events) for commit in commits} >= {1, 2}
        require_chain(game, commits)

    def test_four_events_of_one_move_are_one_commit(self, store: GameStore, game: str) -> None:
        commit = plain(start(game), "one", "two", "three", "four")
        write(store, game, [commit])
        assert store.read(game) == (commit,)
        assert commit.seq == 4

    def test_parts_and_heads_may_hold_any_bytes(self, store: GameStore, game: str) -> None:
        anything = bytes(range(256)) * 8
        events = (Stored(anything), Stored(b"", anything), Stored(b"head", b""))
        write(store, game, [first := Commit(3, events, head_after(start(game).head, events), anything, b"by")])
        assert store.read(game) == (first,)

    def test_a_decision_on_an_old_version_gets_exactly_the_missing_commits(self, store: GameStore, game: str) -> None:
        commits = chain(game, 4)
        write(store, game, commits)
        for known in range(4):
            at = place(commits[known - 1]) if known else start(game)
            assert store.append(game, at, plain(at)) == Conflict(tuple(commits[known:]))
        assert store.read(game) == tuple(commits)

    def test_a_log_shorter_than_expected_is_lost(self, store: GameStore, game: str) -> None:
        commits = chain(game, 3)
        write(store, game, commits[:2])
        assert store.append(game, place(commits[2]), plain(place(commits[2]))) == HistoryLost(2)
        assert store.read(game) == tuple(commits[:2])

    def test_an_empty_log_that_should_hold_something_is_lost(self, store: GameStore, game: str) -> None:
        at = place(plain(start(game)))
        assert store.append(game, at, plain(at)) == HistoryLost(0)
        assert store.read(game) == ()

    @pytest.mark.parametrize("later", [0, 2], ids=["at the end", "further back"])
    def test_another_head_at_the_expected_version_is_lost(self, store: GameStore, game: str, later: int) -> None:
        here, elsewhere = chain(game, 2 + later), chain(game, 2)
        write(store, game, here)
        at = place(elsewhere[1])
        assert store.append(game, at, plain(at)) == HistoryLost(2 + later)
        assert store.read(game) == tuple(here)

    def test_another_head_before_the_first_event_is_lost(self, store: GameStore, game: str) -> None:
        at = LogHead(0, b"\0" * 32)
        assert store.append(game, at, plain(at)) == HistoryLost(0)
        assert store.read(game) == ()
        assert store.read(game, at) == HistoryLost(0)

    @pytest.mark.parametrize("more", [0, 1], ids=["of the last commit", "of an earlier commit"])
    def test_a_version_in_the_middle_of_a_commit_is_lost(self, store: GameStore, game: str, more: int) -> None:
        commit = plain(start(game), "one", "two", "three")
        rest = chain(game, more, after=place(commit))
        write(store, game, [commit, *rest])
        middle = LogHead(2, head_after(start(game).head, commit.events[:2]))
        assert store.append(game, middle, plain(middle)) == HistoryLost(3 + more)
        assert store.read(game, middle) == HistoryLost(3 + more)
        assert store.read(game) == (commit, *rest)

    @pytest.mark.parametrize("later", [0, 3])
    def test_the_same_commit_of_another_caller_is_in_once_and_given_back(self, store: GameStore, game: str, later: int) -> None:
        commits = real(game, 2 + later)
        write(store, game, commits)
        assert store.append(game, place(commits[0]), commits[1]) == Conflict(tuple(commits[1:]))
        assert store.append(game, start(game), commits[0]) == Conflict(tuple(commits))
        assert store.read(game) == tuple(commits)

    @pytest.mark.parametrize("part", ["receipt", "by"])
    def test_the_same_events_for_somebody_else_are_another_commit(self, store: GameStore, game: str, part: str) -> None:
        commit = plain(start(game), "bid 3")
        write(store, game, [commit])
        other = msgspec.structs.replace(commit, **{part: b'{"seat":"south"}'})
        assert store.append(game, start(game), other) == Conflict((commit,))

    def test_an_announced_commit_is_in_the_log_like_any_other(self, store: GameStore, game: str) -> None:
        first, second = chain(game, 2)
        assert store.append(game, start(game), first, announce=True) == Appended()
        assert store.append(game, start(game), plain(start(game)), announce=True) == Conflict((first,))
        assert store.append(game, place(first), second, announce=True) == Appended()
        assert store.read(game) == (first, second)

    def test_games_do_not_mix(self, store: GameStore, game: str) -> None:
        other = fresh_game()
        ours, theirs = chain(game, 2), chain(other, 3)
        write(store, game, ours)
        write(store, other, theirs)
        assert store.read(game) == tuple(ours)
        assert store.read(other) == tuple(theirs)
        assert store.append(other, place(ours[0]), plain(place(ours[0]))) == HistoryLost(3)

    def test_a_commit_that_does_not_follow_the_expected_place_is_a_fault(self, store: GameStore, game: str) -> None:
        commits = chain(game, 3)
        for at, commit in [
            (start(game), commits[1]),
            (place(commits[0]), commits[2]),
            (start(game), Commit(0, (), start(game).head, b"{}", b"{}")),
        ]:
            with pytest.raises(ValueError, match="follow"):
                store.append(game, at, commit)
        assert store.read(game) == ()

    def test_of_two_writers_at_once_one_appends_and_the_other_is_told_what(self, store: GameStore, game: str) -> None:
        at = start(game)
        with ThreadPoolExecutor(2) as pool:
            for _ in range(40):
                ready = threading.Barrier(2)

                def send(
                    commit: Commit, at: LogHead = at, ready: threading.Barrier = ready
                ) -> Appended | Conflict | HistoryLost:
                    ready.wait(LONG)
                    return store.append(game, at, commit)

                pair = plain(at), plain(at)
                answers = list(pool.map(send, pair))
                winner = answers.index(Appended())
                assert answers[1 - winner] == Conflict((pair[winner],))
                at = place(pair[winner])
        commits = store.read(game)
        assert isinstance(commits, tuple)
        assert len(commits) == 40
        require_chain(game, commits)


class TestRead:
    def test_after_each_place_stand_the_commits_that_follow(self, store: GameStore, game: str) -> None:
        commits = real(game, 5)
        write(store, game, commits)
        assert store.read(game, start(game)) == tuple(commits)
        for index, commit in enumerate(commits):
            assert store.read(game, place(commit)) == tuple(commits[index + 1 :])

    def test_a_place_that_is_gone_is_lost(self, store: GameStore, game: str) -> None:
        commits = chain(game, 2)
        write(store, game, commits)
        assert store.read(game, place(chain(game, 1)[0])) == HistoryLost(2)
        assert store.read(game, LogHead(3, commits[1].head)) == HistoryLost(2)
        assert store.read(fresh_game(), place(commits[0])) == HistoryLost(0)

    def test_the_place_of_a_version_is_where_the_last_commit_before_it_ends(self, store: GameStore, game: str) -> None:
        commits = real(game, 6)
        write(store, game, commits)
        ends = {commit.seq: place(commit) for commit in commits}
        right = start(game)
        for version in range(commits[-1].seq + 3):
            right = ends.get(version, right)
            assert store.place(game, version) == right
        assert store.place(fresh_game(), 5).version == 0

    def test_everything_is_all_there_is(self, store: GameStore, game: str) -> None:
        assert store.everything(game) == ()
        commits = chain(game, 4)
        write(store, game, commits)
        assert store.everything(game) == tuple(commits)

    def test_a_fresh_game_is_empty_and_no_game(self, store: GameStore, game: str) -> None:
        assert store.read(game) == store.read(game, start(game)) == ()
        assert game not in set(store.games())


class TestGames:
    def test_each_game_is_listed_once_and_a_frozen_mark_is_no_game(self, store: GameStore) -> None:
        mine = {fresh_game() for _ in range(40)}
        for game in mine:
            write(store, game, chain(game, 2))
        store.freeze(frozen := fresh_game(), PROOF)
        listed = list(store.games())
        assert mine <= set(listed)
        assert frozen not in listed
        assert len(listed) == len(set(listed))

    def test_records_from_elsewhere_are_listed_apart_from_our_games(self, store: GameStore) -> None:
        mine = {fresh_game() for _ in range(5)}
        for game in mine:
            store.keep_import(game, b"a record")
        assert mine <= set(store.imports())
        assert not mine & set(store.games())


class TestEnds:
    def test_each_log_is_told_by_its_first_and_last_commit_in_the_order_asked_for(self, store: GameStore) -> None:
        logs = {fresh_game(): length for length in (1, 2, 5)}
        written = {game: chain(game, length) for game, length in logs.items()}
        for game, commits in written.items():
            write(store, game, commits)
        asked = [*written, fresh_game()]
        assert list(store.ends(asked)) == [(game, commits[0], commits[-1]) for game, commits in written.items()]

    def test_many_games_are_told_at_a_time(self, store: GameStore) -> None:
        games = [fresh_game() for _ in range(1203)]
        for game in (games[0], games[600], games[-1]):
            write(store, game, chain(game, 2))
        assert [game for game, _, _ in store.ends(iter(games))] == [games[0], games[600], games[-1]]

    def test_a_game_with_an_entry_of_somebody_else_is_left_out(self, servers: Servers) -> None:
        store = RedisStore(servers.start().url)
        good, bad = fresh_game(), fresh_game()
        for game in (good, bad):
            write(store, game, chain(game, 2))
        store.client.xadd(keys.stream(bad), {"not": "ours"}, id="99-0")
        assert [game for game, _, _ in store.ends([bad, good])] == [good]
        store.close()


class TestNow:
    def test_it_is_milliseconds_since_1970_and_does_not_stand_still(self, store: GameStore) -> None:
        before = time.time_ns() // 1_000_000
        first, second = store.now(), store.now()
        assert before <= first <= second <= time.time_ns() // 1_000_000

    def test_a_store_in_memory_has_the_clock_it_is_given(self) -> None:
        assert MemoryStore(lambda: 7).now() == 7


class TestJournal:
    def test_notes_are_kept_in_order_and_can_be_read_on(self, store: GameStore) -> None:
        before = len(store.notes())
        notes = (Note("hide", 1, "rude", name=fresh_game()), Note("end", 2, "asked for — twice", game=fresh_game()))
        for note in notes:
            store.note(note)
        assert store.notes(before) == notes
        assert store.notes(before + 1) == notes[1:]
        assert store.notes(before + 2) == ()

    def test_notes_of_many_at_once_are_each_there_once(self, store: GameStore) -> None:
        before = len(store.notes())
        notes = [Note("hide", number, "at once", name=fresh_game()) for number in range(40)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(store.note, notes))
        assert sorted(note.at for note in store.notes(before)) == list(range(40))

    def test_what_nobody_of_ours_wrote_is_said_to_be_so(self, servers: Servers) -> None:
        store = RedisStore(servers.start().url)
        store.client.xadd(keys.OPERATOR, {"note": "{}"}, id="1-0")
        with pytest.raises(BadEntry, match="operator"):
            store.notes()
        store.close()


class TestFreeze:
    def test_nothing_is_appended_to_a_frozen_game(self, store: GameStore, game: str) -> None:
        commits = chain(game, 3)
        write(store, game, commits[:2])
        store.freeze(game, PROOF)
        assert store.append(game, place(commits[1]), commits[2]) == HistoryLost(2)
        assert store.append(game, place(commits[0]), plain(place(commits[0]))) == HistoryLost(2)
        assert store.read(game) == tuple(commits[:2])

    def test_a_game_whose_log_has_gone_altogether_stays_frozen(self, store: GameStore, game: str) -> None:
        store.freeze(game, PROOF)
        assert store.append(game, start(game), plain(start(game))) == HistoryLost(0)
        assert store.read(game) == ()

    def test_the_first_proof_stays(self, store: GameStore, game: str) -> None:
        assert store.frozen(game) is None
        store.freeze(game, PROOF)
        store.freeze(game, FrozenGame(8, "cd" * 32, "{}"))
        assert store.frozen(game) == PROOF
        assert store.frozen(fresh_game()) is None

    def test_other_games_go_on(self, store: GameStore, game: str) -> None:
        store.freeze(game, PROOF)
        write(store, other := fresh_game(), chain(other, 2))


class TestClaim:
    @pytest.fixture(params=["memory", "redis"])
    def empty_store(self, request: pytest.FixtureRequest, servers: Servers) -> Iterator[GameStore]:
        """A store that is nobody's: the server all tests share may be somebody's."""
        if request.param == "memory":
            yield MemoryStore()
            return
        store = RedisStore(servers.start().url)
        yield store
        store.close()

    def test_the_first_identity_is_kept_and_everybody_is_told_it(self, empty_store: GameStore) -> None:
        ours = {"key": "aa", "secret": "bb"}
        assert empty_store.claim(ours) == ours
        assert empty_store.claim({"key": "cc", "secret": "dd"}) == ours
        assert empty_store.claim(ours) == ours
        empty_store.claim(ours).clear()
        assert empty_store.claim(ours) == ours

    def test_of_many_at_once_one_identity_wins(self, empty_store: GameStore) -> None:
        with ThreadPoolExecutor(8) as pool:
            found = set(pool.map(lambda n: empty_store.claim({"key": str(n)})["key"], range(8)))
        assert len(found) == 1


@contextmanager
def waiting(*calls: Callable[[], bool]) -> Iterator[list[bool]]:
    """Runs waits in threads of their own; the list is filled with their answers when the block is left."""
    answers: list[bool] = []
    with ThreadPoolExecutor(len(calls)) as pool:
        running = [pool.submit(call) for call in calls]
        yield answers
        answers += [one.result(LONG * 2) for one in running]


class TestWait:
    def test_news_from_before_is_told_at_once(self, store: GameStore, game: str) -> None:
        write(store, game, [plain(start(game), "one", "two")])
        began = time.monotonic()
        assert store.wait(game, 0, LONG)
        assert store.wait(game, 1, LONG)
        assert time.monotonic() - began < LONG / 2

    def test_no_news_is_told_when_the_time_is_over(self, store: GameStore, game: str) -> None:
        write(store, game, chain(game, 2))
        began = time.monotonic()
        assert not store.wait(game, 2, 0.15)
        assert not store.wait(fresh_game(), 0, 0.15)
        assert 0.3 <= time.monotonic() - began < LONG / 2
        assert not store.wait(game, 2, 0)

    def test_news_wakes_who_waits_for_it(self, store: GameStore, game: str) -> None:
        commits = chain(game, 5)
        began = time.monotonic()
        at = start(game)
        for commit in commits:
            with waiting(partial(store.wait, game, at.version, LONG)) as answers:
                write(store, game, [commit], at)
            assert answers == [True]
            at = place(commit)
        assert time.monotonic() - began < LONG / 2

    def test_many_wait_for_one_game_each_from_a_version_of_its_own(self, store: GameStore, game: str) -> None:
        commits = chain(game, 20)
        write(store, game, commits[:10])
        began = time.monotonic()
        with waiting(*(partial(store.wait, game, version, LONG) for version in range(20))) as answers:
            write(store, game, commits[10:], place(commits[9]))
        assert answers == [True] * 20
        assert time.monotonic() - began < LONG / 2

    def test_news_of_other_games_wakes_nobody(self, store: GameStore, game: str) -> None:
        other = fresh_game()
        with waiting(partial(store.wait, game, 0, 0.3), partial(store.wait, other, 0, LONG)) as answers:
            write(store, other, chain(other, 5))
        assert answers == [False, True]

    def test_many_games_are_waited_for_at_once(self, store: GameStore) -> None:
        games = [fresh_game() for _ in range(50)]
        began = time.monotonic()
        with waiting(*(partial(store.wait, game, 0, LONG) for game in games)) as answers:
            for game in games:
                write(store, game, chain(game, 1))
        assert answers == [True] * 50
        assert time.monotonic() - began < LONG / 2

    def test_a_player_and_a_bot_take_turns_by_waiting(self, store: GameStore, game: str) -> None:
        commits = chain(game, 60)
        began = time.monotonic()

        def play(parity: int) -> bool:
            for index, commit in enumerate(commits):
                at = place(commits[index - 1]) if index else start(game)
                if index % 2 == parity:
                    write(store, game, [commit], at)
                elif not store.wait(game, index, LONG):
                    return False
            return True

        with waiting(partial(play, 0), partial(play, 1)) as answers:
            pass
        assert answers == [True, True]
        assert store.read(game) == tuple(commits)
        assert time.monotonic() - began < LONG / 2
