"""The order in which `verify` looks at things, and whom a finding of each kind can be held against."""

from typing import Final, Literal

import msgspec

About = Literal["service", "file", "nobody"]
Grade = Literal["wrong", "missing"]

STAGES: Final[tuple[tuple[str, ...], ...]] = (
    (  # bytes canonical and numbered
        "not_canonical", "not_an_event", "event_missing", "event_doubled", "event_renumbered", "events_swapped",
        "events_cut", "events_added", "time_went_back",
    ),
    ("head_mismatch",),
    (  # receipts under the pinned key, heads in the log, none beyond the end
        "key_not_pinned", "pins_differ", "other_server_key", "bad_server_key", "server_key_mismatch", "bad_receipt",
        "bad_signature", "receipt_mismatch", "file_not_signed", "kept_receipt_invalid", "contradicts_receipt",
        "service_signed_two_histories", "file_older_than_receipt",
    ),
    (  # joins before reveals before hand 1, a reveal for each commitment, one's own bytes as one sent them
        "wrong_seat", "contribution_stripped", "contribution_replaced", "contribution_mismatch",
    ),
    ("root_mismatch", "bad_deck", "deck_not_derived", "exchange_not_derived"),
    ("seal_mismatch", "sealed_missing", "wrong_owner", "drawn_card_changed"),
    (),  # legality and scores: every code that stands nowhere else
    ("event_after_end", "game_not_over"),
)  # fmt: skip
"""The codes of each stage, in order."""

_STAGE: Final = {code: number for number, codes in enumerate(STAGES) for code in codes}
_LEGALITY: Final = 6

MISSING: Final = frozenset({"key_not_pinned", "file_not_signed", "file_older_than_receipt", "game_not_over"})
"""Nothing is wrong, but it cannot be called verified."""

NOBODY: Final = frozenset(
    {
        *("key_not_pinned", "file_older_than_receipt", "game_not_over", "kept_receipt_invalid", "pins_differ"),
        *("contribution_stripped", "contribution_replaced", "drawn_card_changed"),
    }
)
"""What rests on the player's word alone: their file is signed by nobody, so it may be right and still prove nothing."""


class Verdict(msgspec.Struct, frozen=True):
    """A finding of `verify`: what, where, in a sentence, and about whom it says something."""

    code: str
    position: str
    version: int
    message: str
    about: About
    grade: Grade


def stage(code: str) -> int:
    """The number of the stage a code belongs to."""
    return _STAGE.get(code, _LEGALITY)


def about(code: str, *, vouched: bool) -> About:
    """Whom a finding is about. `vouched`: it follows from bytes that the service signed, and from nothing else."""
    if code in NOBODY:
        return "nobody"
    return "service" if vouched else "file"
