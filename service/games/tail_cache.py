"""What is new in a game, read once for all who follow it in this process: the streams of a table share one read a move.

It is a cache of pieces of the log, which never change; whoever needs another piece gets it from the store. What it reads also
extends the cached game: a move that follows another process's move is decided on the table that move left.
"""

import threading
from collections import OrderedDict
from typing import Final

import msgspec

from events.log import Commit
from events.store import LogHead
from service.games.handler import Games

_GAMES: Final = 2000
_COMMITS: Final = 8
"""Longer pieces are what somebody catches up on alone."""
_LOCKS: Final = 64


class _Piece(msgspec.Struct, frozen=True):
    """The commits that follow a place."""

    at: LogHead
    commits: tuple[Commit, ...]


class TailCache:
    """The newest piece of each game that is followed; safe between threads."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._pieces: OrderedDict[str, _Piece] = OrderedDict()
        self._lock = threading.Lock()
        self._reading = [threading.Lock() for _ in range(_LOCKS)]

    def after(self, game: str, at: LogHead) -> tuple[Commit, ...]:
        """The commits after a place: all, or the first of them where others were told of these before.

        Raises `Refused` (`history_lost`, `log_damaged`) and `Unreachable`.
        """
        with self._reading[hash(game) % _LOCKS]:  # of those who are woken together the first one reads
            with self._lock:
                piece = self._pieces.get(game)
            if piece is not None and piece.at == at:
                return piece.commits
            commits = self._games.after(game, at)
            self._games.learn(game, at, commits)
            if 0 < len(commits) <= _COMMITS:
                self._keep(game, _Piece(at, commits))
            return commits

    def _keep(self, game: str, piece: _Piece) -> None:
        with self._lock:
            self._pieces[game] = piece
            self._pieces.move_to_end(game)
            while len(self._pieces) > _GAMES:
                self._pieces.popitem(last=False)
