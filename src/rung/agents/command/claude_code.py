"""Claude Code, measured on the version below."""

import json
from collections.abc import Sequence

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
from rung.agents.command.transcripts import Line, kind, read, read_line, text

PACKAGE = Package(
    "@anthropic-ai/claude-code",
    "2.1.332",
    command="@anthropic-ai/claude-code/bin/claude.exe",  # so called on every system
    megabytes=403,
    script="@anthropic-ai/claude-code/install.cjs",  # links the binary of this system to that place
)

RULES = Rules(
    own=(".claude", ".claude.json*"),
    patterns=(
        (".claude/projects/*/memory/**", "files"),  # notes it writes for itself, and reads in every session
        (".claude/projects/**", "conversation"),
        (".claude/history.jsonl", "conversation"),
        (".claude/*.md", "files"),
        (".claude/agents/**", "files"),
        (".claude/commands/**", "files"),
        (".claude/hooks/**", "files"),
        (".claude/output-styles/**", "files"),
        (".claude/rules/**", "files"),
        (".claude/skills/**", "files"),
        (".claude/workflows/**", "files"),
        (".claude/settings*.json", "files"),
        (".claude.json*", "harness state"),
        (".claude/.credentials.json", "harness state"),
        (".claude/.last-*", "harness state"),  # when it last tidied up, in sessions that last for some time
        (".claude/backups/**", "harness state"),
        (".claude/file-history/**", "harness state"),
        (".claude/jobs/**", "harness state"),
        (".claude/plans/**", "harness state"),
        (".claude/plugins/**", "harness state"),
        (".claude/session-env/**", "harness state"),
        (".claude/sessions/**", "harness state"),
        (".claude/tasks/**", "harness state"),
        (".claude/teams/**", "harness state"),
        (".claude/todos/**", "harness state"),
        (".claude/cache/**", "cache"),
        (".claude/debug/**", "cache"),
        (".claude/shell-snapshots/**", "cache"),
        (".claude/statsig/**", "cache"),
        (".claude/telemetry/**", "cache"),
    ),
)


def prepare(launch: Launch) -> Prepared:
    """Its flags and its environment; it needs no file.

    Without `--system-prompt-snapshot off` a conversation that is gone on from keeps the instruction it began with, and
    the one given here is dropped without a word. All sources of settings stay on: CLAUDE.md and skills come through
    them, so without them it would not read what it had left for itself.
    """
    servers = {"mcpServers": {SERVER: {"type": "http", "url": launch.tools_url}}}
    argv = [
        f"/opt/rung/claude-code/node_modules/{PACKAGE.command}",
        "--print",
        *("--output-format", "stream-json", "--verbose"),
        *("--permission-mode", "bypassPermissions"),
        *("--model", launch.model),
        *("--append-system-prompt", launch.system),
        *("--system-prompt-snapshot", "off"),
        *("--mcp-config", json.dumps(servers)),
        "--strict-mcp-config",
        *(("--effort", launch.effort) if launch.effort is not None else ()),
        *_conversation(launch),
        "--",
        launch.first,
    ]
    return Prepared(tuple(argv), _environment(launch))


def _conversation(launch: Launch) -> Sequence[str]:
    if launch.after is None:
        return ("--session-id", launch.session)
    if launch.fork:
        return ("--resume", launch.after, "--fork-session", "--session-id", launch.session)
    return ("--resume", launch.after)


def _environment(launch: Launch) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": launch.models_url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": str(RETRIES),
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # else the tools are behind a search, and a session ends without a task
        "IS_SANDBOX": "1",  # else it refuses to go without permissions where it runs as root
        "MCP_TIMEOUT": "60000",
        "MCP_TOOL_TIMEOUT": str(TOOL_SECONDS * 1000),
    }


def read_start(lines: Sequence[str]) -> Began:
    """From its first line, `system/init`. It goes on without the server of tools when it cannot reach it."""
    for line in read(lines):
        if kind(line) == "system" and line.get("subtype") == "init":
            return Began(
                text(line.get("session_id")) or None, text(line.get("claude_code_version")) or None, _tools(line)
            )
    return Began()


def _tools(line: Line) -> bool:
    servers = line.get("mcp_servers")
    return any(
        isinstance(server, dict) and server.get("name") == SERVER and server.get("status") == "connected"
        for server in (servers if isinstance(servers, list) else ())
    )


def read_end(lines: Sequence[str]) -> Said:
    """From its last `result`. A task in the background that ends after one starts another turn, with one of its own.

    `subtype` says "success" of a session that a provider refused, and `terminal_reason` says "completed" in some
    versions; `is_error` has been right in all.
    """
    result: Line | None = None
    over = False
    for line in read(lines):
        if kind(line) == "result":
            result, over = line, True
        elif _turns(line):
            over = False
    if result is None:
        return Said()
    status = result.get("api_error_status")
    clean = result.get("is_error") is False and result.get("stop_reason") != "refusal"
    return Said(over, over and clean, status if isinstance(status, int) else None, text(result.get("result")))


def _turns(line: Line) -> bool:
    """Whether a line belongs to a turn; others, of tasks in the background, may follow a `result`."""
    return kind(line) in ("assistant", "user") or line.get("subtype") == "init"


def goes_on(line: str) -> bool:
    """Whether a line belongs to another turn after a `result`."""
    found = read_line(line)
    return found is not None and _turns(found)


def last(line: str) -> bool:
    """Whether a line is a `result`."""
    found = read_line(line)
    return found is not None and kind(found) == "result"


FACTS = Facts(
    "claude-code",
    PACKAGE,
    node=False,
    slot="system",
    wire="messages",
    prepare=prepare,
    rules=RULES,
    opening=Opening(79_660, "2026-11-30", output=32_000),
    read_start=read_start,
    read_end=read_end,
    last=last,
    goes_on=goes_on,
)
