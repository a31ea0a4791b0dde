"""Feedback shows what its lens lets through, and never what an exam's secrecy hangs on."""

import asyncio
import json
from dataclasses import asdict
from typing import Any, get_args

import pytest

from rung.core.values import FeedbackResult, Lens, Score
from rung.protocols import record
from rung.protocols.lens import through
from rung.store.memory import MemoryJournal

from . import small_study, stage
from .stage import WRONG, play, right, stream

LENSES = get_args(Lens)
PATH = "a/L1/work/0001"


@pytest.fixture
def told(box: Any, journal: MemoryJournal) -> FeedbackResult:
    """All that is known of an attempt: one right answer and one wrong."""
    asyncio.run(play(stream(journal), [right()[0], WRONG]))
    return record.read_feedback(journal, PATH)


def test_none_lets_nothing_through(told: FeedbackResult):
    assert through("none", told) is None


def test_full_lets_everything_through(told: FeedbackResult):
    assert through("full", told) == told
    assert told.evaluation is not None
    assert Score(told.evaluation.score) == Score(0.5)
    assert [step.score for step in told.trajectory] == [0.5, 0.0]


def test_a_hidden_verdict_hides_every_verdict_and_nothing_else(told: FeedbackResult):
    seen = through("verdict_hidden", told)
    assert seen is not None
    assert seen.evaluation is None
    assert {(step.score, step.success, step.feedback) for step in seen.trajectory} == {(None, None, None)}
    assert [(step.prompt, step.action, step.response) for step in seen.trajectory] == [
        (step.prompt, step.action, step.response) for step in told.trajectory
    ]
    assert (seen.id, seen.task) == (told.id, told.task)


def test_a_hidden_verdict_is_nowhere_in_the_text(told: FeedbackResult):
    verdict = "The right answer to"
    assert verdict in json.dumps(asdict(told))
    assert verdict not in json.dumps(asdict(through("verdict_hidden", told)))


@pytest.mark.parametrize("lens", LENSES)
def test_the_stream_answers_with_what_the_lens_shows(box: Any, journal: MemoryJournal, lens: Lens):
    last = asyncio.run(play(stream(journal, lens=lens), right()))[-1]
    assert last.done
    assert last.feedback == through(lens, record.read_feedback(journal, PATH))


@pytest.mark.parametrize("lens", LENSES)
def test_no_reply_before_the_end_holds_a_verdict(box: Any, journal: MemoryJournal, lens: Lens):
    first = asyncio.run(play(stream(journal, lens=lens), right()[:1]))[0]
    assert first.feedback is None
    assert "right answer to" not in json.dumps(asdict(first))


@pytest.mark.parametrize("lens", ["full", "verdict_hidden"])
def test_feedback_holds_neither_seed_nor_task_nor_snapshot(box: Any, journal: MemoryJournal, lens: Lens):
    given = stage.ticket(seed="a-seed-that-would-be-seen")
    last = asyncio.run(play(stream(journal, given, lens=lens), [WRONG, WRONG]))[-1]
    text = json.dumps(asdict(last))
    assert "box-v1" in text  # the search works
    for hidden in ("a-seed-that-would-be-seen", given.task.id, given.task.id.split(":")[2], given.snapshot, PATH):
        assert hidden not in text


def test_no_fact_of_a_study_holds_its_secret_or_a_seed_of_its_exam(study: MemoryJournal):
    everything = "\n".join(json.dumps(fact) for fact in study.facts())
    assert small_study.SECRET not in everything
    assert small_study.holdout_root().path not in everything


@pytest.fixture(scope="module")
def study() -> MemoryJournal:
    return small_study.in_memory()
