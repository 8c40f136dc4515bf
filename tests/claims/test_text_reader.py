"""Text records (record.md §2): read line by line, played as deep as they go, and audited."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from events.ruleset import with_options
from events.types import GameEnded, Totals
from projections.replay.walk import steps
from projections.sheet_keeping import bids_of, kept, tricks_of, with_hand, without_last
from projections.textaudit.auditing import TextAudit, audit, told
from projections.textrecord import BadLine, read, write
from projections.textrecord.game import WrittenExchange
from tests.claims.games import Clock
from tests.kit.given import hands, outcome_hands
from tests.kit.random_games import random_game

HEAD = "trickbook-text 1\nnorth  Ann\nsouth  Bo the Great\n"


def audited(text: str) -> TextAudit:
    return audit(told(read(text)), Clock())


def codes(text: str) -> list[tuple[str, str, int]]:
    return [(finding.code, finding.position, finding.line) for finding in audited(text).findings]


# There and back -------------------------------------------------------------------------------------------------------


def _moments(found: Any) -> list[Any]:
    """The steps as far as text tells them: positions but for versions, what happened, hands, legal cards, scores."""
    shown = [
        ("" if s.position[0] == "v" else s.position, s.text, s.hands, s.legal, s.trick_why,
         s.after.open.north.total, s.after.open.south.total, s.after.open.north.bags, s.after.open.south.bags)
        for s in found
    ]  # fmt: skip
    return [moment for moment in shown if "looks" not in moment[1]]  # the very last look leaves no trace on paper


@example(seed=0, end="resign", most=53)
@example(seed=85, end="resign", most=84)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), end=st.sampled_from(["played", "resign", "timeout"]), most=st.integers(0, 200))
def test_a_game_exported_as_text_and_read_back_is_the_same_game(seed: int, end: str, most: int) -> None:
    dice = random.Random(seed)
    rules = {"max_hands": 2, "failed_nil": dice.choice(("ignore", "bags")), "second_card": dice.choice(("seen", "hidden"))}
    if end == "timeout":
        rules["turn_seconds"] = 5
    first = dice.choice(("north", "south"))
    game = random_game(seed, rules, first=first, **({} if end == "played" else {"most": most, "end": end}))
    text = write(game.events)
    again = told(read(text))
    assert _moments(again.steps()) == _moments(steps("x", game.events))
    assert again.game.rules == with_options(rules)
    result = audit(again, Clock())
    assert result.findings == ()
    assert write(again.events) == text


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_the_same_game_told_less_deeply_has_the_same_scores_and_nothing_wrong(seed: int) -> None:
    text = write(random_game(seed, {"max_hands": 2, "failed_nil": "bags"}).events)
    deep = told(read(text))
    plays = [line for line in text.split("\n") if line.split(" ")[0] not in ("stock", "draft", "exchange", "double_nil")]
    taken = iter(f"tricks north {hand.north.tricks} south {hand.south.tricks}" for hand in deep.facts().hands)
    scores = [next(taken) if line.startswith("plays") else line for line in plays]
    for lines in (plays, scores):
        shallow = told(read("\n".join(lines)))
        assert audit(shallow, Clock()).findings == ()
        assert shallow.facts().ledger() == deep.facts().ledger()
        assert shallow.facts().result == deep.facts().result
        named = [step for step in shallow.steps() if step.position[0] != "v"]
        there = {step.position: step.text for step in deep.steps()}
        assert all(there[step.position] == step.text for step in named)
        assert not any(".d" in step.position or ".x" in step.position for step in named)


def test_an_abandoned_game_is_read_back() -> None:
    text = write(random_game(1, end="abandon").events)
    again = told(read(text))
    last = again.steps()[-1]
    assert last.after.open.result is not None
    assert not any("sealed" in sentence for sentence in last.why)
    assert audit(again, Clock()).verdict == "incomplete", "nothing in it can be checked"
    assert write(again.events) == text


# Reading --------------------------------------------------------------------------------------------------------------


def test_names_are_the_rest_of_their_line_and_comments_and_blank_lines_do_not_count() -> None:
    game = read(
        "# kept by Cid\n\ntrickbook-text 1\nsouth  Bo  the Great   # the winner\n\nnorth Ann\n"
        "rules  floor=none target=300\nfirst south\nhand 1\nbids south 4 north nil  # in either order\ntricks south 9 north 4\n"
    )
    assert game.names == {"north": "Ann", "south": "Bo  the Great"}
    assert (game.rules.floor, game.rules.target, game.first, game.rules_at) == (None, 300, "south", "line 7")
    assert game.hands[0].bids == {"north": 0, "south": 4}
    assert game.hands[0].depth == "score"


def test_an_exchange_may_be_of_nothing() -> None:
    game = read(HEAD + "hand 1\nexchange south >\nexchange north 2C 3C > 4H 5H\n")
    assert game.hands[0].exchanges == (WrittenExchange("south", (), ()), WrittenExchange("north", ("2C", "3C"), ("4H", "5H")))


BAD = [
    ("", 1, "expected 'trickbook-text 1' as the first line"),
    ("north Ann\n", 1, "expected 'trickbook-text 1' as the first line"),
    ("trickbook-text 2\n", 1, "expected 'trickbook-text 1'"),
    (HEAD + "north Cid\n", 4, "no second 'north' line: the first is line 2"),
    ("trickbook-text 1\nnorth\n", 2, "expected a name of 1 to 64 characters"),
    (
        HEAD + "east Cid\n",
        4,
        "expected north or south or rules or first or cards or hand or result or end, not 'east' (column 1)",
    ),
    (HEAD + "rules targt=3\n", 4, "expected option=value once for each of target"),
    (HEAD + "rules target=3\n", 4, "expected target to be a whole number from 50 to 10000"),
    (HEAD + "rules target=none\n", 4, "expected target to be"),
    (HEAD + "first me\n", 4, "expected a seat (north or south), not 'me'"),
    (HEAD + "hand 2\n", 4, "expected hand 1, not '2'"),
    (HEAD + "hand 1\nhand 3\n", 5, "expected hand 2, not '3'"),
    (HEAD + "bids north 3\n", 4, "not 'bids'"),
    (HEAD + "hand 1\nfirst north\n", 5, "expected stock or held or double_nil"),
    (HEAD + "hand 1\nfirst north\n", 5, "not 'first' (column 1); 'first' belongs before hand 1"),
    (HEAD + "hand 1\nstock 2C 3C\n", 5, "expected 52 cards in drawing order (here card 3), not the end of the line"),
    (HEAD + "hand 1\nheld north 2C 11C\n", 5, "expected 13 cards (here card 2), not '11C' (column 15)"),
    (HEAD + "hand 1\ndraft K T X\n", 5, "expected K or T for each of 26 draft turns, not 'X'"),
    (HEAD + "hand 1\nexchange south 2C\n", 5, "expected a card thrown, or > before the cards drawn, not the end of the line"),
    (HEAD + "hand 1\nexchange south 2C 3C 4C 5C >\n", 5, "at most 3 cards thrown"),
    (HEAD + "hand 1\nbids north 14\n", 5, "expected a bid (0 to 13, nil or double_nil), not '14'"),
    (HEAD + "hand 1\nbids north 4 north 5\n", 5, "north stands here twice"),
    (HEAD + "hand 1\nbids north 4\nbids south 4\n", 6, "no second 'bids' in hand 1: the first is line 5"),
    (HEAD + "hand 1\nplays south JD TD south KH\n", 5, "expected / between tricks, not 'south'"),
    (HEAD + "hand 1\nplays JD TD\n", 5, "expected the leader of trick 1 (north or south), not 'JD'"),
    (HEAD + "hand 1\nplays south JD / south KH\n", 5, "expected the other card of the trick, not '/'"),
    (HEAD + "hand 1\ntricks north 14\n", 5, "expected tricks (0 to 13), not '14'"),
    (HEAD + "hand 1\nscore north 63 63\n", 5, "expected the bags after the hand, not the end of the line"),
    (HEAD + "result north 5\n", 4, "expected north and south with their totals"),
    (HEAD + "result north 5 south 6 winner cid\n", 4, "expected north, south or draw"),
    (HEAD + "end resigned\n", 4, "expected who resigned (north or south), not the end of the line"),
    (HEAD + "end tired south\n", 4, "expected resigned, timed_out or abandoned"),
    (HEAD + "end abandoned\nhand 1\n", 5, "expected no hand after result or end"),
    (HEAD + "# " + "x" * 5000, 4, "expected at most 4096 characters"),
    ("trickbook-text 1\nsouth Bö\nnorth ".encode() + b"\xff", 3, "expected UTF-8: the byte at column 7 cannot be read"),
]


@pytest.mark.parametrize(("text", "line", "says"), BAD, ids=[says[:40] for _, _, says in BAD])
def test_a_bad_line_is_refused_by_number_with_what_was_expected(text: str | bytes, line: int, says: str) -> None:
    with pytest.raises(BadLine) as caught:
        read(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")
    assert says in str(caught.value)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (HEAD + "hand 1\n" + text).encode()))
def test_whatever_is_read_is_read_or_refused_and_whatever_is_read_can_be_audited(raw: bytes) -> None:
    try:
        game = read(raw)
    except BadLine:
        return
    audit(told(game), Clock())


# Auditing -------------------------------------------------------------------------------------------------------------


def whole(north: int = 4, south: int = 5, takes: int = 7) -> str:
    """A whole hand as text."""
    events = hands((north, south, takes)).events
    last = events[-1]
    ended = GameEnded("resigned", Totals(0, 0), "0" * 64, "south", "north")
    text = write([*events, msgspec.structs.replace(last, seq=last.seq + 1, data=ended, secret=None)])
    return text[: text.index("\nhand 2")]


def changed(text: str, word: str, change: Any) -> str:
    """The text with one line changed."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(word))
    lines[at] = change(lines[at])
    return "\n".join(lines)


def test_a_whole_hand_is_checked_whole() -> None:
    result = audited(whole())
    assert result.verdict == "ok"
    assert "hand 1: the draft, every play and the score" in result.checked
    assert any("seals, chain and receipts: a text record has none" in text for text in result.not_checked)


def test_held_hands_and_plays_are_checked_as_far_as_they_go() -> None:
    north, south, *_ = (" ".join(sorted(text.split())) for text in outcome_hands(7)[1::-1])
    text = whole()
    lines = [line for line in text.split("\n") if not line.startswith(("stock", "draft"))]
    at = next(i for i, line in enumerate(lines) if line.startswith("hand"))
    lines[at + 1 : at + 1] = [f"held north {south}", f"held south {north}"]
    swapped = "\n".join(lines)
    bare = "\n".join(line for line in lines if not line.startswith("held"))
    found = [audited(kind) for kind in (swapped, bare)]
    assert found[1].verdict == "ok", "who played what is known from all 26 plays"
    assert all("the draft: no stock is given" in " ".join(result.not_checked) for result in found)
    steps_ = told(read(bare)).steps()
    assert not any(step.position.startswith("1.d") for step in steps_)
    assert steps_[-1].hands == {}
    assert len([step for step in steps_ if step.position == "1.13.2"]) == 1


def test_score_only_is_scored_and_says_that_no_card_was_checked() -> None:
    result = audited(HEAD + "hand 1\nbids north 4 south 5\ntricks north 7\nscore south +51 51 1 north +43 43 3\n")
    assert result.verdict == "ok"
    assert "hand 1: the cards: only bids and tricks are given, and only claimed" in result.not_checked


def test_an_illegal_play_is_found_with_the_hand_that_was_held() -> None:
    text = HEAD + (
        "hand 1\n"
        "held north 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC 2S\nheld south AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD\n"
        "bids north 4 south 5\nplays south AC 2S / north 3C 2D\n"
    )
    (finding, *rest) = audited(text).findings
    assert (finding.code, finding.position, finding.line) == ("revoke", "1.1.2", 8)
    assert "2C 3C" in finding.message
    assert rest == []


FAULTS = [
    ("stock", lambda line: line.replace("2C", "2D"), "bad_deck", "1"),
    ("plays", lambda line: line.replace("south", "north", 1), "not_their_turn", "1.1.1"),
    ("plays", lambda line: f"{line.rsplit(' ', 1)[0]} {line.split()[2]}", "card_twice", None),
    ("draft", lambda line: line[:-2], "wrong_count", "1"),
    ("score", lambda line: line.replace("43", "44"), "wrong_score", "1.s"),
]


@pytest.mark.parametrize(("word", "change", "code", "position"), FAULTS, ids=[f"{w}-{c}" for w, _, c, _ in FAULTS])
def test_what_cannot_be_is_found_with_its_line(word: str, change: Any, code: str, position: str | None) -> None:
    text = changed(whole(), word, change)
    found = codes(text)
    assert found[0][0] == code
    assert position is None or found[0][1] == position
    line = next(i for i, said in enumerate(text.split("\n"), 1) if said.startswith(word))
    assert found[0][2] == line


def test_who_leads_is_whoever_took_the_trick_before() -> None:
    text = whole()
    plays = next(line for line in text.split("\n") if line.startswith("plays")).split(" / ")
    second = plays[1].split()
    plays[1] = " ".join(({"north": "south", "south": "north"}[second[0]], *second[1:]))
    (finding,) = audited(changed(text, "plays", lambda line: " / ".join(plays))).findings[:1]
    assert (finding.code, finding.position) == ("not_their_turn", "1.2.1")
    assert "took trick 1 (rules §6.1)" in finding.message


def test_an_exchange_that_cannot_be_is_found() -> None:
    text = whole().replace("draft ", "double_nil south\ndraft ").replace("bids   south 5 ", "bids   ")
    exchange = text.replace("bids ", "exchange south 2C > 3C\nbids ")
    assert codes(exchange)[0][0] in ("card_not_held", "card_not_in_pile")
    late = whole().replace("bids ", "exchange south >\nbids ")
    assert codes(late)[0][0] == "wrong_phase"


SCORE = HEAD + "hand 1\nbids north 4 south 5\ntricks north 7\nhand 2\nbids north 3 south nil\ntricks north 9\n"


def test_tricks_that_are_no_hand_are_found() -> None:
    assert codes(SCORE.replace("tricks north 7", "tricks north 7 south 7"))[0] == ("wrong_tricks", "1.s", 6)
    assert codes(whole() + "\ntricks north 6 south 7\n")[0][0] == "wrong_tricks"


def test_a_double_nil_is_the_bid() -> None:
    assert codes(SCORE.replace("hand 1\n", "hand 1\ndouble_nil north\n"))[0][0] == "wrong_bid"
    assert (
        told(read(SCORE.replace("hand 1\nbids north 4", "hand 1\nbids north double_nil"))).facts().hands[0].north.bid
        == "double_nil"
    )


def test_a_hand_without_a_count_is_named_and_the_next_one_is_still_looked_at() -> None:
    text = SCORE.replace("tricks north 7\n", "")
    result = audited(text)
    assert "hand 1 is not scored: it has no count of tricks" in result.not_checked
    assert "hand 2: the net change" in result.checked


def test_a_game_that_was_over_does_not_go_on() -> None:
    text = SCORE.replace("hand 1\n", "rules target=50\nhand 1\n", 1)
    assert codes(text) == [("game_not_ended", "2", 8)]
    assert codes(text[: text.index("hand 2")] + "end resigned north\n")[0][0] == "wrong_end"


def test_the_first_claim_that_differs_is_named_and_explained() -> None:
    text = SCORE + "score north +36 79 9 south -100 -49 1\nresult north 79 south -49 winner draw\n"
    (finding,) = audited(text).findings
    assert (finding.code, finding.line) == ("wrong_winner", 11)
    text = text.replace("south -100 -49 1", "south -100 -49 5")
    result = audited(text)
    assert [(f.code, f.position, f.line) for f in result.findings] == [("wrong_score", "2.s", 10)]
    assert result.claims is not None
    assert result.claims.search is not None
    text = text.replace(" winner draw", "")
    search = audited(text).claims
    assert search is not None
    assert search.search is not None
    assert search.search.readings[0].options == {"failed_nil": "bags"}
    assert "the standard ruleset" in search.search.readings[0].sentence


def test_the_facts_of_text_name_the_line_of_the_rules() -> None:
    text = SCORE.replace("hand 1\n", "rules failed_nil=bags\nhand 1\n", 1) + "score south -100 -49 1\n"
    claims = audited(text).claims
    assert claims is not None
    assert claims.search is not None
    assert claims.search.readings[0].sentence.endswith("line 4")


# Keeping --------------------------------------------------------------------------------------------------------------


def test_bids_and_tricks_are_read_as_people_say_them() -> None:
    assert bids_of("4 nil") == {"north": 4, "south": 0}
    assert bids_of("south dn north 3") == {"north": 3, "south": "double_nil"}
    assert tricks_of("7") == tricks_of("7 6") == tricks_of("south 6") == {"north": 7, "south": 6}
    for read_, text in (
        (bids_of, "4"),
        (bids_of, "north 3"),
        (bids_of, "4 5 6"),
        (tricks_of, "7 7"),
        (tricks_of, ""),
        (bids_of, ""),
    ):
        with pytest.raises(BadLine):
            read_(text)


def test_a_sheet_that_is_kept_is_a_text_record_that_holds() -> None:
    sheet = kept(HEAD + "rules failed_nil=bags\n")
    for bids, tricks in (("4 5", "7"), ("3 nil", "9"), ("1 1", "1")):
        sheet = with_hand(sheet, bids_of(bids), tricks_of(tricks)).sheet
    edit = without_last(sheet)
    assert edit.lost == ()
    assert audited(edit.sheet.text).verdict == "ok"
    assert "score  north +36 79 9 south -100 -49 5" in edit.sheet.text
    assert edit.sheet.text.startswith(HEAD + "rules failed_nil=bags\n\nhand 1\n")
    assert [hand.bids for hand in edit.sheet.game.hands] == [{"north": 4, "south": 5}, {"north": 3, "south": 0}]
