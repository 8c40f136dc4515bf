"""Findings speak of what happened: no name of an event type, and nobody is addressed by "your hand"."""

import re

import pytest

from events.types import TYPES
from projections.audit import audit
from projections.audit.codes import Code
from projections.audit.phrases import PHRASES
from projections.textaudit.auditing import audit as audit_text
from projections.textaudit.auditing import told
from projections.textrecord import read
from tests.audit.damaged_games import LOGS, SHEETS

TECHNICAL = re.compile("|".join(TYPES) + "|your hand")


def test_every_type_of_event_has_a_phrase() -> None:
    assert PHRASES.keys() == TYPES.keys()


@pytest.mark.parametrize("code", LOGS)
def test_a_finding_of_a_log_names_no_type_of_event(code: Code) -> None:
    for finding in audit(LOGS[code]()).findings:
        assert not TECHNICAL.search(finding.message.replace("root_commitment", "")), finding.message


@pytest.mark.parametrize("code", SHEETS)
def test_a_finding_of_a_sheet_names_no_type_of_event(code: Code) -> None:
    for finding in audit_text(told(read(SHEETS[code])), lambda: 0.0).findings:
        assert not TECHNICAL.search(finding.message), finding.message
