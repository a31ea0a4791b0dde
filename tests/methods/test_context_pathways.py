"""History and summary: what they keep of judged episodes, and how the acting agent is told (S3Gym, Appendix A.1)."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from rung.agents.chat import make as chat
from rung.core.errors import ContextOverflow, ModelFault, UsageError
from rung.core.ports import Method, Ports, RefineContext
from rung.core.values import Action, Call, Candidate, FeedbackResult, ModelRequest, Skipped, State, Step, View
from rung.methods import _episodes
from rung.methods._episodes import Told, action, fitting
from rung.methods.history import make as history
from rung.methods.summary import make as summary
from rung.testing.models import Scripted

VIEW = View("Round 2.", rules="Choose a move.", reply="You gained 3.")


def episode(*judged: tuple[str, float | None], name: str = "t-1") -> FeedbackResult:
    steps = tuple(
        Step(n, f"Round {n + 1}.", (), f"I think.\nAnswer: {move}, Score: 9", f"{move} was played.", self_score=score)
        for n, (move, score) in enumerate(judged)
    )
    return FeedbackResult(name, {"rules": "Choose a move.", "family": "f"}, steps, None)


ONE = episode(("cheat", 3.0), ("collaborate", -1.0))
TWO = episode(("cheat", None), name="t-2")
AGENT = chat("", {})


def refined(
    method: Method, *episodes: FeedbackResult, state: State | None = None, model: Any = None
) -> Sequence[Candidate]:
    """What a method proposes after the last of these episodes."""
    start = method.initial_state(AGENT) if state is None else state
    context = RefineContext("snap", start, episodes[-1], episodes, AGENT, Ports(model=model), random.Random(1))
    return asyncio.run(method.refine(context))  # type: ignore[arg-type]


def grown(method: Method, *episodes: FeedbackResult, model: Any = None) -> State:
    """The state after all of them, refined one after the other."""
    state = method.initial_state(AGENT)
    for many in range(1, len(episodes) + 1):
        proposed = refined(method, *episodes[:many], state=state, model=model)
        state = proposed[0].state if proposed else state
    return state


@dataclass
class Asked:
    """A model that notes what it is asked, and finds prompts over so many characters too long."""

    limit: int = 10**9
    prompts: list[str] = field(default_factory=list)

    async def generate(self, request: ModelRequest) -> Any:
        text = "\n\n".join(message.text for message in request.messages if message.author != "system")
        self.prompts.append(text)
        if len(text) > self.limit:
            raise ContextOverflow("too long")
        return await Scripted(lambda request: "Answer: cheat, Score: 2").generate(request)


def acted(method: Method, state: State, *views: View, model: Asked | None = None) -> list[str]:
    """The prompts that the agent's model saw, one for each view."""
    asked = model or Asked()
    actor = method.actor(state.acting(), AGENT, Ports(model=asked), random.Random(1))

    async def play() -> None:
        for view in views:
            await actor.act(view)

    asyncio.run(play())
    return asked.prompts


# ---------------------------------------------------------------------------------------------- what is kept


def test_an_episode_is_a_file_and_a_step_a_line():
    state = grown(history({}), ONE, TWO)
    assert sorted(path for path in state.files if "history" in path) == [
        "agent/memory/history/0001.jsonl",
        "agent/memory/history/0002.jsonl",
    ]
    first = [json.loads(line) for line in state.files["agent/memory/history/0001.jsonl"].splitlines()]
    assert first == [
        {"answered": "cheat was played.", "done": "cheat", "score": 3.0, "seen": "Round 1."},
        {"answered": "collaborate was played.", "done": "collaborate", "score": -1.0, "seen": "Round 2."},
    ]


def test_the_agents_own_score_is_kept_nowhere_but_where_it_is_the_judgement():
    assert b"9" not in grown(history({}), ONE).files["agent/memory/history/0001.jsonl"]


def test_a_prompt_shows_a_step_as_the_paper_does():
    assert Told("Round 1.", "cheat", 0.5, "You gained 3.").shown() == (
        "Env: Round 1.\nLLM: Answer: cheat, Score: 0.5\nEnv: You gained 3."
    )
    assert Told("Round 1.", "cheat", None).shown() == "Env: Round 1.\nLLM: Answer: cheat"


def test_what_was_done_is_the_action_alone():
    said = {
        "Answer: A, Score: 1\nAnswer: B, Score: good": "B",
        "**Final answer: UP**": "UP",
        "just this": "just this",
        "": "",
        "Answer: END, Score: 0": "END",
        "Answer: X 0 1; W 2 3, Score: 1.5": "X 0 1; W 2 3",
    }
    assert {text: action(text) for text in said} == said
    assert action(Call("go", {"to": "left", "self_score": 1})) == 'go {"to":"left"}'


def test_positive_keeps_only_what_was_judged_above_nought():
    state = grown(history({"steps": "positive"}), ONE, TWO)
    assert [step.done for steps in _episodes.read(state, "agent/memory/history").values() for step in steps] == [
        "cheat"
    ]


def test_an_episode_of_nothing_to_keep_proposes_nothing_and_says_so():
    found = refined(history({"steps": "positive"}), TWO)
    assert isinstance(found, Skipped)
    assert found.reason == "the episode holds no steps"


def test_earlier_files_stay_as_they_are():
    before, after = grown(history({}), ONE), grown(history({}), ONE, TWO)
    assert after.files["agent/memory/history/0001.jsonl"] == before.files["agent/memory/history/0001.jsonl"]


def test_what_a_broken_refinement_left_out_is_made_up_for():
    method = history({})
    late = refined(method, ONE, TWO)[0].state
    assert late == grown(method, ONE, TWO)


def test_a_file_that_somebody_ruined_is_read_as_far_as_it_holds_steps():
    lines = b'{"answered":"","done":"cheat","score":1,"seen":"x"}\n[1]\n{"done":2}\n\xff\n'
    found = _episodes.read(State({"agent/memory/history/0001.jsonl": lines}), "agent/memory/history")
    assert found == {1: [Told("x", "cheat", 1)]}


# ---------------------------------------------------------------------------------------------- room


def steps(many: int) -> dict[int, list[Told]]:
    """So many episodes of one step, each of 28 bytes as shown."""
    return {number: [Told("0123456789", "xx", None)] for number in range(1, many + 1)}


@pytest.mark.parametrize(("keep", "kept"), [("newest", [4, 5]), ("oldest", [1, 2])])
def test_what_there_is_no_room_for_is_left_out_and_counted(keep: Any, kept: list[int]):
    size = len(steps(1)[1][0].shown()) + 1
    found, dropped = fitting(steps(5), tokens=-(-2 * size // 4), keep=keep)
    assert (list(found), dropped) == (kept, 3)


def test_an_episode_too_long_by_itself_keeps_its_newest_steps():
    long = {1: [Told(str(n), "x", None) for n in range(10)]}
    found, dropped = fitting(long, tokens=18, keep="newest")
    assert [step.seen for step in found[1]] == ["7", "8", "9"]
    assert dropped == 7


def test_the_manifest_counts_what_was_dropped():
    found = refined(history({"input_tokens": 20, "reserve_tokens": 0}), ONE, TWO)
    assert found[0].manifest["dropped"] == 2
    assert found[0].manifest["steps"] == 1


def test_the_oldest_kept_means_that_what_is_new_is_not():
    found = refined(history({"input_tokens": 1, "reserve_tokens": 0, "keep": "oldest"}), ONE)
    assert isinstance(found, Skipped)
    assert found.reason == "there is room for none of it: 2 steps are left out"


def test_a_reserve_that_leaves_nothing_is_refused():
    with pytest.raises(UsageError, match="reserve_tokens = 20000 leaves nothing of input_tokens = 1000; lower it"):
        history({"input_tokens": 1000})


# ---------------------------------------------------------------------------------------------- what the agent is told


def test_without_episodes_the_agent_is_shown_what_the_plain_agent_is():
    plain = acted(history({}), State(AGENT.harness()), VIEW)
    assert plain == ["Choose a move.\n\nYou gained 3.\n\nRound 2."]
    for method in (history({}), summary({})):
        assert method.wrapping == ""
        assert method.initial_state(AGENT) == State(AGENT.harness())


def test_the_hints_come_before_the_rules():
    (prompt,) = acted(history({}), grown(history({}), TWO), VIEW)
    assert prompt == (
        "Hint Messages:\nEpisode 1\nEnv: Round 1.\nLLM: Answer: cheat\nEnv: cheat was played.\n\n"
        "Choose a move.\n\nYou gained 3.\n\nRound 2."
    )


def test_in_the_papers_prompt_all_stands_in_one_message():
    method = history({"composition": "paper"})
    first = replace(VIEW, text="Round 1.", reply="")
    prompts = acted(method, grown(method, TWO), first, VIEW)
    assert prompts[1] == (
        "Hint Messages:\nEpisode 1\nEnv: Round 1.\nLLM: Answer: cheat\nEnv: cheat was played.\n\n"
        "Game history of current episode:\nEnv: Round 1.\nLLM: Answer: cheat, Score: 2\n\n"
        "Choose a move.\n\nYou gained 3.\nRound 2."
    )
    assert method.wrapping == summary({"composition": "paper"}).wrapping != ""


def test_the_papers_summary_repeats_the_rules():
    method = summary({"composition": "paper"})
    state = State(AGENT.harness()).with_files({"agent/memory/tips.md": b"- cheat\n"})
    (prompt,) = acted(method, state, VIEW)
    assert prompt == ("Hint Messages:\n- cheat\n\nChoose a move.\n\nChoose a move.\n\nYou gained 3.\nRound 2.")


def test_where_a_prompt_overflows_the_older_half_of_the_hints_goes_for_good():
    method = history({})
    state = grown(method, *(episode((f"move{n}", None), name=f"t-{n}") for n in range(4)))
    model = Asked(limit=230)
    prompts = acted(method, state, VIEW, VIEW, model=model)
    assert [prompt.count("Episode") for prompt in prompts] == [4, 2, 2, 1]
    assert "move3" in prompts[-1]


def test_a_prompt_that_overflows_without_any_hint_is_the_agents_own_doing():
    method = history({})
    with pytest.raises(ContextOverflow):
        acted(method, grown(method, ONE), VIEW, model=Asked(limit=10))


# ---------------------------------------------------------------------------------------------- tips


def tips(answer: Callable[[ModelRequest], Any]) -> tuple[Sequence[Candidate], Scripted]:
    model = Scripted(answer)
    return refined(summary({}), ONE, model=model), model


def test_a_model_is_shown_rules_and_judged_history_and_its_tips_are_told():
    found, model = tips(lambda request: "- Cheat first.\n\n- Then look.")
    asked = model.asked[0]
    assert asked.role == "improver"
    assert "Rule:\nChoose a move." in asked.messages[-1].text
    assert "Env: Round 1.\nLLM: Answer: cheat, Score: 3" in asked.messages[-1].text
    assert found[0].state.files["agent/memory/tips.md"] == b"- Cheat first.\n- Then look.\n"
    (prompt,) = acted(summary({}), found[0].state, VIEW)
    assert prompt.startswith("Hint Messages:\n- Cheat first.\n- Then look.\n\nChoose a move.")


def test_its_history_is_its_own_and_is_not_shown_to_the_agent():
    state = tips(lambda request: "- tip")[0][0].state
    assert [path for path in state.acting().files if "history" in path] == []
    assert "method/history/0001.jsonl" in state.files


def test_tips_are_made_anew_of_all_episodes():
    model = Scripted(lambda request: f"- of {request.messages[-1].text.count('Episode')}")
    state = grown(summary({}), ONE, TWO, model=model)
    assert state.files["agent/memory/tips.md"] == b"- of 2\n"


def test_a_model_that_is_down_is_a_fault_and_its_episode_comes_with_the_next():
    def down(request: ModelRequest) -> str:
        raise ModelFault("model", "no usable reply")

    with pytest.raises(ModelFault):
        tips(down)
    later = refined(summary({}), ONE, TWO, model=Scripted(lambda request: "- tip"))[0].state
    assert [path for path in later.files if "history" in path] == [
        "method/history/0001.jsonl",
        "method/history/0002.jsonl",
    ]


def test_a_history_too_long_for_the_model_is_halved_until_it_can_be_read():
    many = [episode((f"move{n}", None), name=f"t-{n}") for n in range(8)]
    method = summary({"input_tokens": 400, "reserve_tokens": 0})

    def answer(request: ModelRequest) -> str:
        held = request.messages[-1].text.count("Episode")
        if held > 2:
            raise ContextOverflow("too long")
        return f"- of {held}"

    (found,) = refined(method, *many, model=Scripted(answer))
    assert found.state.files["agent/memory/tips.md"] == b"- of 2\n"
    assert found.manifest["steps"] == 2
    assert found.manifest["dropped"] == 6
    assert "method/history/0008.jsonl" in found.state.files


def test_a_model_that_can_read_nothing_is_an_overflow():
    def answer(request: ModelRequest) -> str:
        raise ContextOverflow("too long")

    with pytest.raises(ContextOverflow):
        tips(answer)


def test_tips_without_any_letter_are_none():
    assert isinstance(tips(lambda request: "\u200b")[0], Skipped)


def test_tips_have_an_end():
    found = tips(lambda request: "long " * 10_000)[0][0]
    assert len(found.state.files["agent/memory/tips.md"]) == 16_001
    assert found.manifest["cut_off"] is True


def test_the_fullest_state_has_as_much_as_any_that_grows():
    method = history({"input_tokens": 2_000, "reserve_tokens": 0})
    many = [episode(("y" * 300, None), name=f"t-{n}") for n in range(40)]
    grew = _episodes.shown(_episodes.read(grown(method, *many), "agent/memory/history"))
    full = _episodes.shown(
        _episodes.read(method.fullest(State(), ONE), "agent/memory/history")  # type: ignore[attr-defined]
    )
    assert sum(map(len, grew)) <= 8_000 <= sum(map(len, full))


def test_an_action_is_answered_as_the_agent_gave_it():
    method = history({})
    actor = method.actor(grown(method, ONE), AGENT, Ports(model=Asked()), random.Random(1))
    assert asyncio.run(actor.act(VIEW)) == Action("Answer: cheat, Score: 2")  # type: ignore[arg-type]
