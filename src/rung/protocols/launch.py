"""Run a study, on disk or in memory. Running it again on the same folder resumes it."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rung.core.config import Config
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.values import Outcome
from rung.core.version import VERSION
from rung.protocols import ladder, plan, wiring
from rung.protocols.plan import Plan
from rung.protocols.study import Arm, Bench, Study
from rung.store import provenance
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory, prepare
from rung.store.snapshots import JournalSnapshots

Watch = Callable[[str, Outcome], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller wants beyond the config: where its plug-in files lie, and whether a newer version may go on."""

    base: Path = Path()
    accept_upgrade: bool = False
    watch: Watch = lambda path, outcome: None
    planned: Callable[[Plan], None] = lambda plan: None


def simulate(config: Config, *, secret: str, arms: tuple[Arm, ...] | None = None) -> MemoryJournal:
    """The whole study in memory: the same facts as on disk, row for row. For phantoms and simulations."""
    journal = MemoryJournal()
    made = arms if arms is not None else wiring.arms(config)
    drawn = plan.make(config, secret=secret)
    plan.write(drawn, journal, plugins={})
    asyncio.run(_conduct(drawn, made, Bench(journal, JournalSnapshots(journal), drawn.seed)))
    return journal


def run(config: Config, out: Path, wishes: Wishes = Wishes(), *, arms: tuple[Arm, ...] | None = None) -> RunDirectory:
    """Run or resume a study in a folder. Raises `UsageError` before anything is written where it cannot be."""
    made = arms if arms is not None else wiring.arms(config, base=wishes.base)
    plugins = wiring.plugin_files(config, base=wishes.base) if arms is None else {}
    plan.refuse_impossible(config)
    directory = prepare(out)
    with directory.lock():
        _check(config, directory, plugins, wishes)
        drawn = plan.make(config, secret=_secret(config, directory))
        directory.clear_stop()
        resumed = directory.journal.exists()
        journal = SqliteJournal(directory.journal, group=config.engine.concurrency > 1)
        try:
            _open(drawn, directory, journal, plugins)
            wishes.planned(drawn)
            snapshots = JournalSnapshots(journal, directory.git)
            if resumed:
                snapshots.project()  # what a power cut took from states.git comes back from the journal
            bench = Bench(
                journal=journal,
                snapshots=snapshots,
                seed=drawn.seed,
                concurrency=config.engine.concurrency,
                stop_requested=directory.stop_requested,
                watch=wishes.watch,
                clock=time.perf_counter,
            )
            asyncio.run(_conduct(drawn, made, bench))
        finally:
            journal.close()
    return directory


async def _conduct(drawn: Plan, arms: tuple[Arm, ...], bench: Bench) -> None:
    await ladder.run(Study(bench), ladder.Ladder(arms, drawn.held.lineages, drawn.exam, drawn.seed))
    await bench.journal.flush(durable=True)


# --------------------------------------------------------------------------------------------- old runs


def _check(config: Config, directory: RunDirectory, plugins: Mapping[str, str], wishes: Wishes) -> None:
    """Refuse to go on with a run that was begun under another config or another version."""
    if not directory.journal.exists():
        return
    journal = SqliteJournal(directory.journal)
    try:
        kept = directory.read_secret()
        if kept is not None:
            plan.refuse_another(config, journal, secret=config.exam.secret or kept, plugins=plugins)
        _check_version(journal, accept=wishes.accept_upgrade)
    finally:
        journal.close()


def _check_version(journal: Journal, *, accept: bool) -> None:
    seen = [str(note.value) for note in journal.observations(under="run", name="version")]
    if not seen or seen[-1] == VERSION:
        return
    if not accept:
        raise UsageError(
            f"this run was last worked by rung {seen[-1]}, and this is {VERSION}; "
            "use that version, or pass --accept-upgrade, which is recorded as a fact"
        )
    journal.put(f"run/upgrade/{len(seen):04d}", "upgrade", {"from": seen[-1], "to": VERSION})


def _open(drawn: Plan, directory: RunDirectory, journal: Journal, plugins: Mapping[str, str]) -> None:
    plan.write(drawn, journal, plugins=plugins)
    journal.observe("run", "version", VERSION)
    journal.observe("run", "made_with", provenance.gather())
    identity = {**drawn.config.identity(), "engine": drawn.config.engine.model_dump(mode="json")}
    directory.write_text(directory.config, json.dumps(identity, indent=2) + "\n")
    directory.write_text(directory.manifest, json.dumps(plan.manifest(drawn, payloads=True), indent=1) + "\n")


def _secret(config: Config, directory: RunDirectory) -> str:
    """The run's secret: the one it was begun with, the config's, or 128 bits drawn now."""
    kept = directory.read_secret()
    wanted = config.exam.secret or kept or secrets.token_hex(16)
    directory.keep_secret(wanted)
    return wanted
