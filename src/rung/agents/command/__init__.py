"""Agents that are programs of their own: Claude Code, Codex, pi, or any command.

One takes part in whole sessions, in a sandbox, and takes its tasks itself: it is no actor that is asked step by step.
`kind = "command:claude-code"` names one whose facts are here, `kind = "command"` one that the config describes.
"""

import difflib
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from rung.agents.command import claude_code, codex, command, pi
from rung.agents.command.facts import EFFORTS, Effort, Facts
from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.options import Unset, choice, take, unknown_key
from rung.core.ports import Actor, Ports
from rung.core.values import State

PROGRAMS: Mapping[str, Facts] = MappingProxyType(
    {facts.name: facts for facts in (claude_code.FACTS, codex.FACTS, pi.FACTS)}
)
"""The programs that are known, by name."""

EXAMPLES: tuple[tuple[str, Mapping[str, JSON]], ...] = ()
"""None: what is examined of an actor does not hold for a program."""


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """A program as the agent under test.

    `folder` is the user's own, for a program of theirs. `effort` is already in the facts' way to prepare a launch.
    """

    facts: Facts
    folder: Path | None = None
    effort: Effort | None = None

    @property
    def id(self) -> str:
        """Which program; its version is what is installed, and goes into the record beside this."""
        name = "command" if self.facts.package is None else f"command:{self.facts.name}"
        return name if self.effort is None else f"{name} effort={self.effort}"

    @property
    def needs_model(self) -> bool:
        """Whether it cannot do without a model behind the gateway."""
        return self.facts.wire is not None

    def harness(self) -> Mapping[str, bytes]:
        """Nothing: what a program starts with it brings itself."""
        return {}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """Refused."""
        raise UsageError(
            f"[agent]: {self.id!r} is a program, which takes part in whole sessions and is not asked step by step; "
            'give protocol = "cell", or an agent such as kind = "chat"'
        )


def make(variant: str, options: Mapping[str, JSON]) -> CommandAgent:
    """The program with this name, or for an empty one that which the options describe."""
    if not variant:
        return _own(options)
    if variant not in PROGRAMS:
        near = difflib.get_close_matches(variant, PROGRAMS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(PROGRAMS)}"
        raise UsageError(f'[agent]: no program named {variant!r}; {hint}; kind = "command" takes one of your own')
    facts = PROGRAMS[variant]
    given = take("[agent]", options, {"effort": Unset(str)})["effort"]
    if given is None:
        return CommandAgent(facts)
    effort = choice("[agent]", "effort", given, EFFORTS)
    prepare = facts.prepare
    return CommandAgent(replace(facts, prepare=lambda launch: prepare(replace(launch, effort=effort))), effort=effort)


def _own(options: Mapping[str, JSON]) -> CommandAgent:
    known = ("command", "env", "folder")
    for key, value in options.items():
        if key not in known:
            raise unknown_key("[agent]", key, value, known)
    folder = options.get("folder")
    if folder is not None and not (isinstance(folder, str) and folder):
        raise UsageError(f"[agent]: folder is the path of a folder, seen {folder!r}; leave it out for none")
    return CommandAgent(command.facts(options.get("command"), options.get("env")), Path(folder) if folder else None)
