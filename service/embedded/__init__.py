"""The store that Trickbook runs itself when no server is named: one Valkey on a unix socket, shared by every command
on the same data directory and ended with its last user. It must know nothing of games; nobody else starts a server.
"""

from service.embedded.directory import DataDirectory, prepare
from service.embedded.errors import AlreadyServing, StoreUnavailable
from service.embedded.serve_lock import ServeLock
from service.embedded.store import EmbeddedStore

__all__ = ["AlreadyServing", "DataDirectory", "EmbeddedStore", "ServeLock", "StoreUnavailable", "prepare"]
