"""The 32 tags of the paper's Table 9, without a path to go by: a frozen test of what is told from words alone."""

import json
from pathlib import Path

from rung.findings.semantics.surface import surface

WORDS = {"Experience": "contextual artifact", "Harness": "execution harness"}
ROWS = json.loads((Path(__file__).parent / "table9.json").read_text("utf-8"))["refinements"]


def test_there_are_26_of_experience_and_6_of_the_harness():
    assert [sum(tag == each for _, _, tag, _ in ROWS) for each in WORDS] == [26, 6]


def test_nine_of_ten_surfaces_of_the_papers_examples_are_found_from_their_words():
    wrong = [text for _, _, tag, text in ROWS if surface(None, text) != WORDS[tag]]
    assert wrong == [  # in words these two do not differ from what the paper tags as experience
        "Verify the target's current state. After a failed mining attempt, try a different target face.",
        "Switch to excavation toward the resource when exploration stalls.",
    ]
    assert len(wrong) <= 0.1 * len(ROWS)
