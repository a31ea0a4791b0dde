"""`rung audit`: was it honest, with every piece of evidence and where it stands."""

from collections.abc import Iterator
from pathlib import Path

import click

from rung.cli._audits import audit_of
from rung.cli._runs import opened
from rung.cli._say import json_option, run_argument, say_json
from rung.findings.audit.verdict import Audit
from rung.reports import ladder
from rung.reports.flat import json_value
from rung.reports.values import Honesty, LadderReport
from rung.reports.wording import clean, corrected_texts, counted


@click.command("audit")
@run_argument
@json_option
@click.pass_context
def command(context: click.Context, /, run: Path, *, as_json: bool) -> None:
    """Look through a run for exam content that was not had by work.

    Prints a verdict for every arm, clean, suspicious or contaminated, its evidence in the order of time with a quote
    and its path in the journal, and what is left of its gains. The exit status is 1 where an arm is contaminated.

    Works on running runs too. docs/guide/audit.md has the rules.
    """
    with opened(run) as (directory, journal):
        audit = audit_of(directory, journal)
        report = ladder.read(journal, audit=audit)
    if as_json:
        say_json(told(report, audit))
    else:
        for line in lines(report, audit):
            click.echo(line)
    context.exit(int(any(each.word == "contaminated" for each in report.honesty)))


def told(report: LadderReport, audit: Audit) -> object:
    """All of it, for a machine."""
    return {
        "name": report.name,
        "verdict": audit.verdict,
        "arms": json_value(report.honesty),
        "evidence": json_value(audit.evidence),
        "sessions": audit.sessions,
        "unaudited": list(audit.unsaid),
        "digest": report.digest,
    }


def lines(report: LadderReport, audit: Audit) -> Iterator[str]:
    """All of it, for a person."""
    yield f"{clean(report.name)}: {audit.verdict}; {counted(audit.sessions, 'session')} of programs looked at"
    for each in report.honesty:
        yield from _of_arm(each)
    others = [one for one in audit.evidence if not any(one in each.evidence for each in report.honesty)]
    if others:
        yield "beside the arms:"
        yield from _chain(others)
    for line in audit.unsaid:
        yield f"not seen: {clean(line)}"


def _of_arm(found: Honesty) -> Iterator[str]:
    yield ""
    words = ", ".join(f"{clean(who)} {word}" for who, word in found.words.items() if word != "clean")
    yield f"{clean(found.arm)}: {found.word}{f' ({words})' if words else ''}"
    yield from _chain(found.evidence)
    for each in found.corrected:
        naive, without, bounds, touched = corrected_texts(each)
        yield f"  {each.level} on {clean(each.target)}, touched: {touched}"
        yield f"      naive {naive}; without touched items {without}; bounds {bounds}"


def _chain(evidence: object) -> Iterator[str]:
    for each in evidence if isinstance(evidence, list | tuple) else ():
        yield f"  {each.when:6} {each.weight:6} {clean(each.says)}"
        yield f"      {clean(each.quote)!r}"
        yield f"      {clean(each.place)}"
