"""Moves taken back and signed again, proven in the browser by what its table kept in IndexedDB."""

import pytest
from playwright.sync_api import Page, expect

from events import record as records
from events.receipts import Signer
from events.redis_store import RedisStore
from tests.browser.replay.games import Played
from tests.browser.replay.walking import keep, open_at
from tests.browser.table.people import Person
from tests.browser.table.test_evidence import rows
from tests.kit.waiting import eventually
from tests.verify.liar import groups_from, record
from tests.verify.test_cuts import forged_end

SERVICE = Signer(bytes(range(1, 33)))
"""The key of the server under test (tests/conftest.py)."""


@pytest.mark.parametrize("back", [2, 3, 7, 20])
def test_a_forged_resignation_is_proven_also_inside_a_commit(page: Page, redis_url: str, ended: Played, back: int) -> None:
    store = RedisStore(redis_url)
    groups = groups_from(store.everything(ended.game))
    store.close()
    last = groups[-1][-1].seq
    forged = records.write(record(forged_end(groups, last - back), ended.game, signer=SERVICE))
    keep(page, ended, "north")
    page.goto(f"/g/{ended.game}")
    eventually(lambda: any(row["seq"] == last for row in rows(Person(page))))
    open_at(page, ended)
    page.route(
        f"**/v1/games/{ended.game}/record", lambda route: route.fulfill(body=forged, content_type="application/x-ndjson")
    )
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator(".verdict")).to_contain_text("Something is wrong")
    expect(page.locator("#checks")).to_contain_text("service_signed_two_histories")
