"""pi, measured on the version below."""

import json
from collections.abc import Sequence

from rung.agents.command.facts import (
    KEY,
    OPT,
    SERVER,
    TOOL_SECONDS,
    Began,
    Facts,
    Launch,
    Opening,
    Package,
    Prepared,
    Said,
)
from rung.agents.command.paths import Rules
from rung.agents.command.transcripts import kind, parts, read, read_line, status_in, text, within
from rung.core.canonical import JSON
from rung.core.confined import Given

PACKAGE = Package(
    "@earendil-works/pi-coding-agent",
    "1.6.0",
    command="@earendil-works/pi-coding-agent/dist/bundle/cli.js",
    megabytes=168,
)

LINK = f"{OPT}/pi/link.js"

RULES = Rules(
    own=(".pi",),
    patterns=(
        (".pi/agent/sessions/**", "conversation"),
        (".pi/agent/*.md", "files"),
        (".pi/agent/extensions/**", "files"),
        (".pi/agent/prompts/**", "files"),
        (".pi/agent/skills/**", "files"),
        (".pi/agent/themes/**", "files"),
        (".pi/agent/tools/**", "files"),
        (".pi/agent/mcp.json", "files"),
        (".pi/agent/models.json", "files"),
        (".pi/agent/settings.json", "files"),
        (".pi/agent/auth.json", "harness state"),
        (".pi/agent/mcp-auth.json", "harness state"),
        (".pi/agent/models-store.json", "harness state"),
        (".pi/agent/trust.json", "harness state"),
        (".pi/agent/git/**", "harness state"),
        (".pi/agent/npm/**", "harness state"),
        (".pi/agent/bin/**", "cache"),
        (".pi/agent/*.log*", "cache"),
    ),
)


def prepare(launch: Launch) -> Prepared:
    """Its flags, and an extension that tells it of the gateway and the tools.

    Its own files for these lie in the home, where the agent may have written them; an extension leaves them alone.
    `--approve` lets it read what it left in its working folder.
    """
    argv = [
        f"/opt/rung/pi/node_modules/{PACKAGE.command}",
        "--print",
        *("--mode", "json"),
        "--approve",
        *("--extension", LINK),
        *("--model", f"gateway/{launch.model}"),
        *("--append-system-prompt", launch.system),
        *(("--thinking", launch.effort) if launch.effort is not None else ()),
        *_conversation(launch),
        "--",
        launch.first,
    ]
    env = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}
    return Prepared(("/opt/rung/node/bin/node", *argv), env, (Given(_link(launch), LINK),))


def _conversation(launch: Launch) -> Sequence[str]:
    if launch.after is None:
        return ("--session-id", launch.session)
    if launch.fork:
        return ("--fork", launch.after, "--session-id", launch.session)
    return ("--session", launch.after)


def _link(launch: Launch) -> bytes:
    """The extension. Tools are `direct`: by default they can be reached from scripts alone, and are not offered.

    The window and the longest reply are those that pi supposes of a model it does not know.
    """
    model: JSON = {
        "id": launch.model,
        "name": launch.model,
        "reasoning": launch.effort is not None,
        "input": ["text", "image"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 128_000,
        "maxTokens": 16_384,
    }
    provider: JSON = {
        "baseUrl": f"{launch.models_url}/v1",
        "apiKey": KEY,
        "api": "openai-completions",
        "models": [model],
    }
    server: JSON = {"url": launch.tools_url, "exposure": "direct", "timeout": TOOL_SECONDS}
    return (
        "export default function (pi) {\n"
        f'  pi.registerProvider("gateway", {json.dumps(provider)});\n'
        f"  pi.registerMcpServer({json.dumps(SERVER)}, {json.dumps(server)});\n"
        "}\n"
    ).encode()


def read_start(lines: Sequence[str]) -> Began:
    """From its first line, `session`."""
    for line in read(lines):
        if kind(line) == "session":
            return Began(text(line.get("id")) or None)
    return Began()


def read_end(lines: Sequence[str]) -> Said:
    """From its last message and `agent_settled`. Its exit status is 0 however it ended."""
    found = Said()
    over = False
    for line in read(lines):
        if kind(line) == "agent_start":
            over = False
        elif kind(line) == "agent_settled":
            over = True
        elif kind(line) == "message_end" and within(line, "message", "role") == "assistant":
            found = _message(line)
    return Said(over, over and found.clean, found.status, found.text)


def _message(line: object) -> Said:
    message = line.get("message") if isinstance(line, dict) else None
    if not isinstance(message, dict):
        return Said()
    why = text(message.get("errorMessage"))
    stopped = message.get("stopReason") == "stop"
    return Said(clean=stopped, status=status_in(why), text=why or parts(message.get("content")))


def last(line: str) -> bool:
    """Whether a line is `agent_settled`."""
    found = read_line(line)
    return found is not None and kind(found) == "agent_settled"


FACTS = Facts(
    "pi",
    PACKAGE,
    node=True,
    slot="system",
    wire="chat",
    prepare=prepare,
    rules=RULES,
    opening=Opening(8_021, "2026-11-30", output=16_384),
    read_start=read_start,
    read_end=read_end,
    last=last,
)
