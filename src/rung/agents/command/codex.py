"""Codex, measured on the version below."""

import json
from collections.abc import Mapping, Sequence

from rung.agents.command.facts import (
    KEY,
    RETRIES,
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
from rung.agents.command.transcripts import kind, read, read_line, status_in, text, within

PACKAGE = Package("@openai/codex", "0.171.0", command="@openai/codex/bin/codex.js", megabytes=424)

RULES = Rules(
    own=(".codex",),
    patterns=(
        (".codex/sessions/**", "conversation"),
        (".codex/archived_sessions/**", "conversation"),
        (".codex/history.jsonl", "conversation"),
        (".codex/session_index.jsonl", "conversation"),
        (".codex/thread_history_*.sqlite*", "conversation"),
        (".codex/skills/.system/**", "cache"),  # written anew by each version
        (".codex/*.md", "files"),
        (".codex/agents/**", "files"),
        (".codex/hooks/**", "files"),
        (".codex/hooks.json", "files"),
        (".codex/memories/**", "files"),
        (".codex/prompts/**", "files"),
        (".codex/rules/**", "files"),
        (".codex/skills/**", "files"),
        (".codex/*.toml", "files"),
        (".codex/*.sqlite*", "harness state"),
        (".codex/.sandbox_migration", "harness state"),
        (".codex/auth.json", "harness state"),
        (".codex/installation_id", "harness state"),
        (".codex/mcp-oauth-locks/**", "harness state"),
        (".codex/plugins/**", "harness state"),
        (".codex/thread-writer-locks/**", "harness state"),
        (".codex/version.json", "harness state"),
        (".codex/.tmp/**", "cache"),
        (".codex/cache/**", "cache"),
        (".codex/log/**", "cache"),
        (".codex/models_cache.json", "cache"),
        (".codex/shell_snapshots/**", "cache"),
        (".codex/tmp/**", "cache"),
    ),
)


def prepare(launch: Launch) -> Prepared:
    """Its flags; what would be in its config file is given by them, so that nothing of ours is in the home.

    The instruction goes before the first message. There is a key for one, `developer_instructions`, but a conversation
    that is gone on from keeps the text it began with, and so an exam would be sat under the instruction for work.
    """
    settings = [part for key, value in _settings(launch).items() for part in ("-c", f"{key}={_toml(value)}")]
    argv = [
        f"/opt/rung/codex/node_modules/{PACKAGE.command}",
        "exec",
        *_conversation(launch),
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        *("--model", launch.model),
        *settings,
        "--",
        *((launch.after,) if launch.after is not None else ()),
        f"{launch.system}\n\n{launch.first}",
    ]
    return Prepared(("/opt/rung/node/bin/node", *argv), {"GATEWAY_KEY": KEY})


def _conversation(launch: Launch) -> Sequence[str]:
    if launch.after is None:
        return ()
    return ("fork",) if launch.fork else ("resume",)


def _settings(launch: Launch) -> Mapping[str, object]:
    gateway = {
        "name": "gateway",
        "base_url": f"{launch.models_url}/v1",
        "env_key": "GATEWAY_KEY",
        "wire_api": "responses",
        "request_max_retries": RETRIES,
        "stream_max_retries": RETRIES,
    }
    server = {
        "url": launch.tools_url,
        "required": True,  # else it would begin without its tools
        "startup_timeout_sec": 60,
        "tool_timeout_sec": TOOL_SECONDS,
        "default_tools_approval_mode": "approve",
    }
    return {
        "model_provider": "gateway",
        "model_providers.gateway": gateway,
        f"mcp_servers.{SERVER}": server,
        "check_for_update_on_startup": False,
        "analytics.enabled": False,
        **({"model_reasoning_effort": launch.effort} if launch.effort is not None else {}),
    }


def _toml(value: object) -> str:
    """A value as TOML: JSON's strings, numbers and truth values are TOML too."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}={_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def read_start(lines: Sequence[str]) -> Began:
    """From its first line, `thread.started`."""
    for line in read(lines):
        if kind(line) == "thread.started":
            return Began(text(line.get("thread_id")) or None)
    return Began()


def read_end(lines: Sequence[str]) -> Said:
    """From the last of its turns. It prints no refusal: of one it says that the turn was completed, and no more."""
    found = Said()
    words = ""
    for line in read(lines):
        if kind(line) == "turn.started":
            found, words = Said(), ""
        elif kind(line) == "item.completed" and within(line, "item", "type") == "agent_message":
            words = text(within(line, "item", "text"))
        elif kind(line) == "turn.completed":
            found = Said(over=True, clean=True, text=words)
        elif kind(line) in ("turn.failed", "error"):
            why = text(within(line, "error", "message")) or text(line.get("message"))
            found = Said(over=kind(line) == "turn.failed", status=status_in(why), text=why)
    return found


def last(line: str) -> bool:
    """Whether a line ends the turn; there is one turn in a session."""
    found = read_line(line)
    return found is not None and kind(found) in ("turn.completed", "turn.failed")


FACTS = Facts(
    "codex",
    PACKAGE,
    node=True,
    slot="first message",
    wire="responses",
    prepare=prepare,
    rules=RULES,
    opening=Opening(43_749, "2026-11-30"),
    read_start=read_start,
    read_end=read_end,
    last=last,
    calls=("github.com", "api.github.com", "chatgpt.com"),
)
