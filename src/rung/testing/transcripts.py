"""A game as an agent meets it, as a text to read: one task, worked by the solver and by the naive player.

Such a text is documentation and test in one: a changed line is a changed game.
"""

import json
import textwrap
from collections.abc import Iterator

from rung.backends.sandbox.plain import Plain
from rung.core import registry
from rung.core.canonical import canonical
from rung.core.ports import Actor, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Reply, Task, View
from rung.tasks import keys

PORTS = Ports(sandbox=Plain())
"""What a family is handed: where the checks of a user's own tasks run."""

PREFACE = """\
A task of this game as an agent meets it, worked by two scripted players. What is indented is shown to the
agent word for word, or (after >) is its call. The rest is what only the instrument knows.
Written by `{written_by}`; a changed line is a changed game.
"""


async def transcript(game: str, setting: str, *, written_by: str) -> str:
    """The transcript of the first admitted task of a setting; `written_by` is the command that writes it anew."""
    family, key, task = registry.family(game), keys.key(game), _first_admitted(game, setting)
    parts = [
        _head(f"{game} {setting}"),
        PREFACE.format(written_by=written_by),
        _head("Facts"),
        *_facts(task),
        _head("Rules, shown with every view"),
        _indented(family.rules(task)),
        _head("Tools, for agents that make typed calls"),
        *[_indented(f"{tool.name}: {tool.description}\n{json.dumps(tool.parameters)}")
          for tool in (await family.start(task, PORTS)).view().tools],
        _head("The solver's episode"),
        *(await episode(task, key.solver(task)))[0],
        _head("The naive player's episode"),
        *(await episode(task, key.naive(task)))[0],
        "",
    ]  # fmt: skip
    return "\n".join(parts)


def _first_admitted(game: str, setting: str) -> Task:
    family, key = registry.family(game), keys.key(game)
    drawn = (family.draw(family.setting(setting), Seed("golden").child(game, setting, n)) for n in range(100))
    return next(task for task in drawn if key.admit(task))


def _facts(task: Task) -> Iterator[str]:
    family, key = registry.family(task.family), keys.key(task.family)
    reference = key.reference(task)
    scale = family.scale
    high = "no upper bound" if scale.high is None else f"at most {scale.high:g}"
    yield f"capability   {family.capability}"
    yield f"score        {scale.unit}: at least {scale.low:g}, {high}; doing nothing scores {scale.floor:g}"
    yield f"calls        {task.calls} at most"
    yield f"replayable   {'yes' if family.replayable else 'no'}"
    yield f"task         {task.id}"
    yield f"fingerprint  {key.fingerprint(task)}"
    yield f"reference    {reference.score:.6g} by {reference.solver}, certificate {reference.certificate!r}"
    yield "payload, all that the agent may be told:"
    yield _indented("\n".join(f"{name}: {canonical(value)}" for name, value in task.payload.items()))


async def episode(task: Task, actor: Actor) -> tuple[list[str], Evaluation]:
    """Let an actor work a task: all that was seen, called, replied and measured, line by line, and the measurement."""
    family, lines = registry.family(task.family), list[str]()
    worked = await family.start(task, PORTS)
    for step in range(1, task.calls + 1):
        view = worked.view()
        answer = (await actor.act(view)).answer
        reply = await worked.call(family.parse(answer) if isinstance(answer, str) else answer)
        lines += [f"step {step}", _indented(view.text), _called(answer), *replied(reply), ""]
        if reply.done:
            break
    seen = await worked.evaluate()
    return [*lines, *_last_view(worked.view()), *_evaluated(seen)], seen


def _called(call: Call | str) -> str:
    return f"  > {call}" if isinstance(call, str) else f"  > {call.tool} {json.dumps(dict(call.arguments))}"


def replied(reply: Reply) -> Iterator[str]:
    """A reply as it is read: the text, what it is besides, and the feedback."""
    yield _indented(f"< {reply.text}")
    said = [name for name in ("invalid", "done") if getattr(reply, name)]
    said += [] if reply.score is None else [f"score {reply.score:.6g}"]
    said += [] if reply.success is None else [f"success {reply.success}"]
    if said:
        yield f"reply: {', '.join(said)}"
    if reply.feedback is not None:
        yield f"feedback: {reply.feedback}"


def _last_view(view: View) -> Iterator[str]:
    yield "at the end"
    yield _indented(view.text)


def _evaluated(seen: Evaluation) -> Iterator[str]:
    yield f"evaluation: {seen.status}, success {seen.success}, score {seen.score:.6g}"
    yield f"metrics: {canonical(dict(seen.metrics))}"
    yield f"feedback: {seen.feedback}"


def _indented(text: str) -> str:
    return textwrap.indent(text, "  ")


def _head(title: str) -> str:
    return f"\n{title}\n{'=' * len(title)}\n" if title[0].isupper() else f"{title}\n{'=' * len(title)}\n"
