"""What the documents show is what happens: console blocks are run and compared, the README's commands are pasted."""

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from service.runtime.ports import free_port
from service.client.http import Client
from service.runtime.server_process import ServerProcess
from tests.crash.service import Service
from tests.kit.waiting import eventually

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)


def environment(data: Path) -> dict[str, str]:
    """Where `trickbook` is the one under test."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("TRICKBOOK_")}
    found["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{found['PATH']}"
    return {**found, "TRICKBOOK_DATA": str(data)}


def fits(expected: list[str], printed: list[str]) -> bool:
    """Whether the lines are those expected, where ``...`` stands for any lines."""
    pieces: list[list[str]] = [[]]
    for line in expected:
        if line == "...":
            pieces.append([])
        else:
            pieces[-1].append(line)
    if len(pieces) == 1:
        return expected == printed
    first, *middle, last = pieces
    if printed[: len(first)] != first or (last and printed[-len(last) :] != last):
        return False
    at = len(first)
    for piece in middle:
        while printed[at : at + len(piece)] != piece:
            if at == len(printed):
                return False
            at += 1
        at += len(piece)
    return at <= len(printed) - len(last)


CONSOLE = [
    pytest.param(block, id=f"{path.relative_to(ROOT)}-{number}")
    for path in DOCUMENTS
    for number, block in enumerate(blocks(path, "console"), 1)
]


@pytest.mark.parametrize("block", CONSOLE)
def test_a_console_block_shows_what_its_command_prints(block: str, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/cases").symlink_to(ROOT / "tests/cases")
    for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, expected = piece.partition("\n")
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment(tmp_path / "data"), capture_output=True, text=True, check=False
        )
        assert fits(expected.strip("\n").split("\n"), done.stdout.strip("\n").split("\n")), (
            f"{command} printed:\n{done.stdout}\n{done.stderr}"
        )


def test_the_readme_has_the_two_commands_of_the_contract() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/trickbook demo\n" in text
    assert "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest\n" in text


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's game is played with curl, which is not here")
def test_the_game_by_curl_works_when_pasted(server: ServerProcess, tmp_path: Path) -> None:
    script = next(block for block in blocks(ROOT / "README.md", "bash") if "API=" in block)
    script = script.replace("http://127.0.0.1:8000", server.url)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"[2-9TJQKA][CDHS]", lines[0])
    assert "'type': 'card_played'" in lines[-2]
    assert lines[-1].startswith("['South plays ")


def test_the_reference_client_plays_as_it_stands_in_at_most_80_lines(server: ServerProcess, tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "docs/bots.md", "python")
    assert len(code.splitlines()) <= 80
    client = tmp_path / "client.py"
    client.write_text(code, "utf-8")
    command = [sys.executable, str(client), server.url]
    kept = {seat: tmp_path / f"{seat}.receipts" for seat in ("north", "south")}
    with subprocess.Popen([*command, str(kept["north"])], stdout=subprocess.PIPE, text=True) as north:
        assert north.stdout is not None
        game, invite = north.stdout.readline().split()
        join = [*command, str(kept["south"]), game, invite]
        try:
            done = subprocess.run(join, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stderr
            said, _ = north.communicate(timeout=60)
        finally:
            north.kill()
    assert north.returncode == 0
    for text in (said, done.stdout):
        assert re.search(r"\{'reason': .*\} checked up to event \d+", text)
    verify = [
        "verify",
        f"{server.url}/v1/games/{game}",
        *(word for file in kept.values() for word in ("--receipts", str(file))),
    ]
    trickbook = [str(Path(sys.executable).parent / "trickbook"), *verify]
    checked = subprocess.run(trickbook, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "verdict: VERIFIED" in checked.stdout
    assert "receipts you kept" in checked.stdout


def answers(port: int) -> bool:
    """Whether a service on this port takes moves."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def test_serve_in_the_readme_is_the_serve_there_is(tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    command = [str(Path(sys.executable).parent / "trickbook"), "serve", "--port", str(port)]
    with subprocess.Popen(command, env=environment(tmp_path / "data"), stderr=subprocess.PIPE, text=True) as serving:
        try:
            eventually(lambda: answers(port), 20)
        finally:
            serving.terminate()
        _, said = serving.communicate(timeout=20)
    assert f"Trickbook serves http://127.0.0.1:{port}" in said
    assert "fsync" in said
    assert serving.returncode == 0


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


def test_a_backup_is_made_and_restored_as_the_page_says(tmp_path: Path) -> None:
    """The commands as they stand, beside a service that runs; the restored one has the game."""
    script = next(block for block in blocks(ROOT / "docs/operating.md", "bash") if "trickbook backup" in block)
    *commands, serve = script.strip().splitlines()
    port = free_port("127.0.0.1")
    first = Service(tmp_path / "data")
    first.start()
    try:
        game = Client(first.url).create("Ann", {})["game"]
        for command in commands:
            done = subprocess.run(
                command, shell=True, cwd=tmp_path, env=environment(first.data), capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
    finally:
        first.stop()
    words = [str(Path(sys.executable).parent / serve.split()[0]), *serve.split()[1:], "--port", str(port)]
    with subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path / "other"), stderr=subprocess.DEVNULL) as serving:
        try:
            eventually(lambda: answers(port), 20)
            assert Client(f"http://127.0.0.1:{port}").get(f"/v1/games/{game}")["phase"] == "waiting"
        finally:
            serving.terminate()
