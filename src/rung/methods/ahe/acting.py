"""The agent in its harness: told its texts, given its helpers, with its middleware around each step.

All code of a harness runs in the sandbox, a process for each call. What fails is passed over: a helper says so to the
agent, and middleware is left out for the rest of the attempt, so that a bad edit costs at most one late call.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rung.core.canonical import JSON, canonical
from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Actor, Sandbox
from rung.core.values import Action, Call, State, View
from rung.core.waiting import settle
from rung.methods._attempt import cut
from rung.methods._coded import Bounds, Code, Failed, action, call, shown
from rung.methods._telling import Recalls
from rung.methods.ahe import harness
from rung.methods.ahe.harness import Helper
from rung.methods.ahe.prompts import filled, prompt, source

BOUNDS = Bounds(seconds=5.0, megabytes=512, asks=0, bytes=16_000)
HOOKS = ".rung/hooks.py"
MAX_NOTE = 4_000
"""Characters of what middleware adds to a view, and of what a helper gives."""

WIDEST = "\U0001d535"
"""A character that takes as many bytes as any."""

AGAIN = 1
"""How often middleware may have an answer given again, in one step."""


@dataclass(slots=True)
class Harnessed:
    """One attempt of an agent in its harness."""

    inner: Actor
    state: State
    sandbox: Sandbox | None
    uses: int
    seed: int
    helpers: Mapping[str, Helper] = field(init=False)
    _text: str = field(init=False)
    _hooked: bool = field(init=False)
    _memory: JSON = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.helpers = harness.helpers(self.state) if self.uses else {}
        self._hooked = harness.has_middleware(self.state)
        self._text = self._told()

    def _told(self) -> str:
        """What is put behind the rules of every task."""
        texts = harness.told(self.state)
        parts = [f"{prompt('heading')}\n\n{texts}"] if texts else []
        if self.helpers:
            lines = "\n".join(
                f"- {each.name}: {each.tool.description} {_spelt(each)}" for each in self.helpers.values()
            )
            parts.append(filled("helpers", uses=str(self.uses), helpers=lines))
        return "\n\n".join(parts)

    async def act(self, view: View) -> Action:
        """The agent's action, as its harness leaves it."""
        if getattr(self.sandbox, "rehearsing", False):
            return await self._at_most(view)
        given = await self._hook("on_view", {"view": shown(view)})
        notes = given.get("notes")
        noted = self._shown(view)
        if isinstance(notes, list) and notes:
            text = cut("\n".join(str(note) for note in notes), MAX_NOTE)
            noted = replace(noted, text="\n\n".join(filter(None, (noted.text, text))))
        for _ in range(AGAIN + 1):
            acted = await self._answered(noted)
            checked = await self._checked(view, acted)
            if isinstance(checked, Action):
                return checked
            noted = replace(noted, reply=checked)
        return acted

    async def _at_most(self, view: View) -> Action:
        """All that can be asked in one step, each at its longest. No code runs (see `rung.protocols.rehearsal`)."""
        widest = WIDEST * MAX_NOTE
        noted = self._shown(view)
        noted = replace(noted, text=f"{noted.text}\n\n{widest}", reply=f"{widest}{noted.reply}")
        for _ in range((AGAIN + 1) * (1 + self.uses) - 1):
            await settle(self.inner.act, noted)
        acted: Action = await settle(self.inner.act, noted)
        return acted

    def _shown(self, view: View) -> View:
        rules = "\n\n".join(filter(None, (view.rules, self._text)))
        taken = {tool.name for tool in view.tools}
        helpers = (each.tool for name, each in self.helpers.items() if name not in taken)
        return replace(view, rules=rules, tools=view.tools and (*view.tools, *helpers))

    # ----------------------------------------------------------------------------------------- helpers

    async def _answered(self, view: View) -> Action:
        """The agent's answer, after it has used its helpers."""
        acted: Action = await settle(self.inner.act, view)
        for _ in range(self.uses if self.helpers else 0):
            wanted = self._wanted(acted, view)
            if wanted is None:
                return acted
            acted = await settle(self.inner.act, replace(view, reply=await self._used(wanted)))
        return acted

    def _wanted(self, acted: Action, view: View) -> Call | None:
        """The use of a helper that an answer asks for. A tool of the task stays the task's, whatever its name."""
        answer = acted.answer
        if not isinstance(answer, Call):
            return used(answer, self.helpers)
        helper = self.helpers.get(answer.tool)
        return answer if helper is not None and helper.tool in view.tools else None

    async def _used(self, wanted: Call) -> str:
        if self.sandbox is None:
            raise InstrumentFault("ahe", "its harness has code, and there is no sandbox to run it in")
        code = Code(self.state.files, self.helpers[wanted.tool].path, "run", takes=1)
        said = await call(self.sandbox, code, wanted.arguments, bounds=BOUNDS, seed=self.seed)
        if isinstance(said, Failed):
            return f"{wanted.tool} failed: {said.told()}"[:MAX_NOTE]
        return f"{wanted.tool} gave: {cut(canonical(said.value), MAX_NOTE)}"

    # ----------------------------------------------------------------------------------------- middleware

    async def _checked(self, view: View, acted: Action) -> Action | str:
        """The action as middleware leaves it, or the reason to answer again."""
        answer = acted.answer
        told: JSON = answer if isinstance(answer, str) else {"tool": answer.tool, "arguments": dict(answer.arguments)}
        given = await self._hook("on_answer", {"view": shown(view), "answer": told})
        again = given.get("again")
        if isinstance(again, str):
            return cut(again, MAX_NOTE)
        if "answer" not in given:
            return acted
        try:
            return replace(acted, answer=action(given["answer"]).answer)
        except AgentCrash:  # middleware that answers nonsense is passed over, as any that fails
            self._hooked = False
            return acted

    async def _hook(self, name: str, argument: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """What all middleware gives together; nothing where there is none, or where it failed before."""
        if not self._hooked:
            return {}
        if self.sandbox is None:
            raise InstrumentFault("ahe", "its harness has code, and there is no sandbox to run it in")
        code = Code({**self.state.files, HOOKS: source("hooks")}, HOOKS, name, takes=1)
        said = await call(self.sandbox, code, {**argument, "memory": self._memory}, bounds=BOUNDS, seed=self.seed)
        if isinstance(said, Failed) or not isinstance(said.value, Mapping):
            self._hooked = False
            return {}
        if isinstance(said.value.get("memory"), Mapping):
            self._memory = said.value["memory"]
        return said.value


@dataclass(slots=True)
class HarnessedAndRecalls(Harnessed):
    """The same over an actor that recalls. Whoever cannot recall must not seem to."""

    def recall(self, view: View, action: Action) -> None:
        """Let the inner actor take this step as played."""
        assert isinstance(self.inner, Recalls)
        self.inner.recall(self._shown(view), action)


def harnessed(inner: Actor, state: State, sandbox: Sandbox | None, *, uses: int, seed: int) -> Actor:
    """The agent in the harness of this state; the agent as it is where there is none."""
    if not harness.told(state) and not harness.has_code(state):
        return inner
    made = HarnessedAndRecalls if isinstance(inner, Recalls) else Harnessed
    return made(inner, state, sandbox, uses, seed)


def used(answer: str, known: Mapping[str, object]) -> Call | None:
    """The use of a helper in a text answer: one JSON object with `use` and nothing else of an answer in it."""
    start, end = answer.find("{"), answer.rfind("}")
    if not 0 <= start < end or '"use"' not in answer:
        return None
    try:
        found = json.loads(answer[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not set(found) <= {"use", "arguments"}:
        return None
    arguments = found.get("arguments", {})
    known_one = isinstance(found.get("use"), str) and found["use"] in known
    return Call(found["use"], arguments) if known_one and isinstance(arguments, dict) else None


def _spelt(helper: Helper) -> str:
    properties = helper.tool.parameters.get("properties", {})
    names = ", ".join(properties) if isinstance(properties, Mapping) else ""
    return f"(arguments: {names or 'none'})"


async def smoke(sandbox: Sandbox, state: State, view: View) -> str | None:
    """Why the code of a harness cannot be taken: it does not load, or its middleware fails on a view."""
    for helper in harness.helpers(state).values():
        code = Code({**state.files, HOOKS: source("loads")}, HOOKS, "loads", takes=1)
        said = await call(sandbox, code, {"path": helper.path, "function": "run"}, bounds=BOUNDS)
        if isinstance(said, Failed):
            return f"{helper.path}: {said.told()}"
    if not harness.has_middleware(state):
        return None
    argument: dict[str, JSON] = {"view": shown(view), "memory": {}}
    for name, more in (("on_view", {}), ("on_answer", {"answer": "x"})):
        code = Code({**state.files, HOOKS: source("hooks")}, HOOKS, name, takes=1)
        said = await call(sandbox, code, {**argument, **more}, bounds=BOUNDS)
        if isinstance(said, Failed):
            return f"middleware: {said.told()}"
        failed = said.value.get("failed") if isinstance(said.value, Mapping) else None
        if failed:
            return f"middleware: {canonical(failed)}"[:400]
    return None
