"""A config says what it means, or is refused in one sentence that names key, value and mend."""

import json
from pathlib import Path
from typing import Any

import pytest

from rung.core.config import parse, read
from rung.core.errors import UsageError

PLAIN: dict[str, Any] = {
    "name": "study",
    "protocol": "ladder",
    "agent": {"kind": "phantom:general"},
    "method": {"name": "phantom"},
    "tasks": {
        "schedule": [{"family": "toy-lock-v1", "difficulty": 1, "count": 4}],
        "holdout": [{"family": "toy-lock-v1", "difficulty": 1, "count": 4}],
    },
}


def changed(key: str, value: object) -> dict[str, Any]:
    document = json.loads(json.dumps(PLAIN))
    *parents, last = key.split(".")
    table = document
    for parent in parents:
        table = table.setdefault(parent, {})
    table[last] = value
    return document


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", True),
        ("seed", 1.0),
        ("seed", 2**63),
        ("tasks.holdout_seed", 1.0),
        ("tasks.random", "yes"),
        ("tasks.repeat", 1),
        ("lineages", 0),
        ("lineages", "5"),
        ("exam.repeats", 0),
        ("exam.secret", ""),
        ("engine.concurrency", 0),
        ("name", ""),
        ("name", "../up"),
        ("budget.usd", "5"),
        ("budget.task.steps", 0),
        ("budget.warn_at", 0),
        ("budget", {"dollars": 5}),
        ("agent.model", "no provider"),
        ("models", {"a/b": {"key": "never in a config"}}),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_its_key(key: str, value: object):
    with pytest.raises(UsageError, match=key.rsplit(".", 1)[-1]):
        parse(changed(key, value))


def test_a_model_without_its_provider_is_shown_how_one_is_named():
    with pytest.raises(
        UsageError, match=r"agent\.model: a model is named provider/name, seen 'gpt-5-mini'; write .openai/gpt-5-mini."
    ):
        parse(changed("agent.model", "gpt-5-mini"))


def test_a_plan_beyond_reason_is_refused_before_it_is_drawn():
    block = {"family": "toy-lock-v1", "difficulty": 1, "count": 1_000_000}
    with pytest.raises(UsageError, match="draws 5,000,004 tasks, more than 1,000,000"):
        parse(changed("tasks.schedule", [block]))


def test_a_key_that_stands_twice_is_refused_in_json_too(tmp_path: Path):
    file = tmp_path / "twice.json"
    file.write_text('{"seed": 1, "seed": 2}')
    with pytest.raises(UsageError, match="'seed' stands twice"):
        read(file)


@pytest.mark.parametrize("text", ["seed = " + "9" * 5000, "x = " + "[" * 100_000])
def test_what_a_parser_chokes_on_is_no_bug_of_ours(tmp_path: Path, text: str):
    (tmp_path / "a.toml").write_text(text)
    (tmp_path / "b.json").write_text(json.dumps(PLAIN))
    with pytest.raises(UsageError, match="not valid TOML"):
        read(tmp_path / "a.toml")
    with pytest.raises(UsageError, match="--set"):
        read(tmp_path / "b.json", overrides=[text.replace(" ", "")])


@pytest.mark.parametrize(
    ("file", "arm"), [("été.py", "t"), ("my_agent.py", "my-agent"), ("日.py", "main"), ("exam.py", "main")]
)
def test_the_only_arm_is_named_after_its_method(file: str, arm: str):
    assert parse(changed("method.name", file)).every_arm()[0].name == arm


CELL: dict[str, Any] = {
    **{key: value for key, value in PLAIN.items() if key != "method"},
    "protocol": "cell",
    "agent": {"kind": "command:claude-code", "model": "scripted/worker"},
}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("cell", 3, "cell: is a section with keys of its own, seen 3"),
        ("cell.before", "both", "cell.before: is 'shared' or 'fresh', seen 'both'; give one of these"),
        ("cell.sentinels", -1, "cell.sentinels: is at least 0, seen -1; raise it"),
        ("cell.idle_seconds", 0, "cell.idle_seconds: is above 0, seen 0; raise it"),
        ("cell.same_calls", 2, "cell.same_calls: is at least 3, seen 2; raise it"),
        ("cell.refusal", "zero", "cell.refusal: is 'score' or 'fault', seen 'zero'; give one of these"),
        ("cell.beforr", "x", "cell: unknown key 'beforr' (seen: 'x'); did you mean 'before'?"),
        ("sandbox.memry_mb", 5, "sandbox: unknown key 'memry_mb' (seen: 5); did you mean 'memory_mb'?"),
        ("sandbox.processes", "many", "sandbox.processes: is a whole number, seen 'many'; write one, such as 3"),
        ("network.mode", "open", "network.mode: is 'gateway' or 'allowlist', seen 'open'; give one of these"),
        ("network.mode", "allowlist", "network: mode = 'allowlist' with allow = []: hosts are listed for"),
        ("network.allow", "pypi.org", "network.allow: is a list, in brackets, seen 'pypi.org'"),
        ("network.allow", ["a b"], "network.allow[0]: a host is named as api.example, or *.example for all below it"),
        ("agent.kind", "chat", "protocol = \"cell\" measures an agent program, seen agent.kind = 'chat'; give kind ="),
        (
            "agent.model",
            "claude",
            "agent.model: a model is named provider/name, seen 'claude'; write \"anthropic/claude\"",
        ),
        (
            "method",
            {"name": "static"},
            'protocol = "cell" has no method, for the agent improves itself; remove [method]',
        ),
        ("tasks.repeat", True, 'protocol = "cell" serves no task twice; remove replay and repeat from [tasks]'),
    ],
)
def test_what_is_wrong_in_a_cell_is_said_by_key_value_and_mend(key: str, value: object, said: str):
    document = json.loads(json.dumps(CELL))
    *parents, last = key.split(".")
    table = document
    for parent in parents:
        table = table.setdefault(parent, {})
    table[last] = value
    with pytest.raises(UsageError) as refused:
        parse(document)
    assert said in str(refused.value)


@pytest.mark.parametrize("section", ["cell", "sandbox", "network"])
def test_sections_of_programs_are_refused_in_a_ladder(section: str):
    other = {"cell": {"sentinels": 1}, "sandbox": {"memory_mb": 5}, "network": {"provider_tools": "allow"}}[section]
    with pytest.raises(UsageError, match=f"{section}.* goes with protocol = .cell. alone"):
        parse({**PLAIN, section: other})
