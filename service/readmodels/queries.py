"""Which games a reader is shown, page by page: choices over rows that were folded from public parts alone."""

import base64
import binascii
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, Literal, get_args

import msgspec

from projections.across.row import GameRow
from service.readmodels.mirror import place

Filter = Literal["open", "running", "finished", "damaged", "stalled", "disputed", "frozen"]
FILTERS: Final[tuple[str, ...]] = get_args(Filter)
MAX_PAGE: Final = 100


class GameQuery(msgspec.Struct, frozen=True):
    """What is asked for: games of a status, of a player, older in the list than a cursor; `everything` for the operator."""

    status: Filter | None = None
    player: str | None = None
    after: str | None = None
    limit: int = 50
    everything: bool = False


class Page(msgspec.Struct, frozen=True):
    """Rows of a page, and the cursor of the next, None at the end."""

    rows: tuple[GameRow, ...]
    next: str | None = None


class BadCursor(ValueError):
    """A cursor that no page ended with."""


def page(
    rows: Sequence[GameRow],
    wanted: GameQuery,
    stalled: Callable[[Sequence[GameRow]], set[str]],
    frozen: Collection[str] = (),
) -> Page:
    """The page of `rows`, which come the newest first. `stalled` says which of some running games are, `frozen` are the games
    whose history was lost. Raises `BadCursor`."""
    before = None if wanted.after is None else _place(wanted.after)
    found = [row for row in rows if (before is None or place(row) < before) and fits(row, wanted, frozen)]
    if wanted.status == "stalled":
        still = stalled(found)
        found = [row for row in found if row.game in still]
    chosen = tuple(found[: wanted.limit])
    more = len(found) > len(chosen)
    return Page(chosen, _cursor(chosen[-1]) if more else None)


def fits(row: GameRow, wanted: GameQuery, frozen: Collection[str] = ()) -> bool:
    """Whether a row is asked for; whether a running game is stalled is another question. A frozen game is neither open,
    running nor stalled."""
    if not wanted.everything and not row.listed:
        return False
    if wanted.player is not None and wanted.player not in (row.north, row.south):
        return False
    match wanted.status:
        case None:
            return True
        case "frozen":
            return row.game in frozen
        case "stalled":
            return row.status == "running" and row.game not in frozen
        case "disputed":
            return row.disputes > 0
        case status:
            return row.status == status and (status not in ("open", "running") or row.game not in frozen)


def _cursor(row: GameRow) -> str:
    return base64.urlsafe_b64encode(f"{row.created} {row.game}".encode()).rstrip(b"=").decode()


def _place(cursor: str) -> tuple[int, str]:
    try:
        created, _, game = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        return int(created), game
    except (ValueError, binascii.Error):
        raise BadCursor("a cursor is what the page before gave as `next`") from None


def counts(rows: Iterable[GameRow]) -> dict[str, int]:
    """How many games there are of each status, those disputed counted on top."""
    found = dict.fromkeys(("open", "running", "finished", "damaged", "disputed"), 0)
    for row in rows:
        found[row.status] += 1
        found["disputed"] += row.disputes > 0
    return found
