"""The shapes of answers that no other room has: lists of events, steps and disputes, what the service says of itself."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw

from events.types import GameId, ServerKey
from projections.audit.findings import Audit
from projections.view_types import Count, Rules, Shown
from service.games.kept_receipts import Outcome
from service.games.result_types import DisputeView, EventLine

_SCHEMAS: Final = "#/components/schemas/"
RawStep = Annotated[Raw, Meta(extra_json_schema={"$ref": f"{_SCHEMAS}StepView"})]
RawReport = Annotated[Raw, Meta(extra_json_schema={"$ref": f"{_SCHEMAS}Report"})]
Imported = Annotated[Literal[True], Meta(description="Only for a record from elsewhere.")]


class Events(Shown, frozen=True, kw_only=True):
    """The events after a version, 500 at most; `version` is the last of the log."""

    events: tuple[EventLine, ...]
    version: Count
    imported: Imported | None = None


class Frame(Shown, frozen=True, kw_only=True):
    """A frame of an event stream: an event with its seq as `id`, or a view (`reset`) after which the events go on."""

    event: Literal["event", "reset"]
    id: Annotated[int, Meta(ge=1)] | None = None
    data: Annotated[Any, Meta(extra_json_schema={"oneOf": [{"$ref": f"{_SCHEMAS}EventLine"}, {"$ref": f"{_SCHEMAS}View"}]})]


class Replay(Shown, frozen=True, kw_only=True):
    """Steps of a game. `hands` and `version` are those of the whole game, `at` is the version of the requested step."""

    game: GameId
    hands: Count
    version: Count
    at: Count | None = None
    steps: tuple[RawStep, ...]
    imported: Imported | None = None


class AuditAnswer(Audit, frozen=True, kw_only=True):
    """The audit: findings and verdict. What could not be checked is named; `notes` are scores that have been corrected."""

    imported: Imported | msgspec.UnsetType = msgspec.UNSET


class Disputes(msgspec.Struct, frozen=True):
    """Every dispute of a game, without the reports."""

    game: GameId
    version: Count
    disputes: tuple[DisputeView, ...]


class Reported(msgspec.Struct, frozen=True):
    """One dispute and the report on it."""

    game: GameId
    version: Count
    dispute: DisputeView
    report: RawReport


class PublicKey(ServerKey, frozen=True, kw_only=True):
    """A public key that receipts are signed with; `current` is the one for new games."""

    current: bool


class Keys(msgspec.Struct, frozen=True):
    """The public keys receipts are signed with."""

    keys: tuple[PublicKey, ...]


class OptionView(Shown, frozen=True, kw_only=True):
    """One option of the rules: a number from `min` to `max`, or one of `choices`; without a `standard` it is off."""

    name: Annotated[str, Meta(pattern=r"^[a-z_]{1,40}$")]
    meaning: str
    standard: int | str | None = None
    min: int | None = None
    max: int | None = None
    choices: tuple[str, ...] | None = None


class RulesList(msgspec.Struct, frozen=True):
    """The standard ruleset and every option."""

    ruleset: str
    standard: Rules
    options: tuple[OptionView, ...]


class Version(msgspec.Struct, frozen=True):
    """Which Trickbook this is."""

    name: str
    version: str
    api: Annotated[str, Meta(pattern=r"^v[0-9]+$")]


class Health(msgspec.Struct, frozen=True):
    """Whether the process answers."""

    status: Literal["ok"]


class ComparedReceipt(msgspec.Struct, frozen=True):
    """What the log says of a receipt. `in_log`: the log has this head. `history_lost`: it had it once, and the game is frozen.
    `loss_accepted`: the log has a note of the operator that accepts this loss."""

    game: GameId
    seq: Annotated[int, Meta(ge=1)]
    outcome: Outcome


class FollowerLag(msgspec.Struct, frozen=True):
    """What the follower of a read model has not done yet: how many announcements, the oldest that many ms old."""

    announcements: Count
    oldest_ms: Count


class StoreWarning(Shown, frozen=True):
    """What threatens the games of the store, for the operator; `message` ends with the remedy."""

    code: str
    message: str


class Readiness(Shown, frozen=True, kw_only=True):
    """Whether moves are accepted, and how durable they are. `new_games` is whether games can be created now: running ones
    can be played either way. `frozen` is the number of games whose history was lost, `frozen_games` are their ids, for the
    operator. `lists` is why lists are not available; moves do not need them."""

    status: Literal["ready", "not_ready"]
    durability: str | None = None
    reason: str | None = None
    new_games: bool | None = None
    frozen: Count | None = None
    frozen_games: tuple[GameId, ...] | None = None
    warnings: tuple[StoreWarning, ...] | None = None
    followers: dict[str, FollowerLag] | None = None
    lists: str | None = None
