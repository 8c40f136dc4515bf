"""Which threads a request runs in, and what it counts under."""

import ipaddress
import json

import pytest

from service.base.settings import Settings
from service.http.client_address import counted_address
from service.http.lanes import LanePlan, slots

GAME = "/v1/games/0k7f3x9q2m5v8w1c"
PLAN = LanePlan(256, Settings(trusted_proxies=(ipaddress.ip_network("10.0.0.0/8"),)))


@pytest.mark.parametrize(
    ("method", "path", "query", "accept", "lane"),
    [
        ("POST", f"{GAME}/moves", "", "", "moves"),
        ("POST", f"{GAME}/moves/", "", "", "moves"),
        ("GET", f"{GAME}/moves", "", "", "reads"),
        ("POST", f"{GAME}/join", "", "", "reads"),
        ("POST", f"{GAME}/x/moves", "", "", "reads"),
        ("POST", "/v1/games", "", "", "reads"),
        ("GET", GAME, "", "application/json", "reads"),
        ("GET", GAME, "wait=25", "", "waits"),
        ("GET", GAME, "%77ait=25", "", "waits"),
        ("GET", f"{GAME}/events", "after=4", "application/json", "reads"),
        ("GET", f"{GAME}/events", "after=4", "text/event-stream", "waits"),
        ("GET", f"{GAME}/events", "", "application/json;q=0.1, TEXT/Event-Stream", "waits"),
        ("GET", f"{GAME}/events", "", "*/*", "reads"),
        ("GET", f"{GAME}/events", "", "text/*", "waits"),
        ("GET", f"{GAME}/replay", "wait=25", "text/event-stream", "reviews"),
        *(
            ("GET", f"{GAME}/{path}", "", "", "reviews")
            for path in ("scoresheet", "explain/3.5.2", "audit", "record", "disputes")
        ),
        ("GET", f"{GAME}/disputes/1", "", "", "reviews"),
        ("POST", f"{GAME}/disputes", "", "", "reads"),
        ("GET", "/healthz", "", "", "health"),
        ("GET", "/readyz", "", "", "ready"),
    ],
)
def test_a_request_takes_the_lane_of_its_kind(method: str, path: str, query: str, accept: str, lane: str) -> None:
    assert PLAN.lane(method, path, query, accept) == lane


@pytest.mark.parametrize("threads", [4, 8, 256, 4096])
def test_whoever_waits_takes_no_thread_from_others_and_a_refused_wait_finds_one(threads: int) -> None:
    lanes = LanePlan(threads, Settings()).lanes
    assert lanes["waits"].threads > slots(threads)
    assert (lanes["waits"].per_address or 0) > Settings().waits_per_address
    assert lanes["moves"].threads >= 4
    assert [name for name, lane in lanes.items() if lane.rest] == ["reviews"]


def test_answers_that_need_no_thread_are_problems() -> None:
    for answer, status, code in (
        (PLAN.late, 408, "body_timeout"),
        (PLAN.full, 503, "busy"),
        (PLAN.too_many, 429, "too_many_requests"),
        (PLAN.unreadable, 400, "bad_request"),
    ):
        body = json.loads(answer.body)
        assert (answer.status, body["status"], body["code"]) == (status, status, code)
        headers = dict(answer.headers)
        assert headers["Content-Type"] == "application/problem+json"
        assert ("Retry-After" in headers) == (status in (429, 503))
        assert ("Connection" in headers) == (status in (400, 408))


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("10.0.0.1", "2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("", "", "unknown"),
    ],
)
def test_limits_count_by_the_nearest_address_that_is_no_proxy(peer: str, forwarded: str, counted: str) -> None:
    assert PLAN.address(peer, forwarded) == counted
    assert counted_address(peer, forwarded, (ipaddress.ip_network("10.0.0.0/8"),)) == counted


def test_connections_of_a_trusted_proxy_have_no_bound_of_their_own() -> None:
    assert PLAN.group("10.9.9.9") is None
    assert PLAN.group("::ffff:10.9.9.9") is None
    assert PLAN.group("192.0.2.1") == "192.0.2.1"
    assert PLAN.group("2001:db8:1:2:3::1") == "2001:db8:1:2::/64"
