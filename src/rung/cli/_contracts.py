"""From a name, a file or a folder to what its contract suite finds, and how that is printed."""

import difflib
import importlib
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from rung.cli._say import say_json
from rung.core import registry
from rung.core.config import AgentConfig, MethodConfig
from rung.core.errors import UsageError
from rung.protocols import wiring
from rung.tasks import keys
from rung.testing.contracts import FamilyCase, Finding, MethodCase, Subject, run_suite, subjects

GROUPS: Sequence[registry.Group] = ("families", "agents", "methods")

Tried: TypeAlias = Sequence[tuple[Subject, Sequence[Finding]]]


def found(name: str) -> Sequence[Subject]:
    """What to examine under this name; raises `UsageError` with the nearest name when there is nothing."""
    kind, _, variant = name.partition(":")
    if variant and kind in registry.names("agents"):
        return [Subject("agents", name, partial(wiring.agent, AgentConfig(kind=name)))]
    known = [group for group in GROUPS if name in registry.names(group)]
    if known:
        return [subject for group in known for subject in subjects(name, group)]
    if Path(name).is_dir():
        return [family_in(Path(name))]
    return _in_file(name) if name.endswith(".py") else _unknown(name)


def family(name: str) -> Subject:
    """The family of this name, or in this folder."""
    if name not in registry.names("families") and Path(name).is_dir():
        return family_in(Path(name))
    return Subject("families", name, FamilyCase(registry.family(name), keys.key(name)))


def family_in(folder: Path) -> Subject:
    """A third party's family: a folder with game.py and key.py, imported as a package of its own name."""
    missing = [name for name in ("game.py", "key.py") if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder} holds no {' and no '.join(missing)}; a family is a folder with game.py and key.py")
    whole = folder.resolve()
    if not whole.name.isidentifier():
        raise UsageError(f"{folder} cannot be imported: name the folder like a Python package, for example my_game_v1")
    sys.path.insert(0, str(whole.parent))
    try:
        game, key = (importlib.import_module(f"{whole.name}.{part}") for part in ("game", "key"))
        return Subject("families", whole.name.replace("_", "-"), FamilyCase(game.FAMILY, key.KEY))
    except Exception as error:  # foreign code: whatever it raises is the caller's to mend
        raise UsageError(f"{folder} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(whole.parent))


def _in_file(name: str) -> Sequence[Subject]:
    """A file's make(...), or its functions act(...) and refine(...)."""
    module = registry.load_file(Path(name))
    if hasattr(module, "FAMILY") or hasattr(module, "make"):
        return subjects(name)
    agent = partial(wiring.agent, AgentConfig(kind=name))
    method = partial(wiring.method, MethodConfig(name=name))
    tried = []
    if hasattr(module, "act"):
        tried.append(Subject("agents", f"{name} act", agent))
    if hasattr(module, "refine"):
        case = MethodCase(method, agent, gated=False) if tried else MethodCase(method, gated=False)
        tried.append(Subject("methods", f"{name} refine", case))
    if not tried:
        raise UsageError(
            f"{name} defines none of act, refine, make, or FAMILY and KEY; `rung init` writes a file that does"
        )
    return tried


def _unknown(name: str) -> Sequence[Subject]:
    known = {word for group in GROUPS for word in registry.names(group)}
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known))}"
    raise UsageError(f"no family, agent or method named {name!r}; {hint} A file of yours ends in .py")


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
