"""The contract suite of drivers: how a session's stream is worked, shown on a scripted stream of known tasks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from rung.core.errors import AgentCrash, InstrumentFault, UsageError
from rung.core.ports import Actor, Driver, Kit
from rung.core.seeds import Seed
from rung.core.values import Action, Exit, QueueInfo, Served, State, StreamReply, Tool, View
from rung.testing.contracts import scripts
from rung.testing.contracts.promise import Check, into, require, settled, wait

ActorFor: TypeAlias = Callable[[Served, Kit], Actor]
"""What a driver is given to act with: an actor for the attempt served, with that attempt's kit."""

DriverMaker: TypeAlias = Callable[[ActorFor], Driver]
"""Makes a driver that acts with these actors."""

CHECKS: list[Check[DriverMaker]] = []
promise = into(CHECKS)

STEPS = 3
_TOOL = Tool("say", "Say a number.", {"type": "object", "properties": {"value": {"type": "string"}}})


@dataclass
class ScriptedStream:
    """A queue of tasks of three calls each. It writes down all that is asked of it."""

    tasks: int
    pulled: int = 0
    refused: int = 0
    left: dict[str, int] = field(default_factory=dict)
    said: list[tuple[str, Action]] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    asked_when_empty: int = 0
    broken: bool = False
    resumed: tuple[Action, ...] = ()

    async def get_task(self) -> Served | None:
        """The next task."""
        if self.pulled == self.tasks:
            self.asked_when_empty += 1
            return None
        self.pulled += 1
        handle = f"t{self.pulled * 7919 % 1000:03d}"
        self.left[handle] = STEPS
        played = self._play_again(handle) if self.pulled == 1 else ()
        return Served(handle, "contract-v1", "d1", self.view(handle), played)

    def _play_again(self, handle: str) -> tuple[tuple[View, Action], ...]:
        played = []
        for action in self.resumed:
            played.append((self.view(handle), action))
            self.left[handle] -= 1
        return tuple(played)

    def view(self, handle: str) -> View:
        """What the task with this handle shows now."""
        return View(f"task {handle}, {self.left[handle]} calls left", tools=(_TOOL,), rules="Say a number.")

    async def answer(self, handle: str, action: Action) -> StreamReply:
        """Take a call to an open task; anything else is remembered as stray."""
        if self.broken:
            raise InstrumentFault("stream", "the journal is gone")
        if not self.left.get(handle):
            self.stray.append(handle)
            raise UsageError(f"no task in flight has the handle {handle!r}")
        self.said.append((handle, action))
        self.left[handle] -= 1
        return StreamReply("taken", self.view(handle) if self.left[handle] else None)

    async def queue_info(self) -> QueueInfo:
        """What waits and what is in flight."""
        return QueueInfo(self.tasks - self.pulled, sum(1 for calls in self.left.values() if calls))


@dataclass
class ScriptedPost:
    """The post of a scripted session; it remembers for which attempts a kit was asked."""

    stream: ScriptedStream
    home: State = field(default_factory=lambda: State({"agent/prompt.md": b"Say a number.\n"}))
    kits: list[str] = field(default_factory=list)

    def kit(self, handle: str) -> Kit:
        """Ports and random stream of one attempt."""
        self.kits.append(handle)
        return Kit(scripts.ports(), Seed("contract").child("attempt", handle).rng())


@dataclass
class _Hands:
    """Makes actors, and remembers what each saw and did."""

    fail: Exception | None = None
    fail_at: int = 0
    made: list[str] = field(default_factory=list)
    seen: list[View] = field(default_factory=list)
    done: list[Action] = field(default_factory=list)

    def __call__(self, served: Served, kit: Kit) -> Actor:
        self.made.append(served.handle)
        return _Hand(self, scripts.ScriptedActor("hand", kit.rng))


@dataclass
class _Hand:
    hands: _Hands
    inner: scripts.ScriptedActor

    async def act(self, view: View) -> Action:
        self.hands.seen.append(view)
        if self.hands.fail is not None and len(self.hands.seen) > self.hands.fail_at:
            raise self.hands.fail
        action = await self.inner.act(view)
        self.hands.done.append(action)
        return action


def _work(make: DriverMaker, tasks: int, hands: _Hands) -> tuple[ScriptedPost, Exit]:
    post = ScriptedPost(ScriptedStream(tasks))
    return post, wait(_run(make(hands), post))


async def _run(driver: Driver, post: ScriptedPost) -> Exit:
    done: Exit = await settled(driver.run, post)
    return done


@promise
def a_driver_pulls_until_the_queue_is_empty(make: DriverMaker) -> None:
    """A driver works every task to its end, pulls until there is none, and says that the queue was empty."""
    post, done = _work(make, 4, _Hands())
    stream = post.stream
    open_tasks = [handle for handle, calls in stream.left.items() if calls]
    require(isinstance(done, Exit), seen=done, mend="return an Exit")
    require(done.reason == "queue_empty", seen=done, mend="the queue was empty, and nobody stopped or crashed")
    require(stream.pulled == 4 and not open_tasks, seen=f"{stream.pulled} of 4 pulled, open: {open_tasks}", mend=_ALL)
    require(stream.asked_when_empty >= 1, seen="never told that the queue is empty", mend=_ALL)


_ALL = "call get_task until it gives None, and answer each task until its view is None"


@promise
def an_empty_queue_is_an_exit(make: DriverMaker) -> None:
    """A queue that was empty from the start is an Exit like any other, and nothing is answered."""
    hands = _Hands()
    post, done = _work(make, 0, hands)
    require(done.reason == "queue_empty", seen=done, mend="return Exit('queue_empty')")
    require(not post.stream.said and not hands.seen, seen=post.stream.said, mend="act only on a task served")


@promise
def only_handles_in_flight_are_answered(make: DriverMaker) -> None:
    """A driver never answers a task it was not served, nor one that has ended."""
    post, _ = _work(make, 4, _Hands())
    require(not post.stream.stray, seen=post.stream.stray, mend="stop with a task when its reply has no view")


@promise
def each_attempt_has_an_actor_and_a_kit_of_its_own(make: DriverMaker) -> None:
    """One actor is made for each attempt, with the kit of that attempt."""
    hands = _Hands()
    post, _ = _work(make, 4, hands)
    handles = sorted(post.stream.left)
    require(sorted(hands.made) == handles, seen=f"actors for {hands.made}", mend="make one actor for each task served")
    require(sorted(set(post.kits)) == handles, seen=f"kits of {post.kits}", mend="ask for the kit of each handle")


@promise
def a_driver_adds_nothing_of_its_own(make: DriverMaker) -> None:
    """The actor sees the stream's views, the stream gets the actor's actions, and equal sessions go equally."""
    hands, again = _Hands(), _Hands()
    post, _ = _work(make, 3, hands)
    other, _ = _work(make, 3, again)
    require([action for _, action in post.stream.said] == hands.done, seen=post.stream.said, mend="pass actions on")
    texts = {view.text for view in hands.seen}
    wanted = {f"task {handle}, {n} calls left" for handle in post.stream.left for n in range(1, STEPS + 1)}
    require(texts == wanted, seen=sorted(texts), mend="pass each view on as it came")
    require(post.stream.said == other.stream.said, seen="two sessions differ", mend="draw from the kit alone")


@promise
def an_interrupted_task_is_taken_up_where_it_was(make: DriverMaker) -> None:
    """A task served with steps already played goes on from there: nothing is said twice, and the rest is the same."""
    whole, _ = _work(make, 2, _Hands())
    said = whole.stream.said
    for steps in (1, 2):
        post = ScriptedPost(ScriptedStream(2, resumed=tuple(action for _, action in said[:steps])))
        wait(_run(make(_Hands()), post))
        mend = "bring the actor to where it was with Served.played, and answer only from Served.view on"
        require(post.stream.said == said[steps:], seen=f"after {steps} steps: {post.stream.said}", mend=mend)


@promise
def an_agents_crash_is_told_in_the_exit(make: DriverMaker) -> None:
    """When the actor raises AgentCrash, the driver tells 'agent_crashed' with the detail, and raises nothing."""
    _, done = _work(make, 3, _Hands(fail=AgentCrash("division by zero in notes.py"), fail_at=1))
    require(done.reason == "agent_crashed", seen=done, mend="return Exit('agent_crashed', str(error))")
    require("division by zero in notes.py" in done.detail, seen=done, mend="put the crash's own words in the detail")


@promise
def a_broken_instrument_is_let_through(make: DriverMaker) -> None:
    """An InstrumentFault of the actor or of the stream goes through the driver as it is: it is nobody's score."""
    for broken in ("model", "stream"):
        post = ScriptedPost(ScriptedStream(2, broken=broken == "stream"))
        hands = _Hands(fail=InstrumentFault("model", "connection reset") if broken == "model" else None)
        try:
            done: object = wait(_run(make(hands), post))
        except InstrumentFault as fault:
            require(fault.where == broken, seen=fault, mend="let the fault through as it is")
        else:
            require(False, seen=f"{broken} broke, and the driver returned {done}", mend="catch AgentCrash alone")
