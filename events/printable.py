"""Text out of a log, made harmless: what stands there was checked when it entered, but nobody has to believe that."""


def printable(text: str) -> str:
    """The text with everything that could steer a terminal or turn the writing round escaped."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
