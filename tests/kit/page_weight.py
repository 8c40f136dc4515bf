"""How much a page loads: requests, and bytes as they were received."""

from typing import Any

import msgspec
from playwright.sync_api import CDPSession


class Weight(msgspec.Struct, frozen=True):
    """What a page loaded: `requests`, and their `bytes` with heads, as the network carried them. Answers that came from the
    browser's cache are not counted."""

    requests: int
    bytes: int


class Scales:
    """Counts what the page of a session loads, from now on."""

    def __init__(self, session: CDPSession) -> None:
        self._requests = self._bytes = 0
        self._cached: set[str] = set()
        session.on("Network.requestServedFromCache", lambda event: self._cached.add(event["requestId"]))
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._received)
        session.send("Network.enable")

    def _answered(self, event: dict[str, Any]) -> None:
        response = event["response"]
        if event["requestId"] in self._cached or response.get("fromDiskCache"):
            return
        self._requests += 1
        self._bytes += int(response.get("encodedDataLength", 0))

    def _received(self, event: dict[str, Any]) -> None:
        self._bytes += event["encodedDataLength"]

    def taken(self) -> Weight:
        """What was loaded since the last call."""
        weight = Weight(self._requests, self._bytes)
        self._requests = self._bytes = 0
        return weight
