"""What the guide says of files of tasks is what they are."""

import re
from pathlib import Path

import pytest

from rung.tasks.domains.files import lines
from rung.tasks.domains.files.load import load

GUIDE = (Path(__file__).parents[3] / "docs" / "guide" / "tasks-of-your-own.md").read_text("utf-8")


def test_the_lines_of_the_guide_are_tasks(tmp_path: Path):
    (tmp_path / "tickets.jsonl").write_text(re.search(r"```json\n(.*?)```", GUIDE, re.DOTALL)[1], "utf-8")
    family = load(tmp_path / "tickets.jsonl").family
    level = family.setting("d1")
    assert [len(family.pool(level, sealed=sealed)) for sealed in (False, True)] == [1, 1]


def test_the_guide_names_every_key_and_every_check():
    section = GUIDE.split("## A line")[1].split("## The answer")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [
        "id", "prompt", "check", "level", "split", "feedback", "answer",
    ]  # fmt: skip
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(lines.KEYS)
    checks = GUIDE.split("## Checks")[1].split("## Score or fault")[0]
    assert re.findall(r'^\| `\{"(\w+)"', checks, re.MULTILINE) == list(lines.OPTIONS)
    assert all(f'"{option}"' in checks for options in lines.OPTIONS.values() for option in options)


@pytest.mark.parametrize("number", [lines.HIGHEST_LEVEL, lines.commands.SECONDS, lines.commands.MOST_SECONDS])
def test_the_guide_names_the_limits(number: int):
    assert re.search(rf"\b{number}\b", GUIDE)
