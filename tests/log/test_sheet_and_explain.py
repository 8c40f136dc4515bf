"""The score sheet and the sentences of ``explain``, on hands that are known."""

from typing import Any

import pytest

from events.cards import DECK, Card, Seat
from events.ruleset import with_options
from events.types import HandScored
from projections.replay.sentences import trick_reason
from projections.replay.step_view import explanation, step_view
from projections.replay.walk import Step, steps
from projections.sheet import arithmetic, rows, sheet
from projections.table import Trick
from service.games import moves
from tests.kit.assertions import plain
from tests.kit.entropy import Scripted, cards
from tests.kit.games import Game
from tests.kit.given import given, hands
from tests.kit.logs import GAME, START

BIDS: dict[Seat, int] = {"north": 3, "south": 3}
CLUBS = "AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C"


def _lines(north_bid: int | str, takes: int, before_bags: int = 0, **rules: Any) -> list[str]:
    game = hands((north_bid, 5, takes), rules={"target": 10_000} | rules, north=(0, before_bags))
    scored = next(event.data for event in game.events if isinstance(event.data, HandScored))
    return arithmetic(with_options(rules), before_bags, scored.north)


@pytest.mark.parametrize(
    ("bid_", "takes", "about", "lines"),
    [
        (6, 6, {}, ["6×10 = +60"]),
        (4, 5, {}, ["4×10 +1 bag = +41"]),
        (4, 6, {}, ["4×10 +2 bags = +42"]),
        (6, 5, {}, ["set: −6×10 = −60"]),
        (0, 0, {}, ["nil made = +100"]),
        (0, 4, {}, ["nil failed = −100"]),
        ("double_nil", 0, {}, ["double nil made = +200"]),
        ("double_nil", 4, {"failed_nil": "bags"}, ["double nil failed = −200"]),
        (0, 4, {"failed_nil": "bags_and_points"}, ["nil failed = −100", "+4 for the tricks = −96"]),
        (0, 0, {"failed_nil": "bags_and_points"}, ["nil made = +100"]),
        (3, 8, {"before_bags": 8}, ["3×10 +5 bags = +35", "bags 8+5 = 13 → −100"]),
        (1, 13, {"before_bags": 8}, ["1×10 +12 bags = +22", "bags 8+12 = 20 → −200"]),
        (0, 3, {"failed_nil": "bags", "before_bags": 8}, ["nil failed = −100", "bags 8+3 = 11 → −100"]),
        (3, 8, {"before_bags": 8, "bag_limit": 0}, ["3×10 +5 bags = +35"]),
    ],
)
def test_the_arithmetic_of_a_line_is_what_a_person_writes(
    bid_: int | str, takes: int, about: dict[str, Any], lines: list[str]
) -> None:
    assert _lines(bid_, takes, **about) == lines


def test_the_sheet_has_every_hand_with_what_was_recorded_and_the_bags_before_it() -> None:
    game = hands((1, 7, 6), (1, 7, 6), rules={"max_hands": 2})
    events = game.events
    answer = plain(sheet(events, game.table))
    first, second = answer["hands"]
    assert (first["hand"], second["hand"]) == (1, 2)
    line = {"bid": 1, "tricks": 6, "points": 15, "new_bags": 5, "penalty": 0, "total": 15, "bags": 5}
    assert first["north"] == {**line, "lines": ["1×10 +5 bags = +15"]}
    assert second["north"]["lines"] == ["1×10 +5 bags = +15", "bags 5+5 = 10 → −100"]
    assert second["north"]["total"] == -70 == answer["totals"]["north"]
    assert answer["result"] == {"reason": "hand_limit", "winner": "south"}
    assert [row.before["north"] for row in rows(events)] == [(0, 0), (15, 5)]


def test_the_sheet_of_a_running_game_has_no_result() -> None:
    answer = plain(sheet(Game().join().events, Game().join().table))
    assert answer == {"hands": [], "totals": {"north": 0, "south": 0}}


# Why a trick went where it did ----------------------------------------------------------------------------------------


def _reason(led: str, card: str, *, broken: bool = False) -> str:
    return trick_reason(Trick(3, "south", (("south", Card(led)), ("north", Card(card))), broken=broken))


@pytest.mark.parametrize(
    ("led", "card", "said"),
    [
        ("KH", "4H", "KH beats 4H"),
        ("4H", "KH", "KH beats 4H"),
        ("AH", "2S", "2S trumps: north is out of hearts; spades broken"),
        ("2H", "AC", "2H stands: north is out of hearts and throws AC"),
        ("9S", "AS", "AS beats 9S; spades broken"),
        ("9S", "2S", "9S beats 2S; spades broken"),
        ("9S", "AD", "9S stands: north is out of spades and throws AD; spades broken"),
    ],
)
def test_the_reason_of_a_trick(led: str, card: str, said: str) -> None:
    assert _reason(led, card) == said
    assert _reason(led, card, broken=True) == said.removesuffix("; spades broken")


def test_spades_are_said_to_be_broken_once_a_hand_and_by_the_trick_that_did_it() -> None:
    game = given(f"{CLUBS} 2S", "AH 3S", bids=BIDS)
    while game.table.open.hand == 1:
        game.card(game.playable[-1])
    told = [step for step in steps(GAME, game.events) if step.trick_why and "spades broken" in step.trick_why]
    assert [step.position for step in told] == ["1.1.2"]


# Why a card was legal -------------------------------------------------------------------------------------------------


def _step(game: Game, position: str) -> Step:
    return next(step for step in steps(GAME, game.events) if step.position == position)


def test_a_lead_with_spades_unbroken_says_which_cards_could_be_led() -> None:
    game = given("", "AH 3S", bids=BIDS)
    game.card("AH")
    why = _step(game, "1.1.1").why
    assert why[:3] == ("South plays AH.", "South was on lead.", "Spades were not broken, so none could be led (rules §6.4).")
    assert why[3].startswith("Legal were ")
    assert "3S" not in why[3]


def test_a_card_that_follows_says_what_was_led_and_a_discard_that_none_was_held() -> None:
    game = given("4H 2H AC", "KH QH", bids=BIDS)
    game.card("KH", "4H")
    assert _step(game, "1.1.2").why == (
        "North plays 4H.",
        "Hearts were led and north held some, so one had to be played (rules §6.2).",
        f"Legal were {' '.join(card for card in cards('2H 3H 4H') if card in _step(game, '1.1.1').after.north.hand)}.",
        "South takes the trick: KH beats 4H.",
    )
    game = given(f"{CLUBS} 2S", "KH QH", bids=BIDS)
    game.card("KH", "2S")
    assert _step(game, "1.1.2").why[1] == "Hearts were led and north held none, so any card could be played (rules §6.2)."
    assert _step(game, "1.1.2").why[-1] == "North takes the trick: 2S trumps: north is out of hearts; spades broken."


def test_the_only_legal_card_is_called_so() -> None:
    game = given(f"{CLUBS} 2H", "KH QH", bids=BIDS)
    game.card("KH", "2H")
    assert "2H was the only legal card." in _step(game, "1.1.2").why


def test_a_lead_without_spades_with_only_spades_and_after_breaking_each_say_why() -> None:
    spades = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S"
    game = given(f"{CLUBS} 2C", f"{spades} 2S", bids=BIDS)
    game.card("2S", "AC", "3S")
    assert "Only spades were held, so one had to be led (rules §6.4)." in _step(game, "1.1.1").why
    assert "Spades were broken, so any card could be led." in _step(game, "1.2.1").why
    game = given("", "AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H", bids=BIDS)
    game.card("AH")
    assert "No spades were held, so any card could be led." in _step(game, "1.1.1").why


def test_what_a_hidden_hand_held_is_not_told() -> None:
    game = given("AH 4H", "KH 3S", bids=BIDS)
    game.card("KH", "AH")
    told = {step.position: step for step in steps(GAME, game.seen("north"))}
    assert told["1.1.1"].why == ("South plays KH.", "South was on lead.", "What south held is not shown yet.")
    assert explanation(told["1.1.1"]).held is None
    assert explanation(told["1.1.2"]).held.hand == told["1.1.1"].after.north.hand
    spectator = {step.position: step for step in steps(GAME, game.seen("spectator"))}
    assert spectator["1.1.2"].why[1] == "Hearts were led."
    assert spectator["1.1.2"].hands == {}
    assert spectator["1.1.2"].legal is None


# The other events -----------------------------------------------------------------------------------------------------


def test_the_draft_is_told_as_far_as_the_viewer_saw_it() -> None:
    game = Game(entropy=Scripted(stocks={1: DECK})).join()
    game.play("north", moves.Look(), moves.Keep())
    game.play("south", moves.DoubleNil(), moves.Pass())
    whole = {step.position: step for step in steps(GAME, game.events)}
    assert whole["v5"].text == "north looks: no double nil in this hand"
    assert "gives up double nil" in whole["v5"].why[1]
    assert whole["1.d1"].text == "north keeps 2C, 3C to the pile"
    assert whole["1.d2"].text == "south passes and takes 5C, 4C to the pile"
    assert "unseen by anybody" in whole["1.d1"].why[1]
    assert "draft turn 1 of 26" in whole["1.d1"].why[1]
    assert "must take the next" in whole["1.d2"].why[1]
    bid_step = next(step for step in whole.values() if step.event.type.name == "double_nil_bid")
    assert bid_step.text == "south bids double nil"
    assert "before any card of the hand was seen" in bid_step.why[1]
    mine = {step.position: step for step in steps(GAME, game.seen("north"))}
    assert mine["1.d1"].text == "north keeps 2C"
    assert mine["1.d2"].text == "south passes and takes the second card"
    theirs = {step.position: step for step in steps(GAME, game.seen("south"))}
    assert theirs["1.d1"].text == "north keeps the first card"
    assert theirs["1.d2"].text == "south passes and takes 5C, 4C to the pile"


def test_with_the_second_card_seen_the_sentence_says_by_whom() -> None:
    game = Game({"second_card": "seen"}, entropy=Scripted(stocks={1: DECK})).join()
    game.play("north", moves.Look(), moves.Keep())
    (step,) = [step for step in steps(GAME, game.seen("north")) if step.position == "1.d1"]
    assert step.text == "north keeps 2C, 3C to the pile"
    assert "seen by its drawer alone" in step.why[1]


@pytest.mark.parametrize(
    ("thrown", "own", "others"),
    [
        ("", "south exchanges nothing", "south exchanges nothing"),
        ("AS", "south throws AS and draws 2H", "south exchanges 1 card"),
        ("AS KS", "south throws AS KS and draws 2H 3H", "south exchanges 2 cards"),
    ],
)
def test_an_exchange_is_told_to_its_owner_with_the_cards(thrown: str, own: str, others: str) -> None:
    game = given("", "AS KS", double_nil=["south"])
    count = len(cards(thrown))
    game.entropy.draws = [[card for card in cards("2H 3H") if card in (game.table.house.pile or ())][:count]]
    game.play("south", moves.Exchange(cards(thrown)))
    assert _step(game, "1.x1").text == own
    seen = next(step for step in steps(GAME, game.seen("north")) if step.position == "1.x1")
    assert seen.text == others
    assert "may exchange with the pile" in seen.why[1]


def test_an_exchange_that_is_hidden_hides_the_hand_and_one_of_nothing_does_not() -> None:
    game = given("", "AS KS", double_nil=["south"])
    game.play("south", moves.Exchange(cards("AS")))
    told = steps(GAME, game.seen("south"))[-1]
    assert len(told.hands["south"]) == 13
    assert steps(GAME, game.seen("north"))[-1].hands.keys() == {"north"}


def test_the_score_of_a_hand_is_told_with_its_arithmetic() -> None:
    game = hands((4, 9, 6))
    step = _step(game, "1.s")
    assert step.text == "hand 1 is scored: north 42, south −90"
    assert step.why[1] == "North bid 4 and took 6: 4×10 +2 bags = +42; total 0 → 42, bags 0 → 2 (rules §7)."
    assert step.why[2] == "South bid 9 and took 7: set: −9×10 = −90; total 0 → −90, bags 0 → 0 (rules §7)."
    nil = _step(hands((0, "double_nil", 13)), "1.s")
    assert nil.why[1].startswith("North bid nil and took 13: nil failed = −100;")
    assert nil.why[2].startswith("South bid double nil and took 0: double nil made = +200;")


def _last(game: Game) -> Step:
    return steps(GAME, game.events)[-1]


def test_every_end_is_told() -> None:
    limit = hands((5, 8, 5), rules={"max_hands": 1})
    assert _last(limit).text == "the last hand is played: south wins (north 50, south 80)"
    draw = hands((5, 8, 5), rules={"max_hands": 1, "target": 10_000}, north=(30, 0))
    assert _last(draw).text == "the last hand is played: nobody wins (north 80, south 80)"
    assert _last(hands((5, 8, 5), rules={"target": 50})).text.startswith("the target is reached: south wins")
    floor = hands((9, 8, 5), rules={"floor": -50})
    assert _last(floor).text == "a score is at or under the floor: south wins (north −90, south 80)"
    resigned = Game().join()
    resigned.play("north", moves.Resign())
    assert _last(resigned).text == "north resigns: south wins (north 0, south 0)"
    late = Game({"turn_seconds": 60}).join()
    late.now = START + 60_000
    late.play("south", moves.ClaimTimeout())
    assert _last(late).text == "north's time ran out: south wins (north 0, south 0)"
    gone = Game()
    gone.play("north", moves.Resign())
    assert _last(gone).text == "the game is abandoned by north: nobody wins (north 0, south 0)"
    assert "open to everybody" in _last(gone).why[1]


def test_the_first_events_and_the_reveals_are_told() -> None:
    told = [step.text for step in steps(GAME, Game(contributions=["north", "south"]).join().events)]
    assert told == [
        "the game is created",
        "Ann sits down as north",
        "Bo sits down as south",
        "south reveals the bytes committed to",
        "north reveals the bytes committed to",
        "hand 1 begins: north drafts first, south leads first",
    ]


def test_bids_are_told_nil_by_its_name() -> None:
    game = given(bids={"south": 0, "north": 4})
    assert (_step(game, "1.b1").text, _step(game, "1.b2").text) == ("south bids nil", "north bids 4")


def test_a_step_as_an_answer_has_the_hands_the_legal_cards_and_the_trick() -> None:
    game = given("4H", "KH", bids=BIDS)
    game.card("KH", "4H")
    lead, follow = plain(step_view(_step(game, "1.1.1"))), plain(step_view(_step(game, "1.1.2")))
    assert lead["legal"] == {"seat": "north", "cards": [card for card in lead["hands"]["north"] if card[1] == "H"]}
    assert "trick" not in lead
    assert follow["trick"] == {
        "number": 1, "leader": "south", "winner": "south", "why": "KH beats 4H",
        "cards": [{"seat": "south", "card": "KH"}, {"seat": "north", "card": "4H"}],
    }  # fmt: skip
    assert follow["tricks"] == {"north": 0, "south": 1}
    assert follow["legal"]["seat"] == "south"
    assert plain(explanation(_step(game, "1.1.2")))["held"] == {"seat": "north", "hand": lead["hands"]["north"]}


def test_a_draft_turn_is_one_step_although_it_is_two_events() -> None:
    game = given()
    found = steps(GAME, game.events)
    assert sum(step.position.startswith("1.d") for step in found) == 26
    assert all(step.discarded is not None for step in found if step.position.startswith("1.d"))
