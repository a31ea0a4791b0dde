"""Calls one function of code that a model wrote, in a sandbox, with JSON in and JSON out."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, canonical, sha256
from rung.core.errors import UsageError
from rung.core.ports import Ran, Sandbox
from rung.methods._kernel.hands import UNCONFINED

RUNNER = ".rung/run.py"
COMMAND = ("env", "PYTHONHASHSEED=0", "python3", "-s", "-S", "-B", RUNNER)
"""No site packages, nothing written, and sets in the same order each time."""

MARK = b"\x1e"
MAX_WHY = 600
PRINTED = 2_000
"""Characters kept of what code printed."""

Answer: TypeAlias = Callable[[JSON], Awaitable[JSON]]
"""Answers one question of the code. `Unanswered` tells it why not; whatever else is raised passes through."""

NOBODY: Mapping[str, Answer] = MappingProxyType({})


class Unanswered(Exception):
    """A question of the code is not answered; the reason, which the code is told."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call may use: seconds and megabytes of each process, questions, and bytes that it gives back or asks."""

    seconds: float = 10.0
    megabytes: int = 1024
    asks: int = 16
    bytes: int = 48_000


@dataclass(frozen=True, slots=True)
class Code:
    """Where a function is: the state's files as they lie in the sandbox, the file it is in, and its name.

    `takes` is 2 for a function that is handed the `host` it may ask, and 1 for one that is given its argument alone.
    """

    files: Mapping[str, bytes]
    path: str
    function: str
    takes: Literal[1, 2] = 2


@dataclass(frozen=True, slots=True)
class Returned:
    """What a function gave back, how much it asked, and the last of what it printed."""

    value: JSON
    asks: int
    printed: str


Fate: TypeAlias = Literal["raised", "late", "killed", "garbled", "asked too much", "diverged"]


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a function gave nothing back. That is its own doing, and never the instrument's."""

    fate: Fate
    why: str
    printed: str = ""

    def told(self) -> str:
        """In one line."""
        return f"{self.fate}: {self.why}"


async def call(
    sandbox: Sandbox,
    code: Code,
    argument: JSON,
    *,
    answers: Mapping[str, Answer] = NOBODY,
    bounds: Bounds | None = None,
    seed: int = 0,
) -> Returned | Failed:
    """Run a function over an argument, and answer what it asks, each kind of question by its own answerer.

    A function that asks runs again from its beginning, with the answers so far; so one that draws must draw from
    `random`, which is seeded, and one that asks otherwise the second time has diverged. What the sandbox raises,
    because nothing could be started, passes through, and so does what an answerer raises but for `Unanswered`.
    """
    if sandbox.name in UNCONFINED:
        raise UsageError(f"code that a model wrote runs in a sandbox that confines it, seen {sandbox.name!r}")
    bounds = bounds or Bounds()
    known: list[Mapping[str, JSON]] = []
    while True:
        try:
            order = _order(code, argument, known, bounds, seed)
        except (UsageError, TypeError, ValueError, RecursionError):
            return Failed("garbled", "what it is handed cannot be written down as JSON")
        files = {**code.files, RUNNER: _runner()}
        ran = await sandbox.run(COMMAND, files=files, seconds=bounds.seconds, stdin=order)
        said = _said(ran, bounds)
        if isinstance(said, Failed):
            return said
        if "returned" in said:
            return Returned(said["returned"], len(known), _printed(ran))
        if len(known) == bounds.asks:
            return Failed("asked too much", f"it asked more than {bounds.asks} times", _printed(ran))
        known.append(await _answered(said, answers))


@cache
def _runner() -> bytes:
    return (Path(__file__).parent / "runner.py").read_bytes()


def _order(code: Code, argument: JSON, known: list[Mapping[str, JSON]], bounds: Bounds, seed: int) -> bytes:
    order: Mapping[str, JSON] = {
        "path": code.path,
        "function": code.function,
        "takes": code.takes,
        "argument": argument,
        "answers": known,
        "seed": seed,
        "seconds": bounds.seconds,
        "megabytes": bounds.megabytes,
        "bytes": bounds.bytes,
    }
    return canonical(order).encode("utf-8", "replace")


def _said(ran: Ran, bounds: Bounds) -> Mapping[str, JSON] | Failed:
    """The last line of the output behind its mark; why there is none, where there is none."""
    printed = _printed(ran)
    if ran.late:
        return Failed("late", f"it took more than {bounds.seconds:g} seconds", printed)
    _, mark, line = ran.out.rpartition(MARK)
    if not mark:
        how = "by a signal" if ran.status is None else f"with status {ran.status}"
        return Failed("killed", f"it ended {how} and gave nothing back", printed)
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return Failed("garbled", "what it gave back is no JSON", printed)
    if not isinstance(said, dict) or not {"returned", "asks", "raised", "diverged"} & set(said):
        return Failed("garbled", "what it gave back is no answer", printed)
    if "diverged" in said:
        return Failed("diverged", "run again, it asked something else", printed)
    if "raised" in said:
        return Failed("raised", " ".join(str(said["raised"]).split())[:MAX_WHY], printed)
    return said


def _printed(ran: Ran) -> str:
    return ran.err.decode("utf-8", "replace")[-PRINTED:]


async def _answered(said: Mapping[str, JSON], answers: Mapping[str, Answer]) -> Mapping[str, JSON]:
    """The answer to a question, with the key by which the code is found to ask the same again."""
    asked = said["asks"]
    kind, request = asked if isinstance(asked, list) and len(asked) == 2 else ("", None)
    key = sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")))
    answer = answers.get(str(kind))
    if answer is None:
        known = ", ".join(sorted(answers)) or "nothing"
        return {"key": key, "refused": f"nobody answers {ascii(kind)[:60]}; what can be asked for: {known}"}
    try:
        return {"key": key, "value": await answer(request)}
    except Unanswered as why:
        return {"key": key, "refused": str(why)[:MAX_WHY]}
