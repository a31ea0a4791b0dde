"""Every candidate is held to its method's surface: what is not allowed is a fact, and the study goes on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from rung.core.ports import RefineContext
from rung.core.surface import Surface
from rung.core.values import Candidate, FeedbackResult, Setting, State, Step, Task
from rung.protocols import surface
from rung.protocols.surface import Held

from .studies import Learns, Ran, arm, child, config, ran

WORK = [f"main/L1/work/{place:04d}" for place in range(1, 5)]


@dataclass(frozen=True)
class Narrow(Learns):
    """A method that says what it may change."""

    surface: Any = field(default_factory=lambda: Surface(write=("agent/skill", "agent/*.py"), file_bytes=100, files=4))


def refused(found: Ran, path: str = WORK[0]) -> list[str]:
    """The kinds of all violations of one refinement."""
    told = found.fact(path, "refined").get("refused", [])
    return [wrong["kind"] for each in told for wrong in each["violations"]]


def made(refiner: Callable[[RefineContext], Any], **how: Any) -> Ran:
    return ran(config(), arm(Narrow(refiner, **how)))


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"other.md": "x"}, "path"),
        ({"a b\u202e.py": "x = 1"}, "name"),
        ({"skill": "x" * 101}, "size"),
        ({"a.py": "def f(:"}, "syntax"),
        ({"a.py": "import socket"}, "import"),
        ({"a.py": "eval('1')"}, "dynamic"),
        ({"a.py": "1", "b.py": "1", "c.py": "1"}, "count"),
    ],
)
def test_a_candidate_off_the_surface_is_refused_recorded_and_the_study_goes_on(files: Mapping[str, str], kind: str):
    found = made(lambda context: [replace(child(context, **files), manifest={"why": "to try"})])
    assert [refused(found, path) for path in WORK] == [[kind]] * 4
    told = found.fact(WORK[0], "refined")
    assert told["candidates"] == []
    assert (told["refused"][0]["number"], told["refused"][0]["manifest"]) == (0, {"why": "to try"})
    assert found.fact(WORK[0], "selected") == {
        "chosen": None,
        "snapshot": found.fact("main", "initial")["snapshot"],
        "reason": "nothing was proposed",
    }
    assert "fault" not in told


def test_a_file_taken_away_that_may_not_go_is_refused():
    found = made(lambda context: [Candidate(context.snapshot, State(context.state.part("agent").files))])
    assert refused(found) == ["path"]


def test_of_several_candidates_only_the_one_off_the_surface_is_refused_and_the_others_are_tried():
    found = made(lambda c: [child(c, other="x"), child(c, skill="good")], trials=1)
    told = found.fact(WORK[0], "refined")
    assert [each["number"] for each in told["refused"]] == [0]
    assert len(told["candidates"]) == 1
    assert found.files(found.fact(WORK[0], "selected")["snapshot"])["agent/skill"] == b"good"


def test_a_method_that_says_nothing_has_the_usual_surface():
    found = ran(config(), arm(Learns(lambda context: [child(context, **{"a.md": "x", "b.py": "import socket"})])))
    assert refused(found) == ["import"]


def test_a_surface_that_is_none_is_the_methods_fault():
    found = made(lambda context: [child(context, skill="good")], surface=("agent/**",))
    assert "surface is a rung.core.surface.Surface" in found.fact(WORK[0], "refined")["fault"]["detail"]


def test_what_was_there_before_refuses_nothing():
    before = State({"agent/old.py": b"def f(:", "agent/other.md": b"x" * 500})
    after = Candidate("a", before.with_files({"agent/skill": b"good"}))
    assert surface.violations(before, after, Surface(), Held(), "main/L1") == ()


def test_a_control_is_held_to_paths_and_sizes_alone():
    before = State({})
    random_letters = Candidate("a", State({"agent/a.py": b"qwe rty(", "agent/b.md": TASK.id.encode()}))
    assert surface.violations(before, random_letters, Surface(imports=None), None, "") == ()
    outside = Candidate("a", State({"agent/x": b"x" * 200}))
    assert [each.kind for each in surface.violations(before, outside, Surface(file_bytes=9), None, "")] == ["size"]


# --------------------------------------------------------------------------------------------- what was held in

TASK = Task("toy-lock-v1", Setting("d1"), "ab" * 32, {}, "c", 3)


def named(text: str) -> list[str]:
    held = Held()
    held.meet(TASK)
    return [each.kind for each in surface.violations(State(), _with(text), Surface(), held, "main/L1")]


def _with(text: str) -> Candidate:
    return Candidate("a", State({"agent/notes.md": text.encode()}))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"The task {TASK.id} wants 7.", ["identifier"]),
        (f"x{TASK.id[-20:].upper()}", ["identifier"]),
        (f"seed={'ab' * 32}", ["identifier"]),
        (f"{'0' * 30}{TASK.id[-20:]}{'1' * 30}", ["identifier"]),
        (TASK.id[-19:], []),
        ("toy-lock-v1 d1 wants care", []),
        ("0" * 64, []),
    ],
)
def test_a_task_or_its_seed_may_not_be_named(text: str, kinds: list[str]):
    assert named(text) == kinds


def test_a_study_knows_its_plan_its_exam_and_the_seed_in_hand():
    names: list[str] = []

    def refine(context: RefineContext) -> Any:
        return [child(context, skill=names.pop(0))] if names else []

    once = ran(config(), arm(Learns()))
    plan = [fact.value["task"] for fact in once.journal.facts(under="plan", kind="task")]
    names += [plan[-1], once.fact("plan", "exam")["id"], once.fact("plan/L1/0004", "entry")["task"]]
    found = ran(config(), arm(Learns(refine)))
    assert [refused(found, path) for path in WORK] == [["identifier"]] * 3 + [[]]


def told(*actions: str, family: str = "toy-lock-v1") -> FeedbackResult:
    steps = tuple(Step(n, "", (), action, "") for n, action in enumerate(actions))
    return FeedbackResult("h", {"family": family, "rules": ""}, steps, None)


class Log:
    def __init__(self, *all_told: FeedbackResult) -> None:
        self.all = all_told

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, index: int) -> FeedbackResult:
        return self.all[index]


def repeated(text: str, *actions: str) -> bool:
    held = Held()
    held.hear("main/L1", Log(told(*actions)))
    return held.repeated("main/L1", surface._plain(text))


NUMBERS = ["31", "415", "92", "653", "589", "793", "238", "462", "643", "383", "279", "502", "884", "197", "169", "399"]


def test_a_long_answer_may_not_be_repeated_however_it_is_spelt():
    actions = [f"Answer: {number}" for number in NUMBERS]
    assert surface.answers(told(*actions)) == " ".join(NUMBERS)
    assert len(" ".join(NUMBERS)) == 61
    for text in (" ".join(NUMBERS), "[" + ", ".join(NUMBERS) + "]", "a\\n" + "\\n".join(NUMBERS)):
        assert repeated(text, *actions)


def test_less_than_sixty_characters_of_it_may_be():
    actions = [f"Answer: {number}" for number in NUMBERS]
    assert not repeated(" ".join(NUMBERS[:-1]), *actions)
    assert not repeated(" ".join(reversed(NUMBERS)), *actions)


def test_what_an_agent_says_around_its_answer_is_no_answer():
    thinking = "I look at the lock and see that the number shown is one more than what the rules ask me for. " * 3
    assert surface.answers(told(thinking)) == ""
    assert not repeated(thinking, thinking)


def test_a_word_that_is_very_long_is_found_wherever_it_is_cut():
    held = Held()
    long = "".join(chr(97 + (n * n) % 26) for n in range(300))
    held._answers["main/L1"] = {hash(each) for each in surface._windows(long)}
    assert held.repeated("main/L1", f"key {long[101:161]} end")
    assert not held.repeated("main/L1", f"key {long[101:160]}")
    assert not held.repeated("main/L2", long)


def test_a_candidate_that_repeats_an_answer_is_refused_in_a_study():
    held = Held()
    held.hear("main/L1", Log(told(*(f"Answer: {number}" for number in NUMBERS))))
    found = surface.violations(State(), _with("Remember: " + " ".join(NUMBERS)), Surface(), held, "main/L1")
    assert [each.to_json() for each in found] == [
        {
            "kind": "answer",
            "path": "agent/notes.md",
            "detail": "it repeats 60 characters or more of an answer given in a held-in task",
        }
    ]


def test_a_log_that_grows_is_read_once():
    read: list[int] = []

    class Counted(Log):
        def __getitem__(self, index: int) -> FeedbackResult:
            read.append(index)
            return super().__getitem__(index)

    held = Held()
    for many in (1, 3, 3):
        held.hear("main/L1", Counted(*[told("Answer: 1")] * many))
    assert read == [0, 1, 2]
