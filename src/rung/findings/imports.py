"""Which kept files a piece of code imports, by the names that it says."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname

from rung.agents.command.facts import WORK
from rung.findings.commands import sound

_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^)]{0,600})\)|([^\n;#]{0,600}))", re.MULTILINE)
_IMPORT = re.compile(r"(?:^|;)[ \t]*import[ \t]+([^\s;#][^\n;#]{0,600})", re.MULTILINE)
_FROM_INLINE = re.compile(r";[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+([^\n;#]*)")
_NODE = re.compile(r"""(?:require\(\s*|from\s+|import\s+|import\(\s*)['"](\.{0,2}/[^'"\n]{1,300})['"]""")


@dataclass(frozen=True, slots=True)
class Import:
    """A module by its dotted name, and the names that were taken from it; or a path, where the language has paths."""

    module: str
    names: tuple[str, ...] = ()


def imports(code: str) -> tuple[Import, ...]:
    """What code in Python or JavaScript imports.

    >>> imports("import a.b as c, d\\nfrom e import f as g, h")
    (Import(module='a.b', names=()), Import(module='d', names=()), Import(module='e', names=('f', 'h')))
    """
    text = sound(code)
    found = [Import(name) for each in _IMPORT.findall(text) for name in _names(each)]
    found += [Import(module, tuple(_names(many or few))) for module, many, few in _FROM.findall(text)]
    found += [Import(module, tuple(_names(names))) for module, names in _FROM_INLINE.findall(text)]
    found += [Import(path) for path in _NODE.findall(text)]
    return tuple(dict.fromkeys(found))


def _names(text: str) -> list[str]:
    """The first word of each that is a name: `a as b, c`."""
    firsts = [words[0] for each in text.split(",") if (words := each.split())]
    return [word for word in firsts if re.fullmatch(r"[\w.]+", word)]


# --------------------------------------------------------------------------------------------- by name


@dataclass(frozen=True, slots=True)
class Modules:
    """Kept files by the module names that they may be imported under; `python_of` holds every such name's files."""

    python_of: Mapping[str, tuple[str, ...]]
    inside: frozenset[str]

    def of(self, wanted: Import, cwd: str = WORK, text: str = "") -> tuple[str, ...]:
        """The kept files that an import takes, by their paths inside; none where two may be meant and nothing says
        which. A module of Python's own library is not taken for a file of that name."""
        if "/" in wanted.module:
            return self._of_path(wanted.module, cwd)
        if wanted.module.split(".")[0] in sys.stdlib_module_names or not wanted.module.strip("."):
            return ()
        name = wanted.module.lstrip(".")
        whole = self._one(name, cwd, text)
        parts = [file for each in wanted.names for file in self._one(f"{name}.{each}", cwd, text)]
        return tuple(dict.fromkeys([*whole, *parts]))

    def _of_path(self, path: str, cwd: str) -> tuple[str, ...]:
        from rung.findings.commands import resolve

        place = resolve(path, cwd)
        return tuple(
            each for each in (place, *(f"{place}.{end}" for end in ("js", "mjs", "cjs", "ts"))) if each in self.inside
        )

    def _one(self, name: str, cwd: str, text: str) -> tuple[str, ...]:
        files = self.python_of.get(name, ())
        if len(files) < 2:
            return files
        said = [file for file in files if _folder(file, name) in text]
        here = [file for file in files if _folder(file, name) == cwd]
        return tuple(here if len(here) == 1 and not said else said if len(said) == 1 else ())


def _folder(file: str, name: str) -> str:
    """The folder from which a module of this name would be found."""
    place = file.removesuffix("/__init__.py").removesuffix(".py")
    for _ in name.split("."):
        place = dirname(place)
    return place


def modules(inside: Iterable[str]) -> Modules:
    """The module names of kept files: `a/b/c.py` is `c`, `b.c` and `a.b.c`."""
    found: dict[str, list[str]] = {}
    every = frozenset(inside)
    for file in sorted(each for each in every if each.endswith(".py")):
        parts = file.removesuffix("/__init__.py").removesuffix(".py").strip("/").split("/")
        for at in range(max(0, len(parts) - 4), len(parts)):
            if all(part.isidentifier() for part in parts[at:]):
                found.setdefault(".".join(parts[at:]), []).append(file)
    return Modules({name: tuple(files) for name, files in found.items()}, every)


def taken(code: Sequence[str], among: Modules, cwd: str = WORK) -> Mapping[str, tuple[str, ...]]:
    """The kept files that pieces of code import, each with the names taken from it."""
    found: dict[str, tuple[str, ...]] = {}
    for text in code:
        for each in imports(text):
            for file in among.of(each, cwd, text):
                found[file] = tuple(dict.fromkeys([*found.get(file, ()), *each.names]))
    return found
