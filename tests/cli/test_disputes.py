"""`trickbook dispute` from the player's word to the operator's, at a real service and on its store."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cli.playing.session import Session, Shelf
from events import player_evidence, record
from events.ruleset import with_options
from projections.audit import from_commits
from service.bots import any_move
from service.client.http import Client
from service.games.exporting import record_for
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer
from service.runtime.server_process import ServerProcess
from tests.cli.conftest import Result, play_game
from tests.kit.disputes import miscounting, more

Run = Callable[..., Result]


class Played(msgspec.Struct, frozen=True):
    """A finished game at the service, and both tokens."""

    url: str
    game: str
    tokens: dict[str, str]
    totals: dict[str, int]


@pytest.fixture
def operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The identity of the running service, and a data directory."""
    monkeypatch.setenv("TRICKBOOK_SECRET", bytes(range(32)).hex())
    monkeypatch.setenv("TRICKBOOK_SIGNING_KEY", bytes(range(1, 33)).hex())
    monkeypatch.setenv("TRICKBOOK_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture(scope="module")
def played(server: ServerProcess) -> Played:
    north, south = Client(server.url), Client(server.url)
    made = north.create("Ann", {"max_hands": 1})
    game, dice = made["game"], random.Random(5)
    south.join(game, "Bo", made["invite"])
    seats = {"north": north, "south": south}
    while (turn := north.view(game).get("turn")) is not None:
        move = any_move(seats[turn].view(game), dice)
        seats[turn].move(game, {"type": "look"} if move["type"] == "double_nil" else move)
    totals = {seat: player["total"] for seat, player in north.view(game)["seats"].items()}
    assert north.token
    assert south.token
    return Played(server.url, game, {"north": north.token, "south": south.token}, totals)


def test_a_dispute_from_the_players_word_to_the_operators(
    trickbook: Run, played: Played, operator: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRICKBOOK_TOKEN", played.tokens["south"])
    claim = f"bo={played.totals['south'] + 11},north={played.totals['north']}"
    opened = trickbook(
        "dispute", "open", f"{played.url}/g/{played.game}", "--claim", claim, "--at", "1.s", "--note", "I had a nil!"
    )
    assert opened.code == 0, opened.err
    assert opened.out.startswith(f"Dispute 1 of game {played.game} is open (v")
    assert played.tokens["south"] not in opened.out + opened.err
    monkeypatch.delenv("TRICKBOOK_TOKEN")

    listed = trickbook("dispute", "list", played.game)
    assert listed.out.splitlines()[1].split()[:2] == ["1", "south"]
    assert "open" in listed.out
    shown = trickbook("dispute", "show", played.game, "1")
    assert shown.code == 1
    assert "note: I had a nil!" in shown.out
    assert "claim: wrong  the end, south: you have total" in shown.out
    assert "the recorded score is what the plays make it" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    data = json.loads(trickbook("dispute", "show", played.game, "1", "--format", "json").out)
    assert data["note"] == "I had a nil!"
    assert data["report"]["claim"]["holds"] is False

    reason = "The plays make it so: see hand 1."
    unfounded = trickbook("dispute", "settle", played.game, "1", "--upheld", "--reason", reason, "--correct", "1:south=3")
    assert unfounded.code == 1
    assert "nothing to correct" in unfounded.err
    settled = trickbook("dispute", "settle", played.game, "1", "--rejected", "--reason", reason)
    assert settled.code == 0, settled.err
    assert settled.out.startswith(f"Dispute 1 of game {played.game} is rejected (v")
    again = trickbook("dispute", "settle", played.game, "1", "--upheld", "--reason", reason)
    assert again.code == 2
    assert "was rejected at v" in again.err
    assert reason in trickbook("dispute", "show", played.game, "1").out.replace("\n  ", " ")
    for command in (("replay", played.game), ("events", played.game), ("audit", played.game), ("show", played.game)):
        result = trickbook(*command)
        assert result.code == 0, (command, result.err)
        assert "I had a nil" not in result.out
    exported = trickbook("export", played.game)
    (tmp_path / "game.ndjson").write_text(exported.out, "utf-8")
    assert "I had a nil" not in exported.out
    from_file = trickbook("dispute", "show", str(tmp_path / "game.ndjson"), "1")
    assert from_file.code == 1
    assert "note:" not in from_file.out


def test_the_token_is_the_one_that_play_kept(trickbook: Run, played: Played, operator: Path, tmp_path: Path) -> None:
    from service.embedded import prepare

    shelf = Shelf(prepare(operator).root)
    for seat, name in (("north", "Ann"), ("south", "Bo")):
        shelf.save(Session(game=played.game, seat=seat, name=name, server=played.url, token=played.tokens[seat], over=True))
    words = ("dispute", "open", played.game, "--claim", f"north={played.totals['north']}")
    both = trickbook(*words)
    assert both.code == 2
    assert "--as north or --as south" in both.err
    receipts = tmp_path / "my.receipts"
    key = Client(played.url).get("/v1/keys")["keys"][0]["id"]
    receipts.write_bytes(player_evidence.write(player_evidence.Pinned(played.game, key, "north")))
    done = trickbook(*words, "--receipts", str(receipts), "--format", "json")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert answer["dispute"]["seat"] == "north"
    assert json.loads(receipts.read_text().splitlines()[1])["receipt"] == answer["receipt"]
    assert trickbook(*words, "--as", "north").code == 4, "a second one about the same hand"
    verified = trickbook("verify", f"{played.url}/v1/games/{played.game}", "--receipts", str(receipts))
    assert verified.code == 0, verified.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("dispute", "open", "0k7f3x9q2m5v8w1c", "--claim", "north=1"), 4, "TRICKBOOK_TOKEN"),
        (("dispute", "open", "nothing", "--claim", "north=1"), 2, "no game"),
        (("dispute", "open", "0k7f3x9q2m5v8w1c", "--receipts", "/nowhere", "--claim", "north=1"), 5, "no file"),
        (("dispute", "settle", "0k7f3x9q2m5v8w1c", "1", "--reason", "x"), 2, "--upheld or --rejected"),
        (("dispute", "settle", "0k7f3x9q2m5v8w1c", "1", "--upheld", "--rejected", "--reason", "x"), 2, "one of them"),
        (("dispute", "settle", "0k7f3x9q2m5v8w1c", "1", "--upheld", "--reason", "a\nb"), 2, "control character"),
        (("dispute", "settle", "0k7f3x9q2m5v8w1c", "1", "--upheld", "--reason", "x" * 501), 2, "1 to 500"),
        (("dispute", "settle", "0k7f3x9q2m5v8w1c", "1", "--upheld", "--reason", "x", "--correct", "south=3"), 2, "HAND:SEAT"),
        (("dispute", "settle", "0k7f3x9q2m5v8w1c", "1", "--upheld", "--reason", "x"), 5, "no game"),
        (("dispute", "list", "0k7f3x9q2m5v8w1c"), 5, "no game"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    trickbook: Run, operator: Path, server: ServerProcess, words: tuple[str, ...], code: int, said: str
) -> None:
    result = trickbook(*words)
    assert (result.code, said in result.err) == (code, True), result.err
    assert "Traceback" not in result.err


def test_a_recorded_fault_is_shown_with_the_words_that_put_it_right_and_the_audit_calls_it_a_note(
    trickbook: Run, games: Games, tmp_path: Path
) -> None:
    from service.games.dispute_requests import Correction, NewDispute, Settlement
    from tests.kit.disputes import claim

    with miscounting(more(100), "north", (1,)):
        game = play_game(games, max_hands=1, seed=8)
    ask = NewDispute(claim(north=0), "1.s")
    games.dispute(game, "south", MoveRequest(b"d" * 22, {}), lambda: ask)
    shown = trickbook("dispute", "show", game, "1")
    assert shown.code == 1
    words = next(line for line in shown.out.splitlines() if "--correct" in line).split("--correct ")[1]
    points = int(words.partition("=")[2])
    assert words.startswith("1:north=")
    fix = Settlement("upheld", "An older version added 100.", (Correction(1, "north", points),))
    games.settle(game, 1, MoveRequest(b"s" * 22, {}), lambda: fix)
    audited = trickbook("audit", game)
    assert audited.code == 0
    assert "1.s  score_mended  north in hand 1" in audited.out
    assert "the score of hand 1 is corrected for north" in audited.out
    file = tmp_path / "mended.ndjson"
    file.write_bytes(record.write(record_for(game, games.log(game), "spectator", ended=True)))
    key = from_commits(game, games.log(game))
    pin = json.loads(key.events[0].public)["data"]["server_key"]["id"]
    verified = trickbook("verify", str(file), "--server-key", pin)
    assert verified.code == 0
    assert "score_mended" in verified.out
    text = trickbook("export", game, "--as", "text")
    assert text.code == 0
    assert trickbook("explain", game, "1.s").out.count("corrected later") == 1


def test_a_dispute_inside_a_hand_has_its_own_place_in_the_replay(trickbook: Run, games: Games) -> None:
    from service.games.dispute_requests import NewDispute
    from tests.kit.disputes import claim

    fresh = random.SystemRandom().randbytes(16)
    made = games.create(MoveRequest(fresh, {}), lambda: NewGame("Ann", with_options({}), "north"))
    game = made.game
    games.join(game, MoveRequest(fresh, {}), lambda: NewPlayer("Bo", made.invite))
    games.dispute(game, "south", MoveRequest(fresh * 2, {}), lambda: NewDispute(claim(south=3), None, ""))
    told = trickbook("replay", game).out
    assert " Disputes\n  v5  south disputes the score: dispute 1, about v4" in told
    assert trickbook("replay", game, "--format", "json").code == 0


@pytest.mark.parametrize("hands", [[{"hand": 9, "north": {"total": 1}}], [{"hand": 1, "north": {"bags": 1}}] * 2, []])
def test_a_record_with_a_claim_that_cannot_be_is_told_in_a_sentence(
    trickbook: Run, tmp_path: Path, hands: list[object]
) -> None:
    from tests.verify.damage import Parts, by_the_service
    from tests.verify.disputed import disputed_game

    parts = Parts(record.write(disputed_game(4).record()))
    parts.events[parts.where("dispute_opened")[0]]["public"]["data"]["claim"] = {"hands": hands}
    file = tmp_path / "forged.ndjson"
    file.write_bytes(by_the_service(parts))
    shown = trickbook("dispute", "show", str(file), "1")
    assert shown.code == 3
    assert "trickbook audit" in shown.err
    assert "Traceback" not in shown.err
    assert trickbook("dispute", "list", str(file)).code == 0
