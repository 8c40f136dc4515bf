"""What the doctor looks at in the history of games: which are frozen, and whether the store has all that nodes acknowledged."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from events.redis_store import RedisStore
from events.store import LogHead, LostHead
from service.base.high_water import contents
from service.games.history_check import is_accepted

Row = tuple[str, bool, str, str]
"""A name, whether it is in order, what was found, and the remedy."""

_REMEDY: Final = (
    "put the newest copy of the store back and start again; without one, end each game with "
    "`trickbook history accept-loss GAME --why TEXT`"
)


def history_checks(store: RedisStore, own: Path, others: Sequence[Path]) -> Iterator[Row]:
    """Both checks; `own` is the high-water file of this data directory, `others` are those of further nodes.

    It changes nothing. Raises `events.store.Unreachable`.
    """
    if store.restoring() is not None:
        yield "restore", False, "the store holds a part of a backup", "run `trickbook restore` again, or empty the store"
    store_has = store.frozen_games()
    if store_has:
        found = f"frozen because history was lost: {', '.join(sorted(store_has))}"
        yield "history", False, found, _REMEDY
    else:
        yield "history", True, "no game is frozen", ""
    yield from _high_water(store, [own, *others])


def _high_water(store: RedisStore, files: Sequence[Path]) -> Iterator[Row]:
    missing = [str(path) for path in files[1:] if not path.exists()]
    if missing:
        yield "high water", False, f"there is no file {', '.join(missing)}", "name the file high-water of a node"
        return
    try:
        held = {path: contents(path) for path in files}
    except OSError as error:
        yield "high water", False, f"{error.filename} cannot be read: {error.strerror}", "name a file that this user may read"
        return
    secret = (store.identity() or {}).get("secret")
    foreign = [str(path) for path, file in held.items() if file.service and secret and file.service != secret]
    if foreign:
        remedy = "put the file of this service there, or move it away"
        yield "high water", False, f"{', '.join(foreign)} belongs to another service", remedy
        return
    for path, file in held.items():
        if file.unreadable:
            found = f"{file.unreadable} lines of {path} are damaged, and not compared"
            yield "high-water file", False, found, "look after the disk, then remove these lines"
    if files[0].exists() and not os.access(files[0], os.W_OK):
        yield "high-water file", False, f"{files[0]} cannot be written", "let this user write it"
    yield _compared(store, [file.places for file in held.values()])


def _compared(store: RedisStore, nodes: Sequence[Mapping[str, LogHead]]) -> Row:
    """Each place of each node must be in the log, also one that is not the highest."""
    claims = {(game, place) for places in nodes for game, place in places.items()}
    lost: dict[str, LostHead] = {}
    for found in store.lost(sorted(claims, key=lambda claim: claim[1].version)):
        if not is_accepted(store, found):
            lost[found.game] = found
    games = len({game for game, _ in claims})
    shown = f"{games} {'game' if games == 1 else 'games'} in {len(nodes)} {'file' if len(nodes) == 1 else 'files'}"
    if not lost:
        return "high water", True, f"{shown}, and the store has all of it", ""
    named = ", ".join(f"{game} ({_difference(found)})" for game, found in sorted(lost.items()))
    return "high water", False, f"{shown}; the store lacks the history of {len(lost)}: {named}", _REMEDY


def _difference(found: LostHead) -> str:
    had = f"v{found.place.version}"
    if not found.left:
        return f"{had}, the store has nothing"
    return f"{had}, the store has v{found.left}" if found.left < found.place.version else f"another event at {had}"
