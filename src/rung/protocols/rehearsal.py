"""What an attempt and a refinement would ask a model at most, found by rehearsing them before a study starts.

Nobody is asked. A few tasks of a cell are played by the newcomer of the family's key, and by somebody who answers only
nonsense, to see how large views and replies grow. Then the real agent and the real method work over a stand-in for
their model: it takes note of each request, and answers with as much as the request allows. So what they ask is bounded
by their own code, and its price by the gateway's.

An agent may be rehearsed that says `foreseeable = True`: it asks through its model port alone, and asks most when every
reply is as long as it may be. A method may be rehearsed that says how many candidates it proposes at most
(`most_candidates`) and makes of a state, and of what it is told of an attempt, the state whose prompts are the longest
(`fullest`). It asks most when its replies are cut off, and so of no use to it; one that then asks less, because its
second question waits for an answer to the first, has an `exhaust` that asks both. Of all others nothing is foreseen.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from rung.backends.models.gateway import Gateway
from rung.backends.models.prices import most
from rung.core import registry
from rung.core.canonical import JSON, sha256
from rung.core.ports import Actor, Episode, Family, Ports, Ran, RefineContext
from rung.core.seeds import Seed
from rung.core.values import (
    Action,
    Call,
    Evaluation,
    FeedbackResult,
    Image,
    ModelReply,
    ModelRequest,
    Score,
    State,
    Step,
    Task,
    Tool,
    Trial,
    View,
)
from rung.core.waiting import settle
from rung.protocols import judging, self_score
from rung.protocols.lines import Caps
from rung.protocols.study import Arm
from rung.tasks import keys

SEED = Seed("rehearsal")
NONSENSE = "x"
"""An answer that no family can read."""


@runtime_checkable
class Foreseen(Protocol):
    """A method that may be rehearsed."""

    most_candidates: int

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state whose prompts are the longest, for an attempt at the task of this feedback and for refining it."""
        ...


@runtime_checkable
class Exhaustible(Protocol):
    """A method that asks less where its first replies are of no use, and so says itself what it can ask at most."""

    async def exhaust(self, context: RefineContext) -> None:
        """Ask everything that refining in this context can ask, each question at its longest."""
        ...


class Unforeseen(Exception):
    """What would be asked cannot be said; the reason, for whoever reads the forecast."""


class Ask(NamedTuple):
    """The most that one call costs: tokens read and written, and dollars, None where no price is known."""

    read: int
    written: int
    usd: float | None


Rehearsed: TypeAlias = tuple[Sequence[Ask], Sequence[Action]]
"""An attempt as it was rehearsed: the calls of it, and the answers."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What there is to see in the tasks of one cell: a view for each step, each as large as any that was seen.

    `limited` says that the study ends an attempt before the task would.
    """

    views: tuple[View, ...]
    payload: Mapping[str, JSON]
    reply: str
    feedback: str
    evaluation: Evaluation
    limited: bool


# --------------------------------------------------------------------------------------------- seeing


async def sight(tasks: Sequence[Task], steps: int | None, *, judged: bool = False) -> Sight:
    """Play these tasks of one cell and keep the largest of all that is seen, of at most so many steps.

    `judged` says whether agents are asked for their own score too, which makes the rules longer.
    """
    family = registry.family(tasks[0].family)
    seen = _Largest()
    for task in tasks:
        most = min(task.calls, steps or task.calls)
        for actor in (keys.key(family.id).naive(task), Babbler()):
            await _foreign(f"family {family.id}", _play, family, task, actor, most, seen)
    longest = max(task.calls for task in tasks)
    many = min(longest, steps or longest)
    tools = tuple(map(self_score.with_argument, seen.tools)) if judged else seen.tools
    rules = self_score.with_words(seen.rules) if judged else seen.rules
    about = View("", seen.images, tools, rules, "", family.id, tasks[0].setting.name)
    later = replace(about, text=seen.text, reply=seen.reply)
    views = (replace(about, text=seen.first), *[later] * (many - 1))
    evaluation = seen.evaluation or Evaluation("completed", False, family.scale.floor)
    return Sight(
        views, max((task.payload for task in tasks), key=_length), seen.reply, seen.feedback, evaluation, many < longest
    )


def _length(value: object) -> int:
    return len(repr(value))


@dataclass(slots=True)
class _Largest:
    """The longest of each text that was seen so far, by its bytes."""

    rules: str = ""
    first: str = ""
    text: str = ""
    reply: str = ""
    feedback: str = ""
    images: tuple[Image, ...] = ()
    tools: tuple[Tool, ...] = ()
    evaluation: Evaluation | None = None

    def take(self, **texts: str) -> None:
        """Keep those that are longer than what is kept under their name."""
        for name, text in texts.items():
            if _bytes(text) > _bytes(getattr(self, name)):
                setattr(self, name, text)

    def look(self, view: View, *, first: bool) -> None:
        """Take note of one view."""
        self.take(text=view.text, **({"first": view.text} if first else {}))
        self.images = max(self.images, view.images, key=len)
        self.tools = max(self.tools, view.tools, key=_length)

    def measured(self, evaluation: Evaluation) -> None:
        """Take note of how an attempt ended."""
        self.evaluation = max(self.evaluation or evaluation, evaluation, key=_length)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


class Babbler:
    """Answers nonsense."""

    async def act(self, view: View) -> Action:
        """The same nonsense whatever is seen."""
        return Action(NONSENSE)


class Idle:
    """A sandbox in which every command fails at once, for a rehearsal runs no code.

    A method whose actor asks more when code runs sees by `rehearsing` that it shall ask all that it can.
    """

    name = "none"
    rehearsing = True

    async def run(self, argv: object, **how: object) -> Ran:
        """Nothing was run."""
        return Ran(1)


async def _play(family: Family, task: Task, actor: Actor, most: int, seen: _Largest) -> None:
    rules = family.rules(task)
    seen.take(rules=rules)
    episode: Episode = await settle(family.start, task, Ports(sandbox=Idle()))
    reply, done = "", False
    for step in range(most):
        now = replace(episode.view(), rules=rules, reply=reply, family=family.id, setting=task.setting.name)
        seen.look(now, first=step == 0)
        answer = (await settle(actor.act, now)).answer
        told = await settle(episode.call, answer if isinstance(answer, Call) else family.parse(answer))
        reply, done = told.text, told.done
        seen.take(reply=reply, feedback=told.feedback or "")
        if done:
            break
    seen.measured(await settle(episode.evaluate))


# --------------------------------------------------------------------------------------------- rehearsing


@dataclass(slots=True)
class Probe:
    """Stands in for a model: notes what each request costs at most, and answers at the greatest length (a byte a
    token), cut off if `cut`."""

    gateway: Gateway
    caps: Caps | None = None
    cut: bool = False
    asks: list[Ask] = field(default_factory=list)

    async def generate(self, request: ModelRequest) -> ModelReply:
        """As much as may be said."""
        read, written = self._bounds(request)
        self.asks.append(Ask(read, written, most(read, written, self.gateway.price).usd))
        return ModelReply(NONSENSE * written, self.gateway.id, "length" if self.cut else "stop")

    def _bounds(self, request: ModelRequest) -> tuple[int, int]:
        if self.caps is None:
            return self.gateway.bounds(request)
        read, written = self.gateway.bounds(self.caps.within(request))
        return min(read, self.caps.input_bytes), written


async def attempt(arm: Arm, state: State, seen: Sight, gateway: Gateway | None, caps: Caps | None = None) -> Rehearsed:
    """What an attempt from this state asks, call by call, and what it answers. Raises `Unforeseen`."""
    if not getattr(arm.agent, "foreseeable", False):
        alone = "; it is given no model, and what its own code calls is not counted" if gateway is None else ""
        raise Unforeseen(f"agent {arm.agent.id!r} does not say what it asks{alone}")
    if gateway is None:
        return [], [Action(NONSENSE)] * len(seen.views)
    probe = Probe(gateway, caps)
    actions: list[Action] = []

    async def act() -> None:
        ports = replace(arm.ports, model=probe, sandbox=Idle())
        actor = arm.method.actor(state.acting(), arm.agent, ports, SEED.child("acting").rng())
        for view in seen.views:
            actions.append(await settle(actor.act, view))

    await _foreign(f"agent {arm.agent.id!r}", act)
    return probe.asks, actions


def foreseen(arm: Arm) -> Foreseen:
    """The arm's method as one that may be rehearsed. Raises `Unforeseen`."""
    if not isinstance(arm.method, Foreseen):
        raise Unforeseen(f"method {arm.method.id!r} does not say what it asks")
    return arm.method


def told(seen: Sight, actions: Sequence[Action], *, success: bool = False) -> FeedbackResult:
    """What a method is told of the attempt: every view, answer and reply at its largest."""
    view = seen.views[0]
    images = tuple(sha256(image.data) for image in view.images)
    steps = tuple(
        Step(index, at.text, images, action.answer, seen.reply, success=success, feedback=seen.feedback or None)
        for index, (at, action) in enumerate(zip(seen.views, actions, strict=True))
    )
    task: Mapping[str, JSON] = {
        "family": view.family,
        "setting": view.setting,
        "rules": view.rules,
        "payload": seen.payload,
    }
    return FeedbackResult("t-000000000000", task, steps, replace(seen.evaluation, success=success))


async def refinement(
    arm: Arm,
    state: State,
    feedback: FeedbackResult,
    gateway: Gateway | None,
    *,
    candidates: int,
    caps: Caps | None = None,
) -> list[Ask]:
    """What refining after this attempt asks, and selecting among so many candidates. Raises `Unforeseen`."""
    probe = Probe(gateway, caps, cut=True) if gateway is not None else None
    context = RefineContext(
        snapshot="rehearsal",
        state=state,
        feedback=feedback,
        log=[feedback],
        agent=arm.agent,
        ports=replace(arm.ports, model=probe, sandbox=Idle()),
        rng=SEED.child("refining").rng(),
    )
    outcomes = (Score(0.0),) * arm.method.trials
    trials = [Trial(number, outcomes) for number in range(candidates)]

    async def refine() -> None:
        await settle(arm.method.exhaust if isinstance(arm.method, Exhaustible) else arm.method.refine, context)
        if trials:
            await settle(arm.method.select, context, Trial(-1, (Score(0.0),)), trials)

    await _foreign(f"method {arm.method.id!r}", refine)
    return probe.asks if probe is not None else []


async def judgements(feedback: FeedbackResult, gateway: Gateway | None, caps: Caps | None) -> list[Ask]:
    """What another model is asked that judges the steps of this attempt."""
    if gateway is None:
        return []
    probe = Probe(gateway, caps)
    for step in feedback.trajectory:
        await probe.generate(judging.request(feedback, step))
    return probe.asks


async def _foreign(who: str, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
    """Run a plug-in's code. One that raises is broken, or takes other replies than a stand-in has."""
    try:
        await settle(function, *arguments)
    except Exception as error:
        raise Unforeseen(f"{who} could not be rehearsed ({type(error).__name__}: {error})"[:300]) from error
