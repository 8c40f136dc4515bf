"""The games that the replay, the check and the score sheet are looked at with, each played once."""

import pytest

from service.server_process import ServerProcess
from tests.browser.replay.games import Played, play


@pytest.fixture(scope="session")
def ended(server: ServerProcess) -> Played:
    """A finished game of two hands, in which the first has an exchange."""
    return play(server, {"max_hands": 2})


@pytest.fixture(scope="session")
def drafting(server: ServerProcess) -> Played:
    """A game that is in its first draft."""
    return play(server, {}, moves=9)
