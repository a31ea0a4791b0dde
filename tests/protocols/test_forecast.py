"""A forecast is never below what a study then costs, equals it where the worst case happens, and is never 0 for what it
does not know."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rung.agents.chat import agent as chat
from rung.backends.models.gateway import MESSAGE_TOKENS, Gateway, input_bound
from rung.core import registry
from rung.core.canonical import canonical
from rung.core.config import Config, PriceConfig, parse
from rung.core.seeds import Seed
from rung.core.values import ModelReply, ModelRequest, Usage
from rung.methods.ace.answers import FIELDS
from rung.protocols import forecast, launch, rehearsal, wiring
from rung.protocols.forecast import ArmForecast, Cost, Forecast
from rung.store.memory import MemoryJournal

from . import stage, studies

MODEL = "scripted/echo"
SECRET = "a fixed secret for tests"
PRICE = {"input": 2.0, "output": 10.0, "date": "2026-11-30"}
TINY = {"family": "toy-lock-v1", "setting": "tiny"}
"""Locks whose numbers have one digit, so that all prompts are of one length."""
ROAD = {"family": "toy-road-v1", "difficulty": 1}
Say = Callable[[ModelRequest], tuple[str, str]]


def document(**changes: Any) -> dict[str, Any]:
    """Three locks worked, the second of them twice, by two lineages; two locks examined."""
    tasks = {
        "replay": {"interval": 3, "lag": 1},
        "schedule": [{**TINY, "count": 3, "replay": True}],
        "holdout": [{**TINY, "count": 2}],
        **changes.pop("tasks", {}),
    }
    agent = {"kind": "chat", "model": MODEL, "max_tokens": 50, **changes.pop("agent", {})}
    return {
        "name": "forecast",
        "protocol": "ladder",
        "lineages": 2,
        "agent": agent,
        "method": {"name": "static"},
        "models": {MODEL: {"price": PRICE}},
        "exam": {"secret": SECRET, "repeats": 1, "baseline_repeats": 2},
        "tasks": tasks,
        **changes,
    }


def config(**changes: Any) -> Config:
    return parse(document(**changes))


# --------------------------------------------------------------------------------------------- the worst of models


def full(request: ModelRequest) -> tuple[str, str]:
    """As much as may be said, cut off: no answer to a game, and no reflection."""
    return "x" * (request.max_tokens or 0), "length"


def prose(request: ModelRequest) -> tuple[str, str]:
    """As much as may be said, as words: a reflection, where it is not too long."""
    return ("abcd " * (request.max_tokens or 0))[: request.max_tokens].strip() or "x", "stop"


def short(request: ModelRequest) -> tuple[str, str]:
    return "7", "stop"


def parrot(request: ModelRequest) -> tuple[str, str]:
    return request.messages[-1].text[: request.max_tokens], "stop"


@dataclass
class ByteByByte:
    """A model for which every byte is a token, and everything around a message as much as can be."""

    say: Say

    async def once(self, request: ModelRequest) -> ModelReply:
        text, stop = self.say(request)
        return ModelReply(text, MODEL, stop, Usage(input_bound(request), len(text.encode())))

    async def close(self) -> None:
        pass


def truly(study: Config, say: Say) -> "Spent":
    """What the study costs over such a model."""
    reached = study.reached(MODEL)
    gateway = Gateway(MODEL, ByteByByte(say), reached, price=PriceConfig(**PRICE), live=False)
    arms = wiring.arms(study, models={MODEL: gateway})
    return Spent(launch.simulate(study, secret=SECRET, arms=arms))


@dataclass
class Spent:
    """What a study cost, from its record."""

    journal: MemoryJournal

    def attempts(self) -> Counter[tuple[str, str]]:
        paths = [fact.path for fact in self.journal.facts(kind="sealed")]
        return Counter(self.place(path) for path in paths if "/again/" not in path)

    def costs(self) -> dict[tuple[str, str], tuple[int, int, float]]:
        """Calls, tokens and dollars by arm and phase."""
        found: dict[tuple[str, str], tuple[int, int, float]] = {}
        for note in self.journal.observations(name="settled"):
            value: Any = note.value
            place = self.place(note.path)
            calls, tokens, usd = found.get(place, (0, 0, 0.0))
            found[place] = (calls + 1, tokens + value["tokens"], usd + value["usd"])
        return found

    def place(self, path: str) -> tuple[str, str]:
        pieces = path.split("/")
        if pieces[0] == "exam":
            examinee = pieces[1].split(".")[0]
            return (self.control_of(pieces[1]) if examinee == "A0" else examinee), "examining"
        phase = "trying" if "trial" in pieces else "refining" if pieces[-1] in ("refine", "select") else "working"
        return pieces[0], phase

    def control_of(self, examinee: str) -> str:
        told: list[Any] = [fact.value for fact in self.journal.facts(kind="arm")]
        return str(next(arm["control"] for arm in told if arm["A_0"] == examinee))


def parts(found: Forecast) -> dict[tuple[str, str], Cost]:
    return {(arm.name, part.phase): part.cost for arm in found.arms for part in arm.parts}


def within(spent: Spent, found: Forecast) -> None:
    """No phase of no arm, no arm, and not the study cost more than was foreseen."""
    worst, told = parts(found), spent.costs()
    for place, (calls, tokens, usd) in told.items():
        bound = worst[place]
        assert bound.usd is not None
        assert (calls <= bound.calls, tokens <= bound.tokens, usd <= bound.usd + 1e-9) == (True, True, True), place
    for arm in found.arms:
        own = [cost for (name, _), cost in told.items() if name == arm.name]
        assert arm.total.usd is not None
        assert sum(calls for calls, _, _ in own) <= arm.total.calls
        assert sum(tokens for _, tokens, _ in own) <= arm.total.tokens
        assert sum(usd for _, _, usd in own) <= arm.total.usd + 1e-9


def arm(found: Forecast, name: str) -> ArmForecast:
    return next(each for each in found.arms if each.name == name)


# --------------------------------------------------------------------------------------------- numbers


def test_one_call_costs_what_its_text_has_bytes_and_its_reply_may_have_tokens():
    lock = registry.family("toy-lock-v1")
    task = lock.draw(lock.setting("tiny"), Seed("any"))
    system = (chat.Path(chat.__file__).parent / "text.md").read_text().strip()
    read = len(system) + len(lock.rules(task)) + len("\n\nThe lock shows 3.") + 2 * MESSAGE_TOKENS
    working = parts(forecast.make(config()))["static", "working"]
    assert working.attempts == working.calls == 2 * 4
    assert (working.read, working.written) == (8 * read, 8 * 50)
    assert working.usd == pytest.approx(8 * (read * 2.0 + 50 * 10.0) / 1e6)


def test_attempts_are_those_that_a_study_then_makes():
    study = config(
        method={"name": "reflexion", "trials": 2},
        arms=[{"name": "a"}, {"name": "b", "agent": {"kind": "chat", "model": MODEL, "history": 0, "max_tokens": 50}}],
    )
    found, spent = forecast.make(study), truly(study, full)
    planned = {place: cost.attempts for place, cost in parts(found).items() if place[1] in ("working", "examining")}
    assert planned == {**spent.attempts()}
    assert found.extent.attempts(beginnings=2) == sum(planned.values())
    assert set(planned) == {
        (name, phase) for name in ("static", "static-2", "a", "b") for phase in ("working", "examining")
    }


def test_trials_are_so_many_of_every_candidate_after_every_task_that_is_no_replay():
    study = config(method={"name": "reflexion", "trials": 2, "max_tokens": 60})
    spent = truly(study, prose)
    assert parts(forecast.make(study))["reflexion", "trying"].attempts == 2 * 3 * 2
    assert spent.attempts()["reflexion", "trying"] == 2 * 3 * 2


def test_where_the_worst_case_happens_the_forecast_is_what_it_costs():
    study = config()
    found, spent = forecast.make(study), truly(study, full)
    told = {place: (cost.calls, cost.tokens) for place, cost in parts(found).items() if cost.calls}
    assert told == {place: (calls, tokens) for place, (calls, tokens, _) in spent.costs().items()}
    assert found.total.usd == pytest.approx(sum(usd for _, _, usd in spent.costs().values()))


def test_a_conversation_is_bounded_as_it_grows():
    study = config(tasks={"schedule": [{**ROAD, "count": 3, "replay": True}], "holdout": [{**ROAD, "count": 2}]})
    found, spent = forecast.make(study), truly(study, full)
    within(spent, found)
    assert sum(tokens for _, tokens, _ in spent.costs().values()) > 0.98 * found.total.tokens


@pytest.mark.parametrize("say", [full, prose])
def test_reflexion_is_bounded_whether_its_replies_are_of_use_or_not(say):
    study = config(
        method={"name": "reflexion", "max_tokens": 200},
        tasks={"schedule": [{**ROAD, "count": 6, "replay": True}], "holdout": [{**ROAD, "count": 2}]},
    )
    within(truly(study, say), forecast.make(study))


@pytest.mark.parametrize("say", [full, prose])
def test_hyperagents_is_bounded_whether_its_sessions_come_to_something_or_not(say):
    study = config(method={"name": "hyperagents", "max_tokens": 200, "calls": 3})
    within(truly(study, say), forecast.make(study))


def test_refining_is_bounded_by_as_many_repairs_as_there_are():
    study = config(method={"name": "reflexion", "max_tokens": 200})
    spent = truly(study, full)
    assert spent.costs()["reflexion", "refining"][0] == 2 * 3 * 3
    assert parts(forecast.make(study))["reflexion", "refining"].calls == 2 * 3 * 3


def test_an_attempt_is_bounded_with_all_the_reflections_it_can_be_told():
    study = config(
        method={"name": "reflexion", "max_tokens": 200},
        tasks={"replay": {"interval": 0, "lag": 0}, "schedule": [{**TINY, "count": 4}]},
    )
    examined = truly(study, prose).costs()["reflexion", "examining"]
    bound = parts(forecast.make(study))["reflexion", "examining"]
    assert 0.98 * bound.tokens < examined[1] <= bound.tokens


def writer(*, bad: int, wide: bool = False) -> Say:
    """Reflects and curates for ACE: after so many replies of no use to each question, as much as its replies hold."""
    letter = "\U0001d535" if wide else "q"

    def say(request: ModelRequest) -> tuple[str, str]:
        most = request.max_tokens or 0
        if request.role == "agent":
            return "x" * most, "length"
        if len(request.messages) < 2 + 2 * bad:
            return letter * (most // len(letter.encode())), "stop"
        if "THE PLAYBOOK" not in request.messages[1].text:
            words = (most - 80) // 4 // len(letter.encode())
            return canonical({**dict.fromkeys(FIELDS, letter * min(words, 1000)), "tags": []}), "stop"
        note = str(len(request.messages[1].text)) + letter * min(400, (most - 90) // len(letter.encode()))
        return canonical({"operations": [{"op": "ADD", "section": "others", "text": note}]}), "stop"

    return say


ACE = {"name": "ace", "max_tokens": 900, "budget": 150, "rounds": 2}
LONG = {"schedule": [{**TINY, "count": 6, "replay": True}]}


@pytest.mark.parametrize("say", [full, prose, writer(bad=0), writer(bad=2), writer(bad=2, wide=True)])
@pytest.mark.parametrize("method", [ACE, {**ACE, "variant": "faithful"}, {**ACE, "replies": "tools"}])
def test_ace_is_bounded_whatever_its_replies_are_good_for(say, method):
    study = config(method=method, tasks=LONG)
    within(truly(study, say), forecast.make(study))


def test_ace_is_bounded_by_both_questions_and_all_their_repairs():
    study = config(method=ACE)
    worst = parts(forecast.make(study))["ace", "refining"]
    assert worst.calls == 2 * 3 * (2 + 1) * 3
    assert truly(study, full).costs()["ace", "refining"][0] == 2 * 3 * 3  # no reflection, so nothing is curated
    spent = truly(study, writer(bad=2, wide=True)).costs()["ace", "refining"]
    assert spent[0] == worst.calls
    assert 0.7 * worst.tokens < spent[1] <= worst.tokens


AHE = {"name": "ahe", "max_tokens": 400, "turns": 6, "shown": 9_000, "every": 2}
EDITS = (
    {"tool": "write", "path": "agent/tools/count.py", "text": "def run(arguments):\n    return 'x' * 9000\n"},
    {"tool": "write", "path": "agent/tools/count.json", "text": '{"description": "Count."}'},
    {"tool": "write", "path": "agent/memory/a.md", "text": "\U0001d535" * 50},
    {"tool": "finish", "changes": []},
)


def editor(request: ModelRequest) -> tuple[str, str]:
    """An improver that makes a helper and a long memory, and an agent that uses its helper as often as it may."""
    if request.role == "agent":
        helped = any("- count: Count." in message.text for message in request.messages)
        return ('{"use": "count"}' if helped else "x" * 50), "stop"
    made = sum(message.author == "assistant" for message in request.messages)
    return canonical(EDITS[min(made, 3)]), "stop"


def searcher(request: ModelRequest) -> tuple[str, str]:
    """An improver that looks at much, says much, and changes nothing."""
    most = request.max_tokens or 0
    return ('{"tool": "search", "text": "e"} ' + "\U0001d535" * most)[: 32 + (most - 32) // 4], "stop"


@pytest.mark.parametrize("say", [full, prose, searcher, editor])
@pytest.mark.parametrize("method", [AHE, {**AHE, "variant": "faithful", "every": 1}])
def test_ahe_is_bounded_whatever_is_edited_and_used(say, method):
    study = config(method=method, tasks=LONG)
    within(truly(study, say), forecast.make(study))


def test_ahe_is_bounded_by_every_report_every_turn_and_every_use_of_a_helper():
    study = config(method=AHE, tasks=LONG)
    worst = parts(forecast.make(study))
    assert worst["ahe", "refining"].calls == 2 * 6 * (2 + 1 + 6)  # as if after each attempt, for nobody says which
    assert worst["ahe", "examining"].calls == 2 * 2 * (1 + 3) * 2
    assert truly(study, searcher).costs()["ahe", "refining"][0] == 2 * 3 * (2 + 1 + 6)
    assert truly(study, editor).costs()["ahe", "examining"][0] == 2 * 2 * (1 + 3)


def test_a_control_of_ace_is_foreseen_to_ask_what_it_asks():
    worst = parts(forecast.make(config(method=ACE, controls=["discard"])))
    assert worst["ace-discard", "refining"] == worst["ace", "refining"]
    assert worst["ace", "refining"].calls == 2 * 3 * (2 + 1) * 3


def test_an_attempt_is_bounded_with_the_largest_playbook_it_can_be_told():
    study = config(method={**ACE, "rounds": 1}, tasks=LONG)
    examined = truly(study, writer(bad=0)).costs()["ace", "examining"]
    assert 0.7 * parts(forecast.make(study))["ace", "examining"].tokens < examined[1]


FAMILIES = st.sampled_from([TINY, ROAD, {"family": "toy-lamp-v1", "difficulty": 2}])


@st.composite
def small(draw: st.DrawFn) -> Config:
    """Any small study of a chat agent."""
    replayed = draw(st.booleans())
    schedule = [{**draw(FAMILIES), "count": draw(st.integers(2, 3)), "replay": replayed}]
    holdout = draw(st.lists(FAMILIES, min_size=1, max_size=2, unique_by=str))
    limits = st.fixed_dictionaries(
        {}, optional={"calls": st.integers(1, 3), "tokens": st.integers(500, 9000), "usd": st.floats(0.001, 0.02)}
    )
    method = draw(
        st.sampled_from(
            [
                {"name": "static"},
                {"name": "reflexion", "max_tokens": draw(st.integers(1, 300)), "window": draw(st.integers(0, 4))},
                {"name": "reflexion", "variant": "instance", "trials": 1, "keep": draw(st.integers(1, 3))},
            ]
        )
    )
    model = {"price": PRICE, **draw(st.fixed_dictionaries({}, optional={"context_tokens": st.just(100_000)}))}
    return config(
        lineages=draw(st.integers(1, 2)),
        agent={
            "max_tokens": draw(st.integers(1, 300)),
            "history": draw(st.integers(-1, 1)),
            "answers": draw(st.sampled_from(["text", "tools"])),
        },
        method=method,
        models={MODEL: model},
        budget={"task": draw(limits), "session": draw(limits), "lineage": draw(limits)},
        tasks={
            "replay": {"interval": 2, "lag": 1} if replayed else {"interval": 0, "lag": 0},
            "schedule": schedule,
            "holdout": [{**cell, "count": draw(st.integers(1, 2))} for cell in holdout],
        },
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(small(), st.sampled_from([full, prose, short, parrot]))
def test_no_small_study_costs_more_than_was_foreseen(study: Config, say: Say):
    within(truly(study, say), forecast.make(study))


@pytest.mark.parametrize("model", ["scripted/first", "scripted/echo"])
@pytest.mark.parametrize("answers", ["text", "tools"])
def test_scripted_models_stay_below_it(model: str, answers: str):
    study = config(
        agent={"model": model, "answers": answers},
        models={model: {"price": PRICE}},
        method={"name": "reflexion", "trials": 1},
        tasks={"schedule": [{**ROAD, "count": 4, "replay": True}]},
    )
    spent = Spent(launch.simulate(study, secret=SECRET))
    assert sum(calls for calls, _, _ in spent.costs().values()) > 0
    within(spent, forecast.make(study))


# --------------------------------------------------------------------------------------------- budgets


def test_a_task_that_may_make_one_call_costs_its_first_call():
    road = {"schedule": [{**ROAD, "count": 3, "replay": True}], "holdout": [{**ROAD, "count": 2}]}
    one = forecast.make(config(tasks=road, budget={"task": {"calls": 1}}))
    step = forecast.make(config(tasks=road, budget={"task": {"steps": 1}}))
    assert one.total == step.total
    assert one.total.calls == one.total.attempts
    assert (one.lowered, step.lowered) == (("[budget.task] calls",), ("[budget.task] steps",))


def test_a_session_in_dollars_caps_every_attempt():
    found = forecast.make(config(budget={"session": {"usd": 0.001}}))
    assert found.total.usd == pytest.approx(0.001 * found.total.attempts)
    assert found.lowered == ("[budget.session] usd",)


def test_a_lineage_caps_working_and_refining_together_and_no_exam():
    free = arm(forecast.make(config(method={"name": "reflexion"})), "reflexion")
    worked, refined, examined = (parts_of(free)[phase].usd or 0.0 for phase in ("working", "refining", "examining"))
    cap = (max(worked, refined) + 0.1 * min(worked, refined)) / 2
    capped = arm(forecast.make(config(method={"name": "reflexion"}, budget={"lineage": {"usd": cap}})), "reflexion")
    assert parts_of(capped)["working"].usd == pytest.approx(worked)
    assert capped.total.usd == pytest.approx(2 * cap + examined)


def parts_of(found: ArmForecast) -> dict[str, Cost]:
    return {part.phase: part.cost for part in found.parts}


def test_the_studys_budget_stands_beside_it_and_the_least_share_is_spent_first():
    free = forecast.make(config()).total
    found = forecast.make(
        config(budget={"usd": (free.usd or 0.0) / 2, "tokens": free.tokens // 4, "calls": free.calls})
    )
    assert found.total == free
    assert found.binds is not None
    assert found.binds.quantity == "tokens"
    shares = {each.quantity: each.share for each in found.budget}
    assert shares == {"usd": pytest.approx(0.5), "tokens": pytest.approx(0.25, abs=0.001), "calls": 1.0}


def test_no_budget_is_spent_first_where_each_covers_it():
    free = forecast.make(config()).total
    assert forecast.make(config(budget={"calls": free.calls})).binds is None


def test_a_context_bounds_what_a_call_reads():
    found = forecast.make(config(models={MODEL: {"price": PRICE, "context_tokens": 300}}))
    assert found.total.read == 300 * found.total.calls
    assert (found.longest, found.bounded) == (300, True)


# --------------------------------------------------------------------------------------------- what is not known


UNSAID = "{} 'function mine' does not say what it asks"


def test_an_agent_that_does_not_say_is_unknown_and_not_free(tmp_path):
    (tmp_path / "mine.py").write_text("def act(view, files): return '0'\n\ndef refine(feedback, files): return None\n")
    parsed = parse(
        {**document(), "agent": {"kind": "mine.py"}, "method": {"name": "mine.py"}, "models": {}, "exam": {}}
    )
    found = forecast.make(parsed, base=tmp_path)
    assert found.unknown == (
        f"{UNSAID.format('agent')}; it is given no model, and what its own code calls is not counted",
        UNSAID.format("method"),
    )
    assert all(part.unknown for each in found.arms for part in each.parts if part.phase != "trying")
    assert found.extent.attempts(1) == found.total.attempts


def test_a_method_that_does_not_say_leaves_its_a_0_known_alone(tmp_path):
    (tmp_path / "mine.py").write_text("def refine(feedback, files): return None\n")
    found = forecast.make(parse({**document(), "method": {"name": "mine.py"}, "exam": {}}), base=tmp_path)
    assert arm(found, "static").unknown == ()
    assert arm(found, "static").total.calls > 0
    assert {part.phase for part in arm(found, "mine").parts if part.unknown} == {"working", "refining", "examining"}


def test_an_agent_that_breaks_over_a_stand_in_is_unknown_with_the_reason(tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Breaks:\n"
        "    id, foreseeable = 'breaks', True\n"
        "    def harness(self): return {}\n"
        "    def actor(self, state, ports, rng): return self\n"
        "    async def act(self, view): raise KeyError('no reply in it')\n"
        "def make(variant, options): return Breaks()\n"
    )
    parsed = parse({**document(), "agent": {"kind": "mine.py", "model": MODEL}, "exam": {}})
    found = forecast.make(parsed, base=tmp_path)
    assert found.unknown == ("agent 'breaks' could not be rehearsed (KeyError: 'no reply in it')",)


def test_phantoms_call_nobody():
    found = forecast.make(studies.config(agent={"kind": "phantom:chooser"}, method={"name": "phantom", "trials": 1}))
    assert (found.total.calls, found.total.usd, found.unknown) == (0, 0.0, ())
    assert parts(found)["phantom", "trying"].attempts == 4 * 2


def test_a_price_that_nobody_knows_is_no_price_of_zero():
    study = config(agent={"model": "compatible/mine"}, models={"compatible/mine": {}}, exam={}, budget={"tokens": 1})
    found = forecast.make(study)
    assert found.total.usd is None
    assert found.total.tokens > 0


def test_a_live_model_needs_no_key_for_it_and_what_the_study_lacks_is_said(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = forecast.make(config(agent={"model": "openai/gpt-4.1"}, models={}, exam={}))
    key, budget = found.refused
    assert key.startswith("model 'openai/gpt-4.1' needs a key in the variable OPENAI_API_KEY")
    assert budget.startswith("budget: openai/gpt-4.1 costs money")
    working = parts(found)["static", "working"]
    assert working.usd == pytest.approx((working.read * 2.0 + working.written * 8.0) / 1e6)


# --------------------------------------------------------------------------------------------- seeing


def test_of_many_tasks_few_are_drawn_and_all_are_counted():
    drawn: list[Seed] = []

    def draw(setting: Any, seed: Seed) -> Any:
        drawn.append(seed)
        return stage.BOX.draw(setting, seed)

    box = {"family": "box-v1", "difficulty": 1}
    tasks = {"schedule": [{**box, "count": 4000, "replay": True}], "holdout": [{**box, "count": 3000}]}
    with stage.installed(stage.box(draw=draw)):
        found = forecast.make(config(tasks=tasks))
    assert found.total.attempts == 2 * 2 * (4000 + 1333) + (2 + 2) * 3000
    assert len(drawn) == 2 * forecast.SAMPLE  # of the exam, and of both lineages together


def test_the_largest_views_replies_and_rules_of_all_tasks_are_kept_for_every_step():
    tasks = [stage.task(seed) for seed in ("one", "two", "three")]
    with stage.installed():
        seen = asyncio.run(rehearsal.sight(tasks, None))
    texts = [f"The box shows {number}." for task in tasks for number in task.payload["numbers"]]
    assert len(seen.views) == 2
    assert seen.views[0].reply == ""
    assert seen.views[1].reply == "no whole number found in the answer"
    assert len(seen.views[1].text) == max(map(len, texts))


def test_no_code_of_a_task_is_run():
    given: list[Any] = []

    async def start(task: Any, ports: Any) -> Any:
        given.append(ports)
        return await stage.BOX.start(task, ports)

    with stage.installed(stage.box(start=start)):
        asyncio.run(rehearsal.sight([stage.task()], None))
    assert given
    assert all(ports.model is None for ports in given)
    ran = [asyncio.run(ports.sandbox.run(["touch", "it"], files={}, seconds=1.0)) for ports in given]
    assert {each.status for each in ran} == {1}


def test_a_family_that_breaks_is_unknown_with_the_reason():
    box = {"family": "box-v1", "difficulty": 1, "count": 2}
    tasks = {"replay": {"interval": 0, "lag": 0}, "schedule": [box], "holdout": [{**TINY, "count": 2}]}
    with stage.installed(stage.box(rules=stage.raises(ZeroDivisionError("no rules")))):
        found = forecast.make(config(tasks=tasks))
    assert found.unknown == ("family box-v1 could not be rehearsed (ZeroDivisionError: no rules)",)
    static = arm(found, "static")
    assert [bool(part.unknown) for part in static.parts] == [True, False]
    assert static.total.attempts == 2 * 2 + 2 * 2
