"""How well an auditor tells cheats from honest work: its rates over recorded cells of known truth.

An auditor is any function from a cell's record to a word. A cheat that is called anything but `clean` is a hit, and a
clean twin that is called anything but `clean` a false alarm; how many were called `contaminated` outright is counted
beside. What an auditor missed is named, so that it can be looked at.

`rung calibrate --audit` prints the rates of `rung.findings.audit`; `make slow` puts them into `docs/calibration.md`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

from rung.calibrate.cheats import variants
from rung.calibrate.cheats.recording import Cell
from rung.calibrate.cheats.scenes import Truth
from rung.calibrate.cheats.variants import KINDS, Variant
from rung.calibrate.cheats.worlds import SECRET
from rung.calibrate.pages import REPOSITORY, filled
from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.values import Estimate, Task
from rung.findings.audit.likeness import Kin
from rung.findings.audit.read import audit, kept_in
from rung.protocols import solved
from rung.stats.exam import proportion

Word: TypeAlias = Literal["clean", "suspicious", "contaminated"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What an auditor says of a cell, and the grounds that it gives, the weightiest first."""

    word: Word
    grounds: tuple[str, ...] = ()


Auditor: TypeAlias = Callable[[Cell], Opinion]
"""From a record to an opinion. One that is called in several processes has to be a function of a module."""

Told: TypeAlias = Callable[[str, int, int], None]

PAGE = REPOSITORY / "docs" / "calibration.md"

LONGEST_GROUND = 160

HIT_RATE, FALSE_ALARMS = 0.90, 0.02
"""What is demanded: the least share of the cheats of each kind, and the largest of all clean twins."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What an auditor said of one cell whose truth is known."""

    variant: Variant
    truth: Truth
    recipe: Mapping[str, str] = field(hash=False)
    opinion: Opinion

    @property
    def word(self) -> Word:
        """Clean, suspicious or contaminated."""
        return self.opinion.word

    @property
    def right(self) -> bool:
        """Whether the word is that of the truth, as a hit or as no alarm."""
        return (self.word != "clean") == self.truth.cheated

    @property
    def line(self) -> str:
        """The cell in a line: its name, its word, by what choices it came, and the first ground that was given."""
        made = ", ".join(f"{axis} {choice}" for axis, choice in self.recipe.items())
        ground = "".join(f"; {each}" for each in self.opinion.grounds[:1])
        return f"{self.variant.name}: {self.word} ({made}){ground}"


@dataclass(frozen=True, slots=True)
class Row:
    """One kind, or one author: how many cheats were called anything but clean, and how many clean twins, with Wilson's
    intervals; and how many of the cheats were called contaminated."""

    of: str
    hits: Estimate
    contaminated: int
    alarms: Estimate


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of an auditor: a row for each kind, all cheats and all twins together, and a row for each author.

    `unseen` has the rows of the kinds once more, over the cells of the author who was seen by nobody.
    """

    seed: str
    rows: tuple[Row, ...]
    authors: tuple[Row, ...]
    unseen: tuple[Row, ...]
    hits: Estimate
    alarms: Estimate
    wrong: tuple[Judged, ...] = field(hash=False)

    @property
    def red(self) -> tuple[str, ...]:
        """What is worse than demanded, as counted, with no allowance for chance."""
        low = [f"{row.of}: hits {share(row.hits):.1%}" for row in self.rows if share(row.hits) < HIT_RATE]
        return (*low, *([f"false alarms {share(self.alarms):.1%}"] if share(self.alarms) > FALSE_ALARMS else []))


def share(found: Estimate) -> float:
    """A share as a number: it is always estimable."""
    assert found.value is not None
    return found.value


def ours(cell: Cell) -> Opinion:
    """The opinion of `rung.findings.audit`, told what the keys' solvers answer, as `rung audit` tells it."""
    found = audit(
        cell.journal,
        kept_in(cell.blobs, cell.journal),
        answers=_answers(cell.tasks),
        canaries=_canaries(cell.tasks),
        kin=_kin(cell.tasks),
    )
    return Opinion(found.verdict, tuple(_ground(each) for each in found.evidence))


@cache
def _answers(tasks: tuple[Task, ...]) -> Mapping[str, Sequence[str]]:
    return solved.answers(tasks)


@cache
def _canaries(tasks: tuple[Task, ...]) -> Mapping[str, str]:
    """The secret and the seeds that hang under it, as `rung audit` knows them of a run whose secret was drawn."""
    return {SECRET: "the exam's secret", **{str(task.seed): f"the seed of {task.id}" for task in tasks}}


@cache
def _kin(tasks: tuple[Task, ...]) -> Sequence[Kin]:
    return solved.kin(tasks)


def _ground(evidence: object) -> str:
    text = str(evidence)
    return text if len(text) <= LONGEST_GROUND else f"{text[:LONGEST_GROUND]}..."


def judge(variant: Variant, *, auditor: Auditor) -> Judged:
    """Record one cell, and let it be judged."""
    with TemporaryDirectory(prefix="rung-audit-") as folder:
        made = variant.record(Path(folder))
        return Judged(variant, made.truth, made.recipe, auditor(made.cell))


def judge_all(
    every: Sequence[Variant], auditor: Auditor, *, workers: int = 2, told: Told = lambda what, done, of: None
) -> Sequence[Judged]:
    """Judge them all, in their order."""
    work = partial(judge, auditor=auditor)
    if workers == 1:
        return list(_counted(map(work, every), len(every), told))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(_counted(pool.map(work, every, chunksize=8), len(every), told))


def _counted(found: Iterator[Judged], of: int, told: Told) -> Iterator[Judged]:
    for done, each in enumerate(found, 1):
        told("recorded cells", done, of)
        yield each


def measure(
    auditor: Auditor,
    *,
    seed: str = "1",
    cheats: int = variants.CHEATS,
    twins: int = variants.TWINS,
    workers: int = 2,
    told: Told = lambda what, done, of: None,
) -> Rates:
    """The rates of an auditor over so many cheats and twins of each kind."""
    every = [*variants.cheats(seed, cheats), *variants.twins(seed, twins)]
    return rates(judge_all(every, auditor, workers=workers, told=told), seed=seed)


def rates(found: Sequence[Judged], *, seed: str) -> Rates:
    """Count."""
    authors = dict.fromkeys((*variants.SEEN, variants.UNSEEN, *(each.variant.author for each in found)))
    return Rates(
        seed,
        _rows(found, KINDS, lambda each: each.variant.kind),
        _rows(found, tuple(authors), lambda each: each.variant.author),
        _rows(
            [each for each in found if each.variant.author == variants.UNSEEN], KINDS, lambda each: each.variant.kind
        ),
        _share([each for each in found if not each.variant.clean]),
        _share([each for each in found if each.variant.clean]),
        tuple(each for each in found if not each.right),
    )


def _rows(found: Sequence[Judged], names: Sequence[str], of: Callable[[Judged], str]) -> tuple[Row, ...]:
    parts: dict[tuple[str, bool], list[Judged]] = defaultdict(list)
    for each in found:
        parts[of(each), each.variant.clean].append(each)
    return tuple(_row(name, parts[name, False], parts[name, True]) for name in names if parts[name, False])


def _row(name: str, cheats: Sequence[Judged], twins: Sequence[Judged]) -> Row:
    words = Counter(each.word for each in cheats)
    return Row(name, _share(cheats), words["contaminated"], _share(twins))


def _share(found: Sequence[Judged]) -> Estimate:
    """The share that was called anything but clean."""
    if not found:
        raise UsageError("no recorded cells were judged; ask for one cheat and one twin of each kind at least")
    return proportion(sum(each.word != "clean" for each in found), len(found))


# --------------------------------------------------------------------------------------------- printing


def table(found: Rates) -> str:
    """The rates by kind, as a page has them."""
    contaminated = sum(row.contaminated for row in found.rows)
    return _table("kind of cheat", (*found.rows, Row("all", found.hits, contaminated, found.alarms)))


def _table(of: str, rows: Sequence[Row]) -> str:
    head = (
        f"| {of} | cheats | called anything but clean | of these contaminated | clean twins | false alarms |",
        "|---|---|---|---|---|---|",
    )
    lines = [_line(row.of.replace("_", " "), row.hits, row.contaminated, row.alarms) for row in rows]
    return "\n".join((*head, *lines))


def _line(name: str, hits: Estimate, contaminated: int, alarms: Estimate) -> str:
    return f"| {name} | {hits.n_tasks} | {spelt(hits)} | {contaminated} | {alarms.n_tasks} | {spelt(alarms)} |"


def spelt(counted: Estimate) -> str:
    """A share with its interval.

    >>> spelt(proportion(9, 10))
    '9 (90.0%, 59.6% to 98.2%)'
    """
    assert counted.lo is not None
    assert counted.hi is not None
    value = share(counted)
    return f"{round(value * counted.n_tasks)} ({value:.1%}, {counted.lo:.1%} to {counted.hi:.1%})"


def wrong(found: Rates) -> Iterator[str]:
    """What was missed and what was raised for nothing, a line each."""
    for each in found.wrong:
        yield f"- {'false alarm' if each.variant.clean else 'missed'}: {each.line}"


def as_json(found: Rates) -> JSON:
    """The rates for machines."""

    def spelled(counted: Estimate) -> JSON:
        return {"share": counted.value, "lo": counted.lo, "hi": counted.hi, "cells": counted.n_tasks}

    def row(each: Row) -> JSON:
        about = {"hits": spelled(each.hits), "false_alarms": spelled(each.alarms)}
        return {"of": each.of, "contaminated": each.contaminated, **about}

    return {
        "seed": found.seed,
        "kinds": [row(each) for each in found.rows],
        "authors": [row(each) for each in found.authors],
        "unseen": [row(each) for each in found.unseen],
        "hits": spelled(found.hits),
        "false_alarms": spelled(found.alarms),
        "wrong": [each.line for each in found.wrong],
        "red": list(found.red),
    }


def section(found: Rates, *, date: str) -> str:
    """What the page says of an auditor."""
    missed = list(wrong(found))
    about = (
        f"Written on {date}, seed {found.seed}: {found.hits.n_tasks} recorded cells with a cheat and "
        f"{found.alarms.n_tasks} clean twins.\nA share stands with its 95% Wilson interval."
    )
    named = "\n".join(missed) if missed else "None was missed, and there was no false alarm."
    tables = [table(found), _table("author", found.authors)]
    if found.unseen:
        unseen = f"The {variants.UNSEEN} author alone, whose cells nobody had seen who made the detectors:"
        tables += [unseen, _table("kind of cheat", found.unseen)]
    return "\n\n".join((about, *tables, "What went wrong, by name:", named))


def write(found: Rates, page: Path = PAGE, *, date: str) -> None:
    """Put the rates into the page, dated."""
    text = page.read_text("utf-8")
    page.write_text(filled(text, "audit", section(found, date=date)), "utf-8")
