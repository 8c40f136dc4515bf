"""Rows of lists, of the ladder and of a player as they are answered: frozen values, made of rows that were folded from public
parts alone. Names that the operator has hidden are not shown."""

from collections.abc import Collection, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from events.cards import SEATS, Seat
from events.ruleset import STANDARD
from events.types import GameId, Totals
from projections.across.ladder import Standing, ladder
from projections.across.row import GameOutcome, GameRow, Status
from projections.hiding import shown as shown_name
from projections.view_types import Count, Rules, Shown, ShownName, Time

Cursor = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,100}$", description="The `after` of the next page.")]


class ListedGame(Shown, frozen=True, kw_only=True):
    """A game in a list. `rules` are those that differ from the standard, `kept_for` is the name that may take the open seat,
    `disputes` counts the open ones, `after` is the game this is the rematch of; `invite` is there where the seat is open to
    anybody, `frozen` where its history was lost."""

    game: GameId
    status: Status
    names: dict[Seat, ShownName]
    rules: Rules
    hands: Count
    totals: Totals
    created: Time
    at: Time
    result: GameOutcome | None = None
    kept_for: ShownName | None = None
    listed: bool = False
    rated: bool = False
    disputes: Count = 0
    frozen: bool = False
    after: GameId | None = None
    invite: str | None = None


class GamePage(Shown, frozen=True, kw_only=True):
    """A page of games; `next` is there unless it is the last."""

    games: tuple[ListedGame, ...]
    next: Cursor | None = None


class BidCounts(msgspec.Struct, frozen=True):
    """Bids by whether they were made."""

    made: Count
    set: Count


class NilCounts(msgspec.Struct, frozen=True):
    """Nils by how many were tried and made."""

    tried: Count
    made: Count


class StandingView(Shown, frozen=True, kw_only=True):
    """A player's standing and figures over rated games; `last` is when the last of them ended. Equal ratings share a `rank`,
    which only the ladder gives."""

    rank: Annotated[int, Meta(ge=1)] | None = None
    name: ShownName
    rating: float
    games: Count
    wins: Count
    draws: Count
    bids: BidCounts
    nils: NilCounts
    double_nils: NilCounts
    hands: Count
    bags_a_hand: float
    last: Time


class LadderPage(Shown, frozen=True, kw_only=True):
    """A page of the ladder; `next` is how many players come before the next page."""

    players: tuple[StandingView, ...]
    next: Count | None = None


class PlayerPage(GamePage, frozen=True, kw_only=True):
    """A player: the standing over rated games, and the games that may be listed."""

    name: ShownName
    rated: StandingView | None = None


def listed_game(row: GameRow, invite: str | None = None, hidden: Collection[str] = (), *, frozen: bool = False) -> ListedGame:
    """A game as a list shows it; `invite` is the secret part of its invite, `frozen` says that its history was lost."""
    standard = STANDARD.data()
    return ListedGame(
        game=row.game,
        status=row.status,
        names={seat: shown_name(row.name(seat), hidden) for seat in SEATS if row.name(seat)},
        rules={name: value for name, value in row.rules.items() if standard.get(name) != value},
        hands=row.hands,
        totals=row.totals,
        created=row.created,
        at=row.at,
        result=row.outcome,
        kept_for=shown_name(row.fixed.south, hidden) if row.fixed is not None and not row.south else None,
        listed=row.listed,
        rated=row.rated,
        disputes=row.disputes,
        frozen=frozen,
        after=row.after,
        invite=None if invite is None else f"{invite}.{row.opening}.{row.key}",
    )


def ranked(standings: Mapping[str, Standing], hidden: Collection[str] = ()) -> list[StandingView]:
    """The ladder with ranks, the best first; `hidden` names keep their place."""
    found: list[StandingView] = []
    for index, one in enumerate(ladder(standings.values()), 1):
        shown = standing_view(one, hidden)
        rank = found[-1].rank if found and found[-1].rating == shown.rating else index
        found.append(msgspec.structs.replace(shown, rank=rank))
    return found


def standing_view(one: Standing, hidden: Collection[str] = ()) -> StandingView:
    """A player's standing as it is shown."""
    figures = one.figures
    return StandingView(
        name=shown_name(one.name, hidden),
        rating=round(one.rating, 2),
        games=one.games,
        wins=one.wins,
        draws=one.draws,
        bids=BidCounts(figures.bids_made, figures.bids_set),
        nils=NilCounts(figures.nils, figures.nils_made),
        double_nils=NilCounts(figures.double_nils, figures.double_nils_made),
        hands=figures.hands,
        bags_a_hand=round(figures.bags / figures.hands, 2) if figures.hands else 0.0,
        last=one.at,
    )
