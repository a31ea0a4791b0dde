"""A file of tasks as a family: what an agent meets, what is dealt, and what nobody is shown."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rung.backends.sandbox.plain import Plain
from rung.core import registry
from rung.core.canonical import canonical
from rung.core.config import parse
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reference, Setting, Task
from rung.protocols import plan, wiring
from rung.tasks import keys, sequence
from rung.tasks.domains.files.game import FilesFamily, id_of
from rung.tasks.domains.files.load import Loaded, load
from rung.testing.contracts import SUITES, FamilyCase, examine

EXAMPLE = Path(__file__).parents[3] / "examples" / "tickets.jsonl"
PORTS = Ports(sandbox=Plain())


def many(folder: Path, name: str = "tickets.jsonl", **counts: int) -> Path:
    """A file in which `train1=3` stands for three tasks of split train and level 1."""
    rows = [
        {"id": f"{kind} {n}", "prompt": f"{kind} {n}?", "check": {"exact": f"yes {n}"}} | split_of(kind)
        for kind, count in counts.items()
        for n in range(count)
    ]
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def split_of(kind: str) -> dict[str, Any]:
    return {"split": kind[:-1], "level": int(kind[-1])}


def one(folder: Path, **changes: Any) -> Loaded:
    row = {"id": "a", "prompt": "The capital of France?", "check": {"exact": "Paris"}, **changes}
    (folder / "tickets.jsonl").write_text(json.dumps(row))
    return load(folder / "tickets.jsonl")


def task_of(family: FilesFamily) -> Task:
    return family.draw(family.setting("d1"), Seed("s"))


def worked(family: FilesFamily, *answers: str | Call, ports: Ports = PORTS) -> Evaluation:
    async def work() -> Evaluation:
        episode = await family.start(task_of(family), ports)
        for answer in answers:
            await episode.call(family.parse(answer) if isinstance(answer, str) else answer)
        return await episode.evaluate()

    return asyncio.run(work())


# --------------------------------------------------------------------------------------------- every promise


@pytest.fixture(scope="module")
def example() -> FamilyCase:
    known = wiring.family_in(EXAMPLE)
    return FamilyCase(registry.family(known), keys.key(known), ports=PORTS)


@pytest.mark.parametrize("check", SUITES["families"], ids=lambda check: check.__name__)
def test_the_example_keeps_every_promise_of_a_family(example: FamilyCase, check):
    finding = examine(check, example)
    assert finding.passed, f"{finding.sentence} {finding.detail}"


def test_the_example_has_both_splits_and_all_four_checks():
    items = load(EXAMPLE).family.pool
    rows = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]
    assert len(rows) == 10
    assert {next(iter(row["check"])) for row in rows} == {"exact", "regex", "number", "command"}
    assert [len(items(Setting("d1", {"level": 1}), sealed=sealed)) for sealed in (False, True)] == [4, 3]


# --------------------------------------------------------------------------------------------- answering


def test_the_whole_text_is_the_answer(tmp_path: Path):
    family = one(tmp_path).family
    assert family.parse(" Paris \n") == Call("answer", {"text": "Paris"})
    assert family.parse("two\nlines") == Call("answer", {"text": "two\nlines"})


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is on the Seine.\nAnswer: Paris", "Paris"),
        ("It is on the Seine.\n  ANSWER:   Paris  \n\n", "Paris"),
        ("Answer: Paris", "Paris"),
        ("Answer: Rome\nNo, Paris", "Answer: Rome\nNo, Paris"),
        ("Answer: Rome\nAnswer: Paris", "Paris"),
        ("My answer: Paris", "My answer: Paris"),
        ("Paris\nAnswer:", "Paris\nAnswer:"),
    ],
)
def test_what_follows_answer_on_the_last_line_is_the_answer(tmp_path: Path, text: str, answer: str):
    assert one(tmp_path).family.parse(text) == Call("answer", {"text": answer})


@pytest.mark.parametrize("text", ["", " \n\t", "half \ud800"])
def test_an_answer_in_which_nothing_can_be_read_is_none(tmp_path: Path, text: str):
    assert isinstance(one(tmp_path).family.parse(text), Invalid)


def test_one_call_ends_it_right_or_wrong(tmp_path: Path):
    family = one(tmp_path, feedback="On the Seine.").family
    right = Evaluation("completed", True, 1.0, {"invalid_answers": 0}, "On the Seine.")
    assert worked(family, "Paris") == right
    assert worked(family, Call("answer", {"text": "Paris"})) == right
    assert worked(family, "Paris", "Rome") == right
    assert worked(family, "Rome", "Paris") == Evaluation(
        "completed", False, 0.0, {"invalid_answers": 0}, "On the Seine."
    )
    assert worked(family, "", "Paris") == Evaluation("completed", False, 0.0, {"invalid_answers": 1}, "On the Seine.")
    assert worked(family) == Evaluation("cancelled", False, 0.0, {"invalid_answers": 0}, None)


def test_a_call_tells_no_verdict(tmp_path: Path):
    async def replies() -> set[object]:
        family = one(tmp_path, feedback="On the Seine.").family
        episodes = [await family.start(task_of(family), PORTS) for _ in range(2)]
        return {
            await episode.call(Call("answer", {"text": text}))
            for episode, text in zip(episodes, ("Paris", "Rome"), strict=True)
        }

    (reply,) = asyncio.run(replies())
    assert (reply.text, reply.done, reply.score, reply.success, reply.feedback) == (
        "The answer was taken.", True, None, None, None,
    )  # fmt: skip


def test_a_share_is_a_score_and_no_success(tmp_path: Path):
    (tmp_path / "half.py").write_text("print('score: 0.5')")
    family = one(tmp_path, check={"command": ["python3", "half.py"]}).family
    assert worked(family, "x") == Evaluation("completed", False, 0.5, {"invalid_answers": 0, "sandbox": "plain"})


def test_where_a_command_ran_is_on_record_and_where_none_ran_nothing_is(tmp_path: Path):
    (tmp_path / "yes.py").write_text("")
    family = one(tmp_path, check={"command": ["python3", "yes.py"]}).family
    assert worked(family, "x").metrics == {"invalid_answers": 0, "sandbox": "plain"}
    assert worked(family, "").metrics == {"invalid_answers": 1}


def test_a_check_is_asked_once_however_often_it_is_measured(tmp_path: Path):
    (tmp_path / "count.py").write_text(f"open({str(tmp_path / 'asked')!r}, 'a').write('x')")
    family = one(tmp_path, check={"command": ["python3", "count.py"]}).family

    async def measure() -> None:
        episode = await family.start(task_of(family), PORTS)
        await episode.evaluate()
        await episode.call(Call("answer", {"text": "x"}))
        assert await episode.evaluate() == await episode.evaluate()

    asyncio.run(measure())
    assert (tmp_path / "asked").read_text() == "x"


def test_without_a_sandbox_a_command_is_a_fault_before_anybody_is_asked(tmp_path: Path):
    (tmp_path / "yes.py").write_text("")
    family = one(tmp_path, check={"command": ["python3", "yes.py"]}).family
    with pytest.raises(InstrumentFault) as caught:
        worked(family, ports=Ports())
    assert caught.value.where == "sandbox"
    assert caught.value.detail == "tickets.jsonl, line 1: the check is a command, and there is no sandbox"


def test_a_check_that_breaks_is_a_fault_that_names_the_line(tmp_path: Path):
    (tmp_path / "dies.py").write_text("import os; os.abort()")
    family = one(tmp_path, check={"command": ["python3", "dies.py"]}).family
    with pytest.raises(InstrumentFault, match=r"check: tickets\.jsonl, line 1: the command was ended by a signal"):
        worked(family, "x")


def test_a_checker_is_the_one_that_was_read(tmp_path: Path):
    (tmp_path / "check.py").write_text("raise SystemExit(1)")
    family = one(tmp_path, check={"command": ["python3", "check.py"]}).family
    (tmp_path / "check.py").write_text("")
    assert worked(family, "x").score == 0


# --------------------------------------------------------------------------------------------- what only we know


def test_references_say_what_is_known(tmp_path: Path):
    known = [
        ({"check": {"exact": "Paris"}}, "optimal"),
        ({"check": {"number": 3}}, "optimal"),
        ({"check": {"regex": "P.*"}, "answer": "Paris"}, "gold"),
        ({"check": {"regex": "P.*"}}, "bound"),
    ]
    for changes, certificate in known:
        loaded = one(tmp_path, **changes)
        task = task_of(loaded.family)
        found = loaded.key.reference(task)
        assert found == Reference(1.0, certificate, "files-1", 0.0 if certificate == "optimal" else None)


def test_neither_check_nor_answer_is_in_what_is_shown_or_written_down(tmp_path: Path):
    (tmp_path / "check.py").write_text("raise SystemExit('xyzzy' not in open('answer.txt').read())")
    many_checks = [{"exact": "xyzzy"}, {"regex": "xyzzy"}, {"command": ["python3", "check.py", "xyzzy"]}]
    for check in many_checks:
        loaded = one(tmp_path, check=check, answer="xyzzy")
        task = task_of(loaded.family)
        view = asyncio.run(loaded.family.start(task, PORTS)).view()
        told = [canonical(task.payload), task.seed, task.id, task.constants, loaded.family.rules(task), repr(view)]
        assert task.payload == {"prompt": "The capital of France?"}
        assert not any("xyzzy" in text for text in told)


# --------------------------------------------------------------------------------------------- ids and settings


@pytest.mark.parametrize("name", ["Tickets.jsonl", "my tickets.jsonl", "7.jsonl", "a__b.jsonl", ".jsonl", "é.jsonl"])
def test_a_file_with_a_name_that_is_no_id_is_refused(name: str):
    with pytest.raises(UsageError, match=r"cannot name a family; name the file with .* for example my_tickets\.jsonl"):
        id_of(name)


def test_a_file_with_the_name_of_a_game_of_ours_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match=r"has the name of rung\.tasks\.games\.farm_v1; rename your file"):
        wiring.family_in(many(tmp_path, "farm_v1.jsonl", train1=1))


def test_the_levels_are_the_settings(tmp_path: Path):
    family = load(many(tmp_path, train1=1, test3=1)).family
    assert family.settings() == [Setting("d1", {"level": 1}), Setting("d3", {"level": 3})]
    with pytest.raises(UsageError, match=r"tickets\.jsonl has no setting 'd2'; its settings, .*: d1, d3"):
        family.setting("d2")


def test_the_last_file_of_a_name_is_meant_and_its_key_with_it(tmp_path: Path):
    (tmp_path / "other").mkdir()
    for place, count in ((tmp_path, 1), (tmp_path / "other", 2), (tmp_path, 1)):
        known = wiring.family_in(many(place, train1=count))
        family = registry.family(known)
        assert isinstance(family, FilesFamily)
        pool = family.pool(family.setting("d1"), sealed=False)
        assert [len(pool), {keys.key(known).reference(task).score for task in pool}] == [count, {1.0}]
        assert registry.sources("families", known) == (place / "tickets.jsonl",)


def test_a_file_is_not_listed_among_the_families(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=1))
    assert not {"tickets", "files"} & set(registry.names("families"))


# --------------------------------------------------------------------------------------------- dealing


def tasks(schedule: Any, holdout: Any, **more: Any) -> Any:
    return parse({**DOCUMENT, "tasks": {"schedule": schedule, "holdout": holdout, **more}}).tasks


DOCUMENT: dict[str, Any] = {
    "name": "tickets",
    "protocol": "ladder",
    "lineages": 3,
    "agent": {"kind": "phantom:static"},
    "method": {"name": "phantom"},
}


def block(count: int, level: int = 1, **more: Any) -> dict[str, Any]:
    return {"family": "tickets", "difficulty": level, "count": count, **more}


def dealt(settings: Any, *, seed: str = "7", exam: str = "x", lineages: int = 3) -> sequence.Held:
    return sequence.plan(settings, root=Seed(seed), holdout_root=Seed(exam), lineages=lineages)


def prompts(held: sequence.Held) -> list[list[object]]:
    return [[entry.task.payload["prompt"] for entry in entries] for entries in held.lineages]


def test_a_pool_of_exactly_as_many_as_are_wanted_is_dealt_out_whole(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=300, test1=200))
    held = dealt(tasks([block(300)], [block(200)]))
    assert [len(set(lineage)) for lineage in prompts(held)] == [300, 300, 300]
    assert len({task.payload["prompt"] for task in held.out}) == 200
    assert {(pool.count, pool.stale) for pool in held.freshness} == {(200, 0), (300, 0)}


def test_lineages_share_a_pool_in_orders_of_their_own(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=12, test1=1))
    one, two, three = prompts(dealt(tasks([block(12)], [block(1)])))
    assert sorted(map(str, one)) == sorted(map(str, two)) == sorted(map(str, three))
    assert one != two != three != one


def test_what_is_worked_is_never_examined(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=5, test1=5))
    for exam in "abcdef":
        held = dealt(tasks([block(4)], [block(4)]), exam=exam)
        assert all(str(prompt).startswith("train1 ") for lineage in prompts(held) for prompt in lineage)
        assert all(str(task.payload["prompt"]).startswith("test1 ") for task in held.out)


def test_every_task_has_its_turn_in_an_exam(tmp_path: Path):
    """Two of four, over 400 secrets: 200 times each, and less than 150 in one case of a million."""
    wiring.family_in(many(tmp_path, train1=1, test1=4))
    held = (dealt(tasks([block(1)], [block(2)]), exam=str(n), lineages=1) for n in range(400))
    drawn = Counter(task.payload["prompt"] for each in held for task in each.out)
    assert sum(drawn.values()) == 800
    assert all(count > 150 for count in drawn.values())


def test_two_blocks_of_a_level_are_dealt_different_tasks(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=6, test1=1))
    for lineage in prompts(dealt(tasks([block(2), block(4)], [block(1)]))):
        assert len(set(lineage)) == 6


def test_the_order_of_the_lines_is_no_matter(tmp_path: Path):
    path = many(tmp_path, train1=9, test1=4)
    wiring.family_in(path)
    one = dealt(tasks([block(5)], [block(2)]))
    path.write_text("".join(line + "\n" for line in reversed(path.read_text().splitlines())))
    wiring.family_in(path)
    other = dealt(tasks([block(5)], [block(2)]))
    assert (prompts(one), [task.id for task in one.out]) == (prompts(other), [task.id for task in other.out])


def test_a_task_that_is_edited_gets_another_id_and_no_other_does(tmp_path: Path):
    path = many(tmp_path, train1=3)
    ids = [{task.id for task in pool_of(path)} for _ in range(1)]
    path.write_text(path.read_text().replace("yes 1", "no 1"))
    ids.append({task.id for task in pool_of(path)})
    assert len(ids[0] & ids[1]) == 2


def pool_of(path: Path) -> Any:
    family = load(path).family
    return family.pool(family.setting("d1"), sealed=False)


def test_the_same_instance_again_and_again_needs_one_task(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=1, test1=1))
    (lineage,) = prompts(dealt(tasks([block(5)], [block(1)], repeat=True), lineages=1))
    assert lineage == ["train1 0?"] * 5


def test_too_few_are_refused_with_file_level_split_and_both_counts(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=3, test1=2, test2=1))
    wanted = tasks([block(2), block(2), block(1, level=2)], [block(2), block(5, level=2)])
    with pytest.raises(UsageError) as caught:
        sequence.refuse_shortage(wanted)
    mend = "lower count, or add some"
    assert str(caught.value).splitlines() == [
        f'tasks.schedule: tickets.jsonl, level 1, split "train": 4 tasks are wanted, there are 3; {mend}',
        f'tasks.schedule: tickets.jsonl, level 2, split "train": 1 tasks are wanted, there are 0; {mend}',
        f'tasks.holdout: tickets.jsonl, level 2, split "test": 5 tasks are wanted, there are 1; {mend}',
    ]
    with pytest.raises(UsageError, match="4 tasks are wanted, there are 3"):
        dealt(wanted)


def test_the_pool_that_an_exam_is_cut_from_counts(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=1, test1=2))
    with pytest.raises(UsageError, match="3 tasks are wanted, there are 2"):
        dealt(tasks([block(1)], [block(1)], holdout_tasks_per_difficulty=3))


def test_a_plan_says_how_many_there_were(tmp_path: Path):
    wiring.family_in(many(tmp_path, train1=3, test1=2))
    made = plan.make(parse({**DOCUMENT, "tasks": {"schedule": [block(2)], "holdout": [block(1)]}}), secret="s")
    assert made.held.stocks == (sequence.Stock("tickets d1", worked=3, sealed=2),)
