"""How far the rules agree with proposals that were labelled by somebody who had not seen them, from validation.json.

`written`: the rules as first written, against the first 120, before anybody had looked at a label. Then they were
mended by those. `mended`: the rules since, against another 120, written and labelled afterwards. Both are what was
found at the first look and cannot be made again. `now` is what the rules of this version come to on all 240.
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
    written: Measured
    mended: Measured
    now: Measured


@cache
def validation() -> Validation:
    """What is known of the rules of this version."""
    found = json.loads(PLACE.read_text("utf-8"))
    parts = {
        name: Measured(found[name]["proposals"], {key: tuple(found[name]["kappa"][key]) for key in ASKED})
        for name in ("written", "mended", "now")
    }
    return Validation(found["labeller"], **parts)


def cited() -> str:
    """All of it in a few sentences, for whoever reads a table that the rules made."""
    found = validation()
    written, mended = (", ".join(_text(part, key) for key in ASKED) for part in (found.written, found.mended))
    return (
        f"Labels are by rules, without a model. Against {found.written.proposals} invented proposals, labelled by "
        f"{found.labeller}, Cohen's kappa of the rules as first written was {written}. They were then mended by these; "
        f"against {found.mended.proposals} others, written and labelled afterwards, it was {mended} at the first look."
    )


def _text(part: Measured, key: str) -> str:
    value, lo, hi = part.kappa[key]
    return f"{key} {value:.2f} [{lo:.2f}, {hi:.2f}]"
