"""The edit kernel: an agent loop in which an improver model changes a candidate's files. AHE and HyperAgents share it.

    desk = Desk(dict(context.state.files), surface, lent={"evidence/attempt.md": text})
    session = await edit(model, [Message("system", ...), Message("user", ...)], desk, given=Given(ports.sandbox))
    return candidate(context, desk, session, {"kind": "improvement", "surface": "harness"})

The improver calls `list`, `read`, `search`, `write`, `replace`, `delete`, `run` and `finish`, as typed calls or as JSON
in text. Every edit is recorded with the turn, the tool, the path and hashes before and after; what the surface does not
allow is refused, told to the model, and recorded as well. `run` is offered only where a sandbox confines it.

`Hands` does single calls on a desk for whoever has a loop of their own, such as an improver that is itself code in the
state (see `rung.methods._coded`).
"""

from rung.methods._kernel.desk import Desk, Refused
from rung.methods._kernel.hands import FINISH, TOOLS, UNCONFINED, Given, Hands, form
from rung.methods._kernel.made import candidate, opinions
from rung.methods._kernel.session import Decoding, Finish, Limits, Session, edit, exhaust

__all__ = [
    "FINISH",
    "TOOLS",
    "UNCONFINED",
    "Decoding",
    "Desk",
    "Finish",
    "Given",
    "Hands",
    "Limits",
    "Refused",
    "Session",
    "candidate",
    "edit",
    "exhaust",
    "form",
    "opinions",
]
