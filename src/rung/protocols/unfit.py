"""Arms, models and tasks that cannot go together, refused before anything is written.

Each of these a run would meet at its first attempt, its first refinement or its first judgement, and would stop there
with a command to resume that could only stop again. Each raises `UsageError` with key, value and mend.
"""

import asyncio
from collections.abc import Callable, Sequence

from rung.agents.command import CommandAgent
from rung.core import registry
from rung.core.config import Config
from rung.core.errors import UsageError
from rung.core.ports import Pictured, Ports, Provider
from rung.core.seeds import Seed
from rung.core.values import Tool
from rung.core.waiting import settle
from rung.protocols import explore
from rung.protocols.rehearsal import Idle
from rung.protocols.study import Arm
from rung.protocols.training import trainable

WRITES = '"local/smollm2", or another that writes'


def refuse(config: Config, arms: Sequence[Arm]) -> None:
    """Refuse arms that cannot play the tasks of a study, as they cannot be told before the games are known."""
    refuse_blind(config, arms)
    for arm in arms if config.protocol == "explore" else ():
        explore.refuse_unfit(arm)
    for arm in arms:
        refuse_unable(arm)
    refuse_uncounted(config, arms)


def refuse_unable(arm: Arm) -> None:
    """Refuse a known program over a model of this machine's: it leaves it to its model whether to call a tool, and
    these cannot choose."""
    known = isinstance(arm.agent, CommandAgent) and arm.agent.facts.package is not None
    if known and arm.model is not None and arm.model.id.startswith("local/"):
        raise UsageError(
            f"arm {arm.name!r}: {arm.agent.id} leaves it to its model whether to call a tool, and {arm.model.id} "
            'cannot choose; give [agent] model = "scripted/worker" to try a cell without a key, or another model'
        )


def refuse_wordless(arm: Arm) -> None:
    """Refuse an agent, a method or a judge that needs words, over a model that has none."""
    writing = getattr(arm.method, "needs_model", False) and not getattr(arm.method, "trains", False)
    if _wordless(arm.model) and getattr(arm.agent, "answers", "tools") != "tools":
        raise UsageError(
            f"arm {arm.name!r}: {_name(arm.model)} chooses among legal calls and writes no text, and agent.answers = "
            f'{getattr(arm.agent, "answers", "")!r}; give [agent] answers = "tools"'
        )
    if writing and _wordless(arm.improver):
        raise UsageError(
            f"arm {arm.name!r}: method {arm.method.id!r} has its model write, and {_name(arm.improver)} chooses among "
            f"legal calls and writes no text; give [method] model = {WRITES}"
        )
    if _wordless(arm.judging.model):
        raise UsageError(
            f"explore.judge = {_name(arm.judging.model)!r} chooses among legal calls and writes no judgement; give "
            f"explore.judge = {WRITES}"
        )


def refuse_unseeded(arm: Arm) -> None:
    """Refuse an agent that gives each request a seed, over a model that draws by none."""
    if getattr(arm.agent, "seeded", False) and not getattr(arm.model, "seeded", True):
        raise UsageError(
            f"arm {arm.name!r}: agent.seeded = true, and {_name(arm.model)} draws by no seed; leave seeded out of "
            "[agent], or use a model of local/"
        )


def refuse_blind(config: Config, arms: Sequence[Arm]) -> None:
    """Refuse a model that reads text alone where tasks show pictures, and name the track that does without them."""
    blind = sorted({arm.model.id for arm in arms if arm.model is not None and not arm.model.images})
    for name in sorted({block.family for block in (*config.tasks.schedule, *config.tasks.holdout)} if blind else ()):
        family = registry.family(name)
        if isinstance(family, Pictured):
            track = family.text_track
            mend = f"use the text track {track}" if track else "use a model that reads pictures"
            raise UsageError(f"tasks: {name} shows pictures and {blind[0]} reads text alone; {mend}")


def refuse_uncounted(config: Config, arms: Sequence[Arm]) -> None:
    """Refuse a model that chooses among legal calls, in a game whose calls it cannot count."""
    asking = [arm.model for arm in arms if arm.model is not None and getattr(arm.agent, "answers", "") == "tools"]
    choosing = {model.id: check for model in asking if (check := _check(model))}
    if not choosing:
        return
    for name, setting, tools in asyncio.run(_tools(config)):
        for check in choosing.values():
            try:
                check(tools)
            except UsageError as why:
                raise UsageError(f"tasks: {name} {setting}: {why}") from None


def _check(model: Provider) -> Callable[[Sequence[Tool]], None] | None:
    """What refuses tools that a model cannot be held to, where it says so."""
    found: Callable[[Sequence[Tool]], None] | None = getattr(trainable(model), "refuse_tools", None)
    return found


async def _tools(config: Config) -> Sequence[tuple[str, str, Sequence[Tool]]]:
    """The tools of one task of each cell, as its first view shows them."""
    return [
        (name, setting, await _shown(name, setting))
        for name, setting in dict.fromkeys(
            (block.family, block.setting_name) for block in (*config.tasks.schedule, *config.tasks.holdout)
        )
    ]


async def _shown(name: str, setting: str) -> Sequence[Tool]:
    family = registry.family(name)
    task = family.draw(family.setting(setting), Seed("rehearsal").child(name, setting))
    episode = await settle(family.start, task, Ports(sandbox=Idle()))
    return tuple(episode.view().tools)


def _wordless(model: Provider | None) -> bool:
    return not getattr(trainable(model), "writes", True)


def _name(model: Provider | None) -> str:
    return model.id if model is not None else "no model"
