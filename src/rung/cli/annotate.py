"""`rung annotate`: what the methods of a run changed, labelled by rules, by a model or by a person."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from rung.backends.models.providers import provider
from rung.cli import _labelling
from rung.cli._runs import opened
from rung.cli._say import json_option, run_argument, say_json
from rung.core.config import BudgetConfig, ModelConfig, parse
from rung.core.errors import BudgetSpent, ContextOverflow, ModelFault, RungError, UsageError
from rung.core.ports import Journal, Model, Provider
from rung.findings.semantics import asking
from rung.findings.semantics.asking import Replies
from rung.findings.semantics.checks import PLACE, Labeler, keep, kept
from rung.findings.semantics.counts import Semantics, analysis, annotated, row
from rung.findings.semantics.values import Labels, Proposal
from rung.protocols.budget import Place, Purse
from rung.protocols.lines import Lines
from rung.reports import changes
from rung.reports.flat import json_value
from rung.reports.wording import clean, counted
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory, existing


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller asked for. Each field is an option."""

    model: str | None
    replies: Replies
    usd: float | None
    tokens: int | None
    label: str | None
    file: Path | None
    seed: str
    most: int | None
    as_json: bool


@click.command("annotate")
@run_argument
@click.option("--model", metavar="NAME", help="Ask this model, provider/name, about every proposal as well.")
@click.option("--replies", type=click.Choice(["text", "tools"]), default="text", help="How it answers: text or a call.")
@click.option("--usd", type=click.FloatRange(min=0), help="The most that asking it may cost, in US dollars.")
@click.option("--tokens", type=click.IntRange(min=1), help="The same in tokens.")
@click.option("--label", metavar="WHO", help="Label proposals yourself, under this name; go on where you left.")
@click.option("--file", type=click.Path(path_type=Path), help="Where your labels lie; else labels/WHO.json of the run.")
@click.option("--seed", default="labels", help="Draws which proposals you are shown, and in what order.")
@click.option("--most", type=click.IntRange(min=1), help="So many proposals at most; 100 to label, all to ask about.")
@json_option
def command(run: Path, **given: Any) -> None:
    """Say what the methods of a run changed.

    Every change is cut into proposals, and each is labelled: what it does to earlier ones, where it applies, which
    ability it works on, and what was changed. Prints counts, rates and lifetimes of each arm, and what failing attempts
    have in common. docs/guide/annotating.md has the meaning of every label.

    With --model a model labels them too, at the instrument's own cost. With --label you do: blind, in an order drawn
    from the seed, and resumed by the same command. Then everybody's agreement is printed, and the report has it.
    """
    wanted = Wanted(**given)
    directory = existing(run)
    if wanted.model is not None and wanted.label is not None:
        raise UsageError("--model and --label are two labelers; give one of them at a time")
    if wanted.label is not None and not labelled(directory, wanted):
        beside = ["--file", str(wanted.file)] if wanted.file is not None else []
        again = shlex.join(["rung", "annotate", str(run), "--label", wanted.label, *beside])
        click.echo(f"kept; go on with: {again}", err=True)
        return
    if wanted.model is not None:
        asked(directory, wanted)
    with opened(run) as (_, journal):
        made = annotated(journal)
        found = analysis(journal, made)
    if wanted.as_json:
        say_json({**told(found), "proposals": json_value([row(each) for _, some in made for each in some])})
    else:
        for line in lines(found):
            click.echo(line)


# --------------------------------------------------------------------------------------------- a person


def labelled(directory: RunDirectory, wanted: Wanted) -> bool:
    """Let a person label; whether all are done. Only then are the labels put beside the record, and anything said."""
    who = str(wanted.label)
    if not re.fullmatch(r"[\w .@-]{1,60}", who) or "/" in who:
        raise UsageError(f"--label takes a name of letters, digits, spaces and . @ - _, seen {who!r}")
    file = wanted.file or directory.path / "labels" / f"{who.replace(' ', '-')}.json"
    if file.exists():
        some: Sequence[Proposal] = ()
    else:
        some = _labelling.drawn(proposals(directory), most=wanted.most or 100, seed=wanted.seed)
        if not some:
            raise UsageError(f"nothing was proposed in {directory.path}, so there is nothing to label")
    found = _labelling.label(_labelling.opened(file, who, some), file)
    done, said = found.done
    if len(done) < len(found.proposals):
        return False
    labels = {each.id: each_said for each, each_said in zip(done, said, strict=True)}
    with writing(directory) as journal:
        keep(journal, Labeler(who, "person", len(labels)), labels)
    return True


def proposals(directory: RunDirectory) -> list[Proposal]:
    """Every proposal of a run."""
    with opened(directory.path) as (_, journal):
        return [each.recorded.proposal for _, some in annotated(journal) for each in some]


@contextmanager
def writing(directory: RunDirectory) -> Iterator[Journal]:
    """The record of a run that nobody works, to put observations into it."""
    with directory.lock():
        journal = SqliteJournal(directory.journal)
        try:
            yield journal
            asyncio.run(journal.flush(durable=True))
        finally:
            journal.close()


# --------------------------------------------------------------------------------------------- a model


def asked(directory: RunDirectory, wanted: Wanted) -> None:
    """Ask a model about what it has not labelled yet, and put its labels and its cost beside the record."""
    name = str(wanted.model)
    model = provider(name, _reached(directory, name))
    if model.live and wanted.usd is None and wanted.tokens is None:
        raise UsageError(f"{name} costs money; say how much it may: --usd 2, or --tokens 500000")
    with opened(directory.path) as (_, journal):
        _, known = kept(journal).get(name, (None, {}))
    open_to = [each for each in proposals(directory) if each.id not in known][: wanted.most]
    with writing(directory) as record:
        asyncio.run(_ask(model, open_to, wanted, record))


async def _ask(model: Provider, some: Sequence[Proposal], wanted: Wanted, record: Journal) -> None:
    """Ask about one proposal after the other, and keep each answer with what it cost before the next is asked for."""
    own = MemoryJournal()  # its calls are the instrument's, and no fact of the study
    purse = Purse(own, BudgetConfig(usd=wanted.usd, tokens=wanted.tokens))
    spent = purse.account(Place("study", ""))
    try:
        line = Lines(own, purse).line(PLACE, "instrument", model)
        for number, each in enumerate(some, 1):
            before = replace(spent)
            labels = await _one(line, each, wanted.replies)
            usd = None if model.price is None else spent.usd - before.usd
            took = (int(labels is None), spent.calls - before.calls, spent.tokens - before.tokens, usd)
            keep(record, Labeler(model.id, "model", 1, *took), {each.id: labels} if labels is not None else {})
            await record.flush(durable=False)
            click.echo(f"\r{number} of {len(some)}", nl=number == len(some), err=True)
    except BudgetSpent as stopped:
        click.echo(f"\nstopped: {stopped}", err=True)
    finally:
        await model.close()


async def _one(line: Model, proposal: Proposal, replies: Replies) -> Labels | None:
    """A model's labels of one proposal; None where it gave none that could be read, or no answer at all."""
    try:
        return (await asking.ask(line, [proposal], replies=replies)).labels[0]
    except (ModelFault, ContextOverflow):
        return None


def _reached(directory: RunDirectory, name: str) -> ModelConfig:
    """How the run's config reaches this model, where it says so."""
    try:
        return parse(json.loads(directory.config.read_text("utf-8"))).reached(name)
    except (RungError, OSError, ValueError):
        return ModelConfig()


# --------------------------------------------------------------------------------------------- printing


def told(found: Semantics | None) -> dict[str, object]:
    """All of it, for a machine."""
    if found is None:
        return {"arms": [], "patterns": [], "labelers": [], "checks": [], "rules": changes.validated()}
    return {
        "arms": json_value(found.arms),
        "patterns": json_value(found.patterns),
        "labelers": json_value(found.labelers),
        "checks": json_value(found.checks),
        "rules": changes.validated(),
    }


def lines(found: Semantics | None) -> Iterator[str]:
    """All of it, for a person."""
    if found is None:
        yield "nothing was proposed in this run"
        return
    for arm in found.arms:
        yield f"{clean(arm.arm)}: {changes.summary(arm)}"
        yield f"  in {counted(arm.lineages, 'lineage')}; {counted(arm.removed, 'piece')} taken out without another"
    yield ""
    yield from _table(changes.ARM_HEADS, changes.arm_rows(found))
    yield ""
    yield from _table(changes.LABEL_HEADS, changes.label_rows(found, games=False))
    if found.labelers:
        yield ""
        yield from _table(changes.CHECK_HEADS, changes.check_rows(found))
        yield from _table(changes.LABELER_HEADS, changes.labeler_rows(found))
    if found.patterns:
        yield ""
        yield "what failed, and what was proposed in answer:"
        for game, attempts, status, refused, last, answered in changes.pattern_rows(found):
            many = counted(int(attempts), "attempt")
            yield f"  {clean(game)}, {many}, {clean(status)}; refused: {clean(refused)}; last: {clean(last)}"
            yield f"      {clean(answered)}"
    yield ""
    yield changes.validated()


def _table(heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    cells = [tuple(map(clean, each)) for each in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for each in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(each, widths, strict=True)).rstrip()
