"""Keys out of the bytes a terminal sends: characters as themselves, the others by a name such as ``left`` or ``enter``."""

import codecs
import re
from typing import Final

_ARROWS: Final = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERED: Final = {"1~": "home", "7~": "home", "4~": "end", "8~": "end", "5~": "pageup", "6~": "pagedown"}
_ESCAPES: Final = _ARROWS | _NUMBERED
_TYPED: Final = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace"}
_CONTROLS: Final = _TYPED | {"\x04": "eof", "\x0c": "redraw", "\x15": "kill"}
_SEQUENCE: Final = re.compile(r"\x1b(?:\[(?P<csi>[0-9;:<=>?]*[ -/]*[@-~])|O(?P<ss3>.))", re.DOTALL)
_BEGUN: Final = re.compile(r"\x1b(?:\[[0-9;:<=>?]*[ -/]*|O)?\Z")


class Keys:
    """Takes bytes as they come, also in pieces, and gives the keys in them."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._text = ""

    @property
    def unfinished(self) -> bool:
        """Whether the last bytes may be the beginning of a longer key."""
        return bool(_BEGUN.match(self._text))

    def feed(self, raw: bytes) -> list[str]:
        """The keys that are whole now."""
        self._text += self._decoder.decode(raw)
        found = []
        while self._text and not self.unfinished:
            sequence = _SEQUENCE.match(self._text)
            if sequence:
                self._text = self._text[sequence.end() :]
                found.append(_ESCAPES.get(sequence["csi"] or sequence["ss3"], ""))
                continue
            character, self._text = self._text[0], self._text[1:]
            if character == "\x1b":
                found.append("escape")
            else:
                found.append(_CONTROLS.get(character, character if character.isprintable() or character == "\ufe0f" else ""))
        return [key for key in found if key]

    def finish(self) -> list[str]:
        """What was begun, when nothing more comes: the escape key by itself."""
        begun, self._text = self._text, ""
        return ["escape"] if begun else []
