"""From a model's name in a config to the model: `provider/name` says who is asked, and for what.

Nothing is asked here, and no network is touched; but a missing key, address or package is said before a study starts.
"""

import difflib
import importlib
import os
from collections.abc import Mapping
from typing import cast

from rung.backends.models.backend import Backend
from rung.backends.models.gateway import OUTPUT_KEYS, REAL, Gateway, Pace
from rung.backends.models.prices import FREE, known
from rung.core.config import ModelConfig
from rung.core.errors import UsageError

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
    name, _, rest = model.partition("/")
    if not rest:
        raise UsageError(f"a model is named provider/name, seen {model!r}; for example openai/gpt-5 or local/smollm2")
    _check_body(model, config)
    backend = _backend(model, name, rest, config, os.environ if environ is None else environ)
    free = name in HERE or model.startswith("inspect/mockllm/")
    price = config.price or (FREE if free else known(model))
    return Gateway(model, backend, config, price=price, live=not free, pace=pace)


def _backend(model: str, name: str, rest: str, config: ModelConfig, environ: Mapping[str, str]) -> Backend:
    from rung.backends.models import chat_completions

    if name in chat_completions.HOSTS or name == "compatible":
        return chat_completions.make(model, config, environ)
    if name not in (*HERE, "inspect"):
        raise _unknown(name, model, (*chat_completions.HOSTS, "compatible", "inspect", *HERE))
    _check_unused(model, name, config)
    return _made(name, rest)


def _made(name: str, rest: str) -> Backend:
    """A backend from the file of its name, which may need packages of an extra."""
    try:
        module = importlib.import_module(f"{__package__}.{name}")
        return cast(Backend, module.make(rest))
    except ImportError as error:
        raise UsageError(
            f"{name}/{rest} needs packages that are not installed ({error}): pip install 'rung[{name}]'"
        ) from None


def _unknown(name: str, model: str, there: tuple[str, ...]) -> UsageError:
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}/...'?" if near else f"there are: {', '.join(there)}"
    return UsageError(
        f"model {model!r}: no provider named {name!r}; {hint} "
        "Any server that speaks OpenAI's chat completions is compatible/NAME with a base_url"
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
