"""What a cell costs, before it starts: its sessions, the most that their budgets let them cost, and an estimate.

How often a program asks its model is its own affair, so nothing but a budget bounds it. An exam session costs at most
what `[budget.session]` and `[budget.task]` allow, a working session what `[budget.session]` and `[budget.lineage]` do,
and all together what `[budget]` does. Where none is given, nothing bounds it, and that is said.

The estimate supposes a program that calls one tool at a time: `steps + 2` calls of the model for an exam task (take it,
work it, end), and `steps + 1` for a task worked on the way. An attempt takes as many steps as the newcomer of the
family's key, in up to `SAMPLE` tasks of each cell. Each call reads the program's first request, whose size was measured
(`rung.agents.command.facts.Opening`), and the conversation so far, up to `CONTEXT` tokens. It is no bound: a program
that thinks long, looks around or calls helpers costs several times as much.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from rung.agents.command import CommandAgent
from rung.agents.command.facts import Opening
from rung.backends.models.prices import FREE
from rung.backends.servers.anthropic_messages import WRITE_1H
from rung.core import registry
from rung.core.config import BudgetConfig, Config, LimitConfig, ModelConfig, PriceConfig
from rung.core.errors import UsageError
from rung.core.ports import Amount, Ports
from rung.core.values import Call, Task, View
from rung.core.waiting import settle
from rung.protocols import equipment, plan, providers, unfit, wiring
from rung.protocols.equipment import Needs
from rung.protocols.forecast import beginning, extent, sample
from rung.protocols.rehearsal import Idle
from rung.protocols.shortfalls import shortfalls
from rung.protocols.study import Arm
from rung.tasks import keys

SAMPLE = 4
"""Tasks of a cell that the newcomer plays at most."""
BYTES = 4
"""Bytes of text that are taken for a token."""
WRITTEN = 200
"""Tokens that a call is taken to write: a sentence and a call of a tool. Models that think write many times as much."""
IMAGE = 1_500
"""Tokens that a picture is taken to cost."""
CONTEXT = 200_000
"""Tokens that a conversation is taken to hold before the program shortens it, unless the config says otherwise."""
MILLION = 1e6

Quantity: TypeAlias = Literal["usd", "tokens", "calls", "seconds"]
QUANTITIES: tuple[Quantity, ...] = ("usd", "tokens", "calls", "seconds")
Phase: TypeAlias = Literal["before-exam", "working", "after-exam", "sentinels"]


@dataclass(frozen=True, slots=True)
class Limit:
    """The most of one quantity, and the section that says so."""

    most: float
    section: str


@dataclass(frozen=True, slots=True)
class Guess:
    """What sessions are estimated to cost. `usd` is None where no price is known, and `cached` where none of input read
    from a cache is; then all but what is new in a call is taken to be."""

    calls: float
    read: float
    written: float
    usd: float | None
    cached: float | None

    @property
    def tokens(self) -> float:
        """Of both kinds."""
        return self.read + self.written

    def __add__(self, other: "Guess") -> "Guess":
        return Guess(
            self.calls + other.calls,
            self.read + other.read,
            self.written + other.written,
            _both(self.usd, other.usd),
            _both(self.cached, other.cached),
        )

    def times(self, many: int) -> "Guess":
        """So many of it."""
        usd, cached = (None if each is None else each * many for each in (self.usd, self.cached))
        return Guess(self.calls * many, self.read * many, self.written * many, usd, cached)


def _both(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


NOTHING = Guess(0, 0, 0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one phase of one program: how many, of how many tasks each, what each may cost at most, and what
    all of them are estimated to; `guess` is None where that is not known."""

    arm: str
    phase: Phase
    sessions: int
    tasks: int
    limits: Mapping[Quantity, Limit]
    guess: Guess | None

    def most(self, quantity: Quantity) -> float | None:
        """The most that all of them cost together; None where nothing bounds it."""
        limit = self.limits.get(quantity)
        return None if limit is None else limit.most * self.sessions

    @property
    def short(self) -> Sequence[Limit]:
        """The limits that are less than a session is estimated to cost."""
        if self.guess is None or not self.sessions:
            return ()
        likely = {"usd": self.guess.usd, "tokens": self.guess.tokens, "calls": self.guess.calls}
        return [
            self.limits[name]
            for name in QUANTITIES
            if name in self.limits and (likely.get(name) or 0.0) / self.sessions > self.limits[name].most
        ]


@dataclass(frozen=True, slots=True)
class CellForecast:
    """A cell before it starts.

    `opening` is the measured first request of each arm's program, and `first` what is set aside for it: a byte for
    a token, and an answer as long as may be. `asks` says whether any program has a model; `study` is the whole study's
    own budget; `refused` is why it would not start, and `warned` what it cannot show.
    """

    name: str
    lineages: int
    exam_tasks: int
    parts: tuple[Sessions, ...]
    study: Mapping[Quantity, float]
    prices: Mapping[str, PriceConfig | None]
    opening: Mapping[str, Opening | None]
    first: Mapping[str, Amount]
    asks: bool
    reruns: int
    refused: tuple[str, ...]
    warned: tuple[str, ...]

    @property
    def attempts(self) -> int:
        """Every task of every session."""
        return sum(part.sessions * part.tasks for part in self.parts)

    def bounded(self, quantity: Quantity) -> float | None:
        """What its sessions' budgets let all of them cost; None where they bound nothing."""
        found = [part.most(quantity) for part in self.parts if part.sessions]
        return None if any(each is None for each in found) else sum(each for each in found if each is not None)

    def most(self, quantity: Quantity) -> float | None:
        """The most that it costs, by all its budgets."""
        found = [each for each in (self.bounded(quantity), self.study.get(quantity)) if each is not None]
        return min(found, default=None)

    def binds(self, quantity: Quantity) -> bool:
        """Whether the whole study's budget ends it before those of its sessions do."""
        bounded, limit = self.bounded(quantity), self.study.get(quantity)
        return limit is not None and (bounded is None or limit < bounded)

    @property
    def too_little(self) -> Sequence[str]:
        """Limits that are less than what the first call of a session sets aside: under them no call is made at all."""
        found = []
        for part in self.parts:
            first = self.first.get(part.arm)
            needs = {"usd": first.usd, "tokens": first.tokens} if first is not None else {}
            found += [limit.section for name, limit in part.limits.items() if limit.most < (needs.get(name) or 0.0)]
        return list(dict.fromkeys(found))

    @property
    def guess(self) -> Guess | None:
        """All sessions together; None where any is not known."""
        guesses = [part.guess for part in self.parts]
        if any(each is None for each in guesses):
            return None
        return sum((each for each in guesses if each is not None), NOTHING)


def make(config: Config, *, base: Path = Path()) -> CellForecast:
    """What a cell costs. Nothing is written, no model is reached and no key is needed.

    `base` is the folder from which the config names plug-ins and programs. Raises `UsageError` for what cannot be run.
    """
    stand_ins = {name: providers.gated(config, name) for name in config.models_used()}
    arms = wiring.arms(config, base=base, models=stand_ins)
    config = wiring.with_folders(config, base=base)
    plan.refuse_impossible(config)
    unfit.refuse(config, arms)
    paces = asyncio.run(_paces(config))
    study = {each: float(limit) for each in QUANTITIES if (limit := getattr(config.budget, each)) is not None}
    return CellForecast(
        name=config.name,
        lineages=config.lineages,
        exam_tasks=extent(config).tasks,
        parts=tuple(_parts(config, arms, paces)),
        study=study,
        prices={name: stand_in.price for name, stand_in in sorted(stand_ins.items())},
        opening={arm.name: _facts_of(arm) for arm in arms},
        first={arm.name: first for arm in arms if (first := _first(config, arm)) is not None},
        asks=any(arm.model is not None for arm in arms),
        reruns=config.exam.reruns,
        refused=tuple(_refusals(config, arms, base)),
        warned=shortfalls(config),
    )


def _refusals(config: Config, arms: tuple[Arm, ...], base: Path) -> Iterator[str]:
    """Why it would not start as it is, the first of each kind."""
    checks = (
        lambda: equipment.refuse_unequipped(config, arms, Needs(base)),
        lambda: providers.refuse_unbounded(config, arms),
    )
    for check in checks:
        try:
            check()
        except UsageError as refusal:
            yield str(refusal)


def _first(config: Config, arm: Arm) -> Amount | None:
    """What the first call of a session sets aside, as the gateway reckons it; None where its size is not known."""
    opening, name = _facts_of(arm), equipment.model_of(config, arm.name)
    if opening is None or name is None:
        return None
    price, written = providers.priced(config, name), opening.output or config.network.output_tokens
    dearest = 1.0 + WRITE_1H if name.startswith("anthropic/") else 1.0
    usd = None if price is None else (opening.bytes * price.input * dearest + written * price.output) / MILLION
    return Amount(usd, opening.bytes + written)


def _facts_of(arm: Arm) -> Opening | None:
    return arm.agent.facts.opening if isinstance(arm.agent, CommandAgent) else None


# --------------------------------------------------------------------------------------------- sessions


def _parts(config: Config, arms: Sequence[Arm], paces: Mapping[str, "Pace"]) -> Iterator[Sessions]:
    """Every phase of every program."""
    exam = [(paces[block.label], block.count) for block in config.tasks.holdout]
    work = [(paces[block.label], block.count) for block in config.tasks.schedule]
    many, budget, lineages = extent(config), config.budget, config.lineages
    for arm in _distinct(arms):
        before = many.baseline_repeats * (lineages if many.fresh else 1)
        yield _exams(config, arm, "before-exam", exam, before)
    for arm in arms:
        limits = _limits(budget, "session", "lineage")
        guess = _guess(config, arm, [(pace, 1) for pace, count in work for _ in range(count)])
        tasks = sum(count for _, count in work)
        yield Sessions(arm.name, "working", lineages, tasks, limits, _many(guess, lineages))
        yield _exams(config, arm, "after-exam", exam, lineages * many.repeats)
    for arm in _distinct(arms):
        every, some = many.tasks, min(many.sentinels, many.tasks)
        if some:
            whole = _exams(config, arm, "sentinels", exam, 1)
            share = None if whole.guess is None else _scaled(whole.guess, some / every)
            yield Sessions(arm.name, "sentinels", some, 1, whole.limits, share)


def _distinct(arms: Sequence[Arm]) -> Sequence[Arm]:
    """One arm for each distinct A_0."""
    return list({beginning(arm): arm for arm in reversed(arms)}.values())[::-1]


def _exams(config: Config, arm: Arm, phase: Phase, tasks: Sequence[tuple["Pace", int]], times: int) -> Sessions:
    """One exam, so many times: each of its attempts is a session."""
    guesses = [_many(_guess(config, arm, [(pace, 1)]), count) for pace, count in tasks]
    one = None if any(each is None for each in guesses) else sum((each for each in guesses if each), NOTHING)
    sessions = times * sum(count for _, count in tasks)
    return Sessions(arm.name, phase, sessions, 1, _limits(config.budget, "session", "task"), _many(one, times))


def _many(guess: Guess | None, times: int) -> Guess | None:
    return None if guess is None else guess.times(times)


def _scaled(guess: Guess, share: float) -> Guess:
    usd, cached = (None if each is None else each * share for each in (guess.usd, guess.cached))
    return Guess(guess.calls * share, guess.read * share, guess.written * share, usd, cached)


def _limits(budget: BudgetConfig, *scopes: Literal["session", "lineage", "task"]) -> Mapping[Quantity, Limit]:
    """The narrowest limit of each quantity."""
    found: dict[Quantity, Limit] = {}
    for scope in scopes:
        limits: LimitConfig = getattr(budget, scope)
        for quantity in QUANTITIES:
            limit = getattr(limits, quantity)
            if limit is not None and (quantity not in found or limit < found[quantity].most):
                found[quantity] = Limit(float(limit), f"[budget.{scope}] {quantity} = {limit:,g}")
    return found


# --------------------------------------------------------------------------------------------- the estimate


@dataclass(frozen=True, slots=True)
class Pace:
    """How an attempt in one cell goes, on average: its steps, the tokens of its rules and first view, and those that a
    step adds."""

    steps: float
    first: float
    step: float


async def _paces(config: Config) -> Mapping[str, Pace]:
    found = {}
    for cell, tasks in sample(config).items():
        seen = [await _pace(task, config.budget.task.steps) for task in tasks[:SAMPLE]]
        found[cell] = Pace(*(sum(getattr(each, name) for each in seen) / len(seen) for name in Pace.__slots__))
    return found


async def _pace(task: Task, limit: int | None) -> Pace:
    """How the newcomer's attempt at a task goes."""
    family = registry.family(task.family)
    episode = await settle(family.start, task, Ports(sandbox=Idle()))
    actor, rules, reply, texts = keys.key(family.id).naive(task), family.rules(task), "", []
    for _ in range(min(task.calls, limit or task.calls)):
        seen = episode.view()
        texts.append(_tokens(f"{reply}{seen.text}") + IMAGE * len(seen.images))
        about = View(seen.text, seen.images, seen.tools, rules, reply, family.id, task.setting.name)
        answer = (await settle(actor.act, about)).answer
        told = await settle(episode.call, answer if isinstance(answer, Call) else family.parse(answer))
        reply = told.text
        if told.done:
            break
    later = [*texts[1:], _tokens(reply)]
    return Pace(len(texts), _tokens(rules) + texts[0], sum(later) / len(later))


def _tokens(text: str) -> float:
    return len(text.encode("utf-8", "surrogatepass")) / BYTES


def _guess(config: Config, arm: Arm, tasks: Sequence[tuple[Pace, int]]) -> Guess | None:
    """One session over these tasks; None where nobody knows how the program asks."""
    name = equipment.model_of(config, arm.name)
    if name is None:
        return NOTHING
    opening = _facts_of(arm)
    if opening is None:
        return None
    added = [part for pace, count in tasks for _ in range(count) for part in _told(pace)]
    return _priced(opening.bytes / BYTES, added, providers.priced(config, name), config.reached(name))


def _told(pace: Pace) -> Iterator[float]:
    """What a program is told in one attempt, call by call."""
    yield pace.first
    yield from [pace.step] * round(pace.steps)


def _priced(opening: float, added: Sequence[float], price: PriceConfig | None, model: ModelConfig) -> Guess:
    """A session in which these tokens are added to the conversation, one answer after the other."""
    context = float(model.context_tokens or CONTEXT)
    talked, read, old = opening, opening, 0.0
    for tokens in added:
        before, talked = talked, min(talked + tokens + WRITTEN, context)
        read, old = read + talked, old + min(before, talked)
    calls, written = len(added) + 1, WRITTEN * (len(added) + 1)
    if price is None:
        return Guess(calls, read, written, None, None)
    usd = (read * price.input + written * price.output) / MILLION
    saved = None if price.cached is None else old * (price.input - price.cached) / MILLION
    if price == FREE:
        saved = 0.0
    return Guess(calls, read, written, usd, None if saved is None else usd - saved)
