"""Scripted ends of the ports, so that a suite needs no game, no model and no sandbox: everything here is known."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rung.core.canonical import sha256
from rung.core.errors import InstrumentFault
from rung.core.ports import Actor, Ports, Ran
from rung.core.values import Action, Call, FeedbackResult, ModelRequest, State, View
from rung.testing.contracts.promise import short
from rung.testing.models import Scripted


def _spelt(request: ModelRequest) -> str:
    return sha256("\x00".join(message.text for message in request.messages))[:12]


def plain(request: ModelRequest) -> str:
    """A sentence that depends on what was asked."""
    return f"Look before you answer (note {_spelt(request)}).\nAnswer: 1, Score: 0"


def fenced(request: ModelRequest) -> str:
    """JSON in a fence, as many prompts ask for."""
    return f'Here it is:\n```json\n{{"note": "{_spelt(request)}", "notes": ["a", "b"], "score": 1}}\n```\n'


class NoSandbox:
    """A sandbox in which every command ends well and says nothing."""

    name = "none"

    async def run(self, argv: Sequence[str], *, files: Mapping[str, bytes], seconds: float, stdin: bytes = b"") -> Ran:
        """Status 0 and no output."""
        return Ran(0)


class MemoryArtifacts:
    """Blobs in a dictionary."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def blob(self, data: bytes) -> str:
        """Keep the bytes."""
        digest = sha256(data)
        self._kept[digest] = bytes(data)
        return digest

    def read_blob(self, digest: str) -> bytes:
        """The bytes kept."""
        if digest not in self._kept:
            raise InstrumentFault("store", f"no blob {short(digest)}")
        return self._kept[digest]


@dataclass(frozen=True)
class ScriptedActor:
    """An actor that answers with its name and a number of its own."""

    name: str
    rng: random.Random

    async def act(self, view: View) -> Action:
        """A call of the first tool in sight, or text."""
        said = f"{self.name} {self.rng.randrange(1000)}"
        return Action(Call(view.tools[0].name, {"value": said}) if view.tools else said)


@dataclass(frozen=True)
class ScriptedPolicies:
    """The policies port in a world without a game."""

    cell: str = "contract-v1 d1"

    def naive(self) -> Actor:
        """Says naive."""
        return ScriptedActor("naive", random.Random(0))

    def solver(self) -> Actor:
        """Says solver."""
        return ScriptedActor("solver", random.Random(0))


def ports(model: Callable[[ModelRequest], str] = plain) -> Ports:
    """All ports, scripted."""
    return Ports(Scripted(model), NoSandbox(), MemoryArtifacts(), ScriptedPolicies())


@dataclass
class ScriptedAgent:
    """An agent whose whole harness is a prompt, and that can be taught like the phantoms."""

    id: str = "scripted"
    kind: str = "scripted"

    def harness(self) -> Mapping[str, bytes]:
        """One prompt."""
        return {"agent/prompt.md": b"Answer with one number.\n"}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """An actor whose answers depend on its files, its view and its random stream."""
        return _Reading(state, rng)

    def learn(self, state: State, feedback: FeedbackResult, rng: random.Random) -> Sequence[State]:
        """Two states with a note more."""
        notes = [f"{feedback.id} {rng.randrange(1000)} {n}\n".encode() for n in range(2)]
        return [state.with_files({"agent/notes.md": state.files.get("agent/notes.md", b"") + note}) for note in notes]


@dataclass(frozen=True)
class _Reading:
    state: State
    rng: random.Random

    async def act(self, view: View) -> Action:
        texts = [data.decode("utf-8", "replace") for _, data in sorted(self.state.files.items())]
        return Action(sha256("\x00".join([*texts, view.rules, view.text]))[:8] + f" {self.rng.randrange(1000)}")
