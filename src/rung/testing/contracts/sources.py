"""The contract suite of source files: nothing on the acting side reaches for a key.

It looks at the imports as they are written, and runs nothing. So it is a help for the honest and no lock: a name that
is put together while the code runs is not seen. What holds for certain is that a study hands no key to an agent.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rung.core.errors import UsageError
from rung.testing.contracts.promise import Check, into, require

_KEY = re.compile(r"rung\.tasks\.keys(\..*)?|(.*\.)?key")


@dataclass(frozen=True)
class SourceCase:
    """The files of a plug-in. A game's `key.py` is the one place where answers are at home."""

    files: Sequence[Path]
    is_game: bool = False


CHECKS: list[Check[SourceCase]] = []
promise = into(CHECKS)


@promise
def no_key_is_imported(case: SourceCase) -> None:
    """An agent, a method and a game's game.py import no key: neither rung.tasks.keys nor a module named key."""
    for file in case.files:
        if not (case.is_game and file.name == "key.py"):
            found = [f"{file.name}, line {line}: {name}" for name, line in imports(file) if _KEY.fullmatch(name)]
            require(not found, seen="; ".join(found), mend="learn from what is shown; only key.py knows answers")


@promise
def nothing_is_borrowed_from_the_toys(case: SourceCase) -> None:
    """A game stands on its own: it imports nothing from rung.testing, also where it began as a copy of a toy."""
    for file in case.files:
        seen = [f"{file.name}, line {line}: {name}" for name, line in imports(file) if _borrowed(name)]
        mend = "copy what you need into the folder, or begin from examples/peak_v1"
        require(not (case.is_game and seen), seen="; ".join(seen), mend=mend)


def _borrowed(name: str) -> bool:
    return name == "rung.testing" or name.startswith("rung.testing.")


def imports(file: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file names in an import, or as a text in a call that imports, with its line."""
    try:
        tree = ast.parse(file.read_bytes(), filename=file.name)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{file.name} is not Python: {error}") from error
    for node in ast.walk(tree):
        yield from ((name, getattr(node, "lineno", 0)) for name in _named(node))


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
        yield from (f"{node.module or ''}.{alias.name}" for alias in node.names if _may_be_a_game(node.module or ""))
    elif isinstance(node, ast.Call) and _imports(node.func):
        yield from (each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _may_be_a_game(module: str) -> bool:
    """Where `key` is a module and no word for something else: in a game's folder, and in rung."""
    return module in ("", "rung") or module.startswith("rung.") or re.fullmatch(r".*_v[0-9]+", module) is not None


def _imports(function: ast.expr) -> bool:
    """`__import__`, `import_module`, `importlib.import_module`."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("__import__", "import_module")
