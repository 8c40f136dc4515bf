"""The live form of the events: ids, resuming, heartbeat, reset, and a thread that is free again when its client has gone."""

import http.client
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from service.client.http import Client
from service.http import stream as stream_module
from service.runtime.server_process import ServerProcess
from tests.api.players import Table
from tests.kit.waiting import eventually

Frame = dict[str, Any]


class Listener:
    """An open stream, read frame by frame."""

    def __init__(self, server: ServerProcess, game: str, token: str | None = None, *, after: int = 0, **headers: str) -> None:
        self._connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
        sent = {"Accept": "text/event-stream", **headers, **({"Authorization": f"Bearer {token}"} if token else {})}
        self._connection.request("GET", f"/v1/games/{game}/events?after={after}", headers=sent)
        self._socket = self._connection.sock
        self.response = self._connection.getresponse()
        self.status = self.response.status

    def frame(self) -> Frame:
        """The next frame; a comment is a frame with that alone."""
        found: Frame = {}
        while True:
            raw = self.response.readline()
            assert raw, "the stream has ended"
            line = raw.decode().rstrip("\n")
            if not line and found:
                return found
            name, _, value = line.partition(": ")
            found[name or "comment"] = json.loads(value) if name == "data" else value

    def events(self, count: int) -> list[Frame]:
        """The next `count` frames with data."""
        found: list[Frame] = []
        while len(found) < count:
            frame = self.frame()
            if "data" in frame:
                found.append(frame)
        return found

    def close(self) -> None:
        self.response.close()
        self._connection.close()


def opened(server: ServerProcess, game: str, token: str | None = None, *, after: int = 0, **headers: str) -> Listener:
    """A stream, once there is a place for it: the streams of the test before free theirs within a heartbeat or two."""
    found: list[Listener] = []

    def attempt() -> bool:
        stream = Listener(server, game, token, after=after, **headers)
        if stream.status == 200:
            found.append(stream)
        else:
            stream.close()
        return bool(found)

    eventually(attempt, 15)
    return found[0]


@pytest.fixture(scope="module")
def live(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A real server with a quick heartbeat and few threads."""
    directory: Path = tmp_path_factory.mktemp("live")
    environment = {
        **os.environ,
        "TRICKBOOK_REDIS_URL": redis_url,
        "TRICKBOOK_DATA": str(directory / "data"),
        "TRICKBOOK_SECRET": bytes(range(32)).hex(),
        "TRICKBOOK_SIGNING_KEY": bytes(range(1, 33)).hex(),
        "TRICKBOOK_CREATE_LIMIT": "0",
        "TRICKBOOK_HEARTBEAT_SECONDS": "1",
        "TRICKBOOK_THREADS": "8",
    }
    started = ServerProcess.start(
        "service.runtime.web_process:create_from_environment",
        log=directory / "log",
        env=environment,
        workers=1,
        threads=8,
        silence=1.0,
    )
    with started:
        yield started


@pytest.fixture
def seats(live: ServerProcess) -> tuple[str, Client, Client]:
    north, south = Client(live.url), Client(live.url)
    made = north.create("Ann")
    south.join(made["game"], "Bo", made["invite"])
    return made["game"], north, south


def test_events_come_as_they_are_made_with_their_seq_as_id(live: ServerProcess, seats: Any) -> None:
    game, north, _ = seats
    stream = opened(live, game)
    assert (stream.status, stream.response.headers["Content-Type"]) == (200, "text/event-stream")
    before = stream.events(4)
    assert [frame["id"] for frame in before] == ["1", "2", "3", "4"]
    north.move(game, {"type": "look"})
    (looked,) = stream.events(1)
    assert (looked["id"], looked["event"], looked["data"]["public"]["type"]) == ("5", "event", "looked")
    assert looked["data"] == Client(live.url).get(f"/v1/games/{game}/events?after=4")["events"][0]
    stream.close()


def test_a_seat_gets_its_own_sealed_parts_and_a_spectator_none(live: ServerProcess, seats: Any) -> None:
    game, north, south = seats
    north.move(game, {"type": "look"})
    north.move(game, {"type": "keep"})
    for token, sealed in ((north.token, [True, False]), (south.token, [False, False]), (None, [False, False])):
        stream = opened(live, game, token, after=5)
        assert [("sealed" in frame["data"]) for frame in stream.events(2)] == sealed
        stream.close()


def test_last_event_id_resumes_without_a_gap_or_a_double(live: ServerProcess, seats: Any) -> None:
    game, north, _ = seats
    stream = opened(live, game)
    last = stream.events(3)[-1]["id"]
    stream.close()
    north.move(game, {"type": "look"})
    again = opened(live, game, **{"Last-Event-ID": last})
    assert [frame["id"] for frame in again.events(2)] == ["4", "5"]
    again.close()


@pytest.mark.parametrize("told", ["999", "x", "-1", "4.5"])
def test_an_impossible_last_event_id_is_answered_with_a_reset_that_holds_the_view(
    live: ServerProcess, seats: Any, told: str
) -> None:
    game, north, _ = seats
    stream = opened(live, game, north.token, **{"Last-Event-ID": told})
    (reset,) = stream.events(1)
    assert reset["event"] == "reset"
    assert "id" not in reset
    assert (reset["data"]["version"], reset["data"]["you"]["seat"]) == (4, "north")
    north.move(game, {"type": "look"})
    assert stream.events(1)[0]["id"] == "5"
    stream.close()


def test_a_quiet_stream_gives_signs_of_life_without_an_id(live: ServerProcess, seats: Any) -> None:
    game, _, _ = seats
    stream = opened(live, game, after=4)
    frames = [stream.frame() for _ in range(3)]
    assert frames[0] == {"retry": "2000"}
    assert all(frame == {"comment": "still here"} for frame in frames[1:])
    stream.close()


def test_two_streams_a_seat_and_four_an_address_and_then_429(live: ServerProcess, seats: Any) -> None:
    game, north, south = seats
    open_ = [opened(live, game, token) for token in (north.token, north.token)]
    third = Listener(live, game, north.token)
    assert third.status == 429
    assert int(third.response.headers["Retry-After"]) > 0
    open_ += [opened(live, game, token) for token in (south.token, south.token)]
    assert [stream.status for stream in open_] == [200] * 4
    fifth = Listener(live, game)
    assert fifth.status == 429
    for stream in (*open_, third, fifth):
        stream.close()

    def another() -> bool:
        stream = Listener(live, game, north.token)
        stream.close()
        return stream.status == 200

    eventually(another, 10)


def test_a_place_is_free_again_when_its_client_has_gone(live: ServerProcess, seats: Any) -> None:
    game, _, _ = seats
    for _ in range(3):
        streams = [opened(live, game) for _ in range(4)]
        for stream in streams:
            stream.close()


def test_a_client_that_reads_nothing_is_given_up_and_holds_nobody(live: ServerProcess) -> None:
    with socket.create_connection((live.host, live.port)) as silent:
        silent.setblocking(False)
        ask = b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        for _ in range(100):  # more than the buffers between us hold
            silent.sendall(ask)

        def given_up() -> bool:
            try:
                silent.send(b"\r\n")
            except BlockingIOError:
                return False
            except OSError:
                return True
            return False

        eventually(given_up, 20)


def test_streams_of_one_seat_and_of_both_get_every_event_once_while_the_game_is_played_to_its_end(
    live: ServerProcess, seats: Any
) -> None:
    game, north, south = seats
    streams = {
        name: opened(live, game, token) for name, token in (("n1", north.token), ("n2", north.token), ("s", south.token))
    }
    streams["spectator"] = opened(live, game)
    for client, move in ((north, "look"), (north, "keep"), (south, "look"), (south, "pass"), (north, "resign")):
        client.move(game, {"type": move})
    tokens = {"n1": north.token, "n2": north.token, "s": south.token, "spectator": None}
    for name, stream in streams.items():
        told = Client(live.url, tokens[name]).get(f"/v1/games/{game}/events")["events"]
        assert told[-1]["public"]["type"] == "game_ended"
        frames = stream.events(len(told))
        assert [frame["id"] for frame in frames] == [str(seq) for seq in range(1, len(told) + 1)], name
        assert frames[-1]["data"] == told[-1], name
        stream.close()


STREAMED = {"Accept": "text/event-stream"}


def test_a_stream_ends_after_its_time_although_its_game_is_quiet(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "LONGEST_SECONDS", 0.3)
    began = time.monotonic()
    answer = table.client.get(f"/v1/games/{table.game}/events?after=4", headers=STREAMED)
    assert answer.data == b"retry: 2000\n\n"
    assert 0.3 <= time.monotonic() - began < 10  # a sign of life would have been due after 15 s


def test_beyond_half_of_the_threads_a_stream_is_told_when_to_come_again(make_app: Callable[..., Flask], table: Table) -> None:
    app = make_app(threads=4)
    address = f"/v1/games/{table.game}/events"
    held = [app.test_client().get(address, headers=STREAMED, buffered=False) for _ in range(2)]
    refused = app.test_client().get(address, headers=STREAMED)
    assert (refused.status_code, refused.json["code"]) == (429, "too_many_requests")
    assert int(refused.headers["Retry-After"]) > 0
    held[0].close()
    again = app.test_client().get(address, headers=STREAMED, buffered=False)
    assert again.status_code == 200
    for one in (held[1], again):
        one.close()


def test_what_the_end_opens_is_opened_in_the_stream_too(table: Table, make_app: Callable[..., Flask]) -> None:
    """The last commit of a game holds sealed parts of its own that everybody may have from then on."""
    other = make_app().test_client()
    stream = other.get(f"/v1/games/{table.game}/events", headers=STREAMED, buffered=False)
    table.move("north", "resign")
    told = other.get(f"/v1/games/{table.game}/events").json["events"]
    frames = b""
    for piece in stream.response:
        frames += piece
        if b"game_ended" in frames:
            break
    stream.close()
    data = [json.loads(line[6:]) for line in frames.decode().splitlines() if line.startswith("data: ")]
    assert data == told
