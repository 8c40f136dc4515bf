"""What the browser keeps of a game it has a seat in, and what is said where it may keep nothing."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from service.runtime.server_process import ServerProcess
from tests.browser.table.people import Game, Person
from tests.kit.waiting import eventually

ROWS = """async (game) => {
    const made = (await indexedDB.databases()).some(({ name }) => name === "trickbook-evidence");
    if (!made) return []; // opening it here would make an empty one
    const open = indexedDB.open("trickbook-evidence");
    const database = await new Promise((resolve, reject) => {
        open.onsuccess = () => resolve(open.result);
        open.onerror = reject;
    });
    if (!database.objectStoreNames.contains("rows")) return [];
    const all = database.transaction("rows").objectStore("rows").getAll();
    const rows = await new Promise((resolve) => { all.onsuccess = () => resolve(all.result); });
    database.close();
    return rows.filter((row) => row.game === game);
}"""


def rows(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.page.evaluate(ROWS, person.game)
    return found


def test_the_browser_keeps_receipts_and_what_leads_from_one_to_the_next(person: Callable[..., Person]) -> None:
    ann = person()
    ann.start()
    ann.on_turn()
    ann.button("Look at the first card").click()
    expect(ann.button("Keep it")).to_be_visible()
    ann.button("Keep it").click()
    ann.on_turn()
    eventually(lambda: len(rows(ann)) >= 3)
    kept = rows(ann)
    assert all(len(row["receipt"]["signature"]) > 80 for row in kept if row.get("receipt"))
    thrown = [row for row in kept if '"type":"card_discarded"' in row["event"]["public"]]
    assert thrown, "the last event of a commit of two is kept with the head before it"
    assert len(thrown[0]["event"]["before"]) == 64
    ann.page.goto(f"/g/{ann.game}/replay")
    ann.page.get_by_role("button", name="Check this game here").click()
    expect(ann.page.locator(".verdict")).not_to_contain_text("Checking")
    expect(ann.page.locator(".verdict")).not_to_contain_text("Something is wrong")


def test_where_storage_is_denied_the_table_says_so(person: Callable[..., Person]) -> None:
    ann = person()
    ann.page.add_init_script("Object.defineProperty(globalThis, 'indexedDB', { get: () => undefined })")
    ann.start()
    ann.on_turn()
    expect(ann.page.locator("#main")).to_contain_text("Your browser denies this page storage")


def test_what_was_played_while_no_page_was_open_is_kept_when_one_opens(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url)
    ann = person()
    ann.sit(game.id, game.north.token or "")
    eventually(lambda: rows(ann))
    ann.page.goto("/")
    game.until("play")
    ann.page.goto(f"/g/{game.id}")
    version = game.view()["version"]
    eventually(lambda: any(row["seq"] == version for row in rows(ann)))
    events = game.north.get(f"/v1/games/{game.id}/events?after=0")["events"]
    ends = [line["public"]["seq"] for line in events if "receipt" in line]
    assert [row["seq"] for row in rows(ann) if row.get("receipt")] == ends, "one receipt for each commit, without a hole"
