"""Why a log cannot be folded on."""


class Impossible(ValueError):
    """An event that cannot have happened at this table; the message says why."""
