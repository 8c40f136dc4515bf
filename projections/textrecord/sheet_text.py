"""The text of a sheet, changed line by line: all other lines, their ends and comments stay as they are."""

from collections.abc import Iterable, Sequence


class SheetText:
    """A text as its lines, to be changed line by line; its way to end a line is kept."""

    def __init__(self, text: str) -> None:
        self._feed = "\r" if "\r" in text and "\n" not in text else "\n"
        self._before_feed = "\r" if "\r\n" in text else ""
        self.lines = text.split(self._feed)
        if not self.lines[-1].strip():
            self.lines.pop()

    def insert(self, at: int, lines: Sequence[str]) -> None:
        """Inserts lines before the index `at`; a blank one only where there is none yet."""
        first, *_ = lines
        blank = not first and (at == 0 or not self.lines[at - 1].strip())
        self.lines[at:at] = [line + self._before_feed for line in (lines[1:] if blank else lines)]

    def replace(self, number: int, line: str) -> list[str]:
        """Puts a line in the place of line `number`, whose comment stays; the line that was there."""
        before, mark, comment = self.lines[number - 1].partition("#")
        self.lines[number - 1] = f"{line}  {mark}{comment}" if mark else line + self._before_feed
        return [f"line {number}: {before.strip()}"]

    def remove(self, numbers: Iterable[int], own: set[str]) -> tuple[str, ...]:
        """Takes lines away, with a blank one before the first; those that are not among the keeper's `own`, by number."""
        gone = sorted(set(numbers))
        lost = tuple(f"line {number}: {self.lines[number - 1].strip()}" for number in gone if not self._is(number, own))
        for number in reversed(gone):
            del self.lines[number - 1]
        if gone and gone[0] > 1 and not self.lines[gone[0] - 2].strip():
            del self.lines[gone[0] - 2]
        return lost

    def _is(self, number: int, own: set[str]) -> bool:
        return self.lines[number - 1].rstrip() in own

    def joined(self) -> str:
        """The text."""
        return self._feed.join([*self.lines, ""])
