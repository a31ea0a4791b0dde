"""Scope, function and surface: what a proposal is, by itself. The examples are those of the codebook."""

import pytest

from findings.semantics.world import proposal
from rung.findings.semantics.annotator import annotate
from rung.findings.semantics.function import functions
from rung.findings.semantics.scope import scope
from rung.findings.semantics.surface import looks_like_code, surface

SCOPES = [
    ("task", "Plant corn before day 6.", "planning"),
    ("task", "The number on a cell counts its eight neighbours.", "reasoning"),
    ("task", "Save the Strike card for the boss.", "planning"),
    ("task", 'Check the JSON: "plant" needs a crop and a plot.', "planning"),
    ("task", "Begin at (3, 4).", "reasoning"),
    ("task", "The right answer to 18714 was 56029.", "reasoning"),
    ("task", "def safe_cells(board): return [each for each in board if each.safe]", "reasoning"),
    ("category", "Compare whole plans by their final value and not by their first step.", "planning"),
    ("category", "Change one attribute at a time and see which effect follows.", "reasoning"),
    ("category", "Keep a list of branches tried, and take an untried one at a dead end.", "exploration"),
    ("general", "Answer with one JSON object and nothing else.", "planning"),
    ("general", "Read the rules again before the first action.", "reasoning"),
    ("general", "After an error, read its message before trying again.", "exploration"),
    ("general", "Do not take the same action three times in a row.", "exploration"),
]


@pytest.mark.parametrize(("said", "text", "category"), SCOPES, ids=[text for _, text, _ in SCOPES])
def test_the_scope_is_where_a_text_could_be_used_as_it_stands(said, text, category):
    assert scope(text, category) == said


def test_what_a_games_own_rules_speak_of_is_a_thing_of_that_game():
    assert scope("Look at the lamp twice.", "reasoning") != scope("Look at it twice.", "reasoning")
    assert scope("Feed the gryphon.", "reasoning") == "general"
    assert scope("Feed the gryphon.", "reasoning", frozenset({"gryphon"})) == "task"


FUNCTIONS = [
    ({"exploration"}, "Look around before moving."),
    ({"exploration"}, "Try an untried direction at a dead end."),
    ({"exploration"}, "Record explored branches."),
    ({"reasoning"}, "Derive what is certain from overlapping constraints."),
    ({"reasoning"}, "Profit is yield times price less seed cost."),
    ({"planning"}, "Plant long crops first."),
    ({"planning"}, "Keep 20 gold for the last shop."),
    ({"execution"}, "Put the move on the last line."),
    ({"execution"}, "On a timeout ask again once."),
    ({"reasoning", "planning"}, "Compute the profit of each crop and plant the best first."),
    ({"planning", "execution"}, "Run a script that searches all card orders."),
]


@pytest.mark.parametrize(("said", "text"), FUNCTIONS, ids=[text for _, text in FUNCTIONS])
def test_the_functions_are_the_abilities_that_a_text_works_on(said, text):
    assert functions(text) == said


def test_what_runs_works_on_execution_whatever_its_words():
    (labels,) = annotate([proposal("def best(plans): return max(plans)", path="agent/tools/best.py")])
    assert "execution" in labels.function


SURFACES = [
    ("contextual artifact", "agent/memory/playbook.jsonl", "Run the solver script."),
    ("contextual artifact", "agent/skills/combat/SKILL.md", "Search plans by dynamic programming."),
    ("contextual artifact", "home/.claude/CLAUDE.md", "Use tools/solve.py to solve boards."),
    ("contextual artifact", "agent/prompts.py", 'SYSTEM = """You are careful. Read the rules before you act."""'),
    ("contextual artifact", "agent/tools/solve.yaml", "description: Solve a board and return the certain cells."),
    ("execution harness", "agent/tools/solve.py", "def f(x):\n    return x + 1"),
    ("execution harness", "agent/task_agent.py", "MAX_RETRIES = 3"),
    ("execution harness", "agent/middleware/guard.py", "Reject an action that repeats the last one."),
    ("execution harness", "agent/config.toml", "temperature = 0.2"),
    ("execution harness", "agent/tools/solve.yaml", "timeout: 20"),
    ("execution harness", "agent/hooks/pre.sh", "exit 1"),
    ("refinement mechanism", "method/improver/meta_agent.py", "def improve(view):\n    return view"),
    ("refinement mechanism", "improver/prompts.py", "Look at the worst bucket first."),
    ("execution harness", None, "Enforce a limit of repeated actions in code."),
    ("contextual artifact", None, "Use text instructions to compare plans through dynamic programming."),
]


@pytest.mark.parametrize(("said", "path", "text"), SURFACES, ids=[f"{path} {text[:20]}" for _, path, text in SURFACES])
def test_the_place_decides_on_the_surface_before_the_words(said, path, text):
    assert surface(path, text) == said


def test_prose_is_no_code():
    prose = ["Sell all on day 3.", "Note: sell it all late.", "return only the JSON object, and no words.", ""]
    code = ["x = 3", "for x in y:\n    go(x)", "retries: 3", "def f(x):\n    return x"]
    assert [looks_like_code(each) for each in (*prose, *code)] == [False] * 4 + [True] * 4
