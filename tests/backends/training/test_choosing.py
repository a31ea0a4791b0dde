"""Legal calls are counted off schemas, and one of them is drawn or is the best."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from rung.backends.training.choosing import choices, place_of, reply, shares, spelt
from rung.core import registry
from rung.core.errors import ModelFault, ModelUnusable
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Tool

from .lessons import COLOURS, JUDGED, PAINT, asked


def tool(**properties) -> Tool:
    return Tool("do", "Do it.", {"type": "object", "properties": properties})


def test_calls_are_all_combinations_of_words_truths_and_ranges():
    row = {"type": "integer", "minimum": 1, "maximum": 2}
    calls = choices("m", [tool(row=row, flag={"type": "boolean"}, self_score={"type": "number"}), tool(x={"const": 7})])
    assert [dict(call.arguments) for call in calls] == [
        {"row": 1, "flag": False},
        {"row": 1, "flag": True},
        {"row": 2, "flag": False},
        {"row": 2, "flag": True},
        {"x": 7},
    ]


@pytest.mark.parametrize(
    ("tools", "why"),
    [
        ([], "writes no text; give .agent. answers = 'tools'"),
        ([tool(plan={"type": "string"})], "cannot count what 'plan' of do may be"),
        ([tool(n={"type": "integer"})], "cannot count what 'n' of do may be"),
        ([tool(n={"type": "integer", "minimum": 0, "maximum": 10**12})], "1,024 legal calls at most"),
    ],
)
def test_a_game_whose_calls_cannot_be_counted_stops_the_run_with_the_reason(tools, why):
    with pytest.raises(ModelUnusable, match=why):
        choices("local/policy", tools)


@pytest.mark.parametrize("name", ["trust-v1", "snake-v1"])
def test_every_call_that_is_counted_of_a_closed_schema_is_a_call_to_its_game(name):
    family = registry.family(name)
    task = family.draw(family.setting("explore"), Seed("counted"))
    view = asyncio.run(family.start(task, Ports())).view()
    for call in choices("m", view.tools):
        episode = asyncio.run(family.start(task, Ports()))
        assert not asyncio.run(episode.call(call)).invalid


def test_of_a_range_without_an_end_the_first_ten_are_counted():
    calls = choices("m", [tool(row={"type": "integer", "minimum": 1})])
    assert [call.arguments["row"] for call in calls] == list(range(1, 11))


def test_without_a_temperature_the_first_of_the_best_is_called():
    calls = choices("m", [PAINT])
    assert reply("m", asked("x"), calls, [0.0, 1.0, 1.0]).calls == (calls[1],)


def test_draws_have_the_chances_of_the_scores():
    request = asked("x", temperature=1.0)
    scores = [0.0, 1.0, 2.0]
    calls = choices("m", [PAINT])
    drawn = Counter(
        reply("m", replace(request, seed=number), calls, scores).calls[0].arguments["colour"] for number in range(3000)
    )
    for name, chance in zip(COLOURS, shares(scores), strict=True):
        assert abs(drawn[name] / 3000 - chance) < 0.03  # three standard errors of the largest


def test_a_lower_temperature_draws_the_best_more_often():
    assert shares([0.0, 1.0], 0.5)[1] > shares([0.0, 1.0], 1.0)[1] > shares([0.0, 1.0], 2.0)[1]


def test_one_seed_draws_the_same_whatever_else_was_asked_and_without_one_the_request_decides():
    calls, scores = choices("m", [PAINT]), [0.0, 0.0, 0.0]
    seeded = [reply("m", asked(text, temperature=1.0, seed=5), calls, scores).calls for text in ("one", "two")]
    assert seeded[0] == seeded[1]
    drawn = {reply("m", asked(str(n), temperature=1.0), calls, scores).calls[0].arguments["colour"] for n in range(40)}
    assert drawn == set(COLOURS)
    again = [reply("m", asked("one", temperature=1.0), calls, scores).calls for _ in range(2)]
    assert again[0] == again[1]


def test_where_a_call_is_judged_its_probability_is_what_it_says():
    calls = choices("m", [JUDGED])
    said = reply("m", asked("x", tools=(JUDGED,)), calls, [0.0, 0.0, 0.693147]).calls[0]
    assert dict(said.arguments) == {"colour": "blue", "self_score": pytest.approx(0.5, abs=1e-6)}


def test_an_example_with_an_illegal_answer_is_a_fault_that_shows_it():
    calls = choices("m", [PAINT])
    assert place_of("m", calls, Call("paint", {"colour": "green", "self_score": 0.2})) == 1
    with pytest.raises(ModelFault, match=r"legal calls alone, and an example answers .*pink"):
        place_of("m", calls, Call("paint", {"colour": "pink"}))
    with pytest.raises(ModelFault, match="an example answers 'green'"):
        place_of("m", calls, "green")


def test_a_call_is_spelt_by_what_is_chosen_in_it():
    assert spelt(Call("go", {"to": "up", "far": True, "self_score": 1})) == "go up true"
