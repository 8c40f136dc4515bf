"""The files the pages are made of: a fixed list, served from memory, each under an address that names this version of them.

A module imports its neighbours by relative address, so the version stands in the path and holds for all of them at once.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

_SCRIPT: Final = "text/javascript; charset=utf-8"
_KINDS: Final = {".mjs": _SCRIPT, ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
NAMES: Final = (
    "style.css",
    "icon.svg",
    "api.mjs",
    "board.mjs",
    "cards.mjs",
    "channel.mjs",
    "chart.mjs",
    "check.mjs",
    "claims.mjs",
    "disputes.mjs",
    "dom.mjs",
    "evidence.mjs",
    "hand.mjs",
    "home.mjs",
    "live.mjs",
    "middle.mjs",
    "moments.mjs",
    "newest.mjs",
    "page-life.mjs",
    "player.mjs",
    "replay-board.mjs",
    "replay-keys.mjs",
    "replay.mjs",
    "report.mjs",
    "score.mjs",
    "seat.mjs",
    "sending.mjs",
    "sentence.mjs",
    "side.mjs",
    "sitting.mjs",
    "steps.mjs",
    "storage.mjs",
    "stream.mjs",
    "table.mjs",
    "tabs.mjs",
    "verify.mjs",
    "waiting.mjs",
    "walk.mjs",
    "witness.mjs",
    "words.mjs",
)
"""Every file there is to have; whatever else lies in the directory is nobody's business."""

_ROOT: Final = Path(__file__).parents[1] / "static"
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "public, no-cache"

blueprint = Blueprint("assets", __name__)


@cache
def _bytes(name: str) -> bytes:
    return (_ROOT / name).read_bytes()


@cache
def version() -> str:
    """Sixteen hex digits over the names and bytes of all files."""
    whole = hashlib.sha256()
    for name in NAMES:
        whole.update(name.encode() + b"\0" + hashlib.sha256(_bytes(name)).digest())
    return whole.hexdigest()[:16]


def address(name: str) -> str:
    """Where a page finds this version of a file."""
    return f"/static/{version()}/{name}"


@blueprint.get("/static/<name>")
@blueprint.get("/static/<named>/<name>")
def file(name: str, named: str | None = None) -> Response:
    """A file. Under the address of this version it may be kept for ever, elsewhere it has to be asked for again."""
    if name not in NAMES:
        raise NotFound
    response = Response(_bytes(name), content_type=_KINDS[Path(name).suffix])
    response.headers["Cache-Control"] = _FOR_EVER if named == version() else _ASK_AGAIN
    response.set_etag(f"{version()}/{name}")
    response.make_conditional(request)
    return response
