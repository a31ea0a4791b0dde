"""The audit of a run: every detector over its journal and what was kept of it."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from rung.agents.command import PROGRAMS
from rung.core.errors import RungError
from rung.core.ports import Journal
from rung.findings import deeds as done
from rung.findings import sessions as held
from rung.findings.audit import commands, content, gate, network, provider, states
from rung.findings.audit import exam as examined
from rung.findings.audit.content import Document
from rung.findings.audit.evidence import Evidence, When
from rung.findings.audit.exam import Exam
from rung.findings.audit.likeness import Kin
from rung.findings.audit.states import Read, who
from rung.findings.audit.verdict import Audit, in_time
from rung.findings.deeds import Load
from rung.findings.sessions import Session
from rung.store.blobs import BlobFiles, is_digest

LONGEST_COMMAND = 10_000
"""Letters of a command in which an item's words are looked for."""
TAKES = "get_task"
"""The tool that hands out an item, by whatever way it is called."""
UNREAD = ("signature", "encrypted_content", "thought_signature")
"""Parts of a message that nobody but the provider can read."""


def audit(
    journal: Journal,
    read: Read | None = None,
    *,
    answers: Mapping[str, Sequence[str]] | None = None,
    canaries: Mapping[str, str] | None = None,
    kin: Sequence[Kin] = (),
) -> Audit:
    """Look through a run, finished or not. Nothing is written.

    `read` gives what was kept of homes (the journal's own blobs otherwise), `answers` are a key's by task id,
    `canaries` strings that only the instrument knows, each with what it is, and `kin` the exam's items beside fresh
    ones.
    """
    known = examined.gathered(journal, answers=answers, canaries=canaries, kin=kin)
    config = cast("Mapping[str, Any]", journal.get("plan", "config") or {})
    reader = read or _of(journal)
    found: list[Evidence] = []
    unsaid: list[str] = []
    looked = list(held.sessions(journal))
    exams: dict[str, list[gate.Called]] = defaultdict(list)
    for session in looked:
        record = Record(journal, session)
        found += of_session(record, known, reader, config)
        unsaid += _unsaid(session)
        if session.exam:
            exams[session.who].append(record.called)
    for some in exams.values():
        found += gate.over_sessions(some)
    arms = [arm["name"] for arm in config.get("arms", ())]
    of_methods = list(states.of_methods(journal, arms)) if not looked else []
    found += [*content.search(of_methods, known), *states.recipes(of_methods)]
    whos = dict.fromkeys([*map(who, looked), *_lineages(arms, config), *(each.who for each in found)])
    return Audit(in_time(dict.fromkeys(found)), tuple(whos), len(looked), tuple(unsaid))


@dataclass(frozen=True)
class Record:
    """What the journal has of one session, each part read once."""

    journal: Journal
    session: Session

    @cached_property
    def load(self) -> Load:
        """What reads each message once."""
        return done.loader(self.journal)

    @cached_property
    def exchanges(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Each exchange with its place."""
        facts = self.journal.facts(under=f"{self.session.path}/exchange", kind="exchange")
        return [(fact.path, cast("Mapping[str, Any]", fact.value)) for fact in facts]

    @cached_property
    def deeds(self) -> Sequence[done.Deed]:
        """What was done."""
        return done.deeds(self.journal, self.session.path, self.load)

    @cached_property
    def taken(self) -> str:
        """Where an exam session asked for its item: what it knew of it before, it cannot have from there."""
        asked = (deed.place for deed in self.deeds if TAKES in deed.tool or TAKES in deed.text)
        return next(asked, "")

    def own_at(self, place: str) -> int | None:
        """The exam item that a session had been handed out at an exchange."""
        return _own(self.session) if place >= self.taken else None

    @cached_property
    def called(self) -> gate.Called:
        """How the stream was called."""
        session = self.session
        return gate.called(self.journal, session.path, who(session), _when(session), self.deeds, _own(session))


def of_session(record: Record, known: Exam, read: Read, config: Mapping[str, Any]) -> Iterator[Evidence]:
    """What one session of a program is evidence of."""
    journal, session = record.journal, record.session
    name, when, own = who(session), _when(session), _own(session)
    settings = cast("Mapping[str, Any]", config.get("network") or {})
    allow = tuple(settings.get("allow") or ())
    yield from network.search(_reached(journal, session, allow))
    yield from commands.search(commands.Did(name, when, record.deeds, own))
    yield from gate.search(record.called)
    yield from provider.search(_answers(record), known, allowed=settings.get("provider_tools") == "allow")
    if session.exam:
        shown = [
            Document(
                deed.place,
                f"what {deed.tool} brought",
                deed.result,
                when,
                name,
                record.own_at(deed.place),
                _sought(deed, own, known),
            )
            for deed in record.deeds
            if deed.kind != "task" and deed.result
        ]
        yield from content.search([*shown, *said(record)], known)
        return
    files = list(states.left(session, read))
    yield from content.search([*conversation(record), *files], known)
    yield from states.recipes(files, allow)


LOOKUP = re.compile(
    r"^\s*(?:z?e?f?grep|rg|ag|ack|sed|awk|look|fzf|jq|yq|mlr|xsv|qsv|csvgrep|sqlite3|duckdb|perl\s+-\S*n\S*"
    r"|git\s+grep|bat|less|head|tail|cut"
    r"|sort|uniq|cat|cd|tr|column|wc|tee)\b"
)
"""Programs that find what stands in a file, and reckon nothing."""


def _sought(deed: done.Deed, own: int | None, known: Exam) -> bool:
    """Whether a command looks up the words of its exam item in a file, with programs that find and do not reckon."""
    if own is None or deed.kind not in ("command", "search"):
        return False
    words = examined.tokens(deed.text[:LONGEST_COMMAND])
    if not examined.shingles(words, examined.PHRASE) & known.phrases.get(own, frozenset()):
        return False
    parts = re.split(r"\n|;|&&|\|", deed.text.replace("||", "\0").partition("\0")[0])
    return deed.kind == "search" or all(LOOKUP.match(part) for part in parts if part.strip())


def _when(session: Session) -> When:
    if not session.exam:
        return "work"
    return "before" if session.who.startswith("A0.") else "exam"


def _own(session: Session) -> int | None:
    """The exam item of an exam session: `exam/<examinee>/<item>/<repeat>`."""
    return int(session.path.split("/")[2]) if session.exam else None


def _lineages(arms: Sequence[str], config: Mapping[str, Any]) -> list[str]:
    return [f"{arm}.L{number}" for arm in arms for number in range(1, int(config.get("lineages", 0)) + 1)]


def _unsaid(session: Session) -> Iterator[str]:
    why = session.network.get("incomplete", ())
    if why:
        yield f"{session.path}: nothing can be said of its network ({why[0]})"


def _of(journal: Journal) -> Read:
    def read(digest: str, most: int) -> bytes | None:
        try:
            return journal.read_blob(digest)[:most]
        except (RungError, KeyError):
            return None

    return read


def kept_in(blobs: BlobFiles, journal: Journal) -> Read:
    """What was kept in a run's folder, else in its journal."""
    beside = _of(journal)

    def read(digest: str, most: int) -> bytes | None:
        if not is_digest(digest):
            return None
        found = blobs.head(digest, most)
        return beside(digest, most) if found is None else found

    return read


# --------------------------------------------------------------------------------------------- network, answers


def _reached(journal: Journal, session: Session, allow: Sequence[str]) -> network.Reached:
    facts = PROGRAMS.get(session.program.removeprefix("command:").split(" ")[0])
    return network.Reached(
        place=_legs(journal, session),
        who=who(session),
        when=_when(session),
        names=session.network["names"],
        bare=session.network["bare"],
        asked=session.network["asked"],
        allow=allow,
        usual=facts.calls if facts is not None else (),
        received=_received(journal, session.path),
        own=_own(session),
    )


def _legs(journal: Journal, session: Session) -> str:
    """Where the network of a session is on record: its last leg that came to an end."""
    gone = [fact.path for fact in journal.facts(under=f"{session.path}/leg", kind="departed")]
    return gone[-1] if gone else session.path


def _received(journal: Journal, path: str) -> Mapping[str, int]:
    """Bytes that came in by name and bare address, over all legs, as the network record counted them."""
    found: dict[str, int] = {}
    for note in journal.observations(under=f"{path}/leg", name="leg"):
        counted = cast("Mapping[str, Any]", note.value).get("network") or {}
        for each in counted.get("named", ()):
            found[each["name"]] = found.get(each["name"], 0) + int(each["received"])
        for each in counted.get("bare", ()):
            place = f"{each['proto']} {each['dst']} {each['port']}"
            found[place] = found.get(place, 0) + int(each["down"])
    return found


def _answers(record: Record) -> list[provider.Answered]:
    found = []
    session = record.session
    for path, value in record.exchanges:
        body = record.load(value["answer"]["body"]) if value["answer"]["body"] else {}
        used = value.get("provider_tools", {}).get("used", ())
        if isinstance(body, Mapping):
            found.append(provider.Answered(path, who(session), _when(session), used, body, _own(session)))
    return found


# --------------------------------------------------------------------------------------------- conversation


def conversation(record: Record) -> Iterator[Document]:
    """All that was said in a working session, each message once, where it first stood."""
    seen = set[str]()
    for path, value in record.exchanges:
        request, body = value["request"], value["answer"]["body"]
        parts = [(digest, "a message to its model") for digest in request["messages"]]
        parts += [(request["system"], "its instruction")] if request.get("system") else []
        parts += [(body, "an answer of its model")] if body else []
        for digest, name in parts:
            if digest not in seen:
                seen.add(digest)
                text = "\n".join(leaves(record.load(digest)))
                yield Document(path, name, text, "work", who(record.session))


def said(record: Record) -> Iterator[Document]:
    """What its model said in an exam session: its own item is its own, and of others it knows nothing."""
    session, seen = record.session, set[str]()
    for path, value in record.exchanges:
        body = value["answer"]["body"]
        if body and body not in seen:
            seen.add(body)
            text = "\n".join(leaves(record.load(body)))
            own = record.own_at(path)
            sought = bool(value.get("provider_tools", {}).get("used"))
            yield Document(path, "an answer of its model", text, _when(session), who(session), own, sought)


def leaves(value: Any) -> Iterator[str]:
    """The texts of a message, but for what only the provider can read."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping):
            waiting += [part for name, part in reversed(list(each.items())) if name not in UNREAD]
        elif isinstance(each, list):
            waiting += reversed(each)
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield str(each)
