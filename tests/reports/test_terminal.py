import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from rung.reports import terminal

from .samples import SAMPLES

EVERY = pytest.mark.parametrize("name", SAMPLES)


def printed(name: str, width: int = 80) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(terminal.terminal(SAMPLES[name]))
    return console.file.getvalue().splitlines()


@EVERY
def test_the_terminal_summary_fits_a_terminal(name: str):
    found = printed(name)
    assert len(found) <= 32
    assert max(map(len, found)) <= 80


def test_the_terminal_shows_each_arm_with_gain_interval_and_mark():
    text = "\n".join(printed("full"))
    assert "▲ +0.31" in text
    assert "[0.22,0.40]" in text
    assert "2 other things weaken it" in text


def test_the_terminal_names_what_is_missing():
    said = "incomplete: 3 holes, the first: arm broken: 640 of 640"
    assert any(line.startswith(said) for line in printed("faulted", 140))


@pytest.mark.parametrize(("name", "repeats"), [("full", "A_0 ×3, A_T ×1"), ("one_lineage", "A_0 ×1, A_T ×1")])
def test_the_size_of_the_study_stands_in_one_line(name: str, repeats: str):
    (line,) = (line for line in printed(name) if "exam tasks" in line)
    assert f"80 exam tasks ({repeats}), scripted agents" in line


def test_one_lineage_says_on_which_end_state_it_speaks():
    assert "one lineage: every claim is about this end state only" in printed("one_lineage")
    assert "this end state" not in "".join(printed("full"))


def test_the_first_weakness_is_printed_whole_and_the_others_are_counted():
    long = f"The exam secret is fixed: {'so it is ' * 20}for phantoms only."
    report = replace(SAMPLES["full"], weaknesses=(long, "a", "b"))
    text = terminal.text(report)
    assert long in " ".join(text.split())
    assert "2 other things weaken it" in text


def test_endings_out_of_order_stand_at_the_top_by_stage():
    assert "main: improving 192 crashed of 192; examining 627 crashed, 3 stopped of 640" in printed("crashing")
    assert any(line.endswith("all ended in order") for line in printed("full"))


def test_the_truth_stands_below_each_name_and_is_counted():
    text = "\n".join(printed("full"))
    assert "\nchooser" in text
    assert "\n+ 0 0 0 0" in text
    assert "truth: 39 of 40 rows agree; 1 missed: chooser G3" in text
    assert "truth" not in "".join(printed("crashing"))


def test_a_word_at_odds_with_its_interval_has_a_footnote():
    text = "\n".join(printed("at_odds", 100))
    assert "○ +0.30*" in text
    assert "× +0.30†" in text
    assert "◇ +0.01‡" in text
    assert "* the interval excludes 0, but tasks are few and the exact test does not agree" in text
    assert "† an interval and no verdict: two lineages: no verdict" in text


def test_an_unfinished_run_says_how_far_it_is_and_how_to_go_on():
    found = printed("unfinished")
    assert "unfinished: 800 of 3,200 attempts (25%)" in found
    assert "810 attempts (800 of the plan, 7 trials, 3 reruns)" in found
    assert "to resume: run the same command again" in found
    assert any("◇ incomplete" in line and "not estimable" not in line for line in found)
    console = Console(width=80, file=io.StringIO())
    console.print(terminal.terminal(SAMPLES["unfinished"], resume="rung run a.toml"))
    assert "to resume: rung run a.toml" in console.file.getvalue()


def test_functions_are_not_called_live_agents():
    assert any(line.endswith("functions of yours") for line in printed("crashing"))


@pytest.mark.parametrize("width", [80, 100, 140])
def test_numbers_of_every_size_keep_to_their_columns(width: int):
    found = printed("sizes", width)
    assert max(map(len, found)) <= width
    text = "\n".join(found)
    assert "0.000 " in text
    assert "e-" not in text
    assert re.search(r"○ −1\.23e12", text)
    assert "[−9.87e12," in text


def test_nothing_foreign_steers_the_terminal():
    assert not re.search("[\x00-\x08\x1b\u202e]", "\n".join(printed("hostile")))
