"""The verdict on a sheet says no more than was checked: figures that rest on what is missing, and counts that plays allow."""

import random

import pytest

from projections.textaudit.auditing import TextAudit, audit, told
from projections.textrecord import read
from projections.textrecord.writer import write
from tests.claims.games import Clock
from tests.kit.random_games import random_game


def audited(text: str) -> TextAudit:
    return audit(told(read(text)), Clock())


def bare(text: str, *words: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith(words)) + "\n"


@pytest.mark.parametrize("word", ["bids", "tricks"])
def test_without_what_they_rest_on_no_figure_is_called_checked(word: str) -> None:
    dice = random.Random(word)
    for _ in range(40):
        text = "trickbook-text 1\n"
        for hand in range(1, 4):
            took = dice.randint(0, 13)
            text += f"hand {hand}\nbids north nil south 5\ntricks north {took} south {13 - took}\nscore north +100 {hand}00 0\n"
        result = audited(bare(text, word))
        assert result.verdict == "incomplete"
        assert result.unchecked > 0
        assert not any(line.endswith("the score") for line in result.checked)


def test_the_change_of_a_later_hand_is_checked_and_its_total_is_not() -> None:
    head = "trickbook-text 1\nhand 1\ntricks north 7 south 6\nhand 2\nbids north 5 south 5\ntricks north 7 south 6\n"
    right = audited(head + "score north +52 104 4 south +51 102 2\n")
    assert (right.verdict, right.unchecked) == ("incomplete", 4)
    assert any(
        "line 7: north's bags and total, south's bags and total of hand 2: hand 1 has no bids" in t for t in right.not_checked
    )
    wrong = audited(head + "score north +53 104 4 south +51 102 2\n")
    assert (wrong.verdict, wrong.findings[0].line) == ("bad", 7)


def test_a_change_that_a_penalty_may_touch_is_checked_against_both_values() -> None:
    head = "trickbook-text 1\nhand 1\ntricks north 9 south 4\nhand 2\nbids north 5 south 3\ntricks north 9 south 4\n"
    for change, verdict in ((54, "incomplete"), (-46, "incomplete"), (55, "bad")):
        assert audited(f"{head}score north {change} 100 0 south +31 60 1\n").verdict == verdict


def test_twelve_tricks_and_both_hands_give_the_thirteenth() -> None:
    game = random_game(5, {"max_hands": 1})
    lines = write(game.events).split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("plays"))
    tricks = lines[at].removeprefix("plays").split("/")
    took = audited("\n".join(lines)).claims
    assert took is not None
    assert took.holds
    lines[at] = "plays " + "/".join(tricks[:12])
    assert audited("\n".join(lines)).verdict == "ok", "the last trick follows from the hands"
    north = told(read("\n".join(lines))).facts().hands[0].north.tricks
    wrong = [*lines[: at + 1], f"tricks north {13 - north} south {north}", *lines[at + 1 :]]
    if north != 13 - north:
        assert audited("\n".join(wrong)).findings[0].code == "wrong_tricks"


@pytest.mark.parametrize("seed", range(12))
def test_every_count_that_the_plays_on_record_allow_is_taken_and_no_other(seed: int) -> None:
    lines = [line for line in write(random_game(seed, {"max_hands": 1}).events).split("\n") if not line.startswith("result")]
    at = next(i for i, line in enumerate(lines) if line.startswith("plays"))
    tricks = lines[at].removeprefix("plays").split("/")
    lines = [line for line in lines if not line.startswith("score")]
    for kept in (3, 9, 11):
        base = [*lines[:at], "plays " + "/".join(tricks[:kept]), *lines[at + 1 :]]
        possible = told(read("\n".join(base))).played.hands[0].tricks
        for north in range(14):
            text = "\n".join([*base[: at + 1], f"tricks north {north} south {13 - north}", *base[at + 1 :]])
            assert (audited(text).verdict != "bad") == (north in possible)


def test_an_end_line_says_what_was_not_played() -> None:
    lines = write(random_game(3, most=60, end="resign").events).split("\n")
    result = audited("\n".join(lines))
    assert result.verdict in ("ok", "incomplete")
    assert not any("only claimed" in text for text in result.not_checked)


def test_a_winner_in_a_game_that_is_still_played_is_a_finding() -> None:
    text = "trickbook-text 1\nhand 1\nbids north 5 south 5\ntricks north 7 south 6\nhand 2\nbids north 4 south 4\n"
    assert audited(text + "result north 52 south 51\n").verdict == "ok"
    assert audited(text + "result north 92 south 91\n").verdict == "incomplete"
    assert audited(text + "result north 52 south 51 winner north\n").findings[0].code == "wrong_winner"
