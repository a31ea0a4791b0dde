"""The tables as Markdown, and their numbers in full as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rung.core.values import Estimate
from rung.reports.flat import cell
from rung.reports.markdown import escaped
from rung.reports.method_tables.sections import sections
from rung.reports.method_tables.values import KEYS, Apart, Cell, Section, Tables


def markdown(found: Tables, more: Sequence[Section] = ()) -> str:
    """The tables as Markdown, with sections that others made behind our own."""
    parts = [f"# {escaped(found.name)}"]
    if found.missing:
        parts += ["Studies that are not in these tables:", "\n".join(f"- {escaped(line)}" for line in found.missing)]
    for section in (*sections(found), *more):
        parts += [f"## {escaped(section.title)}", section.note, _table(section)]
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    rows = [
        [_spelt(text, strong=(at, place) in section.strong) for place, text in enumerate(row)]
        for at, row in enumerate(section.rows)
    ]
    heads = [escaped(head) for head in section.heads]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows))


def _spelt(text: str, *, strong: bool) -> str:
    lines = "<br>".join(escaped(line) for line in text.split("\n"))
    return f"**{lines}**" if strong else lines


# --------------------------------------------------------------------------------------------- CSV


def csv_cells(found: Tables) -> str:
    """One row for each arm and row of a ladder, with what the arm is made of. Withheld numbers are left out."""
    return _csv(map(_cell_row, found.cells))


def csv_differences(found: Tables) -> str:
    """One row for each pair of arms that differ in one key alone, and cell."""
    return _csv(map(_apart_row, found.apart))


def _cell_row(each: Cell) -> Mapping[str, Any]:
    shown = not each.withheld
    least = min(each.beside, key=lambda one: float("inf") if one.gain.value is None else one.gain.value, default=None)
    return {
        "study": each.study,
        "arm": each.arm,
        **{key.replace(" ", "_"): each.made.of(key) for key in KEYS},
        "worked": each.source,
        "schedule": each.schedule,
        "level": each.level,
        "target": each.target,
        "unit": each.unit,
        "before": each.before if shown else None,
        "after": each.after if shown else None,
        "reference": each.reference,
        **_estimate("gain", each.gain if shown else None),
        **_estimate("hci", each.hci if shown else None),
        **_estimate("end", each.end if shown else None),
        "verdict": each.word,
        "best": "yes" if each.best else "no",
        "least_over_control": None if least is None else least.kind,
        **_estimate("over", least.gain if least is not None and shown else None),
        "clears_controls": None if not each.beside else "yes" if all(one.clears for one in each.beside) else "no",
    }


def _apart_row(each: Apart) -> Mapping[str, Any]:
    shown = not each.withheld
    return {
        "study": each.study,
        "key": each.key,
        "level": each.levels,
        "target": each.target,
        "earlier": each.earlier,
        "earlier_has": each.values[0],
        "later": each.later,
        "later_has": each.values[1],
        "gain_earlier": each.gains[0] if shown else None,
        "gain_later": each.gains[1] if shown else None,
        **_estimate("difference", each.difference if shown else None),
        "p_holm": each.adjusted,
        "word": each.word,
        "unit": each.unit,
    }


def _estimate(name: str, found: Estimate | None) -> Mapping[str, Any]:
    if found is None:
        return {f"{name}{end}": None for end in ("", "_lo", "_hi", "_n_tasks", "_n_lineages")}
    made = (found.value, found.lo, found.hi, found.n_tasks, found.n_lineages)
    return {
        f"{name}{end}": value for end, value in zip(("", "_lo", "_hi", "_n_tasks", "_n_lineages"), made, strict=True)
    }


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    out, found = io.StringIO(), list(rows)
    writer = csv.DictWriter(out, list(found[0]) if found else ["study"], lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({key: cell(value) if isinstance(value, str) else value for key, value in row.items()})
    return out.getvalue()
