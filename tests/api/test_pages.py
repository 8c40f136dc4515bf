"""The pages before any script runs: their policy, what a shared link says, a sentence where there is nothing, their files."""

import gzip
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.http.page_scripts import CannotJoin, joined
from service.http.routes import assets
from tests.api.players import Table

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PAGES = ["", "/replay", "/score"]


def described(page: str) -> tuple[str, str]:
    """Title and description as a chat would show them."""
    found = [re.search(f'property="og:{name}" content="([^"]*)"', page) for name in ("title", "description")]
    assert all(found)
    return tuple(match[1] for match in found if match)  # type: ignore[return-value]


@pytest.mark.parametrize("page", [None, *PAGES])
def test_a_page_loads_only_what_is_ours_and_runs_and_styles_nothing_inline(client: FlaskClient, page: str | None) -> None:
    answer = client.get("/" if page is None else f"/g/{Table(client).game}{page}", headers=BROWSER)
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]* src=\"/static/)", answer.text) is None
    assert re.findall(r'(?:src|href)="(?!/|#)([^"]*)"', answer.text) == []
    assert "<noscript>" in answer.text


def test_a_link_says_who_waits_who_plays_and_who_won(client: FlaskClient) -> None:
    table = Table(client, join=False)
    assert described(client.get(f"/g/{table.game}").text)[0] == "Play Spades against Ann"
    table = Table(client)
    assert described(client.get(f"/g/{table.game}").text) == (
        "Ann against Bo",
        "Two-player Spades to 500, hand 1: Ann 0, Bo 0.",
    )
    table.move("north", "resign")
    title, description = described(client.get(f"/g/{table.game}/replay").text)
    assert title == "Replay: Ann against Bo"
    assert description.startswith("Bo won: Ann 0, Bo 0.")


def test_a_name_cannot_leave_its_place_in_a_page(client: FlaskClient) -> None:
    made = client.post("/v1/games", json={"name": "O'Neill.-_ \u05d0\u05d1"}).json
    page = client.get(f"/g/{made['game']}").text
    assert described(page)[0] == "Play Spades against O&#39;Neill.-_ \u05d0\u05d1"


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/g/0000000000000000", 404, "There is no game 0000000000000000 here."),
        ("/g/x", 404, "no such game"),
        ("/no", 404, "nothing"),
    ],
)
def test_what_is_not_there_is_said_in_a_page(client: FlaskClient, path: str, status: int, sentence: str) -> None:
    answer = client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert sentence in answer.text


@pytest.mark.parametrize("path", ["/", "/g/{game}", "/g/{game}/replay", "/g/{game}/score", "/docs"])
def test_a_token_in_the_address_of_a_page_is_refused_with_the_reason(client: FlaskClient, path: str) -> None:
    answer = client.get(path.format(game=Table(client).game) + "?token=secret", headers=BROWSER)
    assert answer.status_code == 400
    assert "ends up in logs" in answer.text
    assert "secret" not in answer.text


def test_a_program_gets_a_problem_where_there_is_nothing(client: FlaskClient) -> None:
    assert client.get("/no").mimetype == "application/problem+json"
    assert client.get("/v1/no", headers=BROWSER).mimetype == "application/problem+json"


@pytest.mark.parametrize("name", assets.NAMES)
def test_a_file_is_kept_for_ever_under_its_version_and_asked_for_again_elsewhere(client: FlaskClient, name: str) -> None:
    answer = client.get(assets.address(name))
    assert answer.status_code == 200
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.mimetype == {"mjs": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}[name.rpartition(".")[2]]
    bare = client.get(f"/static/{name}")
    assert (bare.data, bare.headers["Cache-Control"]) == (answer.data, "public, no-cache")
    again = client.get(f"/static/{name}", headers={"If-None-Match": bare.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("name", ["verify-node.mjs", "docs.css", "..%2fpages.py", "../pages.py", "nothing.mjs"])
def test_no_other_file_is_to_be_had(client: FlaskClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


@pytest.mark.parametrize("name", assets.PAGES)
def test_the_script_of_a_page_holds_each_module_once_and_loads_the_verifier_alone(client: FlaskClient, name: str) -> None:
    script = client.get(assets.address(name)).text
    parts = re.findall(r"^// ([a-z-]+\.mjs)$", script, re.MULTILINE)
    assert parts[-1] == name
    assert len(parts) == len(set(parts)) >= 8
    assert set(re.findall(r'^import .*from "([^"]+)"|await import\("([^"]+)"\)', script, re.MULTILINE)) <= {
        ("./verify.mjs", ""),
        ("", "./verify.mjs"),
    }


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("export const one = 2;\n", "other.mjs and page.mjs both declare one"),
        ("export { one };\n", "other.mjs has a line that cannot be joined"),
        ('import * as all from "./page.mjs";\n', "other.mjs has a line that cannot be joined"),
    ],
)
def test_modules_without_a_common_scope_are_refused(tmp_path: Path, other: str, reason: str) -> None:
    (tmp_path / "page.mjs").write_text('import { two } from "./other.mjs";\nconst one = 1;\n')
    (tmp_path / "other.mjs").write_text(other)
    with pytest.raises(CannotJoin, match=reason):
        joined(tmp_path, "page.mjs")


@pytest.mark.parametrize("name", assets.NAMES)
def test_a_file_is_compressed_for_a_browser_that_takes_it(client: FlaskClient, name: str) -> None:
    plain = client.get(assets.address(name))
    packed = client.get(assets.address(name), headers={"Accept-Encoding": "gzip, br"})
    assert (plain.headers.get("Content-Encoding"), packed.headers["Content-Encoding"]) == (None, "gzip")
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    refused = client.get(assets.address(name), headers={"Accept-Encoding": "gzip;q=0"})
    assert refused.data == plain.data
