"""`rung tasks show`: what an agent meets."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click

from rung.cli._contracts import family_id, family_ports
from rung.cli._say import json_option, say_json
from rung.cli.tasks._settings import chosen, setting_options
from rung.core import registry
from rung.core.config import Block, TasksConfig
from rung.core.ports import Pooled
from rung.core.seeds import Seed
from rung.core.values import Task, View
from rung.tasks import sequence


@click.command("show")
@click.argument("family")
@setting_options
@click.option("--seed", default="0", metavar="X", help="Another seed, another example.  [default: 0]")
@json_option
def command(family: str, difficulty: int | None, setting: str | None, seed: str, *, as_json: bool) -> None:
    """Show a drawn example as an agent sees it.

    Prints the rules and the first view. It is drawn from a seed of its own, and is never a task of a run; of a file of
    tasks it is one of those that may be worked.

    FAMILY is a name, a folder of yours with game.py and key.py, or a .jsonl file of your tasks. Without a setting it is
    the first one published.
    """
    family = family_id(family)
    task = drawn(family, chosen(family, difficulty, setting), seed)
    view = asyncio.run(_first_view(task))
    rules = view.rules or registry.family(family).rules(task)
    if as_json:
        say_json({"family": family, "setting": task.setting.name, "rules": rules, **_view(view)})
        return
    click.echo(f"--- {task.cell}: rules\n{rules}\n--- first view\n{view.text}")
    for tool in view.tools:
        click.echo(f"--- tool {tool.name}: {tool.description}")


def drawn(family: str, setting: str, seed: str) -> Task:
    """An example, admitted by the family's key as those of a study are."""
    root = Seed("rung tasks show").child(seed)
    known = registry.family(family)
    if isinstance(known, Pooled):
        return known.draw(known.setting(setting), root)
    block = Block(family=family, setting=setting, count=1)
    wanted = TasksConfig(schedule=(block,), holdout=(block,))
    held = sequence.plan(wanted, root=root.child("shown"), holdout_root=root.child("not shown"), lineages=1)
    return held.lineages[0][0].task


async def _first_view(task: Task) -> View:
    episode = await registry.family(task.family).start(task, family_ports())
    return episode.view()


def _view(view: View) -> Mapping[str, Any]:
    tools = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in view.tools]
    return {"view": view.text, "images": [image.media_type for image in view.images], "tools": tools}
