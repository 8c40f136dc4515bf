"""The table as lines for one player, each with a weight, so that a small terminal keeps what matters. Only the view, the
steps and the sheet are shown: nothing is worked out here but distances.
"""

from collections.abc import Container
from datetime import datetime
from typing import Any

from cli.markup import unstyled
from cli.playing.fit import Weighed, cells, folded, weighed
from cli.playing.scores import bid, hand_lines
from cli.playing.state import State
from cli.text import Style, columns
from events.cards import DECK
from events.ruleset import STANDARD
from projections.sheet import minus

MUST, SHOULD, MAY, AIR, PAST = 9, 6, 4, 1, 0
_RECENT = 3


def lines(state: State, style: Style, width: int) -> list[Weighed]:
    """Everything above the prompt."""
    view = state.view
    found: list[Weighed] = [(SHOULD, _heading(state, style)), *_rules(state, width), (AIR, "")]
    found += weighed(MUST, _scores(state, style, width))
    found.append((AIR, ""))
    if not view.get("hand"):
        return found
    fresh = view["phase"] == "draft" and not view["you"]["hand"] and "drawn" not in view["you"]
    scored = state.last_scored() if fresh else None
    if scored is not None:
        found += [*weighed(SHOULD, hand_lines(scored, state, style)), (AIR, "")]
    found += _middle(state, style, width)
    found.append((AIR, ""))
    found += weighed(MUST, hand(state, style, width))
    return [*found, (AIR, "")]


def _heading(state: State, style: Style) -> str:
    view = state.view
    text = style.heading("Trickbook") + f"  game {view['game']}"
    if view.get("hand"):
        text += f"  hand {view['hand']}, to {view['rules'].get('target')}"
    if view.get("deadline") and not state.ended:
        until = datetime.fromtimestamp(view["deadline"] / 1000).astimezone().strftime("%H:%M:%S")
        text += f"  time until {until}"
    return text


def _rules(state: State, width: int) -> list[Weighed]:
    standard = STANDARD.data()
    changed = {key: value for key, value in state.view["rules"].items() if standard.get(key) != value}
    if not changed:
        return []
    return weighed(SHOULD, folded("rules " + " ".join(f"{key}={value}" for key, value in changed.items()), width))


def _scores(state: State, style: Style, width: int) -> list[str]:
    """Both score lines: the one on turn is marked. A narrow terminal goes without the penalty and who leads."""
    rows = [["", "", "score", "bags", "penalty in", "bid", "tricks", ""]]
    for seat in (state.other, state.seat):
        player = state.player(seat)
        if not player:
            continue
        label = state.called(seat) + (" (you)" if seat == state.seat else "")
        left = str(player.get("penalty_in", "-"))
        mark = ">" if state.view.get("turn") == seat else ""
        first = "drafts first" if state.view.get("first") == seat else "leads first" if state.view.get("hand") else ""
        tricks = str(player.get("tricks", "-"))
        score = minus(str(player["total"]))
        rows.append([mark, label, score, str(player["bags"]), left, bid(player.get("bid")), tricks, style.dim(first)])
    whole = columns(rows, right=(2, 3, 4, 6))
    if all(cells(line) <= width for line in whole):
        return whole
    return columns([[*row[:4], *row[5:7]] for row in rows], right=(2, 3, 5))


def _middle(state: State, style: Style, width: int) -> list[Weighed]:
    """What has happened, and under it what lies on the table: stock and drawn card, or the tricks."""
    story = [style.dim(text) for text in _story(state, style, width)]
    laid = _laid(state, style, width)
    air = [(AIR, "")] if story and laid else []
    return [*weighed(PAST, story[:-_RECENT]), *weighed(MAY, story[-_RECENT:]), *air, *laid]


def _laid(state: State, style: Style, width: int) -> list[Weighed]:
    view, you = state.view, state.view["you"]
    found: list[Weighed] = []
    if view["phase"] == "draft":
        piled = "  you put away " + style.cards(you["discarded"]) if you["discarded"] else ""
        found += weighed(SHOULD, folded(f"Stock {view['draft']['stock']}{piled}", width))
    last, trick = view.get("last_trick"), view.get("trick")
    if last is not None:
        found += weighed(SHOULD, folded(_last(state, last, style), width))
    if trick is not None and view["phase"] == "play":
        cards = "  ".join(f"{state.who(one['seat'])} {style.card(one['card'])}" for one in trick["cards"])
        broken = "spades broken" if view.get("spades_broken") else "spades not broken"
        title = style.heading(f"Trick {trick['number']}")
        found.append((MUST, f"{title}: {cards or state.who(trick['leader']) + ' to lead'}   {style.dim(broken)}"))
    if "drawn" in you:
        found.append((MUST, f"You drew  {style.card(you['drawn'])}"))
    return found


def _last(state: State, last: dict[str, Any], style: Style) -> str:
    laid = ", ".join(f"{state.who(one['seat'])} {style.card(one['card'])}" for one in last["cards"])
    whys = [step["trick"]["why"] for step in state.steps if step.get("trick", {}).get("number") == last["number"]]
    why = f" ({style.sentence(state.named(whys[-1]), DECK)})" if whys else ""
    verb = "take" if last["winner"] == state.seat else "takes"
    return f"Trick {last['number']}: {laid}; {state.who(last['winner'])} {verb} it{why}"


def _story(state: State, style: Style, width: int) -> list[str]:
    """What has happened in this hand, as the service tells it."""
    steps = [step for step in state.steps if step["version"] <= state.version and step["type"] != "hand_started"]
    texts = [f"{step['position']:7} {state.named(step['text'])}" for step in steps]
    return [line for text in texts for line in folded(style.sentence(text, DECK), width, " " * 8)]


def hand(state: State, style: Style, width: int) -> list[str]:
    """The hand: in one line, or a suit a line where that is too long. Cards that may be played stand in brackets."""
    held = state.view["you"]["hand"]
    if not held:
        return ["Your hand is empty."] if state.view["phase"] != "ended" else []
    legal = state.legal.get("play", {}).get("card")
    suits: dict[str, list[str]] = {}
    for card in held:
        suits.setdefault(card[1], []).append(marked(card, legal, style))
    groups = ["".join(cards) for cards in suits.values()]
    whole = "Your hand " + " ".join(groups)
    return [whole] if cells(whole) <= width else groups


def marked(card: str, legal: Container[str] | None, style: Style) -> str:
    """A card of a hand: in brackets if it may be played, in the background if not; as it is where nothing is to be played."""
    if legal is None:
        return f" {style.card(card)} "
    if card in legal:
        return f"[{style.card(card)}]"
    shown = style.card(card)
    return f" {style.dim(unstyled(shown) if card[1] == 'S' else shown)} "  # spades are bold, which undoes dim
