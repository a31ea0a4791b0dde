"""Is a gain over a control believed as often as it is true? Whole studies of phantoms in memory, with their controls.

Phantoms that gain nothing on a rung gain nothing over a control there, and `discard` and `no-op` gain nothing anywhere.
Counted are the rows called improved though nothing is true (one-sided, nominally 2.5%), and the studies in which any
such row from G1 up clears its control (at most 2.5% by Holm, for each of its rows is two-sided at 5%).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from rung.agents.phantom import RUNGS, Kind
from rung.calibrate import phantoms
from rung.calibrate.phantoms import LEVELS, Design
from rung.calibrate.studies import SMALL, Counted
from rung.core.canonical import sha256
from rung.core.config import Config, parse
from rung.protocols import launch
from rung.reports import ladder
from rung.reports.over import Over

CONTROLS = ("discard", "no-op")
"""Those that go with phantoms, which write no text."""


@dataclass(frozen=True, slots=True)
class Held:
    """One study of one phantom held against its controls, and what each of those gained over A_0, by rung."""

    kind: Kind
    over: tuple[Over, ...]
    own: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A mean over so many independent studies, and its standard error."""

    mean: float
    error: float
    of: int


def config(kind: Kind, design: Design, *, seed: int) -> Config:
    """The study of one phantom with its controls."""
    document = phantoms.config(kind, design, seed=seed).model_dump(mode="json", exclude_none=True)
    return parse({**document, "controls": list(CONTROLS)})


def hold(kind: Kind, seed: int, *, secret: str, design: Design = SMALL) -> Held:
    """Run one study and read what its report says of gains over controls."""
    journal = launch.simulate(config(kind, design, seed=seed), secret=sha256(f"{secret}/{kind}/{seed}"))
    told = ladder.read(journal)
    own = [(rung.level, rung.gain.value) for arm in told.arms if arm.control_of for rung in arm.rungs]
    return Held(kind, told.over, tuple((level, value) for level, value in own if value is not None))


def hold_all(kinds: Sequence[Kind], *, studies: int, secret: str, design: Design = SMALL) -> list[Held]:
    """So many studies of each of these phantoms, with seeds drawn from a secret."""
    return [
        hold(kind, int(sha256(f"{secret}/seed/{kind}/{number}")[:12], 16), secret=secret, design=design)
        for kind in kinds
        for number in range(studies)
    ]


def false_words(found: Sequence[Held]) -> Counted:
    """Rows where nothing is true, and how many were called improved."""
    words = [row.verdict.word for one in found for row in _null(one)]
    return Counted(words.count("improved"), len(words))


def false_claims(found: Sequence[Held]) -> Counted:
    """Studies that have such rows from G1 up, and in how many any of them clears its control."""
    exams = [[row for row in _null(one) if row.level != "G0"] for one in found]
    return Counted(sum(any(row.clears for row in rows) for rows in exams), sum(map(bool, exams)))


def true_words(found: Sequence[Held], level: str) -> Counted:
    """Rows of one level where there is a gain, and how many were called improved."""
    rows = [row for one in found for row in one.over if row.level == level and _sign(one.kind, level) > 0]
    return Counted(sum(row.verdict.word == "improved" for row in rows), len(rows))


def own_gain(found: Sequence[Held], level: str) -> Drawn:
    """The mean gain of the controls themselves on one level: one number a study, so that studies are the sample."""
    means = [fmean(value for at, value in one.own if at == level) for one in found]
    return Drawn(fmean(means), stdev(means) / sqrt(len(means)), len(means))


def _null(one: Held) -> list[Over]:
    return [row for row in one.over if _sign(one.kind, row.level) == 0]


def _sign(kind: Kind, level: str) -> int:
    return dict(zip(LEVELS, RUNGS[kind], strict=True))[level]
