"""Find plug-ins by name: a file or folder of this project, an entry point, or a path to a Python file.

A plug-in's id is its file's name with dashes for underscores. Looking names up imports nothing; a plug-in is imported
when it is asked for. Third parties declare entry points in the groups `rung.families`, `rung.methods` and
`rung.agents`; a family's entry point names a package that holds `game.py` and `key.py`.
"""

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeAlias, cast

from rung.core.errors import UsageError
from rung.core.ports import Family

Group: TypeAlias = Literal["families", "methods", "agents"]

_HOMES: Mapping[Group, tuple[str, ...]] = {
    "families": ("rung.tasks.games", "rung.tasks.domains", "rung.testing.toys"),
    "methods": ("rung.methods",),
    "agents": ("rung.agents",),
}
_WORDS: Mapping[Group, str] = {"families": "game", "methods": "method", "agents": "agent kind"}


def _modules_of(package: str) -> Iterable[str]:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        return ()
    return (module.name for module in pkgutil.iter_modules(spec.submodule_search_locations))


@cache
def names(group: Group) -> Mapping[str, str]:
    """Every known id of a group with the dotted path of its module, in the order of the ids."""
    found = {
        name.replace("_", "-"): f"{home}.{name}"
        for home in _HOMES[group]
        for name in _modules_of(home)
        if not name.startswith("_")
    }
    for entry in metadata.entry_points(group=f"rung.{group}"):
        found.setdefault(entry.name, entry.value)
    return dict(sorted(found.items()))


def locate(group: Group, name: str) -> str:
    """The dotted path of a plug-in's module; raises `UsageError` with the nearest name for an unknown one."""
    known = names(group)
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known) or 'none'}"
    raise UsageError(f"no {_WORDS[group]} named {name!r}; {hint}")


def load(group: Group, name: str) -> ModuleType:
    """Import a plug-in by id, or from a file when the name ends in `.py`."""
    return load_file(Path(name)) if name.endswith(".py") else importlib.import_module(locate(group, name))


def load_file(path: Path) -> ModuleType:
    """Import a user's own plug-in file. It is the caller's code and runs as the caller; it is hashed into the plan."""
    if not path.is_file():
        raise UsageError(f"no plug-in file {str(path)!r}; give the path of a Python file")
    name = f"rung_plugin_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{str(path)!r} cannot be imported as a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # foreign code: whatever it raises is the caller's to mend
        raise UsageError(f"{str(path)!r} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def constant(module: ModuleType, name: str) -> object:
    """What a plug-in's module must define under this name."""
    try:
        return getattr(module, name)
    except AttributeError:
        raise UsageError(f"{module.__name__} must define {name}; see the contract suites in rung.testing") from None


@cache
def family(name: str) -> Family:
    """The family with this id."""
    return cast(Family, constant(importlib.import_module(f"{locate('families', name)}.game"), "FAMILY"))
