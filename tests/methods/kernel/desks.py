"""A model that says what it is told to, and a desk with a few files."""

import json
from collections.abc import Callable, Sequence

from rung.core.surface import Surface
from rung.core.values import Call, Message, ModelReply, ModelRequest, Usage
from rung.methods._kernel import Desk
from rung.testing.models import Scripted

SURFACE = Surface(write=("agent/skills/**", "agent/tools/*.py"), file_bytes=2_000, binary_bytes=0)
OPENING = (Message("system", "Improve it."), Message("user", "The agent failed."))
FILES = {
    "agent/system.md": b"You are given tasks.\n",
    "agent/skills/look/SKILL.md": b"Look first.\nThen act.\n",
    "method/secret.md": b"hidden\n",
}


def desk(**more: object) -> Desk:
    return Desk(dict(FILES), SURFACE, {"evidence/attempt.md": "Step 1\nSeen: 7\n"}, **more)


def says(*replies: object) -> Scripted:
    """A model that answers in turn, each time with a call as JSON text, a text, or a reply as it is."""
    left = list(replies)

    def answer(request: ModelRequest) -> str | ModelReply:
        said = left.pop(0) if left else {"tool": "finish", "summary": "done"}
        return said if isinstance(said, str | ModelReply) else json.dumps(said)

    return Scripted(answer)


def calls(*named: tuple[str, dict[str, object]]) -> ModelReply:
    """A reply with typed calls."""
    made: Sequence[Call] = [Call(name, arguments) for name, arguments in named]
    return ModelReply("", "scripted", "tool_calls", Usage(10, 5), tuple(made))


Answer = Callable[[ModelRequest], str | ModelReply]
