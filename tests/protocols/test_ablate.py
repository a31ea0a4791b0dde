"""What carried a gain: agents whose gain lies in files, in the conversation or in both get exactly that attribution."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rung.core.confined import Departed, Ended
from rung.core.errors import UsageError
from rung.core.ports import Post
from rung.core.values import Action, Exit
from rung.methods.static import Static
from rung.protocols import ablate, launch
from rung.protocols.sittings import Keeps, Phase
from rung.protocols.study import Arm
from rung.reports import ladder
from rung.reports.values import Ablation
from rung.store.memory import MemoryJournal

from .studies import LOCK, Scripted
from .test_cell import config, right

State = dict[str, bool]
DONE = Departed(Ended("exited", status=0), clean=True, over=True)

CARRIERS: dict[str, tuple[Callable[[State], State], Callable[[State, int], bool]]] = {
    "files": (lambda state: {"files": True, "conversation": False}, lambda has, place: has["files"]),
    "conversation": (lambda state: {"files": False, "conversation": True}, lambda has, place: has["conversation"]),
    "either": (
        lambda state: {"files": True, "conversation": True},
        lambda has, place: has["files"] or has["conversation"],
    ),
    "half each": (
        lambda state: {"files": True, "conversation": True},
        lambda has, place: has["files" if place % 2 else "conversation"],
    ),
    "both together": (
        lambda state: {"files": True, "conversation": True},
        lambda has, place: has["files"] and has["conversation"],
    ),
    "nothing": (lambda state: {"files": True, "conversation": True}, lambda has, place: False),
}
"""What a session leaves, and whether a fork that has so much solves the task at this place."""


class Hand:
    """A program that is played, whose knowledge lies in pieces."""

    def __init__(self, kind: str) -> None:
        self.journal = MemoryJournal()
        self.leaves, self.solves = CARRIERS[kind]
        self.sat: list[str] = []

    def beginning(self) -> str:
        return self.kept({"files": False, "conversation": False})

    def kept(self, state: State) -> str:
        return self.journal.blob(json.dumps(state).encode())

    def reduced(self, snapshot: str, keeps: Keeps, conversation: bool) -> str:
        state = json.loads(self.journal.read_blob(snapshot))
        files = state["files"] and keeps("files", "home/notes.md")
        return self.kept({"files": files, "conversation": state["conversation"] and conversation})

    def driver(self, path: str, snapshot: str, phase: Phase) -> "Session":
        return Session(self, path, snapshot, phase)

    async def close(self) -> None: ...


class Session:
    def __init__(self, hand: Hand, path: str, snapshot: str, phase: Phase) -> None:
        self.hand, self.path, self.phase = hand, path, phase
        self.state = json.loads(hand.journal.read_blob(snapshot))

    async def run(self, post: Post) -> Exit:
        self.hand.sat.append(self.path)
        while (served := await post.stream.get_task()) is not None:
            place = int(self.path.split("/")[2]) if self.phase == "exam" else 0
            solves = self.phase == "exam" and self.hand.solves(self.state, place)
            await post.stream.answer(served.handle, right(served) if solves else Action("0"))
        left = self.hand.kept(self.hand.leaves(self.state)) if self.phase == "work" else None
        return Exit("departed", "", DONE, left)


def ablated(kind: str, *, lineages: int = 5, tasks: int = 8, carries: Any = None) -> tuple[Ablation, Hand]:
    hand = Hand(kind)
    tasks_section = {"schedule": [{**LOCK, "count": 2}], "holdout": [{**LOCK, "count": tasks}]}
    settings = config(lineages=lineages, tasks=tasks_section, exam={"repeats": 1, "baseline_repeats": 1})
    arm = Arm("command", Scripted(), Static(), hand=hand)
    hand.journal = launch.simulate(settings, secret="s", arms=(arm,), journal=hand.journal)
    protocol = partial(ablate.conduct, carries=carries or ablate.each(("conversation", "files")))
    launch.simulate(settings, secret="s", arms=(arm,), journal=hand.journal, protocol=protocol)
    found = ladder.read(hand.journal).ablation
    assert found is not None
    return found, hand


@pytest.mark.parametrize(
    ("kind", "carriers"),
    [
        ("files", ("files",)),
        ("conversation", ("conversation",)),
        ("either", ("conversation", "files")),
        ("half each", ("conversation", "files")),
        ("both together", ("conversation", "files")),
        ("nothing", ()),
    ],
)
def test_the_gain_is_attributed_to_what_carried_it(kind: str, carriers: tuple[str, ...]):
    found, _ = ablated(kind, tasks=24)
    assert [each.carriers for each in found.attributions] == [carriers]


def test_the_full_fork_is_not_examined_again_and_running_it_again_sits_nothing():
    _, hand = ablated("files")
    carried = [path for path in hand.sat if "+" in path]
    assert len(carried) == 5 * 8 * 5, "five lineages, eight tasks, five carries"
    assert len({path for path in hand.sat if path.startswith("exam/command.L1/")}) == 8
    assert len(set(hand.sat)) == len(hand.sat)


def test_each_row_says_what_it_gained_and_what_the_full_fork_has_more():
    found, _ = ablated("half each")
    rows = {row.carry: row for row in found.rows}
    assert (rows["only-files"].gained.value, rows["only-files"].lost.value) == (0.5, 0.5)
    assert (rows["no-files"].gained.value, rows["no-files"].lost.value) == (0.5, 0.5)
    assert (rows["nothing"].gained.value, rows["nothing"].lost.value) == (0.0, 1.0)


def test_the_exam_rows_of_the_cell_are_as_they_were():
    hand = Hand("files")
    arm = Arm("command", Scripted(), Static(), hand=hand)
    hand.journal = launch.simulate(config(), secret="s", arms=(arm,), journal=hand.journal)
    before = ladder.read(hand.journal).arms[0].rungs
    protocol = partial(ablate.conduct, carries=ablate.each())
    launch.simulate(config(), secret="s", arms=(arm,), journal=hand.journal, protocol=protocol)
    assert ladder.read(hand.journal).arms[0].rungs == before


@pytest.mark.parametrize(
    ("text", "name", "kept", "gone"),
    [
        ("files", "only-files", ("files", "home/a"), ("conversation", "home/.x/log")),
        ("-conversation", "no-conversation", ("files", "home/a"), ("conversation", "home/.x/log")),
        ("files, harness state", "only-files-harness-state", ("harness state", "home/.x"), ("cache", "home/c")),
        ("home/notes/**", "only-home-notes-", ("files", "home/notes/a/b.md"), ("files", "home/other.md")),
        ("none", "nothing", None, ("files", "home/a")),
    ],
)
def test_a_carry_is_read_from_a_command_line(text: str, name: str, kept: Any, gone: tuple[str, str]):
    found = ablate.carry(text)
    assert found.name.startswith(name)
    assert kept is None or found.keeps(*kept)
    assert not found.keeps(*gone)


@pytest.mark.parametrize("text", ["", "-", "notes", "file", " , "])
def test_a_carry_that_names_nothing_is_refused_with_the_mend(text: str):
    with pytest.raises(UsageError, match="--carry"):
        ablate.carry(text)


@pytest.mark.parametrize("kind", ["files", "conversation", "either"])
def test_over_twenty_lineages_the_attribution_is_exact(kind: str):
    found, _ = ablated(kind, lineages=20, tasks=24)
    wanted = {"files": ("files",), "conversation": ("conversation",), "either": ("conversation", "files")}
    assert [each.carriers for each in found.attributions] == [wanted[kind]]
