"""Values over a pipe between two processes of ours: four bytes of length, then msgpack."""

from typing import Any, BinaryIO, Final, TypeVar

import msgspec

T = TypeVar("T")
_LENGTH: Final = 4


def write(stream: BinaryIO, value: Any) -> None:
    """Sends one value. Raises `OSError` where nobody reads any more."""
    raw = msgspec.msgpack.encode(value)
    stream.write(len(raw).to_bytes(_LENGTH, "big"))
    stream.write(raw)
    stream.flush()


def read(stream: BinaryIO, kind: type[T]) -> T | None:
    """The next value, None where the other side has ended, also in the middle of one."""
    length = stream.read(_LENGTH)
    if len(length) < _LENGTH:
        return None
    wanted = int.from_bytes(length, "big")
    raw = stream.read(wanted)
    return None if len(raw) < wanted else msgspec.msgpack.decode(raw, type=kind)
