"""What the data directory may be: long, used before, and Trickbook's own; anything else is refused with a reason."""

import os
import shutil
import socket
from pathlib import Path

import pytest

from service.embedded import EmbeddedStore, StoreUnavailable, socket_path
from tests.embedded.processes import User

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")


@pytest.mark.parametrize("path", ["x" * 60 + "/" + "y" * 60, "d/" * 60], ids=["long names", "many names"])
def test_a_long_path_is_used_by_all_alike(data: Path, path: str) -> None:
    long = data / path
    with User(long) as first, User(long) as second:
        assert [first.ask("increment"), second.ask("increment")] == ["1", "2"]
    with EmbeddedStore.open(long) as store:
        assert len(str(store.directory.socket)) < 100
        assert store.directory.socket.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("foreign", ["symlink", "file", "open", pytest.param("owner", marks=as_root)])
def test_a_prepared_place_for_the_socket_of_a_long_path_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, foreign: str
) -> None:
    base = data.parent / "tmp"
    place = base / f"trickbook-{os.geteuid()}"
    base.mkdir()
    monkeypatch.setattr(socket_path, "_base", lambda: base)
    if foreign == "symlink":
        (base / "elsewhere").mkdir(0o700)
        place.symlink_to(base / "elsewhere")
    elif foreign == "file":
        place.touch()
    else:
        place.mkdir()
        place.chmod(0o755 if foreign == "open" else 0o700)
        if foreign == "owner":
            os.chown(place, 1234, 1234)
    with pytest.raises(StoreUnavailable, match=str(place)):
        EmbeddedStore.open(data / ("x" * 100))


def test_names_with_spaces_and_signs_are_paths_like_others(data: Path) -> None:
    with User(data / "my games ?#%20&db=3") as user:
        assert user.ask("increment") == "1"


def test_what_a_dead_computer_left_does_no_harm(data: Path) -> None:
    with EmbeddedStore.open(data) as store:
        directory = store.directory
        store.close(wait_seconds=10)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(directory.socket))
    for lock in (directory.keeper_lock, directory.store_lock, directory.serve_lock, directory.start_lock):
        lock.write_text("1")  # a process there is, and none of ours
    with User(data) as user:
        assert user.ask("increment") == "1"


@pytest.mark.parametrize("content", ["file", "directory"])
def test_a_directory_with_something_else_in_it_is_left_alone(data: Path, content: str) -> None:
    data.mkdir(0o755)
    (data / "photos").touch() if content == "file" else (data / "photos").mkdir()
    with pytest.raises(StoreUnavailable, match=r"holds something that is not Trickbook's.*--data"):
        EmbeddedStore.open(data)
    assert [path.name for path in data.iterdir()] == ["photos"]
    assert data.stat().st_mode & 0o777 == 0o755


@as_root
def test_a_directory_of_somebody_else_is_left_alone(data: Path) -> None:
    data.mkdir(0o700)
    os.chown(data, 1234, 1234)
    with pytest.raises(StoreUnavailable, match="belongs to the user with number 1234"):
        EmbeddedStore.open(data)
    assert list(data.iterdir()) == []


def test_an_empty_directory_open_to_others_becomes_private(data: Path) -> None:
    data.mkdir(0o755)
    with EmbeddedStore.open(data):
        assert data.stat().st_mode & 0o777 == 0o700


def test_a_root_of_a_volume_counts_as_empty(data: Path) -> None:
    (data / "lost+found").mkdir(parents=True)
    with EmbeddedStore.open(data):
        pass


@pytest.mark.parametrize(("marker", "why"), [('{"format": 2}', "has format 2"), ("", "is damaged"), ("[]", "is damaged")])
def test_a_marker_that_cannot_be_followed_is_refused(data: Path, marker: str, why: str) -> None:
    data.mkdir()
    (data / "trickbook.json").write_text(marker)
    with pytest.raises(StoreUnavailable, match=why):
        EmbeddedStore.open(data)


def test_a_file_in_the_place_of_the_directory_is_refused(data: Path) -> None:
    data.touch()
    with pytest.raises(StoreUnavailable, match=r"cannot be used: File exists.*--data"):
        EmbeddedStore.open(data)


def test_a_directory_removed_under_its_users_is_not_replaced_by_an_empty_one(data: Path) -> None:
    with EmbeddedStore.open(data) as store:
        shutil.rmtree(data)
        with pytest.raises(StoreUnavailable, match="was removed or replaced"):
            store.ensure()
