"""The two ways the embedded store refuses, each with a sentence for a person: what, where, and what to do."""


class StoreUnavailable(Exception):
    """The store cannot be used; `str()` of it is the whole sentence to show."""


class AlreadyServing(StoreUnavailable):
    """Another `serve` runs on this data directory; the sentence names its process."""
