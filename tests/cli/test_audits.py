"""What the command line tells the audit that a journal alone does not."""

import json
from pathlib import Path

from rung.cli._audits import answers
from rung.store.run_directory import existing

CONFIG = """
name = "sums"
protocol = "ladder"
lineages = 1
seed = 3
[agent]
kind = "phantom:static"
[method]
name = "phantom"
[tasks]
holdout_seed = 1
schedule = [{ family = "./sums.jsonl", setting = "d1", count = 2 }]
holdout = [{ family = "./sums.jsonl", setting = "d1", count = 2 }]
"""


def test_the_answers_of_tasks_that_are_answered_in_words_are_told(rung):
    rows = [{"id": str(n), "prompt": f"{n} and {n}?", "check": {"number": 2 * n}, "split": "train"} for n in (30, 31)]
    rows += [{"id": str(n), "prompt": f"{n} and {n}?", "check": {"number": 2 * n}, "split": "test"} for n in (40, 41)]
    Path("sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("sums.toml").write_text(CONFIG)
    said = rung("run", "sums.toml", "--out", "out")
    assert said.exit == 0, said.out + said.err
    assert sorted(text for (text,) in answers(existing(Path("out"))).values()) == ["80", "82"]
