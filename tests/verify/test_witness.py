"""A player's client against a service that lies while it plays: it stops at once and for good, gives nothing away that it
must hold back, and what it kept can be read. At an honest service it never stops."""

import random
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events import player_evidence
from events.player_evidence import Drawn, Evidence, Line, OwnBytes, Pinned
from events.receipts import Receipt
from events.types import BidPlaced, CardKept, Event, GameEnded, Names, Totals
from projections.audit import from_record
from projections.verify import verify
from service.bots import highest_card_move
from service.client.http import ClientError
from service.client.player import Player
from service.client.witness import Suspicion, Witness, keeper
from tests.kit.forged import Groups, edited
from tests.kit.logs import GAME, OTHER_SIGNER, SIGNER
from tests.verify import liar
from tests.verify.liar import NOT_CAUGHT, OWN, URL, Clock, Json, Seated, Service, Spoil, answered, changed, record

SEED = 7


def sits(spoil: Spoil, victim: Any = "south") -> str:
    """What becomes of a player who is answered so while both sit down and reveal; its bytes must not have been sent."""
    seated = Seated(SEED)
    seated.wires[victim].spoil = spoil
    code = seated.caught(victim, seated.begin)
    assert not seated.wires[victim].revealed(), "the bytes were given away"
    return code


def plays(spoil: Spoil, *, until: Callable[[Seated], bool] = lambda s: s.south.witness.version > 20) -> str:
    """What becomes of south who is answered so from some place of an honest game on."""
    seated = Seated(SEED).begin().until(until)
    seated.wires["south"].spoil = spoil
    return seated.caught("south", seated.play)


def views(change: Callable[[Json], Any]) -> Spoil:
    """A change of every view."""

    def spoil(method: str, path: str, answer: Json) -> Json:
        for view in (answer, answer.get("view", {})):
            if "phase" in view:
                change(view)
        return answer

    return spoil


def lines(change: Callable[[list[Json]], list[Any]]) -> Spoil:
    """A change of every list of events."""
    return lambda method, path, answer: {**answer, "events": change(answer["events"])} if "events" in answer else answer


def each(change: Callable[[Json], Any]) -> Spoil:
    """A change of every event line."""

    def all_(found: list[Json]) -> list[Any]:
        for line in found:
            change(line)
        return found

    return lines(all_)


def answers(change: Callable[[Json], Any]) -> Spoil:
    """A change of the answer to a create or a join."""

    def spoil(method: str, path: str, answer: Json) -> Json:
        if "token" in answer:
            change(answer)
        return answer

    return spoil


def drafts(seated: Seated) -> bool:
    """Whether south is in the middle of the draft, on turn."""
    return bool(seated.south.legal) and seated.south.witness.version > 20 and seated.south.view["phase"] == "draft"


# At an honest service -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [{}, {"second_card": "seen"}, {"exchange_max": 0}, {"max_hands": 2}, {"turn_seconds": 600}, {"floor": -60, "max_hands": 3}],
    ids=str,
)
def test_an_honest_game_is_played_to_the_end_without_a_suspicion_and_is_verified(rules: Json) -> None:
    for seed in range(3):
        seated = Seated(seed, rules).play()
        for seat in liar.SEATS:
            found = verify(from_record(record(seated.groups(), seated.game)), seated.lines(seat))
            assert (found.verdict, found.findings) == ("verified", ())


@pytest.mark.parametrize("back", range(0, 28, 2))
def test_a_resignation_or_a_claim_at_any_moment_is_no_suspicion(back: int) -> None:
    clock = Clock()
    seated = Seated(back, {"turn_seconds": 60}, service=Service(back, clock=clock)).begin()
    for _ in range(2 * back):
        seated.step()
    for player in seated.players.values():
        player.refresh(0)
    if back % 4:
        player = random.Random(back).choice((seated.north, seated.south))
        player.move({"type": "resign"})
    else:
        clock.time += 100_000
        player = seated.south if seated.north.view["turn"] == "north" else seated.north
        player.move({"type": "claim_timeout"})
    for player in seated.players.values():
        player.refresh(0)
        assert player.ended


def test_parts_that_were_opened_by_the_end_of_play_just_now_are_no_suspicion() -> None:
    """The view is asked for before the other resigns, the events after it: they come with everything open."""
    seated = Seated(SEED).begin().until(lambda s: bool(s.north.legal) and s.north.view["phase"] == "draft")
    north, south = seated.north, seated.south
    south.refresh(0)
    before = south.witness.version
    while north.legal:
        north.move(highest_card_move(north.view))
    view = seated.wires["south"].view(seated.game)
    north.move({"type": "resign"})
    assert view["version"] > before
    seated.wires["south"].spoil = lambda method, path, answer: view if "phase" in answer else answer
    south.refresh(0)
    assert south.witness.version == view["version"]
    assert south.witness.log.opened
    seated.wires["south"].spoil = None
    assert south.refresh(0)["phase"] == "ended"


def test_the_file_holds_the_pin_the_own_bytes_and_every_receipt_before_the_next_move() -> None:
    seated = Seated(SEED).play()
    found = seated.lines("south")
    assert found[0] == Pinned(seated.game, SIGNER.key.id, "south")
    assert found[1] == OwnBytes(OWN["south"].hex(), seated.game, "south")
    commits = seated.service.games.log(seated.game)
    assert [line.seq for line in found if isinstance(line, Receipt)] == [commit.seq for commit in commits]
    shown = {line.version: line.card for line in found if isinstance(line, Drawn)}
    first = [
        (kept_ if kept_.data.choice == "first" else thrown).secret.card  # type: ignore[attr-defined]
        for group in seated.groups()
        if isinstance(group[0].data, CardKept) and group[0].data.seat == "south"
        for kept_, thrown in [group]
    ]
    assert list(shown.values()) == first


def test_every_move_is_made_on_the_whole_etag() -> None:
    seated = Seated(SEED).begin()
    heads = {commit.seq: commit.head.hex() for commit in seated.service.games.log(seated.game)}
    assert seated.wires["south"].if_match == [f'"3.{heads[3]}"']
    assert seated.wires["north"].if_match == [f'"4.{heads[4]}"']


def test_own_bytes_are_fresh_for_every_game() -> None:
    assert len({Witness().own for _ in range(100)}) == 100
    assert all(len(bytes.fromhex(Witness().own)) == 32 for _ in range(3))


# Before the bytes are given away --------------------------------------------------------------------------------------


def _other_head(answer: Json) -> None:
    secret, _, key = answer["invite"].split(".")
    answer["invite"] = f"{secret}.{'0' * 64}.{key}"
    answer["invite_link"] = f"{URL}/#join={answer['invite']}"


def _other_link(answer: Json) -> None:
    answer["invite_link"] = answer["invite_link"].replace(answer["invite"], answer["invite"][:-64] + "0" * 64)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda answer: answer.update(seat="south"), "bad_answer"),
        (lambda answer: answer.update(game="../../admin"), "bad_answer"),
        (lambda answer: answer.update(game="no\x00game"), "bad_answer"),
        (lambda answer: answer.update(server_key={}), "bad_answer"),
        (lambda answer: answer.update(server_key=[]), "bad_answer"),
        (lambda answer: answer.update(view=[]), "bad_answer"),
        (lambda answer: answer["view"].update(version="2"), "bad_answer"),
        (lambda answer: answer.pop("receipt"), "bad_answer"),
        (lambda answer: answer.pop("token"), "bad_answer"),
        (lambda answer: answer.update(receipt={"at": 1}), "bad_receipt"),
        (lambda answer: answer["server_key"].update(id="0" * 64), "other_server_key"),
        (lambda answer: answer["server_key"].update(msgspec.to_builtins(OTHER_SIGNER.key)), "other_server_key"),
        (_other_head, "invite_mismatch"),
        (_other_link, "invite_mismatch"),
    ],
)
def test_an_answer_to_create_that_does_not_fit_stops_the_creator(change: Callable[[Json], Any], code: str) -> None:
    seated = Seated(SEED)

    def spoil(method: str, path: str, answer: Json) -> Json:
        if "token" in answer:
            change(answer)
        return answer

    seated.wires["north"].spoil = spoil
    assert seated.caught("north", seated.create) == code


def test_rules_first_player_or_name_that_were_not_asked_for_stop_the_creator() -> None:
    for fork, code in (
        (liar.other_rules, "other_rules"),
        (lambda groups: changed(groups, liar.GameCreated, data={"first": "south"}), "other_rules"),
        (lambda groups: changed(groups, liar.PlayerJoined, data={"name": "Eve"}), "other_name"),
    ):
        seated = Seated(SEED)
        seated.wires["north"].fork = fork  # type: ignore[assignment]
        assert seated.caught("north", seated.create) == code


NAMES = Names("Ann", "Bo")
BEGUN: list[tuple[Json, Json]] = [
    ({}, {"listed": True}),
    ({}, {"rated": True, "names": NAMES}),
    ({}, {"names": NAMES}),
    ({}, {"after": GAME}),
    ({"listed": True}, {"listed": False}),
    ({"opponent_name": "Bo"}, {"names": None}),
    ({"opponent_name": "Bo"}, {"names": Names("Ann", "Eve")}),
    ({"first": "south"}, {"first": "north"}),
]


@pytest.mark.parametrize(("asked", "made"), BEGUN, ids=str)
def test_a_game_made_with_another_option_than_requested_stops_the_creator(asked: Json, made: Json) -> None:
    seated = Seated(SEED)
    north = seated.north
    assert seated.caught("north", lambda: north.create("Ann", seated.rules, **asked)) == NOT_CAUGHT
    seated = Seated(SEED)
    seated.wires["north"].fork = lambda groups: changed(groups, liar.GameCreated, data=made)
    assert seated.caught("north", lambda: seated.north.create("Ann", seated.rules, **asked)) == "other_rules"


def test_somebody_else_at_the_seat_of_the_house_stops_the_creator() -> None:
    seated = Seated(SEED)
    created = seated.create()
    log = seated.north.witness.log
    log._asked = msgspec.structs.replace(log._asked, opponent="House")
    seated.join(created)
    assert seated.caught("north", lambda: seated.north.refresh(0)) == "other_opponent"


def test_another_game_than_the_one_of_the_invite_stops_who_joins() -> None:
    service = Service(SEED)
    seated, other = Seated(SEED, service=service), Seated(SEED, service=service)
    other.wires["north"]._keys = 100
    created, wrong = seated.create(), other.create()
    assert created["game"] != wrong["game"]
    wire = seated.wires["south"]
    wire.spoil = lambda method, path, answer: {**answer, "game": wrong["game"]} if "token" in answer else answer
    assert seated.caught("south", lambda: seated.join(created)) == "other_game"


@pytest.mark.parametrize("invite", ["secret", "secret.head", f"s.{'0' * 64}.", f"s.{'0' * 63}G.{'0' * 64}"])
def test_an_invite_that_is_not_whole_pins_nothing_and_is_refused(invite: str) -> None:
    seated = Seated(SEED)
    created = seated.create()
    secret = created["invite"].split(".")[0]
    with pytest.raises(Suspicion) as stop:
        seated.south.join(created["game"], "Bo", invite.replace("secret", secret).replace("s.", f"{secret}."))
    assert stop.value.code in ("invite_not_whole", "bad_answer")
    assert not seated.wires["south"].revealed()


@pytest.mark.parametrize("at", [1, 2])
def test_a_game_that_begins_otherwise_than_the_invite_says_stops_who_joins(at: int) -> None:
    lies: dict[int, liar.Fork] = {
        1: lambda groups: changed(groups, liar.GameCreated, at=groups[0][0].at - 1),
        2: lambda groups: changed(groups, liar.PlayerJoined, data={"name": "Eve"}),
    }
    seated = Seated(SEED)
    seated.wires["south"].fork = lies[at]
    assert seated.caught("south", seated.sit) == "head_mismatch"
    assert not seated.wires["south"].revealed()


@pytest.mark.parametrize(
    ("fork", "code"),
    [
        (liar.other_contribution("north", liar.EVIL), "contribution_replaced"),
        (liar.other_contribution("north", None), "contribution_stripped"),
        (liar.exchanged_contributions, "contribution_replaced"),
        (liar.other_key, "bad_signature"),
        (lambda groups: changed(groups, liar.ContributionRevealed, data={"bytes": "ab" * 32}), "contribution_mismatch"),
        (lambda groups: [*groups[:2], *groups[2:3], *groups[2:]], "revealed_early"),  # south's, twice
    ],
)
def test_the_creator_holds_its_bytes_back_too(fork: liar.Fork, code: str) -> None:
    seated = Seated(SEED)
    seated.wires["north"].fork = fork
    assert seated.caught("north", seated.begin) == code
    assert not seated.wires["north"].revealed()


def test_nothing_is_revealed_before_both_sit_or_without_a_receipt_or_by_a_move_like_any_other() -> None:
    alone = Seated(SEED)
    alone.create()
    assert alone.caught("north", alone.north.reveal) == "not_ready_to_reveal"
    direct = Seated(SEED)
    direct.create()
    move = {"type": "reveal", "bytes": direct.north.witness.own}
    assert direct.caught("north", lambda: direct.north.move(move)) == "not_ready_to_reveal"
    first = Seated(SEED).sit()  # south has not revealed yet
    first.north.refresh(0)
    assert first.caught("north", first.north.reveal) == "not_ready_to_reveal"
    unsigned = Seated(SEED).sit()
    unsigned.south.witness._receipted = 2
    assert unsigned.caught("south", unsigned.south.reveal) == "not_ready_to_reveal"
    for seated in (alone, direct, first):
        assert not seated.wires["north"].revealed()
    assert not unsigned.wires["south"].revealed()


def test_who_has_a_suspicion_never_goes_on_whatever_the_caller_does_next() -> None:
    seated = Seated(SEED)
    seated.wires["south"].spoil = views(lambda view: view.update(head="0" * 64))
    assert seated.caught("south", seated.sit) == "head_mismatch"
    seated.wires["south"].spoil = None
    for act in (seated.south.reveal, lambda: seated.south.refresh(0), lambda: seated.south.move({"type": "look"})):
        with pytest.raises(Suspicion) as stop:
            act()
        assert stop.value.code == "head_mismatch"
    assert not seated.wires["south"].revealed()


def _receipts(change: Callable[[Json], Any]) -> Spoil:
    """A change of every receipt."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(item) if key == "receipt" else walk(item) for key, item in value.items()}
        return [walk(item) for item in value] if isinstance(value, list) else value

    return lambda method, path, answer: walk(answer)


def _signed(receipt: Json, signer: Any = SIGNER, **other: Any) -> Json:
    said = {**receipt, **other}
    found: Json = msgspec.json.decode(signer.sign(said["at"], said["game"], bytes.fromhex(said["head"]), said["seq"]))
    return found


RECEIPTS: list[tuple[Callable[[Json], Any], str]] = [
    (lambda receipt: _signed(receipt, at=receipt["at"] + 1), "receipt_mismatch"),
    (lambda receipt: _signed(receipt, game=GAME), "receipt_mismatch"),
    (lambda receipt: _signed(receipt, seq=receipt["seq"] + 1), "receipt_mismatch"),
    (lambda receipt: _signed(receipt, head="0" * 64), "receipt_mismatch"),
    (lambda receipt: _signed(receipt, OTHER_SIGNER), "bad_signature"),
    (lambda receipt: {**_signed(receipt, OTHER_SIGNER), "key": receipt["key"]}, "bad_signature"),
    (lambda receipt: {**receipt, "at": receipt["at"] + 1}, "bad_signature"),
    (lambda receipt: {**receipt, "signature": "A" * 86}, "bad_signature"),
    (lambda receipt: {**receipt, "more": 1}, "bad_receipt"),
    (lambda receipt: {**receipt, "seq": 1.5}, "bad_receipt"),
    (lambda receipt: None, "bad_receipt"),
    (lambda receipt: "\ud800", "bad_receipt"),
]


@pytest.mark.parametrize(("change", "code"), RECEIPTS)
def test_a_receipt_that_is_not_for_what_was_shown_stops_the_client_before_it_reveals(
    change: Callable[[Json], Any], code: str
) -> None:
    assert sits(_receipts(change)) == code


def test_a_receipt_for_what_was_not_shown_is_kept_as_proof() -> None:
    seated = Seated(SEED)
    seated.wires["south"].spoil = _receipts(lambda receipt: _signed(receipt, head="0" * 64))
    assert seated.caught("south", seated.begin) == "receipt_mismatch"
    assert any(isinstance(line, Receipt) and line.head == "0" * 64 for line in seated.lines("south"))


# While playing --------------------------------------------------------------------------------------------------------


def _turned(found: list[Json]) -> list[Json]:
    return found[::-1]


def _other_draw(view: Json) -> None:
    if "drawn" in view.get("you", {}):
        view["you"]["drawn"] = "2C" if view["you"]["drawn"] != "2C" else "3C"


def _held_again(view: Json) -> None:
    if "drawn" in view["you"] and view["you"]["hand"]:
        view["you"]["drawn"] = view["you"]["hand"][0]


def _peeped(line: Json) -> None:
    if line["public"]["type"] == "card_kept" and line["public"]["data"]["seat"] == "north":
        line["sealed"] = {"data": {"card": "2C"}, "owner": "north", "salt": "0" * 32}


def _no_part(line: Json) -> None:
    line.pop("sealed", None)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (views(lambda view: view.update(head="0" * 64)), "head_mismatch"),
        (views(lambda view: view.pop("head")), "head_mismatch"),
        (views(lambda view: view.update(version=True)), "bad_answer"),
        (views(lambda view: view.update(version=view["version"] + 5)), "events_missing"),
        (views(lambda view: view.update(version=3)), "went_back"),
        (views(lambda view: view.pop("you")), "view_mismatch"),
        (views(lambda view: view["you"].update(hand=view["you"]["hand"][1:])), "view_mismatch"),
        (views(lambda view: view["you"].update(legal=[*view["you"]["legal"], {"type": "pass"}])), "view_mismatch"),
        (views(lambda view: view["you"].update(discarded=["2C", "3C", "4C", "5C", "6C"])), "view_mismatch"),
        (views(lambda view: view["seats"]["south"].update(total=-1)), "view_mismatch"),
        (views(lambda view: view["rules"].update(target=50)), "view_mismatch"),
        (views(lambda view: view.update(result={"reason": "resigned", "winner": "north"})), "view_mismatch"),
        (views(lambda view: view.update(turn="south", phase="play")), "view_mismatch"),
        (views(_other_draw), "drawn_card_changed"),
        (views(_held_again), "view_mismatch"),
        (views(lambda view: view["you"].update(drawn="\ud800") if "drawn" in view["you"] else None), "view_mismatch"),
        (lines(_turned), "events_missing"),
        (lines(lambda found: found[1:]), "events_missing"),
        (lines(lambda found: [*found[:1], *found]), "events_missing"),
        (lines(lambda found: []), "move_missing"),
        (lines(lambda found: ["no event"]), "not_an_event"),
        (lines(lambda found: [{"public": {"seq": 1e9}}]), "not_an_event"),
        (each(lambda line: line.update(head="0" * 64)), "head_mismatch"),
        (each(lambda line: line["public"].update(at=line["public"]["at"] + 1)), "head_mismatch"),
        (each(lambda line: line["public"].update(seal="0" * 64) if "sealed" in line else None), "head_mismatch"),
        (each(lambda line: line["public"].update(note="\u0007")), "not_an_event"),
        (each(lambda line: line["public"].update(type="\ud800")), "not_an_event"),
        (each(lambda line: line["sealed"].update(salt="0" * 32) if "sealed" in line else None), "seal_mismatch"),
        (each(_peeped), "seal_mismatch"),
        (each(_no_part), "sealed_missing"),
        (each(lambda line: line.pop("receipt", None)), "receipt_missing"),
        (each(lambda line: line.setdefault("receipt", {})), "receipt_mismatch"),
    ],
)
def test_an_answer_that_does_not_fit_stops_the_client(spoil: Spoil, code: str) -> None:
    assert plays(spoil) == code


def north_bids_late(groups: Groups) -> Groups:
    return changed(groups, BidPlaced, of={"seat": "north"}, at=1)


def unseen_second_card(groups: Groups) -> Groups:
    """What south threw unseen, after keeping the first card, is sealed as south's own."""
    for c, group in enumerate(groups):
        if isinstance(group[0].data, CardKept) and (group[0].data.seat, group[0].data.choice) == ("south", "first"):
            return edited(groups, (c, 1), owner="south")
    return groups


@pytest.mark.parametrize(
    ("fork", "code"),
    [
        (north_bids_late, "time_went_back"),
        (lambda groups: changed(groups, CardKept, of={"seat": "north"}, owner="south"), "wrong_owner"),
        (lambda groups: changed(groups, CardKept, of={"seat": "south"}, owner="north"), "sealed_missing"),
        (unseen_second_card, "wrong_owner"),
        (
            lambda groups: changed(groups, CardKept, of={"seat": "south", "choice": "first"}, secret={"card": "4C"}),
            "drawn_card_changed",
        ),
        (lambda groups: changed(groups, BidPlaced, of={"seat": "south"}, data={"tricks": 13}), "not_our_move"),
        (
            lambda groups: changed(groups, CardKept, of={"seat": "south", "choice": "first"}, data={"choice": "second"}),
            "not_our_move",
        ),
        (lambda groups: changed(groups, GameEnded, data={"winner": None}), "wrong_winner"),
        (lambda groups: changed(groups, GameEnded, data={"totals": Totals(1, 2)}), "wrong_totals"),
        (liar.root_at_the_end, "root_mismatch"),
    ],
)
def test_a_log_that_is_signed_but_cannot_be_stops_the_client(fork: liar.Fork, code: str) -> None:
    seated = Seated(2)
    seated.wires["south"].fork = fork
    assert seated.caught("south", seated.play) == code
    told = str(seated.lines("south")[-1])
    in_the_end = code in ("wrong_winner", "wrong_totals", "root_mismatch")
    assert ("hand_scored" in told or "game_ended" in told) == in_the_end, "the others are seen at once"


def test_a_move_of_ours_that_we_did_not_make_stops_us_a_resignation_too() -> None:
    seated = Seated(SEED).begin().until(lambda s: s.south.witness.version > 20)
    root = OWN["north"].hex()

    def end(groups: Groups) -> Groups:
        event = Event(0, groups[-1][-1].at, GameEnded("resigned", Totals(0, 0), root, "north", "south"))
        return [*groups, [event]]

    fork = seated.wires["south"]
    true_root = seated.groups()[0][0].secret.root  # type: ignore[union-attr]
    root = true_root
    fork.fork = end
    assert seated.caught("south", lambda: seated.south.refresh(0)) == "not_our_move"


def test_a_move_of_which_it_is_not_known_what_became_is_ours_when_it_turns_up() -> None:
    seated = Seated(SEED).begin().until(drafts)
    wire, south = seated.wires["south"], seated.south
    move = {"type": south.legal[0]["type"]}
    wire.move(seated.game, move)  # it arrives, and the answer is lost
    wire.instead = lambda method, path: answered(503, {"code": "store_unreachable", "detail": "try again"})
    with pytest.raises(ClientError):
        south.move(move)
    wire.instead = None
    south.refresh(0)
    assert south.witness.stopped is None


def test_a_move_that_was_refused_must_not_turn_up() -> None:
    seated = Seated(SEED).begin().until(drafts)
    wire, south = seated.wires["south"], seated.south
    move = {"type": south.legal[0]["type"]}
    wire.instead = lambda method, path: answered(409, {"code": "not_your_turn", "detail": "no"})
    with pytest.raises(ClientError):
        south.move(move)
    wire.instead = None
    wire.move(seated.game, move)  # the service makes it all the same
    assert seated.caught("south", lambda: south.refresh(0)) == "not_our_move"


@pytest.mark.parametrize("code", ["version_mismatch", "game_over"])
def test_a_refusal_of_the_place_we_know_while_it_is_shown_stops_us(code: str) -> None:
    """A service with two histories can take only one player's next move on the whole ETag."""
    seated = Seated(SEED).begin().until(drafts)
    refused = answered(412, {"code": code, "detail": "another head than the one you know"})
    seated.wires["south"].instead = lambda method, path: refused if method == "POST" else None
    player = seated.south
    assert seated.caught("south", lambda: player.play(lambda view: {"type": view["you"]["legal"][0]["type"]})) == "move_refused"


def test_an_old_answer_to_a_new_move_stops_us() -> None:
    seated = Seated(SEED).begin().until(drafts)
    wire, south = seated.wires["south"], seated.south
    answers_: list[Json] = []
    wire.spoil = lambda method, path, answer: answers_.append(answer) or answer  # type: ignore[func-returns-value]
    south.move({"type": south.legal[0]["type"]})
    first = answers_[0]
    wire.spoil = lambda method, path, answer: first if method == "POST" else answer
    seated.until(lambda s: s.south.witness.stopped is not None or _next(s))
    assert seated.caught("south", lambda: south.move({"type": south.legal[0]["type"]})) == "events_missing"


def _next(seated: Seated) -> bool:
    """Whether south is on turn again."""
    seated.south.refresh(0)
    return bool(seated.south.legal)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ([], "unexpected_answer"),
        (None, "unexpected_answer"),
        (b"[" * 100_000, "unexpected_answer"),
        (b"<html>", "unexpected_answer"),
        ({}, "bad_answer"),
        ({"events": {}}, "bad_answer"),
        ({"events": [], "view": {}}, "bad_answer"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_answer_to_a_move_that_is_none_stops_us(answer: Any, code: str) -> None:
    seated = Seated(SEED).begin().until(drafts)
    seated.wires["south"].instead = lambda method, path: answered(201, answer)
    player = seated.south
    assert seated.caught("south", lambda: player.move({"type": player.legal[0]["type"]})) == code


def test_an_answer_without_our_move_stops_us() -> None:
    seated = Seated(SEED).begin().until(drafts)
    wire, south = seated.wires["south"], seated.south
    known = dict(south.view)
    nothing = {"version": known["version"], "events": [], "view": known, "receipt": known["receipt"]}
    wire.instead = lambda method, path: answered(201, nothing)
    assert seated.caught("south", lambda: south.move({"type": south.legal[0]["type"]})) == "move_missing"


def test_the_drawn_card_asked_again_must_be_the_same() -> None:
    seated = Seated(SEED).begin().until(lambda s: "drawn" in s.south.view["you"])
    seated.south.refresh(0)
    seated.wires["south"].spoil = views(_other_draw)
    seated.wires["south"].instead = None
    seated.south.view = {**seated.south.view, "head": "0" * 64}  # a client that asks without a known ETag
    assert seated.caught("south", lambda: seated.south.refresh(0)) == "drawn_card_changed"


def test_news_that_are_held_back_by_304_show_nothing_and_prove_nothing() -> None:
    seated = Seated(SEED).begin()
    seated.wires["south"].instead = lambda method, path: answered(304, b"")
    assert seated.caught("south", lambda: seated.south.refresh(0)) == NOT_CAUGHT
    assert seated.south.witness.version == 4


# The file -------------------------------------------------------------------------------------------------------------


def test_a_hostile_answer_cannot_spoil_the_file_that_holds_the_evidence(tmp_path: Path) -> None:
    path = tmp_path / "game.receipts"
    seated = Seated(SEED).begin()
    witness = seated.south.witness
    keep = keeper(path)
    for line in seated.files["south"]:
        keep(line)
    witness._keep = keep
    hostile = {"public": {"seq": witness.version + 1, "type": '"\\\u0000\ud800\u202e' * 4000}, "x": ['"' * 50_000]}
    with pytest.raises(Suspicion):
        witness.take([hostile])
    with path.open("rb") as file:
        found = player_evidence.read(file)
    last: Line = found[-1]
    assert isinstance(last, Evidence)
    assert last.code == "not_an_event"
    assert '"seq": ' in last.answer
    assert len(last.answer) == player_evidence.MAX_ANSWER


def test_the_file_is_private_and_a_line_that_was_never_finished_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "game.receipts"
    pinned = Pinned(GAME, "0" * 64, "south")
    keeper(path)(player_evidence.write(pinned))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open("ab") as file:
        file.write(b'{"receipt":{"at"')
    with path.open("rb") as file:
        assert player_evidence.read(file) == [pinned]
    keeper(path)(player_evidence.write(OwnBytes("0" * 64, GAME, "south")))
    with path.open("rb") as file:
        assert player_evidence.read(file) == [pinned, OwnBytes("0" * 64, GAME, "south")]


def test_a_player_without_a_file_checks_all_the_same() -> None:
    seated = Seated(SEED)
    player = Player(URL)
    player.client = seated.wires["north"]
    seated.wires["north"].fork = liar.other_rules
    with pytest.raises(Suspicion):
        player.create("Ann", seated.rules)
