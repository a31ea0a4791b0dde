"""No check that cannot fail: bugs planted in an honest method are caught by the checks named with them alone."""

import itertools
import json
import random
from contextlib import suppress
from dataclasses import replace
from statistics import fmean

import pytest

from rung.core.errors import InstrumentFault
from rung.core.surface import Surface
from rung.core.values import Candidate, Message, ModelRequest, Score, Selection, State
from rung.testing.contracts import SUITES, MethodCase, run_suite

BUGS = []


def bug(*caught_by):
    def plant(method):
        BUGS.append(pytest.param(MethodCase(method), set(caught_by), id=method.__name__))
        return method

    return plant


def mean(trial):
    scores = [outcome.value for outcome in trial.outcomes if isinstance(outcome, Score)]
    return fmean(scores) if scores else None


class Honest:
    """Keeps a note of the last attempt, written by a model, and counts attempts in a buffer of its own."""

    id = "honest"
    trials = 1
    wrapping = ""
    needs_model = True

    def initial_state(self, agent):
        return State({**agent.harness(), "method/count.json": b"0"})

    def actor(self, state, agent, ports, rng):
        return agent.actor(state, ports, rng)

    async def note(self, context):
        told = context.feedback.trajectory[-1].response if context.feedback.trajectory else "nothing"
        reply = await context.ports.model.generate(ModelRequest((Message("user", told[:100]),), "improver"))
        return reply.text[:1000].encode("utf-8", "replace")

    async def refine(self, context):
        count = json.loads(context.state.files["method/count.json"]) + 1
        files = {"agent/note.md": await self.note(context), "method/count.json": str(count).encode()}
        return [Candidate(context.snapshot, context.state.with_files(files), {"count": count})]

    async def select(self, context, incumbent, trials):
        bar = mean(incumbent)
        if bar is None:
            return Selection(None)
        means = [(mean(trial), trial.candidate) for trial in trials]
        best = max([(score, index) for score, index in means if score is not None], default=(bar, None))
        return Selection(best[1] if best[0] > bar else None)


def test_an_honest_method_passes():
    assert [finding for finding in run_suite("methods", MethodCase(Honest)) if not finding.passed] == []


# --------------------------------------------------------------------------------------------- states


@bug("the_first_state_is_legal")
class DropsTheHarness(Honest):
    def initial_state(self, agent):
        return State({"method/count.json": b"0"})


@bug(
    "the_first_state_is_legal",
    "candidates_are_legal_and_come_from_the_snapshot_in_hand",
    "a_hidden_verdict_is_no_obstacle",
    "odd_feedback_is_survived",
    "any_answer_of_the_model_is_survived",
    "files_the_agent_ruined_are_the_agents_fault",
)
class KeepsAPickle(Honest):
    def initial_state(self, agent):
        return super().initial_state(agent).with_files({"method/archive.pkl": b"\x80\x04\x95"})


@bug("a_method_says_what_it_is")
class IsNamedAfterItself(Honest):
    made = itertools.count()

    def __init__(self):
        self.id = f"honest {next(self.made)}"


@bug("candidates_are_legal_and_come_from_the_snapshot_in_hand")
class InventsAParent(Honest):
    async def refine(self, context):
        return [replace(candidate, parent="HEAD") for candidate in await super().refine(context)]


@bug("candidates_are_legal_and_come_from_the_snapshot_in_hand")
class HasAManifestThatIsNoJson(Honest):
    async def refine(self, context):
        return [replace(candidate, manifest={"gain": float("inf")}) for candidate in await super().refine(context)]


@bug("the_same_context_gives_the_same_candidates")
class DrawsFromTheGlobalRandom(Honest):
    async def note(self, context):
        return str(random.getrandbits(64)).encode()


@bug("the_same_context_gives_the_same_candidates")
class RemembersInTheObject(Honest):
    seen = 0

    async def note(self, context):
        self.seen += 1
        return f"attempt {self.seen}".encode()


@bug("refining_changes_nothing_in_the_context")
class WritesIntoTheContextInPlace(Honest):
    async def refine(self, context):
        found = await super().refine(context)
        context.state.files["agent/note.md"] = b"changed"
        return found


@bug(
    "a_hidden_verdict_is_no_obstacle",
    "candidates_are_legal_and_come_from_the_snapshot_in_hand",
    "the_same_context_gives_the_same_candidates",
    "refining_changes_nothing_in_the_context",
)
class NeedsTheVerdict(Honest):
    async def refine(self, context):
        return await super().refine(context) if context.feedback.evaluation.score < 2 else ()


@bug(
    "odd_feedback_is_survived",
    "candidates_are_legal_and_come_from_the_snapshot_in_hand",
    "the_same_context_gives_the_same_candidates",
    "refining_changes_nothing_in_the_context",
)
class NeedsATrajectory(Honest):
    async def refine(self, context):
        assert context.feedback.trajectory[0] is not None
        return await super().refine(context)


@bug("odd_feedback_is_survived")
class CannotSpellASurrogate(Honest):
    async def refine(self, context):
        for step in context.feedback.trajectory:
            step.response.encode()
        return await super().refine(context)


@bug("odd_feedback_is_survived")
class KeepsAllItHears(Honest):
    async def note(self, context):
        return "".join(step.response for step in context.feedback.trajectory).encode("utf-8", "replace")


@bug("any_answer_of_the_model_is_survived")
class TakesAnAnswerForJson(Honest):
    async def note(self, context):
        text = (await super().note(context)).decode()
        return json.dumps(json.loads(text)).encode() if text.startswith(("{", "[")) else text.encode()


@bug("any_answer_of_the_model_is_survived")
class WritesWhereTheModelSays(Honest):
    async def refine(self, context):
        found = await super().refine(context)
        text = found[0].state.files["agent/note.md"].decode()
        paths = json.loads(text[8:-4]) if text.startswith('```json\n{"method') else {}
        return [replace(found[0], state=found[0].state.with_files(dict.fromkeys(paths, b"")))]


@bug("a_model_that_is_down_is_a_fault")
class SwallowsTheFault(Honest):
    async def refine(self, context):
        try:
            return await super().refine(context)
        except InstrumentFault:
            return ()


@bug("a_method_that_cannot_refine_without_a_model_says_so")
class DoesNotSayThatItNeedsAModel(Honest):
    needs_model = False


@bug("files_the_agent_ruined_are_the_agents_fault")
class TrustsTheAgentsFiles(Honest):
    async def refine(self, context):
        context.state.files.get("agent/note.md", b"").decode()
        return await super().refine(context)


@bug("nothing_of_the_method_reaches_the_actor")
class HandsOverWhatItRemembers(Honest):
    state = None

    async def refine(self, context):
        self.state = context.state
        return await super().refine(context)

    def actor(self, state, agent, ports, rng):
        return agent.actor(self.state or state, ports, rng)


@bug("nothing_of_the_method_reaches_the_actor")
class ReadsItsBufferToAct(Honest):
    def actor(self, state, agent, ports, rng):
        assert state.files["method/count.json"]
        return agent.actor(state, ports, rng)


@bug("every_candidate_lies_on_the_methods_own_surface")
class LeavesItsSurface(Honest):
    surface = Surface(write=("agent/other.md", "method/count.json"))


@bug("every_candidate_lies_on_the_methods_own_surface")
class KeepsWhateverPython(Honest):
    async def refine(self, context):
        (made,) = await super().refine(context)
        return [replace(made, state=made.state.with_files({"agent/note.py": made.state.files["agent/note.md"]}))]


@bug("no_code_of_an_improver_runs_in_this_process")
class RunsWhatItIsTold(Honest):
    async def note(self, context):
        note = await super().note(context)
        with suppress(Exception):
            exec(json.loads(note)["text"], {})  # the bug
        return note


# --------------------------------------------------------------------------------------------- selection


def choosing(choose):
    class Chooser(Honest):
        async def select(self, context, incumbent, trials):
            return Selection(choose(incumbent, trials))

    return Chooser


def worth(trial):
    return fmean([outcome.value if isinstance(outcome, Score) else 0.0 for outcome in trial.outcomes])


def keeps_the_worse(incumbent, trials):
    """DGM's bug: an ascending sort, and the first taken."""
    ranked = sorted([trial for trial in trials if mean(trial) is not None], key=mean)
    return ranked[0].candidate if ranked and mean(incumbent) is not None else None


def forgets_the_incumbent(incumbent, trials):
    measured = [trial for trial in trials if mean(trial) is not None]
    return max(measured, key=mean).candidate if measured and mean(incumbent) is not None else None


def reads_a_fault_as_zero(incumbent, trials):
    best = max(trials, key=worth, default=incumbent)
    return best.candidate if worth(best) > worth(incumbent) else None


def forgives_a_faulted_incumbent(incumbent, trials):
    best = max([t for t in trials if mean(t) is not None], key=mean, default=None)
    return best.candidate if best and mean(best) > (mean(incumbent) or 0.0) else None


SELECTIONS = [
    (keeps_the_worse, {"a_worse_candidate_is_never_kept", "a_fault_is_no_score"}),
    (forgets_the_incumbent, {"a_worse_candidate_is_never_kept", "a_fault_is_no_score"}),
    (reads_a_fault_as_zero, {"a_fault_is_no_score"}),
    (forgives_a_faulted_incumbent, {"a_fault_is_no_score"}),
]
BUGS += [pytest.param(MethodCase(choosing(choose)), caught, id=choose.__name__) for choose, caught in SELECTIONS]


@bug("a_selection_is_an_index_or_none")
class CountsFromOne(Honest):
    async def select(self, context, incumbent, trials):
        found = await super().select(context, incumbent, trials)
        return Selection(len(trials)) if len(trials) == 5 and found.chosen is not None else found


@bug("silence_changes_nothing")
class ChoosesFromNothing(Honest):
    async def select(self, context, incumbent, trials):
        return await super().select(context, incumbent, trials) if trials else Selection(0)


@pytest.mark.parametrize(("case", "caught_by"), BUGS)
def test_a_planted_bug_is_caught(case, caught_by):
    failed = {finding.name for finding in run_suite("methods", case) if not finding.passed}
    assert failed == caught_by


def test_every_check_has_caught_a_bug():
    caught = set().union(*(param.values[1] for param in BUGS))
    assert caught == {check.__name__ for check in SUITES["methods"]}


def test_a_method_that_is_not_gated_is_not_asked_to_choose_by_score():
    takes_all = choosing(lambda incumbent, trials: trials[0].candidate if trials else None)
    findings = run_suite("methods", MethodCase(takes_all, gated=False))
    assert all(finding.passed for finding in findings)
