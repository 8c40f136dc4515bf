"""A finding of `verify`, and whom a finding of each code can be held against. The codes are in projections/audit/codes.py."""

from typing import Literal

import msgspec

from projections.audit.codes import Code

About = Literal["service", "file", "nobody"]
Grade = Literal["wrong", "missing"]


class Verdict(msgspec.Struct, frozen=True):
    """A finding of `verify`: what, where, in a sentence, and about whom it says something."""

    code: Code
    position: str
    version: int
    message: str
    about: About
    grade: Grade


def about(code: Code, *, vouched: bool) -> About:
    """Whom a finding is about. `vouched`: it follows from bytes that the service signed, and from nothing else."""
    if code.about == "nobody":
        return "nobody"
    return "service" if vouched else "file"
