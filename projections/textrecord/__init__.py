"""The text record (record.md §2): a game for people, on paper or from elsewhere. It is read and written here, never sealed."""

from projections.textrecord.game import TextGame, TextHand
from projections.textrecord.reader import is_text, read
from projections.textrecord.words import BadLine
from projections.textrecord.writer import FORMAT, NotFinished, write

__all__ = ["FORMAT", "BadLine", "NotFinished", "TextGame", "TextHand", "is_text", "read", "write"]
