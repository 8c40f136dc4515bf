"""What the doctor looks at in the history of games: which are frozen, and whether the store has all that nodes acknowledged."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from events.redis_store import RedisStore
from events.store import LogHead
from service.base.high_water import contents, merged
from service.games.history_check import is_accepted

Row = tuple[str, bool, str, str]
"""A name, whether it is in order, what was found, and the remedy."""

_REMEDY: Final = (
    "put the newest copy of the store back and start again; where there is none, "
    "`trickbook history accept-loss GAME` ends a game"
)


def history_checks(store: RedisStore, own: Path, others: Sequence[Path]) -> Iterator[Row]:
    """Both checks; `own` is the high-water file of this data directory, `others` are those of further nodes.

    It changes nothing. Raises `events.store.Unreachable`.
    """
    if store.restoring() is not None:
        yield "restore", False, "the store holds a part of a backup", "run `trickbook restore` again, or empty the store"
    store_has = store.frozen_games()
    if store_has:
        found = f"{len(store_has)} games whose history was lost are frozen: {', '.join(sorted(store_has))}"
        yield "history", False, found, _REMEDY
    else:
        yield "history", True, "no game is frozen", ""
    yield _high_water(store, [own, *others])


def _high_water(store: RedisStore, files: Sequence[Path]) -> Row:
    missing = [str(path) for path in files[1:] if not path.exists()]
    if missing:
        return "high water", False, f"there is no file {', '.join(missing)}", "name the file high-water of a node"
    try:
        held = {path: contents(path) for path in files}
    except OSError as error:
        return "high water", False, f"{error.filename} cannot be read: {error.strerror}", "let this user read it"
    identity = store.identity() or {}
    foreign = [
        str(path) for path, file in held.items() if file.service and file.service != identity.get("secret", file.service)
    ]
    if foreign:
        remedy = "put the file of this service there, or move it away"
        return "high water", False, f"{', '.join(foreign)} belongs to another service", remedy
    damaged = {path: file.unreadable for path, file in held.items() if file.unreadable}
    if damaged:
        found = ", ".join(f"{count} lines of {path}" for path, count in damaged.items())
        return "high water", False, f"damaged, and not compared: {found}", "look after the disk; remove the damaged lines"
    if files[0].exists() and not os.access(files[0], os.W_OK):
        return "high water", False, f"{files[0]} cannot be written", "let this user write it"
    places = merged(file.places for file in held.values())
    claims = [(game, place) for game, found in places.items() for place in _highest(found)]
    lost = {found.game: found for found in store.lost(claims) if not is_accepted(store, found)}
    shown = f"{len(places)} games in {len(files)} {'file' if len(files) == 1 else 'files'}"
    if not lost:
        return "high water", True, f"{shown}, and the store has all of it", ""
    named = ", ".join(f"{game} (v{found.place.version}, the store has v{found.left})" for game, found in sorted(lost.items()))
    return "high water", False, f"{shown}; the store lacks the history of {len(lost)}: {named}", _REMEDY


def _highest(places: Sequence[LogHead]) -> list[LogHead]:
    """The places of the highest version: more than one where nodes disagree."""
    top = max(place.version for place in places)
    return list({place.head: place for place in places if place.version == top}.values())
