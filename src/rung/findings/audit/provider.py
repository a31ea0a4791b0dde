"""What a session's model provider did by itself: searches and fetches that no packet of the sandbox shows.

    strong    such a tool was used although the study takes them out of requests: any of them, whatever the answer has
              of it, be it the call, a result, a citation or no more than a count
    strong    its query names a key, a host of data sets or what only an exam item says
    weak      it was used and no query is on record: nobody can say what for

A search that is allowed, and whose query is on record and says none of these, is no evidence. What results say is
looked through for exam content like all else in a conversation.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rung.findings.audit import hosts
from rung.findings.audit.english import listed
from rung.findings.audit.evidence import Evidence, Weight, When, quoted
from rung.findings.audit.exam import Exam, tokens

LEAST_NAMES = 2
"""Weight of one exam item's names in a query: one code, or two rare words. A query has but a few words."""
CALLS = re.compile(r"^(server_tool_use|mcp_tool_use|mcp_list_tools|\w+_call|builtin_function|server_tool_call)$")
"""How answers say that the provider did something, by the type of a part."""
OURS = frozenset(
    ("function_call", "custom_tool_call", "local_shell_call", "computer_call", "shell_call", "apply_patch_call")
)
"""Calls of that form which the program is to answer."""
RESULTS = re.compile(r"^\w+_tool_result$|^(web_search|search|grounding)_results?$|^document_search_result$")
"""How answers bring what the provider's tools found. A program's own results are `tool_result`, in its requests."""
CITED = re.compile(r"^(url_citation|file_citation|container_file_citation|file_path)$|^\w*search_result_location$")
"""How answers cite what was found, by the type of a note."""
FOUND = frozenset(
    listed(
        "citations search_results search_info web_search search_queries web_search_queries "
        "webSearchQueries grounding groundingMetadata grounding_metadata groundingChunks references "
        "sources"
    )
)
"""Keys under which answers of other makers bring their searches, beside or in a message."""
COUNTED = re.compile(
    r"(?i)(search|fetch|browse|sources|grounding|tool_use|code_execution|crawl)\w*?(requests|used|count|calls|queries|s)?$"
)
"""Keys of an answer's usage that count what the provider did."""
MARKED = re.compile(
    r"\bcite(?:turn\d+(?:search|view|news|fetch)\d+)|\u3010\d+(?::\d+)?\u2020|[?&]utm_source=(?:openai|chatgpt\.com)"
    r"|grounding-api-redirect|\bturn\d+search\d+\b|<(?:search_results?|web_search|antml:cite|grok:render)\b"
)
"""Signs in a text by which providers mark what they found."""
WEB = ("search", "fetch", "browse", "citation", "grounding", "browser", "crawl")
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
        traces = list(_traces(each.body))
        calls = [trace for trace in traces if trace.outside]
        if not traces and not each.used:
            continue
        if allowed and not calls and not any(word in used for used in each.used for word in WEB):
            continue  # it reckoned, or ran code: that is no look outside
        found = _weight(calls, known, allowed=allowed)
        if found is not None:
            touched = () if each.own is None else (each.own,)
            shown = [trace.query or trace.kind for trace in traces] or list(each.used)
            yield Evidence(
                "provider", found[0], each.when, each.who, each.place, found[1], quoted("; ".join(shown)), touched
            )


def _weight(calls: Sequence["Trace"], known: Exam, *, allowed: bool) -> tuple[Weight, str] | None:
    queries = [call.query for call in calls if call.query]
    if any(hosts.KEYS.search(query) or _names_datasets(query) for query in queries):
        return "strong", "the provider was asked to search for a key, or on a host of data sets"
    about = [place for query in queries if (place := _item(query, known)) is not None]
    if about:
        return "strong", f"the provider was asked to search for what exam item {about[0]} says"
    if not allowed:
        return "strong", "the provider used a tool of its own, which this study takes out of requests"
    asked = any(call.asked and call.query for call in calls)
    return None if asked else ("weak", "the provider searched, and for what is not on record")


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


@dataclass(frozen=True, slots=True)
class Trace:
    """One sign in an answer that its provider did something. `query` is what it says of it; `asked` where that is what
    was asked for, and not what was found; `outside` where it looks outside."""

    kind: str
    query: str
    asked: bool
    outside: bool


def _traces(body: Mapping[str, Any]) -> Iterator[Trace]:
    """The signs in an answer of any format: calls, results, notes and counts, wherever they stand in it."""
    for key, value in _pairs(body):
        if isinstance(value, Mapping) and isinstance(kind := value.get("type"), str):
            yield from _of_part(kind, value)
        elif key in FOUND and isinstance(value, list | Mapping | str) and value:
            yield Trace(key, _said(value), asked="quer" in key.lower(), outside=True)
        elif key == "text" and isinstance(value, str) and (found := MARKED.search(value)) is not None:
            yield Trace("cited", quoted(value, around=found.start()), asked=False, outside=True)
    usage = body.get("usage")
    for key, value in _pairs(usage) if isinstance(usage, Mapping) else ():
        if COUNTED.search(key) and isinstance(value, int) and not isinstance(value, bool) and value > 0:
            yield Trace(f"{key}: {value}", "", asked=False, outside=any(word in key.lower() for word in WEB))


def _of_part(kind: str, part: Mapping[str, Any]) -> Iterator[Trace]:
    called = CALLS.match(kind) is not None and kind not in OURS
    if not called and not RESULTS.match(kind) and not CITED.match(kind):
        return
    said = f"{kind} {part.get('name') or ''}"
    yield Trace(said.strip(), _query(part), asked=called, outside=any(word in said for word in WEB) or not called)


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Every value in an answer with the key it stands under, a list's with that of the list. What a program's own tools
    are called with is the program's, and is not looked into."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        key, each = waiting.pop()
        yield key, each
        if isinstance(each, Mapping):
            if each.get("type") in ("tool_use", "function", "function_call", "custom_tool_call"):
                continue
            waiting += reversed([(name, part) for name, part in each.items() if name not in ("usage", "tools")])
        elif isinstance(each, list):
            waiting += reversed([(key if isinstance(part, str) else "", part) for part in each])


def _query(call: Mapping[str, Any]) -> str:
    """What a call asked for, or a result or note says, as text; empty where it does not say."""
    for key in (
        "input",
        "action",
        "arguments",
        "queries",
        "query",
        "code",
        "url_citation",
        "url",
        "content",
        "results",
    ):
        if given := call.get(key):
            return _said(given)
    return ""


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
