"""The game that authors are told to copy: it keeps every promise, and looks as its transcript says."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from rung.core.seeds import Seed
from rung.core.values import Call
from rung.protocols import wiring
from rung.testing.contracts import SUITES, FamilyCase, examine, run_suite
from rung.testing.transcripts import transcript

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = "rung tasks transcript peak-v1 --setting d1"


@pytest.fixture
def peak() -> FamilyCase:
    from rung.core import registry
    from rung.tasks import keys

    known = wiring.family_in(EXAMPLES / "peak_v1")
    return FamilyCase(registry.family(known), keys.key(known))


def test_the_example_game_keeps_every_promise(peak):
    assert [finding for finding in run_suite("families", peak) if not finding.passed] == []


def test_the_example_game_looks_and_plays_as_its_transcript_says(peak, request):
    path = EXAMPLES / "transcripts" / "peak-v1" / "d1.txt"
    seen = asyncio.run(transcript("peak-v1", "d1", written_by=COMMAND))
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(seen, encoding="utf-8")
    assert seen == path.read_text(encoding="utf-8")


def test_the_example_game_is_short_and_borrows_nothing():
    texts = [file.read_text("utf-8") for file in (EXAMPLES / "peak_v1").glob("*.py")]
    assert sum(text.count("\n") for text in texts) < 150
    assert not any("rung.testing" in text for text in texts)


def test_a_plain_number_may_be_a_legal_answer_and_score(peak):
    task = peak.tasks[0]
    legal = peak.family.parse("42")
    assert isinstance(legal, Call)
    assert peak.replay(task, [legal]).evaluation.score > 0


def test_a_hostile_text_that_is_right_by_luck_is_no_finding(peak):
    check = next(check for check in SUITES["families"] if check.__name__ == "hostile_text_never_wins")
    seeds = (Seed(f"luck {n}") for n in range(10_000))
    lucky = next(case for seed in seeds if wins_with_42(case := replace(peak, seed=seed)))
    assert examine(check, lucky).passed


def wins_with_42(case):
    task = case.family.draw(case.settings[0], case.seed_of(case.settings[0], 0, 0))
    return case.key.admit(task) and case.replay(task, [Call("guess", {"place": 42})]).evaluation.success
