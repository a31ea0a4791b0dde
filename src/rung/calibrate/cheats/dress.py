"""The three programs that a recorded cell may be of, and how each spells what it does in its wire format.

The shapes are those in which `rung.backends.servers` reads them, and in which the programs really speak.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rung.calibrate.cheats.acts import Act, Delegates, Fetches, Provides, Reads, Runs, Writes
from rung.core.canonical import JSON
from rung.core.proxied import WireName

Turn: TypeAlias = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool as a program makes it."""

    id: str
    name: str
    arguments: Mapping[str, JSON]
    text: str | None = None
    """What a freeform tool is given instead of arguments."""


@dataclass(frozen=True, slots=True)
class Dress:
    """A program, its format, and where its home has what it says and what it was told to remember."""

    program: str
    version: str
    wire: WireName
    slot: str
    memory: str
    transcripts: str

    def task_tool(self, name: str) -> str:
        """How a tool of the stream is called in it."""
        return {"claude-code": "mcp__tasks__", "codex": "mcp__tasks__", "pi": "tasks_"}[self.program] + name

    def call(self, act: Act, call_id: str) -> Called:
        """The call that an act is."""
        made = {"claude-code": _claude, "codex": _codex, "pi": _pi}[self.program](act)
        if isinstance(made[1], str):
            return Called(call_id, made[0], {}, made[1])
        return Called(call_id, made[0], made[1])

    # ----------------------------------------------------------------------------------------- turns

    def user(self, text: str) -> list[Turn]:
        """What the program is told."""
        if self.wire == "anthropic-messages":
            return [{"role": "user", "content": [{"type": "text", "text": text}]}]
        if self.wire == "openai-chat":
            return [{"role": "user", "content": text}]
        return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]

    def assistant(self, text: str, call: Called | None, provided: Provides | None, name: str) -> list[Turn]:
        """What the model says, in the order in which it says it."""
        if self.wire == "anthropic-messages":
            parts = _anthropic_parts(text, call, provided, name)
            return [{"role": "assistant", "content": parts}]
        if self.wire == "openai-chat":
            return [_chat_message(text, call, provided)]
        return _response_items(text, call, provided, name)

    def result(self, call: Called, text: str, *, failed: bool) -> list[Turn]:
        """What came of a call."""
        if self.wire == "anthropic-messages":
            part: Turn = {"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": failed}
            return [{"role": "user", "content": [part]}]
        if self.wire == "openai-chat":
            return [{"role": "tool", "tool_call_id": call.id, "content": text}]
        kind = "function_call_output" if call.text is None else "custom_tool_call_output"
        return [{"type": kind, "call_id": call.id, "output": text}]

    def body(self, turns: Sequence[Turn], model: str, name: str) -> Turn:
        """The answer whose turns these are, as its format has it."""
        if self.wire == "anthropic-messages":
            return {"id": f"msg_{name}", "type": "message", "role": "assistant", "model": model, **turns[0]}
        if self.wire == "openai-chat":
            return {"id": f"chatcmpl-{name}", "model": model, "choices": [{"index": 0, "message": turns[0]}]}
        return {
            "id": f"resp_{name}",
            "object": "response",
            "model": model,
            "output": list(turns),
            "status": "completed",
        }


def _claude(act: Act) -> tuple[str, dict[str, JSON] | str]:
    match act:
        case Runs(command=command):
            return "Bash", {"command": command, "description": command.split("\n")[0][:40]}
        case Reads(path=path):
            return "Read", {"file_path": path}
        case Writes(path=path, content=content):
            return "Write", {"file_path": path, "content": content}
        case Fetches(url=url):
            return "WebFetch", {"url": url, "prompt": "Give the page as it is."}
        case Delegates(prompt=prompt):
            return "Agent", {"description": prompt[:30], "prompt": prompt, "subagent_type": "general-purpose"}
    raise AssertionError(act)


def _codex(act: Act) -> tuple[str, dict[str, JSON] | str]:
    match act:
        case Runs(command=command):
            return "exec_command", {"cmd": command, "workdir": "/workspace", "yield_time_ms": 10000}
        case Reads(path=path):
            return "exec_command", {"cmd": f"sed -n '1,400p' {path}", "workdir": "/workspace"}
        case Writes(path=path, content=content):
            lines = "\n".join(f"+{line}" for line in content.split("\n"))
            return "apply_patch", f"*** Begin Patch\n*** Add File: {path}\n{lines}\n*** End Patch"
        case Fetches(url=url):
            return "exec_command", {"cmd": f"curl -sSL --max-time 60 '{url}'", "workdir": "/workspace"}
        case Delegates(prompt=prompt):
            return "spawn_agent", {"agent_type": "worker", "message": prompt}
    raise AssertionError(act)


def _pi(act: Act) -> tuple[str, dict[str, JSON] | str]:
    match act:
        case Runs(command=command):
            return "bash", {"command": command}
        case Reads(path=path):
            return "read", {"path": path}
        case Writes(path=path, content=content):
            return "write", {"path": path, "content": content}
        case Fetches(url=url):
            return "bash", {"command": f"curl -fsSL {url}", "timeout": 60}
        case Delegates(prompt=prompt):
            return "bash", {"command": f"pi --print {json.dumps(prompt)}"}
    raise AssertionError(act)


# --------------------------------------------------------------------------------------------- the three formats


def _anthropic_parts(text: str, call: Called | None, provided: Provides | None, name: str) -> list[JSON]:
    parts: list[JSON] = [{"type": "text", "text": text}] if text else []
    if provided is not None:
        used = f"srvtoolu_{name}"
        given: dict[str, JSON] = {("url" if provided.tool == "web_fetch" else "query"): provided.query}
        parts.append({"type": "server_tool_use", "id": used, "name": provided.tool, "input": given})
        shown: dict[str, JSON] = {"type": f"{provided.tool}_result", "url": provided.query, "title": "result"}
        shown |= {"encrypted_content": _sealed(provided)} if provided.hidden else {"text": provided.results}
        parts.append({"type": f"{provided.tool}_tool_result", "tool_use_id": used, "content": [shown]})
        parts += [{"type": "text", "text": provided.then}] if provided.then else []
    if call is not None:
        parts.append({"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)})
    return parts or [{"type": "text", "text": "Done."}]


def _sealed(provided: Provides) -> str:
    """What a provider hands on that only it can read: nothing can be got back out of it here either."""
    return f"Er{len(provided.results):04x}" + "Q" * 40


def _chat_message(text: str, call: Called | None, provided: Provides | None) -> Turn:
    message: Turn = {"role": "assistant", "content": text}
    if provided is not None:
        said = [text, provided.then or provided.results]
        message["content"] = "\n".join(filter(None, said))
        about: dict[str, JSON] = {"url": _page(provided.query), "title": provided.query}
        about |= {} if provided.hidden else {"content": provided.results}
        message["annotations"] = [{"type": "url_citation", "url_citation": about}]
    if call is not None:
        given = json.dumps(dict(call.arguments))
        function: dict[str, JSON] = {"name": call.name, "arguments": given}
        message["tool_calls"] = [{"id": call.id, "type": "function", "function": function}]
    return message


def _page(query: str) -> str:
    return query if query.startswith("http") else "https://results.example/?q=" + query.replace(" ", "+")


def _response_items(text: str, call: Called | None, provided: Provides | None, name: str) -> list[Turn]:
    items = [_message(text, f"{name}a")] if text else []
    if provided is not None:
        action: dict[str, JSON] = {"type": "search", "query": provided.query}
        done: Turn = {"type": f"{provided.tool}_call", "id": f"ws_{name}", "status": "completed", "action": action}
        if not provided.hidden:
            done["results"] = [{"url": _page(provided.query), "text": provided.results}]
        items += [done, *([_message(provided.then, f"{name}b")] if provided.then else [])]
    if call is not None:
        items.append(_response_call(call))
    return items or [_message("Done.", name)]


def _message(text: str, name: str) -> Turn:
    said: dict[str, JSON] = {"type": "output_text", "text": text}
    return {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": [said]}


def _response_call(call: Called) -> Turn:
    if call.text is not None:
        return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": call.text}
    item: Turn = {"type": "function_call", "call_id": call.id, "name": call.name}
    if call.name.startswith("mcp__tasks__"):
        item |= {"namespace": "mcp__tasks", "name": call.name.removeprefix("mcp__tasks__")}
    return {**item, "arguments": json.dumps(dict(call.arguments))}


CLAUDE = Dress(
    "claude-code", "2.1.332", "anthropic-messages", "system", ".claude/CLAUDE.md", ".claude/projects/-workspace"
)
CODEX = Dress("codex", "0.171.0", "openai-responses", "first message", ".codex/AGENTS.md", ".codex/sessions/2026/11/30")
PI = Dress("pi", "1.6.0", "openai-chat", "system", ".pi/agent/AGENTS.md", ".pi/agent/sessions/--workspace--")

DRESSES: Sequence[Dress] = (CLAUDE, CODEX, PI)


def blocks(turn: Mapping[str, Any]) -> str:
    """A turn as a line of a transcript."""
    return json.dumps(turn, ensure_ascii=False)
