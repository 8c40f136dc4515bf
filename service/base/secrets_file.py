"""The service secret and the signing key: from the environment, or made once in the data directory, mode 0600."""

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from events.receipts import Signer
from service.base.identity import Identity

SECRET_VARIABLE: Final = "TRICKBOOK_SECRET"  # noqa: S105 - the name of a variable
KEY_VARIABLE: Final = "TRICKBOOK_SIGNING_KEY"
SECRET_FILE: Final = "service-secret"  # noqa: S105 - the name of a file
KEY_FILE: Final = "signing-key"
RETIRED_VARIABLE: Final = "TRICKBOOK_RETIRED_KEYS"
RETIRED_FILE: Final = "retired-keys"
"""Keys of games begun before a rotation, one a line: they sign those games to their end."""

_HEX: Final = re.compile(r"[0-9a-f]{64}\Z")


class BadSecret(Exception):
    """A secret that cannot be used; the message says which, where it came from and what to do, never the secret."""


def load(environment: Mapping[str, str], data: Path | None) -> Identity:
    """The identity of this service. `data` is the data directory, None where there is none to make files in.

    Raises `BadSecret` where a secret is malformed, missing, or readable by others.
    """
    for variable, name in ((SECRET_VARIABLE, SECRET_FILE), (KEY_VARIABLE, KEY_FILE)):
        given(environment, variable, data, name)  # each is judged before another one is made
    retired = tuple(Signer(raw) for raw in _retired(environment, data))
    secret = read_one(environment, SECRET_VARIABLE, data, SECRET_FILE)
    signer = Signer(read_one(environment, KEY_VARIABLE, data, KEY_FILE))
    return Identity(secret, signer, tuple(one for one in retired if one.key != signer.key))


def missing(environment: Mapping[str, str], data: Path) -> list[str]:
    """The names of the files in `data` that `load` would make. Raises `BadSecret`."""
    pairs = ((SECRET_VARIABLE, SECRET_FILE), (KEY_VARIABLE, KEY_FILE))
    return [name for variable, name in pairs if given(environment, variable, data, name) is None]


def rotate(data: Path) -> tuple[Signer, Signer]:
    """Retires the signing key in `data` and makes a fresh one; the old and the new. Raises `BadSecret`.

    The old key is written among the retired before the new one takes its place, so that no crash loses it.
    """
    path, old = data / KEY_FILE, read_one({}, KEY_VARIABLE, data, KEY_FILE)
    if old not in _retired({}, data):
        with _private(data / RETIRED_FILE).open("a") as file:
            file.write(old.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    _write(fresh)
    fresh.replace(path)
    return Signer(old), Signer(read_one({}, KEY_VARIABLE, data, KEY_FILE))


def _retired(environment: Mapping[str, str], data: Path | None) -> list[bytes]:
    named = environment.get(RETIRED_VARIABLE)
    if named:
        return [_bytes(text, f"the environment variable {RETIRED_VARIABLE}") for text in named.replace(",", " ").split()]
    if data is None or not (data / RETIRED_FILE).exists():
        return []
    path = _private(data / RETIRED_FILE)
    return [_bytes(text, str(path)) for text in path.read_text("ascii", errors="replace").split()]


def _private(path: Path) -> Path:
    """The file, made if it is missing. Raises `BadSecret` where others may read it."""
    path.touch(mode=0o600)
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise BadSecret(f"{path} may be read by others (mode {mode:o}): run chmod 600 {path}")
    return path


def read_one(environment: Mapping[str, str], variable: str, data: Path | None, name: str) -> bytes:
    """The 32 bytes that `variable` or the file `name` holds; the file is made where there is none. Raises `BadSecret`."""
    found = given(environment, variable, data, name)
    if found is None and data is not None:
        _make(data / name)
        found = given(environment, variable, data, name)
    if found is None:
        raise BadSecret(f"set {variable} to 64 hex digits from a secure source: there is no data directory to keep it in")
    return found


def given(environment: Mapping[str, str], variable: str, data: Path | None, name: str) -> bytes | None:
    """The 32 bytes that `variable` or the file `name` holds, None where there is neither. Raises `BadSecret`."""
    text = environment.get(variable)
    if text:
        return _bytes(text.strip(), f"the environment variable {variable}")
    if data is None or not (data / name).exists():
        return None
    path = data / name
    return _bytes(_private(path).read_text("ascii", errors="replace").strip(), str(path))


def _bytes(text: str, where: str) -> bytes:
    if not _HEX.match(text):
        raise BadSecret(f"{where} must hold 64 lower-case hex digits (32 bytes); it does not")
    return bytes.fromhex(text)


def _make(path: Path) -> None:
    """Writes fresh bytes so that the file is whole or not there; if another process was faster, its file stays."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    _write(fresh)
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        return
    finally:
        fresh.unlink()


def _write(fresh: Path) -> None:
    """Fresh random bytes in a file nobody else may read, on the disk before this returns."""
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
