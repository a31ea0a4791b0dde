"""From a cell's config to hands that run its programs: what is installed, what confines them, who answers their models.

All that can be known to be missing is said before anything starts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rung.agents.command import CommandAgent
from rung.agents.command.facts import Facts, Places
from rung.backends import programs
from rung.backends.network.relay import Reach
from rung.backends.network.watchers import Watchers
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.docker import Docker
from rung.backends.sandbox.places import Places as Room
from rung.backends.sandbox.unsafe import Unsafe
from rung.backends.servers.played import Played
from rung.backends.servers.upstream import Upstream
from rung.backends.servers.upstreams import upstream
from rung.core.config import Config
from rung.core.confined import Confiner
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.proxied import Refused
from rung.protocols import instructions
from rung.protocols.hands import Ground, ProgramHand
from rung.protocols.lines import Lines
from rung.protocols.study import Arm
from rung.protocols.toolbox import toolbox
from rung.store.blobs import BlobFiles
from rung.store.homes import Homes
from rung.store.run_directory import RunDirectory

CONFINERS: Mapping[str, Callable[[], Confiner]] = {
    "bubblewrap": Bubblewrap,
    "docker": Docker,
    "unsafe": Unsafe,
}


@dataclass(frozen=True, slots=True)
class Needs:
    """What a cell's programs need beyond the config: where its paths begin, who is asked in place of a model by name,
    who is told of what is odd, who says that a stop was asked for, and how allowed names are connected to."""

    base: Path = Path()
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    warn: Callable[[str], None] = lambda text: None
    stop_requested: Callable[[], bool] = lambda: False
    reach: Reach | None = None


def refuse_unequipped(config: Config, arms: tuple[Arm, ...], needs: Needs) -> Confiner:
    """What confines the programs; raises `UsageError` for what is missing: a sandbox, a program, a model's key."""
    confiner = CONFINERS[config.sandbox.kind]()
    lacks = confiner.probe().missing
    if lacks:
        raise UsageError(f"sandbox.kind = {config.sandbox.kind!r}: {'; '.join(lacks)}")
    for arm in arms:
        if isinstance(arm.agent, CommandAgent):
            _version(arm.agent.facts, needs)
            _places(arm.agent, needs.base)
            _answers(config, arm, needs)
    return confiner


async def equipped(
    config: Config,
    arms: tuple[Arm, ...],
    *,
    journal: Journal,
    directory: RunDirectory,
    lines: Lines,
    clock: Callable[[], float],
    needs: Needs,
) -> tuple[Arm, ...]:
    """The arms with hands for their programs."""
    needs = replace(needs, warn=lambda text: None)  # whoever asked before anything was written was told
    confiner = refuse_unequipped(config, arms, needs)
    cells = {(block.family, block.setting_name) for block in (*config.tasks.schedule, *config.tasks.holdout)}
    place = directory.path.absolute()  # a supervisor works elsewhere
    homes = Homes(place / "homes", BlobFiles(place / directory.blobs.name))
    homes.tidy()
    watchers = Watchers()
    watchers.start()  # it is up by the time the first sandbox is made
    ground = Ground(
        journal=journal,
        homes=homes,
        folder=place / "sessions",
        confiner=confiner,
        room=Room(config.engine.concurrency),
        lines=lines,
        box=await toolbox(cells, judged=config.tasks.self_score),
        texts=instructions.read(config, base=needs.base),
        config=config,
        clock=clock,
        stop_requested=needs.stop_requested,
        watchers=watchers,
        reach=needs.reach,
    )
    return tuple(_with_hand(arm, ground, needs) for arm in arms)


def _with_hand(arm: Arm, ground: Ground, needs: Needs) -> Arm:
    if not isinstance(arm.agent, CommandAgent):
        return arm
    answers = _answers(ground.config, arm, needs)
    version = _version(arm.agent.facts, needs)
    places = _places(arm.agent, needs.base)
    return replace(arm, hand=ProgramHand(ground, arm.agent, places, answers, answers.model, version))


def _answers(config: Config, arm: Arm, needs: Needs) -> Upstream:
    """Who answers a program's model; of a program without one, nobody."""
    name = model_of(config, arm.name)
    if name is None and getattr(arm.agent, "needs_model", False):
        raise UsageError(
            f'arm {arm.name!r}: {arm.agent.id} needs a model; give [agent] model = "provider/name", for example '
            '"anthropic/claude-opus-5", or "scripted/worker" to try a cell without a key'
        )
    if name is None:
        return Played(lambda heard: Refused(404, "this study gives the program no model", final=True), model="none")
    return needs.upstreams.get(name) or upstream(name, config.reached(name), provider=arm.model)


def model_of(config: Config, arm: str) -> str | None:
    """The model that an arm's program acts with, by its name."""
    return next(each.agent.model for each in config.every_arm() if each.name == arm and each.agent is not None)


def _version(facts: Facts, needs: Needs) -> str | None:
    package = facts.package
    if package is None:
        return None
    found = programs.version(facts.name, package.name)
    if found is None or (facts.node and programs.node() is None):
        what = facts.name if found is None else f"Node, which {facts.name} runs on,"
        raise UsageError(f"{what} is not installed here; run: rung doctor --install-agent {facts.name}")
    if found != package.version:
        needs.warn(
            f"{facts.name} {found} is installed and {package.version} was measured: what is known of it may not hold; "
            f"rung doctor --install-agent {facts.name} puts that one in its place"
        )
    return found


def _places(agent: CommandAgent, base: Path) -> Places:
    facts = agent.facts
    modules = programs.modules(facts.name) if facts.package is not None else None
    folder = None if agent.folder is None else (base / agent.folder).absolute()
    if folder is not None and not folder.is_dir():
        raise UsageError(f"[agent]: folder = {str(agent.folder)!r} is no folder here; give the one of your program")
    return Places(modules, programs.node() if facts.node else None, folder)
