"""The rules other tables play by: for each option of the ruleset at most eight values, the commonest first, and what each
means in a sentence (rules.md §9).
"""

from typing import Any, Final

import msgspec

from events.ruleset import Ruleset

VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "failed_nil": ("ignore", "bags", "bags_and_points"),
    "bag_carry": ("remainder", "zero"),
    "bag_penalty": (100, 50, 0, 200, 75, 25, 150, 110),
    "bag_limit": (10, 5, 0, 7, 8, 6, 12, 20),
    "nil_value": (100, 50, 150, 200, 0, 75, 80, 120),
    "double_nil_value": (200, 100, 400, 150, 300, 250, 50, 0),
    "target": (500, 300, 1000, 250, 200, 400, 350, 100),
    "floor": (None, -200, -500, -100, -300, -250, -400, -1000),
    "max_hands": (100, 10, 5, 8, 6, 12, 4, 20),
    "turn_seconds": (60, 30, 120, 20, 300, 15, 600, 86400),
}
"""What tables use. `second_card` and `exchange_max` are not here: no score depends on them once bids and tricks are known."""

SCORING: Final = ("failed_nil", "bag_carry", "bag_penalty", "bag_limit", "nil_value", "double_nil_value")
"""The options that change lines; the others change when the game ends."""

ENDING: Final = ("target", "floor", "max_hands", "turn_seconds")


RARE: Final = 8
"""The rank of values that stand in no table."""


class Change(msgspec.Struct, frozen=True):
    """One option at another value; `rank` is its place in the table, the commonest first."""

    option: str
    value: Any
    rank: int


RULES: Final = {
    "failed_nil": "7.4", "bag_carry": "7.5", "bag_penalty": "7.5", "bag_limit": "7.5", "nil_value": "7.3",
    "double_nil_value": "7.3", "target": "8.1", "floor": "8.5", "max_hands": "8.6", "turn_seconds": "8.4",
}  # fmt: skip
"""The rule of rules.md that each option belongs to."""


def changes(rules: Ruleset, hands: int = 0) -> list[Change]:
    """Every other value of every option, and a game of each number of hands up to the `hands` that were scored.

    The number scored comes first of these: a table that stops there has agreed on it.
    """
    listed = [
        Change(option, value, 0 if (option, value) == ("max_hands", hands) else rank)
        for option, values in VALUES.items()
        for rank, value in enumerate(values)
        if value != getattr(rules, option)
    ]
    known = {rules.max_hands, *VALUES["max_hands"]}
    shorter = [number for number in range(hands, 0, -1) if number not in known]
    return listed + [Change("max_hands", number, 0 if number == hands else RARE + 10 + hands - number) for number in shorter]


def under(rules: Ruleset, *made: Change) -> Ruleset:
    """The rules with these changes."""
    return msgspec.structs.replace(rules, **{change.option: change.value for change in made})


def told(option: str, value: Any) -> str:
    """What an option at a value means, as a clause."""
    return str(_TOLD[option](value))


_FAILED: Final = {
    "ignore": "tricks of a failed nil are not bags",
    "bags": "tricks of a failed nil are bags",
    "bags_and_points": "tricks of a failed nil are bags and a point each",
}
_CARRY: Final = {
    "remainder": "the bags over the limit stay on the count after a penalty",
    "zero": "the count of bags starts again at 0 after a penalty",
}
_TOLD: Final[dict[str, Any]] = {
    "failed_nil": _FAILED.__getitem__,
    "bag_carry": _CARRY.__getitem__,
    "bag_penalty": lambda value: f"a bag penalty is {value} points" if value else "bags cost no points",
    "bag_limit": lambda value: f"a penalty falls due at every {value} bags" if value else "bags bring no penalty",
    "nil_value": lambda value: f"nil is worth {value}",
    "double_nil_value": lambda value: f"double nil is worth {value}",
    "target": lambda value: f"the game goes to {value}",
    "floor": lambda value: "no score is too low" if value is None else f"a score of −{-value} or less loses the game",
    "max_hands": lambda value: f"the game ends after hand {value} at the latest",
    "turn_seconds": lambda value: "there is no limit on a move" if value is None else f"a move may take {value} seconds",
}
