"""Judged episodes as S3Gym's context pathways keep them (section 4.3, Appendix A.1): what was seen, done and judged.

One file for each episode, by its number among those that the lineage was told of, `0007.jsonl`; one step a line:

    {"answered": what the game said, "done": the action, "score": its judgement or null, "seen": the view}

A file is never written again, so that a state of many episodes costs what its newest one does; but where all together
are too long, whole steps are left out: the oldest, or the newest as in the paper. A file that somebody has edited is
read as far as it holds steps.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, canonical
from rung.core.errors import UsageError
from rung.core.explore_config import BYTES_A_TOKEN
from rung.core.ports import FeedbackLog
from rung.core.values import Call, FeedbackResult, State, Step

MAX_PIECE = 4_000
"""Characters kept of one text of a step."""

Keep: TypeAlias = Literal["newest", "oldest"]
Filter: TypeAlias = Literal["all", "positive"]
KEEPS: tuple[Keep, ...] = ("newest", "oldest")
FILTERS: tuple[Filter, ...] = ("all", "positive")

_ANSWER = re.compile(r"[\W_]*(?:(?:my\s+)?final\s+)?answer[ \t*_`]*:[ \t*_`]*", re.I)
_SCORE = re.compile(r"[ \t,;.*_`]*(?<![A-Za-z0-9])(?:self[- _]?)?score[ \t*_`]*[:=].*$", re.I | re.S)


@dataclass(frozen=True, slots=True)
class Told:
    """One step of an episode."""

    seen: str
    done: str
    score: float | None
    answered: str = ""

    def line(self) -> str:
        """The step as its line."""
        about = {"answered": self.answered, "done": self.done, "score": self.score, "seen": self.seen}
        return canonical(about)

    def shown(self) -> str:
        """The step as a prompt shows it.

        >>> print(Told("Round 1.", "cheat", 3.0).shown())
        Env: Round 1.
        LLM: Answer: cheat, Score: 3
        """
        judged = "" if self.score is None else f", Score: {self.score:g}"
        answered = f"\nEnv: {self.answered}" if self.answered else ""
        return f"Env: {self.seen}\nLLM: Answer: {self.done}{judged}{answered}"


Episodes: TypeAlias = Mapping[int, Sequence[Told]]
"""The steps of each episode, by its number."""


# --------------------------------------------------------------------------------------------- from feedback


def of(feedback: FeedbackResult, which: Filter) -> list[Told]:
    """The steps of an attempt as it was judged; those judged above 0 alone where that is asked for."""
    return [
        Told(_cut(step.prompt), _cut(action(step.action)), step.self_score, _cut(step.response))
        for step in feedback.trajectory
        if which == "all" or _positive(step)
    ]


def _positive(step: Step) -> bool:
    return step.self_score is not None and step.self_score > 0


def action(answer: Call | str) -> str:
    """What was done, without what was thought aloud and without the agent's own score, for it is judged elsewhere.

    >>> action("I wonder.\\nAnswer: LEFT, Score: 1"), action(Call("go", {"to": "left", "self_score": 1}))
    ('LEFT', 'go {"to":"left"}')
    """
    if isinstance(answer, Call):
        return f"{answer.tool} {canonical({k: v for k, v in answer.arguments.items() if k != 'self_score'})}"
    lines = answer.strip().splitlines() or [""]
    said = [line[found.end() :] for line in lines if (found := _ANSWER.match(line)) is not None]
    return _SCORE.sub("", said[-1] if said else lines[-1]).strip(" \t*_`")


def _cut(text: str) -> str:
    text = text if text.isascii() else text.encode("utf-8", "replace").decode()
    return text if len(text) <= MAX_PIECE else f"{text[:MAX_PIECE]} [...]"


# --------------------------------------------------------------------------------------------- in a state


def read(state: State, folder: str) -> dict[int, list[Told]]:
    """The episodes in a folder of a state, oldest first. Lines that are no step are left out."""
    found = {}
    for path, data in sorted(state.files.items()):
        number = re.fullmatch(rf"{re.escape(folder)}/([0-9]{{4,6}})\.jsonl", path)
        if number is not None:
            lines = data.decode("utf-8", "replace").split("\n")
            found[int(number[1])] = [step for line in lines if (step := _step(line)) is not None]
    return found


def _step(line: str) -> Told | None:
    try:
        record = json.loads(line)
        answered, done, score, seen = (record[key] for key in ("answered", "done", "score", "seen"))
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    number = score is None or (isinstance(score, int | float) and not isinstance(score, bool))
    if not number or not all(isinstance(text, str) for text in (answered, done, seen)):
        return None
    return Told(_cut(seen), _cut(done), score, _cut(answered))


def written(state: State, folder: str, before: Episodes, after: Episodes) -> State:
    """The state with the episodes in its folder; the files of those that are as they were stay as they are."""
    files = {path: data for path, data in state.files.items() if _number(path, folder) is None}
    for number, steps in after.items():
        path = f"{folder}/{number:04d}.jsonl"
        same = path in state.files and before.get(number) == steps
        files[path] = state.files[path] if same else "".join(f"{step.line()}\n" for step in steps).encode()
    return State(files)


def _number(path: str, folder: str) -> int | None:
    found = re.fullmatch(rf"{re.escape(folder)}/([0-9]{{4,6}})\.jsonl", path)
    return int(found[1]) if found else None


def grown(before: Episodes, log: FeedbackLog, which: Filter) -> dict[int, list[Told]]:
    """The episodes, and behind them those that the lineage was told of since.

    That is one at a time, but after a refinement that came to nothing: then it is made up for.
    """
    newest = max(before, default=0)
    added = {number: of(log[number - 1], which) for number in range(newest + 1, len(log) + 1)}
    return {number: list(steps) for number, steps in {**before, **added}.items()}


# --------------------------------------------------------------------------------------------- what there is room for


def fitting(episodes: Episodes, tokens: int, keep: Keep) -> tuple[dict[int, list[Told]], int]:
    """As many steps as are within so many tokens together, from one end on, and how many are left out.

    >>> steps = {1: [Told("a" * 10, "x", None)], 2: [Told("b" * 10, "y", None)]}
    >>> fitting(steps, 12, "newest")
    ({2: [Told(seen='bbbbbbbbbb', done='y', score=None, answered='')]}, 1)
    """
    left = tokens * BYTES_A_TOKEN
    kept: dict[int, list[Told]] = {}
    placed = [(number, step) for number, steps in episodes.items() for step in steps]
    for number, step in reversed(placed) if keep == "newest" else placed:
        left -= _bytes(step)
        if left < 0:
            break
        kept.setdefault(number, []).append(step)
    if keep == "newest":
        kept = {number: kept[number][::-1] for number in reversed(kept)}
    return kept, len(placed) - sum(map(len, kept.values()))


def room(where: str, input_tokens: int, reserve_tokens: int) -> int:
    """The tokens that may be filled with episodes: those of a prompt, without what rules and attempt need."""
    if reserve_tokens >= input_tokens:
        raise UsageError(
            f"{where}: reserve_tokens = {reserve_tokens} leaves nothing of input_tokens = {input_tokens}; lower it"
        )
    return input_tokens - reserve_tokens


def filled(state: State, folder: str, tokens: int) -> State:
    """The state with so much in its folder that no more would fit."""
    step = Told("x" * MAX_PIECE, "x" * MAX_PIECE, None)
    many = tokens * BYTES_A_TOKEN // (len(step.shown()) + 1) + 1
    whole = {number: [step] for number in range(1, many + 1)}
    return written(state, folder, {}, whole)


def why_same(left_out: int) -> str:
    """Why a refinement changes nothing."""
    return f"there is room for none of it: {left_out} steps are left out" if left_out else "the episode holds no steps"


def manifest(feedback: FeedbackResult, folder: str, kept: Episodes, left_out: int) -> Mapping[str, JSON]:
    """What a method says of a history that changed."""
    held = sum(map(len, kept.values()))
    return {
        "kind": "new",
        "surface": "memory",
        "files": [f"{folder}/{number:04d}.jsonl" for number in list(kept)[-1:]],
        "evidence": [feedback.id],
        "episodes": len(kept),
        "steps": held,
        "dropped": left_out,
    }


def tokens(episodes: Episodes) -> int:
    """How many tokens all steps together are counted as."""
    return sum(_bytes(step) for steps in episodes.values() for step in steps) // BYTES_A_TOKEN


def _bytes(step: Told) -> int:
    return len(step.shown().encode()) + 1


def shown(episodes: Episodes) -> Iterator[str]:
    """Each step as a prompt shows it, oldest first, with a line before each episode."""
    for number, steps in episodes.items():
        for place, step in enumerate(steps):
            yield f"{f'Episode {number}' + chr(10) if place == 0 else ''}{step.shown()}"
