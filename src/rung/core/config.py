"""The config of a study: TOML or JSON in, one frozen, fully resolved value out.

Everything is checked here before anything starts: unknown keys, wrong types, contradictory schedules. The resolved
config without `engine` and without the secret is the study's identity: an old run is resumed only under the same one.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, StrictBool, ValidationError, field_validator, model_validator
from pydantic.functional_validators import BeforeValidator

from rung.core import refusals, schedules
from rung.core.cell_config import CellConfig, NetworkConfig, SandboxConfig
from rung.core.controls import STATIC, ControlName, each_an_arm, refuse_idle
from rung.core.errors import UsageError
from rung.core.explore_config import ExploreConfig, Judge, in_full, refuse_unfit
from rung.core.sections import (
    ArmName,
    Count,
    Difficulty,
    Many,
    ModelName,
    Name,
    Plugin,
    Seconds,
    Section,
    SeedNumber,
    Whole,
)

TAKEN = re.compile(r"static(-[0-9]+)?|exam|plan|run|snapshot")
"""Names that the record uses itself, beside those of the arms."""


MAX_TASKS = 1_000_000
"""Tasks one study may draw; its plan is held in memory."""


class AgentConfig(Plugin):
    """`[agent]`: the agent under test. `model` is the one it acts with, as provider/name."""

    kind: str
    model: ModelName | None = None


class MethodConfig(Plugin):
    """`[method]`: how its state is refined. `model` is the improver's, the agent's unless given."""

    name: str
    model: ModelName | None = None


class ExamConfig(Section):
    """`[exam]`: how sealed tasks are attempted.

    `repeats` is attempts per task of every A_T, `baseline_repeats` of every A_0. All lineages share the A_0 exam, so
    its noise enters each of them: with several lineages it is 3 unless given.
    """

    repeats: Count = 1
    baseline_repeats: Count | None = None
    order: Literal["interleaved", "fixed"] = "interleaved"
    reruns: Whole = 2
    secret: Annotated[str, Field(min_length=1, max_length=200)] | None = None

    @field_validator("secret")
    @classmethod
    def _plain(cls, secret: str | None) -> str | None:
        if secret is not None and not secret.isprintable():
            raise ValueError("a secret is printable text; leave it out, and one is drawn")
        return secret


class ReplayConfig(Section):
    """`tasks.replay`: every `interval` non-replay tasks, replay the one `lag` back (SelfImprove-Bench, A.2)."""

    interval: Whole = 0
    lag: Whole = 0


class Cell(Section):
    """A family at a setting; `difficulty = n` is short for `setting = "dn"`."""

    family: str
    difficulty: Difficulty | None = None
    setting: str | None = None

    @model_validator(mode="after")
    def _one_setting(self) -> "Cell":
        if (self.difficulty is None) == (self.setting is None):
            raise ValueError("give either difficulty = n or setting = 'name'")
        return self

    @property
    def setting_name(self) -> str:
        """The setting's name in full."""
        return self.setting if self.setting is not None else f"d{self.difficulty}"

    @property
    def label(self) -> str:
        """Family and setting in one word: `farm-v1 d3`."""
        return f"{self.family} {self.setting_name}"


class Block(Cell):
    """One entry of `tasks.schedule` or `tasks.holdout`."""

    count: Count
    replay: StrictBool = False


class TasksConfig(Section):
    """`[tasks]`: which instances are worked and which are examined (SelfImprove-Bench, A.1).

    `schedule` is a list of blocks, or short for one (`rung.core.schedules`). With `self_score` an agent says with each
    action what it expects it to earn (S3Gym, Appendix A.1).
    """

    schedule: tuple[Block, ...] = Field(min_length=1, json_schema_extra=schedules.also_short)
    holdout: tuple[Block, ...] = Field(min_length=1)
    holdout_seed: SeedNumber = 1
    holdout_tasks_per_difficulty: Count | None = None
    replay: ReplayConfig = ReplayConfig()
    random: StrictBool = False
    repeat: StrictBool = False
    self_score: StrictBool = False

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, document: Any) -> Any:
        return schedules.resolved(document) if isinstance(document, Mapping) else document

    @model_validator(mode="after")
    def _not_contradictory(self) -> "TasksConfig":
        _check_replay(self)
        _check_holdout(self)
        return self


def _check_replay(tasks: TasksConfig) -> None:
    interval, lag = tasks.replay.interval, tasks.replay.lag
    if (interval == 0) != (lag == 0):
        raise ValueError(f"replay = {{interval = {interval}, lag = {lag}}}: give both above 0, or neither")
    wanted = any(block.replay for block in tasks.schedule)
    if wanted and interval == 0:
        raise ValueError("a schedule block has replay = true, but replay.interval and replay.lag are 0; set both")
    if interval and not wanted:
        raise ValueError("replay.interval is set, but no schedule block has replay = true; set one, or drop replay")
    total = sum(block.count for block in tasks.schedule)
    if wanted and total <= lag:
        raise ValueError(f"replay.lag = {lag} needs more than {lag} scheduled tasks, seen {total}; lower the lag")


def _check_holdout(tasks: TasksConfig) -> None:
    labels = [block.label for block in tasks.holdout]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ValueError(
            f"holdout names {twice[0]!r} twice, which would examine the same tasks twice; merge the blocks"
        )
    if any(block.replay for block in tasks.holdout):
        raise ValueError("a holdout block has replay = true, but held-out tasks are never replayed; remove it")
    pool = tasks.holdout_tasks_per_difficulty
    for block in tasks.holdout:
        if pool is not None and block.count > pool:
            raise ValueError(
                f"holdout block {block.label!r} takes {block.count} tasks from a pool of "
                f"holdout_tasks_per_difficulty = {pool}; raise the pool or lower the count"
            )


class Compare(Section):
    """One comparison of A_T with A_0: a rung of the ladder, what was trained on, what is examined."""

    level: Literal["G1", "G2", "G3", "G4"]
    sources: tuple[Cell, ...] = Field(min_length=1)
    target: Cell


class EngineConfig(Section):
    """`[engine]`: how fast, never what. Outside the study's identity."""

    concurrency: Annotated[int, Field(ge=1, le=1024, strict=True)] = 1


Dollars: TypeAlias = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False, strict=True)]


class PriceConfig(Section):
    """A price in dollars for a million tokens, and the day it was read off. `cached` is `input` unless given."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None
    date: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]


class ModelConfig(Section):
    """`[models."provider/name"]`: how a model is reached. Only `body` changes what is asked, and is identity.

    `key_env` names the variable that holds the key; a key itself never stands in a config. A request is tried again for
    `patience_seconds`, then the run stops. `ids` are the ids that it may report; the first it reports unless given.
    `images = false` says that it reads text alone, as `local/smollm2` does whatever is said; the others read pictures.
    """

    base_url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    timeout_seconds: Seconds = 300.0
    patience_seconds: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False, strict=True)] = 900.0
    concurrency: Annotated[int, Field(ge=1, le=4096, strict=True)] = 16
    context_tokens: Many | None = None
    price: PriceConfig | None = None
    ids: tuple[str, ...] = ()
    images: bool | None = None
    body: dict[str, Any] = Field(default_factory=dict)


class LimitConfig(Section):
    """What something may cost; what is not given is not limited. `seconds` are of a clock on the wall."""

    usd: Dollars | None = None
    tokens: Many | None = None
    calls: Many | None = None
    seconds: Seconds | None = None


class TaskLimitConfig(LimitConfig):
    """`[budget.task]`: what one attempt may cost; `steps` are actions answered."""

    steps: Count | None = None


class BudgetConfig(LimitConfig):
    """`[budget]`: what the whole study may cost, and `[budget.lineage]`, `[budget.session]`, `[budget.task]`.

    When the study's is spent the run stops, and goes on when it is run again with more. When a lineage's is spent, it
    works and refines no more and goes to its exam as it is. A session's and a task's end the agent's attempt, which is
    scored as it stands. At `warn_at` of a study's budget a warning is printed.
    """

    lineage: LimitConfig = LimitConfig()
    session: LimitConfig = LimitConfig()
    task: TaskLimitConfig = TaskLimitConfig()
    warn_at: Annotated[float, Field(gt=0, le=1, strict=True)] = 0.8


class ArmConfig(Section):
    """`[[arms]]`: several methods or agents in one study, on the same sequences and the same exam."""

    name: ArmName
    agent: AgentConfig | None = None
    method: MethodConfig | None = None


class ControlArm(ArmConfig):
    """An arm that `controls` adds beside the arm `of` (see `rung.core.controls`)."""

    of: ArmName
    control: ControlName


class JudgedArm(ArmConfig):
    """An arm that `explore.judges` adds beside the arm `of`: the same in all but who judges what it is told."""

    of: ArmName
    judge: Judge


class Config(Section):
    """A whole study. `quick` is set by `rung run --quick`: a small version for a first look, which measures nothing."""

    name: Name
    protocol: Literal["ladder", "cell", "explore"]
    quick: StrictBool = False
    seed: SeedNumber = 0
    lineages: Annotated[int, Field(ge=1, le=1000, strict=True)] = 5
    agent: AgentConfig | None = None
    method: MethodConfig | None = None
    arms: tuple[ArmConfig, ...] = ()
    controls: Annotated[tuple[ControlName, ...], BeforeValidator(each_an_arm)] = ()
    exam: ExamConfig = ExamConfig()
    tasks: TasksConfig
    compare: tuple[Compare, ...] = ()
    cell: CellConfig = CellConfig()
    explore: ExploreConfig | None = None
    sandbox: SandboxConfig = SandboxConfig()
    network: NetworkConfig = NetworkConfig()
    budget: BudgetConfig = BudgetConfig()
    models: dict[ModelName, ModelConfig] = Field(default_factory=dict)
    engine: EngineConfig = EngineConfig()

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, document: Any) -> Any:
        return in_full(document)

    @model_validator(mode="after")
    def _within_reason(self) -> "Config":
        tasks = self.tasks
        held_out = sum(tasks.holdout_tasks_per_difficulty or block.count for block in tasks.holdout)
        drawn = self.lineages * sum(block.count for block in tasks.schedule) + held_out
        if drawn > MAX_TASKS:
            raise ValueError(f"this plan draws {drawn:,} tasks, more than {MAX_TASKS:,}; lower lineages or counts")
        return self

    @model_validator(mode="after")
    def _arms_complete(self) -> "Config":
        names = [arm.name for arm in self.arms]
        if len(set(names)) < len(names):
            raise ValueError(f"arms are told apart by name, seen {sorted(names)}; rename one")
        taken = [name for name in names if TAKEN.fullmatch(name)]
        if taken:
            raise ValueError(f"the arm name {taken[0]!r} is taken (frozen controls, or the record); rename the arm")
        if self.protocol == "cell":
            _check_cell(self)
        else:
            _check_no_cell(self)
        _check_explore(self)
        for arm in self.every_arm():
            if arm.agent is None or arm.method is None:
                raise ValueError(
                    f"arm {arm.name!r} has no agent or no method; give [agent] and [method], or in the arm"
                )
        every = self.every_arm()
        added = [arm for arm in every if isinstance(arm, ControlArm)]
        _refuse_same_names(every)
        refuse_idle(self.controls, self.protocol, added, (arm.name for arm in every))
        return self

    def every_arm(self) -> tuple[ArmConfig, ...]:
        """The arms with `[agent]` and `[method]` filled in, each with its controls behind it; without `[[arms]]`, one
        named after its method. One whose method proposes nothing has no controls."""
        cell = self.protocol == "cell"
        named_by = self.agent.kind if cell and self.agent is not None else self.method.name if self.method else None
        arms = self.arms or (ArmConfig(name=_arm_name(named_by)),)
        fill = {"agent": self.agent, "method": ITSELF if cell else self.method}
        filled = [
            arm.model_copy(update={key: value for key, value in fill.items() if getattr(arm, key) is None})
            for arm in arms
        ]
        judges = self.explore.judges if self.explore is not None else ()
        return tuple(one for arm in filled for one in (arm, *_judged(arm, judges), *_controls_of(arm, self.controls)))

    @property
    def baseline_repeats(self) -> int:
        """Attempts per exam task of every A_0."""
        if self.exam.baseline_repeats is not None:
            return self.exam.baseline_repeats
        if self.protocol == "explore":  # it sits many tasks instead
            return self.exam.repeats
        shared = self.lineages > 1 and (self.protocol != "cell" or self.cell.before == "shared")
        return max(3, self.exam.repeats) if shared else self.exam.repeats

    @property
    def most_steps(self) -> int | None:
        """The most actions in one attempt; None where nothing but the task limits them."""
        limits = [self.budget.task.steps, self.explore.steps if self.explore is not None else None]
        return min((each for each in limits if each is not None), default=None)

    def identity(self) -> dict[str, Any]:
        """All that makes it this study: the resolved config without the secret and without what is not the study.

        That is `engine`, how models are reached, and the budget of the whole study, which may be raised to go on.
        """
        left_out: dict[str, Any] = {"engine": True, "exam": {"secret"}, "models": True, "quick": not self.quick}
        left_out |= {} if self.controls else {"controls": True}
        left_out["tasks"] = set() if self.tasks.self_score else {"self_score"}
        if self.protocol != "cell":
            left_out |= dict.fromkeys(PROGRAMS_ONLY, True)
        left_out |= {} if self.protocol == "explore" else {"explore": True}
        resolved = self.model_dump(mode="json", exclude=left_out)
        resolved["budget"] = {part: resolved["budget"][part] for part in ("lineage", "session", "task")}
        resolved["models"] = {name: {"body": each.body} for name, each in sorted(self.models.items()) if each.body}
        return {**resolved, "arms": [arm.model_dump(mode="json") for arm in self.every_arm()]}

    def models_used(self) -> tuple[str, ...]:
        """Every model that an arm acts or improves with, or that judges, by name, sorted."""
        used = {part.model for arm in self.every_arm() for part in (arm.agent, arm.method) if part is not None}
        used |= {self.explore.judge} if self.explore is not None else set()
        return tuple(sorted(name for name in used if name is not None))

    def reached(self, model: str) -> ModelConfig:
        """How a model is reached."""
        return self.models.get(model, ModelConfig())


ITSELF = MethodConfig(name="itself")
"""In a cell nobody but the agent itself refines what it is."""

PROGRAMS_ONLY = ("cell", "sandbox", "network")
"""Sections that say how an agent program is measured."""


PROGRAM_KINDS = ("command", "served")
"""Kinds of agents that take part in whole sessions."""


def _check_cell(config: Config) -> None:
    """A cell serves each task once, to an agent that improves itself."""
    tasks = config.tasks
    if any(method not in (None, ITSELF) for method in (config.method, *(arm.method for arm in config.arms))):
        raise ValueError('protocol = "cell" has no method, for the agent improves itself; remove [method]')
    if any(block.replay for block in tasks.schedule) or tasks.repeat:
        raise ValueError('protocol = "cell" serves no task twice; remove replay and repeat from [tasks]')
    for arm in config.every_arm():
        if arm.agent is not None and arm.agent.kind.partition(":")[0] not in PROGRAM_KINDS:
            raise ValueError(
                f'protocol = "cell" measures an agent program, seen agent.kind = {arm.agent.kind!r}; give '
                'kind = "command:claude-code", kind = "command" with a command of your own, or kind = "served" for one '
                "that is not launched here (rung serve)"
            )


def _check_no_cell(config: Config) -> None:
    ours = {"sandbox": config.sandbox.model_copy(update={"kind": SandboxConfig().kind})}  # methods run code as well
    given = [name for name in PROGRAMS_ONLY if ours.get(name, getattr(config, name)) != _default(name)]
    if given:
        raise ValueError(
            f'[{given[0]}] says how an agent program is measured, and goes with protocol = "cell" alone; remove it'
        )


def _default(section: str) -> object:
    return Config.model_fields[section].default


def _check_explore(config: Config) -> None:
    if (config.explore is not None) != (config.protocol == "explore"):
        raise ValueError('[explore] goes with protocol = "explore" alone; remove it, or choose that protocol')
    if config.explore is not None:
        refuse_unfit(config)


def _judged(arm: ArmConfig, judges: Sequence[Judge]) -> list[JudgedArm]:
    given: dict[str, Any] = {"agent": arm.agent, "method": arm.method, "of": arm.name}
    return [JudgedArm.model_construct(name=f"{arm.name}-{judge}", judge=judge, **given) for judge in judges]


def _refuse_same_names(arms: Sequence[ArmConfig]) -> None:
    """Refuse an arm that `explore.judges` adds and that cannot be named."""
    names = [arm.name for arm in arms]
    for arm in arms:
        if isinstance(arm, JudgedArm) and (names.count(arm.name) > 1 or len(arm.name) > 32):
            raise ValueError(
                f"explore.judges adds an arm {arm.name!r}, which is taken or over 32 signs; rename another"
            )


def _controls_of(arm: ArmConfig, names: Sequence[ControlName]) -> list[ControlArm]:
    names = () if arm.method is None or arm.method.name == STATIC else names
    given: dict[str, Any] = {"agent": arm.agent, "method": arm.method, "of": arm.name}
    return [ControlArm.model_construct(name=f"{arm.name}-{name}", control=name, **given) for name in names]


def _arm_name(of: str | None) -> str:
    """What an arm is called that has no name of its own: its method's name, or in a cell its program's."""
    stem = Path(of).stem.rpartition(":")[2] if of else "arm"
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:32]
    return "main" if not name or TAKEN.fullmatch(name) else name


# --------------------------------------------------------------------------------------------- reading


def parse(document: Mapping[str, Any]) -> Config:
    """A config from its plain values; every fault found is named with its key, the value seen and the mend."""
    if "studies" in document:
        raise UsageError("studies: several studies in one file are run by `rung tables`, and this takes one study")
    try:
        return Config.model_validate(document)
    except ValidationError as error:
        raise UsageError(
            "\n".join(refusals.sentence(fault, Config) for fault in error.errors() if refusals.is_new(fault))
        ) from None


def read(path: Path, *, overrides: Sequence[str] = ()) -> Config:
    """A config from a TOML or JSON file, with `key.path=value` overrides on top."""
    return parse(document(path, overrides=overrides))


def document(path: Path, *, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """What a TOML or JSON file says, with `key.path=value` overrides on top, before it is checked."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"no config file {str(path)!r}; `rung init` writes one") from None
    except IsADirectoryError:
        raise UsageError(f"{str(path)!r} is a folder; give the config file itself") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{str(path)!r} is not UTF-8 text (see byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read ({error.strerror}); give a file that you may read") from None
    try:
        said = json.loads(text, object_pairs_hook=_once) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path.name} is not valid {'JSON' if path.suffix == '.json' else 'TOML'}: {error}") from None
    if not isinstance(said, dict):
        raise UsageError(f"{path.name} must hold a table of keys, seen {type(said).__name__}")
    for override in overrides:
        _override(said, override)
    return said


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key given twice has two meanings, so it is refused as TOML refuses it."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} stands twice in one object; keep one")
    return dict(pairs)


def _override(document: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set takes key=value, seen {override!r}; for example --set lineages=3")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--set {override!r:.80}: {error}; give a plain value") from None
    *parents, last = key.strip().split(".")
    table: Any = document
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise UsageError(f"--set {override}: {parent!r} is not a table; name a key inside a table")
    table[last] = value
