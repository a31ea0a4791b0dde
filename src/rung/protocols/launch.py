"""Run a study, on disk or in memory. Running it again on the same folder resumes it."""

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

from rung.agents.command import CommandAgent
from rung.backends.network.relay import Reach
from rung.backends.sandbox.plain import Plain
from rung.backends.servers.upstream import Upstream
from rung.core.canonical import sha256
from rung.core.config import Config
from rung.core.errors import UsageError
from rung.core.ports import Journal, Ports
from rung.core.values import Outcome
from rung.core.version import VERSION
from rung.protocols import (
    cell,
    equipment,
    explore,
    instructions,
    ladder,
    lines,
    plan,
    providers,
    recordings,
    registered,
    training,
    unfit,
    wiring,
)
from rung.protocols.budget import Purse
from rung.protocols.equipment import Needs
from rung.protocols.lines import Lines
from rung.protocols.plan import Plan
from rung.protocols.recordings import Recording, SharedExam
from rung.protocols.registered import Registered
from rung.protocols.shortfalls import shortfalls
from rung.protocols.stream import Terms
from rung.protocols.study import Arm, Bench, Study
from rung.store import provenance
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory, prepare
from rung.store.snapshots import JournalSnapshots

Watch = Callable[[str, Outcome], None]
Conduct = Callable[[Plan, tuple[Arm, ...], Bench], Awaitable[None]]
"""What is done with a plan: a protocol over a bench."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller wants beyond the config.

    Where its plug-in files lie, and whether newer code may go on; who watches and who is warned; a run
    whose recording answers in place of all models (then its exam is taken over too); a run whose exam is sat again; and
    a file with the plan that was registered beforehand. `upstreams` answer a cell's programs in place of models, and
    `reach` connects to the names that they may reach, in place of this machine's own way.
    """

    base: Path = Path()
    accept_upgrade: bool = False
    watch: Watch = lambda path, outcome: None
    planned: Callable[[Plan], None] = lambda plan: None
    warn: Callable[[str], None] = lambda text: None
    replay: Path | None = None
    exam_of: Path | None = None
    plan: Path | None = None
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    reach: Reach | None = None


def simulate(
    config: Config,
    *,
    secret: str,
    arms: tuple[Arm, ...] | None = None,
    journal: MemoryJournal | None = None,
    promised: Registered | None = None,
    protocol: Conduct | None = None,
) -> MemoryJournal:
    """The whole study in memory: the same facts as on disk, row for row.

    `arms` replaces those of the config; on a `journal` that holds the study begun, it is gone on with; `promised` is a
    plan that was registered beforehand; `protocol` is what is done in place of the protocol that the config names.
    """
    journal = MemoryJournal() if journal is None else journal
    plugins, config = _plugins(config, Path(), arms), wiring.with_folders(config)
    made = arms if arms is not None else wiring.arms(config, models=providers.made(config))
    unfit.refuse(config, made)
    providers.refuse_unbounded(config, made)
    drawn = plan.make(config, secret=secret, terms=_exam_terms(config, Path()))
    plan.write(drawn, journal, plugins=plugins)
    if promised is not None:
        registered.refuse_another(promised, config, plugins)
        registered.put(promised, journal)
    bench = Bench(
        journal,
        JournalSnapshots(journal),
        drawn.seed,
        concurrency=config.engine.concurrency,
        lines=_lines(config, journal, Wishes()),
        ground=Ports(sandbox=Plain()),
        judged=config.tasks.self_score,
        steps=config.most_steps,
        terms=_stream_terms(config),
        refusal=config.cell.refusal,
    )
    _to_the_end(_conduct(drawn, made, bench, protocol or _configured))
    return journal


def run(
    config: Config,
    out: Path,
    wishes: Wishes = Wishes(),
    *,
    arms: tuple[Arm, ...] | None = None,
    protocol: Conduct | None = None,
) -> RunDirectory:
    """Run or resume a study in a folder. Raises `UsageError` before anything is written where it cannot be.

    `protocol` is what is done with the plan in place of the protocol that the config names.
    """
    plugins, made, config = _prepared(config, wishes, arms, out)
    promised = _promised(config, plugins, wishes)
    with recordings.opened(config, wishes.replay, plugins, out=out) as recording:
        if promised is None and recording is not None:
            promised = registered.of(recording.journal)
        directory = prepare(out)
        with directory.lock():
            shared = recordings.exam_of(config, wishes.exam_of)
            settled = _settled(config, directory, plugins, wishes)
            secret = settled or _drawn(config, recording, shared)
            drawn = plan.make(config, secret=secret, terms=_exam_terms(config, wishes.base))
            recordings.refuse_another_exam(drawn, shared)
            if settled is None:
                _keep(secret, directory)
                for shortfall in shortfalls(config):
                    wishes.warn(shortfall)
            given = _Given(wishes, plugins, recording, shared, protocol, promised)
            _work(drawn, directory, made, given)
    return directory


def _prepared(
    config: Config, wishes: Wishes, arms: tuple[Arm, ...] | None, out: Path | None
) -> tuple[Mapping[str, str], tuple[Arm, ...], Config]:
    """The hashes of a study's plug-ins, its arms, and its config with games known by id; or why it cannot be."""
    made = arms if arms is not None else _arms(config, wishes, out)
    plugins, config = _plugins(config, wishes.base, arms), wiring.with_folders(config, base=wishes.base)
    plan.refuse_impossible(config)
    unfit.refuse(config, made)
    providers.refuse_unbounded(config, made)
    return plugins, made, config


def refuse(config: Config, wishes: Wishes) -> None:
    """Refuse what `run` would of a config and of this machine, whatever lies in a folder. Nothing is written."""
    _prepared(config, wishes, None, None)


def refuse_beside(config: Config, out: Path, wishes: Wishes) -> None:
    """Refuse what `run` would for what stands beside a config: a folder in which another study was begun, a plan that
    was registered for another, the exam of another. Nothing is written; call it when the plug-ins are loaded."""
    plugins, config = _plugins(config, wishes.base, None), wiring.with_folders(config, base=wishes.base)
    _promised(config, plugins, wishes)
    shared = recordings.exam_of(config, wishes.exam_of)
    if shared is not None:
        drawn = plan.make(config, secret=shared.secret, terms=_exam_terms(config, wishes.base))
        recordings.refuse_another_exam(drawn, shared)
    if not wishes.accept_upgrade:  # which is a fact, and would be written
        _settled(config, RunDirectory(out), plugins, wishes, read_only=True)


def _arms(config: Config, wishes: Wishes, out: Path | None) -> tuple[Arm, ...]:
    played = tuple(wishes.upstreams)
    stop = RunDirectory(out).stop_requested if out is not None and config.protocol != "cell" else None
    models = providers.made(config, recorded=wishes.replay is not None, tell=wishes.warn, but=played, stop=stop)
    made = wiring.arms(config, base=wishes.base, models=models)
    if config.protocol == "cell":
        equipment.refuse_unequipped(config, made, _needs(wishes))
    return made


@dataclass(frozen=True, slots=True)
class _Given:
    """What goes with a plan when it is worked."""

    wishes: Wishes
    plugins: Mapping[str, str]
    recording: Recording | None
    shared: SharedExam | None
    protocol: Conduct | None
    promised: Registered | None


def _promised(config: Config, plugins: Mapping[str, str], wishes: Wishes) -> Registered | None:
    """The plan that was registered for this study; refused where it was edited, or is for another."""
    if wishes.plan is None:
        return None
    found = registered.read(wishes.plan)
    registered.refuse_another(found, config, plugins)
    return found


def _work(drawn: Plan, directory: RunDirectory, arms: tuple[Arm, ...], given: _Given) -> None:
    directory.clear_stop()
    resumed = directory.journal.exists()
    config, wishes = drawn.config, given.wishes
    journal = SqliteJournal(directory.journal, group=config.engine.concurrency > 1)
    try:
        _open(drawn, directory, journal, given.plugins)
        if given.recording is not None:
            journal.observe("run", "replay", True)
        if given.shared is not None:
            journal.put("plan", "exam_of", {"exam": given.shared.exam_id})
        if given.promised is not None:
            registered.put(given.promised, journal)
        _note_prices(journal, arms)
        _note_budget(journal, config)
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
            lines=_lines(config, journal, wishes, given.recording),
            ground=Ports(sandbox=Plain()),
            judged=config.tasks.self_score,
            steps=config.most_steps,
            terms=_stream_terms(config),
            refusal=config.cell.refusal,
        )
        equip = _equip(drawn, directory, bench, wishes, arms)
        _to_the_end(_conduct(drawn, arms, bench, given.protocol or _configured, equip))
    finally:
        journal.close()


def _to_the_end(work: Coroutine[object, object, None]) -> None:
    """Run it. An interrupt is raised in the midst of whatever runs, and is told by who called: not by the loop too."""
    with asyncio.Runner() as runner:
        runner.get_loop().set_exception_handler(_told_unless_interrupted)
        runner.run(work)


def _told_unless_interrupted(loop: asyncio.AbstractEventLoop, about: dict[str, object]) -> None:
    if not isinstance(about.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(about)


def _exam_terms(config: Config, base: Path) -> tuple[str, ...]:
    """What beside its tasks makes the exam of programs."""
    return instructions.read(config, base=base).of_exam if config.protocol == "cell" else ()


def _stream_terms(config: Config) -> Terms:
    """What holds for the streams of programs."""
    return Terms("none", queue_hidden=config.cell.queue == "hidden")


def _lines(config: Config, journal: Journal, wishes: Wishes, recording: Recording | None = None) -> Lines:
    purse = Purse(journal, config.budget, warn=wishes.warn, clock=time.monotonic)
    ids = {name: each.ids for name, each in config.models.items() if each.ids}
    recorded = recording.journal if recording is not None else None
    return Lines(journal, purse, recording=recorded, ids=ids, caps=lines.caps(config))


def _note_prices(journal: Journal, arms: tuple[Arm, ...]) -> None:
    """By which prices this process counts, with their dates."""
    for name, price in providers.prices(arms).items():
        journal.observe("run", "price", {"model": name, "price": price.model_dump() if price is not None else None})


def _note_budget(journal: Journal, config: Config) -> None:
    """What the whole study may cost from this start on; it is no part of its identity and may be raised."""
    limits = config.budget.model_dump(include={"usd", "tokens", "calls", "seconds"})
    if any(limit is not None for limit in limits.values()):
        journal.observe("run", "budget", limits)


def _plugins(config: Config, base: Path, arms: tuple[Arm, ...] | None) -> Mapping[str, str]:
    """The hashes of all code that a study names itself; part of its identity."""
    if arms is None:
        return wiring.plugin_files(config, base=base)
    return {**wiring.game_files(config, base=base), **{f"arm {arm.name}": arm.code for arm in arms if arm.code}}


Equip: TypeAlias = Callable[[tuple[Arm, ...]], Awaitable[tuple[Arm, ...]]]
"""Gives the arms of a cell hands that run their programs."""


async def _as_they_are(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    return arms


def _equip(drawn: Plan, directory: RunDirectory, bench: Bench, wishes: Wishes, arms: tuple[Arm, ...]) -> Equip:
    if bench.lines is None or not any(isinstance(arm.agent, CommandAgent) for arm in arms):
        return _as_they_are
    return partial(
        equipment.equipped,
        drawn.config,
        journal=bench.journal,
        directory=directory,
        lines=bench.lines,
        clock=time.monotonic,
        needs=_needs(wishes, directory),
    )


def _needs(wishes: Wishes, directory: RunDirectory | None = None) -> Needs:
    stop = directory.stop_requested if directory is not None else lambda: False
    return Needs(wishes.base, wishes.upstreams, wishes.warn, stop, wishes.reach)


async def _configured(drawn: Plan, arms: tuple[Arm, ...], bench: Bench) -> None:
    """The protocol that the config names."""
    study, config = Study(bench), drawn.config
    if config.protocol == "cell":
        how = config.cell
        made = cell.Cell(arms, drawn.held.lineages, drawn.exam, drawn.seed, how.before, how.sentinels)
        try:
            await cell.run(study, made)
        finally:
            await providers.close(arms)
    elif config.explore is not None:
        await explore.run(study, explore.planned(drawn, config.explore, arms))
    else:
        await ladder.run(study, ladder.Ladder(arms, drawn.held.lineages, drawn.exam, drawn.seed))


async def _conduct(
    drawn: Plan, arms: tuple[Arm, ...], bench: Bench, protocol: Conduct = _configured, equip: Equip = _as_they_are
) -> None:
    training.lend(arms, bench.journal)
    try:
        await protocol(drawn, await equip(arms), bench)
    finally:
        await providers.close(arms)
    await bench.journal.flush(durable=True)


# --------------------------------------------------------------------------------------------- old runs


def _settled(
    config: Config, directory: RunDirectory, plugins: Mapping[str, str], wishes: Wishes, *, read_only: bool = False
) -> str | None:
    """The secret of a run that was begun; None for one that was not.

    Refuses to go on under another config, another version, other code, or with another secret than it was begun with.
    """
    if not directory.journal.exists():
        return None
    journal = SqliteJournal(directory.journal, read_only=read_only)
    try:
        begun = cast("Mapping[str, str] | None", journal.get("plan", "config"))
        if begun is None:
            return None
        if wishes.replay is not None and not any(journal.observations(under="run", name="replay")):
            raise UsageError(
                f"--replay: the run in {directory.path} was begun by asking its models, and recorded calls would be "
                "mixed into it; give --out another folder"
            )
        secret = config.exam.secret or directory.read_secret()
        wanted = sha256(config.exam.secret) if config.exam.secret else begun["secret_sha256"]
        _check_version(journal, accept=wishes.accept_upgrade)
        plan.refuse_another(config, journal, secret_hash=wanted, plugins=plugins)
        if secret is None or sha256(secret) != begun["secret_sha256"]:
            seen = "is missing" if secret is None else "is another than the one this run was begun with"
            raise UsageError(f"{directory.secret} {seen}; put it back: without it this exam cannot be drawn again")
        _check_code(journal, wiring.code(config), accept=wishes.accept_upgrade)
        return secret
    finally:
        journal.close()


def _drawn(config: Config, recording: Recording | None, shared: SharedExam | None) -> str:
    """The secret of a run that begins: the config's, that of a run named by the caller, or 128 bits drawn now."""
    named = next((run.secret for run in (recording, shared) if run is not None), None)
    return config.exam.secret or named or secrets.token_hex(16)


def _keep(secret: str, directory: RunDirectory) -> None:
    """Keep a new run's secret. What lies in the folder is never taken over, so that nobody can slip an exam in."""
    directory.secret.unlink(missing_ok=True)
    directory.keep_secret(secret)


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


def _check_code(journal: Journal, code: Mapping[str, str], *, accept: bool) -> None:
    """Refuse to go on where an installed game, agent or method was edited under the same version."""
    seen = [cast(Mapping[str, str], note.value) for note in journal.observations(under="run", name="code")]
    changed = sorted(name for name in seen[-1] if code.get(name) != seen[-1][name]) if seen else []
    if not changed:
        return
    if not accept:
        raise UsageError(
            f"the code of {', '.join(changed)} is another than when this run was last worked; "
            "put it back as it was, or pass --accept-upgrade, which is recorded as a fact"
        )
    for name in changed:
        about = {"code": name, "from": seen[-1][name], "to": code.get(name)}
        journal.put(f"run/upgrade/{len(seen):04d}/{name.replace(' ', '/')}", "upgrade", about)


def _open(drawn: Plan, directory: RunDirectory, journal: Journal, plugins: Mapping[str, str]) -> None:
    plan.write(drawn, journal, plugins=plugins)
    journal.observe("run", "version", VERSION)
    journal.observe("run", "code", wiring.code(drawn.config))
    journal.observe("run", "made_with", provenance.gather())
    identity = {**drawn.config.identity(), "engine": drawn.config.engine.model_dump(mode="json")}
    identity["arms"] = [arm for arm in identity["arms"] if "of" not in arm]  # those are added again when it is read
    directory.write_text(directory.config, json.dumps(identity, indent=2) + "\n")
    directory.write_text(directory.manifest, json.dumps(plan.manifest(drawn, payloads=True), indent=1) + "\n")
