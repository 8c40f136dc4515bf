"""The form of a backup: gzipped lines of JSON, from a header to an end that has the digest of everything before it.

{"trickbook_backup": 1, "made": <ms>}
{"service_secret": "<hex>", "signing_key": "<hex>", "retired_keys": ["<hex>", …]}
{"game": "<id>", "version": N, "head": "<hex>"}          each line of the high-water file
{"key": "<name>", "stream": [["<id>", {"<field>": "<base64>"}], …], "last": "<id>"}
{"key": "<name>", "string": "<base64>"}
{"key": "<name>", "set": ["<base64>", …]}
{"end": {"games": N, "entries": N, "keys": N, "sha256": "<hex>"}}
"""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

FORMAT: Final = 1
_LONGEST: Final = 1 << 30


class BadBackup(Exception):
    """A file that is no whole backup; the message says what is wrong and what to do."""


class Summary(msgspec.Struct, frozen=True):
    """What a backup holds: games, entries of their logs, keys of the store, and the digest of its lines."""

    games: int
    entries: int
    keys: int
    sha256: str


def write(path: Path, raw: BinaryIO, lines: Iterable[dict[str, Any]]) -> Summary:
    """Writes lines to an open file, followed by their end."""
    digest, games, entries, keys = hashlib.sha256(), 0, 0, 0
    with gzip.GzipFile(path.name, "wb", 6, raw) as file:
        for line in lines:
            text = msgspec.json.encode(line) + b"\n"
            digest.update(text)
            file.write(text)
            keys += "key" in line
            if is_log(line):
                games, entries = games + 1, entries + len(line["stream"])
        summary = Summary(games, entries, keys, digest.hexdigest())
        file.write(msgspec.json.encode({"end": summary}) + b"\n")
    return summary


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a backup, the end among them. Raises `BadBackup` where the file is no whole backup; then what came before is
    not to be used."""
    digest, games, entries, keys, ended = hashlib.sha256(), 0, 0, 0, False
    try:
        with gzip.open(path, "rb") as file:
            for number, text in enumerate(iter(lambda: file.readline(_LONGEST), b"")):
                line = msgspec.json.decode(text)
                if ended or not isinstance(line, dict) or (number == 0 and line.get("trickbook_backup") is None):
                    raise BadBackup(f"{path} is not a backup that `trickbook backup` wrote")
                if number == 0 and line["trickbook_backup"] != FORMAT:
                    raise BadBackup(f"{path} is a backup of format {line['trickbook_backup']}; this Trickbook reads {FORMAT}")
                if "end" in line:
                    ended = True
                    if msgspec.convert(line["end"], Summary) != Summary(games, entries, keys, digest.hexdigest()):
                        raise BadBackup(f"{path} is damaged: its digest is not that of its content. Use another backup")
                else:
                    digest.update(text)
                    keys += "key" in line
                    if is_log(line):
                        games, entries = games + 1, entries + len(line["stream"])
                yield line
    except (gzip.BadGzipFile, zlib.error, msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise BadBackup(f"{path} is not a backup, or is damaged ({type(error).__name__}). Use another one") from None
    except EOFError:
        raise BadBackup(f"{path} ends too early: it was not written or copied to its end") from None
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror or error}") from None
    if not ended:
        raise BadBackup(f"{path} ends too early: it was not written or copied to its end")


def summary_of(path: Path) -> Summary:
    """What a backup holds, once all of it was read. Raises `BadBackup`."""
    found = [line["end"] for line in read(path) if "end" in line]
    return msgspec.convert(found[0], Summary)


def is_log(line: dict[str, Any]) -> bool:
    """Whether a line is the log of a game."""
    return "stream" in line and ":game:" in line["key"]
