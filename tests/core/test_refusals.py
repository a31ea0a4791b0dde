"""Every value that a config refuses is named by key, as it was seen, with what to write in its place."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.core.refusals import named

BLOCK = {"family": "toy-lock-v1", "difficulty": 1, "count": 4}
LADDER: dict[str, Any] = {
    "name": "study",
    "protocol": "ladder",
    "agent": {"kind": "phantom:general"},
    "method": {"name": "phantom"},
    "tasks": {"schedule": [BLOCK], "holdout": [BLOCK]},
}
EXPLORE: dict[str, Any] = {
    "name": "study",
    "protocol": "explore",
    "agent": {"kind": "chat", "model": "scripted/echo"},
    "method": {"name": "history"},
    "explore": {"games": ["trust-v1"]},
}


def said(document: dict[str, Any], key: str, value: object) -> list[str]:
    document = json.loads(json.dumps(document))
    *parents, last = key.split(".")
    table: Any = document
    for parent in parents:
        table = table[int(parent)] if parent.isdigit() else table.setdefault(parent, {})
    table[int(last) if last.isdigit() else last] = value
    with pytest.raises(UsageError) as refused:
        parse(document)
    return str(refused.value).splitlines()


@pytest.mark.parametrize(
    ("document", "key", "value", "sentence"),
    [
        (LADDER, "lineages", "5", "is a whole number, seen '5'; write 5, without quotes"),
        (LADDER, "lineages", 5.0, "is a whole number, seen 5.0; write 5, without a point"),
        (LADDER, "lineages", 0, "is at least 1, seen 0; raise it"),
        (LADDER, "lineages", 2000, "is at most 1,000, seen 2000; lower it"),
        (LADDER, "seed", True, "is a whole number, seen True; write one, such as 3"),
        (LADDER, "tasks.random", "yes", "is true or false, seen 'yes'; write true or false, without quotes"),
        (LADDER, "budget.usd", "5", "is a number, seen '5'; write 5, without quotes"),
        (LADDER, "protocol", "laddr", "is 'ladder', 'cell' or 'explore', seen 'laddr'; did you mean 'ladder'?"),
        (LADDER, "exam.order", "x", "is 'interleaved' or 'fixed', seen 'x'; give one of these"),
        (LADDER, "exam.secret", "", "is empty, seen ''; give some text, or leave the key out where it has a default"),
        (LADDER, "tasks.holdout", [], "needs 1 at least, seen []; add one"),
        (
            LADDER,
            "name",
            "../up",
            "has letters, digits, spaces and . _ -, and begins with a letter or digit, seen '../up'; rename it",
        ),
        (LADDER, "agent", "chat", "is a section with keys of its own, seen 'chat'; give it as { key = value }"),
        (EXPLORE, "explore.games", [], "needs 1 at least, seen []; add one"),
        (EXPLORE, "explore.games", "trust-v1", "is a list, in brackets, seen 'trust-v1'; put it in [ ]"),
        (EXPLORE, "explore.episodes", 0, "is at least 1, seen 0; raise it"),
        (
            EXPLORE,
            "explore.judge",
            "gpt-5-mini",
            "a model is named provider/name, seen 'gpt-5-mini'; write \"openai/gpt-5-mini\"",
        ),
        (
            LADDER,
            "method.model",
            "claude-sonnet-4-5",
            "a model is named provider/name, seen 'claude-sonnet-4-5'; write \"anthropic/claude-sonnet-4-5\"",
        ),
    ],
)
def test_what_is_refused_is_said_by_key_value_and_mend(document, key: str, value: object, sentence: str):
    assert f"{key}: {sentence}" in said(document, key, value)


def test_a_section_of_a_model_without_its_provider_is_shown_how_one_is_named():
    sentence = "models.gpt-5: a model is named provider/name, seen 'gpt-5'; write \"openai/gpt-5\""
    assert sentence in said(LADDER, "models", {"gpt-5": {}})


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("gpt-5-mini", 'write "openai/gpt-5-mini"'),
        ("o4-mini", 'write "openai/o4-mini"'),
        ("gemini-2.5-pro", 'write "google/gemini-2.5-pro"'),
        ("smollm2", 'write "local/smollm2"'),
        ("GPT 5", 'write it such as "openai/gpt-5-mini" or "local/smollm2"'),
        ("mine", 'write it such as "openai/gpt-5-mini" or "local/smollm2"'),
    ],
)
def test_a_model_that_is_known_by_its_name_is_given_its_provider(name: str, mend: str):
    assert named(name) == mend


# --------------------------------------------------------------------------------------------- all of them

WRONG: tuple[Any, ...] = (
    None,
    -1,
    0,
    1.5,
    10**20,
    float("inf"),
    True,
    "",
    "x" * 300,
    "no such word",
    [],
    [3],
    {},
    {"nobody": 1},
)


def keys(model: type[BaseModel], where: str = "") -> Iterator[str]:
    """Every key of a config, of sections in sections too."""
    for name, field in model.model_fields.items():
        yield f"{where}{name}"
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys(inner, f"{where}{name}.")


IN_LISTS = ("tasks.schedule.0.family", "tasks.schedule.0.difficulty", "tasks.schedule.0.count", "tasks.schedule.0")


CASES = [
    *(("ladder", key) for key in (*sorted(keys(Config)), *IN_LISTS)),
    *(("explore", key) for key in sorted(keys(Config))),
]


@pytest.mark.parametrize(("protocol", "key"), CASES)
def test_no_key_refuses_a_value_of_another_kind_without_saying_what_to_do(protocol: str, key: str):
    for value in WRONG:
        try:
            lines = said(LADDER if protocol == "ladder" else EXPLORE, key, value)
        except pytest.fail.Exception:
            continue  # it is no fault here
        for line in lines:
            assert any(mend in line for mend in ("; ", ": give ")), line
            assert "input should" not in line.lower(), line
            assert not line.endswith("; change it"), line
