"""The real commands at a service that lies on the wire: a sentence that names it, the evidence kept, the right exit code."""

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.player_evidence import Evidence, read
from events.record import MAX_LINE
from service.client.http import Client
from tests.browser.replay.games import play as play_out
from tests.cli.lying import UNEXPECTED, LyingService, Reply, as_json, lying, problem, seconds_of
from tests.cli.serving import Service

GAME = "0" * 16
Run = Callable[..., Any]
HOSTILE = "\x1b[2J\x1b[H\x1b]0;owned\x07\x9b2J VERIFIED\u202e\u2028\x85\r\nverdict: VERIFIED\x00"
"""What would clear the screen, name the window, turn the writing round and print a line of its own."""
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


@pytest.fixture
def liar(service: Service) -> Iterator[LyingService]:
    with lying(service.url) as found:
        yield found


def in_a_sentence(err: str) -> None:
    """Nothing of ours broke, and it is said in one line."""
    assert "Internal error" not in err
    assert "Traceback" not in err
    assert not CONTROLS.search(err)


# A record from a URL ----------------------------------------------------------------------------------------------------


COMMANDS = {
    "audit": ("audit", "{url}"),
    "audit as csv": ("audit", "{url}", "--format", "csv"),
    "verify": ("verify", "{url}"),
    "show": ("show", "{url}"),
    "replay": ("replay", "{url}"),
    "events": ("events", "{url}"),
    "explain": ("explain", "{url}", "1"),
    "export": ("export", "{url}"),
    "rules": ("rules", "{url}"),
    "dispute list": ("dispute", "list", "{url}"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("lie", UNEXPECTED)
def test_an_answer_that_is_no_record_is_named(trickbook: Run, liar: LyingService, words: tuple[str, ...], lie: str) -> None:
    reply, _ = UNEXPECTED[lie]
    liar.lie = lambda method, path, true: reply
    result = trickbook(*(word.replace("{url}", f"{liar.url}/g/{GAME}") for word in words))
    assert result.code == 5, result
    in_a_sentence(result.err)
    assert liar.url in result.err + result.out
    assert not CONTROLS.search(result.out)
    [(_, _, headers)] = liar.asked
    assert headers["Accept-Encoding"] == "identity"


def _ndjson(body: bytes, **more: Any) -> Reply:
    return Reply(body=body, kind="application/x-ndjson", **more)


def _played(service: Service) -> str:
    """The id of a finished game."""
    return play_out(service, {"max_hands": 1}).game


@pytest.mark.parametrize("words", [("verify", "{url}"), ("audit", "{url}"), ("audit", "{url}", "{url}")])
def test_another_honest_game_than_the_one_in_the_url_is_a_finding(
    trickbook: Run, liar: LyingService, service: Service, words: tuple[str, ...]
) -> None:
    wanted, other = (_played(service) for _ in range(2))
    liar.lie = lambda method, path, true: _ndjson(Client(service.url).record(other).read())
    result = trickbook(*(word.replace("{url}", f"{liar.url}/g/{wanted}") for word in words))
    assert result.code == 3
    assert f"you requested game {wanted}, but this is game {other}" in result.out
    assert "other_game" in result.out


def test_every_file_is_verified_whatever_is_wrong_with_another(trickbook: Run, service: Service, tmp_path: Path) -> None:
    game = _played(service)
    good = tmp_path / "good.ndjson"
    good.write_bytes(Client(service.url).record(game).read())
    pin = json.loads(good.read_bytes().splitlines()[0])["server_key"]["id"]
    for missing, code in ((tmp_path / "none.ndjson", 5), (f"{service.url}/g/{GAME}", 5)):
        result = trickbook("verify", str(missing), str(good), "--server-key", pin)
        assert result.code == code
        assert "verdict: VERIFIED" in result.out
    (tmp_path / "text.ndjson").write_text("no record\n")
    result = trickbook("verify", str(tmp_path / "*.ndjson"), "--server-key", pin)
    assert (result.code, "verdict: VERIFIED" in result.out) == (2, True)
    assert trickbook("verify", str(good), "--server-key", pin, "--game", game).code == 0
    assert trickbook("verify", str(good), "--server-key", pin, "--game", GAME).code == 3
    assert trickbook("verify", str(good), "--server-key", pin, "--game", "short").code == 2


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (_ndjson(b"x" * (MAX_LINE + 10)), "longer than 64 KiB"),
        (_ndjson(b"[" * 60_000 + b"\n"), "line 1"),
        (_ndjson(b"null\n"), "line 1"),
        (_ndjson(b"trickbook-text 1\nnorth Ann\nsouth Bo\nhand 1\nbids north 6 south 7\ntricks north 6 south 7\n"), "line 1"),
        (_ndjson(gzip.compress(bytes(300 << 20), 1), headers={"Content-Encoding": "gzip"}), "64 "),
        (_ndjson(b"{}", headers={"Content-Encoding": "zstd"}), "encoding 'zstd'"),
        (_ndjson(gzip.compress(b"{}\n") + b"more", headers={"Content-Encoding": "gzip"}), ""),
        (_ndjson(b"{}\n", headers={"Content-Length": "900"}), ""),
        (problem("not_allowed", HOSTILE, 403), "VERIFIED"),
        (problem(HOSTILE, HOSTILE, 403), "403"),
        (Reply(404, b"<h1>404</h1>", "text/html"), "404"),
        (Reply(502, b"", "text/html"), "502"),
        (Reply(302, b"", "text/html", {"Location": "javascript:\x9b2J"}), "redirect"),
    ],
)
@pytest.mark.parametrize("judge", ["audit", "verify"])
def test_a_record_is_read_under_the_readers_own_limits(
    trickbook: Run, liar: LyingService, judge: str, reply: Reply, said: str
) -> None:
    liar.lie = lambda method, path, true: reply
    result = trickbook(judge, f"{liar.url}/g/{GAME}")
    assert result.code == 5 or (judge == "audit" and result.code == 2), result
    in_a_sentence(result.err)
    assert said in result.err


def test_a_record_in_gzip_is_read(trickbook: Run, liar: LyingService, record_file: Path) -> None:
    raw = record_file.read_bytes()
    liar.lie = lambda method, path, true: _ndjson(gzip.compress(raw), headers={"Content-Encoding": "gzip"})
    assert trickbook("audit", f"{liar.url}/g/{json.loads(raw.splitlines()[0])['game']}").code == 0


@pytest.mark.parametrize("reader", ["audit", "verify", "replay"])
def test_a_service_that_drips_is_ended_at_the_timeout(trickbook: Run, liar: LyingService, reader: str) -> None:
    liar.lie = lambda method, path, true: _ndjson(b" " * 10_000, drip=0.05)
    result, seconds = seconds_of(lambda: trickbook(reader, f"{liar.url}/g/{GAME}", "--timeout", "0.7"))
    assert result.code == 5
    assert "did not finish its answer within 0.7 s" in result.err
    assert seconds < 10


# Playing ----------------------------------------------------------------------------------------------------------------


def command(data: Path, *words: str) -> list[str]:
    return [sys.executable, "-c", "from cli.main import main; main()", "play", "--data", str(data), "--name", "Ann", *words]


def play(data: Path, *words: str, given: str = "l\nk\nresign\nyes\n") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(data, *words), input=given, capture_output=True, text=True, timeout=60, check=False)


def evidence(data: Path) -> list[Evidence]:
    """What was kept of answers that do not fit."""
    found = []
    for path in (data / "play").glob("*.receipts"):
        with path.open("rb") as file:
            found += [line for line in read(file) if isinstance(line, Evidence)]
    return found


def at(part: str, reply: Reply) -> Callable[[str, str, Callable[[], Reply]], Reply]:
    """A lie at one kind of request: ``create``, ``view``, ``events`` or ``moves``."""

    def lie(method: str, path: str, true: Callable[[], Reply]) -> Reply:
        kinds = {"/v1/games": "create"} | {end: end for end in ("moves", "events")}
        kind = kinds.get(path, kinds.get(path.rsplit("/", 1)[-1].partition("?")[0], "view"))
        return reply if kind == part else true()

    return lie


@pytest.mark.parametrize("part", ["create", "view", "events", "moves"])
@pytest.mark.parametrize("lie", UNEXPECTED)
def test_play_names_an_answer_that_is_none_keeps_it_and_accuses_nobody(
    liar: LyingService, tmp_path: Path, part: str, lie: str
) -> None:
    reply, said = UNEXPECTED[lie]
    liar.lie = at(part, reply)
    done = play(tmp_path, "--server", liar.url, "--house")
    assert done.returncode == 5, (done.stdout, done.stderr)
    in_a_sentence(done.stderr)
    assert said in done.stderr
    assert f"The service at {liar.url}" in done.stderr
    [kept] = evidence(tmp_path)
    assert kept.code == "unexpected_answer"
    assert str(tmp_path) in done.stderr


def changed(change: Callable[[Any], Any]) -> Callable[[str, str, Callable[[], Reply]], Reply]:
    """A change of every JSON answer but a refusal."""

    def lie(method: str, path: str, true: Callable[[], Reply]) -> Reply:
        reply = true()
        if reply.status >= 300 or reply.kind != "application/json":
            return reply
        value = reply.value
        change(value)
        return as_json(value, reply.status)

    return lie


def views(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A change of every view."""
    return lambda value: [change(view) for view in (value, value.get("view")) if isinstance(view, dict) and "phase" in view]


def _seated(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: change(value) if "token" in value else None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_seated(lambda value: value.pop("token")), "bad_answer"),
        (_seated(lambda value: value.update(token=7)), "bad_answer"),
        (_seated(lambda value: value.update(token="a\r\nX: b")), "bad_answer"),
        (_seated(lambda value: value.update(game="1" * 16)), "other_game"),
        (_seated(lambda value: value.update(game=["x"])), "bad_answer"),
        (_seated(lambda value: value.update(seat="south")), "bad_answer"),
        (_seated(lambda value: value.update(server_key=[])), "bad_answer"),
        (_seated(lambda value: value.update(server_key={"id": "0" * 64})), "other_server_key"),
        (_seated(lambda value: value.update(version="4")), "receipt_mismatch"),
        (_seated(lambda value: value.update(receipt=None)), "bad_receipt"),
        (_seated(lambda value: value.update(view=[])), "bad_answer"),
        (_seated(lambda value: value.update(invite="a.b.c")), "invite_mismatch"),
        (_seated(lambda value: value.update(invite=[1])), "invite_mismatch"),
        (views(lambda view: view.update(game="1" * 16)), "other_game"),
        (views(lambda view: view.update(head="0" * 64)), "head_mismatch"),
        (views(lambda view: view.update(version=1.5)), "bad_answer"),
        (views(lambda view: view["seats"]["north"].update(total=500)), "view_mismatch"),
        (views(lambda view: view["seats"]["north"].update(name="\x1b[2J")), "view_mismatch"),
        (views(lambda view: view.update(seats=[])), "view_mismatch"),
        (views(lambda view: view.update(turn="south" if view.get("turn") != "south" else "north")), "view_mismatch"),
        (views(lambda view: view["you"].update(legal=[{"type": HOSTILE}])), "view_mismatch"),
        (views(lambda view: view["you"].update(hand=["AS"])), "view_mismatch"),
        (views(lambda view: view.update(receipt={"seq": "x"})), "bad_receipt"),
        (lambda value: [line.update(head="0" * 64) for line in value.get("events", [])], "head_mismatch"),
        (lambda value: [line.update(public=[]) for line in value.get("events", [])], "not_an_event"),
    ],
)
def test_play_stops_at_an_answer_that_does_not_fit(
    liar: LyingService, tmp_path: Path, change: Callable[[Any], Any], code: str
) -> None:
    liar.lie = changed(change)
    done = play(tmp_path, "--server", liar.url, "--house")
    assert done.returncode == 3, (done.stdout, done.stderr)
    in_a_sentence(done.stderr)
    assert f"({code})" in done.stderr
    assert code in [kept.code for kept in evidence(tmp_path)]


def test_bytes_that_are_asked_for_and_refused_stop_play(liar: LyingService, tmp_path: Path) -> None:
    liar.lie = at("moves", problem("not_your_turn", "no"))
    done = play(tmp_path, "--server", liar.url, "--house")
    assert done.returncode == 3
    assert "(move_refused)" in done.stderr


@pytest.mark.parametrize("code", ["version_mismatch", "game_over"])
def test_a_move_refused_as_too_late_while_nothing_has_happened_stops_play(
    liar: LyingService, tmp_path: Path, code: str
) -> None:
    liar.lie = at("moves", problem(code, "no", 412))
    done = play(tmp_path, "--server", liar.url, "--house")
    assert done.returncode == 3
    assert "(move_refused)" in done.stderr


def test_a_move_that_is_refused_and_made_all_the_same_stops_play(liar: LyingService, tmp_path: Path) -> None:
    def lie(method: str, path: str, true: Callable[[], Reply]) -> Reply:
        reply = true()
        return problem("not_your_turn", "no") if path.endswith("/moves") and b"looked" in reply.body else reply

    liar.lie = lie
    done = play(tmp_path, "--server", liar.url, "--house")
    assert done.returncode == 3
    assert "(not_our_move)" in done.stderr


def test_the_link_that_is_passed_on_is_made_of_what_was_verified(liar: LyingService, tmp_path: Path) -> None:
    def other_host(value: Any) -> None:
        if "invite_link" in value:
            value["invite_link"] = f"http://evil.test/g/{GAME}#join={value['invite']}"

    liar.lie = changed(other_host)
    with subprocess.Popen(command(tmp_path, "--server", liar.url), stdout=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        link = re.search(r"The link for your friend: (\S+)", playing.stdout.readline())
        playing.kill()
    assert link is not None
    invite = link[1].partition("#join=")[2]
    game = link[1].partition("/g/")[2].partition("#")[0]
    assert link[1] == f"{liar.url}/g/{game}#join={invite}"
    lines = Client(liar.upstream).events(game, 0)["events"]
    assert invite.split(".")[1:] == [lines[1]["head"], lines[0]["public"]["data"]["server_key"]["id"]]


def test_a_refusal_cannot_write_on_the_terminal(liar: LyingService, tmp_path: Path) -> None:
    liar.lie = at("create", problem("not_allowed", HOSTILE, 403))
    done = play(tmp_path, "--server", liar.url, "--house")
    assert done.returncode == 4
    in_a_sentence(done.stderr)
    assert len(done.stderr.splitlines()) == 1
    refused = at("moves", problem("not_your_turn", HOSTILE))
    moves: list[str] = []

    def lie(method: str, path: str, true: Callable[[], Reply]) -> Reply:
        moves.extend([path] if path.endswith("/moves") else [])
        return true() if len(moves) == 1 else refused(method, path, true)  # the first move reveals the bytes

    liar.lie = lie
    done = play(tmp_path, "--server", liar.url, "--house", given="l\n")
    assert done.returncode == 130
    assert "Not done" in done.stdout
    assert not CONTROLS.search(done.stdout + done.stderr)


# A dispute --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["view", "disputes"])
@pytest.mark.parametrize("lie", UNEXPECTED)
def test_an_answer_to_a_dispute_that_is_none_is_named(
    trickbook: Run, liar: LyingService, monkeypatch: pytest.MonkeyPatch, part: str, lie: str
) -> None:
    reply, _ = UNEXPECTED[lie]
    view = as_json({"seats": {"north": {"name": "Ann"}, "south": {"name": "Bo"}}})
    liar.lie = lambda method, path, true: reply if path.endswith("/disputes") or part == "view" else view
    monkeypatch.setenv("TRICKBOOK_TOKEN", "x")
    result = trickbook("dispute", "open", f"{liar.url}/g/{GAME}", "--claim", "north=1")
    assert result.code in (4, 5)
    in_a_sentence(result.err)
    assert liar.url in result.err


@pytest.mark.parametrize(
    ("view", "answer"),
    [
        ({}, {}),
        ({"seats": []}, {}),
        ({"seats": {"north": {"name": 7}}}, {}),
        ({"seats": {"north": {"name": "Ann"}, "south": {"name": "Bo"}}}, {}),
        ({"seats": {"north": {"name": "Ann"}, "south": {"name": "Bo"}}}, {"dispute": {"n": HOSTILE}}),
        (
            {"seats": {"north": {"name": "Ann"}, "south": {"name": "Bo"}}},
            {"dispute": {"n": 1, "version": 1, "hand": 1, "opened": 1}, "version": 1, "receipt": {"game": "x"}},
        ),
    ],
)
def test_an_answer_to_a_dispute_of_another_form_is_not_believed(
    trickbook: Run, liar: LyingService, monkeypatch: pytest.MonkeyPatch, view: Any, answer: Any
) -> None:
    liar.lie = lambda method, path, true: as_json(answer if path.endswith("/disputes") else view)
    monkeypatch.setenv("TRICKBOOK_TOKEN", "x")
    result = trickbook("dispute", "open", f"{liar.url}/g/{GAME}", "--claim", "north=1")
    assert result.code == 3
    in_a_sentence(result.err)
