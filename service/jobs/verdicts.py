"""The verdicts of the audits of finished games, kept on the work server: they can be made anew from the logs."""

from functools import partial
from typing import Any, Final, Literal

import msgspec
import redis

from events import keys
from events.canonical import encode
from events.redis_store import RedisStore
from projections.audit import Receipts

Word = Literal["ok", "bad"]

MOST_CODES: Final = 10

_KEEP: Final = """#!lua
-- Keeps a verdict unless there is one on a longer log. One write.
--
-- KEYS[1]   the hash of the verdicts of a partition
-- ARGV[1]   the game
-- ARGV[2]   the version that was audited
-- ARGV[3]   the verdict as JSON
--
-- Answers 1 if it was kept, 0 if the one that is there is of a higher version.
local there = redis.call("HGET", KEYS[1], ARGV[1])
if there then
  local known, verdict = pcall(cjson.decode, there)
  local version = known and type(verdict) == "table" and tonumber(verdict.version)
  if version and version > tonumber(ARGV[2]) then return 0 end
end
redis.call("HSET", KEYS[1], ARGV[1], ARGV[3])
return 1
"""


class KeptVerdict(msgspec.Struct, frozen=True):
    """What an audit found at a version: `findings` counts them, `codes` are the first kinds of them; `head` is hex, empty
    where the log could not be read; `at` is when, in ms; `first` is the position of the first finding, empty without one;
    `receipts` says of which receipts the signature was checked."""

    version: int
    head: str
    verdict: Word
    findings: int
    codes: tuple[str, ...]
    at: int
    first: str = ""
    receipts: Receipts = "every"


class VerdictCounts(msgspec.Struct, frozen=True):
    """What the last sweep saw: when (ms), how many finished games, how many of them without a verdict on their last
    version, and how many verdicts were bad."""

    at: int
    finished: int
    missing: int
    bad: int


def keep(work: redis.Redis, game: str, verdict: KeptVerdict) -> bool:
    """Keeps it; False where one of a higher version is there already."""
    raw = encode(msgspec.to_builtins(verdict))
    run: Any = work.eval
    return bool(run(_KEEP, 1, keys.verdicts(keys.partition(game)), game, str(verdict.version), raw))


def kept(work: redis.Redis, game: str) -> KeptVerdict | None:
    """The verdict on a game, if there is one."""
    raw: Any = work.hget(keys.verdicts(keys.partition(game)), game)
    return _read(raw)


def every(work: redis.Redis) -> dict[str, KeptVerdict]:
    """The verdicts on all games."""
    with work.pipeline(transaction=False) as pipeline:
        for name in keys.VERDICTS:
            pipeline.hgetall(name)
        answers: Any = pipeline.execute()
    found = ((game.decode(errors="replace"), _read(raw)) for answer in answers for game, raw in answer.items())
    return {game: verdict for game, verdict in found if verdict is not None}


def read_all(server: RedisStore) -> dict[str, KeptVerdict]:
    """The verdict on every game that was audited, by its id, from the work server. Raises `Unreachable`."""
    return server.ask(partial(every, server.client))


def note_sweep(work: redis.Redis, swept: VerdictCounts) -> None:
    """Says what a sweep saw; the last one to say it counts."""
    work.set(keys.SWEPT, encode(msgspec.to_builtins(swept)))


def last_sweep(work: redis.Redis) -> VerdictCounts | None:
    """What the last sweep saw, if there was one."""
    raw: Any = work.get(keys.SWEPT)
    try:
        return None if raw is None else msgspec.json.decode(raw, type=VerdictCounts)
    except msgspec.DecodeError:
        return None


def _read(raw: bytes | None) -> KeptVerdict | None:
    """A verdict of ours; what is none counts as absent, and the sweep makes a new one."""
    try:
        return None if raw is None else msgspec.json.decode(raw, type=KeptVerdict)
    except msgspec.DecodeError:
        return None
