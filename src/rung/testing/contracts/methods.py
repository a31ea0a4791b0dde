"""The contract suite of methods, in a world whose truth is written down: no game, no model, known outcomes."""

import builtins
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import permutations

from rung.core.canonical import JSON, canonical
from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Actor, Agent, FeedbackLog, Method, Ports, RefineContext
from rung.core.seeds import Seed
from rung.core.surface import Surface, changed, modules
from rung.core.values import (
    Action,
    Candidate,
    Evaluation,
    Fault,
    FeedbackResult,
    ModelRequest,
    Score,
    Selection,
    State,
    Step,
    Trial,
    View,
)
from rung.testing.contracts import hostile, scripts
from rung.testing.contracts.actors import acted
from rung.testing.contracts.promise import Check, into, require, settled, wait
from rung.testing.models import Broken, Scripted

MIB = 1 << 20
SNAPSHOT = "a" * 40
MARK = "only-the-method-may-read-this"
_COMPILED = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\x80\x04\x95")
_COMPILED_NAMES = (".pyc", ".so", ".dll", ".dylib", ".pkl", ".pickle", ".exe")

FAULT = Fault("model", "connection reset")


@dataclass(frozen=True)
class MethodCase:
    """A method under test, made afresh for each check, and the agent that it wraps.

    `gated` is False for a method that takes a candidate over whatever its trials say; its module says so with
    `GATED = False`, and the two checks of selection by score leave it out. `note` is added to what a finding says.
    """

    make: Callable[[], Method]
    agent: Callable[[], Agent] = scripts.ScriptedAgent
    gated: bool = True
    note: str = ""


CHECKS: list[Check[MethodCase]] = []
promise = into(CHECKS)


# --------------------------------------------------------------------------------------------- the written-down world


def feedback(*, score: float = 0.25, hidden: bool = False, text: str = "The lock shows 7.") -> FeedbackResult:
    """One attempt as a method is told of it."""
    task: Mapping[str, JSON] = {
        "family": "contract-v1",
        "setting": "d1",
        "rules": "Answer with one number.",
        "payload": {"numbers": [7]},
        "instance": "0123456789abcdef",
    }
    steps = (
        Step(0, text, (), "Answer: 3", "wrong", success=None if hidden else False, score=None if hidden else 0.0),
        Step(1, text, (), "Answer: x", "no number", invalid=True, self_score=0.5),
    )
    evaluation = None if hidden else Evaluation("completed", success=score >= 1.0, score=score)
    return FeedbackResult("h-17", task, steps, evaluation)


@dataclass(frozen=True)
class _Log:
    results: Sequence[FeedbackResult]

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> FeedbackResult:
        return self.results[index]


@dataclass(frozen=True)
class _World:
    """A method with its agent and a first state, and what it is told."""

    method: Method
    agent: Agent
    state: State
    ports: Ports = field(default_factory=scripts.ports)

    def context(self, told: FeedbackResult, state: State | None = None) -> RefineContext:
        log: FeedbackLog = _Log((feedback(score=0.0), told))
        files = dict((self.state if state is None else state).files)
        rng = Seed("contract").child("refine").rng()
        return RefineContext(SNAPSHOT, State(files), told, log, self.agent, self.ports, rng)

    def refine(self, context: RefineContext) -> Sequence[Candidate]:
        return wait(_refine(self.method, context))


async def _refine(method: Method, context: RefineContext) -> Sequence[Candidate]:
    found: Sequence[Candidate] = await settled(method.refine, context)
    return tuple(found)


def _world(case: MethodCase, model: Callable[[ModelRequest], str] = scripts.plain) -> _World:
    method, agent = case.make(), case.agent()
    return _World(method, agent, method.initial_state(agent), scripts.ports(model))


def _later(case: MethodCase, steps: int = 3) -> _World:
    """The world after some refinements, so that a method's buffers and archives hold something."""
    world = _world(case)
    for step in range(steps):
        proposed = world.refine(world.context(feedback(score=step / steps, text=f"The lock shows {step}.")))
        world = replace(world, state=proposed[0].state) if proposed else world
    return world


def _told() -> Iterator[FeedbackResult]:
    yield feedback()
    yield feedback(score=1.0)
    yield feedback(hidden=True)
    yield replace(feedback(), trajectory=())


# --------------------------------------------------------------------------------------------- states and candidates


@promise
def the_first_state_is_legal(case: MethodCase) -> None:
    """A_0 holds the agent's harness as it is, and legal files beside it."""
    world = _world(case)
    _require_state(world.state)
    harness = dict(world.agent.harness())
    kept = {path: world.state.files.get(path) for path in harness} == harness
    require(kept, seen=sorted(world.state.files), mend="start from State(agent.harness()) and add to it")


def _require_state(state: State) -> None:
    require(isinstance(state, State), seen=state, mend="give a State")
    State(dict(state.files))
    for path, data in state.files.items():
        require(isinstance(data, bytes), seen=f"{path}: {type(data).__name__}", mend="files hold bytes")
        require(len(data) <= MIB, seen=f"{path}: {len(data)} bytes", mend="keep each file to 1 MiB; prune or split it")
        compiled = data.startswith(_COMPILED) or path.endswith(_COMPILED_NAMES)
        require(not compiled, seen=f"{path} is compiled or pickled", mend="keep text, JSON or plain data in a state")


@promise
def a_method_says_what_it_is(case: MethodCase) -> None:
    """Id, trials and wrapping are the same for a method made again, and trials is a count."""
    one, other = case.make(), case.make()
    facts = [(method.id, method.trials, method.wrapping) for method in (one, other)]
    require(facts[0] == facts[1] and one.id, seen=facts, mend="name variant and options, and no instance")
    require(type(one.trials) is int and one.trials >= 0, seen=one.trials, mend="a whole number of trials, 0 for none")


@promise
def candidates_are_legal_and_come_from_the_snapshot_in_hand(case: MethodCase) -> None:
    """Every candidate's parent is the context's snapshot, its state is legal, and its manifest is JSON."""
    world = _world(case)
    for told in _told():
        for candidate in world.refine(world.context(told)):
            require(isinstance(candidate, Candidate), seen=candidate, mend="return Candidates")
            require(candidate.parent == SNAPSHOT, seen=candidate.parent, mend="parent = context.snapshot")
            _require_state(candidate.state)
            canonical(candidate.manifest)


@promise
def the_same_context_gives_the_same_candidates(case: MethodCase) -> None:
    """Candidates are a function of context and seed, also for a method made again after a crash."""
    world, again = _later(case), _later(case)
    require(world.state == again.state, seen="two first states", mend="draw from context.rng alone")
    for told in _told():
        one = world.refine(world.context(told))
        for other in (world, replace(again, method=case.make())):
            twice = replace(other, ports=scripts.ports())
            seen = f"{[c.manifest for c in one]} and others"
            require(
                one == twice.refine(twice.context(told)), seen=seen, mend="keep memory in the state, not in the object"
            )


@promise
def refining_changes_nothing_in_the_context(case: MethodCase) -> None:
    """Refining leaves the state, the feedback and the log as they were."""
    world = _later(case)
    for told in _told():
        context = world.context(told)
        before = dict(context.state.files)
        world.refine(context)
        require(dict(context.state.files) == before, seen="another state", mend="build a new State with with_files")
        require(context.feedback == told and len(context.log) == 2, seen="another feedback", mend="only read it")


@promise
def a_hidden_verdict_is_no_obstacle(case: MethodCase) -> None:
    """A method refines also where the lens hides evaluation and step scores."""
    world = _later(case)
    for candidate in world.refine(world.context(feedback(hidden=True))):
        _require_state(candidate.state)


@promise
def odd_feedback_is_survived(case: MethodCase) -> None:
    """Empty trajectories and hostile or huge texts in one raise nothing, and make no illegal state."""
    texts = [*(text for text in hostile.texts().values() if len(text) < 250_000), "a long day " * 200_000]
    steps = tuple(Step(i, text, (), text, text, invalid=True) for i, text in enumerate(texts))
    for trajectory in ((), steps):
        world = _world(case)
        for candidate in world.refine(world.context(replace(feedback(), trajectory=trajectory))):
            _require_state(candidate.state)


@promise
def any_answer_of_the_model_is_survived(case: MethodCase) -> None:
    """Whatever an improver model answers, refining raises nothing and proposes only legal states."""
    texts = {name: text for name, text in hostile.texts().items() if len(text) < 250_000}
    texts["an edit of another part"] = (
        '```json\n{"method/x.md": "a", "../x": "b", "/etc/passwd": "c", "agent": "d"}\n```'
    )
    for answer in (scripts.plain, scripts.fenced, *(_saying(text) for text in texts.values())):
        world = _world(case, answer)
        for candidate in world.refine(world.context(feedback())):
            _require_state(candidate.state)


@promise
def every_candidate_lies_on_the_methods_own_surface(case: MethodCase) -> None:
    """Whatever its model answers, a method changes only what its `surface` allows: paths, names, sizes, Python."""
    texts = [text for text in hostile.texts().values() if len(text) < 250_000]
    for answer in (scripts.plain, scripts.fenced, *map(_saying, (*texts, *_edits()))):
        world = _later(case) if answer is scripts.plain else replace(_world(case), ports=scripts.ports(answer))
        surface = getattr(world.method, "surface", Surface())
        require(isinstance(surface, Surface), seen=surface, mend="surface = rung.core.surface.Surface(write=(...,))")
        for candidate in _refined(world):
            wrong = _off(surface, world.state, candidate.state)
            require(
                not wrong, seen=wrong[:3], mend="widen the surface, or refuse such an answer and keep the incumbent"
            )


def _refined(world: _World) -> Sequence[Candidate]:
    """What is proposed; nothing where refining raises, which other checks are for."""
    with suppress(Exception):
        return world.refine(world.context(feedback()))
    return ()


def _off(surface: Surface, before: State, after: State) -> list[str]:
    found = [each.told() for each in surface.overfull(after.files)]
    for path, data in changed(before.files, after.files).items():
        gone = surface.misplaced(path)
        found += [each.told() for each in surface.unfit(path, data, modules(after.files))] if data is not None else []
        found += [gone.told()] if data is None and gone is not None else []
    return found


@promise
def no_code_of_an_improver_runs_in_this_process(case: MethodCase) -> None:
    """Code in an improver's answer is never run here, neither when it is taken over nor when an agent acts with it."""
    for answer in _edits():
        world = _world(case, _saying(answer))
        for candidate in _refined(world):
            with suppress(Exception):
                actor = world.method.actor(candidate.state.acting(), world.agent, world.ports, random.Random(1))
                wait(_act_once(actor))
        ran = getattr(builtins, RAN, None)
        if ran is not None:
            delattr(builtins, RAN)
        require(ran is None, seen="code from an answer ran", mend="run it in ports.sandbox (see rung.methods._coded)")


RAN = "rung_contract_code_ran"
_CODE = f"import builtins\n\nsetattr(builtins, {RAN!r}, True)\n"


def _edits() -> Iterator[str]:
    """Answers with code in them, as the edit kernel, a fence and a form would take it."""
    for path in ("agent/a.py", "agent/tools/a.py", "agent/middleware/a.py", "agent/task_agent.py", "method/a.py"):
        yield json.dumps({"tool": "write", "path": path, "text": _CODE})
    yield f"```python\n{_CODE}```"
    yield json.dumps({"operations": [{"op": "ADD", "section": "others", "text": _CODE}], "lesson": _CODE, "tags": []})
    yield f"{_CODE}\nNext time I will look at the number before I answer."


def _saying(text: str) -> Callable[[ModelRequest], str]:
    return lambda request: text


@promise
def a_model_that_is_down_is_a_fault(case: MethodCase) -> None:
    """When its model cannot be reached, refining lets the InstrumentFault through and proposes nothing instead."""
    world = _world(case)
    model = Broken()
    broken = replace(world, ports=replace(world.ports, model=model))
    try:
        broken.refine(broken.context(feedback()))
    except InstrumentFault:
        return
    require(not model.calls, seen="the fault was swallowed", mend="catch no InstrumentFault: the session records it")


@promise
def a_method_that_cannot_refine_without_a_model_says_so(case: MethodCase) -> None:
    """A method that cannot refine without a model has `needs_model = True`, so that no study starts without one."""
    world = _world(case)
    bare = replace(world, ports=replace(world.ports, model=None))
    for told in () if getattr(world.method, "needs_model", False) else _told():
        try:
            bare.refine(bare.context(told))
        except Exception as error:  # noqa: BLE001 (foreign code may raise anything)
            require(False, seen=f"{type(error).__name__}: {error}", mend="needs_model = True")


@promise
def files_the_agent_ruined_are_the_agents_fault(case: MethodCase) -> None:
    """With garbage in every file under agent/ and conversation/, refining raises AgentCrash or nothing."""
    world = _later(case)
    for garbage in (b"", b"\xff\xfe\x00", b"[" * 5000, b"{}"):
        ruined = {p: data if p.startswith("method/") else garbage for p, data in world.state.files.items()}
        try:
            for candidate in world.refine(world.context(feedback(), State(ruined))):
                _require_state(candidate.state)
        except AgentCrash:
            pass


# --------------------------------------------------------------------------------------------- acting


@promise
def nothing_of_the_method_reaches_the_actor(case: MethodCase) -> None:
    """Acting needs the acting part of a state alone; what lies under method/ is never handed or shown to an agent."""
    world = _later(case)
    state = world.state.with_files({"method/mark.md": MARK.encode()})
    world.refine(world.context(feedback(), state))
    spy = _Spy(world.agent)
    model = Scripted(scripts.plain)
    actor = world.method.actor(state.acting(), spy, replace(world.ports, model=model), random.Random(1))
    said = wait(_act_once(actor))
    files = [path for handed in spy.handed for path, data in handed.files.items() if _is_secret(path, data)]
    require(not files, seen=files, mend="hand the agent the state given, and no remembered one")
    require(
        MARK not in f"{model.heard()}{said}{spy.read()}", seen="method/ shown", mend="show an actor only agent/ files"
    )


def _is_secret(path: str, data: bytes) -> bool:
    return path.startswith("method/") or MARK.encode() in data


async def _act_once(actor: Actor) -> Action:
    return await acted(actor, View("The lock shows 7.", rules="Answer with one number."))


@dataclass
class _Spy:
    """Stands in for the agent, and writes down what it and its actors are handed."""

    inner: Agent
    handed: list[State] = field(default_factory=list)
    views: list[View] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.inner.id

    def harness(self) -> Mapping[str, bytes]:
        return self.inner.harness()

    def actor(self, state: State, ports: Ports, rng: random.Random) -> "_SpyActor":
        self.handed.append(state)
        return _SpyActor(self, self.inner.actor(state, ports, rng))

    def read(self) -> str:
        return "\n".join(f"{view.text}\n{view.rules}\n{view.reply}" for view in self.views)


@dataclass
class _SpyActor:
    spy: _Spy
    inner: Actor

    async def act(self, view: View) -> Action:
        self.spy.views.append(view)
        return await acted(self.inner, view)


# --------------------------------------------------------------------------------------------- selection


def _select(case: MethodCase, incumbent: Trial, trials: Sequence[Trial]) -> int | None:
    world = _world(case)
    selection = wait(_selected(world.method, world.context(feedback()), incumbent, trials))
    require(isinstance(selection, Selection), seen=selection, mend="return a Selection")
    legal = selection.chosen is None or selection.chosen in {trial.candidate for trial in trials}
    require(legal and not isinstance(selection.chosen, bool), seen=selection, mend="choose an index tried, or None")
    return selection.chosen


async def _selected(method: Method, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
    selection: Selection = await settled(method.select, context, incumbent, trials)
    return selection


def _trial(candidate: int, *outcomes: float | Fault) -> Trial:
    return Trial(candidate, tuple(o if isinstance(o, Fault) else Score(o) for o in outcomes))


def _repeated(case: MethodCase, candidate: int, score: float) -> Trial:
    return _trial(candidate, *[score] * case.make().trials)


def _selects(case: MethodCase) -> bool:
    return case.gated and case.make().trials > 0


@promise
def a_selection_is_an_index_or_none(case: MethodCase) -> None:
    """A method chooses the index of a candidate that was tried, or None."""
    for count in (1, 2, 5):
        trials = [_repeated(case, index, index / 10) for index in range(count)]
        _select(case, _repeated(case, -1, 0.05), trials)


@promise
def silence_changes_nothing(case: MethodCase) -> None:
    """Where nothing was proposed, the incumbent stays."""
    chosen = _select(case, _repeated(case, -1, 0.5), ())
    require(chosen is None, seen=chosen, mend="Selection(None) for no trials")


@promise
def a_worse_candidate_is_never_kept(case: MethodCase) -> None:
    """A method that selects never takes a candidate whose trials were all worse than the incumbent's."""
    for scores in _scores() if _selects(case) else ():
        trials = [_repeated(case, index, score) for index, score in enumerate(scores)]
        for incumbent in (0.5, 0.0, -0.5):
            chosen = _select(case, _repeated(case, -1, incumbent), trials)
            kept = chosen is None or scores[chosen] >= incumbent
            seen = f"incumbent {incumbent}, candidates {list(scores)}, chosen {chosen}"
            require(kept, seen=seen, mend="compare with the incumbent, and mind the direction of the sort")


def _scores() -> Iterator[tuple[float, ...]]:
    yield from ((0.1,), (0.9,), (-1.0,))
    yield from permutations((0.1, 0.4, 0.9))
    yield from permutations((-0.9, -0.1, -0.6))


@promise
def a_fault_is_no_score(case: MethodCase) -> None:
    """A faulted trial neither wins nor loses as a zero would: not for a candidate, and not for the incumbent."""
    for incumbent, trials, allowed in _faulted() if _selects(case) else ():
        chosen = _select(case, incumbent, trials)
        seen = f"incumbent {incumbent.outcomes}, trials {[t.outcomes for t in trials]}, chosen {chosen}"
        require(chosen in allowed, seen=seen, mend="leave faults out of every mean; without a measurement keep what is")


def _faulted() -> Iterator[tuple[Trial, Sequence[Trial], tuple[int | None, ...]]]:
    """Incumbent, trials, and what may be chosen by whoever does not read a fault as a zero."""
    yield _trial(-1, -0.5), [_trial(0, FAULT)], (None,)
    yield _trial(-1, 0.5), [_trial(0, FAULT), _trial(1, 0.9)], (1, None)
    yield _trial(-1, FAULT), [_trial(0, 0.1)], (None,)
    yield _trial(-1, 0.6, FAULT), [_trial(0, 0.5, 0.5)], (None,)
    yield _trial(-1, -0.5, -0.5), [_trial(0, -0.6, FAULT)], (None,)
    yield _trial(-1, FAULT), [_trial(0, FAULT), _trial(1, FAULT)], (None,)
