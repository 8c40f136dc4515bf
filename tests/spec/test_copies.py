"""The pages and cases this repository keeps are copies: where the originals lie beside it, they must be the same."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the originals are not beside this repository")


@pytest.mark.parametrize("page", ["rules.md", "fairness.md", "record.md"])
def test_a_page_of_the_specification_is_the_shared_one(page: str) -> None:
    assert (ROOT / "docs" / "spec" / page).read_bytes() == (SHARED / page).read_bytes()


def test_the_cases_are_the_shared_ones_and_all_of_them() -> None:
    ours = {path.name: path.read_bytes() for path in (ROOT / "tests" / "cases").iterdir() if path.suffix in _KINDS}
    theirs = {path.name: path.read_bytes() for path in (SHARED / "cases").iterdir() if path.suffix in _KINDS}
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


_KINDS = {".json", ".ndjson", ".md"}
