"""The first minutes of a newcomer: an empty folder, four commands, and what they print."""

import json
import re


def test_init_run_report_digest_work_at_once(shell, tmp_path):
    begun = shell("init")
    assert begun.exit == 0
    next_command = re.search(r"^next: rung (.*)$", begun.out, re.MULTILINE)[1]

    ran = shell(*next_command.split())
    assert (ran.exit, ran.out.count("Traceback")) == (0, 0)
    assert ran.out.startswith("my first ladder\n1 arm, 5 lineages, 48 exam tasks (A_0 ×3, A_T ×1)")
    assert ran.err.splitlines()[-1] == "704 of 704 attempts, 0 faults"
    page = tmp_path / re.search(r"^report: (.*)$", ran.out, re.MULTILINE)[1]
    assert "my first ladder" in page.read_text()

    reported = shell("report", "runs/my-first-ladder")
    assert reported.out == ran.out
    measured = json.loads(shell("report", "runs/my-first-ladder", "--json").out)
    gains = {rung["level"]: rung["gain"] for rung in measured["arms"][0]["rungs"]}
    assert list(gains) == ["G0", "G1", "G2"]
    # the exam is drawn anew each time: 0.3 on G0 and 0.27 to 0.52 on G1 in ten runs
    assert gains["G0"]["value"] > 0.1, "what the stub noted of a crop is worth something on the farm it was noted on"
    assert gains["G1"]["value"] > 0.05, "what the stub learns of crops carries to new farms"
    assert measured["incomplete"] == []

    digest = shell("digest", "runs/my-first-ladder")
    assert digest.out == f"{measured['digest']}\n"
    again = shell(*next_command.split())
    assert again.out == ran.out
    assert shell("digest", "runs/my-first-ladder") == digest


def test_the_demo_of_the_readme_is_a_config_that_draws(shell, pytestconfig):
    demo = pytestconfig.rootpath / "examples" / "demo.toml"
    assert shell("tasks", "generate", str(demo), "--set", "lineages=1").exit == 0
