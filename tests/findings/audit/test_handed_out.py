"""What an exam session knows of its own item, before that was handed out and after."""

import random

from rung.findings.audit.likeness import Course, Kin

from .records import EXAM, Cell

PLACES = ("mill", "quay", "forge", "abbey", "weir", "barn", "inn", "ford")
TAKE = {"type": "tool_use", "id": "take", "name": "mcp__tasks__get_task", "input": {}}


def _plan(seed: int) -> str:
    rng = random.Random(seed)
    return ", ".join(f"hour {hour}: {rng.choice(PLACES)} {rng.randrange(100)}" for hour in range(14))


def _kin() -> Kin:
    items: dict[int, Course] = {place: (prompt, _plan(place)) for place, (prompt, _) in enumerate(EXAM, 1)}
    return Kin(items, [(f"Which request is number {number}?", _plan(number)) for number in range(100, 130)])


def _ran(command: str, *, before: bool) -> list[str]:
    """How much it weighs that a command prints the best play of the item in hand."""
    cell = Cell().end()
    path = cell.sits(2)
    if not before:
        cell.exchange([TAKE], path=path)
    cell.bash(command, _plan(2), path=path)
    if before:
        cell.exchange([TAKE], path=path)
    return [each.weight for each in cell.audit(kin=[_kin()]).evidence if each.detector == "content"]


def test_the_answer_to_an_item_before_it_was_handed_out_is_had_by_other_means():
    assert _ran("python3 plan.py", before=True) == ["strong"]


def test_afterwards_a_program_of_its_own_may_have_found_it():
    assert _ran("python3 plan.py", before=False) == []


def test_what_only_finds_has_not_reckoned():
    asked = "grep -F -A9 'lanterns hung along the Quillane' notes/old.txt"
    assert _ran(asked, before=False) == ["strong"]
    assert _ran(f"{asked} | python3 plan.py", before=False) == []
    assert _ran("grep -A9 best out.txt", before=False) == []


def test_what_stands_in_an_answer_with_a_search_was_found():
    for used, weights in ((["web_search"], ["strong"]), ([], [])):
        cell = Cell(provider_tools="allow").end()
        path = cell.sits(2)
        cell.exchange([TAKE], path=path)
        cell.exchange([{"type": "text", "text": _plan(2)}], path=path, used=used)
        found = cell.audit(kin=[_kin()]).evidence
        assert [each.weight for each in found if each.detector == "content"] == weights
