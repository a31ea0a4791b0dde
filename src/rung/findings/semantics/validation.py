"""How far the rules agree with 120 proposals that were labelled before they were written, from validation.json.

`frozen`: all of them, once, before anybody had looked at a label. Then the rules were mended by one half of the labels
(by hash, see the tests); `first` is the other half when that was first looked at, and what reports cite. Later changes
were made without the labels; `held` and `all` are what the rules of this version come to, and no blind figures.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PLACE = Path(__file__).parent / "validation.json"
ASKED = ("relation", "scope", "function", "surface")


@dataclass(frozen=True, slots=True)
class Measured:
    """Kappa of the rules against the labeller, with its interval, by question, over so many proposals."""

    proposals: int
    kappa: Mapping[str, tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Validation:
    """What was measured, of which rules. `labeller` says who labelled."""

    labeller: str
    frozen_at: str
    frozen: Measured
    first: Measured
    held: Measured
    all: Measured


@cache
def validation() -> Validation:
    """What is known of the rules of this version."""
    found = json.loads(PLACE.read_text("utf-8"))
    parts = {
        name: Measured(found[name]["proposals"], {key: tuple(found[name]["kappa"][key]) for key in ASKED})
        for name in ("frozen", "first", "held", "all")
    }
    return Validation(found["labeller"], found["frozen_at"], **parts)


def cited() -> str:
    """All of it in a few sentences, for whoever reads a table that the rules made."""
    found = validation()
    blind, held = (", ".join(_text(part, key) for key in ASKED) for part in (found.frozen, found.first))
    return (
        f"Labels are by rules, without a model. Against {found.frozen.proposals} invented proposals, labelled by "
        f"{found.labeller}, Cohen's kappa of the rules as first written was {blind}. They were then mended by one "
        f"half; on the other {found.first.proposals}, when first looked at, it was {held}."
    )


def _text(part: Measured, key: str) -> str:
    value, lo, hi = part.kappa[key]
    return f"{key} {value:.2f} [{lo:.2f}, {hi:.2f}]"
