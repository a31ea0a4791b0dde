"""What became of the changes of the last session: their predictions are held against the attempts since.

Tasks do not come again, so predictions are by kind of task (family and setting). A kind rose or fell when its mean
score since the change is above or below that of as many attempts before it; where a verdict is hidden nothing is known.

    harmful              a kind at risk fell, and none that was to rise did
    mixed                a kind at risk fell, and one that was to rise did
    effective            every kind that was to rise did
    partially effective  some did
    ineffective          none did
    unknown              none of them was met on both sides
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, canonical
from rung.core.ports import FeedbackLog
from rung.core.values import FeedbackResult, State

Verdict: TypeAlias = Literal["harmful", "mixed", "effective", "partially effective", "ineffective", "unknown"]

HISTORY = "method/ahe/history.jsonl"
"""A session a line: `at`, the attempts so far; `changes` with files and predictions; `undo`, texts by path."""

MOST_KEPT = 400_000
"""Characters of the history; the oldest sessions are forgotten first."""

MOST_CHANGES = 12
MAX_TEXT = 400
MAX_UNDO = 64_000
"""Characters of the texts that a session keeps, so that a harmful change can be taken back."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change as it was announced: what, in which files, what it should help and what it could harm."""

    id: str
    files: tuple[str, ...]
    fixes: tuple[str, ...]
    risk: tuple[str, ...]
    text: str

    def to_json(self) -> Mapping[str, JSON]:
        """As the history holds it."""
        return {
            "id": self.id,
            "files": list(self.files),
            "fixes": list(self.fixes),
            "risk": list(self.risk),
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Past:
    """One session: how many attempts had been made, its changes, and what its files held before."""

    at: int
    changes: tuple[Change, ...]
    undo: Mapping[str, str | None]

    def line(self) -> str:
        """As the history holds it."""
        return canonical({"at": self.at, "changes": [each.to_json() for each in self.changes], "undo": dict(self.undo)})


def bucket(feedback: FeedbackResult) -> str:
    """The kind of an attempt's task."""
    return f"{feedback.task['family']} {feedback.task['setting']}"


def score(feedback: FeedbackResult) -> float | None:
    """What was measured; None where the verdict is hidden."""
    return feedback.evaluation.score if feedback.evaluation is not None else None


def means(told: Sequence[FeedbackResult]) -> Mapping[str, float]:
    """The mean score of each kind that was measured."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in told:
        value = score(each)
        if value is not None:
            found[bucket(each)].append(value)
    return {kind: fmean(values) for kind, values in sorted(found.items())}


def judged(change: Change, before: Mapping[str, float], after: Mapping[str, float]) -> Verdict:
    """What a change did, by its own predictions."""
    both = set(before) & set(after)
    rose = {kind for kind in both if after[kind] > before[kind]}
    fell = {kind for kind in both if after[kind] < before[kind]}
    fixes, risk = set(change.fixes) & both, set(change.risk) & both
    if not fixes and not risk:
        return "unknown"
    if risk & fell:
        return "mixed" if fixes & rose else "harmful"
    if fixes and fixes <= rose:
        return "effective"
    return "partially effective" if fixes & rose else "ineffective"


def verdicts(past: Past, log: FeedbackLog) -> Mapping[str, Verdict]:
    """What each change of a session did, from as many attempts before it as there were since."""
    since = range(past.at, len(log))
    earlier = range(max(0, past.at - max(1, len(since))), past.at)
    before, after = (means([log[index] for index in part]) for part in (earlier, since))
    return {change.id: judged(change, before, after) for change in past.changes}


# --------------------------------------------------------------------------------------------- the history


def read(state: State) -> tuple[Past, ...]:
    """The sessions of a state, oldest first. Lines that are none are left out."""
    lines = state.files.get(HISTORY, b"").decode("utf-8", "replace").split("\n")
    return tuple(found for line in lines if (found := _past(line)) is not None)


def _past(line: str) -> Past | None:
    try:
        found = json.loads(line)
        changes = tuple(_change(each) for each in found["changes"])
        undo = {str(path): text if text is None else str(text) for path, text in found["undo"].items()}
        return Past(int(found["at"]), changes, undo)
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None


def _change(found: Mapping[str, object]) -> Change:
    files, fixes, risk = (_texts(found[key]) for key in ("files", "fixes", "risk"))
    return Change(str(found["id"]), files, fixes, risk, str(found["text"]))


def written(sessions: Sequence[Past]) -> bytes:
    """The history as a file: the newest sessions, of which only the last can be taken back."""
    lines = [Past(each.at, each.changes, {}).line() for each in sessions[:-1]] + [each.line() for each in sessions[-1:]]
    left, many = MOST_KEPT, 0
    for line in reversed(lines):
        left -= len(line)
        if left < 0 and many:
            break
        many += 1
    return "".join(f"{line}\n" for line in lines[len(lines) - many :]).encode("utf-8", "replace")


def undo(before: Mapping[str, bytes], after: Mapping[str, bytes | None]) -> Mapping[str, str | None]:
    """What the changed files held before, as far as it fits; None for a file that was not there."""
    left, found = MAX_UNDO, dict[str, str | None]()
    for path in after:
        data = before.get(path)
        if data is None:
            found[path] = None
            continue
        text = data.decode("utf-8", "replace")
        if len(text) <= left:
            left -= len(text)
            found[path] = text
    return found


# --------------------------------------------------------------------------------------------- what was announced


def announced(said: Mapping[str, object], changes: Mapping[str, bytes | None], at: int) -> tuple[Change, ...]:
    """The changes that an improver announced, as far as they are of files that it did change."""
    listed = said.get("changes")
    found: list[Change] = []
    for each in listed if isinstance(listed, list | tuple) else ():
        if not isinstance(each, Mapping) or len(found) == MOST_CHANGES:
            continue
        files = tuple(path for path in _texts(each.get("files")) if path in changes)
        if files:
            name = f"c{at}-{len(found) + 1}"
            text = " ".join(str(each.get("description", "")).split())[:MAX_TEXT]
            found.append(Change(name, files, _texts(each.get("predicted_fixes")), _texts(each.get("risk")), text))
    return tuple(found)


def derived(changes: Mapping[str, bytes | None], kinds: Sequence[str], at: int) -> tuple[Change, ...]:
    """One change of all files, where nothing was announced: it should help every kind that was met."""
    return (Change(f"c{at}-1", tuple(changes), tuple(kinds), (), "(not announced)"),)


def _texts(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [value]
    return tuple(" ".join(each.split())[:120] for each in listed if isinstance(each, str) and each.strip())[:20]
