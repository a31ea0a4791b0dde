"""GEPA with a scripted improver: what it asks, takes and keeps, whom it rewrites, and what the acting agent is told."""

import asyncio
import json
import random
import sys
from dataclasses import dataclass, replace

import pytest

from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ports, RefineContext
from rung.core.values import (
    Action,
    Evaluation,
    Fault,
    FeedbackResult,
    ModelReply,
    Score,
    Selection,
    Skipped,
    State,
    Step,
    Trial,
    View,
)
from rung.methods.gepa import make, package, pool
from rung.methods.gepa.pool import INSTRUCTIONS, POOL, Pool, Tally, Version
from rung.methods.gepa.writing import opening, prompt
from rung.protocols import rehearsal
from rung.testing.models import Scripted

GOOD = "Work the answer out from the number shown.\nAnswer with one number."
BETTER = "Work the answer out from the number shown.\nCheck it twice.\nAnswer with one number."
VIEW = View("The lock shows 7.", rules="Open the lock.", family="lock-v1", setting="d1")


@dataclass(frozen=True)
class Agent:
    """An agent that answers with the rules it was told."""

    id: str = "agent"
    files: tuple[str, ...] = ("agent/system.md", "agent/tool.py")

    def harness(self):
        return dict.fromkeys(self.files, b"Be brief.")

    def actor(self, state, ports, rng):
        return Echo()


class Echo:
    async def act(self, view):
        return Action(view.rules)


AGENT = Agent()
START = State(AGENT.harness())


def attempted(name="h-1", *, score=0.25, success=False, seen="The lock shows 7.", family="lock-v1", **changes):
    task = {"family": family, "setting": "d1", "rules": "Open the lock.", "payload": {}}
    steps = (Step(0, seen, (), "I say 3.", "wrong"),)
    return replace(FeedbackResult(name, task, steps, Evaluation("completed", success, score)), **changes)


def fenced(text):
    return f"Here they are:\n```\n{text}\n```"


def says(*replies):
    left = iter(replies)
    return Scripted(lambda request: next(left))


def refined(model, *log, state=START, agent=AGENT, seed=1, **options):
    log = log or (attempted(),)
    context = RefineContext("a" * 40, state, log[-1], log, agent, Ports(model=model), random.Random(seed))
    return asyncio.run(make(options).refine(context))


def acted(state, **options):
    actor = make(options).actor(state, AGENT, Ports(), random.Random(1))
    return asyncio.run(actor.act(VIEW)).answer


def known(state):
    return json.loads(state.files[POOL])


# --------------------------------------------------------------------------------------------- what is kept and told


def test_a_failure_leaves_a_version_at_work_beside_the_first_one_and_tells_the_agent():
    (candidate,) = refined(says(fenced(GOOD)))
    assert candidate.parent == "a" * 40
    assert candidate.state.files == {
        **START.files,
        "agent/prompt/instructions.md": GOOD.encode(),
        "method/pool.json": candidate.state.files[POOL],
    }
    assert known(candidate.state) == {
        "at_work": 1,
        "counted": 1,
        "next": 2,
        "versions": [
            {"number": 0, "parent": None, "scores": {"lock-v1 d1": [0.25, 1]}},
            {"number": 1, "parent": 0, "scores": {}},
        ],
    }
    assert acted(candidate.state) == f"Open the lock.\n\n{prompt('heading')}\n\n{GOOD}"
    assert acted(START) == "Open the lock."


def test_a_manifest_says_which_lines_came_and_which_went():
    state = refined(says(fenced(GOOD)))[0].state
    (candidate,) = refined(
        says(fenced(BETTER.replace("one number", "a number"))), attempted(), attempted("h-2"), state=state
    )
    opinions = [(opinion["op"], opinion["text"]) for opinion in candidate.manifest["opinions"]]
    assert opinions in (
        [("add", "Check it twice."), ("add", "Answer with a number."), ("retract", "Answer with one number.")],
        [("add", line) for line in BETTER.replace("one number", "a number").split("\n")],  # version 0 was drawn
    )
    assert {key: candidate.manifest[key] for key in ("surface", "evidence", "number", "gone", "sent_back")} == {
        "surface": "prompt",
        "evidence": ["h-2", "h-1"],
        "number": 2,
        "gone": [],
        "sent_back": [],
    }


def test_what_works_later_is_counted_for_the_version_that_was_at_work():
    state = refined(says(fenced(GOOD)), attempted("h-1", score=0.2))[0].state
    log = (attempted("h-1", score=0.2), attempted("h-2", score=0.8), attempted("h-3", score=0.6))
    (candidate, *_) = refined(says(fenced(BETTER)), *log, state=state)
    scores = {each["number"]: each["scores"] for each in known(candidate.state)["versions"]}
    assert scores == {0: {"lock-v1 d1": [0.2, 1]}, 1: {"lock-v1 d1": [pytest.approx(1.4), 2]}, 2: {}}
    assert candidate.state.files["method/pool/0001/agent/prompt/instructions.md"] == GOOD.encode()


def test_an_attempt_without_a_verdict_counts_for_nobody():
    hidden = attempted("h-1", evaluation=None)
    (candidate,) = refined(says(fenced(GOOD)), hidden, attempted("h-2", score=0.5))
    assert known(candidate.state)["versions"][0]["scores"] == {"lock-v1 d1": [0.5, 1]}


def test_the_files_that_an_agent_brought_are_rewritten_by_turns_and_code_is_not():
    one = refined(says(fenced(GOOD)), attempted(), attempted("h-2"), components="all")[0].state
    other = refined(says(fenced(GOOD)), attempted(), components="all")[0].state
    assert (one.files["agent/system.md"], INSTRUCTIONS in one.files) == (GOOD.encode(), False)
    assert (other.files["agent/system.md"], other.files[INSTRUCTIONS]) == (b"Be brief.", GOOD.encode())
    assert one.files["method/pool/0000/agent/system.md"] == b"Be brief."
    assert one.files["agent/tool.py"] == b"Be brief."


# --------------------------------------------------------------------------------------------- what is asked


def test_it_asks_the_published_question_over_this_failure_and_the_two_before_it():
    model = says(fenced(GOOD))
    log = (attempted("h-1"), attempted("h-2"), attempted("h-3", success=True), attempted("h-4"), attempted("h-5"))
    refined(model, *log)
    (request,) = model.asked
    assert request.role == "improver"
    assert request.messages[0].text == opening("", [log[4], log[3], log[1]], "published")
    assert request.messages[0].text.count("# Example ") == 3
    assert "I provided an assistant with the following instructions" in request.messages[0].text


def test_the_general_question_asks_for_what_helps_elsewhere():
    model = says(fenced(GOOD))
    refined(model, question="general", minibatch=1)
    text = model.asked[0].messages[0].text
    assert text.startswith("Somebody works on tasks with the instructions below.")
    assert "Seen: The lock shows 7." in text
    assert "<" not in text.replace("->", "")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I would rather not.", "there are no ``` marks in it, between which the new instructions belong"),
        ("```\n\n```", "there is nothing between its ``` marks"),
        (fenced("x" * 6001), "it has 6001 characters, and at most 6000 are kept"),
        (ModelReply(fenced(GOOD), "m", "length"), "it was cut off before its end, so it is too long"),
    ],
)
def test_a_reply_that_is_no_prompt_is_sent_back_and_the_next_one_taken(reply, reason):
    model = says(reply, fenced(GOOD))
    (candidate,) = refined(model)
    assert candidate.manifest["sent_back"] == [reason]
    assert model.asked[1].messages[-1].text.startswith(f"That cannot be taken as the new instructions: {reason}.")


def test_what_stays_as_it_was_is_no_change():
    brief = refined(says(*[fenced("Be  brief.")] * 3), attempted(), components="prompts")
    assert brief.reason == f"no reply was a prompt: {'; '.join(['it is what the instructions were already'] * 3)}"


def test_a_passage_of_sixty_characters_of_a_task_is_refused_and_one_of_fifty_nine_is_not():
    seen = "A lock of the third door on the left side shows seven and then eleven, twice."
    model = says(fenced(f"Remember:{seen[:60]}"), fenced(f"Remember:{seen[:59]}!"))
    (candidate,) = refined(model, attempted(seen=seen))
    assert candidate.state.files[INSTRUCTIONS].decode() == f"Remember:{seen[:59]}!"
    (reason,) = candidate.manifest["sent_back"]
    assert reason == f"it copies from an example, which is of no use in another task: {seen[:60]}"
    (unguarded,) = refined(says(fenced(f"Remember:{seen}")), attempted(seen=seen), overlap=0)
    assert unguarded.state.files[INSTRUCTIONS].decode() == f"Remember:{seen}"


def test_a_copy_is_one_however_its_lines_are_broken_and_the_rules_may_be_said_again():
    seen = "A lock of the third door on the left side shows seven and then eleven, twice."
    broken = fenced(seen.replace(" ", "\n"))
    assert isinstance(refined(says(broken, broken, broken), attempted(seen=seen)), Skipped)
    ruled = attempted(seen=seen)
    ruled = replace(ruled, task={**ruled.task, "rules": seen})
    assert refined(says(fenced(seen)), ruled)[0].state.files[INSTRUCTIONS].decode() == seen


def test_three_replies_of_no_use_skip_the_update():
    skipped = refined(says("no", "no", "no"))
    assert isinstance(skipped, Skipped)
    assert skipped.reason.count("there are no ``` marks") == 3


@pytest.mark.parametrize("told", [attempted(success=True), attempted(evaluation=None), attempted(trajectory=())])
def test_where_nothing_failed_or_nobody_knows_it_asks_nothing(told):
    assert tuple(refined(says(), told)) == ()


def test_without_a_model_it_says_what_to_give():
    with pytest.raises(InstrumentFault, match=r"give method\.model or agent\.model"):
        refined(None)


# --------------------------------------------------------------------------------------------- whom it rewrites


def version(number, **scores):
    return Version(number, None, {}, {bucket: Tally(total, many) for bucket, (total, many) in scores.items()})


def test_estimates_are_means_drawn_to_the_mean_of_all_by_two_attempts():
    both = Pool((version(0, a=(1.0, 4)), version(1, a=(3.0, 4))), 0, 8, 2)
    # all: 4 in 8, so 0.5; version 0: (1 + 2 x 0.5) / 6, version 1: (3 + 2 x 0.5) / 6
    assert both.estimates() == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert both.best() == 1
    unknown = Pool((version(0, a=(1.0, 4)), version(1)), 1, 4, 2)
    assert unknown.estimates() == [0.25, 0.25]
    assert unknown.best() == 1  # at work, and no worse as far as anybody knows


def test_a_front_is_who_is_best_in_each_setting_and_a_parent_is_drawn_by_how_often_it_is():
    three = Pool(
        (version(0, a=(1, 1), b=(0, 1)), version(1, a=(0, 1), b=(1, 1), c=(1, 1)), version(2, a=(0, 1))), 0, 6, 3
    )
    assert three.fronts() == {"a": {0}, "b": {1}, "c": {1}}
    drawn = [package.parent(three.fronts(), three.estimates(), random.Random(seed)) for seed in range(3000)]
    assert set(drawn) == {0, 1}
    assert drawn.count(1) / 3000 == pytest.approx(2 / 3, abs=0.035)  # four standard errors


def test_a_version_that_did_better_before_is_proposed_to_go_back_to():
    first = refined(says(fenced(GOOD)), attempted("h-1", score=0.9))[0].state
    log = (attempted("h-1", score=0.9), *(attempted(f"h-{n}", score=0.0) for n in range(2, 5)))
    rewritten, back = refined(says(fenced(BETTER)), *log, state=first)
    assert (rewritten.manifest["number"], back.manifest["number"], back.manifest["kind"]) == (2, 0, "rollback")
    assert INSTRUCTIONS not in back.state.files
    assert back.state.files["method/pool/0001/agent/prompt/instructions.md"] == GOOD.encode()
    assert acted(back.state) == acted(START)
    (alone,) = refined(says("no", "no", "no"), *log, state=first)
    assert alone.manifest["kind"] == "rollback"


def test_a_full_pool_lets_those_go_that_did_worst_and_never_the_first_or_the_parent():
    full = Pool((version(0, a=(0, 4)), version(1, a=(1, 4)), version(2, a=(2, 4)), version(3, a=(3, 4))), 3, 16, 4)
    after, gone = pool.grown(full, 1, {"agent/x.md": "new"}, most=4)
    assert gone == [2]
    assert [each.number for each in after.versions] == [0, 1, 3, 4]
    assert (after.at_work, after.next) == (4, 5)


def test_a_candidate_is_taken_only_where_it_beat_the_incumbent_on_the_instance():
    method, context = make({}), None

    def chosen(incumbent, *scores):
        trials = [Trial(number, (outcome,)) for number, outcome in enumerate(scores)]
        return asyncio.run(method.select(context, Trial(-1, (incumbent,)), trials))

    assert chosen(Score(0.5), Score(0.5)) == Selection(None, "no candidate was above the incumbent")
    assert chosen(Score(0.5), Score(0.6), Score(0.7)).chosen == 1
    assert chosen(Score(0.5), Fault("model", "down"), Score(0.7)).chosen == 1


# --------------------------------------------------------------------------------------------- options and bounds


def test_an_agent_with_instructions_of_its_own_or_without_prompts_is_refused():
    with pytest.raises(UsageError, match=r"keeps its instructions in agent/prompt/instructions\.md"):
        make({}).initial_state(Agent(files=(INSTRUCTIONS,)))
    with pytest.raises(UsageError, match="agent 'agent' brings none"):
        make({"components": "prompts"}).initial_state(Agent(files=("agent/tool.py",)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials is a whole number from 1 up, seen 0"),
        ({"pool": 2}, "pool is a whole number from 3 up, seen 2"),
        ({"characters": 20_001}, "characters is from 1 to 20000, seen 20001"),
        ({"components": "tools"}, "components is one of instructions, prompts, all, seen 'tools'"),
        ({"minibach": 3}, "did you mean 'minibatch'?"),
    ],
)
def test_an_option_out_of_bounds_is_told_with_its_mend(options, message):
    with pytest.raises(UsageError) as told:
        make(options)
    assert message in str(told.value)


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "gepa", None)
    with pytest.raises(UsageError, match=r'needs the package gepa, which is not installed; pip install "rung\[gepa\]"'):
        make({})


@pytest.mark.parametrize("broken", ["gepa.gepa_utils", "gepa.strategies.instruction_proposal"])
def test_a_package_that_is_there_and_broken_is_told_before_a_study_starts(monkeypatch, broken: str):
    monkeypatch.setitem(sys.modules, broken, None)
    with pytest.raises(UsageError, match=r"gepa, which is installed and cannot be used \(.*\); install it anew"):
        make({})


def test_nothing_that_is_asked_is_longer_than_what_a_rehearsal_asks():
    method = make({"max_tokens": 400})
    heard = Scripted(lambda request: "no" * 1000)
    log = [attempted(f"h-{n}") for n in range(3)]
    fullest = method.fullest(START, log[-1])
    context = RefineContext("a" * 40, fullest, log[-1], [log[-1]], AGENT, Ports(model=heard), random.Random(1))
    assert isinstance(method, rehearsal.Exhaustible)
    asyncio.run(method.exhaust(context))
    most = [sum(len(message.text.encode()) for message in request.messages) for request in heard.asked]
    asked = says("no", fenced("x" * 7000), "no" * 3000)
    state = State({**START.files, INSTRUCTIONS: ("y" * 400).encode()})
    refined(asked, *log, state=state, max_tokens=400)
    seen = [sum(len(message.text.encode()) for message in request.messages) for request in asked.asked]
    assert len(most) == len(seen) == 3
    assert all(mine <= bound for mine, bound in zip(seen, most, strict=True))
