"""The `Score:` contract (S3Gym, section 3 and Appendix A.1): with each action, an agent judges what it will earn.

A game owns its rules and its syntax of actions; this is put around them where `tasks.self_score = true`. In words it is
the end of the answer's last line, `Answer: ACTION, Score: 0.5`; in a typed call it is one more argument. What the agent
says is recorded beside the reward that the step had, and decides nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from rung.core.canonical import JSON
from rung.core.values import Action, Call, Tool

ARGUMENT = "self_score"
WORDS = (
    "Besides, judge your own action. End the last line of your reply with: , Score: NUMBER\n"
    "NUMBER is the reward that you expect this action to earn at this step by the rules above. A typed call says it as "
    f"{ARGUMENT}. It is noted, and changes nothing in the game."
)
LAST_LETTERS = 400
"""How far from its end a reply is searched for the score."""

_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12}"
_SCORE = re.compile(
    rf"(?<![A-Za-z0-9])score[ \t*_`]*[:=][ \t*_`]*(?P<sign>[-+\u2212]?)(?P<number>{_NUMBER})"
    r"(?:e(?P<power>[-+]?[0-9]{1,2})|/(?P<divisor>[0-9]{1,12}))?[ \t*_`.)]*$",
    re.I | re.A,
)
_WORD = re.compile(r"(?<![A-Za-z0-9])score[ \t*_`]*[:=]", re.I | re.A)
_ANSWER = re.compile(r"[\W_]*(?:(?:my\s+)?final\s+)?answer\b", re.I)


def with_words(rules: str) -> str:
    """The rules of a game, and the contract after them."""
    return f"{rules}\n\n{WORDS}"


def with_argument(tool: Tool) -> Tool:
    """A tool that takes one more argument; it may be left out.

    >>> with_argument(Tool("go", "Go.", {"type": "object", "properties": {}})).parameters["properties"]
    {'self_score': {'type': 'number'}}
    """
    known = cast(Mapping[str, JSON], tool.parameters.get("properties", {}))
    return replace(tool, parameters={**tool.parameters, "properties": {**known, ARGUMENT: {"type": "number"}}})


def heard(action: Action) -> Action:
    """An action with what its answer says of its own score. What was given beside the answer stands.

    >>> heard(Action("I go left.\\nAnswer: LEFT, Score: 0.5")).self_score
    0.5
    >>> heard(Action(Call("go", {"to": "left", "self_score": "high"}))).self_score is None
    True
    """
    if action.self_score is not None:
        return action
    if isinstance(action.answer, str):
        return replace(action, self_score=_in(action.answer))
    said = action.answer.arguments.get(ARGUMENT)
    return replace(action, self_score=said if isinstance(said, int | float) and not isinstance(said, bool) else None)


def why_none(answer: Call | str) -> str:
    """Why no score was heard in an answer, for who reads the record.

    >>> why_none("Answer: LEFT, Score: quite good")
    "its score is no number: 'quite good'"
    >>> why_none("Answer: LEFT")
    'it says no score'
    """
    if isinstance(answer, Call):
        said = answer.arguments.get(ARGUMENT)
        return "it says no score" if said is None else f"its score is no number: {said!r:.60}"
    lines = answer[-LAST_LETTERS:].splitlines()
    line = next((each for each in reversed(lines) if _ANSWER.match(each)), lines[-1] if lines else "")
    word = _WORD.search(line)
    return "it says no score" if word is None else f"its score is no number: {line[word.end() :].strip()!r:.60}"


def unsaid(text: str) -> str:
    """An answer without the score at its end.

    >>> unsaid("I go left.\\nAnswer: LEFT, Score: 0.5")
    'I go left.\\nAnswer: LEFT'
    """
    found = _SCORE.search(text, max(0, len(text) - LAST_LETTERS))
    return text if found is None else text[: found.start()].rstrip(", \t*_`")


def without(call: Call) -> Call:
    """A typed call as the game knows it.

    >>> without(Call("go", {"to": "left", "self_score": 1}))
    Call(tool='go', arguments={'to': 'left'})
    """
    return Call(call.tool, {name: value for name, value in call.arguments.items() if name != ARGUMENT})


def _in(text: str) -> float | None:
    """What the last answer line says, or where there is none the last line that ends in a score."""
    lines = text[-LAST_LETTERS:].splitlines()
    answers = [line for line in lines if _ANSWER.match(line)]
    for line in reversed(answers[-1:] or lines):
        found = _SCORE.search(line)
        if found is not None:
            return _number(found)
    return None


def _number(found: re.Match[str]) -> float | None:
    size = float(found["number"]) * 10.0 ** int(found["power"] or 0)
    divisor = int(found["divisor"] or 1)
    if divisor == 0:
        return None
    return (-size if found["sign"] in ("-", "\u2212") else size) / divisor
