"""Exchanges of an agent program with its model, kept so that a long conversation costs each of its messages once.

An exchange is the fact (path of the session, `exchange/000007`):

    {"came", "status", "path", "wire", "streamed", "asked",
     "request": {"head", "system": hash or null, "tools": hash or null, "messages": [hash, ...]},
     "answer": {"body": hash or null, "model", "stop", "error", "whole", "used",
                "usage": {"input_tokens", "output_tokens", "cached_tokens"} or null},
     "provider_tools": {"offered", "removed", "used"}, "detail"}

Each hash is of a blob of JSON. What it cost and when it was are the observation of the same name: {"usd", "tokens",
"started", "first", "ended"}, the times in seconds of a clock that only grows.
"""

import json
from collections.abc import Mapping
from typing import Any, cast

from rung.core.canonical import JSON
from rung.core.ports import Artifacts, Journal
from rung.core.proxied import Exchange, ProviderTools, Read, Split
from rung.core.values import Usage
from rung.store.rows import spell


def kind_of_exchange(index: int) -> str:
    """The kind of a session's exchange number `index`; padded, so that key order is the order in which they came.

    >>> kind_of_exchange(7)
    'exchange/000007'
    """
    return f"exchange/{index:06d}"


def record_exchange(journal: Journal, path: str, exchange: Exchange) -> None:
    """Keep one exchange under a session's path. It is written when the journal is next flushed."""
    for text in exchange.request.pieces.values():
        journal.blob(text.encode())
    kind = kind_of_exchange(exchange.index)
    journal.put(path, kind, _row(journal, exchange))
    cost = exchange.cost
    journal.observe(
        path,
        kind,
        {
            "usd": None if cost is None else cost.usd,
            "tokens": None if cost is None else cost.tokens,
            "started": exchange.started,
            "first": exchange.first,
            "ended": exchange.ended,
        },
    )


def _row(artifacts: Artifacts, exchange: Exchange) -> dict[str, JSON]:
    request, answer, tools = exchange.request, exchange.answer, exchange.provider_tools
    return {
        "came": exchange.came,
        "status": exchange.status,
        "path": exchange.path,
        "wire": exchange.wire,
        "streamed": exchange.streamed,
        "asked": exchange.asked,
        "request": {
            "head": request.head,
            "system": request.system,
            "tools": request.tools,
            "messages": request.messages,
        },
        "answer": {
            "body": None if answer.body is None else artifacts.blob(spell(answer.body).encode()),
            "model": answer.model,
            "stop": answer.stop,
            "error": answer.error,
            "whole": answer.whole,
            "used": answer.used,
            "usage": None if answer.usage is None else _usage(answer.usage),
        },
        "provider_tools": {"offered": tools.offered, "removed": tools.removed, "used": tools.used},
        "detail": exchange.detail,
    }


def _usage(usage: Usage) -> JSON:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }


def read_exchange(journal: Journal, path: str, index: int) -> Exchange | None:
    """The exchange kept there, without what is an observation; its pieces are all of its own. None where there is none.

    `Exchange.session` is the path.
    """
    row = cast("Mapping[str, Any] | None", journal.get(path, kind_of_exchange(index)))
    if row is None:
        return None
    request, answer = row["request"], row["answer"]
    names = [name for name in (request["system"], request["tools"], *request["messages"]) if name is not None]
    pieces = {name: journal.read_blob(name).decode() for name in names}
    body = None if answer["body"] is None else json.loads(journal.read_blob(answer["body"]))
    usage = None if answer["usage"] is None else Usage(**answer["usage"])
    return Exchange(
        path,
        index,
        row["path"],
        row["came"],
        row["status"],
        row["wire"],
        row["streamed"],
        row["asked"],
        Split(request["head"], request["system"], request["tools"], tuple(request["messages"]), pieces),
        Read(
            body,
            answer["model"],
            answer["stop"],
            usage,
            used=tuple(answer["used"]),
            error=answer["error"],
            whole=answer["whole"],
        ),
        ProviderTools(**{name: tuple(found) for name, found in row["provider_tools"].items()}),
        row["detail"],
    )
