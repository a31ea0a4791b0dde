"""From a name, a file or a folder to what its contract suite finds, and how that is printed."""

import difflib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import click

from rung.agents._function import FunctionAgent
from rung.backends.sandbox.plain import Plain
from rung.cli._say import say_json
from rung.core import registry
from rung.core.config import AgentConfig, MethodConfig
from rung.core.errors import UsageError
from rung.core.ports import Agent, Ports
from rung.protocols import wiring
from rung.tasks import keys
from rung.testing.contracts import FamilyCase, Finding, MethodCase, SourceCase, Subject, run_suite, subjects

GROUPS: Sequence[registry.Group] = ("families", "agents", "methods")

Tried: TypeAlias = Sequence[tuple[Subject, Sequence[Finding]]]


def found(name: str) -> Sequence[Subject]:
    """What to examine under this name; raises `UsageError` with the nearest name when there is nothing."""
    kind, _, variant = name.partition(":")
    if kind == "command":
        raise UsageError(
            f"{name!r} is a program, which takes part in whole sessions and has no steps to examine; `rung doctor` "
            "says which programs are installed"
        )
    if variant and kind in registry.names("agents"):
        return [Subject("agents", name, partial(wiring.agent, AgentConfig(kind=name)))]
    known = [group for group in GROUPS if name in registry.names(group)]
    if known:
        return [subject for group in known for subject in (*subjects(name, group), *_sources_of(group, name))]
    if name.endswith(".py"):
        return _in_file(name)
    return families(name) if _place(name) is not None else _unknown(name)


def families(name: str) -> Sequence[Subject]:
    """The family of this name or in this folder, and the sources of one that is not ours."""
    known = family_id(name)
    case = FamilyCase(registry.family(known), keys.key(known), ports=family_ports())
    return [Subject("families", known, case), *_sources_of("families", known)]


def family_ports() -> Ports:
    """What a family is handed on the command line: where the checks of a user's own tasks run."""
    return Ports(sandbox=Plain())


def family_id(name: str) -> str:
    """The id of the family of this name, or in this folder or file, which is known by it from then on."""
    place = None if name in registry.names("families") else _place(name)
    return name if place is None else wiring.family_in(place)


def _place(name: str) -> Path | None:
    """A folder or a file of tasks of the caller's, by its path; `my-game-v1` is found in `my_game_v1` too."""
    given = Path(name)
    if given.is_dir() or not given.name or given.suffix == wiring.TASKS:
        return given
    spelt = given.with_name(given.name.replace("-", "_"))
    return spelt if (spelt / "game.py").is_file() else None


def _sources_of(group: registry.Group, name: str) -> Sequence[Subject]:
    """The files of an installed plug-in of somebody else; ours are looked through by the import linter."""
    if registry.locate(group, name).startswith("rung."):
        return ()
    files = [file for file in registry.sources(group, name) if file.suffix == ".py"]
    return [Subject("sources", name, SourceCase(files, is_game=group == "families"))]


def _in_file(name: str) -> Sequence[Subject]:
    """A file's make(...), or its functions act(...) and refine(...)."""
    module = registry.load_file(Path(name))
    sources = [Subject("sources", name, SourceCase((Path(name),)))]
    if hasattr(module, "FAMILY"):
        return subjects(name)
    if hasattr(module, "make"):
        return [*subjects(name), *sources]
    tried = []
    if hasattr(module, "act"):
        tried.append(Subject("agents", f"{name} act", partial(wiring.agent, AgentConfig(kind=name))))
    if hasattr(module, "refine"):
        tried.append(Subject("methods", f"{name} refine", _of_function(name, module)))
    if not tried:
        raise UsageError(
            f"{name} defines none of act, refine, make, or FAMILY and KEY; `rung init` writes a file that does"
        )
    return [*tried, *sources]


def _of_function(name: str, module: ModuleType) -> MethodCase:
    """A `refine` is tried on the files that its module declares, and where it declares none on the suite's own."""
    method = partial(wiring.method, MethodConfig(name=name))
    files = getattr(module, "FILES", None)
    if hasattr(module, "act"):
        agent: Callable[[], Agent] = partial(wiring.agent, AgentConfig(kind=name))
    elif files:
        agent = partial(FunctionAgent, _silent, name=Path(name).stem, files=files)
    else:
        note = "its files were the suite's own, 'prompt.md'; declare FILES = {name: text} to have it tried on yours"
        return MethodCase(method, gated=False, note=note)
    named = ", ".join(map(repr, sorted(files or {}))) or "none, for FILES declares none"
    return MethodCase(method, agent, gated=False, note=f"its files were {named}")


def _silent(view: object, files: object) -> str:
    return ""


def _unknown(name: str) -> Sequence[Subject]:
    known = {word for group in GROUPS for word in registry.names(group)}
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known))}."
    raise UsageError(f"no family, agent or method named {name!r}; {hint} {_YOURS}")


_YOURS = "A file of yours ends in .py, or in .jsonl if it holds tasks; a game of yours is named by its folder."


def try_all(things: Sequence[Subject]) -> Tried:
    """Run the suite of each."""
    return [(thing, run_suite(thing.kind, thing.thing)) for thing in things]


def print_findings(tried: Tried, *, as_json: bool) -> None:
    """One line a check: whether the promise was kept, the promise, and what was seen if it was broken."""
    if as_json:
        say_json([_json(subject, finding) for subject, findings in tried for finding in findings])
        return
    for subject, findings in tried:
        click.echo(f"{subject.name} ({subject.kind})")
        for finding in findings:
            click.echo(_line(finding))
    everything = [finding for _, findings in tried for finding in findings]
    broken = sum(not finding.passed for finding in everything)
    click.echo(f"{len(everything)} checks, {broken} failed")


def _line(finding: Finding) -> str:
    if finding.passed:
        return f"  pass  {finding.sentence}"
    return f"  FAIL  {finding.sentence} {finding.detail} [{finding.name}]"


def _json(subject: Subject, finding: Finding) -> dict[str, object]:
    return {
        "kind": subject.kind,
        "subject": subject.name,
        "check": finding.name,
        "promise": finding.sentence,
        "passed": finding.passed,
        "detail": finding.detail,
    }
