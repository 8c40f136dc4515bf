"""Whole sheets, sound and with lines dropped, doubled, swapped or misspelt: the audit against an independent referee."""

import os
import random
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.claims import BadClaim
from projections.claims.reading import from_words
from projections.textaudit.auditing import TextAudit, audit, told
from projections.textrecord import BadLine, TextGame, read
from tests.claims.games import Clock
from tests.claims.referee.dealing import KINDS, changed, dealt
from tests.claims.referee.paper import UnreadableSheet, sheet_of
from tests.claims.referee.verdicts import Ruling, ruling

ROUNDS = int(os.environ.get("TRICKBOOK_SHEETS", "150"))
"""Sheets a test; thousands by hand."""
SEEDS = st.integers(0, 2**40)
CHANGES = st.lists(st.tuples(st.sampled_from(KINDS), SEEDS), max_size=3)
sheets = settings(max_examples=ROUNDS, deadline=None, derandomize="TRICKBOOK_SHEETS" not in os.environ)


def audited(text: str) -> TextAudit | None:
    """The audit of a sheet, None where it cannot be read."""
    try:
        return audit(told(read(text)), Clock())
    except BadLine:
        return None


def refereed(text: str) -> Ruling | None:
    """The referee's ruling, None where the sheet is not written as record.md says."""
    try:
        return ruling(text)
    except UnreadableSheet:
        return None


def history(seed: int, changes: list[tuple[str, int]]) -> list[str]:
    """A sound sheet, and what becomes of it change by change."""
    texts = [dealt(random.Random(seed))]
    for kind, dice in changes:
        texts.append(changed(random.Random(dice), texts[-1], (kind,)))
    return texts


def meaning(text: str) -> Any:
    """What the product reads, without names, line numbers and notes."""
    game: TextGame = read(text)
    hands = tuple(msgspec.structs.replace(hand, lines={}) for hand in game.hands)
    ends = (
        game.result and msgspec.structs.replace(game.result, line=0),
        game.end and msgspec.structs.replace(game.end, line=0),
    )
    return game.rules, game.first, hands, ends


@given(SEEDS, CHANGES)
@sheets
def test_the_verdict_on_a_sheet_is_the_one_an_independent_referee_gives(seed: int, changes: list[tuple[str, int]]) -> None:
    texts = history(seed, changes)
    result, right = audited(texts[-1]), refereed(texts[-1])
    if right is not None:
        assert result is not None, f"record.md allows\n{texts[-1]}"
        assert result.verdict in right.verdicts, (result, right, texts[-1])
    elif result is not None and result.verdict == "ok":  # a spelling that the product reads beyond record.md
        sound = [text for text in texts[:-1] if (before := refereed(text)) is not None and "ok" in before.verdicts]
        assert any(meaning(text) == meaning(texts[-1]) for text in sound), texts[-1]


@given(SEEDS, CHANGES, st.data())
@sheets
def test_a_claim_holds_where_and_only_where_its_figures_follow(
    seed: int, changes: list[tuple[str, int]], data: st.DataObject
) -> None:
    text = history(seed, changes)[-1]
    result, right = audited(text), refereed(text)
    if result is None or right is None or not right.values or right.maybe:
        return
    hand, seat, figure = key = data.draw(st.sampled_from(sorted(right.values)))
    possible = sorted(right.values[key], key=str)
    value = data.draw(st.sampled_from(possible) if possible and data.draw(st.booleans()) else st.integers(0, 13))
    claim = from_words(f"{hand}.{seat}.{figure}={value}", {})
    answered = told(read(text)).answer(claim, Clock())
    follows = [str(each) for each in possible] == ["nil" if figure == "bid" and value == 0 else str(value)]
    assert (answered.holds and not result.contradicted) == (follows and not right.bad), (text, claim, answered, result)


@given(SEEDS, CHANGES)
@sheets
def test_what_is_called_checked_was_checked(seed: int, changes: list[tuple[str, int]]) -> None:
    text = history(seed, changes)[-1]
    result, right = audited(text), refereed(text)
    if result is None or right is None:
        return
    written = dict(enumerate(sheet_of(text).hands, 1))
    for line in result.checked:
        for number in _numbers(line):
            complete = sum(reply is not None for _, _, reply in written[number].plays)
            assert "every play" not in line or complete == 13, text
            counted = re.search(r"(\d+) of 13 tricks", line)
            assert counted is None or int(counted[1]) <= complete, text
            turns = re.search(r"(\d+) of 26 turns of the draft", line)
            assert turns is None or int(turns[1]) == len(written[number].draft or ()), text
            assert "the draft" not in line or (written[number].stock and (turns or len(written[number].draft or ()) == 26)), (
                text
            )
            assert "the exchange" not in line or written[number].exchanges, text
            assert "the score" not in line or all(len(right.values[number, seat, "total"]) == 1 for seat in ("north", "south"))
    if not right.bad:
        for number, hand in written.items():
            complete = sum(reply is not None for _, _, reply in hand.plays)
            claimed = any(f"of hand {number} " in line and "only claimed" in line for line in result.not_checked)
            assert not claimed or (hand.tricks is not None and complete < 13), (text, result)


def _numbers(line: str) -> list[int]:
    """The hands that a line is about."""
    listed = re.match(r"hands? ([0-9, to]+):", line)
    if listed is None:
        return []
    if "to" in listed[1]:
        first, last = listed[1].split(" to ")
        return list(range(int(first), int(last) + 1))
    return [int(number) for number in listed[1].split(", ")]


HANDS = "trickbook-text 1\nrules nil_value=0\nhand 1\nbids south 5 north 5\ntricks north 7\nhand 2\nbids south 5 north nil\n"


@pytest.mark.parametrize("claim", ["2.north.points=5", "2.north.bid=5", "2.north.points=0", "2.north.total=52"])
def test_a_claim_about_a_hand_without_a_score_is_answered(claim: str) -> None:
    answered = told(read(HANDS)).answer(from_words(claim, {}), Clock())
    assert answered.holds == (claim in ("2.north.points=0", "2.north.total=52"))
    with pytest.raises(BadClaim):
        told(read(HANDS)).answer(from_words("3.north=1", {}), Clock())


EXCHANGES = (
    ("double_nil north", "exchange north 2C > 3C", "no other line rules it out", "ok"),
    ("bids north 5 south 5", "exchange north 2C > 3C", "without double nil", "bad"),
    ("double_nil north", "exchange north 2C 4C > 3C", "two for one", "bad"),
    ("double_nil north", "exchange north 2C > 2C", "the card thrown", "bad"),
    ("double_nil north", "exchange north 5C > 3C", "a card thrown and played later", "bad"),
    ("double_nil north", "exchange north 2C > 6C", "a card that the other plays", "bad"),
    ("double_nil north\ndraft K T K", "exchange north 2C > 3C", "in the middle of the draft", "bad"),
)


@pytest.mark.parametrize(
    ("before", "exchange", "verdict"), [(b, e, v) for b, e, _, v in EXCHANGES], ids=[c[2] for c in EXCHANGES]
)
def test_an_exchange_without_a_stock_is_judged_by_the_other_lines(before: str, exchange: str, verdict: str) -> None:
    result = audited(f"trickbook-text 1\nhand 1\n{before}\n{exchange}\nplays south 6C 5C\n")
    assert result is not None
    assert result.verdict == verdict, result
    assert any("the pile that an exchange drew from" in line for line in result.not_checked)


def test_a_hand_after_the_last_is_a_finding_whatever_the_scores_were() -> None:
    result = audited(
        "trickbook-text 1\nrules max_hands=1\nhand 1\ntricks north 7\nhand 2\nbids north 5 south 5\ntricks north 7\n"
    )
    assert result is not None
    assert [(finding.code, finding.line) for finding in result.findings] == [("game_not_ended", 5)]


@pytest.mark.parametrize(
    ("plays", "code"),
    [
        ("south 3S 2S / south 4C 5C", "spades_not_broken"),
        ("south 4C 2S / north 3S 5S", None),
        ("south 3S 2S / south 4S 5S", None),
        ("south AC 2D / south 4D 5C", "revoke"),
    ],
)
def test_a_play_that_a_later_card_proves_illegal_is_a_finding_without_any_hand(plays: str, code: str | None) -> None:
    text = f"trickbook-text 1\nhand 1\nbids north 5 south 5\nplays {plays}\n"
    result, right = audited(text), refereed(text)
    assert result is not None
    assert right is not None
    assert [str(finding.code) for finding in result.findings] == ([code] if code else [])
    assert bool(right.bad) == bool(code)


LAST = "trickbook-text 1\nrules max_hands=2\nhand 1\ntricks north 7\nhand 2\nbids north 5 south 5\ntricks north 7\n"


def test_an_end_after_the_last_hand_is_a_finding_whatever_the_totals_are() -> None:
    result = audited(LAST + "end resigned north\n")
    assert result is not None
    assert [(finding.code, finding.line) for finding in result.findings] == [("wrong_end", 8)]


DECK = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
"""As a stock: each turn of north gives a club or a diamond, each of south a heart or a spade."""
NORTHS, SOUTHS = DECK[0::4], DECK[2::4]
STOCKS = (
    (NORTHS, SOUTHS, "5", "one card of each turn", "ok"),
    ([*NORTHS[:12], "2D"], SOUTHS, "5", "both cards of a turn", "bad"),
    ([*NORTHS[:12], "2S"], SOUTHS, "5", "a card of the other seat's turn", "bad"),
    ([*NORTHS[:12], NORTHS[0]], SOUTHS, "5", "a card twice", "bad"),
    ([*NORTHS[:12], "2S"], SOUTHS, "double_nil", "an exchange may explain it", "ok"),
)


@pytest.mark.parametrize(
    ("north", "south", "bid", "verdict"), [(n, s, b, v) for n, s, b, _, v in STOCKS], ids=[c[3] for c in STOCKS]
)
def test_held_cards_that_a_stock_cannot_give_are_a_finding_without_the_draft(
    north: list[str], south: list[str], bid: str, verdict: str
) -> None:
    text = f"trickbook-text 1\nhand 1\nstock {' '.join(DECK)}\nheld north {' '.join(north)}\nheld south {' '.join(south)}\n"
    result, right = (
        audited(text + f"bids north {bid} south 4\ntricks north 7\n"),
        refereed(text + f"bids north {bid} south 4\n"),
    )
    assert result is not None
    assert right is not None
    assert result.verdict == verdict, result
    assert bool(right.bad) == (verdict == "bad")
