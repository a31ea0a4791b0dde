"""What the improver may answer, and what is read out of a reply: a reflection, operations, or why it is neither.

A reply is foreign text. Every field is checked against what is allowed, and every text is made one plain line; sections
and ids are only ever taken from a list, so that no reply makes a heading, a file or a name.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, get_args

from rung.core.canonical import JSON, canonical
from rung.core.values import ModelReply, Tool
from rung.methods._plain import plain
from rung.methods.ace.playbook import MAX_CHARACTERS, OTHERS, SECTIONS, Variant

Tag: TypeAlias = Literal["helpful", "harmful", "neutral"]
TAGS: tuple[Tag, ...] = get_args(Tag)

MAX_REPLY = 64_000
"""Characters of a reply that is read at all."""

MAX_FIELD = 1_000
"""Characters of one field of a reflection."""

MAX_OPERATIONS = 20
MAX_REASON = 200
"""Characters of why a reply cannot be used; what it quotes is cut and in ASCII."""

REPEATED = 20
"""Characters of a text that can be told to repeat the instructions; a shorter one may stand in them by chance."""

Found = TypeVar("Found")
FIELDS = ("happened", "cause", "better", "lesson")


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a reply cannot be used, in words for the model that wrote it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reflection:
    """What an attempt teaches, and which bullets helped."""

    happened: str
    cause: str
    better: str
    lesson: str
    tags: Mapping[str, Tag]

    def spelt(self) -> str:
        """As later prompts show it: never longer than the reply that it was read from, but for the bullets' tags."""
        return canonical({name: getattr(self, name) for name in FIELDS})


@dataclass(frozen=True, slots=True)
class Add:
    """A bullet more."""

    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Update:
    """Another text in the place of a bullet's."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Merge:
    """One bullet in place of several."""

    ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A bullet less."""

    id: str
    why: str


Operation: TypeAlias = Add | Update | Merge | Delete


@dataclass(frozen=True, slots=True)
class Curation:
    """What shall become of the playbook, and how many operations were left out because the variant knows none such."""

    operations: tuple[Operation, ...]
    ignored: int = 0


class _Refused(Exception):
    """A reply, or a part of one, that cannot be used."""


# --------------------------------------------------------------------------------------------- reading


def reflection(reply: ModelReply, known: Sequence[str], told: Sequence[str]) -> Reflection | Unusable:
    """The reflection in a reply. Tags of bullets that are not known are left out; `told` is what must not come back."""

    def read(found: Mapping[str, object]) -> Reflection:
        texts = {name: _field(found, name) for name in FIELDS}
        _own(texts["lesson"], told, "lesson")
        return Reflection(**texts, tags=_tags(found, frozenset(known)))

    return _usable(reply, read)


def curation(reply: ModelReply, known: Sequence[str], told: Sequence[str], variant: Variant) -> Curation | Unusable:
    """The operations in a reply. `known` are the ids of bullets there are; each may be touched once."""

    def read(found: Mapping[str, object]) -> Curation:
        listed = _list(found, "operations")
        if len(listed) > MAX_OPERATIONS:
            raise _Refused(f"there are {len(listed)} operations, and at most {MAX_OPERATIONS} are done")
        kinds = KINDS if variant == "repaired" else ("ADD",)
        left, operations, ignored = list(known), list[Operation](), 0
        for number, each in enumerate(listed):
            where = f"operations[{number}]"
            if not isinstance(each, Mapping):
                raise _Refused(f"{where} is no object")
            kind = each.get("op")
            if kind in KINDS and kind not in kinds:
                ignored += 1  # the published code passes over what it does not know
                continue
            operations.append(_operation(each, where, kinds, left, told))
        return Curation(tuple(operations), ignored)

    return _usable(reply, read)


def _usable(reply: ModelReply, read: Callable[[Mapping[str, object]], Found]) -> Found | Unusable:
    try:
        return read(_object(reply))
    except _Refused as refused:
        return Unusable(str(refused)[:MAX_REASON])


def _object(reply: ModelReply) -> Mapping[str, object]:
    """The one JSON object of a reply: the arguments of its call, or what stands between the outermost braces."""
    if reply.calls:
        return reply.calls[0].arguments
    if reply.stop_reason == "length":
        raise _Refused("it was cut off before its end, so it is too long")
    text = reply.text
    if not text.strip():
        raise _Refused("it is empty")
    if len(text) > MAX_REPLY:
        raise _Refused(f"it has {len(text)} characters, and at most {MAX_REPLY} are read")
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        raise _Refused("it holds no JSON object")
    try:
        found = json.loads(text[start : end + 1])
    except RecursionError:
        raise _Refused("its JSON nests too deep") from None
    except ValueError as error:
        raise _Refused(f"its JSON cannot be read: {_quoted(str(error))}") from None
    return found if isinstance(found, dict) else {}


def _field(found: Mapping[str, object], name: str, *, most: int = MAX_FIELD, where: str = "") -> str:
    """A text of an object as one plain line."""
    key = f"{where}.{name}" if where else name
    value = found.get(name)
    if not isinstance(value, str):
        raise _Refused(f"{key} is a text, seen {_quoted(value)}")
    text = plain(value)
    if not text:
        raise _Refused(f"{key} is empty")
    if len(text) > most:
        raise _Refused(f"{key} has {len(text)} characters, and at most {most} are kept")
    return text


def _list(found: Mapping[str, object], name: str, where: str = "") -> Sequence[object]:
    value = found.get(name)
    if not isinstance(value, list | tuple):
        raise _Refused(f"{f'{where}.{name}' if where else name} is a list, seen {_quoted(value)}")
    return value


def _quoted(value: object) -> str:
    """A foreign value in a few ASCII characters."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _own(text: str, told: Sequence[str], key: str) -> None:
    """A small model repeats what it was instructed with, and that is no lesson."""
    if len(text) >= REPEATED and any(text.casefold() in plain(each).casefold() for each in told):
        raise _Refused(f"{key} repeats the instructions, and says nothing of this attempt")


def _tags(found: Mapping[str, object], known: frozenset[str]) -> Mapping[str, Tag]:
    tags: dict[str, Tag] = {}
    for number, each in enumerate(_list(found, "tags")):
        if not isinstance(each, Mapping):
            raise _Refused(f"tags[{number}] is no object")
        name = each.get("id")
        tag = next((tag for tag in TAGS if tag == each.get("tag")), None)
        if tag is None:
            raise _Refused(f"tags[{number}].tag is one of {', '.join(TAGS)}, seen {_quoted(each.get('tag'))}")
        if isinstance(name, str) and bare(name) in known:
            tags[bare(name)] = tag
    return tags


def bare(name: str) -> str:
    """An id without the brackets in which it is shown."""
    return name.strip().strip("[]")


def _operation(
    found: Mapping[str, object], where: str, kinds: Sequence[str], left: list[str], told: Sequence[str]
) -> Operation:
    """One operation; the ids that it touches are taken out of those left."""
    kind = found.get("op")
    if kind not in kinds:
        raise _Refused(f"{where}.op is one of {', '.join(kinds)}, seen {_quoted(kind)}")
    if kind == "DELETE":
        return Delete(_taken(found.get("id"), f"{where}.id", left), _field(found, "why", where=where))
    text = _field(found, "text", most=MAX_CHARACTERS, where=where)
    _own(text, told, f"{where}.text")
    if kind == "ADD":
        section = found.get("section")
        return Add(section if isinstance(section, str) and section in SECTIONS else OTHERS, text)
    if kind == "UPDATE":
        return Update(_taken(found.get("id"), f"{where}.id", left), text)
    ids = [_taken(each, f"{where}.ids", left) for each in _list(found, "ids", where)]
    if len(ids) < 2:
        raise _Refused(f"{where}.ids names {len(ids)} notes, and MERGE takes two or more")
    return Merge(tuple(ids), text)


def _taken(name: object, key: str, left: list[str]) -> str:
    if not isinstance(name, str) or bare(name) not in left:
        raise _Refused(f"{key} names a note of the playbook that no other operation touches, seen {_quoted(name)}")
    left.remove(bare(name))
    return bare(name)


KINDS = ("ADD", "UPDATE", "MERGE", "DELETE")

# --------------------------------------------------------------------------------------------- forms


def _text(most: int) -> Mapping[str, JSON]:
    return {"type": "string", "maxLength": most}


def _form(name: str, description: str, properties: Mapping[str, JSON]) -> Tool:
    return Tool(name, description, _schema(properties))


def _schema(properties: Mapping[str, JSON]) -> Mapping[str, JSON]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


SHORT, NOTE = 120, 200
"""Characters that a form allows for a field and for a bullet."""

FEW = 3
"""Operations that a form allows. A small model that is held to a form fills it, and has to come to its end."""


def reflect_form(notes: int = MAX_OPERATIONS) -> Tool:
    """The call with which an attempt is reflected on, where so many notes may be tagged."""
    tag: JSON = {"type": "string", "enum": list(TAGS)}
    listed: JSON = {
        "type": "array",
        "maxItems": min(notes, MAX_OPERATIONS),
        "items": _schema({"id": _text(40), "tag": tag}),
    }
    fields: Mapping[str, JSON] = {name: _text(SHORT) for name in FIELDS}
    return _form("reflect", "Say what the attempt teaches.", {**fields, "tags": listed})


_SECTION: JSON = {"type": "string", "enum": list(SECTIONS)}
_NAMES: JSON = {"type": "array", "items": _text(40), "minItems": 2, "maxItems": FEW}
_WORDS: Mapping[str, Mapping[str, JSON]] = {
    "ADD": {"section": _SECTION, "text": _text(NOTE)},
    "UPDATE": {"id": _text(40), "text": _text(NOTE)},
    "MERGE": {"ids": _NAMES, "text": _text(NOTE)},
    "DELETE": {"id": _text(40), "why": _text(SHORT)},
}


def curate_form(variant: Variant, bullets: int = MAX_OPERATIONS) -> Tool:
    """The call with which a playbook of so many bullets is changed."""
    kinds = KINDS if variant == "repaired" and bullets else ("ADD",)
    known = [_schema({"op": {"type": "string", "enum": [kind]}, **_WORDS[kind]}) for kind in kinds]
    items: JSON = known[0] if len(known) == 1 else {"anyOf": known}
    listed: JSON = {"type": "array", "maxItems": FEW, "items": items}
    return _form("curate", "Change the playbook.", {"reason": _text(SHORT), "operations": listed})
