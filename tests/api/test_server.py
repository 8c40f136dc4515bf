"""What only a wire and several processes can show: the real server, two workers, a real store."""

import json
import random
import socket
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cli.demo import play
from service.bots import random_move
from service.client.http import Client, ClientError
from service.runtime.server_process import ServerProcess


def test_two_bots_play_a_whole_game_over_http_and_it_audits_well(server: ServerProcess) -> None:
    game, moves = play(server.url)
    assert moves > 100
    spectator = Client(server.url)
    assert spectator.view(game)["phase"] == "ended"
    assert spectator.get(f"/v1/games/{game}/audit")["verdict"] == "ok"


def test_sixteen_games_at_once_mix_nothing_up(server: ServerProcess) -> None:
    def some_moves(seed: int) -> tuple[str, list[int]]:
        seats = {"north": Client(server.url), "south": Client(server.url)}
        made = seats["north"].create(f"N{seed}")
        seats["south"].join(made["game"], f"S{seed}", made["invite"])
        chance, versions = random.Random(seed), []
        view = seats["north"].view(made["game"])
        for _ in range(40):
            seat = view["turn"]
            answer = seats[seat].move(made["game"], random_move(seats[seat].view(made["game"]), chance))
            versions += [event["public"]["seq"] for event in answer["events"]]
            view = answer["view"]
        return made["game"], versions

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(some_moves, range(16)))
    assert len({game for game, _ in results}) == 16
    for game, versions in results:
        assert versions == list(range(5, 5 + len(versions)))
        assert Client(server.url).view(game)["version"] == versions[-1]


def test_two_devices_of_one_seat_at_once_make_one_event(server: ServerProcess) -> None:
    north, south = Client(server.url), Client(server.url)
    made = north.create("Ann")
    game = made["game"]
    south.join(game, "Bo", made["invite"])

    def send(kind: str) -> str:
        try:
            return str(Client(server.url, north.token).move(game, {"type": kind})["version"])
        except ClientError as error:
            return error.code

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(send, ["look", "double_nil"] * 4))
    assert sorted(outcomes) == ["5"] + ["wrong_phase"] * 7


def _raw(server: ServerProcess, request: bytes) -> tuple[int, bytes]:
    with socket.create_connection((server.host, server.port), timeout=10) as wire:
        wire.sendall(request)
        answer = b""
        while piece := wire.recv(65536):
            answer += piece
    return int(answer.split(b" ", 2)[1]), answer.split(b"\r\n\r\n", 1)[1]


def test_a_chunked_body_is_read_and_one_that_is_too_large_is_not(server: ServerProcess) -> None:
    head = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
    body = b'{"name":"Ann"}'
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    assert _raw(server, chunked)[0] == 201
    large = b'{"name":"' + b"a" * 40_000 + b'"}'
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(large), large)
    status, answer = _raw(server, chunked)
    assert status == 413, answer
    assert b"too_large" in answer


@pytest.mark.parametrize(
    "path", ["/v1/games/%00", "/v1/games/..%2f..", "//", "/v1/games/\u00e9".encode().decode("latin-1"), "/%ff"]
)
def test_strange_addresses_are_problems_and_no_faults(server: ServerProcess, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode("latin-1")
    status, _ = _raw(server, request)
    assert status in (200, 400, 404)  # the first page may be asked for with a stroke too many


def test_a_repeated_key_gets_the_same_bytes_from_every_worker(server: ServerProcess) -> None:
    import urllib3

    pool = urllib3.PoolManager()
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4()), "Connection": "close"}
    answers = {pool.request("POST", f"{server.url}/v1/games", body=b'{"name":"Ann"}', headers=headers).data for _ in range(12)}
    assert len(answers) == 1


def test_waiting_over_the_wire_wakes_with_the_move(server: ServerProcess) -> None:
    north, south = Client(server.url), Client(server.url)
    made = north.create("Ann")
    joined: Any = south.join(made["game"], "Bo", made["invite"])
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(south.view, made["game"], joined["view"], 20)
        north.move(made["game"], {"type": "look"})
        assert waiting.result(10)["version"] == 5


def test_the_log_of_the_server_holds_no_token_key_or_invite(server: ServerProcess) -> None:
    north = Client(server.url)
    made = north.create("Ann")
    with pytest.raises(ClientError):
        Client(server.url, "wrong-token-wrong-token").view(made["game"])
    text = server.last_words()
    assert json.dumps(made["token"])[1:-1] not in text
    assert made["invite"] not in text
    assert "wrong-token" not in text
