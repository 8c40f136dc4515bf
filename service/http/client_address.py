"""Whose address a request comes from: that of the connection, or what a proxy we were told to trust says of it."""

import ipaddress
from collections.abc import Sequence

from flask import Request

from service.base.settings import Network


def client_address(request: Request, trusted: Sequence[Network]) -> str:
    """The nearest address that is none of our proxies'; ``X-Forwarded-For`` counts only as far as they wrote it."""
    address = request.remote_addr or "unknown"
    for told in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
        if not _is_trusted(address, trusted) or not told.strip():
            break
        address = told.strip()
    return address if _parsed(address) is not None else request.remote_addr or "unknown"


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in trusted)
