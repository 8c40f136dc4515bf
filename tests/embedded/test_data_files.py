"""A store whose files are not all there is not started, and what is missing is named."""

import re
from pathlib import Path

import pytest

from service.embedded import StoreUnavailable
from service.embedded.data_files import require_whole
from service.embedded.directory import DataDirectory

MANIFEST = "file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n"


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    """A directory with games, and every file that the manifest names."""
    found = DataDirectory(tmp_path, tmp_path / "s")
    folder = found.store / "appendonlydir"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof.manifest").write_text(MANIFEST)
    for name in ("appendonly.aof.1.base.rdb", "appendonly.aof.1.incr.aof"):
        (folder / name).write_text("x")
    (tmp_path / "high-water").write_text("service " + "5" * 64 + "\n")
    return found


def test_a_whole_store_and_a_new_directory_are_in_order(directory: DataDirectory, tmp_path: Path) -> None:
    require_whole(directory)
    require_whole(DataDirectory(tmp_path / "new", tmp_path / "s"))


@pytest.mark.parametrize(
    "missing",
    [".", "appendonly.aof.manifest", "appendonly.aof.1.base.rdb", "appendonly.aof.1.incr.aof"],
)
def test_each_missing_file_is_named(directory: DataDirectory, missing: str) -> None:
    path = (directory.store / "appendonlydir" / missing).resolve()
    path.rename(directory.root / "away")
    with pytest.raises(StoreUnavailable, match=rf"{re.escape(str(path))}\b.* is missing|{re.escape(str(path))} is missing"):
        require_whole(directory)


def test_files_that_a_rewrite_has_replaced_may_be_missing(directory: DataDirectory) -> None:
    with (directory.store / "appendonlydir/appendonly.aof.manifest").open("a") as manifest:
        manifest.write("file appendonly.aof.0.incr.aof seq 0 type h\n")
    require_whole(directory)
