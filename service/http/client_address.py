"""Whose address a request comes from: that of the connection, or the one that a trusted proxy gives for it."""

import ipaddress
from collections.abc import Sequence
from typing import Final

from flask import Request

from service.base.settings import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_IPV6_PREFIX: Final = 64
"""One IPv6 customer has at least a /64, so all addresses in it count as one."""


def client_address(request: Request, trusted: Sequence[Network]) -> str:
    """The address that limits of this request count under, see `counted_address`."""
    return counted_address(request.remote_addr or "", request.headers.get("X-Forwarded-For", ""), trusted)


def counted_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The nearest address outside `trusted`, as text; ``unknown`` where `peer` is no address.

    `forwarded` is the ``X-Forwarded-For`` of the request; it counts only as far as trusted proxies wrote it. An IPv6 address
    is its /64, an IPv4-mapped one the IPv4 address.
    """
    connected = address = parsed(peer)
    for written in reversed(forwarded.split(",")):
        if address is None or not is_trusted(address, trusted) or not written.strip():
            break
        address = parsed(written.strip())
    chosen = connected if address is None else address
    return "unknown" if chosen is None else _counted(chosen)


def parsed(text: str) -> Address | None:
    """The address in `text`, an IPv4-mapped one as IPv4; None where it is no address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def is_trusted(address: Address, trusted: Sequence[Network]) -> bool:
    """Whether `address` is that of a trusted proxy."""
    return any(address in network for network in trusted)


def _counted(address: Address) -> str:
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((int(address), _IPV6_PREFIX), strict=False))
