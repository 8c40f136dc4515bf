"""The ruleset of a game: every option, its standard value and what it may be (rules.md §9), in one table.

What an option *does* is decided in ``projections``; here it is only a checked value.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

NAME: Final = "two-player/1"


class BadRule(ValueError):
    """An option that does not exist or a value it may not have; `option` is its name."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class RuleOption(msgspec.Struct, frozen=True):
    """One option: a whole number from `lowest` to `highest`, or one of `choices`; `optional` ones may be left out."""

    standard: int | str | None
    meaning: str
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()

    @property
    def optional(self) -> bool:
        """Whether the standard is *none*, which is written by leaving the option out."""
        return self.standard is None

    def allowed(self) -> str:
        """What the option may be, in words."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        return f"a whole number from {self.lowest} to {self.highest}"

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand for this option."""
        if self.choices:
            return type(value) is str and value in self.choices
        return type(value) is int and self.lowest <= value <= self.highest


OPTIONS: Final[dict[str, RuleOption]] = {
    "target": RuleOption(500, "points that win the game", 50, 10000),
    "nil_value": RuleOption(100, "points of a nil, lost when it fails", 0, 1000),
    "double_nil_value": RuleOption(200, "points of a double nil, lost when it fails", 0, 1000),
    "bag_limit": RuleOption(10, "bags that cost a penalty; 0: none do", 0, 100),
    "bag_penalty": RuleOption(100, "points lost at each multiple of bag_limit", 0, 1000),
    "bag_carry": RuleOption("remainder", "bags left on the count after a penalty", choices=("remainder", "zero")),
    "failed_nil": RuleOption(
        "ignore", "what the tricks of a failed nil count for", choices=("ignore", "bags", "bags_and_points")
    ),
    "second_card": RuleOption("hidden", "whether who keeps the first card sees the second", choices=("hidden", "seen")),
    "exchange_max": RuleOption(3, "cards a double nil bidder may exchange; 0: no exchange", 0, 3),
    "floor": RuleOption(None, "a score at or under it loses the game", -10000, -50),
    "max_hands": RuleOption(100, "hands after which an undecided game ends", 1, 200),
    "turn_seconds": RuleOption(None, "seconds a player has for a move", 5, 1209600),
}


class Ruleset(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A whole ruleset; *none* is None. Units: points, bags, cards, hands, seconds."""

    ruleset: str
    target: int
    nil_value: int
    double_nil_value: int
    bag_limit: int
    bag_penalty: int
    bag_carry: Literal["remainder", "zero"]
    failed_nil: Literal["ignore", "bags", "bags_and_points"]
    second_card: Literal["hidden", "seen"]
    exchange_max: int
    max_hands: int
    floor: int | None = None
    turn_seconds: int | None = None

    def data(self) -> dict[str, Any]:
        """The options as event 1 stores them: `ruleset` and every option that is set."""
        return {key: value for key, value in msgspec.structs.asdict(self).items() if value is not None}

    def changes(self) -> dict[str, Any]:
        """Only what differs from the standard ruleset; an option is None where it was switched off."""
        return {name: getattr(self, name) for name, o in OPTIONS.items() if getattr(self, name) != o.standard}


def with_options(options: Mapping[str, Any]) -> Ruleset:
    """The standard ruleset with `options` changed. Raises `BadRule` for an unknown option or a value out of bounds."""
    for name, value in options.items():
        if name == "ruleset":
            if value != NAME:
                raise BadRule(name, f'the ruleset "{value}" is not known here: it may be "{NAME}"')
        elif name not in OPTIONS:
            raise BadRule(name, f"there is no option {name!r}; the options are {', '.join(OPTIONS)}")
        elif not OPTIONS[name].accepts(value):
            raise BadRule(name, f"{name} must be {OPTIONS[name].allowed()}")
    standard = {name: option.standard for name, option in OPTIONS.items()}
    return Ruleset(**{**standard, **options, "ruleset": NAME})


def stored(options: Mapping[str, Any]) -> Ruleset:
    """The ruleset of an event 1, which names every option that is set. Raises `BadRule` where it does not."""
    missing = [name for name, o in OPTIONS.items() if not o.optional and name not in options]
    if missing or "ruleset" not in options:
        raise BadRule(missing[0] if missing else "ruleset", "event 1 must name the ruleset and every option that is set")
    return with_options(options)


STANDARD: Final = with_options({})
