"""What an agent said, as data: bounded, plain, and spelled in one way, so that what is played is what is recorded."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import cast

from rung.core.canonical import JSON, canonical
from rung.core.errors import UsageError
from rung.core.values import Action, Call, Invalid

MAX_ANSWER = 1 << 20
"""Characters of an answer that are looked at; a longer text is invalid and kept up to here."""

MAX_DEPTH = 64
"""Levels of nesting in a call's arguments; deeper ones are invalid."""

MALFORMED = Call("", {})
"""What is recorded of a typed call that is not plain finite JSON."""

TOO_LONG = Invalid(f"the answer is longer than {MAX_ANSWER} characters")
NOT_PLAIN = Invalid(
    f"the call's name or arguments are not plain finite JSON of at most {MAX_DEPTH} levels and {MAX_ANSWER} characters"
)


def tidy(action: Action) -> tuple[Action, Invalid | None]:
    """The action as it is recorded, and why it is no answer at all, if so. Tidying again changes nothing.

    >>> tidy(Action("half a pair: \\ud800", self_score=float("nan")))
    (Action(answer='half a pair: ?', self_score=None, model_call=None), None)
    >>> tidy(Action(Call("answer", {"value": (1, 2)})))[0].answer.arguments
    {'value': [1, 2]}
    """
    answer, guess = action.answer, _finite(action.self_score)
    if isinstance(answer, str):
        text = str.__getitem__(answer, slice(MAX_ANSWER + 1)).encode("utf-8", "replace").decode()
        return Action(text, guess, action.model_call), TOO_LONG if len(text) > MAX_ANSWER else None
    call = _plain(answer)
    return Action(call or MALFORMED, guess, action.model_call), None if call else NOT_PLAIN


def _plain(call: Call) -> Call | None:
    """The call with its arguments as JSON has them; None when they cannot be had."""
    try:
        call.tool.encode()
        text = canonical(call.arguments)
        text.encode()
        plain = json.loads(text)
    except (UsageError, TypeError, ValueError, RecursionError, AttributeError):
        return None
    fits = isinstance(plain, dict) and len(text) + len(call.tool) <= MAX_ANSWER and _shallow(plain, MAX_DEPTH)
    return Call(str(call.tool), cast(Mapping[str, JSON], plain)) if fits and call.tool else None


def _shallow(value: object, left: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left >= 0 and all(_shallow(each, left - 1) for each in inside)


def _finite(score: object) -> float | None:
    """An agent's guess of its score; what is no finite number is no guess."""
    if score is None:
        return None
    try:
        number = float(cast(float, score))
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
