"""The address of a server: what it may say, what wins, and that its password is never repeated."""

import traceback
from pathlib import Path
from typing import Any

import pytest
from redis.connection import SSLConnection

from events import keys
from events.redis_client import ANSWER_SECONDS, BLOCK_SECONDS, address, connect, connect_blocking
from events.redis_store import RedisStore
from events.store import Appended, Unreachable, start
from tests.kit.servers import Server, Servers
from tests.store.commits import place, plain, real, write
from tests.store.conftest import Opened
from tests.store.proxy import Proxy

PASSWORD = "pa/ss?w#o@r:d%1"
QUOTED = "pa%2Fss%3Fw%23o%40r%3Ad%251"


@pytest.fixture
def locked(servers: Servers) -> Server:
    """A server that asks for a password."""
    server = servers.start("--requirepass", PASSWORD)
    with connect(server.url.replace("unix://", f"unix://:{QUOTED}@")) as admin:
        admin.execute_command("ACL", "SETUSER", "reader", "on", f">{PASSWORD}", "~*", "+@all", "-evalsha")
    return server


def test_a_password_of_any_characters_opens_the_store(locked: Server, opened: Opened, game: str) -> None:
    store = opened(locked.url.replace("unix://", f"unix://:{QUOTED}@"))
    write(store, game, real(game, 3))
    assert store.wait(game, 0, 5)


@pytest.mark.parametrize("user", [":wrong-secret@", "somebody:wrong-secret@", ""])
def test_a_wrong_password_is_said_at_once_and_never_repeated(locked: Server, opened: Opened, game: str, user: str) -> None:
    store = opened(locked.url.replace("unix://", f"unix://{user}"), patience=60.0, mend=lambda: pytest.fail("mended"))
    with pytest.raises(Unreachable) as caught:
        store.append(game, start(game), plain(start(game)))
    said = "".join(traceback.format_exception(caught.value))
    assert "wrong-secret" not in said
    assert locked.url in str(caught.value)
    assert not store.wait(game, 0, 0.05)


def test_a_user_without_the_right_to_append_is_told_so(locked: Server, opened: Opened, game: str) -> None:
    store = opened(locked.url.replace("unix://", f"unix://reader:{QUOTED}@"), patience=60.0)
    assert store.read(game) == ()
    with pytest.raises(Unreachable, match=r"refused: .*permission") as caught:
        store.append(game, start(game), plain(start(game)))
    assert PASSWORD not in str(caught.value)
    assert QUOTED not in str(caught.value)


def test_a_server_that_is_not_there_is_named_without_the_password(opened: Opened, tmp_path: Path, game: str) -> None:
    for url, shown in (
        (f"redis://me:{QUOTED}@127.0.0.1:1/3", "redis://127.0.0.1:1/3"),
        (f"rediss://:{QUOTED}@127.0.0.1:1", "rediss://127.0.0.1:1"),
        (f"unix://:{QUOTED}@{tmp_path}/none?db=2", f"unix://{tmp_path}/none"),
    ):
        with pytest.raises(Unreachable, match=f"^the store {shown} does not answer: ") as caught:
            opened(url, patience=0.0).read(game)
        said = "".join(traceback.format_exception(caught.value))
        assert PASSWORD not in said
        assert QUOTED not in said


@pytest.mark.parametrize(
    "url",
    [
        "redis://:geheim/nis@127.0.0.1:6379/0",
        "redis://:geheim#nis@127.0.0.1:6379/0",
        "redis://:12/geheim@127.0.0.1:6379/0",
        "redis://me:geheim[@127.0.0.1:6379/0",
        "redis://:geheim\N{FULLWIDTH SOLIDUS}@127.0.0.1:6379/0",
        "redis://127.0.0.1:6379/geheim",
        "redis://127.0.0.1:geheim/0",
        "unix://:geheim/nis@/socket",
        "unix://geheim",
        "unix://",
        "https://:geheim@127.0.0.1",
        "redis://127.0.0.1/0?db=geheim",
        "",
    ],
)
def test_an_address_that_cannot_be_one_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match=r"the address of (the|a) store") as caught:
        RedisStore(url)
    assert "geheim" not in "".join(traceback.format_exception(caught.value))
    assert "geheim" not in address("redis://:geheim@127.0.0.1/0")


@pytest.mark.parametrize("option", ["retry_on_timeout", "socket_timeout", "decode_responses", "max_connections", "foo"])
def test_an_address_cannot_turn_repetition_on_or_change_a_time_out(option: str) -> None:
    with pytest.raises(ValueError, match=f"may not say {option}$"):
        connect(f"redis://127.0.0.1/0?{option}=1")


@pytest.mark.parametrize("url", ["redis://h/0", "rediss://h/0?ssl_cert_reqs=none", "unix:///socket?db=1"])
def test_every_kind_of_connection_has_our_time_outs_and_no_repetition(url: str) -> None:
    pool: Any = connect(url).connection_pool
    connection = pool.connection_class(**pool.connection_kwargs)
    assert (connection.socket_timeout, connection.socket_connect_timeout) == (ANSWER_SECONDS, ANSWER_SECONDS)
    assert connection.retry.get_retries() == 0
    assert isinstance(connection, SSLConnection) == url.startswith("rediss")


def test_a_blocking_client_outlives_the_longest_block(server: Server) -> None:
    with connect_blocking(server.url) as client:
        found: Any = client.connection
        assert found.socket_timeout > BLOCK_SECONDS


@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_each_database_holds_games_of_its_own(server: Server, opened: Opened, game: str, kind: str) -> None:
    with Proxy(server.directory, server.socket, tcp=kind == "tcp") as proxy:
        first, second = (f"{proxy.url}?db={db}" if kind == "unix" else f"{proxy.url[:-1]}{db}" for db in (0, 3))
        here, there = opened(first), opened(second)
        commit = plain(start(game))
        write(there, game, [commit])
        assert here.read(game) == ()
        assert there.wait(game, 0, 5)
        assert not here.wait(game, 0, 0.05)
        assert game in set(there.games()) - set(here.games())
        assert there.append(game, place(commit), plain(place(commit))) == Appended()
        with connect(f"{server.url}?db=3") as admin:
            assert admin.exists(keys.stream(game)) == 1
    (server.directory / "p").unlink(missing_ok=True)
