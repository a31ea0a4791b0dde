"""What the suites ask for stands in the guide, so that nobody learns of a rule from a broken check."""

from pathlib import Path

import pytest

from rung.testing.contracts import SUITES, sentence

GUIDE = (Path(__file__).parents[2] / "docs/guide/plugins.md").read_text("utf-8")
TITLES = {"families": "Games", "agents": "Agents", "methods": "Methods", "sources": "Source files of yours"}


@pytest.mark.parametrize("kind", TITLES)
def test_the_guide_states_every_promise_word_for_word(kind):
    section = GUIDE.split(f"\n### {TITLES[kind]}\n")[1].split("\n#")[0]
    stated = [line.removeprefix("- ") for line in section.splitlines() if line]
    assert stated == [sentence(check) for check in SUITES[kind]]
