"""What a session's model provider did by itself: searches and fetches that no packet of the sandbox shows.

    strong    such a tool was used although the study takes them out of requests
    strong    its query names a key, a host of data sets or what only an exam item says
    weak      it was used and no query is on record: nobody can say what for

A search that is allowed, and whose query is on record and says none of these, is no evidence. What results say is
looked through for exam content like all else in a conversation.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rung.findings.audit import hosts
from rung.findings.audit.evidence import Evidence, Weight, When, quoted
from rung.findings.audit.exam import Exam, tokens

LEAST_NAMES = 2
"""Weight of one exam item's names in a query: one code, or two rare words. A query has but a few words."""
CALLS = ("server_tool_use", "mcp_tool_use", "web_search_call", "file_search_call", "mcp_call", "code_interpreter_call")
"""How answers say that the provider did something, by the type of a part."""
WEB = ("search", "fetch", "browse")
"""Parts of the names of tools that look outside."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of a session's provider. `used` are the tools that it says it used, `body` is all of it."""

    place: str
    who: str
    when: When
    used: Sequence[str]
    body: Mapping[str, Any] = field(hash=False)
    own: int | None = None


def search(answers: Sequence[Answered], known: Exam, *, allowed: bool) -> Iterator[Evidence]:
    """What the answers of one session are evidence of. `allowed` where the study lets such tools be."""
    for each in answers:
        calls = [call for call in _calls(each.body) if _looks_outside(call)]
        if not calls and not any(word in used for used in each.used for word in WEB):
            continue
        found = _weight(calls, known, allowed=allowed)
        if found is not None:
            touched = () if each.own is None else (each.own,)
            says, quote = found[1], quoted("; ".join(map(_query, calls)) or ", ".join(each.used))
            yield Evidence("provider", found[0], each.when, each.who, each.place, says, quote, touched)


def _weight(calls: Sequence[Mapping[str, Any]], known: Exam, *, allowed: bool) -> tuple[Weight, str] | None:
    queries = list(filter(None, map(_query, calls)))
    if any(hosts.KEYS.search(query) or _names_datasets(query) for query in queries):
        return "strong", "the provider was asked to search for a key, or on a host of data sets"
    about = [place for query in queries if (place := _item(query, known)) is not None]
    if about:
        return "strong", f"the provider was asked to search for what exam item {about[0]} says"
    if not allowed:
        return "strong", "the provider searched, which this study takes out of requests"
    return None if queries else ("weak", "the provider searched, and for what is not on record")


def _names_datasets(query: str) -> bool:
    found = [*hosts.named(query), *(host for host, _ in hosts.urls(query))]
    return any(map(hosts.holds_datasets, found))


def _item(query: str, known: Exam) -> int | None:
    """The exam item whose names a query says, if any."""
    weights: dict[int, int] = {}
    for word in set(tokens(query)) & known.names.keys():
        place = known.names[word]
        weights[place] = weights.get(place, 0) + known.items[place].names[word]
    best = max(weights, key=weights.__getitem__, default=None)
    return best if best is not None and weights[best] >= LEAST_NAMES else None


def _calls(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    messages = [row.get("message") for row in _rows(body.get("choices"))]
    for part in (*_rows(body.get("content")), *_rows(body.get("output"))):
        if part.get("type") in CALLS:
            yield part
    for message in messages:
        for note in _rows(message.get("annotations")) if isinstance(message, Mapping) else ():
            if note.get("type") == "url_citation":
                yield note


def _looks_outside(call: Mapping[str, Any]) -> bool:
    said = f"{call.get('type')} {call.get('name')}"
    return any(word in said for word in (*WEB, "url_citation"))


def _query(call: Mapping[str, Any]) -> str:
    """What a call asked for, as text; empty where it does not say."""
    given = call.get("input") or call.get("action") or call.get("queries") or call.get("url_citation") or ""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []
