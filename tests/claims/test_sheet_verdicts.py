"""The verdict on a sheet says no more than was checked: every independent case, and sheets that are changed line by line."""

import contextlib
import os
import random
from typing import Any

import pytest

from projections.textaudit.auditing import TextAudit, audit, told
from projections.textrecord import BadLine, read
from projections.textrecord.writer import write
from tests.claims.games import Clock
from tests.claims.plays_oracle import sound_however_finished
from tests.claims.sheet_oracle import sound
from tests.kit.random_games import random_game

ROUNDS = int(os.environ.get("TRICKBOOK_SHEETS", "40"))
"""Sheets that are changed; more by hand."""


def audited(text: str) -> TextAudit:
    return audit(told(read(text)), Clock())


def score_only(dice: random.Random, hands: int, rules: dict[str, Any]) -> str:
    """A sound sheet of bids and tricks with its scores and result, its figures from the oracle's own arithmetic."""
    chosen = " ".join(f"{name}={value}" for name, value in rules.items())
    lines = ["trickbook-text 1", "north Ann", "south Bo", *([f"rules {chosen}"] if chosen else [])]
    for number in range(1, hands + 1):
        took = dice.randint(0, 13)
        bids = [dice.choice(("nil", "double_nil", *map(str, range(1, 14)))) for _ in range(2)]
        lines += [f"hand {number}", f"bids north {bids[0]} south {bids[1]}", f"tricks north {took} south {13 - took}"]
    game = told(read("\n".join(lines)))
    facts = game.facts()
    ledger = facts.ledger()
    out: list[str] = []
    for line in lines:
        out.append(line)
        if line.startswith("tricks"):
            at = sum(each.startswith("tricks") for each in out) - 1
            if at < len(ledger["north"]):
                score = " ".join(
                    f"{seat} {one.points - one.penalty} {one.total} {one.bags}"
                    for seat, one in (("north", ledger["north"][at]), ("south", ledger["south"][at]))
                )
                out.append(f"score {score}")
    if facts.result is not None:
        totals = f"north {ledger['north'][-1].total} south {ledger['south'][-1].total}"
        out.append(f"result {totals} winner {facts.result.winner or 'draw'}")
    return "\n".join(out) + "\n"


RULES: list[dict[str, Any]] = [
    {}, {"failed_nil": "bags"}, {"failed_nil": "bags_and_points", "bag_limit": 5}, {"bag_carry": "zero", "bag_limit": 7},
    {"max_hands": 3}, {"target": 150}, {"floor": -150}, {"bag_limit": 0}, {"bag_penalty": 0, "nil_value": 50},
]  # fmt: skip


def changed(dice: random.Random, text: str) -> str:
    """One line dropped, doubled, swapped with another or misspelt in one character, or one number of it changed."""
    lines = text.rstrip("\n").split("\n")
    at = dice.randrange(1, len(lines))
    kind = dice.choice(("drop", "double", "swap", "misspell", "number"))
    if kind == "drop":
        del lines[at]
    elif kind == "double":
        lines.insert(at, lines[at])
    elif kind == "swap":
        to = dice.randrange(1, len(lines))
        lines[at], lines[to] = lines[to], lines[at]
    elif kind == "misspell" and lines[at]:
        spot = dice.randrange(len(lines[at]))
        lines[at] = lines[at][:spot] + dice.choice("abcdefghijklmnopqrstuvwxyz0123456789 -+") + lines[at][spot + 1 :]
    else:
        words = lines[at].split()
        numbers = [i for i, word in enumerate(words) if word.lstrip("+-").isdigit()]
        if numbers:
            words[dice.choice(numbers)] = str(dice.randint(-120, 320))
        lines[at] = " ".join(words)
    return "\n".join(lines) + "\n"


def agrees(text: str) -> str | None:
    """The verdict on a changed sheet, None where it cannot be read; an OK must be sound by the oracle's own reading."""
    try:
        verdict = audited(text).verdict
    except BadLine:
        return None
    if verdict == "ok":
        with contextlib.suppress(ValueError, KeyError, IndexError):  # the product reads more spellings than the oracle
            assert sound(text) or sound_however_finished(text), text
    return verdict


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: "+".join(rules) or "standard")
def test_a_changed_sheet_of_scores_is_ok_only_where_an_independent_sum_says_so(rules: dict[str, Any]) -> None:
    dice = random.Random(f"{rules}")
    for _ in range(ROUNDS):
        text = score_only(dice, dice.randint(1, 6), rules)
        try:
            if audited(text).verdict == "ok":
                assert sound(text), text
        except BadLine:
            continue
        for _ in range(6):
            agrees(changed(dice, text))


@pytest.mark.parametrize("seed", range(3))
def test_a_changed_sheet_of_a_whole_game_is_ok_only_where_an_independent_sum_says_so(seed: int) -> None:
    dice = random.Random(seed)
    text = write(random_game(seed, {"max_hands": 2}).events)
    assert audited(text).verdict == "ok"
    assert sound(text)
    for _ in range(ROUNDS):
        agrees(changed(dice, text))


@pytest.mark.parametrize("seed", range(6))
def test_a_changed_sheet_that_breaks_off_inside_a_hand_is_ok_only_where_every_finish_says_so(seed: int) -> None:
    dice = random.Random(seed)
    lines = write(random_game(seed, {"max_hands": 1}).events).split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("plays"))
    tricks = lines[at].split("/")
    for _ in range(ROUNDS):
        text = "\n".join([*lines[:at], "/".join(tricks[: dice.randint(1, 13)]), *lines[at + 1 :]])
        agrees(text)
        agrees(changed(dice, text))
        agrees(changed(dice, bare(text, "stock", "draft", "exchange")))


def bare(text: str, *words: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith(words)) + "\n"


@pytest.mark.parametrize("word", ["bids", "tricks"])
def test_without_what_they_rest_on_no_figure_is_called_checked(word: str) -> None:
    dice = random.Random(word)
    for _ in range(ROUNDS):
        text = score_only(dice, 3, {})
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
