"""What is fixed before anything runs: tasks, references, comparisons, the exam and its id. All of it is written down.

Under `plan` the journal holds `config` (the resolved config, with the secret's hash in its place), `families`,
`freshness`, `stocks` (of tasks that are a fixed collection), `comparisons`, `exam`, and `registered` where a plan was
made beforehand (see `rung.protocols.registered`); under `plan/exam/0007` and `plan/L3/0007` the tasks in order. Those
that a report holds scores against have their reference: held-in tasks that are replayed, and the exam's but in
`explore`, whose curves are held against their beginning. So a report needs nothing but the journal, and nobody waits
for references that are never read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rung.core import registry
from rung.core.canonical import JSON, fingerprint, sha256
from rung.core.config import Block, Config
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.core.values import Task
from rung.protocols.exam import Exam
from rung.protocols.rungs import Comparison, comparisons
from rung.tasks import keys, sequence
from rung.tasks.rewards import reward_range, score_step
from rung.tasks.sequence import Entry, Held


@dataclass(frozen=True, slots=True)
class Plan:
    """A study before its first attempt."""

    config: Config
    seed: Seed
    held: Held
    exam: Exam
    comparisons: tuple[Comparison, ...]
    secret_hash: str


def make(config: Config, *, secret: str, terms: tuple[str, ...] = ()) -> Plan:
    """Draw and check everything. The exam's seeds hang under the secret, so nobody without it can draw the exam.

    `terms` is what else makes an exam (see `rung.protocols.exam.Exam`). The lineages of a cell work in an order each.
    """
    wanted = _comparisons(config)
    shuffled = config.tasks.model_copy(update={"random": True}) if config.protocol == "cell" else config.tasks
    root = Seed(str(config.seed))
    holdout_root = Seed(sha256(f"{secret}/{config.tasks.holdout_seed}"))
    held = sequence.plan(shuffled, root=root, holdout_root=holdout_root, lineages=config.lineages)
    if config.explore is not None:
        held = sequence.played(held, times=config.explore.plays)
    exam = Exam(held.out, config.exam.repeats, config.baseline_repeats, config.exam.reruns, config.exam.order, terms)
    return Plan(config, root, held, exam, wanted, sha256(secret))


def refuse_impossible(config: Config) -> None:
    """Refuse, before anything is written, what no secret makes possible: unknown families, settings, comparisons."""
    for key, blocks in (("schedule", config.tasks.schedule), ("holdout", config.tasks.holdout)):
        for block in blocks:
            try:
                registry.family(block.family).setting(block.setting_name)
            except UsageError as error:
                raise UsageError(f"{_where(config, key, block)}: {error}") from None
    sequence.refuse_shortage(config.tasks)
    _comparisons(config)


def _where(config: Config, key: str, block: Block) -> str:
    """The key that a block of tasks was written under: where tasks follow from `[explore]`, the setting of a game."""
    if config.explore is None:
        return f"tasks.{key}"
    which = "explore" if key == "schedule" else "evaluate"
    return f'explore.games: {{ family = "{block.family}", {which} = "{block.setting_name}" }}'


def _comparisons(config: Config) -> tuple[Comparison, ...]:
    """What is compared rung by rung; in `explore` checkpoints are compared with a baseline instead."""
    return () if config.protocol == "explore" else comparisons(config)


def write(plan: Plan, journal: Journal, *, plugins: Mapping[str, str]) -> None:
    """Put the plan into the journal. On an old run every fact must be the same again; `refuse_another` comes first."""
    journal.put("plan", "config", _identity(plan, plugins))
    journal.put("plan", "families", _families(plan))
    journal.put("plan", "freshness", [asdict(pool) for pool in plan.held.freshness])
    if plan.held.stocks:
        journal.put("plan", "stocks", [asdict(stock) for stock in plan.held.stocks])
    journal.put("plan", "comparisons", [asdict(row) for row in plan.comparisons])
    journal.put("plan", "exam", _about(plan.exam))
    held_against = plan.config.protocol != "explore"
    for number, task in enumerate(plan.exam.tasks, 1):
        _put(journal, f"plan/exam/{number:04d}", "task", _task(task), task if held_against else None)
    for lineage, entries in enumerate(plan.held.lineages, 1):
        replayed = {entry.task.id for entry in entries if entry.purpose == "replay"}
        for entry in entries:
            about = {**_task(entry.task), "purpose": entry.purpose, "first": entry.first}
            asked = entry.task if entry.task.id in replayed else None
            _put(journal, f"plan/L{lineage}/{entry.position:04d}", "entry", about, asked)


def _put(journal: Journal, path: str, kind: str, about: Mapping[str, JSON], asked: Task | None) -> None:
    """Write a task of the plan, with the reference of the one that is asked for it.

    On an old run the reference that was recorded stands, and is not worked out again: where it is not proven to be
    optimal, another version of its solver may find another.
    """
    old = journal.get(path, kind)
    if isinstance(old, Mapping):
        known = {"reference": old["reference"]} if "reference" in old else {}
    else:
        known = {} if asked is None else {"reference": asdict(keys.key(asked.family).reference(asked))}
    journal.put(path, kind, {**about, **known})


NAMED = "A file that a config names by path is part of the study; --accept-upgrade is for installed code"


def refuse_another(config: Config, journal: Journal, *, secret_hash: str, plugins: Mapping[str, str]) -> None:
    """Refuse to go on with a run that was begun under another config, naming what changed.

    `secret_hash` is that of the run: whether its secret is still the one is asked elsewhere.
    """
    old = journal.get("plan", "config")
    if old is None:
        return
    new = {**config.identity(), "secret_sha256": secret_hash, "secret_fixed": _fixed(config), "plugins": plugins}
    changed = sorted(_differences("", old, new))
    if changed:
        plugins_alone = all(each.startswith("plugins.") for each in changed)
        raise UsageError(
            "this run was begun under another config; changed: " + "; ".join(changed) + ". "
            "Give it back as it was (see config.resolved.json), or choose another --out for the new study"
            + (f". {NAMED}" if plugins_alone else "")
        )


def manifest(plan: Plan, *, payloads: bool) -> dict[str, JSON]:
    """The sequences in full, and the exam by id alone: its seeds hang under the secret until the run is bundled."""
    return {
        "exam": [{"place": place, "task": task.id, "cell": task.cell} for place, task in enumerate(plan.exam.tasks, 1)],
        "lineages": {
            f"L{number}": [_entry(entry, payloads=payloads) for entry in entries]
            for number, entries in enumerate(plan.held.lineages, 1)
        },
    }


def _entry(entry: Entry, *, payloads: bool) -> dict[str, JSON]:
    task = entry.task
    about: dict[str, JSON] = {
        "place": entry.position,
        "purpose": entry.purpose,
        "first": entry.first,
        "task": task.id,
        "cell": task.cell,
        "seed": task.seed,
    }
    return {**about, "payload": task.payload} if payloads else about


def exam_id(exam: Exam) -> str:
    """What must be equal for two exams to be the same exam."""
    made_of: list[JSON] = [
        [task.id for task in exam.tasks],
        exam.repeats,
        exam.baseline_repeats,
        exam.reruns,
        exam.order,
    ]
    made_of += [list(exam.terms)] if exam.terms else []
    return fingerprint(made_of)[:20]


def _about(exam: Exam) -> dict[str, JSON]:
    return {
        "id": exam_id(exam),
        "tasks": len(exam.tasks),
        "repeats": exam.repeats,
        "baseline_repeats": exam.baseline_repeats,
    }


def _identity(plan: Plan, plugins: Mapping[str, str]) -> dict[str, JSON]:
    identity: dict[str, JSON] = plan.config.identity()
    fixed = _fixed(plan.config)
    return {**identity, "secret_sha256": plan.secret_hash, "secret_fixed": fixed, "plugins": dict(plugins)}


def _fixed(config: Config) -> bool:
    return config.exam.secret is not None


def _families(plan: Plan) -> dict[str, JSON]:
    tasks = [*plan.exam.tasks, *(entry.task for entries in plan.held.lineages for entry in entries)]
    return {
        task.family: {
            "capability": registry.family(task.family).capability,
            "scale": asdict(registry.family(task.family).scale),
            "constants": task.constants,
            **_reward(plan, task.family),
        }
        for task in tasks
    }


def _reward(plan: Plan, family: str) -> dict[str, JSON]:
    """What a step can earn and the least score above 0, where steps are judged and curves drawn."""
    if plan.config.protocol != "explore":
        return {}
    declared = reward_range(registry.family(family))
    return {"reward": None if declared is None else list(declared), "score_step": score_step(registry.family(family))}


def _task(task: Task) -> dict[str, JSON]:
    return {"task": task.id, "family": task.family, "cell": task.cell}


def _differences(where: str, old: JSON, new: JSON) -> Sequence[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        names = sorted({*old, *new})
        return [
            line for name in names for line in _differences(f"{where}.{name}".lstrip("."), old.get(name), new.get(name))
        ]
    same = fingerprint(old) == fingerprint(new)
    return [] if same else [f"{where} (was {_short(old)}, now {_short(new)})"]


def _short(value: JSON) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
