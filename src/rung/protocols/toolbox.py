"""The tools of a study as a program is told of them, before its first task and for as long as it works.

They are the union over everything that the study serves, held-in and held-out, so that every session of it has the
same tools and none tells what comes. Each takes the handle of the task that the call is for. A family without typed
tools is answered in words, by the tool `answer`. Where two mean different things by one name, the family's name is put
before it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from rung.core import registry
from rung.core.canonical import JSON, canonical, sha256
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Family, Ports, Ran, Tooled
from rung.core.seeds import Seed
from rung.core.values import Action, Call, Setting, Tool
from rung.core.waiting import settle
from rung.protocols import self_score

GET_TASK = "get_task"
QUEUE_INFO = "queue_info"
TASK = "task"
"""The argument that names the task a call is for."""

LONGEST = 64
"""Characters that a tool's name may have; providers of models refuse longer ones."""

_HANDLE: Mapping[str, JSON] = {"type": "string", "description": f"The task's handle, as {GET_TASK} gave it."}
_BEGIN = Tool(
    GET_TASK,
    "Get the next task from the stream: its handle, its rules and what there is to see. Several may be in flight. "
    "With the handle of a task that was given: see that one again.",
    {"type": "object", "properties": {TASK: {**_HANDLE, "description": "A task that was given, to see it again."}}},
)
_ABOUT = Tool(QUEUE_INFO, "Ask which tasks are in flight, and how many wait.", {"type": "object", "properties": {}})
_IN_WORDS = Tool(
    "answer",
    "Answer a task in words.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)

Cell: TypeAlias = tuple[str, str]
"""A family's id and a setting's name."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Every tool of a study, and what its name means in each cell.

    `meant` holds the family's own name of a tool by cell and name; `in_words` the names that mean an answer in words.
    """

    tools: tuple[Tool, ...]
    meant: Mapping[tuple[Cell, str], str] = field(hash=False)
    in_words: Mapping[Cell, str] = field(hash=False)

    def action(self, cell: Cell, name: str, arguments: Mapping[str, JSON]) -> Action:
        """What a call means to a task of this cell. One that means nothing there is left for the family to refuse."""
        own = {key: value for key, value in arguments.items() if key != TASK}
        if self.in_words.get(cell) == name and isinstance(own.get("text"), str):
            guess = own.get(self_score.ARGUMENT)
            return Action(str(own["text"]), guess if isinstance(guess, int | float) else None)
        return Action(Call(self.meant.get((cell, name), name), own))

    def legal(self, cell: Cell, tools: Iterable[Tool]) -> Sequence[str]:
        """The names under which the tools in a view are called; where it shows none, the one for words."""
        named = {own: name for (where, name), own in self.meant.items() if where == cell}
        return [named.get(tool.name, tool.name) for tool in tools] or list(filter(None, [self.in_words.get(cell)]))


async def tools_of(family: Family, setting: Setting) -> Sequence[Tool]:
    """Every tool that an episode of this setting shows; of a family that does not say, those of an instance that no
    study works. None means that it is answered in words."""
    if isinstance(family, Tooled):
        return family.tools(setting)
    episode = await settle(family.start, family.draw(setting, Seed("toolbox")), Ports(sandbox=_NoSandbox()))
    return episode.view().tools


class _NoSandbox:
    """Stands where a sandbox has to be at hand before an episode starts. Nothing is run here."""

    name = "none"

    async def run(self, argv: Sequence[str], *, files: Mapping[str, bytes], seconds: float, stdin: bytes = b"") -> Ran:
        """Refuse."""
        raise InstrumentFault("toolbox", "an episode ran something before it was called")


async def toolbox(cells: Iterable[Cell], *, judged: bool = False) -> Toolbox:
    """The tools of all these cells, in whatever order they come. Raises `UsageError` for tools that cannot be put
    together."""
    kinds: dict[str, dict[str, list[Cell]]] = {}
    known: dict[str, Tool] = {}
    worded: set[Cell] = set()
    for cell in sorted(set(cells)):
        family = registry.family(cell[0])
        own = await tools_of(family, family.setting(cell[1]))
        if not own:
            worded.add(cell)
        for tool in own or (_IN_WORDS,):
            _refuse_clash(cell, tool)
            kind = canonical([tool.name, tool.description, tool.parameters])
            known[kind] = tool
            kinds.setdefault(tool.name, {}).setdefault(kind, []).append(cell)
    return _put_together(kinds, known, worded, judged=judged)


def _put_together(
    kinds: Mapping[str, Mapping[str, Sequence[Cell]]],
    known: Mapping[str, Tool],
    worded: Collection[Cell],
    *,
    judged: bool,
) -> Toolbox:
    tools: list[Tool] = []
    meant: dict[tuple[Cell, str], str] = {}
    in_words: dict[Cell, str] = {}
    taken = {GET_TASK, QUEUE_INFO, *(name for name, variants in kinds.items() if len(variants) == 1)}
    for own, variants in kinds.items():
        for kind, cells in variants.items():
            name = _name(own, cells, variants, taken)
            tools.append(_with_handle(replace(known[kind], name=name), judged=judged))
            meant |= {(cell, name): own for cell in cells if cell not in worded}
            in_words |= {cell: name for cell in cells if cell in worded}
    return Toolbox((_BEGIN, *tools, _ABOUT), meant, in_words)


def _name(own: str, cells: Sequence[Cell], variants: Mapping[str, Sequence[Cell]], taken: set[str]) -> str:
    """A tool's name: its own, unless others mean something else by it; then with the family's before it, and where
    even that is not enough with the setting's too."""
    if len(variants) == 1 and own not in (GET_TASK, QUEUE_INFO) and _spelt(own) == own:
        return own
    family, setting = cells[0]
    shared = sum(any(where == family for where, _ in others) for others in variants.values()) > 1
    name = _spelt(f"{family}_{setting}_{own}" if shared else f"{family}_{own}")
    while name in taken:
        name = _spelt(f"{name[: LONGEST - 2]}_x")
    taken.add(name)
    return name


def _spelt(name: str) -> str:
    """A name as every client and every provider takes it.

    >>> _spelt("farm-v1_submit plan"), len(_spelt("x" * 100))
    ('farm_v1_submit_plan', 64)
    """
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign == "_") else "_" for sign in name)
    return plain if 0 < len(plain) <= LONGEST else f"{plain[: LONGEST - 9]}_{sha256(name)[:8]}"


def _with_handle(tool: Tool, *, judged: bool) -> Tool:
    tool = self_score.with_argument(tool) if judged else tool
    own = cast(Mapping[str, JSON], tool.parameters.get("properties", {}))
    needed = cast(Sequence[str], tool.parameters.get("required", ()))
    taken: dict[str, JSON] = {"properties": {TASK: _HANDLE, **own}, "required": [TASK, *needed]}
    return replace(tool, parameters={**tool.parameters, "type": "object", **taken})


def _refuse_clash(cell: Cell, tool: Tool) -> None:
    if TASK in cast(Mapping[str, JSON], tool.parameters.get("properties", {})):
        raise UsageError(
            f"{cell[0]}: the tool {tool.name!r} has an argument named {TASK!r}, which is what a program names a task "
            "by; give the argument another name"
        )
