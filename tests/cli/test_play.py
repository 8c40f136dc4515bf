"""``trickbook play`` as a person meets it: on real terminals, against the real service."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events.redis_store import RedisStore
from events.store import FrozenGame
from service.client.http import Client
from tests.cli.serving import Service
from tests.cli.terminal import Terminal
from tests.kit.waiting import eventually

ONE_HAND = ("--rules", "max_hands=1", "--name", "Ann")
LOOK, KEEP, BID, CARD = "look at the first one", "= keep it", "Your bid", "Your card"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def house(service: Service, data: Path) -> tuple[str, ...]:
    """The command for a game against the house."""
    return ("play", "--server", service.url, "--house", "--data", str(data), *ONE_HAND)


def session(data: Path, seat: str = "north") -> dict[str, Any]:
    """What is kept of the one game."""
    [path] = (data / "play").glob(f"*-{seat}.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def events(url: str, kept: dict[str, Any], kind: str) -> int:
    """How many events of a type there are in the game."""
    lines = Client(url, kept["token"]).get(f"/v1/games/{kept['game']}/events")["events"]
    return sum(line["public"]["type"] == kind for line in lines)


def answer(text: str) -> str | None:
    """What a simple player types at this screen; None where nothing is asked."""
    asked = "\n".join(text.splitlines()[-4:])
    if "Sending" in asked or not text.rstrip().endswith("\n>"):
        return None
    cards = re.findall(r"\[(..)\]", text)
    for word, typed in ((LOOK, "l"), (KEEP, "k"), ("Exchange up to", "none"), (BID, "3"), (CARD, cards[0] if cards else "")):
        if word in asked:
            return typed
    return None


def play_on(terminal: Terminal, until: Callable[[str], bool], seconds: float = 30.0) -> str:
    """Plays simply until a screen that is wanted, or the end."""
    last = ""

    def wanted() -> str:
        nonlocal last
        text = terminal.text()
        if until(text) or terminal.process.poll() is not None:
            return text or " "
        typed = answer(text)
        if typed is not None and text != last:
            last = text
            terminal.enter(typed)
        return ""

    return eventually(wanted, seconds)


def test_a_hand_against_the_house_from_the_look_to_the_result_and_wrong_cards_on_the_way(house: tuple[str, ...]) -> None:
    with Terminal(house) as terminal:
        before = terminal.until(LOOK, "House", "Ann (you)", "penalty in", "Stock 52", "rules max_hands=1")
        assert "Your hand is empty" in before
        bidding = play_on(terminal, lambda text: BID in text)
        hand = re.search(r"Your hand +(.*)", bidding)
        assert hand is not None
        assert len(hand[1].split()) == 13
        play_on(terminal, lambda text: CARD in text)
        lacking = next(card for card in ("AS", "KS", "QS", "JS", "TS", "9S") if card[0] + "♠" not in hand[1])
        terminal.enter(lacking.lower())
        terminal.until(f"Not done: {lacking[0]}♠ is not in your hand")
        bound = play_on(terminal, lambda text: CARD in text and bool(re.search(r"  (..)  ", _hand(text))))
        wrong = re.search(r" (\w[♠♥♦♣])(?= |$)", _hand(bound))
        assert wrong is not None
        terminal.enter(wrong[1])
        refused = terminal.until("Not done:", "§6.")
        assert _hand(refused) == _hand(bound), "nothing was lost"
        play_on(terminal, lambda text: "Trick 12" in text)
        play_on(terminal, lambda text: False)
        assert terminal.end() == 0
        terminal.until("the last hand is played", "×10", "trickbook replay --step", "trickbook audit")
        assert terminal.restored()


def _hand(text: str) -> str:
    return next((line for line in text.splitlines() if line.startswith("Your hand")), "")


def test_two_terminals_a_link_and_a_game(service: Service, data: Path) -> None:
    with Terminal(("play", "--server", service.url, "--data", str(data), "--name", "Ann")) as ann:
        ann.until("Pass this link on", "Waiting for your friend")
        link = session(data)["link"]
        drawn = ann.raw[ann.raw.rindex("Pass this link on") :]
        assert link in drawn, "in one piece, so that it can be copied"
        link = f"{link[:80]}\n{link[80:]}"
        with Terminal(("play", "--join", link, "--data", str(data), "--name", "Bo")) as bo:
            bo.until("Bo (you)", "Waiting for Ann")
            ann.until(LOOK).splitlines()
            ann.enter("d")
            ann.until("Type yes")
            ann.enter("no")
            ann.until("Not sent", LOOK)
            ann.enter("l")
            ann.until("You drew")
            bo.until("Ann looks")
            bo.enter("k")
            bo.until("Not done: it is Ann's turn")
            bo.press("l").until("> l")
            ann.enter("p")
            bo.until("Ann passes and takes the second card", LOOK, "> l")
            bo.enter("").until("the table changed while you typed", LOOK)
            bo.enter("d").until("Type yes")
            bo.enter("yes").until("double nil", "You drew")
            ann.until("Bo bids double nil")
            bo.enter("?").until("What may be typed")
            bo.enter("").until("You drew")
            bo.enter("s").until("No hand has been scored yet")
            bo.press("\rresign\r").until("Type yes")
            bo.enter("yes")
            assert (ann.end(), bo.end()) == (0, 0)
            ann.until("You have won: Bo resigned")
            bo.until("Ann has won: you resigned")
            for seat, terminal in (("north", ann), ("south", bo)):
                kept = session(data, seat)
                assert kept["over"] is True
                assert kept["token"] not in terminal.raw
                assert terminal.restored()


def test_ctrl_c_leaves_politely_and_resume_goes_on(house: tuple[str, ...], data: Path) -> None:
    with Terminal(house) as terminal:
        terminal.until(LOOK)
        terminal.enter("l").until("You drew")
        terminal.press("\x03")
        assert terminal.end() == 130
        terminal.until(f"trickbook play --resume {session(data)['game']}")
        assert terminal.restored()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (data / "play", *(data / "play").glob("*.json"))]
    assert modes == [0o700, 0o600]
    with Terminal(("play", "--resume", "--data", str(data))) as terminal:
        terminal.until("You drew", KEEP)
        with Terminal(("play", "--resume", "--data", str(data))) as second:
            assert second.end() == 2
            second.until("is being played in another terminal")
        terminal.enter("q")
        assert terminal.end() == 130


def test_a_client_killed_while_a_move_was_on_its_way_makes_it_once_when_it_goes_on(
    service: Service, house: tuple[str, ...], data: Path
) -> None:
    with Terminal(house) as terminal:
        terminal.until(LOOK)
        service.pause(signal.SIGSTOP)
        try:
            terminal.enter("l").until("Sending it")
            terminal.process.kill()
            terminal.end()
        finally:
            service.pause(signal.SIGCONT)
    pending = session(data)["pending"]
    assert pending["body"] == {"type": "look"}
    with Terminal(("play", "--resume", session(data)["game"], "--data", str(data))) as terminal:
        terminal.until("You drew", KEEP)
        eventually(lambda: session(data)["pending"] is None)
        assert events(service.url, session(data), "looked") == 1
        terminal.enter("q")
        assert terminal.end() == 130
    [path] = (data / "play").glob("*-north.json")  # as if it had been killed after the move and before its answer
    path.write_text(json.dumps({**session(data), "pending": pending}))
    with Terminal(("play", "--resume", "--data", str(data))) as terminal:
        terminal.until("You drew", KEEP)
        eventually(lambda: session(data)["pending"] is None)
        assert "Not done" not in terminal.until(KEEP)
        assert events(service.url, session(data), "looked") == 1


def test_a_service_started_again_is_come_back_to_and_the_move_made_meanwhile_is_made_once(
    service: Service, house: tuple[str, ...], data: Path
) -> None:
    with Terminal(house) as terminal:
        terminal.until(LOOK)
        service.process.stop()
        terminal.until("Connection lost")
        terminal.enter("l").until("Sending it")
        terminal.enter("l").until("still on its way")
        service.start()
        text = terminal.until("You drew", KEEP)
        assert "Connection lost" not in terminal.until(KEEP) or eventually(lambda: "Connection lost" not in terminal.text())
        assert "Ann looks" in text or terminal.until("Ann looks")
        assert events(service.url, session(data), "looked") == 1
        terminal.press("\x03")
        assert terminal.end() == 130


def test_without_a_terminal_a_script_can_play(house: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", "from cli.main import main; main()", *house]
    done = subprocess.run(command, input="l\nk\nnonsense\nresign\nyes\n", text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for said in ("Ann looks", "You drew", 'I don\'t know "nonsense"', "Type yes", "House has won: you resigned"):
        assert said in done.stdout
    assert "\x1b" not in done.stdout
    left = subprocess.run(command, input="l\n", text=True, capture_output=True, check=False)
    assert left.returncode == 130
    assert "--resume" in left.stderr


def test_letters_where_colours_and_symbols_are_missing_and_a_small_terminal_keeps_hand_and_question(
    house: tuple[str, ...],
) -> None:
    plain = {"NO_COLOR": "1", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    with Terminal(house, plain) as terminal:
        terminal.until(LOOK)
        terminal.enter("l").until("You drew")
        terminal.size(40, 10)
        text = play_on(terminal, lambda text: "Your bid" in text)
        assert re.search(r"[2-9TJQKA][CDHS] ", text)
        assert not re.search(r"[♠♥♦♣]|\x1b\[[0-9;]*[1-9]m", terminal.raw)
        assert "Ann (you)" in text
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.end() == 128 + signal.SIGTERM
        assert terminal.restored()


def test_play_alone_starts_the_service_shares_it_and_starts_it_again_after_a_kill(data: Path) -> None:
    own = {"TRICKBOOK_REDIS_URL": "", "TRICKBOOK_DATA": str(data)}
    with Terminal(("play", "--name", "Ann"), own) as first, Terminal(("rules",), own):
        first.until(LOOK)
        port = session(data)["port"]
        with Terminal(("play", "--name", "Cy", "--first", "south"), own) as second:
            second.until("House looks", LOOK)
            assert f"http://127.0.0.1:{port}" in _answers(port)
            first.process.kill()  # the service was its own, and goes with it
            first.end()
            second.until(LOOK)
            second.enter("l")
            second.until("You drew", KEEP, seconds=20)
    with Terminal(("play", "--resume", "--name", "Ann"), own) as again:
        again.until(LOOK)
        again.enter("l").until("You drew")


def _answers(port: int) -> str:
    url = f"http://127.0.0.1:{port}"
    return url if Client(url).get("/healthz")["status"] == "ok" else ""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--join", "http://127.0.0.1:1/x", "--name", "Bo"), 2, "is no link to a game"),
        (("--join", f"http://127.0.0.1:1/g/{'0' * 16}#join=abc.{'0' * 64}.{'1' * 64}", "--name", "Bo"), 5, "cannot be reached"),
        (("--join", f"http://127.0.0.1:1/g/{'0' * 16}#join=abc", "--name", "Bo"), 2, "is not whole"),
        (("--server", "nowhere", "--name", "Ann"), 2, "is no address of a service"),
        (("--server", "{url}", "--name", "Ann", "--rules", "nonsense=1"), 2, "is no rule"),
        (("--server", "{url}", "--name", "Ann", "--rules", "target=1"), 2, "rules.target"),
        (("--server", "{url}", "--name", " two  spaces"), 2, "name: A name has"),
        (("--server", "{url}", "--name", "\x1b[31m"), 2, "control character"),
        (("--resume",), 5, "trickbook play"),
        (("--resume", "0" * 16), 5, "no game"),
        (("--join", "x", "--rules", "target=300"), 2, "settled"),
        (("--friend", "--house"), 2, "two opponents"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    trickbook: Callable[..., Any], service: Service, data: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    result = trickbook("play", "--data", str(data), *(one.replace("{url}", service.url) for one in arguments))
    assert result.code == code
    assert said in result.err
    assert "\x1b" not in result.err


def test_a_link_is_taken_once_and_taken_up_again_by_who_took_it(service: Service, data: Path, tmp_path: Path) -> None:
    made = Client(service.url).create("Ann")
    link = made["invite_link"]
    with Terminal(("play", "--join", link, "--data", str(data), "--name", "Bo")) as bo:
        bo.until("Waiting for Ann")
        bo.enter("q")
        assert bo.end() == 130
    with Terminal(("play", "--join", link, "--data", str(data))) as bo:
        bo.until("Waiting for Ann")
    with Terminal(("play", "--join", link, "--data", str(tmp_path / "other"), "--name", "Cy")) as other:
        assert other.end() == 4
        other.until("trickbook:")


def test_a_time_that_has_run_out_is_said_and_can_be_claimed(service: Service, data: Path) -> None:
    command = ("play", "--server", service.url, "--data", str(data), "--name", "Ann", "--rules", "turn_seconds=5")
    with Terminal((*command, "--first", "south")) as ann:
        ann.until("Waiting for your friend")
        link = session(data)["link"]
        Client(service.url).join(session(data)["game"], "Bo", link.partition("#join=")[2])
        ann.until("Waiting for Bo", "time until")
        ann.enter("claim").until("Not done")
        ann.until("The time of Bo has run out: claim wins")
        ann.enter("claim")
        assert ann.end() == 0
        ann.until("You have won: Bo ran out of time")


def test_a_game_that_freezes_is_left_with_the_reason(service: Service, data: Path, redis_url: str) -> None:
    command = ("play", "--server", service.url, "--data", str(data), "--name", "Ann", "--first", "south")
    with Terminal(command) as ann:
        ann.until("Waiting for your friend")
        kept = session(data)
        Client(service.url).join(kept["game"], "Bo", kept["link"].partition("#join=")[2])
        ann.until("Waiting for Bo")
        store = RedisStore(redis_url)
        store.freeze(kept["game"], FrozenGame(9, "ab" * 32))
        store.close()
        ann.until("it is frozen", "version 9 is missing", "Keep your receipts")


def test_what_play_keeps_verifies_the_game_afterwards_and_a_forged_record_is_not_the_services_doing(
    data: Path, tmp_path: Path
) -> None:
    own = {**os.environ, "TRICKBOOK_REDIS_URL": "", "TRICKBOOK_DATA": str(data)}
    kept = tmp_path / "my.receipts"

    def command(*words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
        line = [sys.executable, "-c", "from cli.main import main; main()", *words]
        return subprocess.run(line, env=own, input=given, capture_output=True, text=True, timeout=60, check=False)

    played = command("play", "--name", "Ann", "--receipts", str(kept), given="l\nk\nresign\nyes\n")
    assert played.returncode == 0, played.stderr
    assert f"--receipts {kept}" in played.stdout
    assert kept.stat().st_mode & 0o777 == 0o600
    names = {next(iter(json.loads(line))) for line in kept.read_text().splitlines()}
    assert {"pinned", "own", "receipt", "drawn"} <= names
    game = json.loads(kept.read_text().splitlines()[0])["pinned"]["game"]
    record = command("export", game).stdout
    assert '"contribution_revealed"' in record
    good = command("verify", "-", "--receipts", str(kept), given=record)
    assert good.returncode == 0, good.stdout
    assert "VERIFIED" in good.stdout
    forged = command("verify", "-", "--receipts", str(kept), given=record.replace('"name":"Ann"', '"name":"Eve"'))
    assert forged.returncode == 3
    assert "this is the service's doing" not in forged.stdout
