"""HyperAgents as a method: its options, its first state, and which of two candidates is taken."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from rung.core.canonical import JSON
from rung.core.errors import InstrumentFault, UsageError
from rung.core.options import Default, Unset, choice, take, temperature, whole
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.surface import Surface
from rung.core.values import Candidate, FeedbackResult, Selection, State, Trial
from rung.methods._kernel import Decoding
from rung.methods._selection import mean_score, take_first
from rung.methods.hyperagents import acting, program
from rung.methods.hyperagents.parents import Deploy, Parents
from rung.methods.hyperagents.program import MetaPrompt
from rung.methods.hyperagents.work import AGENT, MAX_FILE, Manner, Search, exhausted, refined

Variant: TypeAlias = Literal["repaired", "faithful", "direct"]
Replies: TypeAlias = Literal["text", "tools", "choices"]
Harness: TypeAlias = Literal["agent", "program"]

WHERE = "method.name = 'hyperagents'"
VARIANTS: tuple[Variant, ...] = ("repaired", "faithful", "direct")
META_PROMPTS: tuple[MetaPrompt, ...] = ("bare", "informed", "improver_named")
PARENTS: tuple[Parents, ...] = ("score_children", "score", "best", "latest", "random")
DEPLOYS: tuple[Deploy, ...] = ("best", "latest", "parent")
REPLIES: tuple[Replies, ...] = ("text", "tools", "choices")
HARNESSES: tuple[Harness, ...] = ("agent", "program")

LEAST_SHOWN = 8_000
META: Mapping[Variant, MetaPrompt] = MappingProxyType(
    {"repaired": "informed", "faithful": "bare", "direct": "improver_named"}
)
DEPLOY: Mapping[Variant, Deploy] = MappingProxyType({"repaired": "best", "faithful": "latest", "direct": "best"})

DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {
        "variant": "repaired",
        "harness": "agent",
        "meta_prompt": Unset(str),
        "frozen_improver": False,
        "parents": "score_children",
        "deploy": Unset(str),
        "calls": 40,
        "commands": 10,
        "keep": 100,
        "shown": 200_000,
        "replies": "text",
        "max_tokens": 4096,
        "temperature": Unset(float),
        "trials": 0,
    }
)


@dataclass(frozen=True, slots=True)
class HyperAgents:
    """Keeps every agent it ever made, and has the improver of one of them make the next.

    A state acts as the plain agent over its files, and nothing of the archive is ever shown; unless what acts is a
    `program` of the state, which asks the agent's model itself.
    """

    variant: Variant
    manner: Manner
    trials: int

    needs_model = True
    runs_code = True  # functions of an improver, its commands, and a program that acts

    @property
    def wrapping(self) -> str:
        """Nothing around the agent; or a program in its place."""
        return "program" if self.manner.program else ""

    @property
    def needs_sandbox(self) -> bool:
        """A program acts nowhere else."""
        return self.manner.program

    @property
    def id(self) -> str:
        """Name and variant, and how its improver differs from the variant's."""
        meta, frozen = self.manner.meta, self.manner.frozen
        unusual = [
            *(["program"] if self.manner.program else []),
            *([meta] if meta != META[self.variant] else []),
            *(["frozen"] if frozen else []),
        ]
        return " ".join(["hyperagents", self.variant, *unusual])

    @property
    def most_candidates(self) -> int:
        """With trials a child is proposed twice: acting, and only kept."""
        return 2 if self.manner.twins else 1

    @property
    def surface(self) -> Surface:
        """What may change from a state to the next."""
        return Surface(write=(AGENT, "method/**"))

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness, and an improver."""
        state = State(agent.harness())
        taken = sorted(path for path in state.files if path.startswith("method/"))
        if taken:
            raise UsageError(
                f"{WHERE} keeps its own files under method/, and agent {agent.id!r} has {taken[0]}; move it"
            )
        files = program.first(self.manner.meta, harness=self.variant == "direct")
        return state.with_files({**files, **({acting.PROGRAM: program.task_agent()} if self.manner.program else {})})

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent over its files, or the program that they hold."""
        return acting.actor(state, ports, rng) if self.manner.program else agent.actor(state, ports, rng)

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """The improver of one node makes a child of it. After every attempt with a step in it."""
        if context.ports.model is None:
            raise InstrumentFault(f"method {self.id}", "has no model to refine with; give method.model or agent.model")
        return await refined(self.manner, context, context.ports.model) if context.feedback.trajectory else ()

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """Without trials the candidate as it is. With them the child acts where it passes, and is kept either way.

        `faithful` is the published staged evaluation: on the task at hand the child has to score above 0. The others
        ask it to be no worse than what acted, which was tried again beside it.
        """
        if not self.trials or not trials:
            return take_first(trials)
        child, again = mean_score(trials[0].outcomes), trials[1].outcomes if len(trials) > 1 else ()
        bar = 0.0 if self.variant == "faithful" else mean_score((*incumbent.outcomes, *again))
        passes = child is not None and bar is not None and (child > bar if self.variant == "faithful" else child >= bar)
        chosen = trials[0] if passes else trials[1] if len(trials) > 1 else None
        word = "the child acts" if passes else "the child is kept and does not act"
        return Selection(None if chosen is None else chosen.candidate, f"{word}: trial mean {child!r} against {bar!r}")

    # ----------------------------------------------------------------------------------------- being rehearsed

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state whose texts are the longest that an improver may write, in each file of the agent's harness."""
        full = (acting.WIDEST * (MAX_FILE // 4)).encode()
        return state.with_files({path: full for path in state.part("agent").files if path != acting.PROGRAM})

    async def exhaust(self, context: RefineContext) -> None:
        """Ask all that a session can ask."""
        if context.ports.model is not None and context.feedback.trajectory:
            await exhausted(self.manner, context.ports.sandbox, context.ports.model)


# --------------------------------------------------------------------------------------------- options


def make(options: Mapping[str, JSON]) -> Method:
    """HyperAgents, with the options of docs/guide/hyperagents.md."""
    values = take(WHERE, options, DEFAULTS)
    variant = choice(WHERE, "variant", values["variant"], VARIANTS)
    trials = whole(WHERE, "trials", values["trials"])
    frozen = bool(values["frozen_improver"])
    deploy = values["deploy"]
    search = Search(
        plain_means=variant == "faithful",
        parents=choice(WHERE, "parents", values["parents"], PARENTS),
        deploy=DEPLOY[variant] if deploy is None else choice(WHERE, "deploy", deploy, DEPLOYS),
        keep=whole(WHERE, "keep", values["keep"], least=2),
    )
    replies = choice(WHERE, "replies", values["replies"], REPLIES)
    manner = Manner(
        meta=_meta(variant, values["meta_prompt"], frozen=frozen),
        frozen=frozen,
        search=search,
        calls=whole(WHERE, "calls", values["calls"], least=1),
        commands=whole(WHERE, "commands", values["commands"]),
        shown=whole(WHERE, "shown", values["shown"], least=LEAST_SHOWN),
        decoding=Decoding(
            replies="text" if replies == "text" else "tools",
            max_tokens=whole(WHERE, "max_tokens", values["max_tokens"], least=1),
            temperature=temperature(WHERE, values["temperature"]),
        ),
        twins=trials > 0,
        choices=replies == "choices",
        program=choice(WHERE, "harness", values["harness"], HARNESSES) == "program",
    )
    return HyperAgents(variant, manner, trials)


def _meta(variant: Variant, value: JSON, *, frozen: bool) -> MetaPrompt:
    """The prompt that an improver begins with. A frozen one is not told that it may change itself."""
    if value is None:
        usual = META[variant]
        return "informed" if frozen and usual == "improver_named" else usual
    meta = choice(WHERE, "meta_prompt", value, META_PROMPTS)
    if frozen and meta == "improver_named":
        raise UsageError(
            f"{WHERE}: meta_prompt = 'improver_named' names what frozen_improver = true keeps as it is; drop one"
        )
    return meta


EXAMPLES: tuple[Mapping[str, JSON], ...] = (
    {},
    {"variant": "faithful", "replies": "tools", "trials": 1},
    {"variant": "direct", "keep": 2},
    {"frozen_improver": True, "parents": "random", "deploy": "parent"},
)
"""Options with which the contract suite tries this method."""
