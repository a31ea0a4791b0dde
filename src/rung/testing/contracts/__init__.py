"""Contract suites: what must hold of every plug-in, as sentences that can be tried on one.

A check is a plain function of the thing under test. It raises `ContractBroken` with what was promised, what was seen
and the mend. `run_suite(kind, thing)` tries all checks of a kind, each on its own, and never raises:

    kind        the thing under test
    families    FamilyCase(family, key)
    agents      a function that makes the agent
    actors      a function that makes an actor from a random stream
    drivers     a function that makes a driver from a function that makes actors
    methods     MethodCase(make)
    snapshots   a function that makes an empty store
    journals    JournalCase(make)
    sources     SourceCase(files)

`subjects(group, name)` finds the things of a plug-in by its registered name, or in a Python file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from rung.core.errors import UsageError
from rung.testing.contracts import actors, agents, drivers, families, journals, methods, snapshots, sources
from rung.testing.contracts.families import FamilyCase
from rung.testing.contracts.find import Subject, subjects
from rung.testing.contracts.journals import JournalCase
from rung.testing.contracts.methods import MethodCase
from rung.testing.contracts.promise import Check, ContractBroken, Finding, examine, sentence
from rung.testing.contracts.sources import SourceCase

Kind: TypeAlias = Literal["families", "agents", "actors", "drivers", "methods", "snapshots", "journals", "sources"]

SUITES: Mapping[Kind, Sequence[Check[Any]]] = {
    "families": families.CHECKS,
    "agents": agents.CHECKS,
    "actors": actors.CHECKS,
    "drivers": drivers.CHECKS,
    "methods": methods.CHECKS,
    "snapshots": snapshots.CHECKS,
    "journals": journals.CHECKS,
    "sources": sources.CHECKS,
}


def run_suite(kind: Kind, thing: object) -> list[Finding]:
    """Try every check of a kind on a thing; a crash of foreign code is a finding."""
    if kind not in SUITES:
        raise UsageError(f"no contract suite {kind!r}; there are: {', '.join(SUITES)}")
    return [examine(check, thing) for check in SUITES[kind]]


__all__ = [
    "SUITES",
    "Check",
    "ContractBroken",
    "FamilyCase",
    "Finding",
    "JournalCase",
    "Kind",
    "MethodCase",
    "SourceCase",
    "Subject",
    "examine",
    "run_suite",
    "sentence",
    "subjects",
]
