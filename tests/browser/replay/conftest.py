"""The games that the replay, the check and the score sheet are looked at with, each played once."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from events import keys, record
from events.redis_store import RedisStore
from service.games.importing import import_record
from service.runtime.server_process import ServerProcess
from tests.browser.replay.games import Played, play
from tests.kit.forged import renamed

RECORD = Path(__file__).parents[2] / "cases/record-1.ndjson"


@pytest.fixture(scope="session")
def ended(server: ServerProcess) -> Played:
    """A finished game of two hands, in which the first has an exchange."""
    return play(server, {"max_hands": 2})


@pytest.fixture(scope="session")
def drafting(server: ServerProcess) -> Played:
    """A game that is in its first draft."""
    return play(server, {}, moves=9)


@pytest.fixture
def imported(redis_url: str) -> Iterator[str]:
    """The id of a record from elsewhere, whose players are called what nobody here may be called."""
    game, raw = "0ddname60ddname6", RECORD.read_bytes()
    odd = renamed(raw, game, ("<img src=x onerror=alert(1)>", "AS \u202eevil"))
    store = RedisStore(redis_url)
    import_record(store, record.read(io.BytesIO(odd)), replace=True, dry_run=False)
    yield game
    store.client.delete(keys.imported(game))
    store.close()
