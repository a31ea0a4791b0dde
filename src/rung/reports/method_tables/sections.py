"""The tables in words: what is printed in every form, cell by cell. A line break parts the lines of a cell."""

from collections.abc import Iterable, Sequence

from rung.reports import changes
from rung.reports.method_tables import figures
from rung.reports.method_tables.read import STATIC
from rung.reports.method_tables.values import KEYS, Beside, Cell, Ranked, Scheduled, Section, Tables, Transfer
from rung.reports.wording import LEVELS, MARKS, gain_text, interval_text, number, ranks_text
from rung.stats import flags as say

WITHHELD = "withheld: contaminated"
BY_RULE = "Labels are given by rules, without a model; how far they can be believed is in the report of each study."
AGREED = "Every two that labelled the same proposals: shares and kappa [95%]. `rung annotate` adds labels."
FAILED = "What failing attempts have in common, and the first proposal of each arm that answers to it."
NONE = "–"
BEYOND = "An interval of a score may reach beyond the scale, by as much as the score is uncertain."
GAIN = (
    "HCI, the share of the headroom that was closed; mean scores A_0 → A_T; the gain [95%] with its verdict; and the "
    "gain over each control, which it clears where it is shown to exceed it"
)


def sections(found: Tables) -> tuple[Section, ...]:
    """All tables that these studies fill, in the order of the paper; those that none fills are left out."""
    made = (
        _studies(found),
        *_methods(found),
        *(_transfer(each, at) for at, each in enumerate(found.transfers, start=1)),
        *_schedules(found),
        _made(found),
        _apart(found),
        *_ranks(found),
        *_changed(found),
    )
    return tuple(each for each in made if each.rows)


# --------------------------------------------------------------------------------------------- pieces


def cell_text(cell: Cell, *, scores: bool = True) -> str:
    """What was measured of an arm on a row: scores, HCI, gain, and over its controls."""
    if cell.withheld:
        return WITHHELD
    lines = [hci(cell), *([f"{number(cell.before)} → {number(cell.after)}"] if scores else [])]
    lines += [f"{gain_text(cell.gain)} {MARKS[cell.word]} {cell.word}", *map(over_text, cell.beside)]
    return "\n".join(lines)


def hci(cell: Cell) -> str:
    """HCI with its interval, and whether it is too poorly known to be ranked; or that there is none."""
    if cell.hci.value is None:
        return "HCI undefined"
    poorly = " imprecise" if say.IMPRECISE in cell.hci.flags else ""
    return f"HCI {number(cell.hci.value, cell.hci.lo, cell.hci.hi)} {interval_text(cell.hci)}{poorly}"


def over_text(beside: Beside) -> str:
    """The gain over one control."""
    return f"{'clears' if beside.clears else 'over'} {beside.kind} {gain_text(beside.gain)}"


def score_text(cell: Cell) -> str:
    """The mean score of A_T with its interval, and the gain that it is."""
    if cell.withheld or cell.end is None:
        return WITHHELD if cell.withheld else NONE
    return f"{number(cell.end.value)} {interval_text(cell.end)}\ngain {gain_text(cell.gain)} {MARKS[cell.word]}"


def _refined(cells: Iterable[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.made.method != STATIC]


# --------------------------------------------------------------------------------------------- the tables


def _studies(found: Tables) -> Section:
    rows = tuple(
        (
            each.name,
            each.source,
            each.schedule,
            str(each.lineages),
            str(each.faults),
            "no" if each.unfinished else "yes",
            each.exam_id[:12],
            each.digest[:12],
        )
        for each in found.studies
    )
    note = "Each study is a run of its own; equal exams are the same tasks. `rung report` has all of each."
    heads = ("study", "worked", "schedule", "lineages", "faults", "finished", "exam", "digest")
    return Section("studies", "The studies", note, heads, rows)


def _methods(found: Tables) -> Iterable[Section]:
    """A table for each set of arms, since a study may have arms of its own. Other schedules have theirs below."""
    cells = [cell for cell in _refined(found.cells) if cell.schedule in ("fresh", "several families")]
    studies = dict.fromkeys(cell.study for cell in cells)
    arms = {name: tuple(dict.fromkeys(cell.arm for cell in cells if cell.study == name)) for name in studies}
    for at, names in enumerate(dict.fromkeys(arms.values()), start=1):
        yield _method([cell for cell in cells if arms[cell.study] == names], names, at)


def _method(cells: Sequence[Cell], arms: Sequence[str], place: int) -> Section:
    keys = list(dict.fromkeys((cell.study, cell.level, cell.target) for cell in cells))
    by_key = {(cell.study, cell.level, cell.target, cell.arm): cell for cell in cells}
    rows, strong = [], set()
    for at, key in enumerate(keys):
        row = [by_key.get((*key, arm)) for arm in arms]
        asked = f"{key[1]}, {LEVELS[key[1]]}\n{key[2]}"
        rows.append((key[0], asked, *(cell_text(cell) if cell else NONE for cell in row)))
        strong |= {(at, 2 + column) for column, cell in enumerate(row) if cell is not None and cell.best}
    note = (
        f"{GAIN}. Marked is the highest HCI of a row that is known well enough to be ranked; that is no claim that it "
        "is higher than the next."
    )
    heads = ("refined in", "examined on", *arms)
    more = "" if place == 1 else f": {', '.join(dict.fromkeys(cell.study for cell in cells))}"
    title = f"Methods by game and level (Table 2){more}"
    return Section(f"methods-{place}", title, note, heads, tuple(rows), frozenset(strong))


def _transfer(found: Transfer, number_: int) -> Section:
    rows = tuple((source, *(_carried(found, source, target) for target in found.targets)) for source in found.sources)
    note = (
        "Refined on the row, examined on the column. G3 is another family of the same capability, G4 of another. The "
        "dashed line of a panel is refinement on the target itself; an interval with an arrow goes on beyond the axis."
    )
    title = f"What {found.arm} carried over (Figure 4)"
    drawn = figures.transfer(found, f"transfer-{number_}")
    return Section(f"transfer-{number_}", title, note, ("refined on", *found.targets), rows, figure=drawn)


def _carried(found: Transfer, source: str, target: str) -> str:
    cell = found.entries[source].get(target)
    if cell is None:
        return NONE
    direct = "on itself" if cell.level == "G1" else cell.level
    return f"{direct}\n{cell_text(cell, scores=False)}"


def _schedules(found: Tables) -> Iterable[Section]:
    for family in dict.fromkeys(each.family for each in found.schedules):
        mine = [each for each in found.schedules if each.family == family]
        targets = list(dict.fromkeys(cell.target for each in mine for cell in each.cells))
        rows = tuple(
            (each.arm, each.schedule, each.cells[0].source, *(_in(each, target) for target in targets)) for each in mine
        )
        strong = {
            (at, 3 + place) for at, each in enumerate(mine) for place, name in enumerate(targets) if name in each.best
        }
        note = f"The mean score of A_T [95%], and its gain. Marked is the highest score of an arm in a column. {BEYOND}"
        title = f"Schedules of {family} (Table 4)"
        heads = ("arm", "schedule", "worked", *targets)
        yield Section(f"schedules-{family}", title, note, heads, rows, frozenset(strong))


def _in(found: Scheduled, target: str) -> str:
    cell = next((cell for cell in found.cells if cell.target == target), None)
    return NONE if cell is None else score_text(cell)


def _made(found: Tables) -> Section:
    """Every arm of the studies in which harness or models vary among those refined, by what it is made of."""
    kinds = {(cell.study, *map(cell.made.of, KEYS[:3])) for cell in _refined(found.cells)}
    varied = [study.name for study in found.studies if sum(kind[0] == study.name for kind in kinds) > 1]
    cells = [cell for cell in found.cells if cell.study in varied and cell.level in ("G1", "G2")]
    rows = tuple(
        (
            cell.study,
            cell.arm,
            f"{cell.level} {cell.target}",
            NONE if cell.withheld else number(cell.before),
            score_text(cell),
            "\n".join(map(over_text, cell.beside)) or NONE,
            *(cell.made.of(key) for key in KEYS),
        )
        for cell in cells
    )
    heads = ("study", "arm", "examined on", "A_0", "A_T [95%], gain", "over controls", *KEYS)
    note = (
        "Initial harness, agent model and improver model are keys of their own; none acts or improves without a model."
    )
    return Section("made", "Harnesses and models (Table 5)", note, heads, rows)


def _apart(found: Tables) -> Section:
    rows = tuple(
        (
            row.study,
            row.key,
            f"{row.levels} {row.target}",
            WITHHELD if row.withheld else gain_text(row.difference),
            NONE if row.adjusted is None else number(row.adjusted),
            row.word,
            f"{row.earlier}: {row.values[0]}",
            f"{row.later}: {row.values[1]}",
        )
        for row in found.apart
        if {"G1", "G2"} & set(row.levels.split(", "))
    )
    heads = ("study", "key", "examined on", "difference of gains [95%]", "p after Holm", "word", "from", "to")
    note = (
        "Pairs of arms that differ in one key alone: the gain of the later less that of the earlier, task by task. "
        "Holm's correction is over all such rows of a study, those of the other rungs among them."
    )
    return Section("by-key", "The gain by each key", note, heads, rows)


def _ranks(found: Tables) -> Iterable[Section]:
    for at, target in enumerate(dict.fromkeys(each.target for each in found.ranks), start=1):
        mine = [each for each in found.ranks if each.target == target]
        rows = tuple(map(_rank, mine))
        note = (
            "Mean exam score [95%], highest first, of agents refined on this game and of general agents on the same "
            "exam. Ranks are those that the tests of all pairs of a study leave open, together with 95%: agents that "
            "no test tells apart share theirs, and so do those of different studies. The difference [95%] from the "
            "best general agent is task by task. " + BEYOND
        )
        heads = ("", "agent", "initial harness", "model", "score [95%]", "over the best general agent", "over controls")
        title = f"{target}: beside general agents (Figure 5)"
        yield Section(f"ranks-{at}", title, note, heads, rows, figure=figures.ranks(mine, f"ranks-{at}"))


def _rank(each: Ranked) -> tuple[str, ...]:
    over = NONE if each.over is None else gain_text(each.over)
    score = f"{number(each.score.value)} {interval_text(each.score)}"
    beside = "\n".join(map(over_text, each.beside)) or NONE
    return ranks_text(each.places), each.label, each.made.harness, each.made.agent_model, score, over, beside


# --------------------------------------------------------------------------------------------- what was changed


def _changed(found: Tables) -> Iterable[Section]:
    """What the methods of each study changed, as the report of the study has it."""
    for name, title, heads, rows_of, note in (
        ("changed", "What was changed (Tables 3 and 6)", changes.ARM_HEADS, changes.arm_rows, changes.INTRODUCED),
        ("labels", "What was changed, by label (Tables 3 and 6)", changes.LABEL_HEADS, changes.label_rows, BY_RULE),
        ("agreement", "Agreement of labels (Table 7)", changes.CHECK_HEADS, changes.check_rows, AGREED),
        ("failures", "Failures, and what answers them (Table 9)", changes.PATTERN_HEADS, changes.pattern_rows, FAILED),
    ):
        made = ((study.name, study.changes) for study in found.studies)
        rows = tuple((study, *row) for study, told in made if told is not None for row in rows_of(told))
        yield Section(name, title, note, ("study", *heads), rows)
