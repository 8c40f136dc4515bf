"""``trickbook replay --step``: each key, on a real terminal."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.games.handler import Games
from tests.cli.conftest import play_game
from tests.cli.terminal import COMMAND, Terminal

LEFT, RIGHT, HOME, END = "\x1b[D", "\x1b[C", "\x1b[H", "\x1b[F"


@pytest.fixture(scope="module")
def game(games: Games) -> str:
    """A finished game of two hands."""
    return play_game(games, seed=5, max_hands=2)


@pytest.fixture
def stepping(game: str, redis_url: str) -> Iterator[Terminal]:
    with Terminal(("replay", game, "--step"), {"TRICKBOOK_REDIS_URL": redis_url}) as terminal:
        terminal.until("v1", "1/")
        yield terminal


def goto(terminal: Terminal, position: str) -> str:
    return terminal.press("/").press(position + "\r").until(f"{position} (v")


def test_forward_back_and_both_ends(stepping: Terminal) -> None:
    stepping.press(" ").until("v2  2/")
    stepping.press(RIGHT).until("v3  3/")
    stepping.press(LEFT).until("v2  2/")
    stepping.press(HOME).until("v1  1/")
    stepping.press(LEFT).until("this is the beginning", "v1  1/")
    last = stepping.press(END).until("the last hand is played")
    place = re.search(r"(\d+)/(\d+)", last)
    assert place is not None
    assert place[1] == place[2]
    stepping.press(" ").until("this is the end")
    stepping.press("\x1bOH").until("v1  1/")


def test_next_trick_and_next_hand(stepping: Terminal) -> None:
    first = stepping.press("t").until("1.1.2 (v", "takes it")
    assert "trick 2" in first
    stepping.press("t").until("1.2.2 (v", "takes it")
    stepping.press("h").until("hand 2 begins")
    stepping.press("h").until("this is the last hand")
    stepping.press(END).press("t").until("no trick is taken after this")


def test_a_position_is_gone_to_and_a_wrong_one_says_what_there_is(stepping: Terminal) -> None:
    goto(stepping, "1.5.2")
    goto(stepping, "2.d7")
    stepping.press("/").press("2\r").until("hand 2 begins")
    goto(stepping, "2.d7")
    stepping.press("/").press("2.77\r").until("this game has no 2.77: hand 2 goes to 2.s", "2.d7 (v")
    stepping.press("/").press("hello\r").until("is no position", "2.d7 (v")
    stepping.press("/").press("1.5").press("\x1b").until("space")
    assert "2.d7 (v" in stepping.text()


def test_score_and_explanation(stepping: Terminal) -> None:
    goto(stepping, "1.5.1")
    assert "Legal were" not in stepping.text()
    stepping.press("e").until("legal" if "only legal" in stepping.text() else "on lead")
    stepping.press("e")
    stepping.press("/").press("1.s\r").until("1.s (v", "×10", "rules §7")


def test_flip_turns_the_table_and_hide_covers_the_upper_hand_and_what_would_tell_it(stepping: Terminal) -> None:
    goto(stepping, "1.d2")
    goto(stepping, "1.d3")
    shown = stepping.text()
    assert shown.index("north") < shown.rindex("south ")
    stepping.press("x").until("face down", "north keeps the first card" if "north keeps" in shown else "north passes")
    hidden = stepping.text()
    assert not re.search(r"north (keeps|takes) [2-9TJQKA][♠♥♦♣]", hidden)
    goto(stepping, "1.3.2")
    stepping.press("e").until("1.3.2 (v")
    assert len(re.findall(r"^north +\d+ cards, face down", stepping.text(), re.MULTILINE)) == 1
    stepping.press("f").until("south  10 cards, face down")
    stepping.press("x").press("f")
    stepping.until("1.3.2 (v")


@pytest.mark.parametrize("way", ["q", "ctrl-c", "sigterm"])
def test_the_terminal_is_put_back_on_every_way_out(stepping: Terminal, way: str) -> None:
    assert stepping.screen.alternate
    assert not stepping.restored()
    if way == "sigterm":
        os.kill(stepping.process.pid, signal.SIGTERM)
    else:
        stepping.press({"q": "q", "ctrl-c": "\x03"}[way])
    assert stepping.end() == {"q": 0, "ctrl-c": 130, "sigterm": 143}[way]
    assert stepping.restored()


def test_ctrl_z_gives_the_terminal_to_the_shell_and_going_on_draws_it_again(game: str, redis_url: str) -> None:
    shell = ("/bin/sh", "-m", "-c", '"$@"; echo; echo the shell has it; read line; fg', "sh", *COMMAND)
    with Terminal(("replay", game, "--step"), {"TRICKBOOK_REDIS_URL": redis_url}, command=shell) as terminal:
        terminal.until("v1", "1/")
        terminal.press("\x1a").until("the shell has it")
        assert terminal.restored()
        terminal.enter("").until("v1  1/")
        terminal.press(" ").until("v2  2/")
        terminal.press("q")
        assert terminal.end() == 0


def test_another_size_is_drawn_at_once_and_a_small_one_keeps_what_happened(stepping: Terminal) -> None:
    goto(stepping, "1.5.2")
    stepping.size(44, 12)
    text = stepping.until("takes it", "1.5.2 (v")
    assert all(len(line) <= 44 for line in text.splitlines())
    assert "north" in text
    stepping.size(100, 30)
    stepping.until("q quit", "1.5.2 (v")


def test_from_and_hand_say_where_to_begin_and_a_running_game_shows_no_hand(game: str, running: str, redis_url: str) -> None:
    environment = {"TRICKBOOK_REDIS_URL": redis_url}
    with Terminal(("replay", game, "--step", "--hand", "2"), environment) as terminal:
        terminal.until("hand 2 begins")
    with Terminal(("replay", running, "--step"), environment) as terminal:
        terminal.press(END).until("13 cards, face down")


def test_without_a_terminal_it_says_so_and_prints(trickbook: Callable[..., Any], game: str) -> None:
    result = trickbook("replay", game, "--step")
    assert result.code == 0
    assert "--step needs a terminal" in result.err
    assert "Hand 1" in result.out
