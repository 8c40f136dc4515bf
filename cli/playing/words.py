"""What somebody types, as a move in its JSON form or as a wish. Whether a move is legal is for the service to say."""

import re
from typing import Any, Final

import msgspec

_CARD: Final = re.compile(r"(?P<rank>10|[2-9TJQKA])(?P<suit>[CDHS♣♦♥♠♧♢♡♤])\Z")
_SUITS: Final = dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True))
_MOVE_WORDS: Final = {
    "keep": ("k", "keep"),
    "pass": ("p", "pass"),
    "look": ("l", "look"),
    "double_nil": ("d", "dn", "double nil", "double_nil", "blind nil"),
    "resign": ("resign",),
    "claim_timeout": ("claim",),
}
_WISH_WORDS: Final = {"help": ("?", "h", "help"), "sheet": ("s", "score"), "quit": ("q", "quit", "exit")}
_MOVES: Final = {word: move for move, written in _MOVE_WORDS.items() for word in written}
_WISHES: Final = {word: wish for wish, written in _WISH_WORDS.items() for word in written}
_ASKED_FIRST: Final = ("double_nil", "resign")


class Wish(msgspec.Struct, frozen=True):
    """Something that is no move: ``help``, ``sheet`` or ``quit``."""

    kind: str


class Wanted(msgspec.Struct, frozen=True):
    """A move; `sure` is False where one asks before it is sent."""

    move: dict[str, Any]
    sure: bool = True


class Unclear(msgspec.Struct, frozen=True):
    """Not understood, and why."""

    reason: str


def read(line: str, view: dict[str, Any]) -> Wish | Wanted | Unclear:
    """What a line says at this view."""
    text = " ".join(line.replace(",", " ").replace("\ufe0f", "").lower().split())
    if text in _WISHES:
        return Wish(_WISHES[text])
    if text in _MOVES:
        return Wanted({"type": _MOVES[text]}, sure=_MOVES[text] not in _ASKED_FIRST)
    verb, _, rest = text.partition(" ")
    words = (rest if verb in ("play", "bid", "throw", "discard", "exchange") and rest else text).split()
    kinds = {option["type"] for option in view.get("you", {}).get("legal", [])}
    if "exchange" in kinds and words in (["none"], ["0"], ["-"], ["nothing"]):
        return Wanted({"type": "exchange", "discard": []})
    if len(words) == 1 and (words[0] == "nil" or re.fullmatch(r"[0-9]{1,4}", words[0])):
        return Wanted({"type": "bid", "tricks": 0 if words[0] == "nil" else int(words[0])})
    cards = [card(word) for word in words]
    found = [one for one in cards if one is not None]
    if len(found) < len(cards) or not found:
        bad = next((word for word, one in zip(words, cards, strict=True) if one is None), text)
        return Unclear(f'I don\'t know "{bad[:20]}". Type ? for the commands')
    if "exchange" in kinds:
        return Wanted({"type": "exchange", "discard": found})
    if len(found) > 1:
        return Unclear("one card at a time")
    return Wanted({"type": "play", "card": found[0]})


def card(word: str) -> str | None:
    """The card a word names: ``qs``, ``QS``, ``Q♠``, ``10h``; None for another word."""
    match = _CARD.match(word.upper())
    if match is None:
        return None
    return ("T" if match["rank"] == "10" else match["rank"]) + _SUITS.get(match["suit"], match["suit"])
