"""The methods that controls are. Each asks the method within and passes on all that it does but for one thing."""

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rung.core.canonical import JSON
from rung.core.controls import ControlName
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.seeds import Seed
from rung.core.values import Candidate, Selection, Skipped, State, Trial
from rung.core.waiting import settle
from rung.methods._controls import edits

HINTS = ("needs_model", "most_candidates", "fullest", "exhaust", "surface", "runs_code", "trains")
"""What a method may say of itself that holds of its control too: that it needs a model or a sandbox, what it asks at
most, what it may change, and that it trains weights."""


class Controlled:
    """A method that does all that the one within does, but for what becomes of it."""

    control: ClassVar[ControlName]

    def __init__(self, within: Method) -> None:
        self.within = within
        self.id = f"{within.id}, {self.control}"
        self.trials = within.trials
        self.wrapping = within.wrapping
        for hint in HINTS:  # as attributes of their own, for whether a method has one is asked of it
            if hasattr(within, hint):
                setattr(self, hint, getattr(within, hint))

    def initial_state(self, agent: Agent) -> State:
        """The same A_0."""
        return self.within.initial_state(agent)

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The same actor."""
        return self.within.actor(state, agent, ports, rng)

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """What the method within proposes, put out of work.

        It draws first, from the stream that it would have without a control, so that it draws the same.
        """
        found = await settle(self.within.refine, context)
        if isinstance(found, Skipped):
            return found
        seed = Seed(f"control/{self.control}/{context.rng.getrandbits(128):032x}")
        return [self._instead(context.state, each, seed.child(number)) for number, each in enumerate(found)]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """What the method within selects."""
        return await settle(self.within.select, context, incumbent, trials)

    def _instead(self, incumbent: State, proposed: Candidate, seed: Seed) -> Candidate:
        """What goes on in place of a candidate: here the candidate itself."""
        return Candidate(proposed.parent, proposed.state, self._manifest(proposed))

    def _manifest(self, proposed: Candidate, **more: JSON) -> Mapping[str, JSON]:
        return {"control": self.control, "proposed": dict(proposed.manifest), **more}


class Discard(Controlled):
    """Everything is proposed, tried and selected among, and nothing taken over, so that A_T is A_0."""

    control = "discard"

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The incumbent, whatever the method within selects."""
        chosen = await super().select(context, incumbent, trials)
        took = "the incumbent" if chosen.chosen is None else f"candidate {chosen.chosen}"
        return Selection(None, f"discarded; the method took {took}: {chosen.reason}")


class NoOp(Controlled):
    """Every candidate is the incumbent itself, so that whatever the gate takes over changes nothing."""

    control = "no-op"

    def _instead(self, incumbent: State, proposed: Candidate, seed: Seed) -> Candidate:
        return Candidate(proposed.parent, incumbent, self._manifest(proposed))


class Rewritten(Controlled):
    """Every candidate has other text in place of what the method wrote."""

    hand: ClassVar[edits.Hand]

    def _instead(self, incumbent: State, proposed: Candidate, seed: Seed) -> Candidate:
        made = edits.rewritten(incumbent, proposed.state, self.hand, seed)
        about = self._manifest(proposed, files=list(made.files), characters=made.characters, left=list(made.left))
        return Candidate(proposed.parent, made.state, about)


class RandomEdit(Rewritten):
    """Every candidate is an edit of the same files and size, of random letters."""

    control = "random-edit"
    hand = edits.Hand(edits.random_letters, anywhere=True)


class Shuffled(Rewritten):
    """Every candidate has its words in another order."""

    control = "shuffled"
    hand = edits.Hand(edits.shuffled_words, anywhere=False)
