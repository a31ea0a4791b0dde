"""What a program did in a session, call by call: the tools that its model called, and what came back.

Read from the record of the gateway and from nothing that the program says of itself: every call of a tool passed
through there on its way from the model, and every result on its way back. It is the same for all programs, whatever
they call their tools; what kind of deed a call is follows from its name and its arguments (see `kind_of`).

A program without a model behind the gateway leaves no deeds here; what it did is known from its tasks, its files and
its network alone.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias, cast

from rung.core.canonical import JSON
from rung.core.ports import Journal

Kind: TypeAlias = Literal["command", "read", "write", "search", "web", "subagent", "task", "other"]
"""`command`: run by a shell or an interpreter. `read`, `write`, `search`: of files. `web`: fetched or searched by the
program itself. `subagent`: an agent of its own was given work. `task`: a tool of the stream."""

STREAM = re.compile(r"(^|__)tasks(__|_|$)")
"""How the tools of the stream are named in programs: `mcp__tasks__get_task`, `tasks_get_task`."""

NAMES: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), cast(Kind, kind))
    for pattern, kind in (
        (
            r"^(bash|shell|local_shell.*|exec.*|run_?command.*|terminal|execute.*|python|ipython|write_stdin)$",
            "command",
        ),
        (r"^(task|agent|spawn.*|subagent.*|dispatch_agent|send_input|wait_agent|delegate.*)$", "subagent"),
        (r"^(web_?search|web_?fetch|fetch|browse.*|open_?url|http.*)$", "web"),
        (r"^(write|edit|multi_?edit|apply_patch|notebook_?edit|create_?file|str_replace.*|update_?file)$", "write"),
        (r"^(read|view|cat|open_?file|read_?file|view_?image|notebook_?read)$", "read"),
        (r"^(grep|glob|ls|find|list_?files|list_?dir|search.*)$", "search"),
    )
)
"""Which kind a tool's own name says, the first that fits."""

COMMAND_KEYS = ("command", "cmd", "script", "code", "input", "chars")
PATH_KEYS = ("file_path", "path", "notebook_path", "filename", "file", "target_file")
URL_KEYS = ("url", "query", "uri")


@dataclass(frozen=True, slots=True)
class Deed:
    """One call of a tool. `place` is the exchange whose answer made it; `text` is the command, the path, the address or
    the words of it, `arguments` all of them; `result` is what came back, empty where none was seen."""

    place: str
    number: int
    tool: str
    kind: Kind
    text: str
    arguments: Mapping[str, JSON] = field(hash=False)
    result: str = ""
    failed: bool = False

    @property
    def all(self) -> str:
        """Everything that was said in it, for searching."""
        return f"{self.tool} {json.dumps(self.arguments, ensure_ascii=False)}"


def kind_of(tool: str, arguments: Mapping[str, JSON]) -> Kind:
    """What kind of deed a call is.

    >>> kind_of("mcp__tasks__get_task", {}), kind_of("Bash", {"command": "ls"}), kind_of("shell", {"command": ["ls"]})
    ('task', 'command', 'command')
    """
    if STREAM.search(tool):
        return "task"
    own = tool.rpartition("__")[2]
    for pattern, kind in NAMES:
        if pattern.match(own):
            return kind
    if any(key in arguments for key in ("command", "cmd")):
        return "command"
    return "web" if "url" in arguments else "other"


def text_of(kind: Kind, arguments: Mapping[str, JSON]) -> str:
    """What a deed is about, in one string."""
    keys = {"command": COMMAND_KEYS, "web": URL_KEYS}.get(kind, (*PATH_KEYS, *COMMAND_KEYS, *URL_KEYS))
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return " ".join(map(str, value))
    return ""


# --------------------------------------------------------------------------------------------- reading


Load: TypeAlias = Callable[[str], Any]
"""Reads the JSON that is kept under a digest; the same object each time."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a session, with its answer. `turns` are the messages it sent, in its own format."""

    place: str
    wire: str
    system: str
    turns: tuple[Mapping[str, Any], ...] = field(hash=False)
    answer: Mapping[str, Any] = field(hash=False)


def asked(journal: Journal, session: str, load: Load | None = None) -> Iterator[Asked]:
    """The requests of a session that were answered, in order. `load` reads a blob of JSON."""
    load = load or loader(journal)
    for fact in journal.facts(under=f"{session}/exchange", kind="exchange"):
        value = cast("Mapping[str, Any]", fact.value)
        body = value["answer"]["body"]
        if value["came"] != "answered" or body is None or not value["wire"]:
            continue
        request = value["request"]
        system = json.dumps(load(request["system"]), ensure_ascii=False) if request["system"] else ""
        turns = tuple(turn for digest in request["messages"] if isinstance(turn := load(digest), Mapping))
        answer = load(body)
        if isinstance(answer, dict):
            yield Asked(fact.path, value["wire"], system, turns, answer)


def loader(journal: Journal) -> Load:
    """What reads each blob of JSON once."""
    return cache(lambda digest: json.loads(journal.read_blob(digest)))


def deeds(journal: Journal, session: str, load: Load | None = None) -> tuple[Deed, ...]:
    """Every call of a tool in a session, in order, with its result where the program sent it on.

    A call is counted once, where the model made it. What stood in the conversation when the session began is not of it.
    """
    made: list[tuple[str, str, str, Mapping[str, JSON]]] = []
    results: dict[str, tuple[str, bool]] = {}
    read: set[int] = set()
    for each in asked(journal, session, load):
        made += [(each.place, *call) for call in _calls(each.wire, each.answer)]
        new = [turn for turn in each.turns if id(turn) not in read]  # a turn that is loaded once is one object
        read.update(map(id, new))
        for answered, came in _results(each.wire, new).items():
            results.setdefault(answered, came)  # as it first came: programs take old results out of long conversations
    found = []
    for number, (place, call, tool, arguments) in enumerate(made, 1):
        kind = kind_of(tool, arguments)
        result, failed = results.get(call, ("", False))
        found.append(Deed(place, number, tool, kind, text_of(kind, arguments), arguments, result, failed))
    return tuple(found)


def inherited(journal: Journal, session: str) -> str:
    """What stood in the conversation when a session began: the text of the first request's system and turns."""
    first = next(asked(journal, session), None)
    return "" if first is None else f"{first.system}\n{json.dumps(first.turns, ensure_ascii=False)}"


# --------------------------------------------------------------------------------------------- the three formats

Called: TypeAlias = tuple[str, str, Mapping[str, JSON]]
"""The id of a call, the whole name of its tool, and its arguments."""


def _calls(wire: str, answer: Mapping[str, Any]) -> list[Called]:
    if wire == "anthropic-messages":
        return [_anthropic(part) for part in _rows(answer.get("content")) if part.get("type") == "tool_use"]
    if wire == "openai-chat":
        messages = [row.get("message") or {} for row in _rows(answer.get("choices"))]
        return [_chat(call) for message in messages for call in _rows(message.get("tool_calls"))]
    return [_response(item) for item in _rows(answer.get("output")) if str(item.get("type")).endswith("_call")]


def _anthropic(part: Mapping[str, Any]) -> Called:
    return str(part.get("id")), str(part.get("name")), _object(part.get("input"))


def _chat(call: Mapping[str, Any]) -> Called:
    function = call.get("function") or {}
    return str(call.get("id")), str(function.get("name")), _object(function.get("arguments"))


def _response(item: Mapping[str, Any]) -> Called:
    """A call in the responses format; one of the provider's own has no arguments but what it did."""
    name = str(item.get("name") or str(item.get("type")).removesuffix("_call"))
    space = item.get("namespace")
    given = item.get("arguments", item.get("input", item.get("action")))
    return str(item.get("call_id") or item.get("id")), f"{space}__{name}" if space else name, _object(given)


def _results(wire: str, turns: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for turn in turns:
        if wire == "anthropic-messages":
            for part in _rows(turn.get("content")):
                if part.get("type") == "tool_result":
                    found[str(part.get("tool_use_id"))] = (_words(part.get("content")), bool(part.get("is_error")))
        elif wire == "openai-chat" and turn.get("role") == "tool":
            found[str(turn.get("tool_call_id"))] = (_words(turn.get("content")), False)
        elif str(turn.get("type")).endswith("_call_output"):
            found[str(turn.get("call_id"))] = (_words(turn.get("output")), False)
    return found


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _object(value: Any) -> Mapping[str, JSON]:
    """Arguments as an object, whatever a model made of them."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return {"input": value}
        return parsed if isinstance(parsed, dict) else {"input": value}
    return value if isinstance(value, Mapping) else {}


def _words(value: Any) -> str:
    """The texts of a result."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _words(value.get("content", value.get("text", "")))
    return "\n".join(filter(None, (str(row.get("text") or "") for row in _rows(value))))
