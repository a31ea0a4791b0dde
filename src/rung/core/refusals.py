"""What a config is told where it is refused: the key, the value that was seen, and the mend, in one sentence."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import BaseModel

from rung.core.options import unknown_key

Fault: TypeAlias = Mapping[str, Any]
"""One fault as pydantic tells it."""

MADE_BY = {
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "google": ("gemini", "gemma"),
    "deepseek": ("deepseek",),
    "mistral": ("mistral", "ministral", "magistral", "codestral"),
    "xai": ("grok",),
    "local": ("smollm2", "policy", "tiny"),
    "scripted": ("echo", "first", "silent", "worker"),
    "anthropic": ("claude",),
}
"""How the names of models begin that are well known, by the provider that serves them."""

MODEL_KEYS = ("model", "judge", "models")


def sentence(fault: Fault, config: type[BaseModel]) -> str:
    """One fault of a config, in one sentence."""
    where = _where(fault["loc"])
    kind = fault["type"]
    if kind == "extra_forbidden":
        *parents, last = fault["loc"]
        return str(unknown_key(_where(parents), str(last), _cut(fault["input"]), _known(config, parents)))
    if kind == "missing":
        return f"{where}: is missing; add it"
    message = fault["msg"].removeprefix("Value error, ")
    if kind == "value_error":
        return f"{where}: {message}"
    if kind in _TOLD:
        is_what, mend = _TOLD[kind](fault)
    else:
        is_what, mend = f"{message[0].lower()}{message[1:]}", "change it"
    return f"{where}: {is_what}, seen {_brief(fault['input'])}; {mend}"


def is_new(fault: Fault) -> bool:
    """False for a list called too short because entries in it were refused, each with a sentence of its own."""
    return not (fault["type"] == "too_short" and fault["input"])


def named(model: str) -> str:
    """The mend for the name of a model without its provider.

    >>> named("gpt-5-mini")
    'write "openai/gpt-5-mini"'
    """
    maker = next((maker for maker, begins in MADE_BY.items() if model.lower().startswith(begins)), None)
    if maker is None or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:@-]*", model):
        return 'write it such as "openai/gpt-5-mini" or "local/smollm2"'
    return f'write "{maker}/{model}"'


# --------------------------------------------------------------------------------------------- kind by kind


def _whole(fault: Fault) -> tuple[str, str]:
    seen = fault["input"]
    if isinstance(seen, str) and re.fullmatch(r"-?[0-9]{1,18}", seen.strip()):
        return "is a whole number", f"write {int(seen)}, without quotes"
    if isinstance(seen, float) and seen.is_integer():
        return "is a whole number", f"write {int(seen)}, without a point"
    return "is a whole number", "write one, such as 3"


def _number(fault: Fault) -> tuple[str, str]:
    seen = fault["input"]
    if isinstance(seen, str) and re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", seen.strip()):
        return "is a number", f"write {seen.strip()}, without quotes"
    return "is a number", "write one, such as 0.5"


def _flag(fault: Fault) -> tuple[str, str]:
    return "is true or false", "write true or false, without quotes"


def _text(fault: Fault) -> tuple[str, str]:
    return "is text", "put it in quotes"


def _one_of(fault: Fault) -> tuple[str, str]:
    told = str(fault["ctx"]["expected"])
    words = re.findall(r"'([^']*)'", told)
    near = difflib.get_close_matches(str(fault["input"]), words, n=1, cutoff=0.5)
    return f"is {told}", f"did you mean {near[0]!r}?" if near else "give one of these"


def _bounded(words: str, key: str, mend: str) -> Callable[[Fault], tuple[str, str]]:
    def told(fault: Fault) -> tuple[str, str]:
        bound = fault["ctx"][key]
        return f"is {words} {_number_of(bound)}", mend

    return told


def _number_of(bound: object) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}" if isinstance(bound, float) else str(bound)


def _too_few(fault: Fault) -> tuple[str, str]:
    return f"needs {fault['ctx']['min_length']} at least", "add one"


def _empty(fault: Fault) -> tuple[str, str]:
    return "is empty", "give some text, or leave the key out where it has a default"


def _too_long(fault: Fault) -> tuple[str, str]:
    return f"has {fault['ctx']['max_length']} characters at most", "shorten it"


def _pattern(fault: Fault) -> tuple[str, str]:
    loc, seen = fault["loc"], str(fault["input"])
    if _names_model(loc):
        return "a model is named provider/name", named(seen)
    for key, told in _SPELT.items():
        if key in loc:
            return told
    return f"is spelt as {fault['ctx']['pattern']}", "write it so"


def _names_model(loc: Sequence[str | int]) -> bool:
    named_by = loc[0] if loc[-1] == "[key]" else loc[-1]
    return named_by in MODEL_KEYS


_SPELT = {
    "allow": ("a host is named as api.example, or *.example for all below it", "write its name alone, without a path"),
    "base_url": ("is an address", "begin it with http:// or https://"),
    "key_env": (
        "is the name of a variable, of letters, digits and _",
        "give the name alone; the key itself never stands in a config",
    ),
    "date": ("is a day", "write it as 2026-11-30"),
    "arms": ("has small letters, digits and dashes, up to 32, and begins with no dash", "rename the arm"),
    "name": ("has letters, digits, spaces and . _ -, and begins with a letter or digit", "rename it"),
}
"""What is said of a value that is spelt wrongly, by a key on the way to it."""

_TOLD: Mapping[str, Callable[[Fault], tuple[str, str]]] = {
    "int_type": _whole,
    "int_parsing": _whole,
    "int_from_float": _whole,
    "float_type": _number,
    "float_parsing": _number,
    "finite_number": _number,
    "bool_type": _flag,
    "string_type": _text,
    "literal_error": _one_of,
    "greater_than_equal": _bounded("at least", "ge", "raise it"),
    "greater_than": _bounded("above", "gt", "raise it"),
    "less_than_equal": _bounded("at most", "le", "lower it"),
    "less_than": _bounded("below", "lt", "lower it"),
    "too_short": _too_few,
    "string_too_short": _empty,
    "string_too_long": _too_long,
    "string_pattern_mismatch": _pattern,
    "tuple_type": lambda _: ("is a list, in brackets", "put it in [ ]"),
    "dict_type": lambda _: ("is a table of keys", "give it as { key = value }"),
    "model_type": lambda _: ("is a section with keys of its own", "give it as { key = value }"),
    "model_attributes_type": lambda _: ("is a section with keys of its own", "give it as { key = value }"),
}


# --------------------------------------------------------------------------------------------- keys and values


def _where(loc: Sequence[str | int]) -> str:
    """A place as one writes it: `tasks.schedule[0].count`."""
    keys = [part if isinstance(part, str) else f"[{part}]" for part in loc if part != "[key]"]
    return ".".join(keys).replace(".[", "[") or "config"


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _cut(value: object) -> object:
    return value if len(repr(value)) <= 80 else _brief(value)


def _known(config: type[BaseModel], parents: Sequence[str | int]) -> Sequence[str]:
    model: Any = config
    for part in parents:
        if isinstance(part, int):
            continue
        annotation = model.model_fields[part].annotation if part in model.model_fields else None
        model = _model_in(annotation) or model
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner)
        if found is not None:
            return found
    return None
