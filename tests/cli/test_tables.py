"""Several studies of one file: all are looked at before the first of them costs anything."""

from pathlib import Path

import pytest

SEVERAL = """
name = "all"
protocol = "ladder"
lineages = 1

[agent]
kind = "phantom:general"

[method]
name = "phantom"

[exam]
baseline_repeats = 1

[tasks]
schedule = [{ family = "toy-lock-v1", difficulty = 1, count = 2 }]
holdout = [{ family = "toy-lock-v1", difficulty = 1, count = 2 }]

[[studies]]
name = "lock"

[[studies]]
name = "lamp"
tasks = { schedule = [{ family = "FAMILY", difficulty = 1, count = 2 }] }
"""
WRONG = "error: study 'lamp': tasks.schedule: no game named 'toy-lmap-v1'; did you mean 'toy-lamp-v1'?\n"


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_game_misspelt_in_the_second_study_is_said_before_the_first_is_run(rung, tmp_path: Path, dry):
    (tmp_path / "all.toml").write_text(SEVERAL.replace("FAMILY", "toy-lmap-v1"))
    said = rung("tables", "all.toml", "--out", "out", *dry)
    assert (said.exit, said.err) == (2, WRONG)
    assert not Path("out").exists()


def test_studies_that_can_be_are_run_each_in_its_folder(rung, tmp_path: Path):
    (tmp_path / "all.toml").write_text(SEVERAL.replace("FAMILY", "toy-lamp-v1"))
    assert rung("tables", "all.toml", "--out", "out").exit == 0
    assert sorted(path.name for path in Path("out").iterdir() if path.is_dir()) == ["lamp", "lock"]
