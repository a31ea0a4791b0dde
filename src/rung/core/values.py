"""The values of a study. Frozen, and an illegal one cannot be built.

They are read in the order in which a study makes them: setting and task; what an agent sees and does; what came of
it; feedback; state and snapshot; candidate, trial and selection; estimates.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, TypeAlias

from rung.core.canonical import JSON, fingerprint
from rung.core.confined import Departed
from rung.core.errors import UsageError

# --------------------------------------------------------------------------------------------- outcome


@dataclass(frozen=True, slots=True)
class Score:
    """A measurement, in the family's own units."""

    value: float

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            raise UsageError(f"a score is a finite number, got {self.value!r}")


@dataclass(frozen=True, slots=True)
class Fault:
    """No measurement: the instrument broke. Never averaged, always counted."""

    where: str
    detail: str


Outcome: TypeAlias = Score | Fault

# --------------------------------------------------------------------------------------------- task


@dataclass(frozen=True, slots=True)
class Setting:
    """A difficulty or a named configuration of a family. `difficulty = n` is short for setting `dn`."""

    name: str
    params: Mapping[str, JSON] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", self.name):
            raise UsageError(f"a setting's name is lower-case letters, digits, _ and -, got {self.name!r}")

    @property
    def difficulty(self) -> int | None:
        """The n of setting `dn`; None for a named configuration.

        >>> Setting("d3").difficulty, Setting("strict").difficulty
        (3, None)
        """
        found = re.fullmatch(r"d([1-9][0-9]{0,3})", self.name)
        return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class Scale:
    """What a family's scores mean: unit, bounds, and the score of an agent that does nothing."""

    unit: str
    low: float
    high: float | None  # None: no upper bound
    floor: float = 0.0


@dataclass(frozen=True, slots=True)
class Task:
    """One problem. `payload` is what an agent may be told; `seed` is never shown to one.

    `constants` is a hash of the generator's own numbers, so that a changed generator makes other tasks. `calls` is
    the largest number of calls an episode can take before it ends by itself.
    """

    family: str
    setting: Setting
    seed: str
    payload: Mapping[str, JSON] = field(hash=False)
    constants: str
    calls: int
    id: str = field(init=False)

    def __post_init__(self) -> None:
        name = fingerprint([self.family, self.setting.name, dict(self.setting.params), self.seed, self.constants])
        object.__setattr__(self, "id", f"{self.family}:{self.setting.name}:{name[:20]}")

    @property
    def cell(self) -> str:
        """Family and setting in one word, as tables name it: `farm-v1 d3`."""
        return f"{self.family} {self.setting.name}"


# --------------------------------------------------------------------------------------------- seeing and doing


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in an observation."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Tool:
    """A typed call an agent may make; `parameters` is a JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, JSON] = field(hash=False)


@dataclass(frozen=True, slots=True)
class View:
    """What an agent sees before it acts. `reply` answers its last call.

    `rules`, `family` and `setting` stay the same through an episode, and are filled in by the stream.
    """

    text: str
    images: tuple[Image, ...] = ()
    tools: tuple[Tool, ...] = ()
    rules: str = ""
    reply: str = ""
    family: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and its arguments."""

    tool: str
    arguments: Mapping[str, JSON] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Invalid:
    """An answer that is no call, with a one-line reason for the agent."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What an episode answers to one call. `score`, `success`, `feedback` pass through the lens; `text` does not,
    so it must not give the verdict away."""

    text: str
    done: bool = False
    invalid: bool = False
    score: float | None = None
    success: bool | None = None
    feedback: str | None = None


Status: TypeAlias = Literal["completed", "error", "timeout", "cancelled"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measured end of an episode, made outside the agent's reach."""

    status: Status
    success: bool
    score: float
    metrics: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    feedback: str | None = None

    def __post_init__(self) -> None:
        if not isfinite(self.score):
            raise UsageError(f"a score is a finite number, got {self.score!r}")


# --------------------------------------------------------------------------------------------- model calls

Role: TypeAlias = Literal["agent", "improver", "instrument"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model.

    An assistant's may hold calls; the tool messages right after it answer them, in the order of the calls.
    """

    author: Literal["system", "user", "assistant", "tool"]
    text: str
    images: tuple[Image, ...] = ()
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is asked, by whom, and how it shall decode.

    With `tools` the model must answer with exactly one call of one of them, unless `tool_choice` leaves it free to
    write text or to make any number of calls. No `temperature` means the provider's own; no `max_tokens` means what the
    gateway bounds it by, so that its worst cost is known. `weights` are the SHA-256 of trained weights to answer with
    (see `rung.core.training`), and `seed` is what a model draws by that can be seeded.
    """

    messages: tuple[Message, ...]
    role: Role
    tools: tuple[Tool, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    tool_choice: Literal["required", "auto"] = "required"
    weights: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. `input_tokens` leaves out `cached_tokens`; None means that the provider did not say."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered. `model` is the id as the provider reported it; `reasoning` what it says of its thinking.

    `stop_reason` is one of stop | length | tool_calls | content_filter, or the provider's own word.
    """

    text: str
    model: str
    stop_reason: str
    usage: Usage | None = None
    calls: tuple[Call, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a model: request and reply, as they were."""

    request: ModelRequest
    reply: ModelReply


@dataclass(frozen=True, slots=True)
class Action:
    """What an actor does: a typed call, or text that the family parses; with its own guess of the step's score."""

    answer: Call | str
    self_score: float | None = None
    model_call: ModelCall | None = None


# --------------------------------------------------------------------------------------------- feedback


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trajectory, with the fields of SelfImprove-Bench, Appendix A.3. `images` are blob hashes."""

    index: int
    prompt: str
    images: tuple[str, ...]
    action: str | Call
    response: str
    invalid: bool = False
    success: bool | None = None
    score: float | None = None
    feedback: str | None = None
    self_score: float | None = None
    agent_call: ModelCall | None = None


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """What a method is told of one attempt (SelfImprove-Bench, Appendix A.3): id, task, trajectory, evaluation.

    `id` is the attempt's opaque handle. `task` holds family, setting, rules and payload, and never a seed.
    `evaluation` is None where the lens hides the verdict.
    """

    id: str
    task: Mapping[str, JSON] = field(hash=False)
    trajectory: tuple[Step, ...]
    evaluation: Evaluation | None


Lens: TypeAlias = Literal["none", "full", "verdict_hidden"]
Purpose: TypeAlias = Literal["work", "replay", "trial", "rollout", "exam"]

# --------------------------------------------------------------------------------------------- state

PARTS = ("agent", "conversation", "method")
_PIECE = re.compile(r"[^/\x00-\x1f\x7f]{1,255}")


def _check_path(path: str) -> None:
    pieces = path.split("/")
    legal = all(_PIECE.fullmatch(piece) and piece not in (".", "..", ".git") for piece in pieces)
    if len(pieces) < 2 or pieces[0] not in PARTS or not legal:
        raise UsageError(f"a state's file lies under agent/, conversation/ or method/ by a plain path, got {path!r}")


@dataclass(frozen=True, slots=True)
class State:
    """All that improvement may change: files by path under `agent/`, `conversation/` and `method/`."""

    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for path in self.files:
            _check_path(path)

    def part(self, name: str) -> "State":
        """Only the files under one part, paths unchanged."""
        return State({path: data for path, data in self.files.items() if path.startswith(f"{name}/")})

    def acting(self) -> "State":
        """What an acting agent may see: everything but `method/`."""
        return State({path: data for path, data in self.files.items() if not path.startswith("method/")})

    def with_files(self, files: Mapping[str, bytes]) -> "State":
        """A state with these files put in or replaced."""
        return State({**self.files, **files})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A state proposed by a method, the snapshot it comes from, and what the method says of the change."""

    parent: str
    state: State
    manifest: Mapping[str, JSON] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Skipped(Sequence[Candidate]):
    """No candidates, and why: a method tried to make one and what came of it was of no use. That is no fault.

    `manifest` is what the method says of the try, such as the edits that were refused.
    """

    reason: str
    manifest: Mapping[str, JSON] = field(default_factory=dict, hash=False)

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: Any) -> Any:
        return ()[index]


@dataclass(frozen=True, slots=True)
class Trial:
    """How one candidate did on the instance just worked: one outcome per trial attempt."""

    candidate: int
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidate a method takes over, by index; None keeps the incumbent."""

    chosen: int | None
    reason: str = ""


# --------------------------------------------------------------------------------------------- references and estimates

Certificate: TypeAlias = Literal["optimal", "bound", "solver", "gold"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A score to hold an agent's against, and what is known of it.

    `optimal`: proven best. `bound`: nothing can exceed it. `solver`: a stated solver reaches it, and better may
    exist. `gold`: a person's answer. `gap` is the proven relative distance to the optimum, None when unproven.
    """

    score: float
    certificate: Certificate
    solver: str
    gap: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, its n and how it was made. None means not estimable, with the reason in flags."""

    value: float | None
    lo: float | None
    hi: float | None
    method: str
    n_tasks: int
    n_lineages: int
    flags: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------- sessions


@dataclass(frozen=True, slots=True)
class Served:
    """A task as an agent receives it: an opaque handle, what it may know, and what there is to see now.

    `played` is empty unless the run was interrupted in this task: then the episode has been rebuilt from the record,
    and these are the views and actions up to where it stands. `calls` is how many have been made in it.
    """

    handle: str
    family: str
    setting: str
    view: View
    played: tuple[tuple[View, Action], ...] = ()
    calls: int = 0


@dataclass(frozen=True, slots=True)
class StreamReply:
    """The stream's answer to one call: text, and the next view or the end with as much feedback as the lens lets by.

    `invalid` says that the call was none. With a `fault` the task broke and was withdrawn, and the session goes on.
    """

    text: str
    view: View | None
    feedback: FeedbackResult | None = None
    invalid: bool = False
    fault: Fault | None = None

    @property
    def done(self) -> bool:
        """True when this call ended the task."""
        return self.view is None


@dataclass(frozen=True, slots=True)
class QueueInfo:
    """How many tasks wait and how many are in flight; None where the study keeps the length to itself."""

    waiting: int | None
    in_flight: int


Ending: TypeAlias = Literal[
    "queue_empty",
    "agent_stopped",
    "agent_crashed",
    "limit_reached",
    "instrument_fault",
    "wall_clock",
    "budget",
    "provider_limit",
    "provider_filter",
    "credential",
    "stalled",
    "looping",
    "resource_kill",
    "operator",
    "harness_failure",
    "unknown",
]
"""How a session ended (see `rung.protocols.endings`). The first five are of agents that act in the instrument's own
process, and the others of agent programs."""


@dataclass(frozen=True, slots=True)
class Exit:
    """What a driver says of its own end. Evidence, not a verdict: only `protocols/endings.py` classifies.

    Of an agent program `departed` says how. `left` is the snapshot of all that it left, None where that was not kept.
    """

    reason: Literal["queue_empty", "agent_stopped", "agent_crashed", "limit_reached", "departed"]
    detail: str = ""
    departed: Departed | None = None
    left: str | None = None
