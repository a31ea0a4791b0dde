"""Find plug-ins by name: a file or folder of this project, an entry point, or a path to a file or folder of yours.

A plug-in's id is its file's name with dashes for underscores. Looking names up imports nothing; a plug-in is imported
when it is asked for. Third parties declare entry points in the groups `rung.families`, `rung.methods` and
`rung.agents`; a family's entry point names a package that holds `game.py` and `key.py`. A folder with these two is a
family too, once `folder` was given its path; and so is a family made of something else, such as a file of tasks, once
it was handed to `give`.
"""

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec
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
_FOLDER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*_v[1-9][0-9]*")
_FOLDERS: dict[str, str] = {}
"""The families that were given as folders: their package by their id."""
_GIVEN: dict[str, tuple[Family, tuple[Path, ...]]] = {}
"""The families that were made of something else and handed in: each with the files it was made of, by its id."""
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
        if not name.startswith("_") and (group != "families" or _FOLDER.fullmatch(name))
    }
    for entry in metadata.entry_points(group=f"rung.{group}"):
        found.setdefault(entry.name, entry.value)
    return dict(sorted(found.items()))


def locate(group: Group, name: str) -> str:
    """The dotted path of a plug-in's module; raises `UsageError` with the nearest name for an unknown one."""
    known = names(group) if group != "families" else {**names(group), **_FOLDERS, **_given_modules()}
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
    except (Exception, SystemExit) as error:  # foreign code: whatever it raises is the caller's to mend
        raise UsageError(f"{str(path)!r} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def constant(module: ModuleType, name: str) -> object:
    """What a plug-in's module must define under this name."""
    try:
        return getattr(module, name)
    except AttributeError:
        raise UsageError(f"{module.__name__} must define {name}; see the contract suites in rung.testing") from None


def _given_modules() -> Mapping[str, str]:
    return {name: type(family).__module__ for name, (family, _) in _GIVEN.items()}


@cache
def family(name: str) -> Family:
    """The family with this id; raises `UsageError` when what is found calls itself otherwise."""
    if name in _GIVEN:
        return _GIVEN[name][0]
    home = locate("families", name)
    found = cast(Family, constant(importlib.import_module(f"{home}.game"), "FAMILY"))
    if getattr(found, "id", None) != name:
        raise UsageError(
            f"{home}.game: FAMILY has the id {getattr(found, 'id', None)!r}, but it is found as {name!r}; "
            f"a game's id is its folder's name with dashes, so give it the id {name!r}"
        )
    return found


# --------------------------------------------------------------------------------------------- families in folders


def folder(path: Path) -> str:
    """Make the family in a folder known, and give its id: the folder's name with dashes for underscores.

    The folder is imported as a package of its own name, anew each time, so that an edited game is the game played. It
    is the caller's code and runs as the caller.
    """
    whole = path.resolve()
    _refuse_folder(path, whole)
    known = whole.name.replace("_", "-")
    _forget(whole.name)
    try:
        _import_package(whole)
        constant(importlib.import_module(f"{whole.name}.game"), "FAMILY")
        constant(importlib.import_module(f"{whole.name}.key"), "KEY")
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # foreign code: whatever it raises is the caller's to mend
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    _FOLDERS[known] = whole.name
    family(known)
    return known


def _refuse_folder(path: Path, whole: Path) -> None:
    if not whole.is_dir():
        raise UsageError(
            f"no folder {str(path)!r}; give the path of a folder with game.py and key.py, or of a .jsonl file of tasks"
        )
    missing = [name for name in ("game.py", "key.py") if not (whole / name).is_file()]
    if missing:
        raise UsageError(f"{path} holds no {' and no '.join(missing)}; a family is a folder with game.py and key.py")
    if not _FOLDER.fullmatch(whole.name):
        raise UsageError(f"{path} cannot be imported: name the folder like a Python package, for example my_game_v1")
    home = names("families").get(whole.name.replace("_", "-"), "")
    if home.startswith("rung."):
        raise UsageError(f"{path} has the name of {home}; rename your copy, and give its FAMILY the id of the new name")


def give(found: Family, files: Sequence[Path]) -> str:
    """Make a family known that is made of files of no Python, and give its id. The last one of an id is meant."""
    home = names("families").get(found.id, "")
    if home.startswith("rung."):
        raise UsageError(f"{files[0]} has the name of {home}; rename your file")
    _FOLDERS.pop(found.id, None)
    _GIVEN[found.id] = (found, tuple(files))
    family.cache_clear()
    return found.id


def _forget(package: str) -> None:
    """A folder of this name may lie elsewhere now, or may have been edited; or have been a file."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    _FOLDERS.pop(package.replace("_", "-"), None)
    _GIVEN.pop(package.replace("_", "-"), None)
    family.cache_clear()
    importlib.invalidate_caches()


def _import_package(whole: Path) -> None:
    opening = whole / "__init__.py"
    if opening.is_file():
        spec = importlib.util.spec_from_file_location(whole.name, opening, submodule_search_locations=[str(whole)])
    else:
        spec = ModuleSpec(whole.name, None, is_package=True)
        spec.submodule_search_locations = [str(whole)]
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[whole.name] = module
    if spec.loader is not None:
        spec.loader.exec_module(module)


# --------------------------------------------------------------------------------------------- sources


def sources(group: Group, name: str) -> Sequence[Path]:
    """The files that a named plug-in is made of: its one file, or all in its folder; none where there are no files."""
    if group == "families" and name in _GIVEN:
        return _GIVEN[name][1]
    module = locate(group, name)
    loaded = sys.modules.get(module)
    spec = importlib.util.find_spec(module) if loaded is None else loaded.__spec__
    if spec is None:
        return ()
    if spec.submodule_search_locations is not None:
        return [file for place in spec.submodule_search_locations for file in files_in(Path(place))]
    return [Path(spec.origin)] if spec.origin else []


def files_in(place: Path) -> Sequence[Path]:
    """The files of a plug-in's folder in the order of their names, without what Python and the system leave there."""
    inside = (file for file in place.rglob("*") if file.is_file())
    return sorted(file for file in inside if not _is_litter(file.relative_to(place)))


def _is_litter(path: Path) -> bool:
    return any(piece.startswith(".") or piece == "__pycache__" for piece in path.parts) or path.suffix == ".pyc"
