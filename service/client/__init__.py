"""One client of the API that checks everything it receives: transport, http (the methods), witness (what is checked and
kept) and player (a seat at a game). `play`, the demo, bots, benchmarks and tests use it.
"""

from typing import Final

TIMEOUT: Final = 60.0
"""Seconds for a whole answer, from the connection to its last byte; a wait for news comes on top."""
