"""What is wrong with one key of one line, and how foreign values are quoted in it."""


class Bad(ValueError):
    """One thing that is wrong in a file; whoever reads it adds line and key."""


def brief(value: object) -> str:
    """A value in at most 60 letters, as a message quotes it.

    >>> brief("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    text = str(value) if type(value).__name__ == "Decimal" else ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def legible(text: str) -> bool:
    """False for a text with half of a Unicode character in it, which UTF-8 cannot spell."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
