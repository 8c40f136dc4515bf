"""What may be typed now, in words, and the help."""

from typing import Final

from cli.playing.fit import folded
from cli.playing.state import State
from cli.text import Style
from events.cards import DECK

HELP: Final = (
    "l look             give up double nil in this hand and see the first card",
    "d double nil       bid it before any card is seen (asks first)",
    "k keep   p pass    the drawn card; who passes it takes the next one",
    "qs  Q♠  10h        play a card; in an exchange several: 4d jc, or none",
    "5   nil   0        bid that number of tricks",
    "s score sheet      every hand with its arithmetic",
    "resign             give up the game (asks first)",
    "claim              win when the other player's time has run out",
    "q, Ctrl-C          leave; `trickbook play --resume` continues",
    "",
    "Cards in [ ] are the ones that may be played. The rules: docs/rules.md",
)


def prompt(state: State, style: Style, width: int) -> list[str]:
    """The lines over the input: what is asked, or what is waited for."""
    said: list[str] = []
    if state.refusal:
        said += folded(style.sentence(f"{style.bad('Not done:')} {state.named(state.refusal)}", DECK), width)
    if state.notice:
        said += folded(state.notice, width)
    if state.lost:
        said += folded(style.bad(f"Connection lost: {state.lost}. Trying again; nothing is lost."), width)
    if state.asking is not None:
        return [*said, *folded(style.heading(_question(state)), width)]
    return [*said, *folded(ask(state, style), width)]


def ask(state: State, style: Style) -> str:
    """The question of this moment."""
    legal, view = state.legal, state.view
    if state.sending:
        return "Sending it..."
    if not view:
        return "Coming to the table..."
    if "look" in legal:
        value = view["rules"].get("double_nil_value")
        return (
            f"Before you see a card of this hand: {style.heading('l')} = look at the first one, "
            f"or {style.heading('d')} = bid double nil now or never (no trick +{value}, else -{value})"
        )
    if "keep" in legal:
        return f"{style.heading('k')} = keep it, or {style.heading('p')} = pass it and take the next one, whatever it is"
    if "exchange" in legal:
        most = legal["exchange"]["discard"]["max"]
        return f"Exchange up to {most} cards before the bids: type them, like 4d jc, or {style.heading('none')}"
    if "bid" in legal:
        tricks = legal["bid"]["tricks"]
        return f"Your bid: {max(tricks['min'], 1)} to {tricks['max']} tricks, or {style.heading('nil')}"
    if "play" in legal:
        return "Your card, one of those in [ ]"
    if view.get("phase") == "reveal":
        return "The bytes you both brought to the shuffle are being revealed..."
    if view.get("phase") == "waiting":
        return f"Waiting for {'the house' if state.house else 'your friend'} to sit down..."
    if state.ended:
        return "Play has ended."
    left = state.seconds_left()
    if left is not None and left < 0:
        return f"The time of {state.who(view.get('turn'))} has run out: {style.heading('claim')} wins the game"
    return f"Waiting for {state.who(view.get('turn'))}..."


def _question(state: State) -> str:
    assert state.asking is not None
    if state.asking["type"] == "resign":
        return "Resign, so that the other player wins this game? Type yes, or anything else to play on"
    value = state.view["rules"].get("double_nil_value")
    return f"Bid double nil without seeing a card (+{value} or -{value})? Type yes, or anything else to think again"
