"""What a study costs at worst, before it starts: attempts, model calls, tokens and dollars.

It is an upper bound in this sense: every attempt takes all its steps, every task worked fails and is refined, every
candidate is tried, every reply is as long as it may be, every byte of text is a token, and no input is cached. What is
asked is found by rehearsing the agents and methods themselves (see `rung.protocols.rehearsal`), priced by the gateway.
Limits of a lineage, a session and a task lower it, each of their quantities by itself; the study's own budget does not,
but stands beside it.

It is an estimate where it knows only by example. How large prompts grow is seen in up to `SAMPLE` tasks of each cell,
played by a newcomer and by somebody who answers nonsense; other tasks, and better play, may show more. The exam is
drawn anew when the study starts, unless its secret is fixed. And it leaves out what is not of the plan: tries again
after a provider's failure, and exam attempts that broke and are run again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from rung.backends.models.gateway import Gateway
from rung.core.canonical import fingerprint, sha256
from rung.core.config import Block, Config, LimitConfig, ReplayConfig
from rung.core.errors import UsageError
from rung.core.values import Setting, State, Task
from rung.protocols import lines, plan, providers, rehearsal, unfit, wiring
from rung.protocols.lines import Caps
from rung.protocols.rehearsal import Ask, Rehearsed, Sight, Unforeseen
from rung.protocols.shortfalls import shortfalls
from rung.protocols.study import Arm
from rung.tasks import sequence

SAMPLE = 12
"""Tasks of each block that are drawn and played at most. Drawing one of the hardest takes a tenth of a second."""

Phase: TypeAlias = Literal["working", "judging", "trying", "refining", "examining"]
PHASES: tuple[Phase, ...] = ("working", "judging", "trying", "refining", "examining")
Quantity: TypeAlias = Literal["usd", "tokens", "calls"]
QUANTITIES: tuple[Quantity, ...] = ("usd", "tokens", "calls")

THROW_AWAY = "a forecast, which examines nobody"
"""Stands in for a secret that is not drawn yet, so that no forecast can rehearse an exam."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How many attempts a study has, without trials and reruns: what its config says, and nothing has to be drawn.

    `places` are those of one lineage, replays among them; `tasks` are those of the exam. Where they explore, the
    checkpoints of a lineage sit `checked` of these, and A_0 works none.
    """

    arms: int
    lineages: int
    places: int
    tasks: int
    repeats: int
    baseline_repeats: int
    cell: bool = False
    fresh: bool = False
    sentinels: int = 0
    checked: int | None = None

    def attempts(self, beginnings: int) -> int:
        """All of them, with so many distinct A_0. In a ladder each has a static arm; in a cell each has sentinels, and
        each lineage may have a fresh exam of it."""
        if self.checked is not None:
            each = self.places + self.checked * self.repeats
            return self.arms * self.lineages * each + beginnings * self.tasks * self.baseline_repeats
        worked = (self.arms + (0 if self.cell else beginnings)) * self.lineages * self.places
        before = beginnings * (self.lineages if self.fresh else 1) * self.baseline_repeats
        sittings = before + self.arms * self.lineages * self.repeats
        return worked + sittings * self.tasks + beginnings * min(self.sentinels, self.tasks)


def extent(config: Config) -> Extent:
    """How much a study does."""
    tasks = config.tasks
    return Extent(
        arms=len(config.every_arm()),
        lineages=config.lineages,
        places=sum(each.total() for each in places(config)),
        tasks=sum(block.count for block in tasks.holdout),
        repeats=config.exam.repeats,
        baseline_repeats=config.baseline_repeats,
        cell=config.protocol == "cell",
        fresh=config.protocol == "cell" and config.cell.before == "fresh",
        sentinels=config.cell.sentinels if config.protocol == "cell" else 0,
        checked=sum(_checked(config).values()) if config.explore is not None else None,
    )


def _checked(config: Config) -> Counter[str]:
    """How many sealed tasks of each cell the exams of a lineage take: each of them once, or its checkpoints' alone."""
    how = config.explore
    blocks = config.tasks.holdout
    return Counter({each.label: how.checked if how is not None else each.count for each in blocks})


def places(config: Config) -> tuple[Counter[str], Counter[str]]:
    """How many tasks of each cell a lineage works, and how many it replays."""
    tasks = config.tasks
    stand_ins = [(block, [_stand_in(block)] * block.count) for block in tasks.schedule]
    worked, replayed = Counter[str](), Counter[str]()
    plays = config.explore.plays if config.explore is not None else 1
    order = sequence.insert_replays(stand_ins, interval=tasks.replay.interval, lag=tasks.replay.lag)
    for task, purpose in order:
        (worked if purpose == "work" else replayed)[task.cell] += plays
    return worked, replayed


def _stand_in(block: Block) -> Task:
    return Task(block.family, Setting(block.setting_name), "", {}, "", calls=1)


# --------------------------------------------------------------------------------------------- amounts


@dataclass(frozen=True, slots=True)
class Cost:
    """The most that a part of a study costs. `read` and `written` are tokens; `usd` is None where no price is known.

    Where a limit has lowered `tokens`, they are fewer than `read` and `written` together.
    """

    attempts: int = 0
    calls: int = 0
    read: int = 0
    written: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Cost(
            self.attempts + other.attempts,
            self.calls + other.calls,
            self.read + other.read,
            self.written + other.written,
            self.tokens + other.tokens,
            usd,
        )

    def times(self, many: int) -> "Cost":
        """So many of it."""
        if many == 0:
            return Cost()
        return Cost(
            self.attempts * many,
            self.calls * many,
            self.read * many,
            self.written * many,
            self.tokens * many,
            self.usd * many if self.usd is not None else None,
        )

    def larger(self, other: "Cost") -> "Cost":
        """The larger of each."""
        usd = None if self.usd is None or other.usd is None else max(self.usd, other.usd)
        return Cost(
            max(self.attempts, other.attempts),
            max(self.calls, other.calls),
            max(self.read, other.read),
            max(self.written, other.written),
            max(self.tokens, other.tokens),
            usd,
        )

    def within(self, limits: LimitConfig) -> "Cost":
        """What of it the limits let through."""
        tokens = self.tokens if limits.tokens is None else limits.tokens
        usd = self.usd if self.usd is None or limits.usd is None else min(self.usd, limits.usd)
        calls = self.calls if limits.calls is None else min(self.calls, limits.calls)
        read, written = min(self.read, tokens), min(self.written, tokens)
        return Cost(self.attempts, calls, read, written, min(self.tokens, tokens), usd)


def total(costs: Sequence[Cost]) -> Cost:
    """All of them together."""
    return sum(costs, Cost())


def _summed(asks: Sequence[Ask], *, attempts: int) -> Cost:
    calls = [Cost(0, 1, ask.read, ask.written, ask.read + ask.written, ask.usd) for ask in asks]
    return Cost(attempts) + total(calls)


# --------------------------------------------------------------------------------------------- the forecast


@dataclass(frozen=True, slots=True)
class Part:
    """One phase of one arm. `unknown` says why the calls of it cannot be said; its attempts can, but for trials."""

    phase: Phase
    cost: Cost
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class ArmForecast:
    """One arm: its phases, and all of them together, which the limits of its lineages may make less than their sum."""

    name: str
    parts: tuple[Part, ...]
    total: Cost

    @property
    def unknown(self) -> tuple[str, ...]:
        """Why parts of it cannot be said."""
        return tuple(dict.fromkeys(part.unknown for part in self.parts if part.unknown))


@dataclass(frozen=True, slots=True)
class Against:
    """A quantity of the study's `[budget]` beside the worst case; None where there is no limit, or no price."""

    quantity: Quantity
    limit: float | None
    worst: float | None

    @property
    def share(self) -> float | None:
        """How much of the worst case the budget covers; None where it is not limited, or nothing is spent."""
        return self.limit / self.worst if self.limit is not None and self.worst else None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The worst case of a study.

    `refused` is why it would not start as it is; `warned` is what it could not show for want of tasks; `lowered` names
    the limits that lower the worst case; `longest` is the largest input of one call, in tokens.
    """

    name: str
    extent: Extent
    arms: tuple[ArmForecast, ...]
    budget: tuple[Against, ...]
    lowered: tuple[str, ...]
    refused: tuple[str, ...]
    warned: tuple[str, ...]
    prices: Mapping[str, Mapping[str, object] | None]
    reruns: int
    longest: int
    bounded: bool

    @property
    def total(self) -> Cost:
        """All arms together."""
        return total([arm.total for arm in self.arms])

    @property
    def unknown(self) -> tuple[str, ...]:
        """Why parts of it cannot be said."""
        return tuple(dict.fromkeys(reason for arm in self.arms for reason in arm.unknown))

    @property
    def binds(self) -> Against | None:
        """The budget that covers the smallest share of the worst case, if any covers less than all."""
        short = [each for each in self.budget if each.share is not None and each.share < 1.0]
        return min(short, key=lambda each: each.share or 0.0, default=None)

    @property
    def phases(self) -> tuple[Part, ...]:
        """Each phase of all arms together."""
        parts = [part for arm in self.arms for part in arm.parts]
        return tuple(
            Part(
                phase,
                total([part.cost for part in parts if part.phase == phase]),
                next((part.unknown for part in parts if part.phase == phase and part.unknown), ""),
            )
            for phase in PHASES
            if phase != "judging" or any(part.phase == phase for part in parts)
        )


def make(config: Config, *, base: Path = Path()) -> Forecast:
    """The worst case of a study. Nothing is written, no model is reached and no key is needed.

    `base` is the folder from which the config names plug-in files. Raises `UsageError` for a config that cannot be run.
    """
    models = providers.unreached(config)
    arms = wiring.arms(config, base=base, models=models)
    config = wiring.with_folders(config, base=base)
    plan.refuse_impossible(config)
    unfit.refuse(config, arms)
    return asyncio.run(_Reckoning(config, models, arms).forecast())


def of(config: Config, arms: Sequence[Arm]) -> Forecast:
    """The worst case of a study with arms that are made already, over models that are never reached here."""
    return asyncio.run(_Reckoning(config, providers.unreached(config), arms).forecast())


def _refusals(config: Config, arms: Sequence[Arm]) -> Iterator[str]:
    """What the study lacks to start, which a forecast needs not: keys, addresses, a budget."""
    checks: tuple[Callable[[], object], ...] = (
        lambda: providers.made(config),
        lambda: providers.refuse_unbounded(config, arms),
    )
    for check in checks:
        try:
            check()
        except UsageError as refusal:
            yield str(refusal)


@dataclass(slots=True)
class _Reckoning:
    """One forecast in the making."""

    config: Config
    models: Mapping[str, Gateway]
    arms: Sequence[Arm]
    sights: dict[str, Sight | Unforeseen] = field(default_factory=dict)
    rehearsed: dict[tuple[str, str, str], Rehearsed] = field(default_factory=dict)
    lowered: dict[str, None] = field(default_factory=dict)
    longest: int = 0

    @property
    def caps(self) -> Caps | None:
        """The caps on every call of the study."""
        return lines.caps(self.config)

    async def forecast(self) -> Forecast:
        """All of it."""
        await self._look()
        frozen = "static" if self.config.explore is None else "baseline"
        static = [
            await self._arm(arm, name.replace("static", frozen), frozen=True) for name, arm in controls(self.arms)
        ]
        arms = (*static, *[await self._arm(arm, arm.name, frozen=False) for arm in self.arms])
        whole, budget = total([arm.total for arm in arms]), self.config.budget
        return Forecast(
            name=self.config.name,
            extent=extent(self.config),
            arms=arms,
            budget=tuple(Against(each, getattr(budget, each), getattr(whole, each)) for each in QUANTITIES),
            lowered=tuple(self.lowered),
            refused=tuple(_refusals(self.config, self.arms)),
            warned=shortfalls(self.config),
            prices={
                name: model.price.model_dump() if model.price is not None else None
                for name, model in sorted(self.models.items())
            },
            reruns=self.config.exam.reruns,
            longest=self.longest,
            bounded=all(self.config.reached(name).context_tokens is not None for name in self.models),
        )

    async def _look(self) -> None:
        """See a few tasks of each cell."""
        for cell, tasks in sample(self.config).items():
            judged = self.config.tasks.self_score
            try:
                seen = await rehearsal.sight(tasks, self.config.most_steps, judged=judged)
            except Unforeseen as why:
                self.sights[cell] = why
            else:
                self.sights[cell] = seen
                self._note("[budget.task] steps", seen.limited and self.config.budget.task.steps is not None)

    # ----------------------------------------------------------------------------------------- one arm

    async def _arm(self, arm: Arm, name: str, *, frozen: bool) -> ArmForecast:
        """A whole arm, its lineages together."""
        exam, lineages = self.config.exam, self.config.lineages
        worked, replayed = places(self.config)
        explores = self.config.explore is not None
        every = Counter({block.label: block.count for block in self.config.tasks.holdout})
        sat = every if frozen else _checked(self.config)
        sittings = self.config.baseline_repeats if frozen else lineages * exam.repeats
        parts = [] if frozen and explores else [await self._attempts("working", arm, worked + replayed, frozen=frozen)]
        if arm.judging.by == "model" and not frozen:
            parts.append(await self._judgements(arm, worked))
        if not frozen:
            parts += [await self._trials(arm, worked), await self._refinements(arm, worked)]
        examining = await self._attempts("examining", arm, sat, frozen=frozen)
        lineage = self._capped(total([part.cost for part in parts]), "lineage", self.config.budget.lineage)
        parts = [Part(part.phase, self._of_lineages(part.cost), part.unknown) for part in parts]
        parts.append(Part(examining.phase, examining.cost.times(sittings), examining.unknown))
        return ArmForecast(name, tuple(parts), lineage.times(lineages) + parts[-1].cost)

    def _of_lineages(self, cost: Cost) -> Cost:
        """What a part of every lineage costs."""
        return cost.within(self.config.budget.lineage).times(self.config.lineages)

    async def _attempts(self, phase: Phase, arm: Arm, cells: Mapping[str, int], *, frozen: bool) -> Part:
        """So many attempts of each cell, once each."""
        costs, unknown = [], ""
        for cell, many in cells.items():
            try:
                costs.append((await self._attempt(arm, cell, frozen=frozen)).times(many))
            except Unforeseen as why:
                unknown = unknown or str(why)
                costs.append(Cost(attempts=many))
        return Part(phase, total(costs), unknown)

    async def _trials(self, arm: Arm, worked: Mapping[str, int]) -> Part:
        """The trials of a lineage's candidates."""
        if arm.method.trials == 0:
            return Part("trying", Cost())
        try:
            candidates = rehearsal.foreseen(arm).most_candidates
        except Unforeseen as why:
            return Part("trying", Cost(), str(why))
        many = {cell: count * candidates * arm.method.trials for cell, count in worked.items()}
        return await self._attempts("trying", arm, many, frozen=False)

    async def _judgements(self, arm: Arm, worked: Mapping[str, int]) -> Part:
        """The judgements of a lineage's steps by another model."""
        gateway = self._model(arm.judging.model)
        costs, unknown = [], ""
        for cell, many in worked.items():
            try:
                _, actions = await self._rehearse(arm, arm.method.initial_state(arm.agent), cell)
                asks = await rehearsal.judgements(rehearsal.told(self._sight(cell), actions), gateway, self.caps)
            except Unforeseen as why:
                unknown = unknown or str(why)
            else:
                self._seen_longest(asks)
                costs.append(_summed(asks, attempts=0).times(many))
        return Part("judging", total(costs), unknown)

    async def _refinements(self, arm: Arm, worked: Mapping[str, int]) -> Part:
        """The refinements of a lineage."""
        try:
            costs = [(await self._refinement(arm, cell)).times(many) for cell, many in worked.items()]
        except Unforeseen as why:
            return Part("refining", Cost(), str(why))
        return Part("refining", total(costs))

    # ----------------------------------------------------------------------------------------- one attempt

    async def _attempt(self, arm: Arm, cell: str, *, frozen: bool) -> Cost:
        """One attempt in this cell, from A_0 and, unless frozen, from the state with the longest prompts."""
        if frozen and arm.method.wrapping:
            rehearsal.foreseen(arm)
        asks, _ = await self._rehearse(arm, arm.method.initial_state(arm.agent), cell)
        cost = self._limited(asks)
        if not frozen and self._model(arm.model) is not None:
            later, _ = await self._rehearse(arm, await self._fullest(arm, cell), cell)
            cost = cost.larger(self._limited(later))
        return cost

    async def _refinement(self, arm: Arm, cell: str) -> Cost:
        """Refining once after an attempt in this cell, failed or solved."""
        method, seen = rehearsal.foreseen(arm), self._sight(cell)
        improver = self._model(arm.improver)
        state = await self._fullest(arm, cell)
        _, actions = await self._rehearse(arm, state, cell)
        cost = Cost()
        for success in (False, True):
            feedback = rehearsal.told(seen, actions, success=success)
            asks = await rehearsal.refinement(
                arm, state, feedback, improver, candidates=method.most_candidates, caps=self.caps
            )
            self._seen_longest(asks)
            cost = cost.larger(_summed(asks, attempts=0))
        return cost

    async def _fullest(self, arm: Arm, cell: str) -> State:
        start = arm.method.initial_state(arm.agent)
        _, actions = await self._rehearse(arm, start, cell)
        return rehearsal.foreseen(arm).fullest(start, rehearsal.told(self._sight(cell), actions))

    async def _rehearse(self, arm: Arm, state: State, cell: str) -> Rehearsed:
        """One attempt, rehearsed once however often it is asked for."""
        place = (arm.name, cell, _print(state))
        if place not in self.rehearsed:
            seen, gateway = self._sight(cell), self._model(arm.model)
            self.rehearsed[place] = await rehearsal.attempt(arm, state, seen, gateway, self.caps)
        return self.rehearsed[place]

    def _sight(self, cell: str) -> Sight:
        seen = self.sights[cell]
        if isinstance(seen, Unforeseen):
            raise seen
        return seen

    def _model(self, provider: object) -> Gateway | None:
        return self.models[provider.id] if isinstance(provider, Gateway) else None

    # ----------------------------------------------------------------------------------------- limits

    def _limited(self, asks: Sequence[Ask]) -> Cost:
        """One attempt's calls within the limits of a task and of a session, which here is one attempt."""
        budget = self.config.budget
        self._seen_longest(asks)
        for scope, limits in (("task", budget.task), ("session", budget.session)):
            self._note(f"[budget.{scope}] calls", limits.calls is not None and len(asks) > limits.calls)
            asks = asks[: limits.calls]
        cost = _summed(asks, attempts=1)
        return self._capped(self._capped(cost, "task", budget.task), "session", budget.session)

    def _capped(self, cost: Cost, scope: str, limits: LimitConfig) -> Cost:
        within = cost.within(limits)
        for quantity in QUANTITIES:
            self._note(f"[budget.{scope}] {quantity}", getattr(within, quantity) != getattr(cost, quantity))
        return within

    def _note(self, limit: str, lowers: bool) -> None:
        if lowers:
            self.lowered[limit] = None

    def _seen_longest(self, asks: Sequence[Ask]) -> None:
        self.longest = max(self.longest, *(ask.read for ask in asks), 0)


def sample(config: Config) -> Mapping[str, Sequence[Task]]:
    """A few tasks of each cell, as the study may draw them."""
    drawn = plan.make(_sampled(config), secret=config.exam.secret or THROW_AWAY)
    worked = [entry.task for entries in drawn.held.lineages for entry in entries]
    found = {task.id: task for task in (*drawn.exam.tasks, *worked)}
    cells = sorted({task.cell for task in found.values()})
    return {cell: [task for task in found.values() if task.cell == cell] for cell in cells}


def _sampled(config: Config) -> Config:
    """The config with a few tasks of each block: of the exam's, and of those of as many lineages as there are few."""
    lineages = min(config.lineages, SAMPLE)

    def few(blocks: Sequence[Block], most: int) -> tuple[Block, ...]:
        return tuple(block.model_copy(update={"count": min(block.count, most), "replay": False}) for block in blocks)

    tasks = config.tasks.model_copy(
        update={
            "schedule": few(config.tasks.schedule, SAMPLE // lineages),
            "holdout": few(config.tasks.holdout, SAMPLE),
            "holdout_tasks_per_difficulty": None,
            "replay": ReplayConfig(),
        }
    )
    return config.model_copy(update={"tasks": tasks, "lineages": lineages})


def _print(state: State) -> str:
    return fingerprint({name: sha256(data) for name, data in state.files.items()})


def controls(arms: Sequence[Arm]) -> Iterator[tuple[str, Arm]]:
    """One static arm for each distinct A_0, under the name that the study gives it (see `rung.protocols.ladder`)."""
    distinct: dict[str, Arm] = {}
    for arm in arms:
        distinct.setdefault(beginning(arm), arm)
    for number, arm in enumerate(distinct.values(), 1):
        yield "static" if number == 1 else f"static-{number}", arm


def beginning(arm: Arm) -> str:
    """What arms have in common that share one A_0, and so one static arm and one exam of it."""
    start = _print(arm.method.initial_state(arm.agent).acting())
    return fingerprint([arm.acting, arm.method.wrapping, start])
