"""Lifetimes by blame, and counts, over a lineage of four refinements worked out by hand."""

import pytest

from findings.semantics.world import NOTES, World
from rung.findings.semantics import counts
from rung.findings.semantics.counts import annotated, semantics
from rung.findings.semantics.record import lines
from rung.findings.semantics.standing import Stood, median_lifetime, stood
from rung.reports import changes


def notes(*said: str) -> dict[str, str]:
    return {NOTES: "".join(f"- {each}\n" for each in said)}


@pytest.fixture
def world() -> World:
    """Four refinements:

    1  Sell all corn late. | Never wait.     2  Never wait. goes      3  rejected: Rest.
    4  Sell all corn late. goes, and its rewording comes with Water the plots daily.
    """
    made = World()
    made.refine(notes("Sell all corn late.", "Never wait."))
    made.refine(notes("Sell all corn late."))
    made.refine(notes("Sell all corn late.", "Rest."), chosen=None)
    made.refine(notes("Corn: sell all of it late.", "Water the plots daily."))
    return made


def test_a_proposal_stands_from_its_commit_until_the_first_without_it(world):
    (line,) = lines(world.journal)
    how = {each.proposal.text: found for each, found in zip(line.recorded, stood(line), strict=True)}
    assert how == {
        "Sell all corn late.": Stood(born=1, gone=4, refinements=4, reworded=True),
        "Never wait.": Stood(born=1, gone=2, refinements=4),
        "Rest.": None,
        "Corn: sell all of it late.": Stood(born=4, gone=None, refinements=4),
        "Water the plots daily.": Stood(born=4, gone=None, refinements=4),
    }
    assert [found.lifetime for found in how.values() if found] == [3, 1, 1, 1]


def test_a_proposal_that_comes_back_is_gone_from_when_it_first_was():
    world = World()
    world.refine(notes("Never wait."))
    world.refine(notes())
    world.refine(notes("Never wait."))
    (line,) = lines(world.journal)
    assert stood(line) == [Stood(1, 2, 3), Stood(3, None, 3)]


def test_an_account_stands_while_anything_that_came_with_it_does():
    world = World()
    files = {"agent/a.py": "A = 1\n", "agent/b.py": "B = 2\n"}
    world.refine((files, {"opinions": [{"text": "Two new limits.", "files": list(files)}]}))
    world.refine({"agent/b.py": "B = 2\n"})
    (line,) = lines(world.journal)
    assert stood(line) == [Stood(1, None, 2)]


def test_half_are_gone_after_the_age_at_which_kaplan_and_meier_say_so():
    # ages 1 (gone), 2 (still there), 3 (gone), 3 (gone): 1 - 1/4 = 0.75, then 0.75 * (1 - 2/2) = 0
    found = [Stood(1, 2, 2), Stood(1, None, 2), Stood(1, 4, 9), Stood(2, 5, 9)]
    assert [each.lifetime for each in found] == [1, 2, 3, 3]
    assert median_lifetime(found) == 3.0


def test_where_half_never_go_there_is_no_median():
    assert median_lifetime([Stood(1, None, 3), Stood(1, None, 3), Stood(1, 2, 3)]) is None
    assert median_lifetime([]) is None


def test_one_that_still_stands_at_an_age_did_not_go_at_it():
    # at age 1 one of three goes: 2/3 stay, and nothing goes after
    assert median_lifetime([Stood(1, 2, 9), Stood(2, None, 2), Stood(1, None, 9)]) is None


def test_a_rejected_proposal_never_stood_though_the_chosen_one_said_the_same():
    world = World()
    world.refine(notes("Never wait."), notes("Never wait.", "Rest."), chosen=1)
    (line,) = lines(world.journal)
    assert [(each.fate, how is None) for each, how in zip(line.recorded, stood(line), strict=True)] == [
        ("rejected", True),
        ("adopted", False),
        ("adopted", False),
    ]


# --------------------------------------------------------------------------------------------- counts


def test_counts_are_those_of_the_hand_made_lineage(world):
    found = semantics(world.journal)
    (arm,) = found.arms
    assert (arm.arm, arm.method, arm.lineages, arm.removed) == ("main", "mine", 1, 1)
    tally = arm.all
    assert (tally.recorded, tally.adopted, tally.retained, tally.reworded) == (5, 4, 2, 1)
    # the rewording of what it replaces says nothing more; the other four are about points of their own
    assert tally.by_label["relation"] == {"new": (4, 1), "revise": (0, 0), "contradict": (0, 0), "duplicate": (1, 1)}
    assert tally.by_label["surface"] == {
        "contextual artifact": (5, 2),
        "execution harness": (0, 0),
        "refinement mechanism": (0, 0),
    }
    assert list(arm.games) == ["farm-v1"]
    assert tally.rate("duplicate") == 0.2


def test_counts_by_game_add_up_to_those_of_all():
    world = World()
    world.refine(notes("Sell late."))
    world.game = "mc-text-v1"
    world.refine(notes("Sell late.", "Look around.", "Try each branch."))
    (arm,) = semantics(world.journal).arms
    assert {game: tally.recorded for game, tally in arm.games.items()} == {"farm-v1": 1, "mc-text-v1": 2}
    assert arm.all.recorded == 3


def test_proposals_beyond_those_that_are_looked_at_are_counted_and_said(monkeypatch):
    world = World()
    world.refine(notes("Sell late.", "Look around.", "Try each branch."))
    monkeypatch.setattr(counts, "MOST", 2)
    found = semantics(world.journal)
    assert (found.arms[0].all.recorded, found.arms[0].passed_over) == (2, 1)
    assert changes.arm_rows(found)[0][2] == "2, and 1 not looked at"


def test_a_study_in_which_nothing_was_proposed_has_no_analysis():
    world = World()
    world.refine()
    assert semantics(world.journal) is None


def test_a_phantoms_numbers_are_no_proposals():
    world = World()
    world.journal = type(world.journal)()
    world.snapshots = type(world.snapshots)(world.journal)
    arms = [{"name": "main", "agent": {"kind": "phantom:narrow"}, "method": {"name": "phantom"}}]
    world.journal.put("plan", "config", {"arms": arms})
    world.start({"agent/skill.json": '{"farm": 0.1}'})
    world.refine({"agent/skill.json": '{"farm": 0.4}'})
    assert annotated(world.journal) == []
