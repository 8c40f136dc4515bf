"""Clients that check everything play on around disputes, and a stream goes on after the end of play."""

import io
import json
import random
import uuid

import pytest
import urllib3

from events import player_evidence, record
from projections.audit import from_record
from projections.verify import verify
from service.bots import any_move
from service.client.player import Player
from service.client.witness import Suspicion
from service.runtime.server_process import ServerProcess


@pytest.fixture
def lines() -> list[bytes]:
    return []


def seated(server: ServerProcess, lines: list[bytes], **rules: int) -> dict[str, Player]:
    north, south = Player(server.url, lines.append), Player(server.url)
    made = north.create("Ann", rules)
    south.join(north.game, "Bo", made["invite"])
    return {"north": north, "south": south}


def play(seats: dict[str, Player], moves: int, dice: random.Random) -> None:
    mover = seats["north"]
    while moves:
        mover.refresh(wait=0)
        if mover.ended:
            break
        mover = seats[mover.view["turn"]]
        mover.refresh(wait=0)
        if mover.must_reveal():
            mover.reveal()
            continue
        move = any_move(mover.view, dice)
        mover.move({"type": "look"} if move["type"] == "double_nil" else move)
        moves -= 1
    for player in seats.values():
        player.refresh(wait=0)


def dispute(player: Player) -> None:
    player.client.dispute(player.game, {"claim": {"result": {"north": 77}}, "note": "Hm."}, str(uuid.uuid4()))


def test_both_clients_check_a_dispute_and_play_on_and_the_record_verifies(server: ServerProcess, lines: list[bytes]) -> None:
    seats, dice = seated(server, lines, max_hands=1), random.Random(3)
    play(seats, 30, dice)
    dispute(seats["north"])
    for player in seats.values():
        player.refresh(wait=0)
        assert player.view["disputes"][0]["seat"] == "north"
    dispute(seats["south"])
    play(seats, 1000, dice)
    assert all(player.ended for player in seats.values())
    game, client = seats["north"].game, seats["south"].client
    raw = client.record(game).read()
    found = verify(from_record(record.read(io.BytesIO(raw))), player_evidence.read(lines))
    assert found.verdict == "verified", found.findings


def test_a_view_that_hides_an_open_dispute_stops_the_client(server: ServerProcess, lines: list[bytes]) -> None:
    seats = seated(server, lines)
    play(seats, 3, random.Random(1))
    dispute(seats["south"])
    north, real = seats["north"], seats["north"].client.view

    def without(game: str, **more: object) -> dict[str, object]:
        return {name: value for name, value in real(game).items() if name != "disputes"}

    north.client.view = without  # type: ignore[method-assign,assignment]
    with pytest.raises(Suspicion, match="disputes of the view"):
        north.refresh(wait=0)


def test_the_live_stream_tells_a_dispute_after_the_end(server: ServerProcess, lines: list[bytes]) -> None:
    seats = seated(server, lines)
    play(seats, 2, random.Random(1))
    mover = seats[seats["north"].view["turn"]]
    mover.refresh(wait=0)
    mover.move({"type": "resign"})
    last = mover.view["version"]
    pool = urllib3.PoolManager()
    headers = {"Accept": "text/event-stream"}
    stream = pool.request(
        "GET", f"{server.url}/v1/games/{mover.game}/events?after={last}", headers=headers, preload_content=False
    )
    dispute(mover)
    told = b""
    for chunk in stream.stream(64):
        told += chunk
        if b"dispute_opened" in told and told.endswith(b"\n\n"):
            break
    stream.close()
    assert f"id: {last + 1}\n".encode() in told
    data = next(line for line in told.split(b"\n") if line.startswith(b"data: "))
    assert json.loads(data[6:])["public"]["type"] == "dispute_opened"
    assert "sealed" not in json.loads(data[6:])
