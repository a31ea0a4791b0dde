"""A user's own function as an agent: `act(view, files)`, where files are the agent's texts by name."""

import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace

from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Actor, Ports
from rung.core.values import Action, Call, State, View
from rung.core.waiting import settle


class FunctionActor:
    """Asks the function at every step. What it raises ends the episode as a score, not as a fault."""

    def __init__(self, function: Callable[..., object], files: Mapping[str, str]) -> None:
        self._function = function
        self._files = files

    async def act(self, view: View) -> Action:
        """The function's answer: text, a call, or a whole action."""
        try:
            answer = await settle(self._function, _own_copy(view), dict(self._files))
        except InstrumentFault:
            raise
        except Exception as error:
            raise AgentCrash(f"{type(error).__name__}: {error}") from error
        if isinstance(answer, Action):
            return answer
        if isinstance(answer, str | Call):
            return Action(answer)
        raise AgentCrash(f"act(view, files) must return text, a Call or an Action, returned {type(answer).__name__}")


def _own_copy(view: View) -> View:
    """The view with tools that the function may change without anybody else seeing it."""
    return replace(view, tools=tuple(replace(tool, parameters=deepcopy(tool.parameters)) for tool in view.tools))


class FunctionAgent:
    """An agent made of one function, plain or async."""

    def __init__(self, function: Callable[..., object], *, name: str, files: Mapping[str, str] | None = None) -> None:
        self.id = f"function {name}"
        self.function = function
        self._files = dict(files or {})

    def harness(self) -> Mapping[str, bytes]:
        """The texts it starts with, under `agent/`."""
        return {f"agent/{name}": text.encode() for name, text in self._files.items()}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """An actor over the state's texts; neither ports nor random stream are needed."""
        own = state.part("agent").files
        files = {path.removeprefix("agent/"): data.decode("utf-8", "replace") for path, data in own.items()}
        return FunctionActor(self.function, files)
