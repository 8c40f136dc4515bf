"""Settings from the environment, each checked once at start, each wrong one named with what it may be."""

import ipaddress
from collections.abc import Mapping
from typing import Final

import msgspec

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

REDIS_URL: Final = "TRICKBOOK_REDIS_URL"
WORK_URL: Final = "TRICKBOOK_WORK_URL"
DATA: Final = "TRICKBOOK_DATA"
OPERATOR_TOKEN: Final = "TRICKBOOK_OPERATOR_TOKEN"  # noqa: S105 - the name of a variable
CREATE_LIMIT: Final = "TRICKBOOK_CREATE_LIMIT"
TRUSTED_PROXIES: Final = "TRICKBOOK_TRUSTED_PROXIES"
PUBLIC_URL: Final = "TRICKBOOK_PUBLIC_URL"
THREADS: Final = "TRICKBOOK_THREADS"
CONNECTIONS: Final = "TRICKBOOK_CONNECTIONS"
IDLE_PER_ADDRESS: Final = "TRICKBOOK_IDLE_PER_ADDRESS"
WAITS_PER_ADDRESS: Final = "TRICKBOOK_WAITS_PER_ADDRESS"
HEARTBEAT: Final = "TRICKBOOK_HEARTBEAT_SECONDS"

MIN_TOKEN: Final = 32
"""An operator's token is at least this long."""


class BadSetting(Exception):
    """A setting that cannot be used; the message names it and says what it may be, never a secret value."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`create_limit` is creates a minute and address, 0 for no limit; `threads` is what one web process has, `connections`
    how many it holds, `idle_per_address` how many of them without a whole request one address may have,
    `waits_per_address` how many streams and waits; `heartbeat_seconds` are between two heartbeats of a quiet stream."""

    operator_token: str | None = None
    create_limit: int = 30
    trusted_proxies: tuple[Network, ...] = ()
    public_url: str | None = None
    threads: int = 1024
    connections: int = 4096
    idle_per_address: int = 128
    waits_per_address: int = 64
    heartbeat_seconds: int = 15


def read(environment: Mapping[str, str]) -> Settings:
    """The settings. Raises `BadSetting`."""
    token = environment.get(OPERATOR_TOKEN) or None
    if token is not None and len(token) < MIN_TOKEN:
        raise BadSetting(f"{OPERATOR_TOKEN} must have at least {MIN_TOKEN} characters, or be unset for no operator")
    url = environment.get(PUBLIC_URL) or None
    if url is not None and not url.startswith(("http://", "https://")):
        raise BadSetting(f"{PUBLIC_URL} must be the address people see, beginning with http:// or https://")
    return Settings(
        operator_token=token,
        create_limit=_number(environment, CREATE_LIMIT, 30, 0, 1_000_000),
        trusted_proxies=_networks(environment.get(TRUSTED_PROXIES, "")),
        public_url=None if url is None else url.rstrip("/"),
        threads=_number(environment, THREADS, 1024, 4, 4096),
        connections=_number(environment, CONNECTIONS, 4096, 64, 65536),
        idle_per_address=_number(environment, IDLE_PER_ADDRESS, 128, 4, 65536),
        waits_per_address=_number(environment, WAITS_PER_ADDRESS, 64, 2, 4096),
        heartbeat_seconds=_number(environment, HEARTBEAT, 15, 1, 60),
    )


def _number(environment: Mapping[str, str], name: str, standard: int, lowest: int, highest: int) -> int:
    text = environment.get(name, "").strip() or str(standard)
    if not text.isascii() or not text.isdigit() or not lowest <= int(text[:10]) <= highest:
        raise BadSetting(f"{name} must be a whole number from {lowest} to {highest}")
    return int(text)


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part) for part in text.replace(",", " ").split())
    except ValueError as error:
        raise BadSetting(f"{TRUSTED_PROXIES} must be addresses or networks, separated by commas: {error}") from None
