"""The tools of a study are the union over all it serves, and the same in every session of it."""

import asyncio
import re
from typing import Any

import pytest

from rung.core import registry
from rung.core.errors import UsageError
from rung.core.values import Action, Call, Tool, View
from rung.protocols.self_score import ARGUMENT
from rung.protocols.toolbox import LONGEST, Toolbox, toolbox, tools_of

from . import stage
from .stage import Twisted, gives, installed

BOX = ("box-v1", "d1")
FARM = ("farm-v1", "d1")


def made(*cells: tuple[str, str], judged: bool = False) -> Toolbox:
    return asyncio.run(toolbox(cells, judged=judged))


def names(box: Toolbox) -> list[str]:
    return [tool.name for tool in box.tools]


def with_tools(*tools: Tool, family: str = "box-v1") -> Any:
    """A family of this id whose views show these tools."""
    return stage.box(id=family, episode={"view": gives(View("look", tools=tools))})


def tool(name: str, *arguments: str, about: str = "Do it.") -> Tool:
    return Tool(name, about, {"type": "object", "properties": {each: {"type": "integer"} for each in arguments}})


def test_a_toolbox_begins_with_get_task_and_ends_with_queue_info():
    assert names(made(FARM)) == ["get_task", "submit_plan", "queue_info"]


def test_the_order_of_the_cells_makes_no_difference():
    cells = [("toy-road-v1", "d1"), FARM, ("snake-v1", "d2"), ("toy-lamp-v1", "d3")]
    assert made(*cells) == made(*reversed(cells), *cells)
    assert names(made(*cells)) == ["get_task", "submit_plan", "move", "answer", "queue_info"]


def test_every_tool_of_a_game_takes_the_handle_of_its_task_first():
    for each in made(FARM, ("chess-v1", "d1"), ("toy-lamp-v1", "d1")).tools[1:-1]:
        assert each.parameters["required"][0] == "task"
        assert each.parameters["properties"]["task"]["type"] == "string"


def test_a_tool_that_stands_in_no_first_view_is_there_all_the_same():
    assert names(made(("combat-v1", "d3"))) == ["get_task", "fight", "shop", "queue_info"]


def test_one_name_for_two_things_gets_the_family_s_name_before_it():
    with installed(with_tools(tool("submit_plan", "other"))):
        box = made(BOX, FARM)
    assert names(box) == ["get_task", "box_v1_submit_plan", "farm_v1_submit_plan", "queue_info"]
    assert box.action(BOX, "box_v1_submit_plan", {"task": "t", "other": 1}) == Action(Call("submit_plan", {"other": 1}))


def test_one_name_for_the_same_thing_stays_one_tool():
    box = made(("toy-road-v1", "d1"), ("toy-lamp-v1", "d1"))
    assert names(box) == ["get_task", "answer", "queue_info"]


def test_two_settings_that_mean_two_things_are_told_apart_too():
    def shown(self: Any) -> View:
        return View("look", tools=(tool("go", self.task.setting.name),))

    class Both(type(stage.BOX)):  # type: ignore[misc]
        async def start(self, task: Any, ports: Any) -> Any:
            real = await super().start(task, ports)
            return Twisted(real, view=lambda: shown(Twisted(real, task=task)))

    with installed(Both("box-v1", "reasoning", thing="box", turns=2)):
        box = made(BOX, ("box-v1", "d2"))
    assert names(box) == ["get_task", "box_v1_d1_go", "box_v1_d2_go", "queue_info"]


def test_a_family_without_tools_is_answered_in_words():
    with installed(with_tools()):
        box = made(BOX)
    assert names(box) == ["get_task", "answer", "queue_info"]
    assert box.action(BOX, "answer", {"task": "t", "text": "seven"}) == Action("seven")
    assert box.legal(BOX, ()) == ["answer"]


def test_words_that_are_no_text_are_left_for_the_family_to_refuse():
    with installed(with_tools()):
        box = made(BOX)
    assert box.action(BOX, "answer", {"task": "t", "text": 7}) == Action(Call("answer", {"text": 7}))


def test_a_tool_that_is_named_like_one_of_ours_is_renamed():
    with installed(with_tools(tool("get_task"), tool("queue_info"))):
        assert names(made(BOX)) == ["get_task", "box_v1_get_task", "box_v1_queue_info", "queue_info"]


def test_names_are_such_as_every_provider_takes():
    with installed(with_tools(tool("go left!"), tool("x" * 200), tool("né"))):
        box = made(BOX)
    assert all(re.fullmatch(rf"[A-Za-z0-9_]{{1,{LONGEST}}}", name) for name in names(box))
    assert len(set(names(box))) == 5
    assert box.action(BOX, "box_v1_go_left_", {}) == Action(Call("go left!", {}))


def test_two_names_that_are_spelt_alike_stay_two():
    with installed(with_tools(tool("a b"), tool("a-b"))):
        box = made(BOX)
    assert len(set(names(box))) == 4
    assert {box.meant[BOX, name] for name in names(box)[1:-1]} == {"a b", "a-b"}


def test_a_tool_with_an_argument_named_task_is_refused_by_name():
    with installed(with_tools(tool("go", "task"))), pytest.raises(UsageError, match="box-v1: the tool 'go' has an arg"):
        made(BOX)


def test_where_agents_judge_themselves_every_game_s_tool_asks_for_it():
    box = made(FARM, judged=True)
    assert [ARGUMENT in each.parameters["properties"] for each in box.tools] == [False, True, False]


@pytest.mark.parametrize("family", [name for name in registry.names("families") if not name.startswith("toy-")])
def test_the_tools_of_a_game_are_the_same_in_all_its_settings(family: str):
    found = registry.family(family)
    kinds = [asyncio.run(tools_of(found, found.setting(each.name))) for each in found.settings()]
    assert all(each == kinds[0] for each in kinds)
