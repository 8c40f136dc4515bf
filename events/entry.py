"""A commit as the fields of a stream entry and back (design §3): events by their seq, sealed parts by ``<seq>s``."""

from collections.abc import Mapping

from events.log import Commit, Stored
from events.store import BadEntry


def entry_id(version: int) -> str:
    """The id of the entry that ends at this version."""
    return f"{version}-0"


def fields(commit: Commit) -> list[tuple[bytes, bytes]]:
    """The fields of a commit, in a fixed order."""
    found: list[tuple[bytes, bytes]] = []
    for seq, event in enumerate(commit.events, commit.first):
        found.append((b"%d" % seq, event.public))
        if event.sealed is not None:
            found.append((b"%ds" % seq, event.sealed))
    return [*found, (b"head", commit.head), (b"receipt", commit.receipt), (b"by", commit.by)]


def commit(game: str, identifier: bytes, values: Mapping[bytes, bytes]) -> Commit:
    """The commit of an entry. Raises `BadEntry` where the entry is not one of ours."""
    rest, name = dict(values), f"entry {identifier.decode(errors='replace')} of game {game}"
    try:
        head, receipt, by = (rest.pop(name) for name in (b"head", b"receipt", b"by"))
        numbers = sorted(int(name) for name in rest if not name.endswith(b"s"))
        events = tuple(Stored(rest.pop(b"%d" % seq), rest.pop(b"%ds" % seq, None)) for seq in numbers)
        last = int(identifier.removesuffix(b"-0"))
    except KeyError as error:
        raise BadEntry(f"{name} has no field {error.args[0].decode(errors='replace')!r}") from None
    except ValueError:
        raise BadEntry(f"{name} was not written by Trickbook: its id or a field is not the number of an event") from None
    if rest or not numbers or numbers[0] < 1 or numbers != list(range(last - len(numbers) + 1, last + 1)):
        raise BadEntry(f"{name} does not hold the events up to {last} and nothing else")
    return Commit(last, events, head, receipt, by)
