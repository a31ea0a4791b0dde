"""Does the ladder put each phantom on its own rungs? Many whole studies in memory, each of one phantom with its own
static arm, its own A_0 exam and its own drawn secret.

A phantom is on its own rungs when the rungs it is said to have gained (G0 where that is improved, and those held from
G1 up) are exactly those of its true gain, and each of its true losses is called regressed. A null row is one whose true
gain is zero; the share of null rows called improved is the instrument's one-sided false-positive rate, nominally 2.5%.
False losses are counted too.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from rung.agents.phantom import RUNGS, Kind
from rung.core.canonical import JSON, sha256
from rung.core.config import Config, parse
from rung.protocols import launch
from rung.reports import ladder
from rung.reports.values import ArmReport

LEVELS = ("G0", "G1", "G2", "G3", "G4")


@dataclass(frozen=True, slots=True)
class Design:
    """The size of one study: K lineages of `worked` tasks with a replay after each task beyond `lag`, and N exam tasks
    a level."""

    lineages: int = 14
    exam_tasks: int = 20
    worked: int = 40
    lag: int = 20
    rate: float = 0.0125
    chooser_rate: float = 0.05


@dataclass(frozen=True, slots=True)
class Placed:
    """What one study said of one phantom: its word on every level, and the rungs it held from G1 up."""

    kind: Kind
    words: tuple[str, ...]
    held: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether these are the phantom's own rungs."""
        signs = dict(zip(LEVELS, RUNGS[self.kind], strict=True))
        gained = (*(("G0",) if self.words[0] == "improved" else ()), *self.held)
        lost = {level for level, word in zip(LEVELS, self.words, strict=True) if word == "regressed"}
        truly_gained = tuple(level for level, sign in signs.items() if sign > 0)
        return gained == truly_gained and {level for level, sign in signs.items() if sign < 0} <= lost

    @property
    def null_words(self) -> tuple[str, ...]:
        """The words on the levels where nothing is true."""
        return tuple(word for word, sign in zip(self.words, RUNGS[self.kind], strict=True) if sign == 0)


def config(kind: Kind, design: Design, *, seed: int) -> Config:
    """The study of one phantom on the toy families."""

    def block(family: str, difficulty: int, count: int, **more: JSON) -> dict[str, JSON]:
        return {"family": family, "difficulty": difficulty, "count": count, **more}

    rate = design.chooser_rate if kind == "chooser" else design.rate
    return parse(
        {
            "name": f"calibrate {kind}",
            "protocol": "ladder",
            "seed": seed,
            "lineages": design.lineages,
            "agent": {"kind": f"phantom:{kind}", "rate": rate},
            "method": {"name": "phantom", "trials": 1 if kind == "chooser" else 0},
            "tasks": {
                "replay": {"interval": 1, "lag": design.lag},
                "schedule": [block("toy-lock-v1", 2, design.worked, replay=True)],
                "holdout": [
                    block("toy-lock-v1", 2, design.exam_tasks),
                    block("toy-lock-v1", 4, design.exam_tasks),
                    block("toy-lamp-v1", 2, design.exam_tasks),
                    block("toy-road-v1", 2, design.exam_tasks),
                ],
            },
        }
    )


def place(kind: Kind, seed: int, *, design: Design, secret: str) -> Placed:
    """Run one whole study in memory and read its report."""
    journal = launch.simulate(config(kind, design, seed=seed), secret=sha256(f"{secret}/{kind}/{seed}"))
    return placed(kind, ladder.read(journal).arms[0])


def placed(kind: Kind, arm: ArmReport) -> Placed:
    """What a report says of its phantom."""
    words: dict[str, str] = {rung.level: rung.verdict.word for rung in arm.rungs}
    return Placed(kind, tuple(words[level] for level in LEVELS), arm.climbed)


def place_all(*, studies: int, secret: str, design: Design = Design(), workers: int = 2) -> Sequence[Placed]:
    """Every phantom in so many studies, with seeds drawn from a secret that nobody could tune to."""
    jobs = list(_jobs(studies, secret))
    work = partial(_place, design=design, secret=secret)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, jobs, chunksize=8))


def _jobs(studies: int, secret: str) -> Iterator[tuple[Kind, int]]:
    for kind in RUNGS:
        for number in range(studies):
            yield kind, int(sha256(f"{secret}/seed/{kind}/{number}")[:12], 16)


def _place(job: tuple[Kind, int], *, design: Design, secret: str) -> Placed:
    kind, seed = job
    return place(kind, seed, design=design, secret=secret)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over many studies: right placements by phantom, and words on null rows."""

    studies: Mapping[Kind, int]
    right: Mapping[Kind, int]
    null_rows: int
    null_improved: int
    null_regressed: int


def tally(found: Sequence[Placed]) -> Tally:
    """Count."""
    null = [word for one in found for word in one.null_words]
    return Tally(
        studies={kind: sum(one.kind == kind for one in found) for kind in RUNGS},
        right={kind: sum(one.kind == kind and one.right for one in found) for kind in RUNGS},
        null_rows=len(null),
        null_improved=null.count("improved"),
        null_regressed=null.count("regressed"),
    )
