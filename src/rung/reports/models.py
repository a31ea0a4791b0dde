"""The models of a study, and what of its budget is spent, from the journal's own record."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from rung.core.config import ITSELF
from rung.core.ports import Journal
from rung.reports.books import Books
from rung.reports.record import Record
from rung.reports.values import ModelUse, Price, Spending


def models(journal: Journal, found: Record, books: Books) -> tuple[ModelUse, ...]:
    """Every model that an arm names, by name, with the ids it reported and the price of the last run."""
    uses: dict[str, list[str]] = {}
    for arm in found.config["arms"]:
        acting, improving = named(arm)
        for model, what in ((acting, "acts"), (improving, "refines")):
            if model is not None:
                uses.setdefault(model, []).append(f"{arm['name']} {what}")
    prices = {note["model"]: note["price"] for note in books.notes.get("price", ())}
    return tuple(
        ModelUse(
            name,
            uses=tuple(uses[name]),
            ids=tuple(_ids(journal, name)),
            price=Price(**prices[name]) if prices.get(name) else None,
            priced=name in prices,
        )
        for name in sorted(uses)
    )


def named(arm: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The models that an arm acts and refines with; a static method and an agent that improves itself
    refine with none, and none is named twice."""
    acting = cast("str | None", arm["agent"].get("model"))
    improving = cast("str | None", arm["method"].get("model")) or acting
    return acting, None if arm["method"]["name"] in ("static", ITSELF.name) else improving


def _ids(journal: Journal, name: str) -> Iterator[str]:
    home = f"models/{name}"  # a model may be named below another: a/b and a/b/c
    for fact in journal.facts(under=home, kind="reported"):
        if fact.path.rpartition("/")[0] != home:
            continue
        yield str(cast("Mapping[str, Any]", fact.value)["id"])


def spending(books: Books) -> Spending | None:
    """What the study has cost as budgets count, beside what it may; None where no try at a model was made in it."""
    if not books.tries.count:
        return None
    limits = {"usd": None, "tokens": None, "calls": None, "seconds": None, **(books.notes.get("budget") or [{}])[-1]}
    dollars = list(books.tries.usd.values())
    return Spending(
        usd=None if None in dollars else sum(cast("list[float]", dollars)),
        tokens=books.tries.tokens,
        tries=books.tries.count,
        seconds=_elapsed(books),
        most_usd=limits["usd"],
        most_tokens=limits["tokens"],
        most_tries=limits["calls"],
        most_seconds=limits["seconds"],
    )


def _elapsed(books: Books) -> float | None:
    """Seconds of all starts together; each notes how long it has lasted so far."""
    by_start: dict[int, float] = {}
    for note in books.notes.get("elapsed", ()):
        by_start[note["start"]] = max(note["seconds"], by_start.get(note["start"], 0.0))
    return sum(by_start.values()) if by_start else None
