"""What ACE asks, keeps and tells, word for word: a story of three attempts for each variant.

The files are documentation and test in one; `pytest tests/methods --update-golden` writes them anew.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rung.core.canonical import canonical
from rung.core.values import State
from rung.testing.models import Scripted

from .ace_world import (
    NOTE,
    OTHER,
    START,
    VIEW,
    acted,
    add,
    curated,
    feedback,
    merge,
    refined,
    reflected,
    says,
    step,
    update,
)

FOLDER = Path(__file__).parent / "golden"
STORY = (
    (feedback(step(feedback="it was 9"), name="h-1", said="try harder"), ("I refuse.", reflected(), curated(add()))),
    (
        feedback(step(action='{"used": "strategies-00001"}\n9'), name="h-2", success=True, score=1.0),
        (
            reflected(("strategies-00001", "helpful"), happened="I worked it out.", cause="I followed the note."),
            curated(add(OTHER, "mistakes"), add(NOTE)),
        ),
    ),
    (
        feedback(step(), step(1, prompt="The lock shows 8.", action="[mistakes-00002] says 4"), name="h-3"),
        (
            reflected(("mistakes-00002", "harmful")),
            curated(update("strategies-00001", "Work it out step by step."), merge("Count.", "mistakes-00002", "x")),
            curated(update("strategies-00001", "Work it out step by step."), add("Read the rules twice.", "clues")),
        ),
    ),
)


def asked(model: Scripted) -> Iterator[str]:
    for number, request in enumerate(model.asked, 1):
        for message in request.messages:
            yield f"---- call {number}, {message.author}\n{message.text}"


def kept(state: State) -> Iterator[str]:
    for path, data in sorted(state.files.items()):
        yield f"---- {path}\n{data.decode().rstrip()}"


def story(variant: str) -> str:
    """Everything that is asked, kept and told over the attempts."""
    state, told = START, list[str]()
    for number, (attempt, replies) in enumerate(STORY, 1):
        model = says(*replies)
        (candidate,) = refined(model, attempt, state=state, variant=variant)
        state = candidate.state
        told += [f"======== attempt {number}", *asked(model), *kept(state)]
        told.append(f"---- manifest\n{canonical(candidate.manifest)}")
    return "\n".join([*told, "======== what the agent is told", acted(state, VIEW, variant=variant)[0], ""])


@pytest.mark.parametrize("variant", ["repaired", "faithful"])
def test_what_is_asked_kept_and_told_is_what_was_read(variant: str, request: pytest.FixtureRequest):
    file = FOLDER / f"ace_{variant}.txt"
    if request.config.getoption("--update-golden"):
        file.write_text(story(variant))
    assert file.read_text() == story(variant)
