"""What everybody may expect of the pages: axe finds nothing, cards can be read, names stay names, and what cannot be shown is
said in a sentence."""

import base64
from collections.abc import Callable
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from service.client.http import Client
from service.runtime.server_process import ServerProcess
from tests.browser.table.people import Game, Person

PIXELS = """async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  const light = [];
  for (let at = 0; at < data.length; at += 4) light.push(0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2]);
  return [image.width, ...light];
}"""


def clean(page: Page, what: str) -> None:
    """Fails with what axe finds, in light and in dark."""
    colours_alone = {"runOnly": ["color-contrast"]}  # nothing else is another in the dark
    schemes: tuple[tuple[Literal["light", "dark"], Any], ...] = (("light", None), ("dark", colours_alone))
    for scheme, options in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = Axe().run(page, options=options)
        assert found.violations_count == 0, f"{what}, {scheme}: {found.generate_report()}"
        assert found.response["passes"]


def test_axe_finds_nothing_before_and_after_a_game(person: Callable[..., Person], server: ServerProcess) -> None:
    ann = person()
    ann.page.goto("/")
    ann.page.get_by_text("More rules").click()
    clean(ann.page, "start")
    ann.start("Invite a friend", "Ann")
    link = ann.page.get_by_label("The link").input_value()
    clean(ann.page, "invite")
    bo = person()
    bo.page.goto(link)
    expect(bo.button("Sit down")).to_be_visible()
    clean(bo.page, "sit down")
    game = Game(server.url)
    game.until("draft", hand=2)
    game.north.move(game.id, {"type": "resign"})
    bo.sit(game.id, game.south.token or "")
    expect(bo.page.get_by_role("link", name="Step through the game")).to_be_visible()
    clean(bo.page, "ended")
    bo.page.goto("/g/0000000000000000")
    clean(bo.page, "not there")


def test_axe_finds_nothing_at_the_table(person: Callable[..., Person], server: ServerProcess) -> None:
    game = Game(server.url, {"turn_seconds": 3600}, first="south")
    bo = person()
    bo.sit(game.id, game.south.token or "")
    expect(bo.button("Bid double nil")).to_be_visible()
    clean(bo.page, "look or double nil")
    game.south.move(game.id, {"type": "look"})
    expect(bo.button("Keep it")).to_be_visible()
    clean(bo.page, "drawn")
    ann = person()
    game.until("exchange", double_nil="north")
    ann.sit(game.id, game.north.token or "")
    ann.hand.nth(2).click()
    clean(ann.page, "exchange")
    ann.button("Exchange 1 card").click()
    expect(bo.button("Bid nil")).to_be_visible()
    clean(bo.page, "bid")
    bo.button("Bid 4").click()
    ann.playable.first.click()
    bo.on_turn()
    bo.page.get_by_text("Rules in force").click()
    clean(bo.page, "play")
    bo.button("Resign…").click()
    clean(bo.page, "resign")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_card_is_dark_on_light_and_thirteen_fit(
    person: Callable[..., Person], server: ServerProcess, scheme: str, width: int
) -> None:
    game = Game(server.url)
    game.until("bidding")
    ann = person(viewport={"width": width, "height": 800}, color_scheme=scheme)
    ann.sit(game.id, game.north.token or "")
    expect(ann.hand).to_have_count(13)
    boxes = [box for card in ann.hand.all() if (box := card.bounding_box())]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width and box["width"] >= 40 for box in boxes)
    assert not any(_overlap(one, two) for at, one in enumerate(boxes) for two in boxes[at + 1 :])
    assert ann.page.evaluate("() => document.documentElement.scrollWidth") <= width
    png = base64.b64encode(ann.hand.first.screenshot()).decode()
    across, *light = ann.page.context.new_page().evaluate(PIXELS, png)
    paper = light[int(len(light) / across / 2) * int(across) + int(across * 0.12)]
    assert paper > 200  # at the left edge in the middle there is nothing but the card
    assert sum(value < paper - 80 for value in light) > len(light) * 0.05  # and its rank and suit stand out from it


def _overlap(one: Any, two: Any) -> bool:
    return bool(
        one["x"] < two["x"] + two["width"] - 1
        and two["x"] < one["x"] + one["width"] - 1
        and one["y"] < two["y"] + two["height"] - 1
        and two["y"] < one["y"] + one["height"] - 1
    )


def test_without_a_script_the_page_says_what_is_missing(person: Callable[..., Person], server: ServerProcess) -> None:
    game = Game(server.url)
    ann = person(java_script_enabled=False)
    ann.page.goto("/")
    expect(ann.page.locator("noscript")).to_be_visible()
    assert "cannot start or join a game" in ann.page.content()
    ann.page.goto(f"/g/{game.id}")
    expect(ann.page.locator("noscript")).to_be_visible()
    assert "cannot show the table or make a move" in ann.page.content()
    assert "Ann 0, Bo 0" in ann.page.content().split("<noscript>")[1]


def test_a_spectator_sees_what_both_see_and_nobody_sees_a_hand(person: Callable[..., Person], server: ServerProcess) -> None:
    game = Game(server.url)
    game.until("play")
    eve = person()
    eve.page.goto(f"/g/{game.id}")
    expect(eve.page.locator("#status")).to_contain_text("Bo is to play")
    assert eve.hand.count() == 0
    card = game.view("south")["you"]["legal"][0]["card"][0]
    game.south.move(game.id, {"type": "play", "card": card})
    expect(eve.page.locator("#middle .face")).to_have_count(1)
    assert eve.page.locator("button:visible", has_text="Resign").count() == 0


def test_the_page_of_an_ended_game_is_open_to_anybody_and_leads_on(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url)
    game.until("play")
    game.north.move(game.id, {"type": "resign"})
    eve = person()
    eve.page.goto(f"/g/{game.id}")
    expect(eve.page.locator("#status")).to_have_text("Bo won: Ann resigned")
    expect(eve.page.get_by_role("link", name="Step through the game")).to_have_attribute("href", f"/g/{game.id}/replay")
    assert eve.page.get_by_role("button", name="Play again").count() == 0


def test_a_token_of_no_seat_is_said_to_be_none_and_the_table_can_be_watched(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game, other = Game(server.url), Game(server.url)
    eve = person()
    eve.page.goto(f"/g/{game.id}#token={other.north.token}")
    expect(eve.page.get_by_role("heading", name="This table cannot be shown")).to_be_visible()
    eve.page.get_by_role("link", name="Watch as a spectator").click()
    expect(eve.page.locator("#status")).to_contain_text("Ann is to draft")


def test_a_second_friend_is_told_that_the_seat_is_taken_and_watches(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url, names=("Ann", "Bo"))
    late = person()
    waiting = Client(server.url)
    made = waiting.create("Ann")
    late.page.goto(f"/g/{made['game']}#join={made['invite']}")
    expect(late.button("Sit down")).to_be_visible()
    Client(server.url).join(made["game"], "Bo", made["invite"])
    expect(late.page.locator("#status")).to_contain_text("Ann is to draft")
    assert late.button("Sit down").count() == 0
    late.page.goto(f"/g/{game.id}#join={game.invite}")
    expect(late.page.locator("#status")).to_contain_text("Ann is to draft")


@pytest.mark.parametrize(
    "names", [("Wwwwwwwwwwwwwwwwwwwwwwww", "Ж'.-_ Ж"), ("\u05d0\u05d1\u05d2\u05d3", "\u0639\u0631\u0628\u064a")]
)
def test_long_names_and_names_written_the_other_way_stay_in_their_place(
    person: Callable[..., Person], server: ServerProcess, names: tuple[str, str]
) -> None:
    game = Game(server.url, names=names)
    game.until("play")
    bo = person(viewport={"width": 360, "height": 740})
    bo.sit(game.id, game.south.token or "")
    bo.on_turn()
    for name in names:
        expect(bo.page.locator("#scores bdi", has_text=name)).to_have_text(name)
    assert bo.page.evaluate("() => document.documentElement.scrollWidth") <= 360


def test_a_name_in_a_record_from_elsewhere_is_text_and_steers_nothing(
    person: Callable[..., Person], server: ServerProcess, odd_record: str
) -> None:
    eve = person()
    eve.page.goto(f"/g/{odd_record}")
    expect(eve.page.locator("#scores bdi").nth(1)).to_have_text("<img src=x onerror=alert(1)>")
    expect(eve.page.locator("#scores bdi").nth(0)).to_have_text("\ufffdevil\ufffd")
    assert eve.page.locator("main img").count() == 0
    expect(eve.page.get_by_text("A record from elsewhere")).to_be_visible()


def test_a_link_is_opened_from_the_first_page_and_one_to_another_service_is_named(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url)
    eve = person()
    eve.page.goto("/")
    field = eve.page.get_by_label("A link, or the id of a game")
    field.fill("https://other.example/g/0k7f3x9q2m5v8w1c#join=x")
    eve.button("Open").click()
    expect(eve.page.get_by_role("link", name="https://other.example")).to_be_visible()
    field.fill("nonsense")
    eve.button("Open").click()
    expect(eve.page.get_by_text("That is no link to a table")).to_be_visible()
    field.fill(game.id)
    eve.button("Open").click()
    expect(eve.page.locator("#status")).to_contain_text("Ann is to draft")
