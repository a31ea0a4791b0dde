import io
import re

import pytest
from rich.console import Console

from rung.reports import terminal

from .samples import SAMPLES

EVERY = pytest.mark.parametrize("name", SAMPLES)


def printed(name: str, width: int = 80) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(terminal.terminal(SAMPLES[name]))
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


@EVERY
def test_the_terminal_summary_fits_a_terminal(name: str):
    found = printed(name)
    assert len(found) <= 26
    assert max(map(len, found)) <= 80


def test_the_terminal_shows_each_arm_with_gain_interval_and_mark():
    text = "\n".join(printed("full"))
    assert "▲ +0.31" in text
    assert "[0.22,0.40]" in text
    assert "3 things weaken this" in text


def test_the_terminal_names_what_is_missing():
    assert any(line.startswith("incomplete: arm broken: 640 of 640") for line in printed("faulted", 140))


@pytest.mark.parametrize(("name", "repeats"), [("full", "A_0 ×3, A_T ×1"), ("one_lineage", "A_0 ×1, A_T ×1")])
def test_the_size_of_the_study_stands_in_one_line(name: str, repeats: str):
    (line,) = (line for line in printed(name) if "exam tasks" in line)
    assert f"80 exam tasks ({repeats}), scripted agents" in line


def test_one_lineage_says_on_which_end_state_it_speaks():
    assert "one lineage: every claim is about this end state only" in printed("one_lineage")
    assert "this end state" not in "".join(printed("full"))


def test_nothing_foreign_steers_the_terminal():
    assert not re.search("[\x00-\x08\x1b\u202e]", "\n".join(printed("hostile")))
