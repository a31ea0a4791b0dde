"""From the names in a config to live agents and methods, ready to be put into a study."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import cast

from rung.agents._function import FunctionAgent
from rung.core import registry
from rung.core.canonical import sha256
from rung.core.config import AgentConfig, Config, MethodConfig
from rung.core.errors import UsageError
from rung.core.ports import Agent, Method
from rung.methods._function import FunctionMethod
from rung.protocols.study import Arm

SCRIPTED = "phantom"
"""The kind of agent that is handed the policies port."""


def arms(config: Config, *, base: Path = Path()) -> tuple[Arm, ...]:
    """The arms of a study. `base` is the folder from which a config names plug-in files."""
    made = []
    for arm in config.every_arm():
        agent_config, method_config = cast(AgentConfig, arm.agent), cast(MethodConfig, arm.method)
        made.append(
            Arm(
                name=arm.name,
                agent=agent(agent_config, base=base),
                method=method(method_config, base=base),
                scripted=agent_config.kind.partition(":")[0] == SCRIPTED,
            )
        )
    _refuse_live_secret(config, made)
    for arm_made in made:
        arm_made.method.initial_state(arm_made.agent)  # a method that cannot go with its agent says so here
    return tuple(made)


def agent(config: AgentConfig, *, base: Path = Path()) -> Agent:
    """The configured agent: `kind` or `kind:variant` of this project, or a Python file with `make` or `act`."""
    if config.kind.endswith(".py"):
        module = registry.load_file(base / config.kind)
        if hasattr(module, "make"):
            return cast(Agent, module.make("", config.options))
        files = getattr(module, "FILES", {})
        return FunctionAgent(_function(module, "act", config.kind), name=Path(config.kind).stem, files=files)
    kind, _, variant = config.kind.partition(":")
    return cast(Agent, registry.load("agents", kind).make(variant, config.options))


def method(config: MethodConfig, *, base: Path = Path()) -> Method:
    """The configured method: a name of this project, or a Python file with `make` or `refine`."""
    if config.name.endswith(".py"):
        module = registry.load_file(base / config.name)
        if hasattr(module, "make"):
            return cast(Method, module.make(config.options))
        function = _function(module, "refine", config.name)
        return FunctionMethod(function, name=Path(config.name).stem, options=config.options)
    return cast(Method, registry.load("methods", config.name).make(config.options))


def plugin_files(config: Config, *, base: Path = Path()) -> Mapping[str, str]:
    """The SHA-256 of every plug-in file a config names; part of the study's identity."""
    named = {cast(AgentConfig, arm.agent).kind for arm in config.every_arm()}
    named |= {cast(MethodConfig, arm.method).name for arm in config.every_arm()}
    return {name: sha256((base / name).read_bytes()) for name in sorted(named) if name.endswith(".py")}


def _function(module: ModuleType, name: str, file: str) -> Callable[..., object]:
    function = getattr(module, name, None)
    if not callable(function):
        raise UsageError(f"{file} defines neither make(...) nor {name}(...); `rung init` writes a file that does")
    return cast(Callable[..., object], function)


def _refuse_live_secret(config: Config, made: list[Arm]) -> None:
    if config.exam.secret is not None and not all(arm.scripted for arm in made):
        raise UsageError(
            f"exam.secret is fixed to {config.exam.secret!r}, which is for phantoms and scripted models only; "
            "remove it, and a secret of 128 bits is drawn"
        )
