"""What is known of an arm beside its controls, as plain values (see `rung.reports.controls`)."""

from dataclasses import dataclass
from typing import Literal

from rung.core.values import Estimate
from rung.stats.verdict import Verdict

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Over:
    """The gain of an arm over one of its controls on one row of the ladder.

    `control` is the name of that arm, and `kind` which control it is. `adjusted` is the two-sided `p` after Holm's
    correction over every row from G1 up of every arm and control; None on G0 and where a row has none.
    """

    arm: str
    control: str
    kind: str
    level: Literal["G0", "G1", "G2", "G3", "G4"]
    target: str
    gain: Estimate
    verdict: Verdict
    p: float | None
    adjusted: float | None
    unit: str

    @property
    def clears(self) -> bool:
        """Whether the arm is shown to have gained more: by its word, and from G1 up by Holm as well."""
        if self.verdict.word != "improved":
            return False
        return self.level == "G0" or (self.adjusted is not None and self.adjusted <= LEVEL)


@dataclass(frozen=True, slots=True)
class Gate:
    """What became of what a control proposed.

    It was `asked` so many times with something to choose from, and `accepted` one. Of the edits that were `proposed`,
    so many were `empty`, because there was no text in them that could be written anew.
    """

    arm: str
    control: str
    kind: str
    asked: int
    accepted: int
    proposed: int
    empty: int
