"""What a supervisor is told to do, as it goes over the wire. Standard library alone."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias

from rung.backends.sandbox.inside import Wanted
from rung.backends.sandbox.staging import Forked, Shown, View
from rung.core.canonical import JSON
from rung.core.confined import Bounds

Kind: TypeAlias = Literal["bubblewrap", "unsafe", "docker"]

OPTIONS, INFO, GATE, GIVEN = 300, 301, 302, 303
"""Descriptors as bwrap numbers them: its options, where it tells of itself, what it waits for, and from the last on
what a program is given."""

LATER = "\0"
"""Begins an argument that is known to the supervisor alone, by name."""

GRACE = 5.0
"""Seconds between asking a program to end and killing it: agent programs save their conversation then."""


@dataclass(frozen=True, slots=True)
class Order:
    """A program to start and to watch, by one supervisor.

    `command` starts it; for bubblewrap it is bwrap itself, whose options lie in the first descriptor that is given, for
    docker `options` come after it. `program`, `search` and `cwd` are what will run inside: its name, where that is
    looked for, and the folder it begins in. `view` is what root lays out first, and `owned` what becomes the sandbox's
    own user's; `copied` are pairs of folders to copy where there is no overlay, `points` folders and paths in them at
    which something will be mounted. `watched` folders count as written. `works` and `tidied` are removed in the end,
    also when the instrument was killed.
    """

    kind: Kind
    command: tuple[str, ...]
    program: str
    options: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None
    cwd: str = "/"
    search: str = ""
    bounds: Bounds = field(default_factory=Bounds)
    wanted: Wanted | None = None
    view: tuple[View, ...] = ()
    copied: tuple[tuple[str, str], ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    owned: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    tidied: tuple[str, ...] = ()
    other_user: bool = False
    grace: float = GRACE


def to_json(order: Order) -> Mapping[str, JSON]:
    """An order as JSON."""
    data: dict[str, JSON] = asdict(order)
    return data


def from_json(data: Mapping[str, Any]) -> Order:
    """The order that was made into this JSON: both ends are ours, of one version."""
    given = {field.name: data[field.name] for field in fields(Order)}
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return Order(
        **plain
        | {
            "bounds": Bounds(**given["bounds"]),
            "wanted": to_wanted(given["wanted"]),
            "view": to_view(given["view"]),
            "copied": tuple((lower, upper) for lower, upper in given["copied"]),
            "points": tuple((folder, path) for folder, path in given["points"]),
        }
    )


def to_view(items: Iterable[Mapping[str, Any]]) -> tuple[View, ...]:
    """What root lays out, from JSON."""
    return tuple(Forked(**each) if "upper" in each else Shown(**each) for each in items)


def to_wanted(data: Mapping[str, Any] | None) -> Wanted | None:
    """What is opened in a program's network, from JSON."""
    return Wanted(**{**data, "ports": tuple(data["ports"])}) if data else None
