"""Model calls one by one, also those that a program made through the gateway (see `rung.protocols.exchanges`)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from rung.core.ports import Journal
from rung.reports.values import Failed

LOST: Mapping[str, Failed] = MappingProxyType(
    {
        "refused": "ModelFault",
        "unreachable": "ModelFault",
        "cut": "ModelFault",
        "client_gone": "ModelFault",
        "closed": "ModelFault",
        "budget": "LimitReached",
    }
)
"""Why a request of a program brought no answer, as calls of other agents say it. One that is not here never left."""


@dataclass(frozen=True, slots=True)
class Made:
    """One call: its usage where it was answered and metered, why it failed, and its dollars as budgets count them.

    A call that is neither answered nor failed was interrupted: its tries are paid, and nothing came of them.
    """

    path: str
    index: int
    answered: bool
    usage: Mapping[str, int | None] | None
    error: Failed | None
    said: str
    usd: float | None


def made(journal: Journal, tries: Mapping[tuple[str, int], float | None]) -> Mapping[str, list[Made]]:
    """The requests of every program's session that left, by the session's path. `tries` are dollars by path and number.

    A request for the number of tokens, or for the models there are, is no call.
    """
    found: dict[str, list[Made]] = defaultdict(list)
    for fact in journal.facts(kind="exchange"):
        session, _, number = fact.path.rpartition("/exchange/")
        value = cast("Mapping[str, Any]", fact.value)
        error = LOST.get(value["came"])
        if not value["wire"] or (value["came"] != "answered" and error is None) or "count_tokens" in value["path"]:
            continue
        index = int(number)
        said = value["detail"] or value["answer"]["error"]
        usd = 0.0 if error == "LimitReached" else tries.get((session, index))
        usage = metered(value["usage"]) if error is None else None
        found[session].append(Made(session, index, error is None, usage, error, said, usd))
    return found


def metered(usage: Mapping[str, int | None] | None) -> Mapping[str, int | None] | None:
    """Usage that says how much was read and written; None for one that does not."""
    if usage is None or usage["input_tokens"] is None or usage["output_tokens"] is None:
        return None
    return usage
