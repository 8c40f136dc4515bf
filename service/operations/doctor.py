"""Looking whether everything an operator relies on is in order: each check says what is, and how to mend what is wrong.

It changes nothing, and says of secrets only whether they are there and private.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Final

import msgspec
from packaging.requirements import Requirement
from redis.exceptions import NoPermissionError, RedisError, ResponseError

from events.receipts import Signer
from events.store import BadEntry, Unreachable
from service.base import secrets_file, settings
from service.base.clock import Clock
from service.base.high_water import FILE
from service.embedded import StoreUnavailable
from service.embedded import locks as embedded_locks
from service.embedded.directory import DataDirectory, prepare
from service.operations.durability import MEANING, durability
from service.operations.history_checks import history_checks
from service.operations.job_checks import checks
from service.operations.open_store import OpenStore
from service.operations.permissions import missing_permission
from service.readmodels.lag import lags
from service.readmodels.model_store import ReadModelStore

MIN_FREE: Final = 256 * 1024 * 1024
MAX_CLOCK_MS: Final = 2000
MAX_LAG_MS: Final = 120_000
"""An announcement that lies for longer than this is one that nobody follows."""

WANTED: Final = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
"""What the design wants of the server (design §3)."""


class Check(msgspec.Struct, frozen=True):
    """One line: what was looked at, whether it is in order, what there is, and the remedy where it is not."""

    name: str
    ok: bool
    found: str
    remedy: str = ""


def examine(
    environment: Mapping[str, str],
    data: Path,
    clock: Clock,
    open_store: Callable[[], OpenStore],
    work_url: Callable[[OpenStore], str],
    open_models: Callable[[OpenStore], ReadModelStore],
    high_water: Sequence[Path] = (),
) -> Iterator[Check]:
    """Every check, one after the other; it never raises for what it finds.

    `high_water` are the high-water files of further nodes.
    `open_store`, `work_url` and `open_models` are those of the composition root (service/runtime/compose.py).
    """
    yield _python()
    yield from _packages()
    yield from _settings(environment)
    try:
        directory = prepare(data)
    except StoreUnavailable as error:
        yield Check("data directory", False, str(error), f"name a directory of your own: {settings.DATA} or --data DIR")
        return
    yield Check("data directory", True, f"{directory.root}, private")
    yield _disk(directory.root)
    yield from _secrets(environment, directory.root)
    try:
        with open_store() as opened:
            yield from _store(environment, directory, opened, clock, high_water)
            yield from _read_models(opened, open_models)
            for row in checks(lambda: work_url(opened), clock):
                yield Check(*row)
    except (StoreUnavailable, Unreachable) as error:
        named = environment.get(settings.REDIS_URL)
        remedy = f"start that server, or mend {settings.REDIS_URL}" if named else f"look into {directory.log}"
        yield Check("store", False, str(error), remedy)
    yield _service(directory)


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check("python", sys.version_info >= (3, 11), found, "install Python 3.11 or later")


def _packages() -> Iterator[Check]:
    try:
        wanted = [Requirement(text) for text in requires("trickbook") or ()]
    except PackageNotFoundError:
        yield Check("packages", False, "trickbook is not installed", "pip install . in the checkout")
        return
    wrong = []
    needed = [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    for one in needed:
        try:
            there = version(one.name)
        except PackageNotFoundError:
            wrong.append(f"{one.name} is missing")
            continue
        if not one.specifier.contains(there, prereleases=True):
            wrong.append(f"{one.name} is {there}, wanted {one.specifier}")
    found = "; ".join(wrong) or f"{len(needed)} as wanted"
    yield Check("packages", not wrong, found, "pip install --upgrade . in the checkout")


def _settings(environment: Mapping[str, str]) -> Iterator[Check]:
    try:
        chosen = settings.read(environment)
    except settings.BadSetting as error:
        yield Check("settings", False, str(error), "mend that variable")
        return
    operator = "an operator" if chosen.operator_token else "no operator"
    yield Check("settings", True, f"{operator}, {chosen.create_limit or 'no limit of'} creates a minute")


def _disk(root: Path) -> Check:
    free = shutil.disk_usage(root).free
    found = f"{free / 2**30:.1f} GiB free"
    return Check("disk", free >= MIN_FREE, found, f"make room on the file system of {root}")


def _secrets(environment: Mapping[str, str], root: Path) -> Iterator[Check]:
    rows = ((secrets_file.SECRET_VARIABLE, secrets_file.SECRET_FILE), (secrets_file.KEY_VARIABLE, secrets_file.KEY_FILE))
    for variable, name in rows:
        path = root / name
        if not environment.get(variable) and not path.exists():
            yield Check(name, True, "not made yet: the first serve makes it")
            continue
        try:
            raw = secrets_file.read_one(environment, variable, root, name)
        except secrets_file.BadSecret as error:
            yield Check(name, False, str(error), f"give the right one in {variable} or {path}, mode 0600")
            continue
        where = f"from {variable}" if environment.get(variable) else f"{path}, private"
        shown = f"; receipts are signed by {Signer(raw).key.id[:16]}…" if name == secrets_file.KEY_FILE else ""
        yield Check(name, True, where + shown)


def _store(
    environment: Mapping[str, str], directory: DataDirectory, opened: OpenStore, clock: Clock, high_water: Sequence[Path]
) -> Iterator[Check]:
    client: Any = opened.store.client
    own = directory.root / FILE
    rows: tuple[tuple[str, Callable[[Any], Iterable[Check]], Callable[[], Any]], ...] = (
        ("store", lambda about: (_version(about), *_writes(about)), client.info),
        ("settings of the store", tuple, lambda: _wanted_settings(client, embedded=opened.embedded is not None)),
        ("durability", lambda found: (found,), lambda: _durability(client)),
        ("clock", lambda found: (found,), lambda: _clock(client, clock)),
        ("history", tuple, lambda: (Check(*row) for row in history_checks(opened.store, own, high_water))),
        ("identity", tuple, lambda: _identity(environment, directory, opened)),
    )
    for name, checks_of, ask in rows:
        try:
            yield from checks_of(ask())
        except (RedisError, Unreachable) as error:
            missing = missing_permission(error)
            if missing is None:
                yield Check("store", False, f"it stopped answering: {type(error).__name__}", "look into the server's log")
                return
            yield Check(name, False, f"not checked: the user of the store {missing[0]}", missing[1])


def _version(about: Mapping[str, Any]) -> Check:
    name = "Valkey" if about.get("server_name") == "valkey" else "Redis"
    number = str(about.get("valkey_version") or about.get("redis_version", "?"))
    major = int(number.split(".")[0]) if number.split(".")[0].isdigit() else 0
    return Check("store", major >= 7, f"{name} {number}", "use Valkey 8 or later, or Redis 7 or later")


def _wanted_settings(client: Any, *, embedded: bool) -> Iterator[Check]:
    for name, value in WANTED.items():
        try:
            found = {_text(key): _text(item) for key, item in client.config_get(name).items()}.get(name, "unknown")
        except NoPermissionError:
            raise
        except ResponseError:
            yield Check(name, True, "the server does not tell: ask its operator")
            continue
        remedy = "end every trickbook command on this directory, then start again" if embedded else (
            f"CONFIG SET {name} {value}, then CONFIG REWRITE"
        )  # fmt: skip
        yield Check(name, found == value, found, remedy)


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _durability(client: Any) -> Check:
    found = durability(client)
    text, _, remedy = MEANING[found].partition(": ")
    return Check("durability", found in ("fsync", "unknown"), f"{found}: {text}", remedy)


def _writes(about: Mapping[str, Any]) -> Iterator[Check]:
    for name, label in (("aof_last_write_status", "last write"), ("aof_last_bgrewrite_status", "last rewrite")):
        found = str(about.get(name, "ok"))
        yield Check(label, found == "ok", found, "look into the server's log; most often its disk is full")


def _clock(client: Any, clock: Clock) -> Check:
    seconds, micros = client.time()
    apart = clock.now() - (int(seconds) * 1000 + int(micros) // 1000)
    found = f"{abs(apart)} ms {'after' if apart > 0 else 'before'} the store's"
    return Check("clock", abs(apart) <= MAX_CLOCK_MS, found, "set both clocks by NTP: limits go by the store's")


def _read_models(opened: OpenStore, open_models: Callable[[OpenStore], ReadModelStore]) -> Iterator[Check]:
    """How far the read models are behind; a store that nobody has followed yet is in order."""
    try:
        found = lags(opened.store, open_models(opened))
    except (settings.BadSetting, RedisError, Unreachable):
        return  # what is wrong with the work server has a check of its own
    for name, lag in found.items():
        if lag is None:
            yield Check(f"read model {name}", True, "not built yet: the first follower builds it")
            continue
        text = f"{lag.announcements} announcements behind, the oldest {lag.oldest / 1000:.1f} s old"
        remedy = "is a follower running? `trickbook serve` starts one, `trickbook worker` runs one alone"
        yield Check(f"read model {name}", lag.oldest <= MAX_LAG_MS, text if lag.announcements else "up to date", remedy)


def _identity(environment: Mapping[str, str], directory: DataDirectory, opened: OpenStore) -> Iterator[Check]:
    try:
        there = opened.store.identity()
    except BadEntry as error:
        yield Check("identity", False, str(error), "use a store of Trickbook's own")
        return
    if there is None:
        yield Check("identity", True, "the store belongs to nobody yet")
        return
    try:
        ours = _names(environment, directory.root)
    except secrets_file.BadSecret:
        return  # told already
    if ours is not None and ours.secret == there.get("secret") and there.get("key") in ours.retired:
        yield Check("identity", True, "the key was rotated: the store takes the new one at the next start of serve")
        return
    wrong = [name for name in ("secret", "key") if ours is None or getattr(ours, name) != there.get(name)]
    found = (
        f"the store's games have another {' and '.join(wrong)}" if wrong else "secret and key are those of the store's games"
    )
    yield Check("identity", not wrong, found, "give the secret and the signing key those games were made with")


class _Names(msgspec.Struct, frozen=True):
    """What the store would remember of the secrets here, and the ids of the retired keys."""

    secret: str
    key: str
    retired: tuple[str, ...]


def _names(environment: Mapping[str, str], root: Path) -> _Names | None:
    """Those of the secrets here, None where they are not made yet. Raises `BadSecret`."""
    if not _has_secrets(environment, root):
        return None
    identity = secrets_file.load(environment, root)
    return _Names(**identity.names(), retired=tuple(signer.key.id for signer in identity.retired))


def _has_secrets(environment: Mapping[str, str], root: Path) -> bool:
    rows = ((secrets_file.SECRET_VARIABLE, secrets_file.SECRET_FILE), (secrets_file.KEY_VARIABLE, secrets_file.KEY_FILE))
    return all(environment.get(variable) or (root / name).exists() for variable, name in rows)


def _service(directory: DataDirectory) -> Check:
    if not embedded_locks.is_held(directory.serve_lock):
        return Check("service", True, "no serve runs on this data directory")
    try:
        holder = msgspec.json.decode(embedded_locks.read_note(directory.serve_lock))
        found = f"serve runs as process {holder['pid']} on {holder['host']} port {holder['port']}"
    except (msgspec.DecodeError, KeyError, TypeError):
        found = "serve runs"
    return Check("service", True, found)
