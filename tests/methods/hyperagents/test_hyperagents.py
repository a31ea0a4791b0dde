"""The method: what an improver is told, what it may change, which node it works on, and who acts afterwards."""

import asyncio
import random
from dataclasses import replace

import pytest

from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ports, RefineContext
from rung.core.values import Fault, ModelRequest, Score, Selection, Skipped, Trial, View
from rung.methods.hyperagents import archive as kept
from rung.methods.hyperagents import make
from rung.protocols import rehearsal
from rung.testing.editing import INSIGHT
from rung.testing.improvers import SLOPPY, competent, endless, meddling, writing
from rung.testing.lessons import SENTENCE, Lesson
from rung.testing.models import Scripted

from .world import AGENT, begun, child, refined, text, told

SYSTEM, NOTES = "agent/system.md", "method/improver/notes.md"
INSTRUCTIONS, TASK = "method/improver/instructions.md", "method/improver/task.md"
LESSON = Lesson()
LEARNS = competent(LESSON)


def says(sentence: str):
    """An improver that puts one sentence in place of the whole prompt."""
    return writing({SYSTEM: f"{sentence}\n"})


def opening(model: Scripted) -> str:
    """What the first request of a session told."""
    return "\n".join(message.text for message in model.asked[0].messages)


# --------------------------------------------------------------------------------------------- a child


def test_what_an_improver_writes_acts_next_and_both_agents_are_kept():
    state = child(LEARNS).state
    assert SENTENCE in text(state, SYSTEM)
    archive = kept.read(state)
    assert [(each.id, each.parent, each.unfit) for each in archive.nodes] == [("n0", None, ""), ("n1", "n0", "")]
    assert archive.acting == "n1"
    assert kept.files_of(state, archive.node("n0")) == kept.own(begun())


def test_an_attempt_counts_for_the_node_that_made_it():
    first = child(says("A"), log=[told(0.25)]).state
    second = child(says("B"), state=first, log=[told(0.25), told(1.0)]).state
    archive = kept.read(second)
    assert {name: [each.score for each in found] for name, found in archive.scores.items()} == {
        "n0": [0.25],
        "n1": [1.0],
    }
    assert archive.counted == 2


def test_attempts_after_which_nothing_came_are_counted_later():
    first = child(says("A"), log=[told(0.5)]).state
    log = [told(0.5), told(0.1), told(0.2), told(0.3)]
    archive = kept.read(child(says("B"), state=first, log=log).state)
    assert [each.score for each in archive.measured("n1")] == [0.1, 0.2, 0.3]


def test_a_hidden_verdict_counts_for_nothing_and_is_no_obstacle():
    archive = kept.read(child(says("A"), log=[told(evaluation=None)]).state)
    assert (archive.counted, dict(archive.scores)) == (1, {})


def test_the_manifest_says_what_was_changed_by_whom_and_where():
    manifest = child(LEARNS).manifest
    assert {key: manifest[key] for key in ("node", "parent", "acting", "surface", "files", "evidence")} == {
        "node": "n1",
        "parent": "n0",
        "acting": "n1",
        "surface": "contextual artifact",
        "files": [SYSTEM],
        "evidence": ["h-1"],
    }
    assert manifest["opinions"] == [{"op": "add", "id": SYSTEM, "text": SENTENCE}]


@pytest.mark.parametrize(
    ("path", "surface"),
    [
        ("agent/notes.md", "contextual artifact"),
        ("agent/tools/count.py", "execution harness"),
        (NOTES, "refinement mechanism"),
    ],
)
def test_a_surface_is_told_by_where_the_change_lies(path, surface):
    assert child(writing({path: "x = 1\n"})).manifest["surface"] == surface


# --------------------------------------------------------------------------------------------- who acts


def test_a_child_that_does_worse_gives_way_to_the_agent_before_it_and_stays_in_the_archive():
    first = child(says("worse"), log=[told(1.0)]).state
    log = [told(1.0), *[told(0.0)] * 3]
    second = child(says("A third."), state=first, log=log, parents="latest").state
    archive = kept.read(second)
    assert archive.acting == "n0"
    assert kept.own(second) == kept.own(begun())
    assert archive.node("n2").parent == "n1"


def test_the_published_search_has_no_agent_that_acts_so_the_newest_one_does():
    first = child(says("worse"), variant="faithful", log=[told(1.0)]).state
    second = child(says("newer"), variant="faithful", state=first, log=[told(1.0), told(0.0)]).state
    assert text(second, SYSTEM) == "newer\n"


def test_a_parent_is_drawn_by_the_weights_from_the_stream_of_the_context():
    first = child(says("A"), log=[told(0.5)]).state
    drawn = {
        kept.read(child(says("B"), state=first, log=[told(0.5)] * 2, seed=seed, parents="random").state)
        .node("n2")
        .parent
        for seed in range(20)
    }
    assert drawn == {"n0", "n1"}


def test_the_archive_holds_no_more_nodes_than_it_may():
    state = None
    for number in range(6):
        state = child(says(f"{number}"), state=state, log=[told(0.5)] * (number + 1), keep=3, variant="faithful").state
    assert [each.id for each in kept.read(state).nodes] == ["n0", "n5", "n6"]


# --------------------------------------------------------------------------------------------- what is told and changed


def session(**options):
    model = Scripted(LEARNS)
    refined(model.answer, **options)
    method = make({key: value for key, value in options.items() if key not in ("state", "log")})
    context = RefineContext("a" * 40, begun(**options), told(), [told()], AGENT, Ports(model=model), random.Random(1))
    asyncio.run(method.refine(context))
    return model


def test_the_published_prompt_tells_nothing_of_evaluations_though_they_lie_there():
    model = session(variant="faithful")
    assert "evaluations" not in opening(model)
    assert "method/improver" not in opening(model)
    listing = model.asked[1].messages[-1].text
    assert "evaluations/attempt_0001.md" in listing
    assert "method/improver/instructions.md" in listing


def test_an_informed_one_is_told_of_evaluations_and_of_how_many_there_are():
    model = session()
    assert "`evaluations/`" in opening(model)
    assert "Attempts counted so far: 1. Agents made so far: 1. The one before you is n0." in opening(model)
    assert "`method/improver/`" not in opening(model)


def test_the_improver_is_changed_when_it_is_named_and_not_when_it_just_lies_there():
    named = child(LEARNS, meta_prompt="improver_named")
    assert INSIGHT in text(named.state, NOTES)
    assert named.manifest["surfaces"] == ["refinement mechanism", "contextual artifact"]
    for meta in ("bare", "informed"):
        assert text(child(LEARNS, meta_prompt=meta).state, NOTES) == text(begun(), NOTES)


def test_direct_refinement_names_the_improver_and_says_that_the_harness_is_somebody_elses():
    state = begun(variant="direct")
    assert "harness that somebody else has built" in text(state, INSTRUCTIONS)
    assert "`method/improver/`" in text(state, INSTRUCTIONS)
    assert INSIGHT in text(child(LEARNS, variant="direct").state, NOTES)


def test_a_frozen_improver_is_neither_seen_nor_changed():
    model = session(variant="direct", frozen_improver=True)
    assert "`method/improver/`" not in opening(model)
    assert "method/improver/" not in model.asked[1].messages[-1].text
    found = refined(meddling(), variant="direct", frozen_improver=True)
    assert isinstance(found, Skipped)
    assert "method/improver/notes.md: only agent/** may be changed" in found.reason
    assert text(child(LEARNS, variant="direct", frozen_improver=True).state, NOTES) == text(begun(), NOTES)


def test_whoever_improves_a_node_works_by_that_nodes_own_files():
    changed = writing({INSTRUCTIONS: "You are terse.\n", TASK: "Go on. $notes $nodes $unknown\n", NOTES: "$task"})
    first = child(changed).state
    model = Scripted(says("B"))
    method = make({"parents": "latest"})
    context = RefineContext("a" * 40, first, told(), [told()] * 2, AGENT, Ports(model=model), random.Random(1))
    asyncio.run(method.refine(context))
    system, asked = model.asked[0].messages
    assert system.text.startswith("You are terse.\n")
    assert asked.text == "Go on. $task 2 $unknown"


def test_it_is_lent_as_many_attempts_as_its_settings_say():
    log = [told(0.1 * n) for n in range(10)]
    for settings, many in (('{"attempts": 5}', 5), ('{"attempts": 99}', 10), ('{"attempts": -1}', 0), ("[", 3)):
        state = begun().with_files({"method/improver/settings.json": settings.encode()})
        model = Scripted(LEARNS)
        context = RefineContext("a" * 40, state, log[-1], log, AGENT, Ports(model=model), random.Random(1))
        asyncio.run(make({}).refine(context))
        assert model.asked[1].messages[-1].text.count("evaluations/attempt_") == many


def test_a_small_model_chooses_among_the_files_there_are_and_reads_each_once():
    model = session(replies="choices")
    offered = [
        {tool.name: tool.parameters["properties"].get("path", {}).get("enum") for tool in request.tools}
        for request in model.asked
    ]
    improver = [f"method/improver/{name}" for name in ("instructions.md", "notes.md", "settings.json", "task.md")]
    evaluations = ["evaluations/attempt_0001.md", "evaluations/overview.md"]
    assert offered[0] == {
        "read": [SYSTEM, *evaluations, *improver],
        "write": ["agent/notes.md", SYSTEM, *improver],
        "finish": None,
    }
    read = [
        call.arguments["path"] for call in (message.calls[0] for message in model.asked[-1].messages if message.calls)
    ]
    assert read == ["evaluations/overview.md", "evaluations/attempt_0001.md", SYSTEM, SYSTEM]  # and the last is written
    assert offered[-1]["read"] == improver
    assert SENTENCE in text(child(LEARNS, replies="choices").state, SYSTEM)


# --------------------------------------------------------------------------------------------- what is no use


@pytest.mark.parametrize("replies", ["text", "tools"])
@pytest.mark.parametrize("sloppy", SLOPPY)
def test_nothing_comes_of_a_sloppy_improver_and_the_reason_is_said(sloppy, replies):
    found = refined(SLOPPY[sloppy], replies=replies)
    assert isinstance(found, Skipped), [dict(each.manifest) for each in found]
    assert found.reason.startswith("nothing was edited: the session ended by ")


def test_a_session_without_an_end_is_ended():
    found = refined(endless(), calls=7)
    assert isinstance(found, Skipped)
    assert "ended by calls" in found.reason


def test_a_child_whose_improver_is_gone_may_act_and_is_no_parent():
    state = child(writing({INSTRUCTIONS: "", SYSTEM: "B\n"})).state
    archive = kept.read(state)
    assert archive.acting == "n1"
    assert archive.node("n1").unfit == "method/improver/instructions.md holds nothing"
    second = child(says("C"), state=state, log=[told()] * 2, parents="latest").state
    assert kept.read(second).node("n2").parent == "n0"


def test_nothing_is_done_without_a_step_and_without_a_model():
    assert refined(LEARNS, log=[told(trajectory=())]) == ()
    context = RefineContext("a" * 40, begun(), told(), [told()], AGENT, Ports(), random.Random(1))
    with pytest.raises(InstrumentFault, match="has no model to refine with"):
        asyncio.run(make({}).refine(context))


def test_the_same_context_gives_the_same_candidate_by_whichever_object():
    assert child(LEARNS, meta_prompt="improver_named") == child(LEARNS, meta_prompt="improver_named")


# --------------------------------------------------------------------------------------------- trials


def selected(incumbent: float, *trials: float | Fault, **options) -> Selection:
    outcomes = [
        Trial(number, (each if isinstance(each, Fault) else Score(each),)) for number, each in enumerate(trials)
    ]
    context = RefineContext("a" * 40, begun(), told(), [told()], AGENT, Ports(), random.Random(1))
    method = make({"trials": 1, **options})
    return asyncio.run(method.select(context, Trial(-1, (Score(incumbent),)), outcomes))


def test_with_trials_a_child_is_proposed_acting_and_only_kept():
    acting, only_kept = refined(LEARNS, trials=1)
    assert SENTENCE in text(acting.state, SYSTEM)
    assert kept.own(only_kept.state) == kept.own(begun())
    assert [each.id for each in kept.read(only_kept.state).nodes] == ["n0", "n1"]


@pytest.mark.parametrize(
    ("trials", "chosen"),
    [
        ((0.6, 0.6), 0),
        ((0.55, 0.6), 0),
        ((0.4, 0.6), 1),
        ((0.5, Fault("model", "down")), 0),
        ((Fault("a", "b"), 0.1), 1),
    ],
)
def test_a_child_acts_when_it_is_no_worse_than_what_acted_on_both_tries_together(trials, chosen):
    assert selected(0.5, *trials).chosen == chosen


@pytest.mark.parametrize(("score", "chosen"), [(0.1, 0), (0.0, 1)])
def test_the_published_stage_asks_for_a_score_above_nought_whatever_acted(score, chosen):
    assert selected(0.9, score, 0.9, variant="faithful").chosen == chosen


def test_without_trials_the_candidate_is_taken_as_it_is():
    assert selected(0.9, 0.1, trials=0).chosen == 0


# --------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variant": "faithfull"}, "variant is one of repaired, faithful, direct"),
        ({"meta_prompt": "full"}, "meta_prompt is one of bare, informed, improver_named"),
        ({"meta_prompt": "improver_named", "frozen_improver": True}, "names what frozen_improver = true keeps"),
        ({"frozen_improver": 1}, "frozen_improver takes a bool"),
        ({"parents": "worst"}, "parents is one of score_children, score, best, latest, random"),
        ({"deploy": "worst"}, "deploy is one of best, latest, parent"),
        ({"keep": 1}, "keep is a whole number from 2 up"),
        ({"call": 1}, "did you mean 'calls'?"),
    ],
)
def test_an_option_that_is_none_is_refused_by_name(options, words):
    with pytest.raises(UsageError, match=words.replace("?", r"\?")):
        make(options)


def test_a_method_is_named_by_how_its_improver_differs():
    named = [{}, {"variant": "direct", "frozen_improver": True}, {"variant": "faithful", "meta_prompt": "informed"}]
    assert [make(each).id for each in named] == [
        "hyperagents repaired",
        "hyperagents direct informed frozen",
        "hyperagents faithful informed",
    ]


def test_an_agent_with_files_of_its_own_where_the_archive_lies_is_refused():
    class Agent:
        id = "other"

        def harness(self):
            return {"method/improver/task.md": b"x"}

    with pytest.raises(UsageError, match=r"agent 'other' has method/improver/task\.md"):
        make({}).initial_state(Agent())


def test_nothing_of_the_archive_is_shown_to_who_acts():
    heard: list[ModelRequest] = []

    def listening(request: ModelRequest) -> str:
        heard.append(request)
        return "7"

    state = child(LEARNS, meta_prompt="improver_named").state
    actor = make({}).actor(state.acting(), AGENT, Ports(model=Scripted(listening)), random.Random(1))
    asyncio.run(actor.act(View("The lock shows 7.", rules="Answer.")))
    said = "\n".join(message.text for message in heard[0].messages)
    assert SENTENCE in said
    assert INSIGHT not in said


# --------------------------------------------------------------------------------------------- what is asked at most


def size(request: ModelRequest) -> int:
    return sum(len(message.text.encode()) for message in request.messages)


@pytest.mark.parametrize(
    "options", [{"calls": 6}, {"calls": 6, "replies": "choices"}, {"calls": 6, "variant": "direct"}]
)
def test_no_session_asks_more_often_or_at_greater_length_than_is_foreseen(options):
    method, bound, heard = make(options), Scripted(lambda request: "x"), Scripted(LEARNS)
    assert isinstance(method, rehearsal.Foreseen)
    assert isinstance(method, rehearsal.Exhaustible)
    context = RefineContext("a" * 40, begun(**options), told(), [told()], AGENT, Ports(model=bound), random.Random(1))
    asyncio.run(method.exhaust(context))
    loud = context.state.with_files({INSTRUCTIONS: b"\xf0\x9d\x94\xb5" * 50_000, TASK: b"\xf0\x9d\x94\xb5" * 50_000})
    asyncio.run(method.refine(replace(context, state=loud, ports=Ports(model=heard))))
    asyncio.run(method.refine(replace(context, state=loud, ports=Ports(model=Scripted(endless())))))
    assert len(heard.asked) <= len(bound.asked) == 6 + 10
    assert max(map(size, heard.asked)) <= min(map(size, bound.asked))


def test_the_fullest_agent_has_every_file_as_long_as_an_improver_may_write_it():
    full = make({}).fullest(begun(), told())
    assert len(full.files[SYSTEM]) == 32_000
    found = refined(writing({SYSTEM: "x" * 32_001}))
    assert isinstance(found, Skipped)
    assert "32001 bytes, and at most 32000 are kept" in found.reason
