"""A backup of everything a service needs to go on elsewhere, made while it runs, and its restoration into an empty directory.

A backup holds the secret and the signing keys: whoever has it can sign in the name of the service.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from redis.exceptions import RedisError

from events import keys
from events.redis_store import RedisStore
from events.store import LogHead, Unreachable
from service.base import high_water, secrets_file
from service.base.disk import sync
from service.base.identity import Identity
from service.embedded import prepare
from service.operations import backup_file, store_content
from service.operations.backup_file import BadBackup, Summary
from service.operations.drafts import draft
from service.operations.open_store import OpenStore
from service.operations.store_content import NotEmpty

_END_SECONDS: Final = 10.0
_MARK: Final = "restore-mark"


def back_up(store: RedisStore, identity: Identity, root: Path, now: int, to: Path) -> Summary:
    """Writes the backup to a new file `to`, mode 0600, and reads it back; what it holds. `now` is in ms.

    Raises `FileExistsError`, `OSError`, `BadBackup`, and `Unreachable`; then there is no such file.
    """
    if to.exists():
        raise FileExistsError(f"{to} exists: name a new file")
    with draft(to, directory=False) as fresh:
        with fresh.open("wb") as file:
            written = backup_file.write(to, file, _lines(store, identity, root, now))
            file.flush()
            os.fsync(file.fileno())
        if backup_file.summary_of(fresh) != written:
            raise BadBackup(f"{to} could not be read back as it was written: look after the disk, and try again")
        try:
            to.hardlink_to(fresh)  # it never replaces a file
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links, as sticks have
            if to.exists():
                raise FileExistsError(f"{to} exists: name a new file") from None
            fresh.rename(to)
        sync(to.resolve().parent)
    return written


def _lines(store: RedisStore, identity: Identity, root: Path, now: int) -> Iterator[dict[str, Any]]:
    yield {"trickbook_backup": backup_file.FORMAT, "made": now}
    yield {
        "service_secret": identity.secret.hex(),
        "signing_key": identity.signer.private_bytes().hex(),
        "retired_keys": [signer.private_bytes().hex() for signer in identity.retired],
    }
    # Before the logs, so that every place of the file is in them.
    for game, place in high_water.read_file(root / high_water.FILE).items():
        yield {"game": game, "version": place.version, "head": place.head.hex()}
    yield from store_content.lines(store)


def restore(source: Path, target: Path, open_store: Callable[[Path], OpenStore]) -> tuple[Summary, int]:
    """Restores a backup into `target`, a directory that is empty or missing, and into the store that `open_store` opens for a
    directory; what it holds, and how many games are not over.

    Everything is read back before `target` gets its name. Raises `BadBackup`, `NotEmpty`, `OSError`, `Unreachable`; then
    nothing is left of it.
    """
    summary, target = backup_file.summary_of(source), target.expanduser().resolve()
    full = NotEmpty(f"{target} is not an empty directory: name a new one with --data DIR")
    if not _is_unused(target) and _mark_of(target) is None:
        raise full
    target.parent.mkdir(parents=True, exist_ok=True)
    with draft(target, directory=True) as fresh:
        prepare(fresh)
        mark = _mark_of(target) or secrets.token_hex(16)
        _write(fresh / _MARK, mark)
        places = _write_files(fresh, source)
        service = secrets_file.load({}, fresh).names()["secret"]
        with open_store(fresh) as opened:
            store, embedded = opened.store, opened.embedded
            if not _is_unused(target) and store.restoring() != _mark_of(target):
                raise full
            store_content.begin(store, mark)
            try:
                games = _load(store, source)
                if embedded is not None:
                    store_content.finish(store)
                    store.close()
                    embedded.close(wait_seconds=_END_SECONDS)
                high_water.write_file(fresh / high_water.FILE, places, service)
                _rename(fresh, target)
                if embedded is None:
                    store_content.finish(store)
                (target / _MARK).unlink()
            except BaseException:
                if embedded is None:
                    store_content.clear(store)
                raise
    return summary, games


def _mark_of(root: Path) -> str | None:
    """The mark of a restore into `root` that may not have finished: the store has the same one if it has not."""
    try:
        return (root / _MARK).read_text()
    except OSError:
        return None


def _is_unused(root: Path) -> bool:
    """Whether a directory is missing, or holds nothing, or only what a start leaves that was refused."""
    if not root.exists():
        return True
    empty = {high_water.FILE: lambda path: not path.stat().st_size, "store": lambda path: not any(path.iterdir())}
    return root.is_dir() and all(
        one.name in ("trickbook.json", "run") or (one.name in empty and empty[one.name](one)) for one in root.iterdir()
    )


def _rename(fresh: Path, target: Path) -> None:
    """Gives a directory its name, without what only a running service needs."""
    shutil.rmtree(fresh / "run")
    if target.exists():
        shutil.rmtree(target)
    fresh.rename(target)
    sync(target.parent)


def _write_files(root: Path, source: Path) -> dict[str, LogHead]:
    """Writes the secrets; the places of the high-water file, which is written when the store has its games."""
    places: dict[str, LogHead] = {}
    for line in backup_file.read(source):
        if "service_secret" in line:
            named = {secrets_file.SECRET_FILE: [line["service_secret"]], secrets_file.KEY_FILE: [line["signing_key"]]}
            if line["retired_keys"]:
                named[secrets_file.RETIRED_FILE] = line["retired_keys"]
            for name, texts in named.items():
                _write(root / name, "".join(f"{text}\n" for text in texts))
        elif "head" in line:
            places[line["game"]] = LogHead(line["version"], bytes.fromhex(line["head"]))
    return places


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)


def _load(store: RedisStore, source: Path) -> int:
    """Writes the keys of a backup, reads each back and compares; how many games are not over."""
    try:
        for line in backup_file.read(source):
            if "key" in line:
                store_content.put(store, line)
        content = (line for line in backup_file.read(source) if "key" in line)
        games = dict(store_content.running(_compared(store, content)))
        if games:
            store.client.hset(keys.RESTORED, mapping=games)
    except RedisError as error:
        raise Unreachable(f"the store refused what the backup holds: {error}") from None
    return len(games)


def _compared(store: RedisStore, content: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for line in content:
        if store_content.read(store, line["key"]) != line:
            raise Unreachable(f"the store did not give {line['key']} back as it was written")
        yield line
