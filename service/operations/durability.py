"""How durable the store really is: asked of the server, not believed of the settings (design §3)."""

from typing import Any, Literal

from redis.exceptions import RedisError, ResponseError

Durability = Literal["fsync", "everysec", "memory", "unknown"]

MEANING: dict[Durability, str] = {
    "fsync": "every acknowledged move is on the disk",
    "everysec": "a crash may lose the last second of acknowledged moves: set appendfsync always",
    "memory": "a restart loses games: set appendonly yes and appendfsync always",
    "unknown": "the server does not say how it writes: ask its operator",
}


def durability(client: Any) -> Durability:
    """What happens to an acknowledged write when the server is killed. Raises `RedisError` when it does not answer."""
    try:
        found: dict[str, str] = {}
        for name in ("appendonly", "appendfsync"):
            found |= {_text(key): _text(value) for key, value in client.config_get(name).items()}
    except ResponseError:  # a managed server that keeps CONFIG to itself
        return "unknown"
    if found.get("appendonly") != "yes":
        return "memory"
    return {"always": "fsync", "everysec": "everysec"}.get(found.get("appendfsync", ""), "memory")  # type: ignore[return-value]


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


__all__ = ["MEANING", "Durability", "RedisError", "durability"]
