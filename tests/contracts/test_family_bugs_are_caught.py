"""No check that cannot fail: each bug planted in an honest family is caught by the checks named with it alone."""

import itertools
import json
import random
import re
from dataclasses import replace
from typing import ClassVar

import honest_family as honest
import pytest
from honest_family import LENGTH, Episode, Family, Key, Policy, code_of, with_episode

from rung.core.canonical import fingerprint
from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reference, Reply, Scale, Tool
from rung.testing.contracts import SUITES, run_suite

BUGS = []


def bug(*caught_by, key=None):
    """Plant a family, a key (`key=True`) or an episode, and name the checks that must catch it."""

    def plant(thing):
        if issubclass(thing, Episode):
            case = honest.case(with_episode(thing))
        else:
            case = honest.case(key=thing) if issubclass(thing, Key) else honest.case(thing, key or Key)
        BUGS.append(pytest.param(case, set(caught_by), id=thing.__name__))
        return thing

    return plant


def test_an_honest_family_passes():
    assert [finding for finding in run_suite("families", honest.case()) if not finding.passed] == []


# --------------------------------------------------------------------------------------------- settings and draws


@bug("settings_have_names_of_their_own")
class PublishesASettingTwice(Family):
    def settings(self):
        return [self.setting("d1"), self.setting("d2"), self.setting("d1")]


@bug("a_difficulty_beyond_the_published_ones_is_legal")
class KnowsOnlyItsPublishedSettings(Family):
    def setting(self, name):
        if name not in ("d1", "d2", "d3"):
            raise UsageError(f"no setting {name!r}")
        return super().setting(name)


@bug("an_unknown_setting_is_a_usage_error")
class TakesAnyDigitsForASetting(Family):
    def setting(self, name):
        n = int(re.fullmatch(r"d(\d+)", name)[1]) if re.fullmatch(r"d(\d+)", name) else 0
        return super().setting(f"d{n}" if n else name)


@bug("the_same_seed_draws_the_same_task", "the_same_task_has_the_same_fingerprint")
class DrawsFromACounter(Family):
    drawn = itertools.count()

    def draw(self, setting, seed):
        task = super().draw(setting, seed)
        return replace(task, payload={**task.payload, "hint": next(self.drawn)})


@bug(
    "the_same_seed_draws_the_same_task",
    "drawing_leaves_the_global_random_alone",
    "the_same_task_has_the_same_fingerprint",
)
class DrawsFromTheGlobalRandom(Family):
    def draw(self, setting, seed):
        task = super().draw(setting, seed)
        return replace(task, payload={**task.payload, "hint": random.getrandbits(20)})


@bug("drawing_leaves_the_global_random_alone")
class SeedsTheGlobalRandom(Family):
    def draw(self, setting, seed):
        random.setstate(random.Random(seed.path).getstate())
        return super().draw(setting, seed)


@bug("another_seed_draws_another_task", "as_many_tasks_are_met_as_are_counted")
class ForgetsTheSeedOfATask(Family):
    def draw(self, setting, seed):
        return super().draw(setting, Seed("fixed"))


@bug(
    "a_task_says_what_it_is",
    "every_episode_ends_within_its_calls",
    "the_solver_reaches_the_reference",
    "the_solver_makes_legal_calls",
)
class DeclaresNoCalls(Family):
    def draw(self, setting, seed):
        return replace(super().draw(setting, seed), calls=0)


@bug("a_task_says_what_it_is")
class HasNoVersion(Family):
    id = "honest"


@bug("a_payload_is_finite_json")
class CountsKeysWithNumbers(Family):
    def draw(self, setting, seed):
        task = super().draw(setting, seed)
        return replace(task, payload={**task.payload, "names": {1: "one", 10: "ten", 2: "two"}})


@bug("every_setting_has_admitted_tasks")
class AdmitsEverySecondTime(Key):
    asked = 0

    def admit(self, task):
        self.asked += 1
        return self.asked % 2 == 1


@bug("the_same_task_has_the_same_fingerprint")
class FingerprintsTheVisit(Key):
    visits = 0

    def fingerprint(self, task):
        self.visits += 1
        return fingerprint([task.payload, self.visits])


@bug("another_problem_has_another_fingerprint", "as_many_tasks_are_met_as_are_counted")
class FingerprintsTheSetting(Key):
    def fingerprint(self, task):
        return fingerprint([task.payload["keys"]])


@bug("a_fingerprint_is_blind_to_the_seed")
class FingerprintsTheSeed(Key):
    def fingerprint(self, task):
        return task.seed


@bug("numbers_in_the_rules_come_from_the_task")
class WritesANumberIntoItsRules(Family):
    def rules(self, task):
        return f"{super().rules(task)}\nThe door closes after 77 calls."


@bug("the_rules_follow_the_setting", "numbers_in_the_rules_come_from_the_task")
class WritesTheRulesOfTheFirstDifficulty(Family):
    def rules(self, task):
        return super().rules(replace(task, payload={**task.payload, "keys": 13}))


@bug("rules_are_a_function_of_the_task")
class PutsTheSeedIntoItsRules(Family):
    def rules(self, task):
        words = "abcdefghij"
        return (
            f"{super().rules(task)}\nThe door is called {words[sum(i * ord(c) for i, c in enumerate(task.seed)) % 10]}."
        )


# --------------------------------------------------------------------------------------------- counted tasks


class Few(Family):
    """Twelve doors a setting, each as likely as any other; as many are as good as none where they are counted."""

    def draw(self, setting, seed):
        return super().draw(setting, Seed(f"door {seed.child('which').rng().randrange(12)}"))


class Twelve(Key):
    def space(self, setting):
        return 12


FEW = {"another_seed_draws_another_task"}
"""What is broken by a family that draws from twelve doors and is not `Pooled`."""


def test_an_honest_small_space_is_believed():
    failed = {finding.name for finding in run_suite("families", honest.case(Few, Twelve)) if not finding.passed}
    assert failed == FEW


def test_an_honest_space_that_is_drawn_from_unevenly_is_believed():
    failed = {finding.name for finding in run_suite("families", honest.case(Uneven, Thousand)) if not finding.passed}
    assert failed == FEW


class Uneven(Family):
    """One door half of the time, and else one of 1023."""

    def draw(self, setting, seed):
        rng = seed.child("which").rng()
        return super().draw(setting, Seed(f"door {rng.randrange(1023) if rng.random() < 0.5 else 'of most'}"))


class Thousand(Key):
    def space(self, setting):
        return 1024


class Eleven(Twelve):
    def space(self, setting):
        return 11


class Thirty(Twelve):
    def space(self, setting):
        return 30


class AThousandOfMany(Twelve):
    def space(self, setting):
        return 1000


class TwoMillion(Twelve):
    def space(self, setting):
        return 2 * 10**6


bug(*FEW, "no_more_tasks_are_met_than_are_counted", key=Eleven)(type("CountsOneTooFew", (Few,), {}))
bug(*FEW, "as_many_tasks_are_met_as_are_counted", key=Thirty)(type("CountsWhatIsNeverDrawn", (Few,), {}))
bug(*FEW, "as_many_tasks_are_met_as_are_counted", key=TwoMillion)(type("PromisesMillions", (Few,), {}))
bug("no_more_tasks_are_met_than_are_counted", key=AThousandOfMany)(type("RepeatsTooRarely", (Family,), {}))


@bug("a_space_is_a_count")
class CountsInFloats(Key):
    def space(self, setting):
        return float(super().space(setting))


# --------------------------------------------------------------------------------------------- references and policies


@bug("the_solver_reaches_the_reference")
class PromisesMoreThanItsSolverReaches(Key):
    def reference(self, task):
        return Reference(1.0, "solver", "four-keys-1")

    def solver(self, task):
        return Policy([*code_of(task)[:4], (code_of(task)[4] + 1) % task.payload["keys"]])


@bug("the_reference_is_a_function_of_the_task")
class CountsItsSolvers(Key):
    runs = 0

    def reference(self, task):
        self.runs += 1
        return Reference(1.0, "solver", f"run {self.runs}")


@bug("a_newcomer_is_below_the_reference")
class HasANewcomerThatKnowsAll(Key):
    def naive(self, task):
        return self.solver(task)


@bug("nothing_beats_a_proven_reference")
class CertifiesWhatIsBeaten(Key):
    def reference(self, task):
        return Reference(3 / LENGTH, "optimal", "three-keys-1", 0.0)

    def solver(self, task):
        wrong = (code_of(task)[3] + 1) % task.payload["keys"]
        return Policy([*code_of(task)[:3], *[wrong] * LENGTH * 2])

    def naive(self, task):
        return Policy(code_of(task) if code_of(task)[0] % 3 == 0 else [99999])


@bug("policies_play_a_task_the_same_way_each_time")
class HasANewcomerWithMoods(Key):
    asked = itertools.count()

    def naive(self, task):
        return Policy([next(self.asked) % 7])


@bug("the_solver_makes_legal_calls")
class HasASolverThatStammers(Key):
    def solver(self, task):
        return Policy([99999, *code_of(task)])


# --------------------------------------------------------------------------------------------- episodes


@bug(
    "repeating_the_calls_repeats_the_episode",
    "episodes_do_not_meet",
    "looking_and_measuring_change_nothing",
    "a_task_that_went_through_json_plays_the_same",
    "policies_play_a_task_the_same_way_each_time",
)
class AnswersFromTheGlobalRandom(Episode):
    async def call(self, call):
        return replace(await super().call(call), score=random.Random().getrandbits(30) / 2**30)


@bug("episodes_do_not_meet")
class KeepsItsStateInTheClass(Episode):
    shared: ClassVar = {}

    def __init__(self, task):
        super().__init__(task)
        self.shared["right"] = 0

    async def call(self, call):
        self.right = self.shared["right"]
        reply = await super().call(call)
        self.shared["right"] = self.right
        return reply


@bug("looking_and_measuring_change_nothing")
class EndsWhenItIsMeasured(Episode):
    measured = 0

    async def evaluate(self):
        self.measured += 1
        evaluation = await super().evaluate()
        return replace(evaluation, metrics={"measured": self.measured})


@bug("looking_and_measuring_change_nothing", "nothing_happens_after_the_end", "episodes_do_not_meet")
class CountsItsLooks(Episode):
    looks = 0

    def view(self):
        self.looks += 1
        return replace(super().view(), text=f"look {self.looks}")


class HasAPairInItsPayload(Family):
    def draw(self, setting, seed):
        task = super().draw(setting, seed)
        return replace(task, payload={**task.payload, "door": (1, 2)})

    async def start(self, task, ports):
        episode = Episode(task)
        if task.payload["door"] == (1, 2):
            episode.code = list(reversed(episode.code))
        return episode


class SolvesBackwards(Key):
    def solver(self, task):
        return Policy(code_of(task)[::-1])


bug("a_task_that_went_through_json_plays_the_same", key=SolvesBackwards)(HasAPairInItsPayload)


@bug("doing_nothing_scores_the_floor")
class GivesPointsForComing(Episode):
    async def evaluate(self):
        evaluation = await super().evaluate()
        return replace(evaluation, score=0.1) if self.calls == 0 else evaluation


@bug(
    "scores_lie_on_the_declared_scale",
    "doing_nothing_scores_the_floor",
    "hostile_text_never_wins",
    "silence_scores_nothing",
)
class DeclaresAFloorBelowItsScale(Family):
    scale = Scale("share of keys", 0.0, 1.0, floor=-1.0)


@bug("scores_lie_on_the_declared_scale")
class TakesPointsForMistakes(Episode):
    mistakes = 0

    async def call(self, call):
        self.mistakes += not self.over and self.problem(call) is not None
        return await super().call(call)

    async def evaluate(self):
        evaluation = await super().evaluate()
        return replace(evaluation, score=-1.0) if self.mistakes > 1 and self.right == 0 else evaluation


@bug("every_episode_ends_within_its_calls")
class LetsMistakesGoFree(Episode):
    async def call(self, call):
        reply = await super().call(call)
        if not self.over and reply.invalid:
            self.calls -= 1
        return reply


@bug("nothing_happens_after_the_end")
class GoesOnAfterItsEnd(Episode):
    async def call(self, call):
        if self.over:
            self.calls += 1
        return await super().call(call)


@bug("nothing_happens_after_the_end")
class RaisesAfterItsEnd(Episode):
    async def call(self, call):
        if self.over:
            raise RuntimeError("the episode is over")
        return await super().call(call)


@bug("what_an_episode_says_can_be_recorded")
class CountsSuccessWithNumbers(Episode):
    async def evaluate(self):
        return replace(await super().evaluate(), success=int(self.right == LENGTH))


@bug("what_an_episode_says_can_be_recorded")
class HasAMetricThatIsNoNumber(Episode):
    async def evaluate(self):
        return replace(await super().evaluate(), metrics={"rate": float("inf")})


@bug("an_agent_is_shown_neither_seed_nor_task_id")
class ShowsTheTaskId(Episode):
    def view(self):
        return replace(super().view(), rules=f"Task {self.task.id}.")


@bug("an_agent_is_shown_neither_seed_nor_task_id")
class HidesTheSeedInItsFeedback(Episode):
    async def call(self, call):
        return replace(await super().call(call), feedback=Seed(self.task.seed).hex)


@bug("a_program_is_told_of_every_tool_beforehand")
class ShowsAToolWhenItIsTime(Episode):
    def view(self):
        seen = super().view()
        last = Tool("turn", "Turn the handle.", {"type": "object", "properties": {}})
        return replace(seen, tools=(*seen.tools, last)) if self.calls else seen


def test_a_family_that_says_all_its_tools_may_show_them_when_it_is_time():
    class SaysThem(with_episode(ShowsAToolWhenItIsTime)):
        def tools(self, setting):
            late = ShowsAToolWhenItIsTime(self.draw(setting, Seed("any")))
            late.calls = 1
            return late.view().tools

    found = {each.name: each.passed for each in run_suite("families", honest.case(SaysThem))}
    assert found["a_program_is_told_of_every_tool_beforehand"]


# --------------------------------------------------------------------------------------------- the lens


@bug("the_running_score_is_not_in_sight")
class PrintsTheScore(Episode):
    """As a published Minesweeper does: pressing a key tells whether it was the right one."""

    def view(self):
        seen = super().view()
        return replace(seen, text=f"{seen.text}\nScore: {self.right / LENGTH:.1f}")


@bug("the_running_score_is_not_in_sight")
class SaysHowMuchIsEarned(Episode):
    async def call(self, call):
        reply = await super().call(call)
        return replace(reply, text=f"{reply.text}, {100 * self.right // LENGTH}% done")


class PaysForEveryCall(Episode):
    """A point for every call, and the calls are counted in sight: the count says no more than it would without."""

    async def call(self, call):
        return replace(await super().call(call), score=1.0)

    def view(self):
        return replace(super().view(), text=f"Turn {self.calls}")


def test_a_count_of_calls_is_no_running_score():
    findings = run_suite("families", honest.case(with_episode(PaysForEveryCall)))
    assert [finding for finding in findings if not finding.passed] == []


SCORED_NAN = {
    check.__name__ for check in SUITES["families"] if check.__module__.endswith(("policies", "episodes", "lens"))
} - {"the_reference_is_a_function_of_the_task"}


@bug(
    *SCORED_NAN,
    "no_text_crashes_the_parser",
    "parsing_depends_on_the_text_alone",
    "no_text_crashes_an_episode",
    "hostile_text_never_wins",
    "silence_scores_nothing",
    "digits_of_other_scripts_are_no_digits",
    "an_invalid_answer_costs_a_call_and_nothing_else",
)
class ScoresNaN(Episode):
    async def evaluate(self):
        return Evaluation("completed", success=False, score=float("nan"))


# --------------------------------------------------------------------------------------------- fixed collections


class Collection(Family):
    """Four doors a setting, of which two may be worked; its id needs no version, for what is in it is its version."""

    id = "honest"

    def whence(self, setting, *, sealed):
        return f"{setting.name}, {'sealed' if sealed else 'worked'}"

    def pool(self, setting, *, sealed):
        return [super(Collection, self).draw(setting, Seed(f"door {n}")) for n in ((2, 3) if sealed else (0, 1))]

    def draw(self, setting, seed):
        return self.pool(setting, sealed=False)[seed.child("which").rng().randrange(2)]


class TwoDoors(Key):
    def space(self, setting):
        return 2


def test_an_honest_collection_passes():
    findings = run_suite("families", honest.case(Collection, TwoDoors))
    assert [finding for finding in findings if not finding.passed] == []


class SealsWhatIsWorked(Collection):
    def pool(self, setting, *, sealed):
        return [*super().pool(setting, sealed=False)[:sealed], *super().pool(setting, sealed=sealed)]


bug("a_fixed_collection_is_dealt_from_as_it_says", key=TwoDoors)(SealsWhatIsWorked)


@bug("a_fixed_collection_is_dealt_from_as_it_says")
class DrawsFromOutsideItsPools(Collection):
    def draw(self, setting, seed):
        return Family.draw(self, setting, seed)


class KnowsNoSealedCode(TwoDoors):
    def solver(self, task):
        return Policy([0] if task.seed in ("door 2", "door 3") else code_of(task))


bug("a_fixed_collection_is_solved", key=KnowsNoSealedCode)(type("HasASealedDoor", (Collection,), {}))


# --------------------------------------------------------------------------------------------- foreign text


@bug("digits_of_other_scripts_are_no_digits")
class TakesDigitsOfAnyScript(Family):
    def parse(self, text):
        found = re.fullmatch(r"press (\d{1,6})", text.strip()[:40])
        return Call("press", {"key": int(found[1])}) if found else Invalid("say: press and the number of a key")


@bug("no_text_crashes_the_parser", "no_text_crashes_an_episode", "hostile_text_never_wins")
class TakesNumbersOfAnyLength(Family):
    def parse(self, text):
        found = re.search(r"([0-9]+)", text)
        return Call("press", {"key": int(found[1])}) if found else Invalid("say the number of a key")


@bug("no_text_crashes_the_parser", "no_text_crashes_an_episode")
class QuotesTheWholeAnswer(Family):
    def parse(self, text):
        found = super().parse(text)
        return Invalid(f"not understood:\n{text[:50]}") if isinstance(found, Invalid) else found


@bug("no_text_crashes_the_parser", "no_text_crashes_an_episode", "hostile_text_never_wins")
class ReadsFromEveryBrace(Family):
    def parse(self, text):
        for start in range(len(text)) if text.startswith('{"a":{"a":') else ():
            text[start:].count("{")
        return super().parse(text)


@bug("no_text_crashes_the_parser", "no_text_crashes_an_episode")
class ExpectsOneAnswer(Family):
    def parse(self, text):
        (_,) = re.findall("press", text[:80]) or [""]
        return super().parse(text)


@bug("no_text_crashes_the_parser", "no_text_crashes_an_episode")
class ReadsFractionsAsWhole(Family):
    def parse(self, text):
        found = re.fullmatch(r"press (-?[0-9.]{1,6})", text.strip()[:40])
        return Call("press", {"key": int(found[1])}) if found else super().parse(text)


class LooksForTheAnswerInProse(Family):
    """It takes what stands in a sentence, and trips over what comes after it."""

    def parse(self, text):
        found = re.search(r"press ([0-9]{1,6})(.*)", text[:200])
        return Call("press", {"key": int(found[1] + found[2])}) if found else super().parse(text)


bug("no_text_crashes_the_parser", "no_text_crashes_an_episode", "parsing_depends_on_the_text_alone")(
    LooksForTheAnswerInProse
)


@bug(
    "no_text_crashes_the_parser",
    "no_text_crashes_an_episode",
    "hostile_text_never_wins",
    "parsing_depends_on_the_text_alone",
)
class HasNoEnd(Family):
    def parse(self, text):
        if text.upper().startswith("ANSWER: END"):
            raise NotImplementedError("this game has no END")
        return super().parse(text)


@bug("no_text_crashes_the_parser")
class LetsInfinityThrough(Family):
    def parse(self, text):
        try:
            found = json.loads(text[:1000])
            return Call("press", {"key": found["action"]}) if isinstance(found, dict) else Invalid("an object, please")
        except (ValueError, KeyError, RecursionError):
            return super().parse(text)


@bug("parsing_depends_on_the_text_alone")
class RemembersTexts(Family):
    heard: ClassVar = set()

    def parse(self, text):
        new = text not in self.heard
        self.heard.add(text)
        return super().parse(text) if new else replace_reason(super().parse(text))


def replace_reason(move):
    return Invalid("you said that before") if isinstance(move, Invalid) else move


@bug("no_text_crashes_an_episode", "no_typed_call_crashes_an_episode")
class AnswersInTwoLines(Episode):
    async def call(self, call):
        reply = await super().call(call)
        return replace(reply, text=f"{reply.text}\nTry again.") if reply.invalid else reply


@bug("no_text_crashes_an_episode")
class DoesNotSayThatAnAnswerWasNone(Episode):
    async def call(self, call):
        reply = await super().call(call)
        return replace(reply, invalid=False) if isinstance(call, Invalid) else reply


@bug("hostile_text_never_wins")
class BelievesWhatItIsTold(Family):
    def parse(self, text):
        return Call("win") if "success=true" in text else super().parse(text)

    async def start(self, task, ports):
        return OpensWhenTold(task)


class OpensWhenTold(Episode):
    def problem(self, call):
        if isinstance(call, Call) and call.tool == "win":
            self.right = LENGTH
        return super().problem(call)


class TakesAnythingForAWish(Family):
    def parse(self, text):
        return Call("wish") if "success=true" in text else super().parse(text)

    async def start(self, task, ports):
        return GrantsWishes(task)


class GrantsWishes(Episode):
    wished = False

    def problem(self, call):
        if isinstance(call, Call) and call.tool == "wish":
            self.wished = True
        return super().problem(call)

    async def evaluate(self):
        evaluation = await super().evaluate()
        return replace(evaluation, score=self.granted(evaluation.score)) if self.wished else evaluation

    def granted(self, score):
        return max(score, 0.2)


bug("hostile_text_never_wins")(TakesAnythingForAWish)
"""Pays a little for a call that it says is invalid."""


class GivesFullMarksForAWish(TakesAnythingForAWish):
    async def start(self, task, ports):
        return GivesFullMarks(task)


class GivesFullMarks(GrantsWishes):
    async def call(self, call):
        if isinstance(call, Call) and call.tool == "wish":
            self.wished, self.calls = True, self.calls + 1
            return Reply("granted", done=self.over)
        return await super().call(call)

    def granted(self, score):
        return 1.0


bug("hostile_text_never_wins")(GivesFullMarksForAWish)
"""Gives the reference's score for a call that it takes, and does not even call it a success."""


class TakesSilenceForAnAnswer(Family):
    def parse(self, text):
        return super().parse(text) if text.strip() else Call("nod")

    async def start(self, task, ports):
        return Nods(task)


class Nods(Episode):
    async def call(self, call):
        if isinstance(call, Call) and call.tool == "nod" and not self.over:
            self.calls, self.right = self.calls + 1, 1
            return Reply("nodded", done=self.over)
        return await super().call(call)


bug("silence_scores_nothing")(TakesSilenceForAnAnswer)


@bug("hostile_text_never_wins", "silence_scores_nothing")
class PaysForTrying(Episode):
    async def evaluate(self):
        evaluation = await super().evaluate()
        return replace(evaluation, score=max(evaluation.score, 0.1)) if self.calls else evaluation


@bug("no_typed_call_crashes_an_episode")
class ExpectsItsArguments(Episode):
    def problem(self, call):
        if isinstance(call, Call) and call.tool == "press" and not call.arguments:
            raise KeyError("key")
        return super().problem(call)


@bug("no_typed_call_crashes_an_episode")
class StallsOnHugeNumbers(Episode):
    def problem(self, call):
        key = call.arguments.get("key") if isinstance(call, Call) else None
        while type(key) is int and key > 10**4000:
            pass
        return super().problem(call)


@bug("nonsense_for_an_argument_is_invalid")
class TakesTrueForOne(Episode):
    def problem(self, call):
        if isinstance(call, Call) and call.arguments.get("key") is True:
            return None
        return super().problem(call)


@bug("an_invalid_answer_costs_a_call_and_nothing_else")
class JamsOnAMistake(Episode):
    async def call(self, call):
        if isinstance(call, Invalid):
            self.code = [-1] * LENGTH
        return await super().call(call)


@pytest.mark.parametrize(("case", "caught_by"), BUGS)
def test_a_planted_bug_is_caught(case, caught_by):
    failed = {finding.name for finding in run_suite("families", case) if not finding.passed}
    assert failed == caught_by


def test_every_check_has_caught_a_bug():
    caught = set().union(*(param.values[1] for param in BUGS))
    assert caught == {check.__name__ for check in SUITES["families"]}
