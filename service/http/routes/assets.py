"""The files the pages are made of: a fixed list, served from memory, each under an address that names this version of them.

A script imports the verifier by relative address, so the version is in the path and holds for all of them at once.
"""

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from service.http.page_scripts import ALONE, joined

_SCRIPT: Final = "text/javascript; charset=utf-8"
_KINDS: Final = {".mjs": _SCRIPT, ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
PAGES: Final = ("home.mjs", "table.mjs", "replay.mjs", "score.mjs")
"""The scripts of the pages, each with the modules it imports."""
NAMES: Final = ("style.css", "icon.svg", ALONE, *PAGES)
"""Every address there is; no other file of the directory has one."""

_ROOT: Final = Path(__file__).parents[1] / "static"
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "public, no-cache"

blueprint = Blueprint("assets", __name__)


@cache
def _bytes(name: str) -> bytes:
    return joined(_ROOT, name).encode() if name in PAGES else (_ROOT / name).read_bytes()


@cache
def _compressed(name: str) -> bytes:
    return gzip.compress(_bytes(name), 9, mtime=0)


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
    shrinks = request.accept_encodings.quality("gzip") > 0
    response = Response(_compressed(name) if shrinks else _bytes(name), content_type=_KINDS[Path(name).suffix])
    response.headers["Cache-Control"] = _FOR_EVER if named == version() else _ASK_AGAIN
    response.headers["Vary"] = "Accept-Encoding"
    if shrinks:
        response.headers["Content-Encoding"] = "gzip"
    response.set_etag(f"{version()}/{name}{'/gzip' if shrinks else ''}")
    response.make_conditional(request)
    return response
