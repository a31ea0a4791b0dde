"""The plan of a study: what it uses, what it can show, where the next dollar goes, and what it rests on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import cast

from rung.core import registry
from rung.core.config import Block, Config
from rung.core.errors import UsageError
from rung.planning import blind, pilot, power, predict, use
from rung.planning.pilot import Pilot
from rung.planning.power import Design, Detectable, Noise, Step, What
from rung.planning.use import Amount, Arms
from rung.protocols import forecast, plan, providers, registered, wiring
from rung.protocols.rungs import comparisons
from rung.protocols.shortfalls import shortfalls
from rung.protocols.study import Arm
from rung.stats.flags import MIN_TASKS

TAUS = (0.0, 0.03, 0.08)
"""How far lineages may differ, as shares of the scale, where no pilot shows it (docs/guide/planning.md)."""
MIDDLE = 0.03

TASK, ATTEMPT = 0.117, 0.307
"""How gains differ between tasks, and attempts at a task, as shares of the scale, where no pilot shows it.

With them one success-or-failure attempt before and one after differ by a standard deviation of 0.45, and three by
0.277, as published results do on average (shobench's ten cells: 0.38 to 0.61).
"""

TOO_FEW = f"fewer than {MIN_TASKS} tasks give no verdict"

STEPS: tuple[What, ...] = ("task", "lineage", "repeat", "baseline repeat")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the ladder: what it detects for each spread of lineages in `taus`, in the units of its scores.

    `seen` is what pilots show of its noise, and then the last of `taus` is theirs where they show tau.
    """

    level: str
    target: str
    tasks: int
    unit: str
    width: float
    noise: tuple[Noise, ...]
    found: tuple[Detectable, ...]
    seen: pilot.Seen | None

    @property
    def best(self) -> Detectable:
        """By the pilots' own tau where they show it, else by the middle one of those assumed."""
        return self.found[self._at]

    @property
    def best_noise(self) -> Noise:
        """The noise of that."""
        return self.noise[self._at]

    @property
    def _at(self) -> int:
        return len(TAUS) if len(self.found) > len(TAUS) else TAUS.index(MIDDLE)


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Everything that is foreseen of a study. `level` is what ranges hold; None where there is no pilot."""

    name: str
    config: Config
    identity: str
    power: float
    arms: tuple[str, ...]
    amounts: tuple[Amount, ...]
    level: float | None
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
    currency: str
    basis: tuple[str, ...]
    warnings: tuple[str, ...]
    pilots: tuple[tuple[str, str], ...]

    def amount(self, quantity: str) -> Amount | None:
        """What is foreseen of a quantity; None where it is of models and none is called."""
        return next((each for each in self.amounts if each.quantity == quantity), None)


def make(config: Config, *, base: Path = Path(), pilots: Sequence[Pilot] = (), at: float = power.POWER) -> StudyPlan:
    """The plan of a study, at a power. Nothing is written and no model is asked.

    `base` is the folder from which the config names plug-in files. Raises `UsageError` for a config that cannot be run.
    """
    if config.protocol != "ladder":
        raise UsageError(
            f'protocol = "{config.protocol}": rung plan foresees ladder studies alone; run a small study of it first, '
            "and go by what its report says that it cost"
        )
    made = wiring.arms(config, base=base, models=providers.unreached(config))
    plugins = wiring.plugin_files(config, base=base)
    plan.refuse_impossible(wiring.with_folders(config, base=base))
    return foresee(config, made, base=base, plugins=plugins, pilots=pilots, at=at)


def foresee(
    config: Config,
    arms: Sequence[Arm],
    *,
    base: Path = Path(),
    plugins: Mapping[str, str] = MappingProxyType({}),
    pilots: Sequence[Pilot] = (),
    at: float = power.POWER,
) -> StudyPlan:
    """The same with arms that are made already."""
    config = wiring.with_folders(config, base=base)
    guessed = None if pilots else blind.guess(config, arms)
    maker = _Maker(use.arms(arms), tuple(pilots), at, guessed)
    amounts = maker.amounts(config)
    rows = maker.rows(config)
    currency = _currency(amounts)
    return StudyPlan(
        name=config.name,
        config=config,
        identity=registered.identity(config, plugins),
        power=at,
        arms=tuple(arm.name for arm in arms),
        amounts=amounts,
        level=predict.LEVEL if pilots else None,
        rows=rows,
        steps=maker.steps(config, rows, amounts, currency),
        currency=currency,
        basis=tuple(maker.basis(config, rows)),
        warnings=tuple(shortfalls(config)),
        pilots=tuple((each.name, each.digest) for each in pilots),
    )


def _currency(amounts: Sequence[Amount]) -> str:
    """In what the next step is paid: dollars where they are known and owed, else tokens, else actions."""
    for name in ("usd", "tokens", "calls"):
        found = next((each.range for each in amounts if each.quantity == name), None)
        if found is not None and found.expected > 0:
            return name
    return "actions"


@dataclass(frozen=True, slots=True)
class _Maker:
    of: Arms
    pilots: tuple[Pilot, ...]
    power: float
    guessed: blind.Guess | None

    def amounts(self, config: Config) -> tuple[Amount, ...]:
        if self.guessed is None:
            return use.amounts(config, self.of, self.pilots)
        return blind.amounts(config, self.of, self.guessed)

    # ----------------------------------------------------------------------------------------- what it can show

    def rows(self, config: Config) -> tuple[Row, ...]:
        return (*self._replays(config), *(self._row(config, each.level, each.target) for each in comparisons(config)))

    def _row(self, config: Config, level: str, target: str) -> Row:
        tasks = next(block.count for block in config.tasks.holdout if block.label == target)
        design = Design(config.lineages, tasks, config.exam.repeats, config.baseline_repeats)
        seen = pilot.on_exam(self.pilots, target)
        unit, width = _scale(target)
        noise = _noise(seen, width)
        found = tuple(power.detectable(each, design, power=self.power) for each in noise)
        if tasks < MIN_TASKS:
            found = tuple(map(_without_a_word, found))
        return Row(level, target, tasks, unit, width, noise, found, seen)

    def _replays(self, config: Config) -> Iterator[Row]:
        """G0, where anything is replayed: so many replays a lineage."""
        _, replayed = forecast.places(config)
        if not sum(replayed.values()):
            return
        seen = pilot.on_replays(self.pilots)
        cells = [cell for cell, count in replayed.items() if count]
        unit, width = _scale(cells[0])
        noise, events = _noise(seen, width), sum(replayed.values())
        found = tuple(power.nested(each, config.lineages, events, power=self.power) for each in noise)
        if config.lineages * events < MIN_TASKS:
            found = tuple(map(_without_a_word, found))
        yield Row("G0", "replays", events, unit, width, noise, found, seen)

    # ----------------------------------------------------------------------------------------- the next dollar

    def steps(self, config: Config, rows: Sequence[Row], amounts: Sequence[Amount], currency: str) -> tuple[Step, ...]:
        now = _expected(amounts, currency)
        if now is None:
            return ()
        found = []
        for what in STEPS:
            more = _larger(config, what)
            then = _expected(self.amounts(more), currency)
            if then is not None:
                late = self.rows(more)
                gains = [tuple(row.best.gain for row in side) for side in (rows, late)]
                found.append(Step(what, gains[0], gains[1], then - now))
        return power.ranked(found)

    # ----------------------------------------------------------------------------------------- what it rests on

    def basis(self, config: Config, rows: Sequence[Row]) -> Iterator[str]:
        yield from self._of_use(config)
        yield from self._of_noise(config, rows)

    def _of_use(self, config: Config) -> Iterator[str]:
        if self.guessed is not None:
            players = "the newcomer and the solver"
            players += "" if self.guessed.scripted else ", and somebody who talks nonsense,"
            yield (
                f"Use is a prior and no measurement: episodes are as long as {players} make them in each game, from "
                "the shortest to the longest. Ranges that hold need a pilot: rung run CONFIG --quick, then --pilot RUN"
            )
            return
        for each in self.pilots:
            of = f"{each.lineages} lineages of {each.worked} tasks"
            yield f"Pilot {each.name!r}: {len(each.attempts):,} attempts, {of}"
        tasks, worked = use.longer(config, self.pilots)
        if tasks > worked:
            yield (
                f"A lineage works {tasks} tasks, and in the pilot {worked}: that learning changes use further is "
                "allowed for, and not seen"
            )
        yield from self._of_borrowed(config)
        yield from self._of_models()
        if sum(each.lineages for each in self.pilots) < 2:
            yield "One lineage: how use differs between lineages is not in the ranges"

    def _of_borrowed(self, config: Config) -> Iterator[str]:
        found = list(use.borrowed(config, self.of, self.pilots))
        if found:
            (group, lender), more = found[0], f", and so on for {len(found) - 1} more" if len(found) > 1 else ""
            yield f"No pilot shows {_spelt(group)}: {_spelt(lender)} stands in for it{more}"

    def _of_models(self) -> Iterator[str]:
        for each in self.pilots:
            for arm in each.found.config["arms"]:
                said, wanted = arm["agent"].get("model"), self.of.models.get((arm["name"], "acting"))
                if arm["name"] in self.of.control and said != wanted:
                    yield f"In the pilot {arm['name']} acts with {said or 'no model'}, here with {wanted or 'none'}"

    def _of_noise(self, config: Config, rows: Sequence[Row]) -> Iterator[str]:
        unseen = [row for row in rows if row.seen is None]
        if unseen:
            yield (
                f"Assumed for {_some(row.level for row in unseen)}: gains differ between tasks by a standard deviation "
                f"of {TASK} of the scale, and attempts at a task by {ATTEMPT}"
            )
        if config.lineages > 1 and any(len(row.found) == len(TAUS) for row in rows):
            yield "How lineages differ (tau) is not known: 0, 3 and 8 points of the scale are shown, 3 is reckoned with"
        for row in rows:
            if row.seen is not None:
                yield _of_seen(row)


def _of_seen(row: Row) -> str:
    noise, df = row.noise[-1], cast(pilot.Seen, row.seen).tau_df
    tau = f"tau {noise.tau:.3g} (from {df} lineages beyond the first)" if len(row.found) > len(TAUS) else "no tau"
    return f"{row.level} {row.target} from the pilot: {tau}, s_t {noise.task:.3g}, s_e {noise.attempt:.3g}"


def _without_a_word(found: Detectable) -> Detectable:
    return replace(found, gain=None, why=found.why or TOO_FEW)


def _some(names: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _spelt(group: predict.Group) -> str:
    return f"{group.kind} of {group.who} on {group.cell}"


def _scale(cell: str) -> tuple[str, float]:
    """Unit of a cell's scores, and the width of their scale; one unit where it has no upper end."""
    scale = registry.family(cell.split(" ")[0]).scale
    return scale.unit, 1.0 if scale.high is None else scale.high - scale.low


def _noise(seen: pilot.Seen | None, width: float) -> tuple[Noise, ...]:
    """One for each tau that is assumed, and one more where pilots show it."""
    base = Noise(0.0, TASK * width, ATTEMPT * width) if seen is None else seen.noise
    grid = tuple(replace(base, tau=tau * width) for tau in TAUS)
    return (*grid, base) if seen is not None and seen.tau_df >= pilot.MIN_TAU_DF else grid


def _larger(config: Config, what: What) -> Config:
    """The config with one more lineage, one more exam task in each cell, or one more attempt at each of these."""
    exam = config.exam
    if what == "lineage":
        return config.model_copy(
            update={
                "lineages": config.lineages + 1,
                "exam": exam.model_copy(update={"baseline_repeats": config.baseline_repeats}),
            }
        )
    if what == "task":
        holdout: tuple[Block, ...] = tuple(
            block.model_copy(update={"count": block.count + 1}) for block in config.tasks.holdout
        )
        pool = {"holdout": holdout, "holdout_tasks_per_difficulty": None}
        return config.model_copy(update={"tasks": config.tasks.model_copy(update=pool)})
    early = config.baseline_repeats + (what == "baseline repeat")
    late = exam.repeats + (what == "repeat")
    return config.model_copy(update={"exam": exam.model_copy(update={"repeats": late, "baseline_repeats": early})})


def _expected(amounts: Sequence[Amount], currency: str) -> float | None:
    found = next((each.range for each in amounts if each.quantity == currency), None)
    return None if found is None else found.expected
