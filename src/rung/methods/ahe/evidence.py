"""What an improver is shown of the attempts: a report on each, what they have in common, scores, and past changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rung.core.canonical import JSON
from rung.core.errors import ContextOverflow
from rung.core.ports import FeedbackLog, Model
from rung.core.values import FeedbackResult, Message, ModelReply, ModelRequest
from rung.methods._attempt import NONE, attempt, cut, ending, rules
from rung.methods._kernel import Decoding, form
from rung.methods.ahe.attribution import Past, Verdict, bucket, score
from rung.methods.ahe.prompts import filled, prompt

MAX_REPORT = 3_000
"""Characters of one report."""

SHOWN_SCORES = 40
_LINE: Mapping[str, JSON] = {"type": "string", "maxLength": 100}
REPORT = form("report", "Say why it went so.", {"happened": _LINE, "cause": _LINE, "better": _LINE})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found out, and the files that it is lent as."""

    overview: str
    lent: Mapping[str, str]


async def gathered(
    model: Model, told: Sequence[FeedbackResult], decoding: Decoding, *, lent: Mapping[str, str]
) -> Evidence:
    """A report on each attempt, one question each, and one more on all where there are several."""
    files = dict(lent)
    reports = []
    for number, feedback in enumerate(told, 1):
        report = await _asked(model, debugging(feedback), decoding)
        reports.append(f"Attempt {number}, {bucket(feedback)}, {_ended(feedback)}\n{report or '(no report)'}")
        files[f"evidence/attempt_{number}.md"] = f"{attempt(feedback)}\n\nHow it ended:\n{ending(feedback)}\n"
    files["evidence/reports.md"] = "\n\n".join(reports) + "\n"
    files["evidence/rules.md"] = "\n\n".join(dict.fromkeys(rules(each) for each in told)) + "\n"
    overview = await _asked(model, summing(reports), decoding) if len(told) > 1 else ""
    return Evidence(overview or cut(reports[-1], MAX_REPORT), files)


def debugging(feedback: FeedbackResult) -> list[Message]:
    """The question why an attempt went as it did."""
    question = filled("debug", rules=rules(feedback), attempt=attempt(feedback), ending=ending(feedback))
    return [Message("system", prompt("debug_system")), Message("user", question)]


def summing(reports: Sequence[str]) -> list[Message]:
    """The question what several attempts have in common."""
    return [Message("system", prompt("overview_system")), Message("user", "\n\n".join(reports))]


async def _asked(model: Model, opening: Sequence[Message], decoding: Decoding) -> str:
    """A short text. What is of no use is an empty one: the attempts themselves are there to be read."""
    request = ModelRequest(
        tuple(opening),
        "improver",
        tools=(REPORT,) if decoding.replies == "tools" else (),
        max_tokens=decoding.max_tokens,
        temperature=decoding.temperature,
    )
    try:
        return _text(await model.generate(request))
    except ContextOverflow:  # a small model does without the report
        return ""


def _text(reply: ModelReply) -> str:
    if reply.text.strip() or not reply.calls:
        return cut(reply.text.strip(), MAX_REPORT)
    said = (f"{key}: {value}" for key, value in reply.calls[0].arguments.items() if isinstance(value, str))
    return cut("\n".join(said), MAX_REPORT)


def _ended(feedback: FeedbackResult) -> str:
    measured = feedback.evaluation
    return "its verdict hidden" if measured is None else f"{'solved' if measured.success else 'not solved'}"


# --------------------------------------------------------------------------------------------- what is known already


def scores(log: FeedbackLog) -> str:
    """The scores of the newest attempts by kind, in their order, and the best so far."""
    first = max(0, len(log) - SHOWN_SCORES)
    by_kind: dict[str, list[float]] = {}
    for index in range(first, len(log)):
        value = score(log[index])
        if value is not None:
            by_kind.setdefault(bucket(log[index]), []).append(value)
    lines = [
        f"{kind}: {', '.join(format(value, '.4g') for value in values)} (best {max(values):.4g}{_unstable(values)})"
        for kind, values in sorted(by_kind.items())
    ]
    return "Scores so far, oldest first:\n" + "\n".join(lines) if lines else "No scores are shown in this study."


def _unstable(values: Sequence[float]) -> str:
    """A word for kinds that are solved now and then: what fails by chance is not to be mended."""
    turns = sum((one > min(values)) != (other > min(values)) for one, other in pairwise(values))
    return ", it comes and goes" if len(values) >= 3 and turns >= 2 else ""


def history(sessions: Sequence[Past], found: Mapping[str, Verdict], taken_back: Sequence[str]) -> str:
    """Past changes, and of the last session's what they did."""
    lines = []
    for number, session in enumerate(sessions, 1):
        lines.append(f"Session {number}, after {session.at} attempts")
        for change in session.changes:
            verdict = found.get(change.id) if session is sessions[-1] else None
            back = ", and was taken back" if change.id in taken_back else ""
            told = f" It was {verdict}{back}." if verdict else ""
            should = f" Should help: {', '.join(change.fixes) or NONE}. At risk: {', '.join(change.risk) or NONE}."
            lines.append(f"- {change.id} in {', '.join(change.files)}: {change.text}{should}{told}")
    return "\n".join(lines) or NONE
