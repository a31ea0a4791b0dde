"""The audit of a run on disk, with what only its folder knows: what was kept of homes, the exam's secret, its seeds."""

import json
from collections.abc import Mapping, Sequence

from rung.core.config import parse
from rung.core.errors import RungError
from rung.core.ports import Journal
from rung.findings.audit import read
from rung.findings.audit.exam import LEAST_CANARY
from rung.findings.audit.verdict import Audit
from rung.protocols import plan, solved
from rung.reports import tables
from rung.store.blobs import BlobFiles
from rung.store.run_directory import RunDirectory


def audit_of(directory: RunDirectory, journal: Journal) -> Audit:
    """Look through a run, finished or not. Nothing is written."""
    kept = read.kept_in(BlobFiles(directory.blobs), journal)
    _, drawn = _drawn(directory)
    kin = () if drawn is None else solved.kin(drawn.exam.tasks)
    return read.audit(journal, kept, answers=answers(directory), canaries=canaries(directory, journal), kin=kin)


def of_cell(directory: RunDirectory, journal: Journal) -> Audit | None:
    """The audit that a report brings by itself: that of a cell, in which programs could reach what they liked."""
    return audit_of(directory, journal) if tables.plan_fact(journal, "config")["protocol"] == "cell" else None


def canaries(directory: RunDirectory, journal: Journal) -> Mapping[str, str]:
    """The run's secret, and the seeds that hang under it where the exam can be drawn again here.

    A secret that is written in the config is none, and tasks from a file have seeds that their content gives.
    """
    if tables.plan_fact(journal, "config")["secret_fixed"]:
        return {}
    secret, drawn = _drawn(directory)
    if secret is None or drawn is None:
        return {}
    seeds = {str(task.seed): f"the seed of exam task {place}" for place, task in enumerate(drawn.exam.tasks, 1)}
    return {secret: "the exam's secret", **{seed: what for seed, what in seeds.items() if len(seed) > LEAST_CANARY}}


def answers(directory: RunDirectory) -> Mapping[str, Sequence[str]]:
    """What the keys' solvers say to the exam's tasks, by task id, where these can be drawn again here."""
    _, drawn = _drawn(directory)
    return {} if drawn is None else solved.answers(drawn.exam.tasks)


def _drawn(directory: RunDirectory) -> tuple[str | None, plan.Plan | None]:
    """The run's secret, and its plan drawn again, where both can be had here."""
    try:
        secret = directory.read_secret()
        return secret, plan.make(
            parse(json.loads(directory.config.read_text("utf-8"))), secret=secret
        ) if secret else None
    except (RungError, OSError, ValueError):
        return None, None
