"""Two people in two browsers play a hand, through reloads at the worst moments; bots finish; nobody saw what was not theirs."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from service.client.http import Client
from service.runtime.server_process import ServerProcess
from tests.browser.table.people import Person, play_out
from tests.browser.table.recorder import Recorder

CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


def test_two_browsers_play_a_hand_with_reloads_and_see_no_card_before_it_is_theirs(
    person: Callable[..., Person], server: ServerProcess, recorder: Recorder
) -> None:
    ann, bo = person(base_url=recorder.url), person()
    ann.start("Invite a friend", "Ann", max_hands=2)
    link = ann.page.get_by_label("The link").input_value()
    assert link.startswith(f"{recorder.url}/g/{ann.game}#join=")
    bo.page.goto(link.replace(recorder.url, ""))
    bo.page.get_by_label("Your name").fill("Bo")
    assert "#" not in bo.page.url
    bo.button("Sit down").click()

    seen: list[tuple[int, set[str]]] = []
    spectator = Client(server.url)

    def look() -> None:
        """What Ann's browser had been told before this version of the game."""
        cards = set(CARD.findall(recorder.received()))
        seen.append((spectator.view(ann.game)["version"], cards))

    ann.button("Look at the first card").click()
    for turn in range(13):
        if turn == 4:
            ann.page.reload()
        ann.button("Keep it" if turn % 2 else "Pass, take the next").click()
        expect(ann.hand).to_have_count(turn + 1)
        look()
        if turn == 0:
            bo.button("Bid double nil").click()
        if turn == 7:
            bo.page.reload()
        bo.button("Keep it").click()
        expect(bo.hand).to_have_count(turn + 1)

    bo.hand.nth(0).click()
    bo.page.reload()  # what was only chosen is forgotten; what was held is not
    bo.hand.nth(12).click()
    bo.hand.nth(11).click()
    bo.button("Exchange 2 cards").click()
    look()
    ann.button("Bid 3").click()
    look()
    for trick in range(13):
        first, second = (bo, ann) if spectator.view(ann.game)["turn"] == "south" else (ann, bo)
        for who in (first, second):
            who.playable.first.click()
            expect(who.hand).to_have_count(12 - trick if trick < 12 else 0)
            if trick == 5 and who is first:
                second.page.reload()
            look()
    expect(ann.page.get_by_role("heading", name="Hand 1 is scored")).to_be_visible()

    clients = {"north": Client(server.url, ann.token()), "south": Client(server.url, bo.token())}
    play_out(clients, ann.game)
    expect(ann.page.get_by_role("link", name="Step through the game")).to_be_visible()
    assert not [path for path in recorder.asked if ann.token() in path or "join=" in path]
    judge(spectator, ann.game, seen)


def judge(spectator: Client, game: str, seen: list[tuple[int, set[str]]]) -> None:
    """Every card named to north's browser was its own or public by then, as the log that is open now says."""
    events = spectator.get(f"/v1/games/{game}/events?after=0")["events"]
    known: list[tuple[int, str]] = []
    for line in events:
        public, sealed = line["public"], line.get("sealed", {})
        cards = [public["data"].get("card"), *([sealed["data"].get("card")] if sealed.get("owner") == "north" else [])]
        known += [(public["seq"], card) for card in cards if card]
    drawn = {
        (line["public"]["seq"], line["sealed"]["data"]["card"])
        for line in events
        if line["public"]["type"] in ("card_kept", "card_discarded") and line["public"]["data"]["seat"] == "north"
    }
    assert len(seen) >= 40
    for version, cards in seen:
        allowed = {card for seq, card in known if seq <= version}
        allowed |= {card for seq, card in drawn if seq <= version + 2}  # the card lying before north, not yet decided on
        assert cards - allowed == set(), f"at version {version}"
    assert len(seen[-1][1]) >= 26
