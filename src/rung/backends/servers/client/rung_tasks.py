#!/usr/bin/env python3
"""Work tasks from a stream without MCP. One file, Python 3.8 or later, nothing to install.

The address of the stream stands in the environment variable RUNG_TASKS_URL.

As a module:

    from rung_tasks import get_task, call, queue_info
    task = get_task()                     # {"task": ..., "rules": ..., "view": ..., "tools": [...]} or {"done": True}
    print(task.text)
    answer = call("move", task["task"], direction="LEFT")
    print(answer.text, answer.failed)     # failed: the call was no good, and the text says why

As a command:

    python rung_tasks.py get_task [TASK]              the next task; or one in flight once more
    python rung_tasks.py tools                        every tool and its arguments
    python rung_tasks.py call TOOL task=TASK key=value ...
    python rung_tasks.py call TOOL '{"task": "TASK", "key": "value"}'
    python rung_tasks.py call TOOL -                  the same JSON on standard input
    python rung_tasks.py queue_info                   what is in flight, and how many tasks wait where that is told

    --json prints the answer as data. Pictures are put in files, and their paths printed.
    Exit status: 0 answered, 1 the call was no good, 2 it could not be made.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
import urllib.error
import urllib.request
from typing import Any, Dict, Iterator

VARIABLE = "RUNG_TASKS_URL"


class TasksError(Exception):
    """The stream could not be reached, or did not understand. No answer was given."""


class Answer(Dict[str, Any]):
    """What a call answers, as data; `text` says the same in words. `failed` says that the call was no good.

    `images` are pairs of a media type and bytes.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told.get("data") or {})
        self.text = told.get("text", "")
        self.failed = bool(told.get("failed"))
        self.images = [(each["media_type"], base64.b64decode(each["data"])) for each in told.get("images", [])]


def get_task(task: str | None = None) -> Answer:
    """The next task; with the handle of a task in flight, that one again. `done` is in it when there is none."""
    return call("get_task") if task is None else call("get_task", task)


def queue_info() -> Answer:
    """What is in flight, and how many tasks wait where that is told."""
    return call("queue_info")


def call(tool: str, /, task: str | None = None, **arguments: Any) -> Answer:
    """Call a tool for a task. A call is sent once and never again by itself: it may have had its effect."""
    if task is not None:
        arguments["task"] = task
    return Answer(_asked("call", {"tool": tool, "arguments": arguments}))


def tools() -> list[dict[str, Any]]:
    """Every tool: its name, what it does, and the JSON schema of its arguments."""
    found: list[dict[str, Any]] = _asked("tools", None)["tools"]
    return found


def _asked(what: str, sent: dict[str, Any] | None) -> dict[str, Any]:
    body = None if sent is None else json.dumps(sent).encode()
    header = {"Content-Type": "application/json"}
    request = urllib.request.Request(_address() + "/" + what, body, header)  # noqa: S310 (http, as checked)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as came:
            answer: dict[str, Any] = json.loads(came.read().decode())
            return answer
    except urllib.error.HTTPError as refused:
        raise TasksError("refused: " + _reason(refused)) from refused
    except (OSError, ValueError) as broken:
        message = "no answer ({}); if a call was made, look at the task again: get_task TASK".format(broken)
        raise TasksError(message) from broken


def _address() -> str:
    address = os.environ.get(VARIABLE, "").rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise TasksError("{} is {!r}; it holds the address of the stream, http://...".format(VARIABLE, address))
    return address[: -len("/mcp")] if address.endswith("/mcp") else address


def _reason(refused: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(refused.read().decode())["error"])
    except (ValueError, KeyError, TypeError):
        return str(refused)


# ------------------------------------------------------------------------------------------------ the command


def main(words: list[str]) -> int:
    """Run the command; its exit status."""
    as_json = "--json" in words
    words = [word for word in words if word != "--json"]
    try:
        return _run(words, as_json)
    except TasksError as error:
        print("error: {}".format(error), file=sys.stderr)
        return 2


def _run(words: list[str], as_json: bool) -> int:
    verb, rest = (words[0], words[1:]) if words else ("", [])
    if verb == "tools" and not rest:
        return _show_tools(as_json)
    if verb == "get_task" and len(rest) <= 1:
        return _show(get_task(*rest), as_json)
    if verb == "queue_info" and not rest:
        return _show(queue_info(), as_json)
    if verb == "call" and rest:
        arguments = _arguments(rest[0], rest[1:])
        return _show(Answer(_asked("call", {"tool": rest[0], "arguments": arguments})), as_json)
    print(__doc__, file=sys.stderr)
    return 2


def _arguments(tool: str, words: list[str]) -> dict[str, Any]:
    if len(words) == 1 and (words[0] == "-" or words[0].lstrip().startswith("{")):
        text = sys.stdin.read() if words[0] == "-" else words[0]
        try:
            read = json.loads(text)
        except ValueError as error:
            raise TasksError("the arguments are no JSON: {}".format(error)) from error
        if not isinstance(read, dict):
            raise TasksError('the arguments are no JSON object; write {"task": "TASK", ...}')
        return read
    known = {each["name"]: each["parameters"].get("properties", {}) for each in tools()} if words else {}
    return dict(_pair(word, known.get(tool, {})) for word in words)


def _pair(word: str, properties: dict[str, Any]) -> tuple[str, Any]:
    key, equals, value = word.partition("=")
    if not equals:
        raise TasksError("seen {!r} where key=value belongs; or give all arguments as one JSON object".format(word))
    if key == "task" or properties.get(key, {}).get("type") == "string":
        return key, value
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _show(answer: Answer, as_json: bool) -> int:
    if as_json:
        print(json.dumps(dict(answer), indent=2))
    else:
        print(answer.text)
    for path in _kept(answer.images):
        print("picture: " + path, file=sys.stderr if as_json else sys.stdout)
    return 1 if answer.failed else 0


def _kept(images: list[tuple[str, bytes]]) -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="tasks-") if images else ""
    for number, (kind, data) in enumerate(images, 1):
        path = os.path.join(folder, "{}.{}".format(number, kind.rpartition("/")[2]))
        with open(path, "wb") as file:
            file.write(data)
        yield path


def _show_tools(as_json: bool) -> int:
    found = tools()
    if as_json:
        print(json.dumps(found, indent=2))
        return 0
    for tool in found:
        print("{name}: {description}".format(**tool))
        print("    " + json.dumps(tool["parameters"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
