"""Reflexion with a scripted improver: what it asks, takes and keeps, and what the acting agent is told."""

import asyncio
import hashlib
import json
import random
import re
from dataclasses import dataclass, field, replace

import pytest

from rung.core.errors import EmptyReply, InstrumentFault, UsageError
from rung.core.ports import Ports, RefineContext
from rung.core.values import (
    Action,
    Call,
    Evaluation,
    FeedbackResult,
    Image,
    ModelReply,
    Outcome,
    Score,
    Selection,
    Skipped,
    State,
    Step,
    Trial,
    View,
)
from rung.methods.reflexion import make
from rung.methods.reflexion.memory import MAX_BYTES, MAX_CHARACTERS, MEMORY, Place, Reflection, place_of_view, split
from rung.methods.reflexion.writing import prompt
from rung.methods.static import Static
from rung.testing.models import Scripted

GOOD = "I answered 3 although 7 was shown. Next time I will work out the answer first."
OTHER = "I did not read the rules to their end. Next time I will read them twice."
FIRST = View("The lock shows 7.", rules="Open the lock.", family="lock-v1", setting="d1")
SECOND = View("The lock shows 8.", rules="Open the lock.", family="lock-v1", setting="d1", reply="Taken.")


def step(index=0, *, prompt="The lock shows 7.", action="I say 3.", **told):
    return Step(index, prompt, (), action, "wrong", **told)


def feedback(*steps, name="h-17", family="lock-v1", success=False, score=0.25, said=None, **changes):
    task = {"family": family, "setting": "d1", "rules": "Open the lock.", "payload": {}}
    measured = Evaluation("completed", success=success, score=score, feedback=said, metrics={"right": 0})
    return replace(FeedbackResult(name, task, steps or (step(),), measured), **changes)


@dataclass(frozen=True)
class Agent:
    """An agent that answers with the rules it was told."""

    id: str = "agent"
    files: tuple[str, ...] = ("agent/system.md",)

    def harness(self):
        return dict.fromkeys(self.files, b"Be brief.")

    def actor(self, state, ports, rng):
        return Echo()


class Echo:
    async def act(self, view):
        return Action(view.rules)


AGENT = Agent()
START = State(AGENT.harness())


def says(*replies):
    """An improver that gives these replies one after the other; errors are raised."""
    left = iter(replies)

    def answer(request):
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return Scripted(answer)


def refined(model, told=None, *, state=START, **options):
    context = RefineContext("a" * 40, state, told or feedback(), (), AGENT, Ports(model=model), random.Random(1))
    return asyncio.run(make(options).refine(context))


def taught(*lessons, **options):
    """The state after these attempts, each with the reflection on it."""
    state = START
    for told, text in lessons:
        (candidate,) = refined(says(text), told, state=state, **options)
        state = candidate.state
    return state


def records(state):
    return [json.loads(line) for line in state.files[MEMORY].decode().splitlines()]


def texts(state):
    return [record["text"] for record in records(state)]


def acted(state, *views, agent=AGENT, **options):
    actor = make(options).actor(state, agent, Ports(), random.Random(1))

    async def play():
        return [(await actor.act(view)).answer for view in views]

    return asyncio.run(play())


# --------------------------------------------------------------------------------------------- what is kept


def test_a_failure_leaves_one_record_on_one_line_and_a_manifest_that_tells_of_it():
    (candidate,) = refined(says(f"  {GOOD}\n"))
    instance = place_of_view(FIRST).instance
    record = {"bucket": "lock-v1", "id": records(candidate.state)[0]["id"], "instance": instance, "text": GOOD}
    spelt = json.dumps(record, sort_keys=True, separators=(",", ":"))
    assert candidate.state.files == {**START.files, "agent/memory/reflections.jsonl": f"{spelt}\n".encode()}
    assert candidate.parent == "a" * 40
    assert candidate.manifest == {
        "kind": "new",
        "surface": "memory",
        "files": ["agent/memory/reflections.jsonl"],
        "evidence": ["h-17"],
        "opinions": [{"op": "add", "id": record["id"], "text": GOOD}],
        "dropped": 0,
        "sent_back": [],
    }


def test_the_same_attempts_and_replies_give_the_same_bytes_and_other_ones_do_not():
    lessons = [(feedback(name="h-1"), GOOD), (feedback(name="h-2"), OTHER)]
    assert taught(*lessons).files == taught(*lessons).files
    assert records(taught(*lessons))[0]["id"] != records(taught((feedback(name="h-3"), GOOD)))[0]["id"]


def test_a_new_record_leaves_the_older_lines_as_they_are():
    before = taught((feedback(), GOOD)).files[MEMORY]
    after = taught((feedback(), GOOD), (feedback(name="h-2"), OTHER)).files[MEMORY]
    assert after.startswith(before)
    assert after.count(b"\n") == 2


def test_beyond_the_cap_the_oldest_is_dropped_and_said_to_be():
    old = taught((feedback(name="h-1"), GOOD), (feedback(name="h-2"), OTHER))
    (candidate,) = refined(says("A third reflection that is long enough."), state=old, keep=2)
    assert texts(candidate.state) == [OTHER, "A third reflection that is long enough."]
    gone = {"op": "retract", "id": records(old)[0]["id"], "text": GOOD}
    assert candidate.manifest["dropped"] == 1
    assert candidate.manifest["opinions"][1:] == [gone]


def test_the_newest_records_that_fit_the_bytes_are_kept():
    one = Reflection("r-1", Place("lock-v1", "i"), "a" * 967)
    assert len(f"{one.line()}\n") == 1024
    dropped, kept = split([one] * 133, 1000)
    assert (len(dropped), len(kept)) == (5, 128)
    assert MAX_BYTES == 128 * 1024


def test_a_reflection_is_one_line_whatever_the_model_wrote():
    odd = 'I wrote\r\n{"text": "x"}\u2028and\x00 \u202ea line\x85\ttoo\ud800 many\ufeff, \u200bnext time less.'
    state = taught((feedback(), odd))
    assert state.files[MEMORY].count(b"\n") == 1
    assert texts(state) == ['I wrote {"text": "x"} and a line too many, next time less.']
    told = acted(state, FIRST)[0]
    assert told.splitlines()[-1] == '- I wrote {"text": "x"} and a line too many, next time less.'


def test_lines_that_are_no_record_are_left_out_and_the_others_stay():
    whole = taught((feedback(), GOOD)).files[MEMORY]
    other = whole.replace(b"lock-v1", b"lamp-v1")
    ruined = [b"\xff\xfe", b"[" * 5000, b"null", b'{"text": "x"}', whole.strip().replace(b'"lock-v1"', b"7"), b""]
    state = START.with_files({MEMORY: whole + b"\n".join(ruined) + b"\n" + other})
    (candidate,) = refined(says(OTHER), state=state)
    assert [(record["bucket"], record["text"]) for record in records(candidate.state)] == [
        ("lock-v1", GOOD),
        ("lamp-v1", GOOD),
        ("lock-v1", OTHER),
    ]


def test_a_record_that_somebody_edited_is_told_as_one_line_of_at_most_so_many_characters():
    record = {**records(taught((feedback(), GOOD)))[0], "text": f"one\n\u202etwo {'x' * 5000}"}
    state = START.with_files({MEMORY: json.dumps(record).encode()})
    line = acted(state, FIRST)[0].splitlines()[-1]
    assert line == f"- one two {'x' * (MAX_CHARACTERS - 8)}"


# --------------------------------------------------------------------------------------------- when it reflects


@pytest.mark.parametrize(
    "told",
    [
        feedback(success=True, score=1.0),
        feedback(evaluation=None),
        feedback(trajectory=()),
    ],
    ids=["a success", "a hidden verdict", "no steps"],
)
def test_without_a_known_failure_nothing_is_asked_and_nothing_proposed(told):
    model = says()
    assert refined(model, told) == ()
    assert model.asked == []


def test_a_method_without_a_model_is_a_fault_and_says_that_it_needs_one():
    assert make({}).needs_model is True
    with pytest.raises(InstrumentFault, match=r"give method\.model or agent\.model"):
        refined(None)


@pytest.mark.parametrize("error", [EmptyReply("model", "nothing"), InstrumentFault("model", "connection reset")])
def test_what_the_model_raises_passes_through(error):
    with pytest.raises(InstrumentFault) as caught:
        refined(says(error))
    assert caught.value is error


# --------------------------------------------------------------------------------------------- what is taken

LONG = "word " * (MAX_CHARACTERS // 5 + 1)
BAD = {
    "it has 0 words, and a reflection has at least 6": ["", " \n\x00"],
    "it has 5 words, and a reflection has at least 6": ["I will answer with seven."],
    f"it has {len(LONG) - 1} characters, and at most {MAX_CHARACTERS} are kept": [LONG],
    "it was cut off before its end, so it is too long": [ModelReply(GOOD, "scripted", "length")],
    "it is code or JSON, as an answer to the task would be": [
        '{"plan": [1, 2, 3, 4, 5, 6]} is my answer',
        '["buy the seeds", "plant them", "sell"]',
        '{"plan": ["I looked at the seeds first and then I sold',
        f"{GOOD}\n```\nanswer(7)\n```",
    ],
    "it repeats what was answered in the attempt": ["i say that THE answer\n to it is 3."],
    "it repeats the instructions or an example, and says nothing of this attempt": [
        prompt("example_1_reflection"),
        prompt("example_2_reflection"),
        "Next time I will work out EVERY combination that fits",
        prompt("system").splitlines()[0],
    ],
}
BAD_REPLIES = [(reason, reply) for reason, replies in BAD.items() for reply in replies]
SAID = feedback(step(action="I say that the answer to it is 3."))


@pytest.mark.parametrize(("reason", "reply"), BAD_REPLIES)
def test_a_reply_that_is_no_reflection_is_sent_back_with_the_reason(reason, reply):
    model = says(reply, GOOD)
    (candidate,) = refined(model, SAID)
    assert texts(candidate.state) == [GOOD]
    assert candidate.manifest["sent_back"] == [reason]
    first, second = (request.messages for request in model.asked)
    assert second[: len(first)] == first
    assert [message.author for message in second[len(first) :]] == ["assistant", "user"]
    assert second[-1].text.startswith(f"That cannot be kept as a reflection: {reason}.\n")
    assert second[-2].text


@pytest.mark.parametrize(("reason", "reply"), BAD_REPLIES)
def test_after_three_such_replies_the_update_is_skipped_and_says_why(reason, reply):
    model = says(reply, reply, reply, GOOD)
    assert refined(model, SAID) == Skipped(f"no reply was a reflection: {reason}; {reason}; {reason}")
    assert len(model.asked) == 3


def test_an_echo_of_being_sent_back_is_no_reflection_and_an_earlier_one_may_come_again():
    model = Scripted(lambda request: request.messages[-1].text)
    copied = next(reason for reason in BAD if "instructions" in reason)
    skipped = refined(model, feedback(step(prompt="view " * 300)))
    assert skipped.reason.split("; ")[1:] == [copied, copied]
    assert texts(taught((feedback(), GOOD), (feedback(name="h-2"), GOOD))) == [GOOD, GOOD]


def test_skipping_is_proposing_nothing():
    assert (len(Skipped("why")), list(Skipped("why"))) == (0, [])


def test_a_reflection_may_quote_a_little_json():
    text = 'I wrote prose, but the rules ask for an object like {"plan": {}}; next time I end with that alone.'
    assert texts(taught((feedback(), text))) == [text]


def test_a_reflection_of_just_as_many_characters_and_words_as_may_be_is_taken():
    longest = ("word " * (MAX_CHARACTERS // 5))[: MAX_CHARACTERS - 1] + "s"
    assert (len(longest), texts(taught((feedback(), longest)))) == (MAX_CHARACTERS, [longest])
    assert texts(taught((feedback(), "one two three four five six"))) == ["one two three four five six"]


# --------------------------------------------------------------------------------------------- what is asked


def question(told=None, *, state=START, **options):
    model = says(GOOD)
    refined(model, told, state=state, **options)
    return model.asked[0]


def test_the_improver_is_shown_two_examples_and_then_the_attempt():
    request = question(feedback(step(feedback="it was 9"), step(1, action=Call("say", {"n": 1})), said="try harder"))
    assert [message.author for message in request.messages] == ["system", *["user", "assistant"] * 2, "user"]
    assert [message.text for message in request.messages[:5]] == [
        prompt(name)
        for name in (
            "system",
            "example_1_attempt",
            "example_1_reflection",
            "example_2_attempt",
            "example_2_reflection",
        )
    ]
    assert (
        request.messages[5].text
        == """\
RULES OF THE TASK
Open the lock.

THE ATTEMPT
Step 1
Seen: The lock shows 7.
Done: I say 3.
Answered: wrong
Said of it: it was 9
Step 2
Seen: The lock shows 7.
Done: say {"n":1}
Answered: wrong

HOW IT ENDED
completed, not solved, score 0.25
Measured: {"right":0}
Said of it: try harder

EARLIER REFLECTIONS, OLDEST FIRST
(none)

Write a reflection on this attempt."""
    )


def test_the_examples_have_the_form_of_the_question():
    form = re.compile(prompt("ask").replace("$rules", ".+").replace("$attempt", ".+").replace("$ending", ".+"), re.S)
    for name in ("example_1_attempt", "example_2_attempt"):
        assert re.fullmatch(form.pattern.replace("$earlier", ".+"), prompt(name), re.S)


def test_the_decoding_is_the_methods_own():
    usual, own = question(), question(max_tokens=9, temperature=1)
    assert (usual.role, usual.max_tokens, usual.temperature, usual.tools) == ("improver", 512, None, ())
    assert (own.max_tokens, own.temperature) == (9, 1.0)


def test_the_last_three_reflections_that_apply_are_shown_again():
    state = taught(*[(feedback(name=f"h-{n}"), f"{GOOD} {n}") for n in range(5)])
    state = taught_more(state, feedback(family="lamp-v1"), OTHER)
    shown = question(state=state).messages[-1].text.split("OLDEST FIRST\n")[1].split("\n\n")[0]
    assert shown.splitlines() == [f"- {GOOD} {n}" for n in (2, 3, 4)]


def taught_more(state, told, text):
    (candidate,) = refined(says(text), told, state=state)
    return candidate.state


def test_a_long_attempt_loses_its_middle_and_says_so():
    steps = [step(n, prompt=f"view {n} " + "x" * 5000) for n in range(40)]
    text = question(feedback(*steps)).messages[-1].text
    assert len(text) < 13_000
    assert "view 0 " in text
    assert text.count("characters left out]") >= 3
    assert "Step 40\nSeen: view 39 " in text


def test_foreign_texts_are_values_of_the_template_and_no_part_of_it():
    asked = question(feedback(step(prompt="$rules ${ending} $$ \ud800", action="$nothing"))).messages[-1].text
    assert "Seen: $rules ${ending} $$ ?\nDone: $nothing\n" in asked


# --------------------------------------------------------------------------------------------- what the agent is told


def test_without_reflections_the_agents_own_actor_acts_and_nothing_is_added():
    method = make({})
    assert isinstance(method.actor(START, AGENT, Ports(), random.Random(1)), Echo)
    assert (method.wrapping, method.initial_state(AGENT)) == ("", Static().initial_state(AGENT))


def test_the_reflections_on_the_family_stand_behind_the_rules_newest_last():
    state = taught((feedback(name="h-1"), GOOD), (feedback(name="h-2"), OTHER))
    told = f"Open the lock.\n\n{prompt('heading_bucket')}\n- {GOOD}\n- {OTHER}"
    assert acted(state, FIRST, SECOND, replace(FIRST, setting="d5")) == [told, told, told]


def test_a_task_of_another_family_is_told_nothing_and_gets_no_header():
    state = taught((feedback(), GOOD))
    assert acted(state, replace(FIRST, family="lamp-v1")) == ["Open the lock."]


@pytest.mark.parametrize(("window", "told"), [(0, []), (1, ["2"]), (2, ["1", "2"]), (9, ["0", "1", "2"])])
def test_the_window_is_how_many_are_told(window, told):
    state = taught(*[(feedback(name=f"h-{n}"), f"{GOOD} {n}") for n in range(3)])
    lines = acted(state, FIRST, window=window)[0].splitlines()
    assert [line[-1] for line in lines if line.startswith("- ")] == told
    assert (prompt("heading_bucket") in lines) == bool(told)


def test_the_instance_variant_tells_only_whoever_meets_the_same_instance_again():
    state = taught((feedback(), GOOD), variant="instance")
    told = f"Open the lock.\n\n{prompt('heading_instance')}\n- {GOOD}"
    assert acted(state, FIRST, SECOND, variant="instance") == [told, told]
    picture = (Image("image/png", b"x"),)
    for other in (
        replace(FIRST, text="The lock shows 9."),
        replace(FIRST, rules="Two."),
        replace(FIRST, images=picture),
    ):
        assert acted(state, other, variant="instance") == [other.rules]


def test_a_picture_is_part_of_what_an_instance_is_known_by():
    seen = replace(step(), images=(hashlib.sha256(b"a picture").hexdigest(),))
    state = taught((feedback(seen), GOOD), variant="instance")
    again = replace(FIRST, images=(Image("image/png", b"a picture"),))
    assert acted(state, again, variant="instance")[0].endswith(GOOD)
    assert acted(state, FIRST, variant="instance") == [FIRST.rules]


def test_acting_changes_no_state():
    state = taught((feedback(), GOOD))
    before = dict(state.files)
    acted(state, FIRST, SECOND)
    assert state.files == before


@dataclass(frozen=True)
class Recalling(Agent):
    """An agent whose actors write down what they are reminded of."""

    recalled: list[tuple[str, Action]] = field(default_factory=list)

    def actor(self, state, ports, rng):
        echo = Echo()
        echo.recall = lambda view, action: self.recalled.append((view.rules, action))
        return echo


def test_an_actor_that_recalls_is_reminded_of_the_rules_as_it_was_told_them():
    state, agent = taught((feedback(), GOOD)), Recalling()
    actor = make({}).actor(state, agent, Ports(), random.Random(1))
    actor.recall(FIRST, Action("3"))
    told = asyncio.run(actor.act(SECOND)).answer
    assert agent.recalled == [(told, Action("3"))]
    assert told.endswith(GOOD)


def test_an_actor_that_does_not_recall_does_not_seem_to():
    actor = make({}).actor(taught((feedback(), GOOD)), AGENT, Ports(), random.Random(1))
    assert not hasattr(actor, "recall")


def test_an_agent_that_brings_reflections_of_its_own_is_refused():
    with pytest.raises(
        UsageError, match=r"keeps its reflections in agent/memory/reflections\.jsonl, and agent 'agent'"
    ):
        make({}).initial_state(Agent(files=(MEMORY,)))


# --------------------------------------------------------------------------------------------- what it is


def selection(trials, incumbent, *scores):
    def hand(score) -> tuple[Outcome, ...]:
        return (Score(score),) if trials else ()

    candidates = [Trial(n, hand(score)) for n, score in enumerate(scores)]
    return asyncio.run(make({"trials": trials}).select(None, Trial(-1, hand(incumbent)), candidates))


def test_without_trials_the_candidate_is_taken_and_with_them_it_must_be_better():
    assert selection(0, 0.5, 0.0) == Selection(0, "taken without trial")
    assert selection(1, 0.5, 0.4).chosen is None
    assert selection(1, 0.5, 0.6).chosen == 0


def test_its_name_has_its_variant():
    assert [make({"variant": variant}).id for variant in ("bucket", "instance")] == [
        "reflexion bucket",
        "reflexion instance",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "task"}, "variant is one of bucket, instance, seen 'task'"),
        ({"window": -1}, "window is a whole number from 0 up, seen -1"),
        ({"keep": 0}, "keep is a whole number from 1 up, seen 0"),
        ({"max_tokens": 0}, "max_tokens is a whole number from 1 up, seen 0"),
        ({"temperature": -1}, "temperature is a number from 0 to 2, seen -1.0; leave it out for the provider's"),
        ({"trials": 0.5}, "trials takes a int, seen 0.5; the default is 0"),
        ({"windows": 3}, "unknown key 'windows' (seen: 3); did you mean 'window'?"),
    ],
)
def test_a_wrong_option_is_a_usage_error(options, message):
    with pytest.raises(UsageError, match=f"^method.name = 'reflexion': {re.escape(message)}$"):
        make(options)
