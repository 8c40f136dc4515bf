"""``trickbook events``: the log itself, as it is stored."""

import json
from pathlib import Path

import click
import msgspec

from cli.commands import Command
from cli.output import format_option, write_json, write_json_line
from cli.sources import GameInput, data_option, load_one, timeout_option
from cli.text import columns, name, say, utc
from events.log import heads, load
from events.types import Data, Event
from projections.audience import may_open


@click.command(cls=Command, examples=("trickbook events GAME --after 100", "trickbook events GAME --format ndjson"))
@click.argument("game", metavar="GAME")
@click.option("--after", type=click.IntRange(0), default=0, help="Leave out the events up to this version")
@format_option("table", "json", "ndjson")
@timeout_option
@data_option
def events(game: str, after: int, form: str, data: Path | None) -> None:
    """Print the events of a game with their heads; sealed parts only where they are open."""
    loaded = load_one(game, data)
    if form == "table":
        rows = [_row(event) for event in loaded.seen(None) if event.seq > after]
        for line in columns([("version", "time", "type", "what it says"), *rows]):
            say(line)
        return
    lines = _lines(loaded, after)
    if form == "json":
        write_json({"events": lines})
    for entry in lines if form == "ndjson" else ():
        write_json_line(entry, (",", ":"))


def _row(event: Event) -> tuple[str, str, str, str]:
    time = utc(event.at)
    text = _said(event.data)
    if event.secret is not None:
        text += f" [{_said(event.secret)}]"
    elif event.seal is not None:
        text += " [sealed]"
    return f"v{event.seq}", time, event.type.name, text


def _said(part: Data) -> str:
    """What a part says, as ``key=value`` pairs."""
    return " ".join(f"{key}={_value(value)}" for key, value in msgspec.to_builtins(part).items())


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    if isinstance(value, dict):
        return "{" + " ".join(f"{key}={_value(item)}" for key, item in value.items()) + "}"
    return name(str(value))


def _lines(loaded: GameInput, after: int) -> list[dict[str, object]]:
    """The events as the API gives them, as far as they can be read."""
    seen = loaded.seen(None)
    ended = any(event.type.name == "game_ended" for event in seen)
    made = heads(loaded.source.game, [stored.public for stored in loaded.source.events])
    lines: list[dict[str, object]] = []
    for event, stored, head in zip(seen, loaded.source.events, made, strict=False):
        line: dict[str, object] = {"public": json.loads(stored.public)}
        whole = load(stored)
        if stored.sealed is not None and (not loaded.stored or may_open(whole, "spectator", ended=ended)):
            line["sealed"] = json.loads(stored.sealed)
        line["head"] = head.hex()
        if event.seq > after:
            lines.append(line)
    return lines
