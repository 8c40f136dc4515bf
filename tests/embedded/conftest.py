"""A data directory with a short path, watched: a test that leaves a process behind fails."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.processes import kill, working_in
from tests.kit.waiting import eventually


@pytest.fixture
def data() -> Iterator[Path]:
    if not Path("/proc/self/cwd").exists():
        pytest.skip("it looks at processes through /proc")
    root = Path(tempfile.mkdtemp(prefix="tb-")).resolve()
    try:
        yield root / "data"
        eventually(lambda: not working_in(root))
    finally:
        kill(working_in(root))
        shutil.rmtree(root)
