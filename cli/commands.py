"""How our commands are declared: examples first in the help, subcommands imported only when they are called."""

import importlib
from typing import Any, NamedTuple

import click


class Command(click.Command):
    """A command whose help begins with examples."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_examples(self.examples, formatter)
        super().format_help_text(ctx, formatter)


def _write_examples(examples: tuple[str, ...], formatter: click.HelpFormatter) -> None:
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"  {example}\n")


class Entry(NamedTuple):
    """A command of a group: where it is, as ``module:attribute``, and its line in the group's help, at most 68 characters."""

    place: str
    summary: str


class LazyGroup(click.Group):
    """A group that imports a command only when it is called. Its own help takes the summaries, and may begin with examples."""

    def __init__(self, *args: Any, lazy: dict[str, Entry] | None = None, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy or {}
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_examples(self.examples, formatter)
        super().format_help_text(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.lazy.items()])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module, name = self.lazy[cmd_name].place.split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command
