"""Proposals from manifests, from edit records and from nothing but the difference of two states."""

import json

from findings.planted import World as Cell
from findings.semantics.world import NOTES, World
from rung.findings.semantics.record import MOST_AT_ONCE, Recorded, lines


def only(world: World) -> tuple[Recorded, ...]:
    (line,) = lines(world.journal)
    return line.recorded


def test_a_method_that_says_nothing_has_its_proposals_from_the_difference():
    world = World()
    world.start({NOTES: "- Plant corn first.\n- Sell late.\n"})
    world.refine({NOTES: "- Plant corn first.\n- Sell all on the last day.\n- Buy seeds early.\n"})
    world.refine({NOTES: "- Plant corn first.\n- Buy seeds early.\n"})
    (line,) = lines(world.journal)
    made = [(each.proposal.operation, each.proposal.text, each.proposal.before) for each in line.recorded]
    assert made == [
        ("add", "Sell all on the last day.", None),
        ("add", "Buy seeds early.", None),
    ]
    assert line.removed == 2  # "Sell late." in the first change, what came for it in the second


def test_a_piece_that_takes_the_place_of_one_like_it_revises_it():
    world = World()
    world.start({NOTES: "- Sell all corn on day 4.\n"})
    world.refine({NOTES: "- Sell all corn on day 6.\n"})
    (made,) = only(world)
    assert (made.proposal.operation, made.proposal.before) == ("revise", "Sell all corn on day 4.")
    assert [each.text for each in made.proposal.earlier] == ["Sell all corn on day 4."]


def test_opinions_whose_words_stand_in_the_state_are_the_proposals_and_counted_once():
    world = World()
    text = "Plant corn first. Sell all on the last day."
    record = json.dumps({"id": "s-1", "text": text}) + "\n"
    manifest = {"opinions": [{"op": "add", "id": "s-1", "text": text}], "files": ["agent/memory/playbook.jsonl"]}
    world.refine(({"agent/memory/playbook.jsonl": record, "agent/memory/counters.jsonl": "{}"}, manifest))
    made = only(world)
    assert [each.proposal.text for each in made] == ["Plant corn first.", "Sell all on the last day."]
    assert {each.proposal.path for each in made} == {"agent/memory/playbook.jsonl"}
    assert not any(each.told for each in made)


def test_what_a_method_left_out_as_a_copy_is_recorded_and_never_stood():
    world = World()
    manifest = {"opinions": [], "duplicates": [{"text": "Plant corn first.", "of": "s-1"}], "full": [{"text": "Wait."}]}
    world.refine(({NOTES: ""}, manifest))
    assert [(each.proposal.text, each.fate, each.keys) for each in only(world)] == [
        ("Plant corn first.", "copy", frozenset()),
        ("Wait.", "full", frozenset()),
    ]


def test_an_account_of_a_change_is_one_proposal_and_stands_as_long_as_what_came_with_it():
    world = World()
    code = "def guard(action):\n    return action\n"
    manifest = {
        "changes": [{"type": "new", "description": "Block repeated actions.", "files": ["middleware/guard.py"]}]
    }
    world.refine(({"agent/middleware/guard.py": code, NOTES: "- Wait.\n"}, manifest))
    told, other = only(world)
    assert (told.proposal.text, told.told, told.proposal.path) == (
        "Block repeated actions.",
        True,
        "agent/middleware/guard.py",
    )
    assert told.keys == {"def guard(action): return action"}
    assert (other.proposal.text, other.told) == ("Wait.", False)


def test_an_account_of_a_change_that_was_not_made_is_no_proposal():
    world = World()
    manifest = {"opinions": [{"op": "add", "text": "Rewrote the parser.", "path": "agent/parser.py"}]}
    world.refine(({NOTES: "- Wait.\n"}, manifest))
    assert [each.proposal.text for each in only(world)] == ["Wait."]


def test_lines_of_a_difference_under_a_files_name_are_the_piece_they_belong_to():
    world = World()
    code = "import os\n\n\ndef guard(action):\n    seen = action\n    return seen\n"
    lines_of = [{"op": "add", "id": "agent/guard.py", "text": line.strip()} for line in code.splitlines() if line]
    world.refine(({"agent/guard.py": code}, {"opinions": lines_of, "files": ["agent/guard.py"]}))
    assert [each.proposal.text for each in only(world)] == ["def guard(action):\n    seen = action\n    return seen"]


def test_candidates_that_were_not_taken_over_are_recorded_as_rejected():
    world = World()
    world.refine({NOTES: "- Wait.\n"}, {NOTES: "- Plant.\n"}, chosen=1)
    world.refine({NOTES: "- Plant.\n- Never wait.\n"}, chosen=None)
    assert [(each.proposal.text, each.fate, each.place) for each in only(world)] == [
        ("Wait.", "rejected", 1),
        ("Plant.", "adopted", 1),
        ("Never wait.", "rejected", 2),
    ]


def test_a_proposal_is_held_against_what_stood_and_against_those_before_it_by_their_ids():
    world = World()
    world.start({NOTES: "- Plant corn.\n"})
    world.refine({NOTES: "- Plant corn.\n- Sell late.\n"})
    world.refine({NOTES: "- Plant corn.\n- Sell late.\n- Water daily.\n- Rest at night.\n"})
    rest = only(world)[-1].proposal
    assert [(each.id, each.text) for each in rest.earlier] == [
        ("A_0/1", "Plant corn."),
        ("main/L1/0001.0.1", "Sell late."),
        ("main/L1/0002.0.1", "Water daily."),
    ]


def test_game_category_and_method_come_from_the_plan():
    world = World(game="mc-text-v1")
    world.refine({NOTES: "- Look around.\n"})
    (made,) = only(world)
    assert (made.proposal.game, made.proposal.category, made.proposal.method) == ("mc-text-v1", "exploration", "mine")


def test_a_manifest_of_any_shape_is_read_as_far_as_it_goes():
    world = World()
    manifest = {
        "opinions": [3, None, "", {"op": 7}, {"text": ["x"]}, "Wait for rain."],
        "duplicates": "none",
        "files": 4,
    }
    world.refine(({"agent/a.py": "A = 1\n"}, manifest), ({NOTES: "- Plant.\n"}, {"opinions": {"a": 1}}))
    assert [each.proposal.text for each in only(world)] == ["Wait for rain.", "Plant."]


def test_an_account_of_words_is_none_for_they_speak_for_themselves():
    world = World()
    manifest = {"changes": [{"description": "Told it to wait.", "files": [NOTES]}]}
    world.refine(({NOTES: "- Wait for rain.\n"}, manifest))
    assert [(each.proposal.text, each.told) for each in only(world)] == [("Wait for rain.", False)]


def test_changes_that_a_method_derived_itself_are_no_account_of_anybody():
    world = World()
    manifest = {"changes": [{"description": "(not announced)", "files": ["agent/a.py"]}], "derived": True}
    world.refine(({"agent/a.py": "A = 1\n"}, manifest))
    assert [each.proposal.text for each in only(world)] == ["A = 1"]


def test_of_a_state_that_was_written_anew_by_the_thousand_the_rest_is_counted():
    world = World()
    world.refine({NOTES: "".join(f"- Note number {number} of them.\n" for number in range(MOST_AT_ONCE + 7))})
    (line,) = lines(world.journal)
    assert (len(line.recorded), line.passed_over, len(line.steps[-1].pieces)) == (MOST_AT_ONCE, 7, MOST_AT_ONCE + 7)


def test_a_refinement_without_candidates_is_a_state_of_the_lineage_all_the_same():
    world = World()
    world.refine()
    world.refine({NOTES: "- Plant.\n"})
    (line,) = lines(world.journal)
    assert [step.place for step in line.steps] == [0, 1, 2]
    assert [len(step.keys) for step in line.steps] == [0, 0, 1]


def test_a_program_that_refines_itself_has_its_proposals_from_what_it_left():
    cell = Cell()
    cell.journal.put("plan", "families", {"farm-v1": {"capability": "planning"}})
    began = cell.snapshot({".claude/CLAUDE.md": "Be careful.\n"})
    left = cell.snapshot(
        {".claude/CLAUDE.md": "Be careful.\nSell on the last day.\n\n- Water daily.\n"},
        {"solve.py": "def best(plots):\n    return max(plots)\n", "__pycache__/solve.pyc": "x y z\n"},
    )
    cell.session("claude/L1/work", began, left=left)
    (line,) = lines(cell.journal)
    assert [(each.proposal.path, each.proposal.text) for each in line.recorded] == [
        ("home/.claude/CLAUDE.md", "Sell on the last day."),
        ("home/.claude/CLAUDE.md", "Water daily."),
        ("workspace/solve.py", "def best(plots):\n    return max(plots)"),
    ]
    assert {each.proposal.game for each in line.recorded} == {"farm-v1"}
