"""Keeps tasks out of prompts: a reflection that is shown examples copies them (the package's issue 261)."""

from collections.abc import Iterator, Sequence

from rung.methods._plain import plain


def copied(text: str, shown: Sequence[str], known: Sequence[str], least: int) -> str | None:
    """The first run of so many characters of a text that stands in something shown, and in nothing known; or None.

    White space counts as one blank, so that a copy is one however its lines are broken.

    >>> copied("Always say: the door is red.", ["I saw that the door  is red."], ["Doors are seen."], 12)
    ' the door is'
    """
    runs = dict.fromkeys(_runs(plain(text), least))
    for other in known:
        for run in _runs(plain(other), least):
            runs.pop(run, None)
    seen = {run for other in shown for run in _runs(plain(other), least) if run in runs}
    return next((run for run in runs if run in seen), None)


def _runs(text: str, long: int) -> Iterator[str]:
    return (text[at : at + long] for at in range(len(text) - long + 1))
