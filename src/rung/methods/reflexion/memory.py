"""Reflections as a state holds them: one record a line, oldest first, so that `git blame` tells when each one came.

    {"bucket": family, "id": ..., "instance": hash, "text": one line}

There are no counters in a record, so a line that stays is a reflection that stayed. A file that somebody else has
edited is read as far as it holds records.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rung.core.canonical import canonical, fingerprint, sha256
from rung.core.values import FeedbackResult, State, View
from rung.methods._plain import plain

MEMORY = "agent/memory/reflections.jsonl"

MAX_CHARACTERS = 1000
"""Characters of one reflection."""

MAX_BYTES = 128 * 1024
"""Bytes of all records together."""

Variant: TypeAlias = Literal["bucket", "instance"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reflection belongs: the family it was made in, and the instance."""

    bucket: str
    instance: str


@dataclass(frozen=True, slots=True)
class Reflection:
    """One record."""

    id: str
    place: Place
    text: str

    def line(self) -> str:
        """The record as its line."""
        place = self.place
        return canonical({"bucket": place.bucket, "id": self.id, "instance": place.instance, "text": self.text})


def place_of_view(view: View) -> Place:
    """The place of an attempt, from its first view."""
    return Place(view.family, _instance(view.rules, view.text, [sha256(image.data) for image in view.images]))


def place_of_feedback(feedback: FeedbackResult) -> Place:
    """The same place, from what is told of the attempt; it must have a step."""
    first = feedback.trajectory[0]
    return Place(str(feedback.task["family"]), _instance(str(feedback.task["rules"]), first.prompt, first.images))


def _instance(rules: str, first_sight: str, images: Sequence[str]) -> str:
    """An instance is known by all that is seen of it first, so that only the same task again meets it."""
    return fingerprint([rules, first_sight, list(images)])[:16]


def made(feedback: FeedbackResult, text: str) -> Reflection:
    """The record of a reflection on an attempt."""
    return Reflection(f"r-{fingerprint([feedback.id, text])[:12]}", place_of_feedback(feedback), text)


def applying(reflections: Sequence[Reflection], place: Place, variant: Variant) -> list[Reflection]:
    """Those made in this place, oldest first."""
    if variant == "bucket":
        return [each for each in reflections if each.place.bucket == place.bucket]
    return [each for each in reflections if each.place.instance == place.instance]


def last(reflections: Sequence[Reflection], many: int) -> Sequence[Reflection]:
    """The newest, still oldest first."""
    return reflections[max(0, len(reflections) - many) :]


# --------------------------------------------------------------------------------------------- the file


def read(state: State) -> tuple[Reflection, ...]:
    """The reflections of a state. Lines that are no record are left out."""
    lines = state.files.get(MEMORY, b"").decode("utf-8", "replace").split("\n")
    return tuple(found for line in lines if (found := _record(line)) is not None)


def _record(line: str) -> Reflection | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or set(record) != {"bucket", "id", "instance", "text"}:
        return None
    bucket, name, instance, text = (record[key] for key in ("bucket", "id", "instance", "text"))
    if not all(isinstance(value, str) for value in record.values()):
        return None
    return Reflection(plain(name), Place(plain(bucket), plain(instance)), plain(text)[:MAX_CHARACTERS])


def write(state: State, reflections: Sequence[Reflection]) -> State:
    """The state with these reflections in it."""
    return state.with_files({MEMORY: "".join(f"{each.line()}\n" for each in reflections).encode()})


def split(reflections: Sequence[Reflection], most: int) -> tuple[Sequence[Reflection], Sequence[Reflection]]:
    """Those that are dropped and those that stay: the newest, at most so many, and in at most MAX_BYTES."""
    left, many = MAX_BYTES, 0
    for each in reversed(reflections):
        left -= len(each.line().encode()) + 1
        if left < 0 or many == most:
            break
        many += 1
    border = len(reflections) - many
    return reflections[:border], reflections[border:]
