"""The tools of an improver: what each is called with, and what it does on a desk.

Every argument is foreign. A tool answers with text, also where it does nothing: then the text says why, in words for
the model. Searching is for plain text and never for patterns, which could take for ever.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rung.core.canonical import JSON
from rung.core.ports import Ran, Sandbox
from rung.core.surface import matches
from rung.core.values import Tool
from rung.methods._attempt import cut
from rung.methods._kernel.desk import Desk, Refused

MAX_ANSWER = 16_000
"""Characters of what a tool answers."""

MAX_PRINTED = 4_000
"""Characters kept of what a command prints, on either stream."""

MAX_LINES = 400
MAX_HITS = 60
FINISH = "finish"
UNCONFINED = frozenset(("plain",))
"""Sandboxes that confine nothing: no command of a model's making runs there."""

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Given:
    """What the tools work with beside the desk: a sandbox or none, and how many commands of how many seconds.

    With `choices` there are two tools, to read and to write, and every path is a choice: a file that was not read yet,
    or one that may be written, which may also be one of `new`. That is for a small model, which a grammar then keeps to
    its form.
    """

    sandbox: Sandbox | None = None
    commands: int = 10
    seconds: float = 20.0
    choices: bool = False
    new: tuple[str, ...] = ("agent/notes.md",)

    @property
    def runs(self) -> bool:
        """Whether commands can be run: only where something confines them."""
        return self.sandbox is not None and self.sandbox.name not in UNCONFINED and self.commands > 0


@dataclass(slots=True)
class Hands:
    """Does what an improver asks for. `done` counts the calls of each tool, `refused` those that did nothing; `read`
    holds the files that were read."""

    desk: Desk
    given: Given = field(default_factory=Given)
    done: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    read: set[str] = field(default_factory=set)

    def tools(self) -> tuple[Tool, ...]:
        """Those that there are. Without a sandbox that confines there is no `run`."""
        if self.given.choices:
            unread = [path for path in self.desk.paths() if path not in self.read]
            write = _choosing("write", _writable(self.desk, self.given.new), text=SHORT)
            return (_choosing("read", unread), write) if unread else (write,)
        return tuple(tool for tool in TOOLS.values() if tool.name != "run" or self.given.runs)

    async def do(self, tool: str, arguments: Arguments) -> str:
        """The answer of one call. What the sandbox raises passes through, for then the instrument broke."""
        try:
            doing = _DOING.get(tool)
            if doing is None or tool not in {each.name for each in self.tools()}:
                raise Refused(f"there is no tool {ascii(tool)[:60]}; there are: {self.names()}")
            answer = await doing(self, arguments)
        except Refused as refused:
            self.refused += 1
            return f"Not done: {refused}"
        self.done[tool] = self.done.get(tool, 0) + 1
        return cut(answer, MAX_ANSWER)

    def names(self) -> str:
        """The names of the tools, and of the last one, which ends the work."""
        return ", ".join([*(tool.name for tool in self.tools()), FINISH])


# --------------------------------------------------------------------------------------------- arguments


def _text(arguments: Arguments, name: str, *, default: str | None = None, most: int = 1 << 20) -> str:
    value = arguments.get(name, default)
    if not isinstance(value, str):
        raise Refused(f"{name} is a text, seen {ascii(value)[:60]}")
    if len(value) > most:
        raise Refused(f"{name} has {len(value)} characters, and at most {most} are taken")
    return value


def _whole(arguments: Arguments, name: str, default: int) -> int:
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Refused(f"{name} is a whole number from 1 up, seen {ascii(value)[:60]}")
    return value


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("the text holds half of a character") from None


# --------------------------------------------------------------------------------------------- doing


async def _list(hands: Hands, arguments: Arguments) -> str:
    under = _text(arguments, "under", default="", most=200).strip()
    desk = hands.desk
    found = [path for path in desk.paths() if path.startswith(under) or matches(path, under)]
    lines = [f"{path}  {desk.size(path)} bytes{_kind(desk, path)}" for path in found[:MAX_LINES]]
    more = [f"and {len(found) - MAX_LINES} more"] if len(found) > MAX_LINES else []
    return "\n".join([*lines, *more]) or "(no files)"


def _kind(desk: Desk, path: str) -> str:
    return "" if desk.surface.allows(path) and path not in desk.lent else ", to be read only"


async def _read(hands: Hands, arguments: Arguments) -> str:
    path = _text(arguments, "path")
    text = hands.desk.text(path)
    hands.read.add(path)
    if "first" not in arguments and "last" not in arguments:
        return text or "(it is empty)"
    lines = text.splitlines(keepends=True)
    first = _whole(arguments, "first", 1)
    last = _whole(arguments, "last", len(lines) or 1)
    return "".join(lines[first - 1 : last]) or f"(it has {len(lines)} lines)"


async def _search(hands: Hands, arguments: Arguments) -> str:
    wanted = _text(arguments, "text", most=500)
    under = _text(arguments, "under", default="", most=200).strip()
    if not wanted.strip():
        raise Refused("text is empty")
    hits: list[str] = []
    for path in hands.desk.paths():
        if path.startswith(under) or matches(path, under):
            hits += _hits(hands.desk, path, wanted.casefold())
    return "\n".join(hits[:MAX_HITS]) or "(nothing found)"


def _hits(desk: Desk, path: str, wanted: str) -> list[str]:
    try:
        lines = desk.text(path).splitlines()
    except Refused:
        return []
    return [f"{path}:{n}: {line[:200]}" for n, line in enumerate(lines, 1) if wanted in line.casefold()]


async def _write(hands: Hands, arguments: Arguments) -> str:
    path, text = _text(arguments, "path"), _text(arguments, "text")
    hands.desk.write("write", path, _encoded(text))
    return f"Done: {path} has {len(text.splitlines())} lines now."


async def _replace(hands: Hands, arguments: Arguments) -> str:
    path, old, new = _text(arguments, "path"), _text(arguments, "old"), _text(arguments, "new")
    text = hands.desk.text(path)
    many = text.count(old) if old else 0
    if many != 1:
        hint = "old is empty" if not old else f"old stands {many} times in {path}, and must stand there exactly once"
        raise Refused(f"{hint}; read the file and take more of the lines around it")
    hands.desk.write("replace", path, _encoded(text.replace(old, new)))
    return f"Done: {path} is changed."


async def _delete(hands: Hands, arguments: Arguments) -> str:
    path = _text(arguments, "path")
    hands.desk.delete(path)
    return f"Done: {path} is gone."


async def _run(hands: Hands, arguments: Arguments) -> str:
    command = _text(arguments, "command", most=4_000)
    given = hands.given
    if hands.done.get("run", 0) >= given.commands:
        raise Refused(f"{given.commands} commands were run, and no more are")
    assert given.sandbox is not None
    lent = {path: _encoded(text) for path, text in hands.desk.lent.items()}
    files = {**{path: hands.desk.files[path] for path in hands.desk.paths() if path in hands.desk.files}, **lent}
    return _printed(await given.sandbox.run(("sh", "-c", command), files=files, seconds=given.seconds), given.seconds)


def _printed(ran: Ran, seconds: float) -> str:
    how = f"status {ran.status}" if ran.status is not None else "killed"
    if ran.late:
        how = f"ended after {seconds:g} seconds, which is the most"
    parts = [f"It ended: {how}."]
    for name, data in (("Printed", ran.out), ("Errors", ran.err)):
        text = cut(data.decode("utf-8", "replace").strip(), MAX_PRINTED)
        parts += [f"{name}:\n{text}"] if text else []
    return "\n".join(parts)


_DOING: Mapping[str, Callable[[Hands, Arguments], Awaitable[str]]] = MappingProxyType(
    {
        "list": _list,
        "read": _read,
        "search": _search,
        "write": _write,
        "replace": _replace,
        "delete": _delete,
        "run": _run,
    }
)

# --------------------------------------------------------------------------------------------- forms


def form(name: str, description: str, properties: Mapping[str, JSON], *, optional: tuple[str, ...] = ()) -> Tool:
    """A tool with these arguments, all of them asked for but the optional ones."""
    required = [key for key in properties if key not in optional]
    schema: Mapping[str, JSON] = {"type": "object", "properties": properties, "required": required}
    return Tool(name, description, {**schema, "additionalProperties": False})


_TEXT: Mapping[str, JSON] = {"type": "string"}
_NUMBER: Mapping[str, JSON] = {"type": "integer", "minimum": 1}

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            form(
                "list",
                "List the files, or those whose path begins with `under`.",
                {"under": _TEXT},
                optional=("under",),
            ),
            form(
                "read",
                "Read a file, or only its lines from `first` to `last`.",
                {"path": _TEXT, "first": _NUMBER, "last": _NUMBER},
                optional=("first", "last"),
            ),
            form(
                "search",
                "Find the lines that hold a text, in all files or in those whose path begins with `under`.",
                {"text": _TEXT, "under": _TEXT},
                optional=("under",),
            ),
            form(
                "write", "Make a file, or put this text in place of all that is in it.", {"path": _TEXT, "text": _TEXT}
            ),
            form(
                "replace",
                "Put `new` in place of `old` in a file. `old` must stand in it exactly once, letter for letter.",
                {"path": _TEXT, "old": _TEXT, "new": _TEXT},
            ),
            form("delete", "Take a file away.", {"path": _TEXT}),
            form(
                "run",
                "Run a shell command over a copy of the files, without a network. What it changes there is not kept: "
                "use write and replace for that.",
                {"command": _TEXT},
            ),
        )
    }
)

SHORT = 200
"""Characters of a text that a form with choices allows: a small model that is held to a form fills it."""


def _choosing(name: str, paths: list[str], *, text: int | None = None) -> Tool:
    """A tool whose path is one of these."""
    tool = TOOLS[name]
    written: Mapping[str, JSON] = {"text": {"type": "string", "maxLength": text}} if text is not None else {}
    return form(name, tool.description, {"path": {"type": "string", "enum": list(paths)}, **written})


def _writable(desk: Desk, new: Sequence[str]) -> list[str]:
    found = {path for path in desk.paths() if path not in desk.lent} | set(new)
    return sorted(path for path in found if desk.surface.allows(path))
