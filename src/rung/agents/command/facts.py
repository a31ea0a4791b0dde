"""What the instrument knows of an agent program, and what it needs to start one session of it.

A program is foreign: nothing of it is imported, and nothing that it says of itself decides anything. Its facts are how
to start it without a person, where its state lies, and how to read what it prints. All of them were measured on the
version that is pinned; another version may differ, so the installed one goes into the record.

Paths inside are the same for every session. Programs keep absolute paths in what they leave: a forked Codex appends to
the conversation it was forked from when its home lies elsewhere, and Claude Code finds its own by the working folder.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from rung.agents.command.paths import Rules
from rung.core.confined import Bind, Bounds, Given, Mount, Network, Program

HOME = "/home/agent"
WORK = "/workspace"
OPT = "/opt/rung"

TOOLS_PORT = 8710
MODELS_PORT = 8711

SERVER = "tasks"
"""What the server of tools is called inside. Nothing here tells work from exam."""

KEY = "placeholder"
"""What stands where a program wants a key. The keys are the gateway's, and are never inside."""

TOOL_SECONDS = 900
"""How long a program waits for one call of a tool."""

RETRIES = 2
"""How often a program asks again after an error. The gateway has done its own tries by then."""


@dataclass(frozen=True, slots=True)
class Package:
    """Where a program comes from: its package in the npm registry, and the version that was measured.

    `command` is the path of its executable under `node_modules`. `script` is its own step after installing, where it
    needs one; no other script of any package is run. `megabytes` are on disk.
    """

    name: str
    version: str
    command: str
    megabytes: int
    script: str | None = None


Effort: TypeAlias = Literal["low", "medium", "high"]

EFFORTS: Sequence[Effort] = ("low", "medium", "high")
"""What all of the programs have a flag for."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One session of a program.

    `system` is the instruction that stands over the session and `first` its first message. `tools_url` is the MCP
    server's whole address, `models_url` the gateway's without the `/v1` that the providers' paths begin with.
    `model` is the name that its provider has for it, by which some programs know how much it can read. `session` is a
    UUID for the new conversation, where a program lets it be chosen. `after` is the conversation in the home that this
    one goes on from: as a fork, which leaves it as it is, or else as itself. `effort` is how hard the model shall
    think; None leaves it to the program.
    """

    system: str
    first: str
    tools_url: str
    models_url: str
    model: str
    session: str
    after: str | None = None
    fork: bool = True
    effort: Effort | None = None


Slot: TypeAlias = Literal["system", "first message", "file"]
"""Where the standing instruction goes: a slot of the program's own, before the first message where it has none, or a
file that the program is given the path of."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A launch in a program's own words: its arguments, its environment, and files it reads from outside its home."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    given: tuple[Given, ...] = ()


@dataclass(frozen=True, slots=True)
class Began:
    """What a transcript says of its start. `tools` is whether the server of tools was reached; None where it does not
    say. `session` is the conversation's id, by which it is forked later."""

    session: str | None = None
    version: str | None = None
    tools: bool | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What a transcript says of its end: evidence, and never the verdict.

    `over`: it holds the line after which nothing follows. `clean`: that line says the agent was done. `status` is the
    HTTP status that it names. `text` is the agent's last words, or what the program says went wrong.
    """

    over: bool = False
    clean: bool = False
    status: int | None = None
    text: str = ""


def silent(lines: Sequence[str]) -> Said:
    """What is said by a program that prints no transcript: its last line, and nothing of how it ended."""
    return Said(text=next((line for line in reversed(lines) if line.strip()), ""))


@dataclass(frozen=True, slots=True)
class Opening:
    """How large a program's first request is, and the day it was measured.

    Bytes of its system text, the tools it offers (ours of three games among them) and its messages, before it was told
    of any task. Every later request of the session carries them too. `output` is how many tokens the program allows its
    answer; None where it says nothing.
    """

    bytes: int
    date: str
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of one program.

    `slot` is where the standing instruction goes. `wire` is how it asks its model. `speaks` tells whether it prints a
    transcript; the end of one that does not is known by its exit status alone. `last` tells the line after which a
    session is over, though the process may live on, unless a line comes that says it `goes_on`. `calls` are the hosts
    it tries to reach of its own accord, with everything switched off that can be. `opening` is None where nobody knows
    it.
    """

    name: str
    package: Package | None
    node: bool
    slot: Slot
    wire: Literal["messages", "responses", "chat"] | None
    prepare: Callable[[Launch], Prepared]
    rules: Rules
    speaks: bool = True
    read_start: Callable[[Sequence[str]], Began] = lambda lines: Began()
    read_end: Callable[[Sequence[str]], Said] = silent
    last: Callable[[str], bool] = lambda line: False
    goes_on: Callable[[str], bool] = lambda line: bool(line.strip())
    calls: tuple[str, ...] = ()
    opening: Opening | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie on this machine: a program's `node_modules`, the folder that holds the `node` command, and the
    folder of a program of the user's own."""

    modules: Path | None = None
    node: Path | None = None
    folder: Path | None = None


def inside(facts: Facts) -> str:
    """Where a program's `node_modules` is mounted. Codex finds its binary only under a path of that name."""
    return f"{OPT}/{facts.name}/node_modules"


def program(
    facts: Facts,
    launch: Launch,
    places: Places,
    *,
    mounts: Sequence[Mount],
    bounds: Bounds | None = None,
    network: Network | None = None,
) -> Program:
    """One session of a program, ready to be confined. `mounts` are its home and its working folder.

    What is mounted beside them cannot be written: the program as it was installed, Node, and the files it is given.
    """
    made = facts.prepare(launch)
    return Program(
        argv=made.argv,
        env={**environment(node=facts.node), **made.env},
        mounts=(*mounts, *_installed(facts, places), *made.given),
        cwd=WORK,
        bounds=bounds or Bounds(),  # no bound on address space: Claude Code and pi cannot live with one
        network=network or Network("gateway", ports=(TOOLS_PORT, MODELS_PORT)),
    )


def _installed(facts: Facts, places: Places) -> list[Mount]:
    found: list[Mount] = []
    if facts.package is not None and places.modules is not None:
        found.append(Bind(places.modules, inside(facts)))
    if facts.node and places.node is not None:
        found.append(Bind(places.node, f"{OPT}/node/bin"))
    if places.folder is not None:
        found.append(Bind(places.folder, f"{OPT}/program"))
    return found


def environment(*, node: bool = False) -> Mapping[str, str]:
    """What every program finds in its environment; nothing of the instrument's own."""
    path = "/usr/local/bin:/usr/bin:/bin"
    return {
        "HOME": HOME,
        "USER": "agent",
        "LOGNAME": "agent",
        "PATH": f"{OPT}/node/bin:{path}" if node else path,
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "TMPDIR": "/tmp",  # noqa: S108  # a path inside
    }
