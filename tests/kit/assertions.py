"""What tests look for in a log and in its audit."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from events.log import Commit, load
from events.types import Event, GameEnded, HandStarted
from projections.audit import Finding, Source, audit, from_commits
from projections.fold import apply
from projections.table import Table, empty
from tests.kit.games import Game
from tests.kit.logs import GAME, chained


def plain(answer: Any) -> Any:
    """An answer as its reader decodes it."""
    return msgspec.json.decode(msgspec.json.encode(answer))


def folded(commits: Sequence[Commit]) -> Table:
    """The table of stored bytes, from scratch."""
    table = empty(GAME)
    for commit in commits:
        for event in commit.events:
            table = apply(table, load(event))
    return table


def ended_event(game: Game) -> GameEnded:
    """The last event of a game that ended."""
    data = game.commits[-1][-1].data
    assert isinstance(data, GameEnded)
    return data


def hand_events(game: Game) -> list[HandStarted]:
    """The starts of hands."""
    return [event.data for commit in game.commits for event in commit if isinstance(event.data, HandStarted)]


def said(source: Source) -> list[tuple[str, str]]:
    """What an audit finds: code and position of each finding, which must name the version too."""
    result = audit(source)
    assert (result.verdict == "ok") == (not result.findings)
    for finding in result.findings:
        assert finding.version >= 1
        assert not finding.position.startswith("v") or finding.position == f"v{finding.version}"
    return [(finding.code, finding.position) for finding in result.findings]


def said_of(groups: Iterable[Sequence[Event]]) -> list[tuple[str, str]]:
    """What the audit of a store finds when the service lied consistently: numbers, seals, chain and receipts are in order."""
    return said(from_commits(GAME, chained(groups)))


def found_of(groups: Iterable[Sequence[Event]]) -> list[Finding]:
    """The same as findings, of a game whose cards were given and whose events were copied: that the root does not give the
    cards, and that a copy has the salt of its original, is left out."""
    audited = audit(from_commits(GAME, chained(groups))).findings
    return [finding for finding in audited if finding.code not in ("deck_not_derived", "exchange_not_derived", "salt_repeated")]


def codes_of(groups: Iterable[Sequence[Event]]) -> list[tuple[str, str]]:
    """Code and position of each finding of `found_of`."""
    return [(finding.code, finding.position) for finding in found_of(groups)]
