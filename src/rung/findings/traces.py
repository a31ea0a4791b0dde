"""What each deed of a session did with files: which it wrote, executed and named, and the code that stood in it."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename
from typing import Any

from rung.agents.command.facts import WORK
from rung.core.canonical import JSON
from rung.findings import commands
from rung.findings.artifacts import CODE
from rung.findings.commands import Part, Written, resolve
from rung.findings.deeds import PATH_KEYS, Deed

CONTENT_KEYS = ("content", "file_text", "new_string", "new_str", "new_source", "insert_text", "text")
"""Where tools that write hold what they write."""
WHERE_KEYS = ("workdir", "cwd", "working_directory")
STAYS = "Bash"
"""The tool whose shell stays in the folder that an earlier command went to: Claude Code's."""
EDITS = re.compile(r"(?i)edit|replace|insert|patch|update")


@dataclass(frozen=True, slots=True)
class Trace:
    """A deed and what it did with files, all by their paths inside.

    `ran` are the files and modules (`-m name`) that it executed, `tested` the test runners it called. `named` are paths
    that it reads; `loose` are words or strings that may be paths, where the folder cannot be known. `code` is code that
    it gave to an interpreter or wrote to a file.
    """

    deed: Deed
    wrote: tuple[Written, ...] = ()
    ran: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def unfound(self) -> bool:
        """Whether what it was to execute was not there, as far as its result says."""
        return bool(
            re.search(r"No such file or directory|can't open file|not found|ModuleNotFoundError", self.deed.result)
        )


def traces(deeds: Sequence[Deed]) -> Iterator[Trace]:
    """What each deed did with files, in order."""
    cwd = WORK
    for deed in deeds:
        if deed.kind == "command":
            where = next((str(deed.arguments[key]) for key in WHERE_KEYS if deed.arguments.get(key)), None)
            found = _commanded(deed, resolve(commands.sound(where)) if where else cwd)
            cwd = _after(found, cwd) if deed.tool == STAYS else WORK
            yield found
        else:
            yield _called(deed)


def _after(found: Trace, cwd: str) -> str:
    """Where a shell stays: where the last `cd` that is in no group went, within its working folder alone, for from
    anywhere else Claude Code takes it back."""
    went = [part for part in found.parts if part.verb == "cd" and len(part.words) > 1 and not part.grouped]
    cwd = resolve(went[-1].words[1], went[-1].cwd) if went else cwd
    return cwd if f"{cwd}/".startswith(f"{WORK}/") else WORK


# --------------------------------------------------------------------------------------------- commands


def script(deed: Deed) -> str:
    """The script of a command, whether it was given as text or as words."""
    for key in ("command", "cmd", "script", "code", "input", "chars"):
        value = deed.arguments.get(key)
        if isinstance(value, list) and value:
            words = [str(word) for word in value]
            inner = len(words) > 2 and basename(words[0]) in commands.SHELLS and re.fullmatch(r"-\w*c", words[1])
            return words[2] if inner else shlex.join(words)
        if isinstance(value, str) and value:
            return value
    return ""


def _commanded(deed: Deed, folder: str) -> Trace:
    if re.match(r"(?i)^(python|ipython|.*jupyter.*)$", deed.tool.rpartition("__")[2]):
        return _coded(deed, commands.sound(script(deed)))
    parts = commands.parse(script(deed), folder)
    code = [each for part in parts if part.verb not in commands.SHELLS for each in commands.codes(part)]
    heard = tuple(part.body for part in parts if part.body and not commands.codes(part))
    strings = [(part.cwd, text) for part in parts for each in commands.codes(part) for text in commands.literals(each)]
    return Trace(
        deed,
        wrote=_once(each for part in parts for each in commands.wrote(part)),
        ran=_once(each for part in parts for each in _executed(part)),
        tested=_once(each for part in parts if (each := commands.tests(part)) is not None),
        named=_once([*(path for part in parts for path in commands.read(part)), *_paths(strings)]),
        loose=_once([*(text for _, text in strings), *_unknown(parts)]),
        code=_once([*code, *heard]),
        parts=parts,
    )


def _executed(part: Part) -> Iterator[str]:
    """What a part executes; of a test runner the code files that it names."""
    file = commands.ran(part)
    if file is not None:
        yield file
    if commands.tests(part) is not None:
        yield from (path for path in commands.read(part) if CODE.search(path))


def _coded(deed: Deed, code: str) -> Trace:
    """A deed of a tool that is an interpreter itself."""
    strings = [(WORK, text) for text in commands.literals(code)]
    return Trace(
        deed,
        wrote=tuple(commands.opened(code)),
        named=_once(_paths(strings)),
        loose=_once(text for _, text in strings),
        code=(code,),
    )


def _paths(strings: Sequence[tuple[str, str]]) -> list[str]:
    return [resolve(text, cwd) for cwd, text in strings if not text.isspace()]


def _unknown(parts: Sequence[Part]) -> Iterator[str]:
    """Words of which only the shell knew the folder: `$DIR/tool.py`."""
    for part in parts:
        if part.verb not in commands.QUIET:
            yield from (word for word in part.words if "$" in word and "/" in word)


def _once(found: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(found))


# --------------------------------------------------------------------------------------------- other tools


def _called(deed: Deed) -> Trace:
    text = deed.arguments.get("input") or deed.arguments.get("patch")
    if deed.kind == "write" and isinstance(text, str) and "*** " in text:
        added = "\n".join(line[1:] for line in commands.sound(text).splitlines() if line.startswith("+"))
        return Trace(deed, wrote=tuple(commands.patched(text)), code=(added,))
    path = next((str(deed.arguments[key]) for key in PATH_KEYS if isinstance(deed.arguments.get(key), str)), "")
    inside = resolve(commands.sound(path)) if path else ""
    if deed.kind == "write" and deed.arguments.get("command") != "view":
        part = EDITS.search(deed.tool) is not None and deed.arguments.get("command") != "create"
        wrote = (Written(inside, "edit" if part else "whole"),) if inside else ()
        return Trace(deed, wrote=wrote, code=tuple(_contents(deed.arguments)))
    if deed.kind in ("read", "write", "search"):
        return Trace(deed, named=(inside,) if inside else ())
    return Trace(deed)


def _contents(arguments: Mapping[str, JSON]) -> Iterator[str]:
    for key in CONTENT_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield commands.sound(value)
    edits = arguments.get("edits")
    for each in edits if isinstance(edits, list) else ():
        if isinstance(each, Mapping):
            yield from _contents(each)
