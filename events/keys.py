"""The names of everything kept in Redis, in one place, and the partition a game falls into (design §3)."""

from typing import Final

CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""The alphabet of game ids, lower-case Crockford base32."""

ID_LENGTH: Final = 16
PARTITIONS: Final = 16
SERVICE: Final = "trickbook:{00}:service"
"""The value that says which secret and signing key the games of this store belong to."""

OPERATOR: Final = "trickbook:{00}:operator"
"""The stream of what the operator did, the n-th note under the id ``n-0``."""


def is_game_id(text: str) -> bool:
    """Whether `text` has the form of a game id."""
    return len(text) == ID_LENGTH and all(character in CROCKFORD for character in text)


def partition(game: str) -> str:
    """The hash tag of a game's keys: the 5-bit value of the id's first character mod 16, two digits."""
    return f"{CROCKFORD.index(game[0]) % PARTITIONS:02}"


def stream(game: str) -> str:
    """The stream that is the game's log."""
    return f"trickbook:{{{partition(game)}}}:game:{game}"


def frozen(game: str) -> str:
    """The marker of a game whose history was lost."""
    return f"trickbook:{{{partition(game)}}}:frozen:{game}"


def thawed(game: str) -> str:
    """A key that never exists: what an append looks at that a frozen game takes."""
    return f"trickbook:{{{partition(game)}}}:thawed:{game}"


FROZEN: Final = "trickbook:{00}:frozen"
"""The set of all games whose history was lost: an index of their markers."""

RESTORED: Final = "trickbook:{00}:restored"
"""The hash of the games that were not over when the store was restored from a backup, with the version they had then."""

RESTORING: Final = "trickbook:{00}:restoring"
"""The name of a restore, from its beginning to its end: after one that was interrupted the store holds a part of a backup."""

FROZEN_PATTERN: Final = "trickbook:{*}:frozen:*"


def imported(game: str) -> str:
    """The record of a game from elsewhere, kept apart from our own."""
    return f"trickbook:{{{partition(game)}}}:imported:{game}"


def reports(game: str) -> str:
    """The reports on a game's disputes, a hash by their numbers: a read model that can be made again."""
    return f"trickbook:{{{partition(game)}}}:reports:{game}"


def feed(part: str) -> str:
    """The stream of announcements of a partition's games, "00" to "15"."""
    return f"trickbook:{{{part}}}:feed"


def model(name: str, generation: int, part: str) -> str:
    """The hash that holds a read model of one generation, or one partition of it."""
    return f"trickbook:{{{part}}}:model:{name}:{generation}"


PARTS: Final = tuple(f"{number:02}" for number in range(PARTITIONS))
"""Every partition."""

MODELS: Final = "trickbook:{00}:models"
"""The hash that says which generation of each read model serves, and which is being built."""


def game_of(key: str) -> str:
    """The game whose stream, or whose record from elsewhere, this is."""
    return key.rsplit(":", 1)[1]


STREAM_PATTERN: Final = "trickbook:{*}:game:*"
IMPORTED_PATTERN: Final = "trickbook:{*}:imported:*"

RQ: Final = "trickbook:{rq}"
"""What every key of RQ begins with; the hash tag keeps them together in one slot of a cluster."""

JOBS_WAITING: Final = f"{RQ}:queue:trickbook"
JOBS_FAILED: Final = f"{RQ}:failed:trickbook"
"""The list of the jobs that wait and the sorted set of those that failed, as RQ names them."""


def job(name: str) -> str:
    """The hash of a job, as RQ names it."""
    return f"{RQ}:job:{name}"


SWEPT: Final = "trickbook:{00}:swept"
"""What the last sweep of the verdicts saw."""


def verdicts(part: str) -> str:
    """The hash of the audits' verdicts on the games of one partition."""
    return f"trickbook:{{{part}}}:verdicts"


VERDICTS: Final = tuple(verdicts(f"{number:02}") for number in range(PARTITIONS))
