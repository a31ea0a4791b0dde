"""What an agent does in a session, in no format of any program."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rung.core.canonical import JSON


@dataclass(frozen=True, slots=True)
class Says:
    """It only says something."""

    text: str


@dataclass(frozen=True, slots=True)
class Runs:
    """It runs a command in its shell. `leaves` are the files that are there afterwards, by their path inside."""

    command: str
    output: str = ""
    says: str = ""
    failed: bool = False
    leaves: Mapping[str, bytes] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Reads:
    """It reads a file."""

    path: str
    output: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class Writes:
    """It writes a file by itself, so that the content stands in the call."""

    path: str
    content: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class Fetches:
    """It fetches a page with a tool of its own, where its program has one, and else with its shell."""

    url: str
    output: str
    says: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Delegates:
    """It gives work to an agent of its own, and hears what that found."""

    prompt: str
    output: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class Provides:
    """Its provider does something by itself: a search, a page fetched, code run. `results` is what came of it, as far
    as the answer shows; with `hidden` the record has only that it was used. `then` is what the model says after it."""

    tool: str
    query: str
    results: str = ""
    hidden: bool = False
    says: str = ""
    then: str = ""


@dataclass(frozen=True, slots=True)
class Takes:
    """It takes the next task of the stream."""

    says: str = ""


@dataclass(frozen=True, slots=True)
class Plays:
    """It works the task that it took last to its end, well or as who knows nothing."""

    well: bool = False
    says: str = ""


@dataclass(frozen=True, slots=True)
class Tries:
    """It calls a tool of the stream with arguments of its own, such as a handle that it was not given."""

    tool: str
    arguments: Mapping[str, JSON] = field(hash=False)
    says: str = ""


Act: TypeAlias = Says | Runs | Reads | Writes | Fetches | Delegates | Provides | Takes | Plays | Tries
