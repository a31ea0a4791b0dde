"""An improver's own functions, run in a sandbox as what they are: JSON in, JSON out, and nothing in between.

    def digest(view): ...    a text for the improver, made of what was attempted and scored
    def parent(view): ...    the id of the node that is improved next

`view` is `{"attempts": [...], "nodes": [...]}`. They reach no model and no tool: an improver works by a session that
the instrument holds, so nothing in the sandbox needs a way out of it (docs/decisions/0021). What a function that fails
would have given is done without, and the reason is kept.
"""

import ast
from collections.abc import Mapping
from typing import Literal, TypeAlias

from rung.core.canonical import JSON
from rung.core.ports import Sandbox
from rung.core.surface import parsed
from rung.methods._attempt import cut
from rung.methods._coded import Bounds, Code, Failed, call
from rung.methods._kernel import UNCONFINED
from rung.methods._plain import plain
from rung.methods.hyperagents.program import HOOKS

Hook: TypeAlias = Literal["digest", "parent"]

BOUNDS = Bounds(seconds=10.0, megabytes=512, asks=0)
MAX_DIGEST = 8_000
"""Characters that are shown of a digest."""

MAX_REASON = 200
NO_SANDBOX = "no sandbox confines it, so it is not run"


def defined(code: bytes | None) -> frozenset[str]:
    """The names of the functions that a file defines. It is read and not run."""
    tree = parsed((code or b"").decode("utf-8", "replace"))
    if isinstance(tree, str):
        return frozenset()
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


async def _called(
    sandbox: Sandbox | None, code: bytes | None, hook: Hook, view: Mapping[str, JSON]
) -> tuple[JSON, str]:
    """What a function gives, None where there is none of this name; and why it gave nothing.

    What the sandbox raises passes through, for then the instrument broke.
    """
    if code is None or hook not in defined(code):
        return None, ""
    if sandbox is None or sandbox.name in UNCONFINED:
        return None, NO_SANDBOX
    said = await call(sandbox, Code({HOOKS: code}, HOOKS, hook, takes=1), view, bounds=BOUNDS)
    return (None, cut(plain(said.told()), MAX_REASON)) if isinstance(said, Failed) else (said.value, "")


async def digest(sandbox: Sandbox | None, code: bytes | None, view: Mapping[str, JSON]) -> tuple[str, str]:
    """The digest that an improver's function makes, and why there is none."""
    value, failed = await _called(sandbox, code, "digest", view)
    if failed or value is None:
        return "", failed
    if not isinstance(value, str):
        return "", f"digest gives a text, seen {ascii(value)[:60]}"
    return cut(value, MAX_DIGEST), ""


async def parent(
    sandbox: Sandbox | None, code: bytes | None, view: Mapping[str, JSON], among: tuple[str, ...]
) -> tuple[str | None, str]:
    """The node that an improver's function names, and why there is none."""
    value, failed = await _called(sandbox, code, "parent", view)
    if failed or value is None:
        return None, failed
    if value not in among:
        return None, f"parent gives the id of a node that may be one, seen {ascii(value)[:60]}"
    return str(value), ""
