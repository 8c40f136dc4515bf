"""Every lie a service may try, against a player's client while it plays and against `verify` afterwards; and the other way
round: whatever a player does to their own files, it is never called the service's lie.

`docs/fairness.md` shows the same table to a player; what it says in each cell is what happens here.
"""

import functools
import io
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from events import player_evidence
from events import record as records
from events.canonical import encode
from events.cards import DECK
from events.log import Stored, genesis, next_head, seal_of
from events.player_evidence import Drawn, Line, OwnBytes, Pinned
from events.receipts import Receipt
from events.record import Record, UnreadableRecord
from events.types import (
    BidPlaced,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ClaimedResult,
    ClaimedScore,
    ContributionRevealed,
    Counts,
    DisputeNote,
    DisputeOpened,
    DisputeSettled,
    Event,
    GameEnded,
    HandScored,
    HandStarted,
    ScoreCorrected,
    Totals,
)
from projections.audit import audit, from_record
from projections.verify import Verification, verify
from tests.kit.forged import Groups, is_a
from tests.kit.logs import GAME, OTHER_SIGNER, SIGNER
from tests.kit.random_games import random_game
from tests.verify import liar
from tests.verify.liar import (
    EVIL,
    NOT_CAUGHT,
    OWN,
    Clock,
    Dice,
    Fork,
    Json,
    Seated,
    Service,
    Spoil,
    changed,
    plain_game,
    record,
)

KEY = SIGNER.key.id
DOCUMENT = Path(__file__).parents[2] / "docs/fairness.md"
SEED = 7
"""A game in which north bids double nil and exchanges three cards."""


@functools.cache
def played() -> Seated:
    """A game that two players of ours played to its end at an honest service."""
    return Seated(SEED).play()


def truth() -> Groups:
    """Its log, to be changed."""
    return played().groups()


def checked(made: Record, lines: Sequence[Line] | None = None, key: str | None = KEY) -> Verification:
    """What `verify` says of a record."""
    return verify(from_record(made), lines, key)


def codes(found: Verification) -> list[str]:
    """The codes of what was found."""
    return [finding.code for finding in found.findings]


# While playing ----------------------------------------------------------------------------------------------------------


class Lie(NamedTuple):
    """What happened to a player whom the service lied to: the code that stopped it, and whether its bytes were sent."""

    code: str
    revealed: bool


def live(*, fork: Fork | None = None, spoil: Spoil | None = None, victim: Any = "south", service: Service | None = None) -> Lie:
    """A whole game in which one player is told lies from the first request on; the other is told the truth."""
    seated = Seated(SEED, service=service)
    seated.wires[victim].fork, seated.wires[victim].spoil = fork, spoil
    return Lie(seated.caught(victim, seated.play), seated.wires[victim].revealed())


def after(version: int, spoil: Callable[[Json], Json]) -> Spoil:
    """A change of every answer that shows a later version than this."""
    return lambda method, path, answer: spoil(answer) if answer.get("version", 0) > version else answer


def in_lines(change: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """A change of every event line of an answer."""
    return lambda answer: {**answer, "events": [change(line) for line in answer["events"]]} if "events" in answer else answer


def in_receipts(change: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """A change of every receipt in an answer."""

    def spoil(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(item) if key == "receipt" else spoil(item) for key, item in value.items()}
        return [spoil(item) for item in value] if isinstance(value, list) else value

    return spoil


def signed(signer: Any = SIGNER, **changes: Any) -> Callable[[Json], Json]:
    """A receipt signed anew, with something else in it."""

    def change(receipt: Json) -> Json:
        said = {**receipt, **changes}
        found: Json = msgspec.json.decode(signer.sign(said["at"], said["game"], bytes.fromhex(said["head"]), said["seq"]))
        return found

    return change


def early_reveal(groups: Groups) -> Groups:
    """North's bytes are in the log before south's were asked for."""
    joined = groups[1:2]
    if not joined:
        return groups
    early = Event(0, joined[0][-1].at, ContributionRevealed("north", OWN["north"].hex()))
    return [groups[0], *joined, [early], *groups[2:]]


def north_first(groups: Groups) -> Groups:
    """North's bytes stand in the log before south's."""
    (south,), (north, start) = groups[2:4]
    early, late = (msgspec.structs.replace(one, at=other.at) for one, other in ((north, south), (south, north)))
    return [*groups[:2], [early], [late, start], *groups[4:]]


def early_hand(groups: Groups) -> Groups:
    """The first hand is dealt before anybody revealed anything."""
    if len(groups) < 2:
        return groups
    start = next(event for event in truth()[3] if isinstance(event.data, HandStarted))
    return [*groups[:2], [msgspec.structs.replace(start, at=groups[1][-1].at)], *groups[2:]]


def resigned(groups: Groups, seat: Any = "south") -> Groups:
    """The log ends some moves ago, with a resignation that nobody sent."""
    root = truth()[-1][-1].data.root  # type: ignore[attr-defined]
    winner = "north" if seat == "south" else "south"
    end = Event(0, groups[-4][-1].at, GameEnded("resigned", Totals(0, 0), root, winner, seat))
    return [*groups[:-4], [end]]


def corrected_wrongly(groups: Groups) -> Groups:
    """After the end a dispute is upheld that nobody opened, and north is given ten points more."""
    last = liar.chained(groups, game=played().game)[-1]
    at, total = groups[-1][-1].at, groups[-1][-1].data.totals  # type: ignore[attr-defined]
    line = next(event.data.north for group in groups for event in group if isinstance(event.data, HandScored))
    claim = ClaimedScore((), ClaimedResult(north=total.north + 10))
    opened = DisputeOpened(1, "north", last.seq, last.head.hex(), claim)
    dispute = Event(0, at, opened, DisputeNote(""), "house", "0" * 32)
    better = msgspec.structs.replace(line, points=line.points + 10, total=line.total + 10)
    totals, bags = Totals(total.north + 10, total.south), Counts(0, 0)
    correction = ScoreCorrected(1, "north", line, better, totals, bags, "A friend.", "north")
    return [*groups, [dispute], [Event(0, at, DisputeSettled(1, "upheld", "Yes.")), Event(0, at, correction)]]


def resigned_late(groups: Groups) -> Groups:
    """The same, once play has begun."""
    return resigned(groups) if len(groups) > 20 else groups


def other_time(groups: Groups) -> Groups:
    """A later fork that shows in nothing but the heads: north's bid has another time."""
    bid = next((e for g in groups for e in g if is_a(BidPlaced)(e)), None)
    return groups if bid is None else changed(groups, BidPlaced, at=bid.at + 1)


def asks_at_once(method: str, path: str, answer: Json) -> Json:
    """The creator is asked for its bytes while it sits alone."""
    if answer.get("version") == 2 and "view" in answer:
        you = {**answer["view"]["you"], "legal": [{"type": "reveal"}]}
        answer["view"] |= {"phase": "reveal", "turn": "north", "you": you}
    return answer


def without_receipts(method: str, path: str, answer: Json) -> Json:
    """Events without the service's word for them."""
    return in_lines(lambda line: {key: item for key, item in line.items() if key != "receipt"})(answer)


def own_part_left_out(method: str, path: str, answer: Json) -> Json:
    """The card we kept is not shown to us."""
    return in_lines(lambda line: {k: v for k, v in line.items() if k != "sealed" or line["public"]["seq"] < 10})(answer)


def shown_to_the_other() -> Lie:
    """South is shown what north keeps, while play goes on."""
    seated = Seated(SEED)

    def peep(method: str, path: str, answer: Json) -> Json:
        parts = {e.seq: e for group in seated.groups() for e in group if e.owner == "north"} if seated.game else {}

        def open_(line: Json) -> Json:
            event = parts.get(line["public"]["seq"])
            if event is None:
                return line
            data = msgspec.to_builtins(event.secret)
            return {**line, "sealed": {"data": data, "owner": event.owner, "salt": event.salt}}

        return in_lines(open_)(answer)

    seated.wires["south"].spoil = peep
    return Lie(seated.caught("south", seated.play), True)


def another_card(card: str) -> str:
    """Some other card."""
    return next(each for each in reversed(DECK) if each != card)


def shows_another_card(method: str, path: str, answer: Json) -> Json:
    """The card in the view is not the one that will be sealed."""
    for view in (answer, answer.get("view", {})):
        if "drawn" in view.get("you", {}):
            view["you"]["drawn"] = another_card(view["you"]["drawn"])
    return answer


def another_hand(method: str, path: str, answer: Json) -> Json:
    """A hand in the view that the sealed parts do not give."""
    for view in (answer, answer.get("view", {})):
        if len(view.get("you", {}).get("hand", ())) > 3:
            view["you"]["hand"][0] = another_card(view["you"]["hand"][0])
    return answer


def goes_back() -> Lie:
    """The last moves are gone when the player looks again."""
    seated = Seated(SEED).begin().until(lambda s: s.south.witness.version > 30)
    south = seated.wires["south"]
    south.fork = lambda groups: groups[:-3]
    return Lie(seated.caught("south", lambda: seated.south.refresh(0)), True)


def forked_invite() -> Lie:
    """North is shown the game it asked for, and given an invite to another."""

    def spoil(method: str, path: str, answer: Json) -> Json:
        if "invite" in answer:
            secret, _, key = answer["invite"].split(".")
            forked = liar.chained(liar.other_rules(seated.service.groups(answer["game"])), game=answer["game"])
            answer["invite"] = f"{secret}.{forked[-1].head.hex()}.{key}"
            answer["invite_link"] = f"http://service.test/g/{answer['game']}#join={answer['invite']}"
        return answer

    seated = Seated(SEED)
    seated.wires["north"].spoil = spoil
    return Lie(seated.caught("north", seated.play), seated.wires["north"].revealed())


@functools.cache
def held_back() -> tuple[Lie, Seated]:
    """South's request is held back until its time has run out, and north claims the game."""
    clock = Clock()
    seated = Seated(SEED, {"turn_seconds": 60}, service=Service(SEED, clock=clock)).begin()
    seated.until(lambda s: s.south.view.get("turn") == "south")
    clock.time += 61_000

    def claim() -> None:
        seated.north.refresh(0)
        seated.north.move({"type": "claim_timeout"})
        seated.south.refresh(0)

    return Lie(seated.caught("south", claim), True), seated


@functools.cache
def dealt(*, decks: bool = False, draws: bool = False) -> Seated:
    """A whole game whose cards do not come from the root."""
    return Seated(SEED, service=Service(entropy=Dice(SEED, decks=decks, draws=draws))).play()


def unnoticed(seated: Seated) -> Lie:
    """Two players who played to the end without a suspicion."""
    assert all(player.witness.stopped is None and player.ended for player in seated.players.values())
    return Lie(NOT_CAUGHT, True)


@functools.cache
def at_a_false_hour() -> Seated:
    """A game whose times are those of another year."""
    return Seated(SEED, service=Service(SEED, clock=Clock(1_000_000_000_000))).play()


# The table --------------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A lie: as the document names it, what happens to the client, the record it leaves (None: nothing that lasts), and
    what the player kept, where that is not of the honest game. `holds_back`: the player's bytes must not have been sent."""

    name: str
    live: Callable[[], Lie] | None
    record: Callable[[], Record] | None = None
    kept: Callable[[], list[Line]] = lambda: played().lines("south")
    holds_back: bool = False


def anew(own: Any = None, *, seed: int = SEED, rules: Json | None = None, moves: int = 3) -> Callable[[], Record]:
    """The record of a game that the service made up afterwards, from beginning to end."""
    return lambda: record(plain_game(Service(seed), own, rules, moves=moves)[1], played().game)


def told(lie: Fork, **more: Any) -> Callable[[], Record]:
    """The record of the true log with a lie in it, repaired and signed."""
    return lambda: record(lie(truth()), played().game, **more)


def of(seated: Callable[[], Seated]) -> Callable[[], Record]:
    """The record of a game as it was played."""
    return lambda: record(seated().groups(), seated().game)


def kept_by(seated: Callable[[], Seated]) -> Callable[[], list[Line]]:
    """What south kept of another game than the honest one."""
    return lambda: seated().lines("south")


def another_shown() -> list[Line]:
    """The same lines, where one card that was shown is another one."""
    lines = played().lines("south")
    place = next(i for i, line in enumerate(lines) if isinstance(line, Drawn))
    lines[place] = msgspec.structs.replace(lines[place], card=another_card(lines[place].card))  # type: ignore[union-attr]
    return lines


def first(kind: type[Any], **wanted: Any) -> int:
    """The number of the first event of a kind in the true log."""
    return liar.version_of(truth(), kind, **wanted)


SWAPPED = {"north": OWN["south"], "south": OWN["north"]}
LEAD = is_a(CardPlayed, trick=5)
ROWS = [
    Row(
        "puts a value of its own in the place of your contribution",
        lambda: live(fork=liar.other_contribution("south", EVIL)),
        anew({**OWN, "south": EVIL}),
        holds_back=True,
    ),
    Row(
        "leaves your contribution out",
        lambda: live(fork=liar.other_contribution("south", None)),
        anew({**OWN, "south": None}),
        holds_back=True,
    ),
    Row(
        "puts your contribution at the other seat",
        lambda: live(fork=liar.exchanged_contributions),
        anew(SWAPPED),
        holds_back=True,
    ),
    Row(
        "asks for your bytes while you sit alone",
        lambda: live(spoil=asks_at_once, victim="north"),
        holds_back=True,
    ),
    Row("asks for your bytes without a receipt", lambda: live(spoil=without_receipts), holds_back=True),
    Row(
        "has the other's bytes revealed too early",
        lambda: live(fork=early_reveal),
        told(north_first),
        holds_back=True,
    ),
    Row(
        "deals before all is revealed",
        lambda: live(fork=early_hand),
        told(liar.without(is_a(ContributionRevealed, seat="north"))),
        holds_back=True,
    ),
    Row(
        "commits to another root for the other player",
        lambda: live(fork=liar.other_root),
        anew(seed=51),
        holds_back=True,
    ),
    Row("makes other rules for the other player", forked_invite, anew(rules={"nil_value": 90}), holds_back=True),
    Row("names another key in event 1", lambda: live(fork=liar.other_key),
        told(liar.other_key, signer=OTHER_SIGNER), holds_back=True),
    Row(
        "signs with another key in the middle",
        lambda: live(spoil=after(30, in_receipts(signed(OTHER_SIGNER)))),
        told(lambda groups: groups, signer=OTHER_SIGNER),
    ),
    Row(
        "gives the receipt of another game",
        lambda: live(spoil=after(30, in_receipts(signed(game=GAME)))),
        lambda: liar.with_receipt(record(truth(), played().game), game=GAME),
    ),
    Row(
        "signs another time than it wrote",
        lambda: live(spoil=after(30, in_receipts(lambda receipt: signed(at=receipt["at"] + 1)(receipt)))),
        lambda: liar.with_receipt(record(truth(), played().game), at=truth()[-1][-1].at + 1),
    ),
    Row("publishes another root at the end", lambda: live(fork=liar.root_at_the_end), told(liar.root_at_the_end)),
    Row(
        "deals from another seed",
        lambda: unnoticed(dealt(decks=True)),
        of(lambda: dealt(decks=True)),
        kept_by(lambda: dealt(decks=True)),
    ),
    Row(
        "draws other cards in an exchange",
        lambda: unnoticed(dealt(draws=True)),
        of(lambda: dealt(draws=True)),
        kept_by(lambda: dealt(draws=True)),
    ),
    Row("shows you a card and seals another", lambda: live(spoil=shows_another_card), of(played), another_shown),
    Row("shows you another hand than you drafted", lambda: live(spoil=another_hand)),
    Row(
        "keeps your own sealed part from you",
        lambda: live(spoil=own_part_left_out),
        lambda: liar.unsealed(record(truth(), played().game), first(CardKept, seat="south")),
    ),
    Row(
        "gives a sealed part to the wrong owner",
        shown_to_the_other,
        told(lambda groups: changed(groups, CardKept, of={"seat": "south"}, owner="north")),
    ),
    Row(
        "drops a move",
        lambda: live(fork=liar.without(is_a(BidPlaced, seat="south"))),
        told(liar.without(LEAD)),
    ),
    Row("has a move twice", lambda: live(fork=liar.doubled(is_a(BidPlaced, seat="south"))), told(liar.doubled(LEAD))),
    Row(
        "changes a move of yours",
        lambda: live(fork=lambda groups: changed(groups, BidPlaced, of={"seat": "south"}, data={"tricks": 12})),
        told(lambda groups: changed(groups, BidPlaced, of={"seat": "south"}, data={"tricks": 12})),
    ),
    Row(
        "adds up a hand wrongly",
        lambda: live(fork=lambda groups: changed(groups, HandScored, data={"north": score(groups)})),
        told(lambda groups: changed(groups, HandScored, data={"north": score(groups)})),
    ),
    Row("corrects a score that was right", None, told(corrected_wrongly)),
    Row("takes back the last moves", goes_back, told(lambda groups: groups[:-4])),
    Row(
        "takes back the last moves and has you resign",
        lambda: live(fork=resigned_late),
        told(resigned),
    ),
    Row("shows each of you another history from the middle on", lambda: live(fork=other_time), anew()),
    Row("makes a move in your name when your client has gone", None, of(played)),
    Row("tells your opponent your cards, or is your opponent", lambda: unnoticed(played()), of(played)),
    Row(
        "holds your move back until your time has run out",
        lambda: held_back()[0],
        of(lambda: held_back()[1]),
        kept_by(lambda: held_back()[1]),
    ),
    Row(
        "says another hour than it is",
        lambda: unnoticed(at_a_false_hour()),
        of(at_a_false_hour),
        kept_by(at_a_false_hour),
    ),
]  # fmt: skip
BY_NAME = {row.name: row for row in ROWS}


def score(groups: Groups) -> Any:
    """North's line of the first hand with ten points more, where it has been scored."""
    line = next((e.data.north for g in groups for e in g if isinstance(e.data, HandScored)), None)
    return None if line is None else msgspec.structs.replace(line, points=line.points + 10, total=line.total + 10)


def cell(found: Verification) -> str:
    """How the document tells a result: the first code, in bold where it is the service that is proven to have lied."""
    proven = [finding.code for finding in found.findings if finding.about == "service"]
    if proven:
        best = "service_signed_two_histories" if "service_signed_two_histories" in proven else proven[0]
        return f"**`{best}`**"
    return f"`{found.findings[0].code}`" if found.findings else NOT_CAUGHT


@functools.cache
def measured(name: str) -> tuple[str, str, str]:
    """The three cells of a row as they come out."""
    row = BY_NAME[name]
    lie = None if row.live is None else row.live()
    if row.holds_back:
        assert lie is not None
        assert not lie.revealed, "the bytes were given away"
    playing = "–" if lie is None else lie.code if lie.code == NOT_CAUGHT else f"`{lie.code}`"
    if row.record is None:
        return playing, "–", "–"
    made = row.record()
    return playing, cell(checked(made, row.kept())), cell(checked(made))


def documented() -> dict[str, tuple[str, ...]]:
    """The rows of the document's table."""
    lines = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", DOCUMENT.read_text("utf-8"), re.M)
    return {name: tuple(cells) for name, *cells in lines[1:]}


@pytest.mark.parametrize("name", BY_NAME)
def test_the_document_says_where_each_lie_is_caught(name: str) -> None:
    assert documented().get(name) == measured(name)


def test_the_document_names_no_lie_that_is_not_tried() -> None:
    assert list(documented()) == list(BY_NAME)


def test_the_honest_game_is_verified_with_anybodys_receipts_and_without() -> None:
    made = record(truth(), played().game)
    for lines in (None, played().lines("north"), played().lines("south"), played().lines("north", "south")):
        found = checked(made, lines)
        assert (found.verdict, found.findings) == ("verified", ())
    assert checked(made, key=None).verdict == "not_verified"
    assert checked(msgspec.structs.replace(made, receipt=None), played().lines("north")).verdict == "verified"
    assert codes(checked(msgspec.structs.replace(made, receipt=None))) == ["file_not_signed"]


# The last forty events --------------------------------------------------------------------------------------------------


def card_changed(groups: Groups, number: int) -> Groups:
    """The event of this number with something else in it."""
    copy = [list(group) for group in groups]
    for group in copy:
        for i, event in enumerate(group):
            if event.seq == number:
                data = event.data
                if isinstance(data, CardPlayed):
                    data = msgspec.structs.replace(data, card=another_card(data.card))
                elif isinstance(data, BidPlaced):
                    data = msgspec.structs.replace(data, tricks=(data.tricks + 1) % 14)
                elif isinstance(data, HandScored):
                    data = msgspec.structs.replace(data, north=score(groups))
                elif isinstance(data, GameEnded):
                    data = msgspec.structs.replace(data, totals=Totals(1, 2))
                elif isinstance(data, CardsExchanged):
                    data = msgspec.structs.replace(data, count=data.count - 1)
                else:
                    data = msgspec.structs.replace(data, hand=2)  # type: ignore[call-arg]
                group[i] = msgspec.structs.replace(event, data=data)
    return copy


FORTY: dict[str, Callable[[Groups, int], Groups]] = {
    "cut": lambda groups, number: [kept for g in groups if (kept := [e for e in g if e.seq < number])],
    "dropped": lambda groups, number: liar.without(liar.numbered(number))(groups),
    "doubled": lambda groups, number: liar.doubled(liar.numbered(number))(groups),
    "edited": card_changed,
}


@pytest.mark.parametrize("how", FORTY)
@pytest.mark.parametrize("back", range(1, 41))
def test_a_log_repaired_and_signed_again_is_caught_by_one_players_receipts(how: str, back: int) -> None:
    last = truth()[-1][-1].seq
    made = record(FORTY[how](truth(), last + 1 - back), played().game)
    for seat in ("north", "south"):
        found = checked(made, played().lines(seat))  # type: ignore[arg-type]
        by_service = {one.code for one in found.findings if one.about == "service"}
        inside_the_last_commit = back <= len(truth()[-1])  # every receipt but the last one fits all the same
        if how == "cut" or (how == "dropped" and inside_the_last_commit):
            assert "file_older_than_receipt" in codes(found)
            assert found.verdict != "verified"
        elif how == "doubled" and inside_the_last_commit:
            assert "event_after_end" in by_service
        else:
            assert "service_signed_two_histories" in by_service
            one, other = found.proof[:2]
            assert one.seq != other.seq or one.head != other.head
    # Without receipts only what breaks a rule is seen: a bid, and the winner of a trick with another card, may break none.
    if how != "edited":
        assert checked(made).verdict != "verified"


def test_two_receipts_for_one_place_prove_the_lie_without_any_file() -> None:
    other = record(anew_groups(), played().game)
    receipt = msgspec.convert(msgspec.json.decode(other.receipt or b""), Receipt)
    mine = [line for line in played().lines("south") if isinstance(line, Receipt) and line.seq == receipt.seq]
    assert mine, "both games have the same number of events"
    cut = record(truth()[:2], played().game)
    found = checked(cut, [*played().lines("south"), receipt])
    assert "service_signed_two_histories" in codes(found)
    assert set(found.proof) == {receipt, mine[0]}


def anew_groups() -> Groups:
    """Another game under the same id."""
    return plain_game(Service(SEED), moves=3)[1]


def test_a_receipt_that_was_kept_vouches_where_the_file_has_none() -> None:
    """A lie in what was signed is the service's, also in a file that somebody went on to damage further on."""
    scored = changed(truth(), HandScored, data={"north": score(truth())})
    made = record(scored, played().game)
    lines = [msgspec.convert(msgspec.json.decode(made.receipt or b""), Receipt)]
    bare = msgspec.structs.replace(made, receipt=None)
    assert ("wrong_score", "service") in {(f.code, f.about) for f in checked(bare, lines).findings}
    assert ("wrong_score", "file") in {(f.code, f.about) for f in checked(bare).findings}


def test_the_receipts_of_the_other_player_catch_a_fork_as_well() -> None:
    found = checked(record(anew_groups(), played().game), played().lines("north"))
    assert cell(found) == "**`service_signed_two_histories`**"


def test_what_the_service_signed_is_its_own_doing_though_the_player_damaged_a_seal() -> None:
    made = record(dealt(decks=True).groups(), played().game)
    version = first(CardKept)
    sealed = msgspec.json.decode(made.events[version - 1].sealed or b"")
    damaged = liar.unsealed(made, version, {**sealed, "salt": "0" * 32})
    said = {(one.code, one.about) for one in checked(damaged, dealt(decks=True).lines("south")).findings}
    assert {("seal_mismatch", "file"), ("deck_not_derived", "service")} <= said


# The other way round ----------------------------------------------------------------------------------------------------


class File:
    """A record as a player who holds no key can change it, line by line."""

    def __init__(self, made: Record, dice: random.Random) -> None:
        self.dice = dice
        self.header: Json = msgspec.to_builtins(made.header)
        self.events = [
            {"public": msgspec.json.decode(e.public), **({"sealed": msgspec.json.decode(e.sealed)} if e.sealed else {})}
            for e in made.events
        ]
        self.receipt: Json | None = msgspec.json.decode(made.receipt) if made.receipt else None

    def some(self, *, sealed: bool = False) -> Json:
        """Some event; with a sealed part where one is wanted."""
        return self.dice.choice([event for event in self.events if "sealed" in event or not sealed] or self.events)

    def source(self) -> Any:
        """The file read again: whole, or as far as it can be read."""
        lines = [self.header, *self.events, *([{"receipt": self.receipt}] if self.receipt else [])]
        try:
            return from_record(records.read(io.BytesIO(b"".join(encode(line) + b"\n" for line in lines))))
        except UnreadableRecord as error:
            return None if error.read is None else from_record(error.read, error)


def edits(value: Any, dice: random.Random) -> Any:
    """Some leaf of a value changed."""
    if isinstance(value, dict) and value:
        key = dice.choice(sorted(value))
        return {**value, key: edits(value[key], dice)}
    if isinstance(value, list) and value:
        i = dice.randrange(len(value))
        return [*value[:i], edits(value[i], dice), *value[i + 1 :]]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(value + dice.choice((-1, 1, 10)), 0)
    text = str(value)
    if text in DECK:
        return dice.choice(DECK)
    if text in ("north", "south", "house"):
        return dice.choice(("north", "south", "house"))
    if re.fullmatch("[0-9a-f]{32,64}", text):
        return dice.choice(("0", "f")) + text[1:] if dice.random() < 0.5 else dice.randbytes(len(text) // 2).hex()
    return text + "x"


def edit_public(file: File) -> None:
    file.some()["public"].update(edits(file.some()["public"], file.dice))


def edit_data(file: File) -> None:
    event = file.some()
    event["public"]["data"] = edits(event["public"]["data"], file.dice)


def edit_sealed(file: File) -> None:
    event = file.some(sealed=True)
    if "sealed" in event:
        event["sealed"] = edits(event["sealed"], file.dice)


def edit_sealed_and_seal(file: File) -> None:
    event = file.some(sealed=True)
    if "sealed" in event:
        event["sealed"] = edits(event["sealed"], file.dice)
        event["public"]["seal"] = seal_of(encode(event["sealed"]))


def take_out_sealed(file: File) -> None:
    for _ in range(file.dice.choice((1, 3, 20, 60))):
        file.some(sealed=True).pop("sealed", None)


def move_sealed(file: File) -> None:
    one, other = file.some(sealed=True), file.some()
    if "sealed" in one:
        other["sealed"] = one["sealed"]


def drop_event(file: File) -> None:
    file.events.remove(file.some())


def double_event(file: File) -> None:
    at = file.dice.randrange(len(file.events))
    file.events.insert(at, msgspec.json.decode(msgspec.json.encode(file.events[at])))


def swap_events(file: File) -> None:
    one, two = (file.dice.randrange(len(file.events)) for _ in range(2))
    file.events[one], file.events[two] = file.events[two], file.events[one]


def cut(file: File) -> None:
    del file.events[file.dice.randrange(2, len(file.events)) :]


def renumber(file: File) -> None:
    for number, event in enumerate(file.events, 1):
        event["public"]["seq"] = number


def repair_header(file: File) -> None:
    head = genesis(file.header["game"])
    for event in file.events:
        head = next_head(head, encode(event["public"]))
    file.header |= {"events": len(file.events), "head": head.hex()}


def edit_header(file: File) -> None:
    file.header = edits(file.header, file.dice)


def drop_receipt(file: File) -> None:
    file.receipt = None


def edit_receipt(file: File) -> None:
    file.receipt = file.receipt and edits(file.receipt, file.dice)


FILE_DAMAGES: list[Callable[[File], None]] = [
    edit_public, edit_data, edit_sealed, edit_sealed_and_seal, take_out_sealed, move_sealed, drop_event, double_event,
    swap_events, cut, renumber, repair_header, edit_header, drop_receipt, edit_receipt,
]  # fmt: skip


def damaged_kept(lines: Sequence[Line], dice: random.Random) -> list[Line]:
    """The kept file with lines lost, doubled, out of order or edited by hand."""
    found = list(lines)
    for _ in range(dice.choice((0, 0, 1, 2, 5))):
        at = dice.randrange(len(found))
        how = dice.choice(("drop", "double", "edit", "cut", "shuffle"))
        if how == "drop" and len(found) > 1:
            del found[at]
        elif how == "double":
            found.append(found[at])
        elif how == "cut":
            del found[max(at, 1) :]
        elif how == "shuffle":
            dice.shuffle(found)
        else:
            ((name, value),) = msgspec.json.decode(player_evidence.write(found[at])).items()
            if edited := read_again(name, edits(value, dice)):
                found[at] = edited
    return found


def read_again(name: str, value: Json) -> Line | None:
    """An edited line, if the file can still be read with it."""
    try:
        return player_evidence.read([encode({name: value}) + b"\n"])[0]
    except (player_evidence.UnreadableKept, ValueError):
        return None


@functools.cache
def honest_records() -> list[tuple[Record, list[Line], list[Receipt]]]:
    """Records of honest games, ended and running, whole and one seat's, with what was kept and every receipt there is."""
    found = []
    for seed, rules in ((SEED, {}), (5, {"second_card": "seen"}), (0, {"max_hands": 2})):
        seated = Seated(seed, rules).play()
        log = seated.service.games.log(seated.game)
        receipts = [msgspec.convert(msgspec.json.decode(commit.receipt), Receipt) for commit in log]
        found.append((record(seated.groups(), seated.game), seated.lines("north"), receipts))
        found.append((record(seated.groups()[:45], seated.game, viewer="south"), seated.lines("south"), receipts))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_never_called_the_services_lie(seed: int) -> None:
    for number in range(15):
        dice = random.Random(100 * seed + number)
        made, lines, receipts = dice.choice(honest_records())
        file = File(made, dice)
        for _ in range(dice.choice((1, 1, 2, 3, 5))):
            dice.choice(FILE_DAMAGES)(file)
            if len(file.events) < 3:
                break
        if dice.random() < 0.3:
            repair_header(file)
        if dice.random() < 0.3:  # the receipt of another commit at the end
            file.receipt = msgspec.to_builtins(dice.choice(receipts))
        source = file.source()
        if source is None:
            continue
        found = verify(source, damaged_kept(lines, dice), dice.choice((KEY, None)))
        assert not [one for one in found.findings if one.about == "service"], (seed, number)
        assert found.proof == ()


def test_parts_taken_out_of_an_honest_log_make_the_audit_find_nothing_but_that() -> None:
    """What is called the service's lie rests on this: the audit of what is left accuses nobody."""
    for seed in range(60):
        game = random_game(seed, {"max_hands": 1 + seed % 2}, contributions=["north", "south"] if seed % 2 else [])
        made, dice = game.record(), random.Random(seed)
        for share in (0.05, 0.3, 0.7, 1.0):
            events = tuple(Stored(e.public) if dice.random() < share else e for e in made.events)
            source = from_record(msgspec.structs.replace(made, events=events))
            assert {finding.code for finding in audit(source).findings} <= {"sealed_missing"}


def test_an_earlier_receipt_at_the_end_of_a_cut_file_makes_an_older_file_and_no_lie() -> None:
    log = played().service.games.log(played().game)
    for commit in log[1:-1:7]:
        groups = [group for group in truth() if group[-1].seq <= commit.seq]
        made = msgspec.structs.replace(record(groups, played().game), receipt=commit.receipt)
        found = checked(made, played().lines("south"))
        assert {one.about for one in found.findings} == {"nobody"}
        assert found.verdict == "not_verified"


@pytest.mark.parametrize(
    ("kind", "changes", "code"),
    [
        (OwnBytes, {"bytes": "ab" * 32}, "contribution_replaced"),
        (OwnBytes, {"seat": "north"}, "contribution_replaced"),
        (Drawn, {"card": "2C"}, "drawn_card_changed"),
        (Pinned, {"key": "0" * 64}, "pins_differ"),
        (Receipt, {"at": 1}, "kept_receipt_invalid"),
        (Receipt, {"head": "0" * 64}, "kept_receipt_invalid"),
        (Receipt, {"key": "0" * 64}, "kept_receipt_invalid"),
    ],
)
def test_an_edited_kept_file_proves_nothing(kind: type[Any], changes: Json, code: str) -> None:
    lines = played().lines("south")
    place = next(i for i, line in enumerate(lines) if isinstance(line, kind))
    lines[place] = msgspec.structs.replace(lines[place], **changes)
    found = checked(record(truth(), played().game), lines)
    assert code in codes(found)
    assert {one.about for one in found.findings} <= {"nobody", "file"}
