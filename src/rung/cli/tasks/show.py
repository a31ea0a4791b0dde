"""`rung tasks show`: what an agent meets."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click

from rung.cli._say import json_option, say_json
from rung.core import registry
from rung.core.config import Block, TasksConfig
from rung.core.errors import UsageError
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.values import Task, View
from rung.tasks import sequence


@click.command("show")
@click.argument("family")
@click.option("--difficulty", type=click.IntRange(min=1), metavar="N", help="The difficulty; short for --setting dN.")
@click.option("--setting", metavar="NAME", help="The setting by name.")
@click.option("--seed", default="0", metavar="X", help="Another seed, another example.  [default: 0]")
@json_option
def command(family: str, difficulty: int | None, setting: str | None, seed: str, *, as_json: bool) -> None:
    """Show a drawn example as an agent sees it.

    Prints the rules and the first view. It is drawn from a seed of its own, and is never a task of a run.
    """
    if (difficulty is None) == (setting is None):
        raise UsageError("tasks show takes either --difficulty N or --setting NAME; `rung tasks list` names them")
    task = drawn(family, setting if setting is not None else f"d{difficulty}", seed)
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
    block = Block(family=family, setting=setting, count=1)
    wanted = TasksConfig(schedule=(block,), holdout=(block,))
    root = Seed("rung tasks show").child(seed)
    held = sequence.plan(wanted, root=root.child("shown"), holdout_root=root.child("not shown"), lineages=1)
    return held.lineages[0][0].task


async def _first_view(task: Task) -> View:
    episode = await registry.family(task.family).start(task, Ports())
    return episode.view()


def _view(view: View) -> Mapping[str, Any]:
    tools = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in view.tools]
    return {"view": view.text, "images": [image.media_type for image in view.images], "tools": tools}
