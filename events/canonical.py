"""Canonical JSON in the narrow profile of fairness.md: what is stored is these bytes, what is hashed is what is stored.

`parse` reads any JSON text of the profile (requests), `decode` only the canonical form (the log); neither drops anything.
"""

import json
import re
from typing import Any, Final, NoReturn

import msgspec

MAX_DEPTH: Final = 8
MAX_INTEGER: Final = 2**53 - 1

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,15})\Z")
_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")

_encoder = msgspec.json.Encoder(order="sorted")


class NotCanonical(ValueError):
    """The text or the value is outside the profile, or not its own canonical form; the message says why."""


def encode(value: Any) -> bytes:
    """The canonical bytes of `value` (dicts, lists, tuples, strings, integers, booleans).

    Raises `NotCanonical` for anything outside the profile, so that nothing unreadable is ever written.
    """
    _check(value, 1)
    return _encoder.encode(value)


def parse(data: bytes) -> Any:
    """The value of a JSON text of the profile, in any spelling of it.

    Raises `NotCanonical` for a key given twice, a float, null, NaN, an integer beyond ±(2^53 − 1), nesting over 8,
    a control character or a lone surrogate in a string, a BOM, or anything that is no JSON.
    """
    try:
        value = _decoder.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotCanonical(f"not UTF-8: byte {error.start} cannot be read") from None
    except json.JSONDecodeError as error:
        raise NotCanonical(f"not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise NotCanonical(f"nested deeper than {MAX_DEPTH}") from None
    _check(value, 1)
    return value


def decode(data: bytes) -> Any:
    """The value of canonical bytes. Raises `NotCanonical` for bytes that are not their own canonical form."""
    value = parse(data)
    if _encoder.encode(value) != data:
        raise NotCanonical("not in canonical form: keys sorted, no white space, no needless escapes")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        raise NotCanonical(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice")
    return value


def _integer(text: str) -> int:
    if not _INTEGER.match(text) or abs(int(text)) > MAX_INTEGER:
        raise NotCanonical("an integer is outside ±(2^53 − 1)")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise NotCanonical(f"{text[:24]} is not an integer: there are no other numbers here")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number)


def _check(value: Any, depth: int) -> None:
    kind = type(value)
    if kind is str:
        if _FORBIDDEN.search(value):
            raise NotCanonical("a control character or a lone surrogate in a string")
    elif kind is int:
        if abs(value) > MAX_INTEGER:
            raise NotCanonical("an integer is outside ±(2^53 − 1)")
    elif kind is bool:
        pass
    elif kind is dict or kind is list or kind is tuple:
        if depth > MAX_DEPTH:
            raise NotCanonical(f"nested deeper than {MAX_DEPTH}")
        if kind is dict:
            for key in value:
                if type(key) is not str or not _KEY.match(key):
                    raise NotCanonical(f"the key {str(key)[:24]!r} is not of the form [a-z][a-z0-9_]*")
            value = value.values()
        for item in value:
            _check(item, depth + 1)
    elif value is None:
        raise NotCanonical("null is not used here: leave the key out")
    else:
        raise NotCanonical(f"a {kind.__name__} is not of the profile")
