"""The open files of this process: how many it may have, and which of them are connections of clients.

Connections are looked at while the interpreter lock is held: with calls that release it, a look at 4,000 of them takes
seconds beside threads that compute, because each call waits for the lock again (measured in decisions/connections.md).
"""

import ctypes
import resource
import select
import socket
import struct
import sys
from collections.abc import Iterator
from typing import Final

_FAMILIES: Final[dict[int, tuple[slice, int]]] = {
    socket.AF_INET: (slice(4, 8), socket.AF_INET),
    socket.AF_INET6: (slice(8, 24), socket.AF_INET6),
}
_ADDRESS_BYTES: Final = 128


def raise_limit(wanted: int) -> int:
    """Raises the soft limit of open files (RLIMIT_NOFILE) to `wanted` as far as the hard limit allows; the limit now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = wanted if soft == resource.RLIM_INFINITY else soft
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if most > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):  # macOS has a lower limit than it says
            return soft
        return most
    return soft


class ClientSockets:
    """The connections that this process has accepted at a port. Linux only."""

    def __init__(self, port: int, highest: int) -> None:
        """Descriptors below `highest` are looked at: the kernel gives the lowest free one, so that is how many there are."""
        if sys.platform != "linux":
            raise NotImplementedError("addresses of sockets are laid out in another way here")
        self._port = port
        self._libc = ctypes.PyDLL(None)  # holds the interpreter lock
        self._buffer = ctypes.create_string_buffer(_ADDRESS_BYTES)
        self._length = ctypes.c_uint32(_ADDRESS_BYTES)
        self._pointer = ctypes.byref(self._length)
        self._poll = select.poll()
        self._all = range(min(highest, resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
        for number in self._all:
            self._poll.register(number, 0)

    def addresses(self) -> Iterator[tuple[int, bytes]]:
        """Each descriptor of a connected socket with the raw address of its other end; those to servers are among them."""
        unused = {number for number, state in self._poll.poll(0) if state & select.POLLNVAL}
        for number in self._all:
            if number not in unused and (address := self._name(self._libc.getpeername, number)):
                yield number, address

    def client(self, number: int, address: bytes) -> tuple[str, int] | None:
        """The host and port of the other end; None where it is no client at our port."""
        local = self._name(self._libc.getsockname, number)
        if not local or _port(local) != self._port or _family(address) not in _FAMILIES:
            return None
        where, family = _FAMILIES[_family(address)]
        return socket.inet_ntop(family, address[where]), _port(address)

    def shut(self, number: int, address: bytes) -> bool:
        """Shuts the connection down if it is still the one with that address; the server then closes it."""
        copy = self._libc.dup(number)  # the number itself may be another file at any time
        if copy < 0:
            return False
        try:
            return self._name(self._libc.getpeername, copy) == address and self._libc.shutdown(copy, socket.SHUT_RDWR) == 0
        finally:
            self._libc.close(copy)

    def _name(self, ask: "ctypes._NamedFuncPointer", number: int) -> bytes:
        self._length.value = _ADDRESS_BYTES
        return b"" if ask(number, self._buffer, self._pointer) else self._buffer.raw[: self._length.value]


def _family(address: bytes) -> int:
    return int.from_bytes(address[:2], sys.byteorder)


def _port(address: bytes) -> int:
    return int(struct.unpack_from("!H", address, 2)[0]) if len(address) >= 4 else 0
