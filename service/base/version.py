"""Which Trickbook this is."""

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    VERSION = version("trickbook")
except PackageNotFoundError:  # run from a checkout that was not installed
    VERSION = "0+checkout"


@cache
def build() -> str:
    """Sixteen hex digits over the source of this build: what it answers may be another after a change that has no version."""
    whole = hashlib.sha256(VERSION.encode())
    root = Path(__file__).parents[2]
    for package in ("events", "projections", "service"):
        for file in sorted((root / package).rglob("*.py")):
            whole.update(file.read_bytes())
    return whole.hexdigest()[:16]
