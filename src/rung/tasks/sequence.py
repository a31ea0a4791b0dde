"""Which tasks are worked, in which order, and which are examined (SelfImprove-Bench, Appendix A.1 and A.2).

Held-out tasks are drawn first and from their own root. A draw is taken again until the family's key admits it and its
descriptor and its fingerprint are new: a fingerprint is equal when the underlying state is equal, whatever the seed, so
content that would be met in both pools is found even where seeds differ. A family too small to fill a pool with fresh
content is filled all the same and certified "not fresh".

A family whose tasks are a fixed collection (`rung.core.ports.Pooled`) is not redrawn but dealt from: a lineage is given
tasks that may be worked, each once, and the exam sealed ones. A study that wants more than there are is refused.

Seed paths: `holdout root / family / setting / index / redraw` and `root / lineage / work / family / setting / index /
redraw`. Lineages differ in their instances; in their order only under `random`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rung.core import registry
from rung.core.canonical import sha256
from rung.core.config import Block, TasksConfig
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Counted, Pooled
from rung.core.seeds import Seed
from rung.core.values import Task
from rung.tasks import keys

FRESH_REDRAWS = 200
"""Draws tried for one instance before a family counts as too small for its pool."""

ADMIT_REDRAWS = 2000
"""Draws tried for one instance before a family counts as broken."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One place in a held-in sequence, counted from 1. `first` is where a replayed task was first worked, or None
    when the replay comes before its first play, which leaves it without a G0 pair."""

    position: int
    task: Task
    purpose: Literal["work", "replay"]
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """How much of one pool is new content. `stale` counts instances whose content had been met before."""

    pool: str
    cell: str
    count: int
    stale: int


@dataclass(frozen=True, slots=True)
class Stock:
    """How many tasks a fixed collection has for one cell. Lineages share what is worked, each in its own order."""

    cell: str
    worked: int
    sealed: int


@dataclass(slots=True)
class _Met:
    """What has been drawn so far, by descriptor and by content."""

    descriptors: set[str] = field(default_factory=set)
    contents: set[str] = field(default_factory=set)

    def copy(self) -> "_Met":
        return _Met(set(self.descriptors), set(self.contents))


@dataclass(frozen=True, slots=True)
class Held:
    """Both pools of a study: the exam, the sequence of every lineage, what is fresh about them, and what they were
    dealt from where that has an end."""

    out: tuple[Task, ...]
    lineages: tuple[tuple[Entry, ...], ...]
    freshness: tuple[Freshness, ...]
    stocks: tuple[Stock, ...] = ()


def plan(tasks: TasksConfig, *, root: Seed, holdout_root: Seed, lineages: int) -> Held:
    """Draw the whole study: held-out first, then each lineage's sequence against it."""
    refuse_shortage(tasks)
    met = _Met()
    freshness: list[Freshness] = []
    out: list[Task] = []
    for block in tasks.holdout:
        size = tasks.holdout_tasks_per_difficulty or block.count
        pool, stale = _pool(holdout_root, block, range(size), met, sealed=True)
        freshness.append(Freshness("holdout", block.label, size, stale))
        out.extend(pool[: block.count])
    runs = tuple(_lineage(tasks, root.child(f"L{number}"), met.copy(), freshness) for number in range(1, lineages + 1))
    return Held(tuple(out), runs, tuple(freshness), tuple(_stocks(tasks)))


def played(held: Held, *, times: int) -> Held:
    """The same tasks, each worked so many times on end."""
    lineages = tuple(
        tuple(_entries([(entry.task, entry.purpose) for entry in entries for _ in range(times)]))
        for entries in held.lineages
    )
    return replace(held, lineages=lineages)


def refuse_shortage(tasks: TasksConfig) -> None:
    """Refuse to take more from a fixed collection of tasks than it has; raises `UsageError` with every shortage."""
    size = tasks.holdout_tasks_per_difficulty
    worked = [(block, 1 if tasks.repeat else block.count) for block in tasks.schedule]
    held_out = [(block, size or block.count) for block in tasks.holdout]
    short = [*_short("schedule", worked, sealed=False), *_short("holdout", held_out, sealed=True)]
    if short:
        raise UsageError("\n".join(short))


def _short(key: str, blocks: Sequence[tuple[Block, int]], *, sealed: bool) -> Iterator[str]:
    wanted: Counter[tuple[str, str]] = Counter()
    for block, count in blocks:
        wanted[block.family, block.setting_name] += count
    for (name, setting_name), count in wanted.items():
        family = registry.family(name)
        if isinstance(family, Pooled):
            setting = family.setting(setting_name)
            there = len(family.pool(setting, sealed=sealed))
            if there < count:
                where = family.whence(setting, sealed=sealed)
                yield f"tasks.{key}: {where}: {count} tasks are wanted, there are {there}; lower count, or add some"


@dataclass(frozen=True, slots=True)
class Crowded:
    """A cell of which a study wants more different tasks than there are: some to seal, some for a lineage to work."""

    cell: str
    there: int
    sealed: int
    worked: int

    @property
    def wanted(self) -> int:
        """How many there should be, for no lineage to meet what is sealed, or a task of its own twice."""
        return self.sealed + self.worked


def crowded(tasks: TasksConfig) -> tuple[Crowded, ...]:
    """The cells for which a key that counts its tasks (`rung.core.ports.Counted`) has too few. Nothing is drawn.

    None is refused: such a pool is filled all the same, and certified "not fresh". Other cells of one family may hold
    the same tasks; that is not counted here, and is found when they are drawn.
    """
    sealed = Counter({block.label: tasks.holdout_tasks_per_difficulty or block.count for block in tasks.holdout})
    worked = Counter[str]()
    for block in tasks.schedule:
        worked[block.label] += 1 if tasks.repeat else block.count
    blocks = {block.label: block for block in (*tasks.schedule, *tasks.holdout)}
    found = [Crowded(cell, _space(block), sealed[cell], worked[cell]) for cell, block in blocks.items()]
    return tuple(cell for cell in found if 0 < cell.there < cell.wanted)


def _space(block: Block) -> int:
    """How many different tasks there are of a cell; 0 where nobody has counted, or where `refuse_shortage` has."""
    family, key = registry.family(block.family), keys.key(block.family)
    if isinstance(family, Pooled) or not isinstance(key, Counted):
        return 0
    return key.space(family.setting(block.setting_name))


def _stocks(tasks: TasksConfig) -> Iterator[Stock]:
    for block in {block.label: block for block in (*tasks.schedule, *tasks.holdout)}.values():
        family = registry.family(block.family)
        if isinstance(family, Pooled):
            setting = family.setting(block.setting_name)
            worked, sealed = (len(family.pool(setting, sealed=each)) for each in (False, True))
            yield Stock(block.label, worked, sealed)


def _lineage(tasks: TasksConfig, root: Seed, met: _Met, freshness: list[Freshness]) -> tuple[Entry, ...]:
    drawn: Counter[str] = Counter()
    blocks: list[tuple[Block, list[Task]]] = []
    for block in tasks.schedule:
        size = 1 if tasks.repeat else block.count
        start = drawn[block.label]
        pool, stale = _pool(root.child("work"), block, range(start, start + size), met, sealed=False)
        drawn[block.label] += size
        freshness.append(Freshness(root.path.rsplit("/", 1)[-1], block.label, size, stale))
        blocks.append((block, pool * block.count if tasks.repeat else pool))
    order = insert_replays(blocks, interval=tasks.replay.interval, lag=tasks.replay.lag)
    if tasks.random:
        root.child("order").rng().shuffle(order)
    return tuple(_entries(order))


def insert_replays(
    blocks: Sequence[tuple[Block, Sequence[Task]]], *, interval: int, lag: int
) -> list[tuple[Task, Literal["work", "replay"]]]:
    """The assembled sequence with replays put in (SelfImprove-Bench, A.2).

    After the n-th non-replay task, counted over all blocks, the task `lag` places back is replayed if the current block
    allows replays, interval and lag are positive, n is a multiple of the interval, and n > lag.
    """
    placed: list[Task] = []
    order: list[tuple[Task, Literal["work", "replay"]]] = []
    for block, pool in blocks:
        for task in pool:
            placed.append(task)
            order.append((task, "work"))
            n = len(placed)
            if block.replay and interval > 0 and lag > 0 and n % interval == 0 and n > lag:
                order.append((placed[n - lag - 1], "replay"))
    return order


def _entries(order: Sequence[tuple[Task, Literal["work", "replay"]]]) -> Iterator[Entry]:
    first: dict[str, int] = {}
    for position, (task, purpose) in enumerate(order, 1):
        if purpose == "work":
            first.setdefault(task.id, position)
            yield Entry(position, task, "work")
        else:
            yield Entry(position, task, "replay", first.get(task.id))


def _pool(root: Seed, block: Block, indices: range, met: _Met, *, sealed: bool) -> tuple[list[Task], int]:
    family = registry.family(block.family)
    if isinstance(family, Pooled):
        return _dealt(family, root.child(block.family, block.setting_name), block, indices, sealed=sealed), 0
    drawn = [_instance(root.child(block.family, block.setting_name, index), block, met) for index in indices]
    return [task for task, _ in drawn], sum(not fresh for _, fresh in drawn)


def _dealt(family: Pooled, root: Seed, block: Block, places: range, *, sealed: bool) -> list[Task]:
    """The tasks at these places of a fixed collection that was shuffled once; all are new, for none comes twice."""
    tasks = sorted(family.pool(family.setting(block.setting_name), sealed=sealed), key=lambda task: task.id)
    root.child("order").rng().shuffle(tasks)
    return [tasks[place] for place in places]


def _instance(seed: Seed, block: Block, met: _Met) -> tuple[Task, bool]:
    """One admitted task, and whether its content is new. Redraws until it is, or until the family is exhausted."""
    family, key = registry.family(block.family), keys.key(block.family)
    setting = family.setting(block.setting_name)
    stale: Task | None = None
    tried = 0
    for redraw in range(ADMIT_REDRAWS):
        task = family.draw(setting, seed.child(redraw))
        if task.id in met.descriptors or not key.admit(task):
            continue
        tried += 1
        content = sha256(f"{task.family}/{key.fingerprint(task)}")
        if content not in met.contents:
            met.contents.add(content)
            met.descriptors.add(task.id)
            return task, True
        stale = stale or task
        if tried >= FRESH_REDRAWS:
            break
    if stale is None:
        raise InstrumentFault(
            f"family {block.family}", f"no instance of {block.label} was admitted in {ADMIT_REDRAWS} draws"
        )
    met.descriptors.add(stale.id)
    return stale, False
