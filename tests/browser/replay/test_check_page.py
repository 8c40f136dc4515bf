"""A record checked in the browser: an honest one, a damaged one, and where nothing can be checked."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from service.runtime.server_process import ServerProcess
from tests.browser.replay.games import Played, play
from tests.browser.replay.walking import at, keep, open_at

STAGES = ("bytes", "chain", "receipts", "contributions", "deals", "seals", "moves", "end")


@pytest.fixture(scope="module")
def record(ended: Played) -> bytes:
    return ended.players["north"].client.record(ended.game).read()


def states(page: Page) -> dict[str, str]:
    """How each check came out, once all have."""
    expect(page.locator(".verdict:not([data-state=running])")).to_have_count(1)
    return {stage: page.locator(f"#checks [data-stage={stage}]").get_attribute("data-state") or "" for stage in STAGES}


def check_file(page: Page, record: bytes) -> None:
    page.locator("#file").set_input_files(
        {"name": "given.trickbook.ndjson", "mimeType": "application/x-ndjson", "buffer": record}
    )
    expect(page.locator(".verdict")).not_to_contain_text("Checking")


def test_an_honest_game_is_verified_by_who_was_at_the_table(page: Page, ended: Played) -> None:
    keep(page, ended, "north")
    open_at(page, ended, "1.s")
    page.get_by_role("button", name="Check this game here").click()
    assert states(page) == dict.fromkeys(STAGES, "ok")
    expect(page.locator(".verdict")).to_contain_text("Verified.")


def test_without_a_key_nothing_is_called_verified_and_it_says_what_that_means(page: Page, ended: Played) -> None:
    open_at(page, ended)
    page.get_by_role("button", name="Check this game here").click()
    assert states(page) == dict.fromkeys(STAGES, "ok") | {"receipts": "unchecked"}
    expect(page.locator(".verdict")).to_contain_text("not verified: no key is pinned")
    expect(page.locator("[data-stage=receipts]")).to_contain_text("key_not_pinned")
    page.get_by_text("The key that is trusted", exact=True).click()
    page.get_by_label("Id of the service's signing key").fill(ended.key)
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator(".verdict")).to_contain_text("Verified.")
    page.get_by_label("Id of the service's signing key").fill("0" * 64)
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator(".verdict")).to_contain_text("Something is wrong")
    assert states(page)["receipts"] == "wrong"


def test_a_damaged_record_is_bad_and_the_finding_leads_to_its_place(page: Page, ended: Played, record: bytes) -> None:
    damaged = re.sub(rb'"total":-?\d+', b'"total":499', record, count=1)  # of hand 1: nobody makes that in one
    assert damaged != record
    open_at(page, ended, "1.d1")
    check_file(page, damaged)
    found = states(page)
    assert (found["chain"], found["moves"]) == ("wrong", "wrong")
    expect(page.locator(".verdict")).to_contain_text("Something is wrong")
    finding = page.locator("[data-stage=moves] .remarks li", has_text="wrong_score").first
    expect(finding).to_contain_text("1.s")
    finding.get_by_role("link", name="1.s").first.click()
    at(page, "1.s")
    check_file(page, record)
    assert "wrong" not in states(page).values()


def test_what_is_no_record_is_said_to_be_none(page: Page, ended: Played) -> None:
    open_at(page, ended)
    check_file(page, b"{}\n")
    expect(page.locator(".verdict")).to_contain_text("This is no record: line 1")
    expect(page.locator("#checks")).to_be_hidden()


def test_a_running_game_is_checked_as_far_as_the_seat_has_it(page: Page, drafting: Played) -> None:
    keep(page, drafting, "south")
    open_at(page, drafting)
    page.get_by_role("button", name="Check this game here").click()
    found = states(page)
    assert (found["deals"], found["seals"], found["end"]) == ("unchecked", "unchecked", "unchecked")
    assert "wrong" not in found.values()
    expect(page.locator("[data-stage=deals]")).to_contain_text("not checked: root and decks")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record").click()
    assert download.value.suggested_filename == f"{drafting.game}.trickbook.ndjson"


def test_a_spectator_of_a_running_game_is_told_that_there_is_no_record_yet(page: Page, drafting: Played) -> None:
    open_at(page, drafting)
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator(".verdict")).to_contain_text("The record is open to everybody once play has ended")
    expect(page.get_by_role("button", name="Check this game here")).to_be_enabled()


def test_the_record_is_downloaded_under_a_name_that_says_what_it_is(page: Page, ended: Played, record: bytes) -> None:
    open_at(page, ended)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record").click()
    assert download.value.suggested_filename == f"{ended.game}.trickbook.ndjson"
    assert Path(download.value.path()).read_bytes() == record


def test_a_browser_without_ed25519_says_what_it_could_not_check(page: Page, ended: Played) -> None:
    page.add_init_script("""
        const { importKey } = globalThis.SubtleCrypto?.prototype ?? {};
        if (importKey) SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
            const unknown = new DOMException("unknown", "NotSupportedError");
            if (algorithm.name === "Ed25519") return Promise.reject(unknown);
            return importKey.call(this, format, key, algorithm, ...rest);
        };
    """)
    keep(page, ended, "north")
    open_at(page, ended)
    page.get_by_role("button", name="Check this game here").click()
    assert states(page)["receipts"] == "unchecked"
    expect(page.locator("[data-stage=receipts]")).to_contain_text("no Ed25519")
    expect(page.locator(".verdict")).to_contain_text("not verified")


def test_over_plain_http_it_says_that_checking_needs_https(page: Page, ended: Played) -> None:
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })")
    open_at(page, ended, "1.2.1")
    expect(page.locator("#insecure")).to_contain_text("needs https")
    expect(page.get_by_role("button", name="Check this game here")).to_be_disabled()
    expect(page.locator("#file")).to_be_disabled()


def test_a_service_that_answers_with_another_game_is_named(page: Page, ended: Played, drafting: Played, record: bytes) -> None:
    open_at(page, ended)
    page.route(
        f"**/v1/games/{ended.game}/record",
        lambda route: route.fulfill(body=record.replace(ended.game.encode(), b"0" * 16), content_type="application/x-ndjson"),
    )
    page.get_by_role("button", name="Check this game here").click()
    assert states(page)["bytes"] == "wrong"
    expect(page.locator("[data-stage=bytes] .remarks")).to_contain_text("other_game")
    expect(page.locator("[data-stage=bytes] .remarks")).to_contain_text(f"You asked for game {ended.game}")


def test_another_honest_game_in_place_of_the_one_that_was_requested_is_a_finding(
    page: Page, server: ServerProcess, ended: Played
) -> None:
    other = play(server, {"max_hands": 1})
    honest = other.players["north"].client.record(other.game).read()
    open_at(page, ended)
    page.route(
        f"**/v1/games/{ended.game}/record", lambda route: route.fulfill(body=honest, content_type="application/x-ndjson")
    )
    page.get_by_role("button", name="Check this game here").click()
    assert states(page)["bytes"] == "wrong"
    expect(page.locator("[data-stage=bytes] .remarks")).to_contain_text("other_game")
    expect(page.locator(".verdict")).to_contain_text("Something is wrong")


@pytest.mark.parametrize("key", ["0" * 63, "0" * 65, "g" * 64])
def test_a_malformed_key_is_refused_and_nothing_is_checked(page: Page, ended: Played, key: str) -> None:
    open_at(page, ended)
    page.locator("details.pin summary").click()
    page.locator("#pin").fill(key)
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator(".verdict")).to_contain_text("Nothing was checked")
    expect(page.locator("#checks")).to_be_hidden()
