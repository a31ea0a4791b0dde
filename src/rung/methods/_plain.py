"""Foreign text made plain, before a method keeps it or shows it to anybody."""

import re

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control characters, half pairs, and what is not seen or turns text around. A list of our own, for the classes of
Unicode grow from one Python to the next, and equal replies shall make equal states."""


def plain(text: str) -> str:
    """A foreign text as one line that shows all it holds.

    >>> plain("Look\\x00 first.\\r\\n\\u202eThen\\tact.")
    'Look first. Then act.'
    """
    return " ".join(_INVISIBLE.sub("", text).split())
