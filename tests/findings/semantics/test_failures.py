"""What failing attempts have in common, and the proposals in answer."""

from findings.semantics.world import NOTES, World
from rung.findings.semantics.counts import semantics
from rung.findings.semantics.failures import Pattern

REFUSED = {"invalid": True, "reply": "Cell (3, 4) is 'marked' already.\nThe board:"}


def test_attempts_are_alike_by_their_end_their_refusals_and_their_last_reply_without_numbers():
    world = World()
    other = {**REFUSED, "reply": "Cell (1, 2) is 'open' already."}
    world.refine({NOTES: "- Wait.\n"}, steps=[REFUSED, {"reply": "You lost after 7 steps."}])
    world.refine({NOTES: "- Wait.\n- Plant.\n"}, steps=[other, {"reply": "You lost after 9 steps."}])
    world.refine(
        {NOTES: "- Wait.\n- Plant.\n- Sell.\n"}, steps=[{"reply": "You lost after 9 steps."}], status="timeout"
    )
    found = semantics(world.journal)
    lost = "You lost after # steps."
    assert found.patterns == (
        Pattern(
            "farm-v1",
            "completed",
            "Cell (#, #) is … already.",
            lost,
            2,
            {"main": ("main/L1/0001.0.1", "main/L1/0002.0.1")},
        ),
        Pattern("farm-v1", "timeout", "none", lost, 1, {"main": ("main/L1/0003.0.1",)}),
    )
    assert found.quoted["main/L1/0001.0.1"].text == "Wait."


def test_of_several_refusals_the_commonest_counts():
    world = World()
    once = {"invalid": True, "reply": "No such crop."}
    world.refine({NOTES: "- Wait.\n"}, steps=[once, REFUSED, REFUSED])
    assert semantics(world.journal).patterns[0].refused == "Cell (#, #) is … already."


def test_an_attempt_that_succeeded_or_broke_is_no_failure():
    world = World()
    world.refine({NOTES: "- Wait.\n"}, success=True)
    world.journal.put("main/L1/work/0009", "sealed", {"fault": {"where": "model", "detail": "down"}, "steps": 0})
    assert semantics(world.journal).patterns == ()


def test_a_failure_that_nothing_answered_is_there_all_the_same():
    world = World()
    world.refine(steps=[{"reply": "Lost."}])
    world.refine({NOTES: "- Wait.\n"}, success=True)
    (pattern,) = semantics(world.journal).patterns
    assert (pattern.last, pattern.answers) == ("Lost.", {})
