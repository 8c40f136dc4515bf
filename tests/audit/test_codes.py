"""The registry of finding codes against everything that repeats it: damaged games, the second verifier, documents, clients."""

import ast
import re
import time
from pathlib import Path
from typing import get_args

import pytest

from events.types import TYPES
from projections.audit import audit
from projections.audit.codes import STAGES, About, Code, Grade, Judge, Stage, rank
from projections.legal import exchange_objection
from projections.textaudit.auditing import audit as audit_text
from projections.textaudit.auditing import told
from projections.textrecord import read
from projections.verify.stages import about
from tests.audit.code_table import BEGIN, END, table
from tests.audit.damaged_games import LOGS, SHEETS, VERIFIED

ROOT = Path(__file__).parents[2]
SECOND = (ROOT / "service/http/static/verify.mjs").read_text()


def of(*judges: Judge) -> set[Code]:
    return {code for code in Code if code.judge in judges}


def test_a_line_of_the_registry_is_complete() -> None:
    for code in Code:
        assert code.name.lower() == code, "the member and its text are the same word"
        assert code.stage in STAGES
        assert code.judge in get_args(Judge)
        assert code.about in get_args(About)
        assert code.grade in get_args(Grade)
        assert code.sentence[0].isupper()
        assert not code.sentence.endswith("."), "the table adds none"
    assert len({code.sentence for code in Code}) == len(Code)
    assert get_args(Stage) == STAGES


# One damaged game a code ------------------------------------------------------------------------------------------------


def test_each_code_has_one_damaged_game_and_each_game_a_code() -> None:
    """A code of a client that plays has one lie in tests/verify and tests/bots instead."""
    assert set(LOGS) == of("log", "store")
    assert set(VERIFIED) == of("verify")
    assert set(SHEETS) == of("text")


@pytest.mark.parametrize("code", LOGS)
def test_the_damaged_log_of_a_code_shows_it(code: Code) -> None:
    result = audit(LOGS[code]())
    found = result.notes if code.grade == "note" else result.findings
    assert code in {finding.code for finding in found}, [finding.code for finding in found]


@pytest.mark.parametrize("code", VERIFIED)
def test_the_damaged_record_of_a_code_shows_it(code: Code) -> None:
    found = VERIFIED[code]().findings
    assert code in {finding.code for finding in found}, [finding.code for finding in found]
    for finding in found:
        assert finding.grade == finding.code.grade
        assert finding.about in {about(finding.code, vouched=vouched) for vouched in (True, False)}
    assert [rank(finding.code) for finding in found] == sorted(rank(finding.code) for finding in found)


@pytest.mark.parametrize("code", SHEETS)
def test_the_damaged_text_of_a_code_shows_it(code: Code) -> None:
    found = audit_text(told(read(SHEETS[code].encode())), time.process_time).findings
    assert code in {finding.code for finding in found}, [finding.code for finding in found]


def test_what_keeps_cards_from_being_thrown_has_a_code() -> None:
    names = re.findall(r'Objection\("(\w+)"', Path(exchange_objection.__code__.co_filename).read_text())
    assert {"too_many_cards", "card_twice", "card_not_held"} <= set(names)


# The second verifier ----------------------------------------------------------------------------------------------------


def _set(name: str) -> set[str]:
    """The codes of a set of the second verifier."""
    body = re.search(rf"const {name} = new Set\(\[(.*?)\]\);", SECOND, re.S)
    assert body is not None
    return set(re.findall(r'"(\w+)"', body[1]))


def test_the_second_verifier_knows_the_same_codes_in_the_same_stages() -> None:
    listed = re.search(r"const SAID = \[(.*?)\n\];", SECOND, re.S)
    assert listed is not None
    theirs = {code: stage for stage, codes in re.findall(r'\["(\w+)", "([\w ]+)"\]', listed[1]) for code in codes.split()}
    mine = {str(code): code.stage for code in of("log", "verify") if code.grade != "note"}
    assert theirs == mine
    rest = SECOND.replace(listed[0], "")
    unused = {code for code in theirs if f'"{code}"' not in rest}
    assert unused == set(), "a code that stands in its list and nowhere else is never found"


def test_the_second_verifier_holds_the_same_codes_against_nobody() -> None:
    told = {code for code in of("log", "verify") if code.grade != "note"}
    assert _set("ABOUT_NOBODY") == {code for code in told if code.about == "nobody"}
    assert _set("MISSING") == {code for code in told if code.grade == "missing"}


# Clients and documents --------------------------------------------------------------------------------------------------


def _strings(paths: list[Path], *calls: str) -> set[str]:
    """The first arguments, as text, of all calls of these names."""
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and isinstance(first := node.args[0], ast.Constant):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in calls and isinstance(first.value, str):
                    found.add(first.value)
    return found


def test_a_client_that_stops_gives_a_code_of_the_registry() -> None:
    """The clients of service/ and cli/ name codes as text; none of it is unknown, and each of theirs is used."""
    paths = [path for room in ("service", "cli") for path in (ROOT / room).glob("**/*.py")]
    named = _strings(paths, "suspicion", "Suspicion")
    assert named - set(Code) == set()
    judges = (ROOT / "projections").glob("**/*.py")
    raised = {node for path in judges for node in re.findall(r"Code\.([A-Z_]+)", path.read_text())}
    clients = "".join(path.read_text() for path in paths)
    assert {code for code in of("client") if f'"{code}"' not in clients and code.name not in raised} == set()


def test_the_table_in_the_documents_is_that_of_the_registry() -> None:
    text = (ROOT / "docs/audit.md").read_text()
    assert text[text.index(BEGIN) : text.index(END)] == table(), "run python -m tests.audit.code_table docs/audit.md"


@pytest.mark.parametrize("name", ["audit.md", "fairness.md"])
def test_no_document_names_a_code_that_does_not_exist(name: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / "docs" / name).read_text(), flags=re.S)
    known = {*Code, *TYPES, "not_checked", "must_follow_suit"}
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {word for row in rows for word in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", row)} - known == set()


def test_no_code_is_found_by_a_judge_as_text() -> None:
    """mypy refuses a text where a member is due; what it cannot see is a member that no judge yields."""
    judges = [path.read_text() for path in (ROOT / "projections").glob("**/*.py")]
    used = {name for text in judges for name in re.findall(r"Code\.([A-Z_]+)", text)}
    objections = {"CARD_TWICE", "CARD_NOT_HELD", "TOO_MANY_CARDS"}
    assert {code.name for code in of("log", "store", "text", "verify")} - used - objections == set()
