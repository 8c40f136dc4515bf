"""Which threads answer which request: moves have threads of their own, those who wait have others, and the rest shares a few.

The server reads a whole request before it looks for a thread; this module tells it which lane the request belongs to, and
what to answer where the lane is full.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import parse_qs

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.base.settings import Network, Settings
from service.http import problems, responses, stream
from service.http.client_address import counted_address, is_trusted, parsed
from service.http.request_reader import MAX_BODY

_MOVE: Final = re.compile(r"/v1/games/[^/]+/moves/?\Z")
_GAME: Final = re.compile(r"/v1/games/[^/]+/?\Z")
_REVIEW: Final = re.compile(r"/v1/games/[^/]+/(replay|scoresheet|audit|record|explain/[^/]+|disputes(/[^/]+)?)/?\Z")
_EVENTS: Final = re.compile(r"/v1/games/[^/]+/events/?\Z")
_EVENT_KINDS: Final = [responses.JSON, responses.NDJSON, stream.MEDIA_TYPE]
_MOVE_THREADS: Final = 64
_READ_THREADS: Final = 16
"""Reads keep the processor busy, so more threads would only take it from moves."""

_REVIEW_THREADS: Final = 2
"""One of them computes (`AnswerCache`); the others answer from what is kept."""

_REVIEW_REST: Final = 2.0
"""Moves come first: a thread of reviews leaves twice as much of the processor as it takes."""

_BODY_SECONDS: Final = 2.0


class Lane(NamedTuple):
    """`threads` of its own, started as needed; `queue` requests may wait for one; `per_address` may be in it at once. After a
    request its thread rests for `rest` times the processor time that it took."""

    threads: int
    queue: int
    per_address: int | None = None
    rest: float = 0.0


class Answer(NamedTuple):
    """An answer that is ready before any request: status, headers and body."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class LanePlan:
    """The lanes of an app, and which of them a request takes. Without `settings` everything shares one lane of `threads`."""

    body_seconds: Final = _BODY_SECONDS
    """How long the body of a request may take; no thread waits for it."""

    def __init__(self, threads: int, settings: Settings | None = None) -> None:
        self._trusted: Sequence[Network] = () if settings is None else settings.trusted_proxies
        self.idle_per_address = Settings().idle_per_address if settings is None else settings.idle_per_address
        self.lanes: dict[str, Lane] = {"reads": Lane(threads, 2 * threads)}
        self.max_body = 1024 * 1024
        self._divided = settings is not None
        if settings is not None:
            self.max_body = MAX_BODY + 1
            self.lanes = _lanes(threads, settings.waits_per_address)
        self.late = _answer("body_timeout", f"The body did not arrive within {_BODY_SECONDS:g} s. Send the request again.")
        self.unreadable = _answer("bad_request", "The body of the request ended too early or is not valid chunked data.")
        self.full = _answer("busy", "The service is busy. Send the request again, a POST with the same Idempotency-Key.")
        self.too_many = _answer("too_many_requests", "Too many requests from your address wait for news. Try again shortly.")

    def lane(self, method: str, path: str, query: str, accept: str) -> str:
        """The name of the lane in `lanes`; `path` is decoded, `query` is not."""
        if not self._divided:
            return "reads"
        if method == "POST":
            return "moves" if _MOVE.match(path) else "reads"
        if path == "/healthz":
            return "health"
        if path in ("/readyz", "/version"):
            return "ready"
        if _REVIEW.match(path):
            return "reviews"
        waits = (_GAME.match(path) and "wait" in parse_qs(query, keep_blank_values=True)) or (
            _EVENTS.match(path) and parse_accept_header(accept, MIMEAccept).best_match(_EVENT_KINDS) == stream.MEDIA_TYPE
        )
        return "waits" if waits else "reads"

    def address(self, peer: str, forwarded: str) -> str:
        """What the request counts under, see `counted_address`."""
        return counted_address(peer, forwarded, self._trusted)

    def group(self, peer: str) -> str | None:
        """What a connection from `peer` counts under; None for a trusted proxy, whose connections are those of many."""
        address = parsed(peer)
        return None if address is not None and is_trusted(address, self._trusted) else counted_address(peer, "", ())


def slots(threads: int) -> int:
    """How many requests of a process may wait for news at once."""
    return max(threads // 2, 1)


def _lanes(threads: int, waits_per_address: int) -> dict[str, Lane]:
    return {
        "moves": Lane(min(max(threads // 4, 4), _MOVE_THREADS), 4 * threads),
        "waits": Lane(slots(threads) + max(threads // 32, 2), threads, per_address=waits_per_address + 2),
        "reads": Lane(min(max(threads // 8, 4), _READ_THREADS), threads),
        "reviews": Lane(_REVIEW_THREADS, threads, rest=_REVIEW_REST),
        "ready": Lane(2, 64),
        "health": Lane(1, 64),
    }


def _answer(code: str, detail: str) -> Answer:
    response = problems.problem(code, detail)
    headers = [*response.headers.items(), ("Cache-Control", "private, no-store"), ("X-Content-Type-Options", "nosniff")]
    if response.status_code < 429:
        headers.append(("Connection", "close"))
    return Answer(response.status_code, headers, response.get_data())
