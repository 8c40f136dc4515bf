"""The quick way from canonical bytes to an event: decode into the structs, encode again, compare.

It only accepts. Whatever it does not accept is read by `events.log.load`, which names the reason
(docs/decisions/typed-reader.md).
"""

import re
from functools import cache
from typing import Any, Final, Union

import msgspec
from msgspec import inspect

from events.cards import Owner
from events.types import TYPES, Data, Event, EventType, Hex16, Hex32, Natural, Positive

_DOUBTFUL: Final = re.compile(rb"[\x00-\x1f\x7f\\]|\xc2[\x80-\x9f]|[:,\[-][0-9]{16}")
"""Control characters, escapes, and integers that may be over 2^53 − 1: what the types allow and the profile does not."""


def _is_closed(kind: type[Data]) -> bool:
    """Whether the type fixes every key and every kind of value, so that its values are of the profile."""
    parts: list[Any] = [inspect.type_info(kind)]
    while parts:
        part = parts.pop()
        if isinstance(part, inspect.AnyType | inspect.DictType | inspect.FloatType | inspect.RawType):
            return False
        parts += [field.type for field in getattr(part, "fields", ())]
        parts += [*getattr(part, "types", ()), *getattr(part, "item_types", ())]
        if hasattr(part, "item_type"):
            parts.append(part.item_type)
    return True


def _public_form(row: EventType) -> type[msgspec.Struct]:
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [("at", Natural), ("data", row.data), ("seq", Positive), ("v", int)]
    fields.append(("seal", Hex32 | None, None) if row.secret is None else ("seal", Hex32))
    return msgspec.defstruct(
        row.name, fields, tag_field="type", tag=row.name, forbid_unknown_fields=True, omit_defaults=True, frozen=True
    )


@cache
def _sealed_decoder(kind: type[Data]) -> msgspec.json.Decoder[Any] | None:
    if not _is_closed(kind):
        return None
    fields = [("data", kind), ("owner", Owner), ("salt", Hex16)]
    return msgspec.json.Decoder(msgspec.defstruct("sealed", fields, forbid_unknown_fields=True, frozen=True))


_FORMS: Final = {_public_form(row): row for row in TYPES.values() if _is_closed(row.data)}
_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Union[*_FORMS])
_encoder: Final = msgspec.json.Encoder(order="sorted")


def read(public: bytes, sealed: bytes | None) -> Event | None:
    """The event of the two parts, None where they are not in order or only the slow way can tell. Never raises."""
    form = _of(_decoder, public)
    if form is None or form.v != form.data.v:
        return None
    row = _FORMS[type(form)]
    if row.secret is None:
        return Event(form.seq, form.at, form.data) if sealed is None and form.seal is None else None
    if sealed is None:
        return Event(form.seq, form.at, form.data, seal=form.seal)
    decoder = _sealed_decoder(row.secret)
    part = None if decoder is None else _of(decoder, sealed)
    return None if part is None else Event(form.seq, form.at, form.data, part.data, part.owner, part.salt, form.seal)


def _of(decoder: msgspec.json.Decoder[Any], raw: bytes) -> Any:
    """What the decoder reads, None where the bytes are not the canonical form of it."""
    if _DOUBTFUL.search(raw):
        return None
    try:
        form = decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return form if _encoder.encode(form) == raw else None
