"""What a program asked its model for and was answered, as facts: one for each request, under its session's path.

    <session>/exchange/000007  exchange   {"wire", "asked", "came", "status", "streamed", "path", "detail",
        "request": {"head": ..., "system": hash, "tools": hash, "messages": [hash, ...]},
        "answer": {"body": hash, "model", "stop", "error"}, "usage": {...} or null,
        "provider_tools": {"offered", "removed", "used"}}

Messages are blobs, so a conversation that grows costs each of its messages once. Seconds and dollars are observations.
"""

from collections.abc import Mapping
from typing import Any, cast

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Journal
from rung.core.proxied import Exchange
from rung.store.rows import spell

KIND = "exchange"
IDS = frozenset({"id", "call_id", "tool_use_id", "item_id", "created", "created_at", "usage", "signature"})
"""Keys of an answer that differ between two that say the same."""


def place(session: str, index: int) -> str:
    """Where an exchange is recorded.

    >>> place("codex/L1/work", 7)
    'codex/L1/work/exchange/000007'
    """
    return f"{session}/exchange/{index:06d}"


def put(journal: Journal, session: str, found: Exchange) -> None:
    """Record one."""
    for text in found.request.pieces.values():
        journal.blob(text.encode())
    request, answer, tools = found.request, found.answer, found.provider_tools
    usage = answer.usage
    value: dict[str, JSON] = {
        "wire": found.wire,
        "path": found.path,
        "asked": found.asked,
        "came": found.came,
        "status": found.status,
        "streamed": found.streamed,
        "detail": found.detail,
        "request": {
            "head": dict(request.head),
            "system": request.system,
            "tools": request.tools,
            "messages": list(request.messages),
        },
        "answer": {
            "body": None if answer.body is None else journal.blob(spell(answer.body).encode()),
            "model": answer.model,
            "stop": answer.stop,
            "error": answer.error,
        },
        "usage": None
        if usage is None
        else {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        },
        "provider_tools": {"offered": list(tools.offered), "removed": list(tools.removed), "used": list(tools.used)},
    }
    at = place(session, found.index)
    journal.put(at, KIND, value)
    about: dict[str, JSON] = {"seconds": found.ended - found.started}
    if found.cost is not None:
        about |= {"usd": found.cost.usd, "tokens": found.cost.tokens}
    journal.observe(at, KIND, about)


def count(journal: Journal, session: str) -> int:
    """How many a session has on record."""
    return sum(1 for _ in journal.facts(under=f"{session}/exchange", kind=KIND))


def answered(journal: Journal, session: str) -> bool:
    """Whether any request of a session was answered: then there is a conversation to go on with."""
    facts = journal.facts(under=f"{session}/exchange", kind=KIND)
    return any(cast("Mapping[str, Any]", fact.value)["came"] == "answered" for fact in facts)


def gist(found: Exchange) -> str:
    """What an answer says, equal for two that say the same; empty where there is none."""
    return fingerprint(_without_ids(found.answer.body)) if found.answer.body is not None else ""


def _without_ids(value: Any) -> JSON:
    if isinstance(value, Mapping):
        return {key: _without_ids(each) for key, each in value.items() if key not in IDS}
    return [_without_ids(each) for each in value] if isinstance(value, list) else value


def refusal(found: Exchange) -> bool:
    """Whether an answer is a refusal, or was cut short by a filter."""
    return found.answer.stop in ("refusal", "content_filter")
