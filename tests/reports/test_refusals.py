"""What no report and no comparison may state, tried on studies in which somebody would like to state it."""

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from rung.reports import ladder, markdown, terminal
from rung.reports.compare import text
from rung.reports.compare.values import Compared
from rung.reports.flat import json_value
from rung.reports.values import LadderReport
from rung.store.memory import MemoryJournal

from .compared import LOCK, compared, played, study
from .samples import SAMPLES

GOOD = {"kind": "phantom:general", "base": 0.2, "rate": 0.9}
NULL = {"kind": "phantom:static", "base": 0.2}


def good(name: str, **more: Any) -> MemoryJournal:
    """An agent that learns nearly everything at once."""
    return played(study(name, **{"agent": GOOD, **more}))


def null(name: str, **more: Any) -> MemoryJournal:
    """An agent that never changes."""
    return played(study(name, **{"agent": NULL, **more}))


def said(found: LadderReport | Compared) -> str:
    """Everything that is printed of it."""
    if isinstance(found, Compared):
        return "\n".join([*text.lines(found), text.markdown(found)])
    console = Console(file=StringIO(), width=200)
    console.print(terminal.terminal(found))
    return f"{console.file.getvalue()}\n{markdown.markdown(found)}"  # type: ignore[attr-defined]


def estimates(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every estimate within a value that JSON can say."""
    if isinstance(value, Mapping):
        if {"value", "lo", "hi", "method"} <= set(value):
            yield value
        for item in value.values():
            yield from estimates(item)
    elif isinstance(value, list):
        for item in value:
            yield from estimates(item)


LINEAGES = pytest.mark.parametrize("lineages", [1, 2, 3, 5])


@LINEAGES
def test_no_interval_is_of_zero_width_and_none_has_one_end(lineages: int):
    runs = {"good": good("good", lineages=lineages), "null": null("null", lineages=lineages)}
    found = [json_value(ladder.read(runs["good"])), json_value(ladder.read(runs["null"])), json_value(compared(runs))]
    seen = list(estimates(found))
    assert len(seen) > 20
    for each in seen:
        assert (each["lo"] is None) == (each["hi"] is None), each
        assert each["lo"] is None or each["lo"] < each["hi"], each


@LINEAGES
def test_a_p_is_never_nothing(lineages: int):
    runs = {"good": good("good", tasks=40, lineages=lineages), "null": null("null", tasks=40, lineages=lineages)}
    ps = [row.p for row in compared(runs).rows if row.p is not None]
    assert all(0 < p <= 1 for p in ps)
    assert bool(ps) == (lineages != 2)


@pytest.mark.parametrize("lineages", [1, 2])
def test_below_three_lineages_no_agent_improves_itself(lineages: int):
    journal = good("good", tasks=40, lineages=lineages)
    both = compared({"good": journal, "null": null("null", tasks=40, lineages=lineages)})
    for printed in (said(ladder.read(journal)), said(both)):
        assert not re.search(r"(?<!whether )the agent improves itself", printed)
        assert ("this end state only" if lineages == 1 else "two lineages: no verdict") in printed


def test_two_lineages_make_nobody_better():
    found = compared({"good": good("good", tasks=40, lineages=2), "null": null("null", tasks=40, lineages=2)})
    assert {row.word for row in found.rows} == {"not estimable"}
    assert {(each.best, each.worst) for each in found.standings} == {(1, 2)}


def test_five_tasks_carry_no_word_however_large_the_gain():
    runs = {"good": good("good", tasks=5), "null": null("null", tasks=5)}
    report, both = ladder.read(runs["good"]), compared(runs)
    words = {rung.verdict.word for arm in report.arms for rung in arm.rungs if rung.level != "G0"}
    words |= {row.word for row in both.rows if row.levels != ("G0", "G0")}
    assert words == {"not estimable"}


def test_every_claim_of_one_lineage_says_what_it_covers_and_what_would_erase_it():
    found = compared({"good": good("good", tasks=40, lineages=1), "null": null("null", tasks=40, lineages=1)})
    claims = [row for row in found.rows if row.word in ("higher", "lower")]
    assert claims
    assert all(row.tau_star is not None for row in claims)
    lines = list(text.lines(found))
    for row in claims:
        at = next(place for place, line in enumerate(lines) if line.endswith(f": {text.said(row)}"))
        assert any(
            "covers variation between tasks, not between whole runs; tau* " in line for line in lines[at : at + 4]
        )
    over = [line for line in lines if " over good/static: " in line and ": improved" in line]
    assert over
    assert all(": improved, this end state only; tau* " in line for line in over)


def test_more_and_less_stand_only_beside_the_interval_of_their_difference():
    found = compared({"good": good("good", tasks=40, lineages=5), "null": null("null", tasks=40, lineages=5)})
    told = [line for line in text.lines(found) if line.endswith((": higher", ": lower"))]
    assert told
    assert all(re.search(r"[+−][0-9.]+ \[[−0-9.]+, [−0-9.]+\], ", line) for line in told)


def test_a_gain_that_differs_by_itself_and_not_after_holm_is_no_difference_that_is_claimed():
    runs = {"good": good("good", tasks=40, lineages=5), "null": null("null", tasks=40, lineages=5)}
    for row in compared(runs).rows:
        assert row.word not in ("higher", "lower") or (row.adjusted is not None and row.adjusted <= 0.05)
        assert row.adjusted is None or row.p is None or row.adjusted >= row.p


FORBIDDEN = r"no improvement|no effect|no forgetting|no difference|\bforgot|\bretained\b|\brecovered\b|does not matter"


@pytest.mark.parametrize("name", SAMPLES)
def test_no_report_states_that_nothing_happened_or_was_forgotten(name: str):
    assert not re.search(FORBIDDEN, said(SAMPLES[name]), re.IGNORECASE)


@LINEAGES
def test_no_comparison_states_that_nothing_happened_or_was_forgotten(lineages: int):
    found = compared({"a": null("a", lineages=lineages, seed=1), "b": null("b", lineages=lineages, seed=2)})
    assert not re.search(FORBIDDEN, said(found), re.IGNORECASE)


def test_a_comparison_ranks_gains_within_a_cell_and_no_index_over_games():
    found = compared({"good": good("good"), "null": null("null")})
    assert {each.cell for each in found.standings} == {row.cell for row in found.rows}
    assert not re.search(r"\bHCI\b|AUC|overall|on average", said(found), re.IGNORECASE)


def test_contaminated_cells_show_no_number_in_a_comparison():
    tiny = {"family": "toy-lock-v1", "setting": "tiny", "count": 24}
    tasks = {"replay": {"interval": 0, "lag": 0}, "schedule": [tiny], "holdout": [tiny, {**LOCK, "count": 8}]}
    runs = {name: played({**study(name), "tasks": tasks, "seed": seed}) for seed, name in enumerate("ab")}
    found = compared(runs)
    stale = [row for row in found.rows if row.cell == "toy-lock-v1 tiny"]
    assert [row.word for row in stale] == ["contaminated"]
    head = next(place for place, line in enumerate(text.lines(found)) if "toy-lock-v1 tiny (success)" in line)
    block = list(text.lines(found))[head + 1 : head + 8]
    assert not any(re.search(r"[+−]\d|\[\d", line) for line in block if line.startswith("  "))
