"""Which Trickbook this is."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("trickbook")
except PackageNotFoundError:  # run from a checkout that was not installed
    VERSION = "0+checkout"
