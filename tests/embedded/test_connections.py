"""Slow bodies hold no thread; idle connections are bounded for each address and in all; whoever is answered is left alone."""

import http.client
import random
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from service.runtime import descriptors
from service.runtime.idle_connections import Idle, IdleConnections, client_name, surplus
from service.runtime.server_process import ServerProcess
from tests.embedded.processes import ROOT, alive
from tests.kit.waiting import eventually

APP = "tests.embedded.app:make"
ENV = {"PYTHONPATH": str(ROOT)}
HELD = 64  # connections of the server here: half of them may be idle
HALF_BODY = b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"

linux = pytest.mark.skipif(sys.platform != "linux", reason="connections are bounded for each address on Linux only")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess.start(APP, log=tmp_path / "log", workers=1, threads=2, connections=HELD, env=ENV) as started:
        pid = started.pid
        yield started
    eventually(lambda: not alive(pid))


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connect(server: ServerProcess, stack: ExitStack, source: str = "127.0.0.1", sent: bytes = b"") -> socket.socket:
    wire = stack.enter_context(socket.create_connection((server.host, server.port), timeout=20, source_address=(source, 0)))
    if sent:
        wire.sendall(sent)
    return wire


def ended(wire: socket.socket) -> bool:
    """Whether the server has closed it."""
    wire.setblocking(False)
    try:
        return wire.recv(65536) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_more_slow_bodies_than_threads_hold_nobody_up_and_get_408(server: ServerProcess, opened: ExitStack) -> None:
    slow = [connect(server, opened, sent=HALF_BODY) for _ in range(12)]
    assert server.answers()
    for wire in slow:
        answer = b""
        while piece := wire.recv(65536):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 408"), answer
        assert b'"code":"body_timeout"' in answer


@pytest.mark.parametrize(
    "body",
    [b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n", b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", b"Content-Length: 9\r\n\r\nab"],
)
def test_a_body_that_ends_too_early_is_no_fault(server: ServerProcess, opened: ExitStack, body: bytes) -> None:
    wire = connect(server, opened, sent=b"POST /healthz HTTP/1.1\r\nHost: x\r\n" + body)
    wire.shutdown(socket.SHUT_WR)
    assert wire.recv(65536)[:12] in (b"", b"HTTP/1.1 400")
    assert server.answers()
    assert server.last_words() == ""


@linux
def test_the_oldest_idle_connections_are_given_up_first(server: ServerProcess, opened: ExitStack) -> None:
    idle = [connect(server, opened, "127.0.0.2", b"" if number % 2 else b"GET /healthz HT") for number in range(2 * HELD)]
    eventually(lambda: sum(map(ended, idle)) >= 2 * HELD - HELD // 2)
    assert server.answers()
    assert not any(ended(wire) for wire in idle[-HELD // 8 :])


@linux
def test_a_kept_connection_of_another_address_and_a_wait_outlive_a_flood(server: ServerProcess, opened: ExitStack) -> None:
    kept = http.client.HTTPConnection(server.host, server.port, timeout=20)
    opened.callback(kept.close)
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b"ok"
    wait = connect(server, opened, "127.0.0.2", b"GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    idle = [connect(server, opened, "127.0.0.2") for _ in range(2 * HELD)]
    eventually(lambda: sum(map(ended, idle)) >= 2 * HELD - HELD // 2)
    same = kept.sock
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b"ok"
    assert kept.sock is same
    assert not ended(wait)
    server.stop()
    wait.settimeout(20)
    assert wait.recv(65536).endswith(b"ending")


def test_a_kept_alive_connection_takes_request_after_request(server: ServerProcess) -> None:
    connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
    for _ in range(50):
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"ok")
    connection.request("HEAD", "/healthz")
    response = connection.getresponse()
    assert (response.headers["Content-Length"], response.read()) == ("2", b"")
    connection.close()


def _idle(*groups: tuple[str | None, int]) -> list[Idle]:
    """Connections of these groups, each a second younger than the one before."""
    made = [(group, n) for group, count in groups for n in range(count)]
    return [Idle(number, b"", group, float(number)) for number, (group, _) in enumerate(made)]


def test_each_address_keeps_its_youngest() -> None:
    idle = _idle(("a", 5), ("b", 2))
    assert [one.number for one in surplus(idle, 3, 100)] == [1, 0]


def test_a_proxy_has_no_bound_but_the_total() -> None:
    assert surplus(_idle((None, 50), ("a", 2)), 3, 100) == []
    assert {one.number for one in surplus(_idle((None, 50)), 3, 40)} == set(range(10))


def test_a_proxy_with_many_takes_none_from_those_who_come_directly() -> None:
    idle = _idle(("a", 3), ("b", 2), (None, 500))
    assert {one.number for one in surplus(idle, 3, 100)} == set(range(5, 410))


def test_whoever_has_few_keeps_them_while_others_have_many() -> None:
    idle = _idle(("small", 2), *((f"large {number}", 100) for number in range(10)))
    assert not {one.group for one in surplus(idle, 100, 500)} & {"small"}


@pytest.mark.parametrize("seed", range(20))
def test_what_stays_is_within_both_bounds_and_nothing_goes_without_need(seed: int) -> None:
    chance = random.Random(seed)
    idle = _idle(*((chance.choice([None, str(chance.randrange(9))]), chance.randrange(40)) for _ in range(12)))
    chance.shuffle(idle)
    per_address, total = chance.randrange(1, 50), chance.randrange(1, 200)
    gone = surplus(idle, per_address, total)
    stay = [one for one in idle if one not in gone]
    assert len(stay) <= total
    assert len(gone) == len(set(gone))
    for group in {one.group for one in idle if one.group is not None}:
        kept = [one for one in stay if one.group == group]
        assert len(kept) <= per_address
        assert all(one.since < kept_one.since for one in gone if one.group == group for kept_one in kept)
    if len(idle) <= total and all(sum(one.group == each.group for one in idle) <= per_address for each in idle):
        assert not gone


@linux
def test_a_descriptor_that_became_another_file_is_left_alone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as stack:
        port = listening.getsockname()[1]
        first, second = (stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(2))
        accepted, other = (stack.enter_context(listening.accept()[0]) for _ in range(2))
        sockets = descriptors.ClientSockets(port, 4096)
        seen = dict(sockets.addresses())
        assert sockets.client(accepted.fileno(), seen[accepted.fileno()]) == first.getsockname()
        assert sockets.client(first.fileno(), seen[first.fileno()]) is None  # it is at the other end
        assert not sockets.shut(other.fileno(), seen[accepted.fileno()])
        assert not sockets.shut(4000, seen[accepted.fileno()])
        assert sockets.shut(accepted.fileno(), seen[accepted.fileno()])
        first.settimeout(10)
        assert first.recv(1) == b""
        second.setblocking(False)
        with pytest.raises(BlockingIOError):
            second.recv(1)


@linux
def test_ipv6_clients_are_named_as_the_server_names_them() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listening, ExitStack() as stack:
        port = listening.getsockname()[1]
        client = stack.enter_context(socket.create_connection(("::1", port)))
        accepted = stack.enter_context(listening.accept()[0])
        sockets = descriptors.ClientSockets(port, 4096)
        host, number = sockets.client(accepted.fileno(), dict(sockets.addresses())[accepted.fileno()]) or ("", 0)
        assert client_name(host, number) == f"[::1]:{client.getsockname()[1]}"


@linux
def test_a_connection_that_is_answered_is_never_given_up_and_counts_anew_when_it_was() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening, ExitStack() as stack:
        port = listening.getsockname()[1]
        wires = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(6)]
        for _ in wires:
            stack.enter_context(listening.accept()[0])
        names = [client_name(*wire.getsockname()[:2]) for wire in wires]
        idle = IdleConnections(2, 100, lambda host: host)
        sockets = descriptors.ClientSockets(port, 4096)
        idle.begin(names[0])
        idle.look(sockets)
        assert not ended(wires[0])
        assert sum(map(ended, wires)) == 3
        idle.begin(names[0])
        idle.end(names[0])
        idle.look(sockets)
        assert not ended(wires[0])


def test_the_limit_of_open_files_is_raised_no_further_than_allowed() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 300), before[1]))
        assert descriptors.raise_limit(400) == 400
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 400
        assert descriptors.raise_limit(350) == 400
        most = before[1] if before[1] != resource.RLIM_INFINITY else 10**6
        assert descriptors.raise_limit(most) <= most
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
