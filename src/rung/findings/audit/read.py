"""The audit of a run: every detector over its journal and what was kept of it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from rung.agents.command import PROGRAMS
from rung.core.errors import RungError
from rung.core.ports import Journal
from rung.findings import deeds as done
from rung.findings import sessions as held
from rung.findings.audit import commands, content, network, provider, states
from rung.findings.audit import exam as examined
from rung.findings.audit.content import Document
from rung.findings.audit.evidence import Evidence, When
from rung.findings.audit.exam import Exam
from rung.findings.audit.states import Read, who
from rung.findings.audit.verdict import Audit, in_time
from rung.findings.sessions import Session
from rung.store.blobs import BlobFiles, is_digest

UNREAD = ("signature", "encrypted_content", "thought_signature")
"""Parts of a message that nobody but the provider can read."""


def audit(
    journal: Journal,
    read: Read | None = None,
    *,
    answers: Mapping[str, Sequence[str]] | None = None,
    canaries: Mapping[str, str] | None = None,
) -> Audit:
    """Look through a run, finished or not. Nothing is written.

    `read` gives what was kept of homes (the journal's own blobs otherwise), `answers` are a key's by task id, and
    `canaries` strings that only the instrument knows, each with what it is.
    """
    known = examined.gathered(journal, answers=answers, canaries=canaries)
    config = cast("Mapping[str, Any]", journal.get("plan", "config") or {})
    reader = read or _of(journal)
    found: list[Evidence] = []
    unsaid: list[str] = []
    looked = list(held.sessions(journal))
    for session in looked:
        found += of_session(journal, session, known, reader, config)
        unsaid += _unsaid(session)
    arms = [arm["name"] for arm in config.get("arms", ())]
    of_methods = list(states.of_methods(journal, arms)) if not looked else []
    found += [*content.search(of_methods, known), *states.recipes(of_methods)]
    whos = dict.fromkeys([*map(who, looked), *_lineages(arms, config), *(each.who for each in found)])
    return Audit(in_time(dict.fromkeys(found)), tuple(whos), len(looked), tuple(unsaid))


def of_session(
    journal: Journal, session: Session, known: Exam, read: Read, config: Mapping[str, Any]
) -> Iterator[Evidence]:
    """What one session of a program is evidence of."""
    name, when, own = who(session), _when(session), _own(session)
    settings = cast("Mapping[str, Any]", config.get("network") or {})
    deeds = done.deeds(journal, session.path)
    yield from network.search(_reached(journal, session, tuple(settings.get("allow") or ())))
    yield from commands.search(commands.Did(name, when, deeds, own))
    answers = _answers(journal, session)
    yield from provider.search(answers, known, allowed=settings.get("provider_tools") == "allow")
    if session.exam:
        shown = [
            Document(deed.place, f"what {deed.tool} brought", deed.result, when, name, own)
            for deed in deeds
            if deed.kind != "task" and deed.result
        ]
        yield from content.search(shown, known)
        return
    files = list(states.left(session, read))
    yield from content.search([*conversation(journal, session), *files], known)
    yield from states.recipes(files)


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


def _answers(journal: Journal, session: Session) -> list[provider.Answered]:
    load, found = _loads(journal), []
    for path, value in _exchanges(journal, session.path):
        body = load(value["answer"]["body"]) if value["answer"]["body"] else {}
        used = value.get("provider_tools", {}).get("used", ())
        if isinstance(body, Mapping):
            found.append(provider.Answered(path, who(session), _when(session), used, body, _own(session)))
    return found


def _exchanges(journal: Journal, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for fact in journal.facts(under=f"{path}/exchange", kind="exchange"):
        yield fact.path, cast("Mapping[str, Any]", fact.value)


def _loads(journal: Journal) -> Callable[[str], Any]:
    return lambda digest: json.loads(journal.read_blob(digest))


# --------------------------------------------------------------------------------------------- conversation


def conversation(journal: Journal, session: Session) -> Iterator[Document]:
    """All that was said in a working session, each message once, where it first stood."""
    load, seen = _loads(journal), set[str]()
    for path, value in _exchanges(journal, session.path):
        request, body = value["request"], value["answer"]["body"]
        parts = [(digest, "a message to its model") for digest in request["messages"]]
        parts += [(request["system"], "its instruction")] if request.get("system") else []
        parts += [(body, "an answer of its model")] if body else []
        for digest, name in parts:
            if digest not in seen:
                seen.add(digest)
                text = "\n".join(leaves(load(digest)))
                yield Document(path, name, text, "work", who(session))


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
