"""Looking at a game afterwards, or as far as one may: score sheet, replay, explanation, record (design §4).

All of it is answered from what is kept of a version of the game; names are put in after that.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec
from flask import Blueprint, Response, request

from events import record
from events.cards import SEATS, Seat
from events.log import load
from projections.audience import Viewer, seen_by
from projections.positions import BadPosition
from projections.replay.unnamed import named
from projections.table import Open
from service.games.exporting import record_for
from service.games.game_review import GameReview, ReviewedStep, review
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.results import viewer_of
from service.http import request_reader, responses
from service.http.answers import Replay
from service.http.request_reader import answers
from service.http.routes import imported
from service.http.routes.imported import Elsewhere

blueprint = Blueprint("review", __name__)
Names = Mapping[Seat, str]


class _Looked(msgspec.Struct, frozen=True):
    """A game that is looked at, at a version, and for whom: after the end everybody may see the same."""

    live: LoadedGame
    viewer: Viewer | Literal["everybody"]

    @property
    def key(self) -> tuple[str, bytes, str]:
        """What is kept of the game is kept under this."""
        return self.live.game, self.live.at.head, self.viewer

    @property
    def ended(self) -> bool:
        return self.viewer == "everybody"

    @property
    def seen_as(self) -> Viewer:
        return "spectator" if self.viewer == "everybody" else self.viewer


def _looked(game: str) -> _Looked:
    live = request_reader.live_game(game)
    viewer = viewer_of(request_reader.reader(live.table))
    return _Looked(live, "everybody" if live.table.open.ended else viewer)


def _reviewed(looked: _Looked) -> GameReview:
    return answers().get(("review", *looked.key), lambda: _review(looked), lambda made: made.size)


def _review(looked: _Looked) -> GameReview:
    commits = request_reader.games().upto(looked.live)
    loaded = (load(stored) for commit in commits for stored in commit.events)
    return review(looked.live.game, [seen_by(event, looked.seen_as, ended=looked.ended) for event in loaded])


def _answered(looked: _Looked, body: Callable[[], bytes]) -> Response:
    names = _names(looked.live.table.open)
    tag = responses.answer_tag(looked.live.at.version, looked.live.at.head.hex(), looked.viewer, *names.values())
    return responses.conditional(tag, lambda: named(body(), names), storable=looked.ended)


def _names(shown: Open) -> Names:
    return {seat: shown.player(seat).name for seat in SEATS}


@blueprint.get("/v1/games/<game>/scoresheet")
@imported.or_imported(imported.scoresheet)
def scoresheet(game: str) -> Response:
    """Every scored hand with its arithmetic."""
    looked = _looked(game)
    return _answered(looked, lambda: _reviewed(looked).sheet)


def _imported_replay(found: Elsewhere) -> Response:
    return _of_record(found, lambda reviewed: _replay(found.game, reviewed, imported=True))


def _of_record(found: Elsewhere, body: Callable[[GameReview], bytes]) -> Response:
    """An answer that is made of the review of a record from elsewhere."""
    reviewed, shown = imported.reviewed(found)
    names = _names(shown)
    tag = responses.answer_tag(reviewed.steps[-1].version, found.digest, *names.values())
    return responses.conditional(tag, lambda: named(body(reviewed), names), storable=True)


@blueprint.get("/v1/games/<game>/replay")
@imported.or_imported(_imported_replay)
def replay(game: str) -> Response:
    """The steps of one hand, of the hand a position lies in, or of the whole game; all or those after a version."""
    looked = _looked(game)
    return _answered(looked, lambda: _replay(game, _reviewed(looked)))


def _replay(game: str, reviewed: GameReview, imported: Literal[True] | None = None) -> bytes:
    after = request_reader.number("after", 0, 0, request_reader.MOST)
    hand: int | None = None
    at: int | None = None
    last = reviewed.steps[-1]
    if (position := request.args.get("at")) is not None:
        opened = _at(reviewed.opening, position)
        hand, at = opened.hand, opened.version
    elif "hand" in request.args:
        hand = request_reader.number("hand", 0, 0, 1000)
    chosen = [step for step in reviewed.steps if hand in (None, step.hand)]
    if not chosen:
        raise Refused("no_such_position", f"this game has no hand {hand}: it has {last.hand}")
    shown = tuple(msgspec.Raw(step.step) for step in chosen if step.version > after)
    answer = Replay(game=game, hands=last.hand, version=last.version, at=at, steps=shown, imported=imported)
    return msgspec.json.encode(answer)


def _imported_explain(found: Elsewhere, position: str) -> Response:
    return _of_record(found, lambda reviewed: _at(reviewed.at, position).explanation[:-1] + b',"imported":true}')


@blueprint.get("/v1/games/<game>/explain/<position>")
@imported.or_imported(_imported_explain)
def explain(game: str, position: str) -> Response:
    """Why one moment was as it was."""
    looked = _looked(game)
    return _answered(looked, lambda: _at(_reviewed(looked).at, position).explanation)


def _at(chosen: Callable[[str], ReviewedStep], position: str) -> ReviewedStep:
    try:
        return chosen(position)
    except BadPosition as error:
        raise Refused("no_such_position", str(error)) from None


@blueprint.get("/v1/games/<game>/record")
@imported.or_imported(imported.portable)
def portable_record(game: str) -> Response:
    """The portable record: for anyone once play has ended, for a seat before."""
    looked = _looked(game)
    if not looked.ended and looked.viewer == "spectator":
        raise Refused("not_allowed", "the record is open to everybody once play has ended; before, to the two seats")
    response = Response(answers().get(("record", *looked.key), lambda: _record(looked), len), content_type=responses.NDJSON)
    response.headers["Content-Disposition"] = f'attachment; filename="{game}.trickbook.ndjson"'
    return response


def _record(looked: _Looked) -> bytes:
    commits = request_reader.games().upto(looked.live)
    return record.write(record_for(looked.live.game, commits, looked.seen_as, ended=looked.ended))
