"""Which bullets an attempt used: what its answers report, else what they mention, else nobody knows."""

import json
import re
from collections.abc import Iterator, Sequence

from rung.core.values import FeedbackResult, Step
from rung.methods._attempt import spelt
from rung.methods.ace.answers import bare

_NAME = re.compile(r"[a-z]{1,20}-[0-9]{5,9}")
MAX_LINE = 2_000
"""Characters of a line that may be a report."""


def used(feedback: FeedbackResult, known: Sequence[str]) -> tuple[str, ...] | None:
    """The ids of the bullets used, in the order of the playbook. None where no answer says anything of any.

    An answer reports them in a line of JSON, `{"used": "strategies-00001"}`; an empty report says that none was.
    """
    said = [text for step in feedback.trajectory for text in _texts(step)]
    reports = [names for text in said for names in _reports(text)]
    if reports:
        named = {name for names in reports for name in names}
        return tuple(name for name in known if name in named)
    mentioned = {name for text in said for name in _NAME.findall(text)}
    return tuple(name for name in known if name in mentioned) or None


def _texts(step: Step) -> Iterator[str]:
    """What was answered, and what the model wrote beside a call."""
    yield spelt(step.action)
    if step.agent_call is not None and not isinstance(step.action, str):
        yield step.agent_call.reply.text


def _reports(text: str) -> Iterator[Sequence[str]]:
    for line in text.splitlines() if '"used"' in text else ():
        if len(line) > MAX_LINE or not line.strip().startswith("{"):
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and set(found) == {"used"}:
            yield _names(found["used"])


def _names(told: object) -> Sequence[str]:
    if isinstance(told, str):
        return _NAME.findall(told)
    return [bare(each) for each in told if isinstance(each, str)] if isinstance(told, list) else ()
