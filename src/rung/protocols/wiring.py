"""From the names in a config to live agents and methods, ready to be put into a study."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from rung.agents._function import FunctionAgent
from rung.backends.sandbox.commands import Commands
from rung.core import registry
from rung.core.canonical import fingerprint, sha256
from rung.core.config import (
    ITSELF,
    AgentConfig,
    ArmConfig,
    Cell,
    Config,
    ControlArm,
    JudgedArm,
    MethodConfig,
    parse,
)
from rung.core.confined import Confiner
from rung.core.errors import UsageError
from rung.core.ports import Agent, Method, Ports, Provider, Sandbox
from rung.core.waiting import contained
from rung.methods._controls import controlled
from rung.methods._function import FunctionMethod
from rung.methods.static import Static
from rung.protocols import instructions, unfit
from rung.protocols.judging import Judging
from rung.protocols.study import Arm
from rung.protocols.training import refuse_untrainable
from rung.store.manifests import Manifest, named_once
from rung.store.trees import gather, hashed
from rung.store.walker import CAPS
from rung.tasks import keys
from rung.tasks.domains.files import load as jsonl

PACKAGE = Path(__file__).parents[1]
"""Where this project's own code lies; it goes with the version."""

TASKS = jsonl.ENDING
"""What the name of a file of tasks ends in."""

SCRIPTED = "phantom"
"""The kind of agent that is handed the policies port."""

OWN_PROGRAM = "command"
"""The kind of agent that is a program of the user's own."""


def arms(config: Config, *, base: Path = Path(), models: Mapping[str, Provider] | None = None) -> tuple[Arm, ...]:
    """The arms of a study. `base` is the folder from which a config names plug-in files, `models` are by name."""
    by_name = models or {}
    made = []
    for arm in config.every_arm():
        agent_config, method_config = cast(AgentConfig, arm.agent), cast(MethodConfig, arm.method)
        agent_made, method_made = agent(agent_config, base=base), method(method_config, base=base)
        made.append(
            Arm(
                name=arm.name,
                agent=agent_made,
                method=_controlled(arm, method_made),
                ports=Ports(sandbox=_confining(arm.name, config.sandbox.kind, agent_made, method_made)),
                scripted=agent_config.kind.partition(":")[0] == SCRIPTED,
                code=_own_code(agent_config, method_config, base),
                model=by_name.get(agent_config.model or ""),
                improver=by_name.get(method_config.model or agent_config.model or ""),
                of=arm.of if isinstance(arm, ControlArm | JudgedArm) else None,
                judging=_judging(arm, config, by_name),
            )
        )
    _refuse_live_secret(config, made)
    for arm_made in made:
        if config.protocol != "cell":  # a program's model may be behind no port
            refuse_untrainable(arm_made)  # before a model of the method's own is asked for, which it may not have
            refuse_without_model(arm_made)
            unfit.refuse_wordless(arm_made)
            unfit.refuse_unseeded(arm_made)
        arm_made.method.initial_state(arm_made.agent)  # a method that cannot go with its agent says so here
    return tuple(made)


def _judging(arm: ArmConfig, config: Config, models: Mapping[str, Provider]) -> Judging:
    """Who judges what the arm's method is told."""
    by = arm.judge if isinstance(arm, JudgedArm) else "itself"
    asked = config.explore.judge if config.explore is not None and by == "model" else None
    return Judging(by, models.get(asked or ""))


@cache
def _confiner(kind: str) -> Confiner:
    """One of each kind: a machine is looked at once."""
    from rung.protocols.equipment import CONFINERS  # what programs need is heavy to import, and few methods need it

    return CONFINERS[kind]()


def refuse_without_model(arm: Arm) -> None:
    """Refuse an agent or a method that cannot do without a model and has none."""
    needs: tuple[tuple[str, object, Provider | None], ...] = (
        ("agent", arm.agent, arm.model),
        ("method", arm.method, arm.improver),
    )
    for section, part, has in needs:
        if getattr(part, "needs_model", False) and has is None:
            raise UsageError(
                f"arm {arm.name!r}: {section} {getattr(part, 'id', '')!r} needs a model; give [{section}] "
                'model = "provider/name", for example "openai/gpt-5-mini" or "local/smollm2"'
            )


def _confining(arm: str, kind: str, *parts: object) -> Sandbox | None:
    """Where code runs that a model wrote, for parts that say that they run some (`runs_code`).

    None where this machine has no such place: then they do without. Those that cannot say so (`needs_sandbox`), and are
    refused.
    """
    if not any(getattr(part, "runs_code", False) for part in parts):
        return None
    confiner = _confiner(kind)
    lacks = confiner.probe().missing
    needing = [part for part in parts if getattr(part, "needs_sandbox", False)]
    if lacks and needing:
        raise UsageError(
            f"arm {arm!r}: {getattr(needing[0], 'id', '')!r} runs code that a model wrote, and sandbox.kind = {kind!r} "
            f"cannot confine it here: {'; '.join(lacks)}; mend that, or have no code written ([method] code = false)"
        )
    return None if lacks else Commands(confiner)


def _controlled(arm: ArmConfig, made: Method) -> Method:
    """The method of an arm: as it is, or put out of work in an arm that `controls` added."""
    return controlled(arm.control, made) if isinstance(arm, ControlArm) else made


def _own_code(agent_config: AgentConfig, method_config: MethodConfig, base: Path) -> str:
    """What tells apart plug-in files of one name, and programs of one's own: their content and their options."""
    names = (agent_config.kind, method_config.name)
    files = {name: sha256((base / name).read_bytes()) for name in names if name.endswith(".py")}
    files |= dict(_program_folder(agent_config, base))
    options = agent_config.options if agent_config.kind in (*files, OWN_PROGRAM) else {}
    return fingerprint([files, options]) if files or agent_config.kind == OWN_PROGRAM else ""


def agent(config: AgentConfig, *, base: Path = Path()) -> Agent:
    """The configured agent: `kind` or `kind:variant` of this project, or a Python file with `make` or `act`."""
    if config.kind.endswith(".py"):
        module = registry.load_file(base / config.kind)
        if hasattr(module, "make"):
            return cast(Agent, _made(config.kind, lambda: module.make("", config.options), needs="actor"))
        files = _texts(config.kind, getattr(module, "FILES", {}))
        return FunctionAgent(_function(module, "act", config.kind), name=Path(config.kind).stem, files=files)
    kind, _, variant = config.kind.partition(":")
    if kind == "served":
        raise UsageError('[agent]: kind = "served" is an agent that comes to an address: run rung serve CONFIG instead')
    return cast(Agent, registry.load("agents", kind).make(variant, config.options))


def method(config: MethodConfig, *, base: Path = Path()) -> Method:
    """The configured method: a name of this project, or a Python file with `make` or `refine`.

    Where an agent improves itself, nothing else refines it.
    """
    if config == ITSELF:
        return Static()
    if config.name.endswith(".py"):
        module = registry.load_file(base / config.name)
        if hasattr(module, "make"):
            return cast(Method, _made(config.name, lambda: module.make(config.options), needs="refine"))
        function = _function(module, "refine", config.name)
        return FunctionMethod(function, name=Path(config.name).stem, options=config.options)
    return cast(Method, registry.load("methods", config.name).make(config.options))


# ---------------------------------------------------------------------------- games in folders, and tasks in files


def family_in(place: Path) -> str:
    """Make the family in a folder, or in a file of tasks, known to whoever asks for it by its id; that id."""
    keys.key.cache_clear()  # its key may be another than when a folder of this name was read last
    if place.suffix != jsonl.ENDING:
        return registry.folder(place)
    loaded = jsonl.load(place)
    keys.give(loaded.family, loaded.key)
    return registry.give(loaded.family, loaded.files)


def with_folders(config: Config, *, base: Path = Path()) -> Config:
    """The config with every game named by its folder, `./my_game_v1`, and all tasks named by their file,
    `./tickets.jsonl`, known and named by an id.

    So tasks, exam and report know the id alone, and the same game in another place draws the same tasks.
    """
    places = _folders(config, base)
    if not places:
        return config
    document = config.model_dump(mode="json")
    ids = {name: family_in(place) for name, place in places.items()}
    for cell in _plain_cells(document):
        cell["family"] = ids.get(cell["family"], cell["family"])
    return parse(document)


def _folders(config: Config, base: Path) -> Mapping[str, Path]:
    named = sorted({cell.family for cell in _cells(config)})
    places = {name: base / name for name in named if _is_path(name)}
    ids = {place.resolve(): _id_of(place.resolve()) for place in places.values()}
    if len(set(ids.values())) < len(ids):
        what = "files" if any(name.endswith(TASKS) for name in places) else "folders"
        raise UsageError(f"two {what} of one name among {sorted(places)}; an id is made of such a name: rename one")
    for name in sorted(set(named) - set(places) - set(registry.names("families"))):
        spelt = name.replace("-", "_")
        if (base / spelt / "game.py").is_file():
            raise UsageError(f"no game named {name!r}; name its folder by path: family = './{spelt}'")
        for file in (f"{name}{jsonl.ENDING}", f"{spelt}{jsonl.ENDING}"):
            if (base / file).is_file():
                raise UsageError(f"no game named {name!r}; name its file by path: family = './{file}'")
    return places


def _is_path(name: str) -> bool:
    return "/" in name or name.startswith(".") or name.endswith(jsonl.ENDING)


def _id_of(place: Path) -> str:
    return place.name.removesuffix(jsonl.ENDING).replace("_", "-")


def _cells(config: Config) -> Iterator[Cell]:
    yield from (*config.tasks.schedule, *config.tasks.holdout)
    if config.explore is not None:
        yield from (Cell(family=game.family, setting=game.explore) for game in config.explore.games)
    for compare in config.compare:
        yield from (*compare.sources, compare.target)


def _plain_cells(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (*document["tasks"]["schedule"], *document["tasks"]["holdout"])
    yield from (document.get("explore") or {}).get("games", ())
    for compare in document["compare"]:
        yield from (*compare["sources"], compare["target"])


# --------------------------------------------------------------------------------------------- what the code is


def plugin_files(config: Config, *, base: Path = Path()) -> Mapping[str, str]:
    """The SHA-256 of every plug-in file and game folder that a config names; part of the study's identity.

    Call it when the plug-ins are loaded: what they imported from beside them is hashed as well.
    """
    named = {cast(AgentConfig, arm.agent).kind for arm in config.every_arm()}
    named |= {cast(MethodConfig, arm.method).name for arm in config.every_arm()}
    files = [base / name for name in named if name.endswith(".py")]
    beside = {helper for file in files for helper in _imported_beside(file)}
    hashes = {name: sha256((base / name).read_bytes()) for name in named if name.endswith(".py")}
    hashes |= {os.path.relpath(file, base.resolve()): sha256(file.read_bytes()) for file in beside}
    texts = {**instructions.own_files(config, base=base), **_program_folders(config, base)}
    return dict(sorted({**hashes, **texts, **game_files(config, base=base)}.items()))


def _program_folders(config: Config, base: Path) -> Mapping[str, str]:
    """What lies in the folder of every program of the user's own."""
    arms = [cast(AgentConfig, arm.agent) for arm in config.every_arm()]
    return dict(folder for each in arms for folder in _program_folder(each, base))


def _program_folder(agent: AgentConfig, base: Path) -> Iterator[tuple[str, str]]:
    name = agent.options.get("folder")
    if agent.kind == OWN_PROGRAM and isinstance(name, str) and (base / name).is_dir():
        yield f"{name}/", Manifest(named_once(gather(base / name, hashed, CAPS).entries)).id


def _imported_beside(plugin: Path) -> Iterator[Path]:
    """The files under a plug-in's own folder that are loaded by now, but for the plug-in and installed packages."""
    home = plugin.resolve().parent
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    for file in {Path(name) for name in loaded if name and name.endswith(".py")}:
        inside = file.is_relative_to(home) and "site-packages" not in file.parts
        if inside and file != plugin.resolve() and not file.is_relative_to(PACKAGE) and file.is_file():
            yield file


def game_files(config: Config, *, base: Path = Path()) -> Mapping[str, str]:
    """The SHA-256 of every game folder that a config names, by the game's id, and of every file of tasks, by its name:
    `tickets.jsonl`, and `tickets.jsonl/check.py` for what its checks need."""
    hashes: dict[str, str] = {}
    for place in sorted({place.resolve() for place in _folders(config, base).values()}):
        if place.suffix != jsonl.ENDING:
            hashes[_id_of(place)] = _hash(registry.files_in(place), place)
            continue
        for file in jsonl.load(place).files:
            beside = "" if file == place else f"/{file.relative_to(place.parent)}"
            hashes[f"{place.name}{beside}"] = sha256(file.read_bytes())
    return hashes


def code(config: Config) -> dict[str, str]:
    """The SHA-256 of the files of every installed game, agent and method that a study uses, sorted by name.

    A game's shared helpers and rung itself are not in it: they go with the version. Files and folders that a config
    names by path are part of the study's identity instead.
    """
    agents = {cast(AgentConfig, arm.agent).kind.partition(":")[0] for arm in config.every_arm()}
    methods = {cast(MethodConfig, arm.method).name for arm in config.every_arm()}
    wanted: Mapping[registry.Group, set[str]] = {
        "families": {cell.family for cell in _cells(config)},
        "agents": agents,
        "methods": methods,
    }
    return {
        f"{group} {name}": _hash(registry.sources(group, name))
        for group, used in sorted(wanted.items())
        for name in sorted(used & set(registry.names(group)))
    }


def _hash(files: Sequence[Path], place: Path | None = None) -> str:
    named = {str(file.relative_to(place)) if place else file.name: sha256(file.read_bytes()) for file in files}
    return fingerprint(named)


def _function(module: ModuleType, name: str, file: str) -> Callable[..., object]:
    function = getattr(module, name, None)
    if not callable(function):
        raise UsageError(f"{file} defines neither make(...) nor {name}(...); `rung init` writes a file that does")
    return cast(Callable[..., object], function)


def _made(file: str, make: Callable[[], object], *, needs: str) -> object:
    """What a plug-in file's `make` gives; a make that raises, or gives something else, is the caller's to mend."""
    try:
        made = contained(make)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{file}: make(...) raised {type(error).__name__}: {error}") from error
    if not hasattr(made, needs):
        raise UsageError(f"{file}: make(...) must give an object with {needs}(...), gave {type(made).__name__}")
    return made


def _texts(file: str, files: object) -> Mapping[str, str]:
    if not isinstance(files, Mapping) or not all(isinstance(item, str) for pair in files.items() for item in pair):
        raise UsageError(f"{file}: FILES holds texts by name, such as {{'notes.txt': ''}}, seen {files!r:.80}")
    return files


def _answers_to_nobody(arm: Arm) -> bool:
    """Whether nobody but this machine is told of the exam: a phantom, or an agent over a scripted or local model.

    A program of the user's own does as it likes, whatever model it has.
    """
    known = arm.code == "" and getattr(arm.agent, "needs_model", True)
    return arm.scripted or (arm.model is not None and not arm.model.live and known)


def _refuse_live_secret(config: Config, made: list[Arm]) -> None:
    if config.exam.secret is not None and not all(_answers_to_nobody(arm) for arm in made):
        raise UsageError(
            f"exam.secret is fixed to {config.exam.secret!r}, which is for phantoms and scripted models only; "
            "remove it, and a secret of 128 bits is drawn"
        )
