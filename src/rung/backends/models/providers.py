"""From a model's name in a config to the model: `provider/name` says who is asked, and for what.

Nothing is asked here, and no network is touched; but a missing key, address or package is said before a study starts.
"""

import difflib
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from rung.backends.models import chat_completions
from rung.backends.models.backend import TRAITS, Backend
from rung.backends.models.chat_completions import HOSTS
from rung.backends.models.gateway import OUTPUT_KEYS, OUTPUT_TOKENS, REAL, Gateway, Pace
from rung.backends.models.prices import FREE, known
from rung.core.config import ModelConfig
from rung.core.errors import InstrumentFault, UsageError
from rung.core.training import Epoch, Example, TrainSpec
from rung.core.values import ModelReply, ModelRequest

HERE = ("local", "scripted")
"""Providers that are no service: they answer from this machine, owe nobody, and say the same to the same."""


def provider(
    model: str,
    config: ModelConfig | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    pace: Pace = REAL,
) -> Gateway:
    """The model of this name behind its gateway.

    Raises `UsageError` for an unknown provider, a missing key, address or package, and for settings it cannot obey.
    """
    config = config or ModelConfig()
    name, rest = _split(model)
    _check_body(model, config)
    module = _module(model, name, config)
    if module is None:
        backend: Backend = chat_completions.make(model, config, os.environ if environ is None else environ)
    else:
        backend = module.make(rest)
    return _gateway(model, backend, config, module, pace)


def unreached(model: str, config: ModelConfig | None = None) -> Gateway:
    """The same with nobody behind it: it says what a call costs at most, and needs no key and no address for that.

    Raises `UsageError` for an unknown provider, an unknown model of this machine's, a missing package, and for settings
    that the model cannot obey.
    """
    config = config or ModelConfig()
    name, rest = _split(model)
    _check_body(model, config)
    module = _module(model, name, config)
    here = module.make(rest) if module is not None and name in HERE else None
    nobody = _NobodyHere(model, here) if here is not None and name == "local" else _Nobody(model)
    return _gateway(model, nobody, config, module, REAL)


class _Nobody:
    """A backend that is never asked."""

    def __init__(self, model: str) -> None:
        self._model = model

    async def once(self, request: ModelRequest) -> ModelReply:
        """There is nobody to ask."""
        raise InstrumentFault("forecast", f"{self._model} was asked by a forecast, which asks nobody")

    async def close(self) -> None:
        """Nothing is held."""


class _NobodyHere(_Nobody):
    """The same for a model on this machine: what it could do is known, and its weights could be trained."""

    format = "none"

    def __init__(self, model: str, like: Backend) -> None:
        super().__init__(model)
        for trait in TRAITS:
            if hasattr(like, trait):
                setattr(self, trait, getattr(like, trait))

    def borrow(self, read: Callable[[str], bytes]) -> None:
        """Nothing is read."""

    async def epoch(self, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
        """There is nobody to train."""
        raise InstrumentFault("forecast", f"{self._model} was trained by a forecast, which trains nobody")


def _split(model: str) -> tuple[str, str]:
    name, _, rest = model.partition("/")
    if not rest:
        raise UsageError(f"a model is named provider/name, seen {model!r}; for example openai/gpt-5 or local/smollm2")
    return name, rest


def _gateway(model: str, backend: Backend, config: ModelConfig, module: ModuleType | None, pace: Pace) -> Gateway:
    name, _ = _split(model)
    if name == "local":  # it answers one at a time; in a queue behind it, time would run out
        config = config.model_copy(update={"concurrency": 1})
    free = name in HERE or model.startswith("inspect/mockllm/")
    price = config.price or (FREE if free else known(model))
    output = getattr(module, "DEFAULT_TOKENS", OUTPUT_TOKENS)
    if not getattr(module, "IMAGES", True):
        config = config.model_copy(update={"images": False})
    return Gateway(model, backend, config, price=price, live=not free, output=output, pace=pace)


def _module(model: str, name: str, config: ModelConfig) -> ModuleType | None:
    """The file or folder that reaches models of this provider, which may need packages of an extra; None for HTTP."""
    if name in HOSTS or name == "compatible":
        return None
    if name not in (*HERE, "inspect"):
        raise _unknown(name, model, (*HOSTS, "compatible", "inspect", *HERE))
    _check_unused(model, name, config)
    try:
        return importlib.import_module(f"{__package__}.{name}")
    except ImportError as error:
        raise UsageError(
            f"{model!r} needs packages that are not installed ({error}): pip install 'rung[{name}]'"
        ) from None


def _unknown(name: str, model: str, there: tuple[str, ...]) -> UsageError:
    if name == "anthropic":
        return UsageError(
            f"model {model!r}: by this name it answers the programs of a cell alone; give inspect/{model}, or its name "
            "at openrouter"
        )
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}/...'?" if near else f"there are: {', '.join(there)}."
    return UsageError(
        f"model {model!r}: no provider named {name!r}; {hint} "
        "A server of your own that speaks OpenAI's chat completions is compatible/NAME, with a base_url"
    )


def _check_unused(model: str, name: str, config: ModelConfig) -> None:
    """Settings that only HTTP providers read; in silence they would seem to hold."""
    for key in ("base_url", "key_env", "body"):
        value = getattr(config, key)
        if value:
            raise UsageError(f'[models."{model}"]: {name} models take no {key}, seen {value!r}; remove it')


def _check_body(model: str, config: ModelConfig) -> None:
    for key in OUTPUT_KEYS:
        bound = config.body.get(key, 1)
        if isinstance(bound, bool) or not isinstance(bound, int) or bound < 1:
            raise UsageError(f'[models."{model}"] body.{key} is a whole number from 1 up, seen {bound!r}')
