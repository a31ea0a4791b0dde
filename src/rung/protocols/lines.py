"""A model as one place in a study has it: every call numbered, on record before its answer is used, and paid for once.

A call that is on record is answered from the record. So an interrupted study asks nothing twice; and a study that is
given another's recording asks nothing at all, and comes to the same facts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rung.core import crashpoints
from rung.core.canonical import JSON, fingerprint, sha256
from rung.core.config import Config
from rung.core.errors import (
    AgentCrash,
    ContextOverflow,
    InstrumentFault,
    LimitReached,
    ModelFault,
    ModelUnusable,
    RungError,
    Stopped,
)
from rung.core.explore_config import BYTES_A_TOKEN
from rung.core.ports import Answered, Journal, Provider
from rung.core.values import ModelCall, ModelReply, ModelRequest, Role
from rung.protocols.budget import Purse
from rung.protocols.watch import Watch
from rung.store import calls

MAX_DETAIL = 2000
"""Characters kept of what went wrong in a model's own code."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that any model call of a study may read and write, in tokens: the same for all that is compared."""

    input_tokens: int
    output_tokens: int

    @property
    def input_bytes(self) -> int:
        """The most bytes of text that a call may read."""
        return self.input_tokens * BYTES_A_TOKEN

    def within(self, request: ModelRequest) -> ModelRequest:
        """The request, asking for no more output."""
        return replace(request, max_tokens=min(request.max_tokens or self.output_tokens, self.output_tokens))

    def refuse_longer(self, request: ModelRequest) -> None:
        """Raise `ContextOverflow` for a request that reads more, as a model does that cannot."""
        texts = sum(len(message.text.encode("utf-8", "replace")) for message in request.messages)
        tokens = -(-texts // BYTES_A_TOKEN)
        if tokens > self.input_tokens:
            raise ContextOverflow(f"about {tokens:,} input tokens, and a call reads {self.input_tokens:,} at most")


def caps(config: Config) -> Caps | None:
    """The caps that a study's config sets, if any."""
    how = config.explore
    return Caps(how.input_tokens, how.output_tokens) if how is not None else None


@dataclass(slots=True)
class Line:
    """The model port of one attempt or one refinement (see `rung.core.ports.Model`).

    `made` counts its calls; `kept` remembers what they said; `limited` says whether a budget refused one; `halt` is
    what no caller may answer for, by catching it and going on as if nothing had happened.
    """

    lines: "Lines"
    path: str
    role: Role
    provider: Provider | None
    made: int = 0
    limited: bool = False
    halt: RungError | None = None
    watch: Watch = field(default_factory=Watch)
    kept: calls.Kept = field(default_factory=dict)

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Answer one request, from the record if it is there. Whatever role it claims, it has that of its place."""
        index, self.made = self.made, self.made + 1
        took = 0.0
        self.watch.stop()
        try:
            reply, took = await self.lines.answer(self, index, self.lines.within(replace(request, role=self.role)))
            return reply
        except LimitReached:
            self.limited = True
            raise
        except ModelFault:
            raise
        except (InstrumentFault, Stopped) as halt:
            self.halt = halt
            raise
        except AgentCrash:  # a context that overflows
            raise
        except Exception as error:
            self.halt = InstrumentFault("model", f"{type(error).__name__}: {error}"[:MAX_DETAIL])
            raise self.halt from error
        finally:
            self.watch.go_on(took)

    def check(self) -> None:
        """Raise again what has halted this line, if anything has."""
        if self.halt is not None:
            raise self.halt


class Lines:
    """All lines of a study: what they are recorded in, what they spend, and the recording they replay, if any.

    `ids` are the ids that a model may report, by its name; one that is not named there must report the same throughout.
    `caps` hold for every call.
    """

    def __init__(
        self,
        journal: Journal,
        purse: Purse | None = None,
        *,
        recording: Journal | None = None,
        ids: Mapping[str, Sequence[str]] | None = None,
        caps: Caps | None = None,
    ) -> None:
        self._journal = journal
        self.purse = purse or Purse(journal)
        self.recording = recording
        self._ids = ids or {}
        self._caps = caps
        self._seen: set[tuple[str, str]] = set()  # names, and an id that each reported

    def within(self, request: ModelRequest) -> ModelRequest:
        """A request within the caps on what it may ask for."""
        return request if self._caps is None else self._caps.within(request)

    def line(self, path: str, role: Role, provider: Provider | None) -> Line:
        """The line of one place; its calls are numbered from 0 whenever it is made anew."""
        return Line(self, path, role, provider)

    async def answer(self, line: Line, index: int, request: ModelRequest) -> tuple[ModelReply, float]:
        """The answer on record, or in the recording, or the provider's; with the seconds that its try took."""
        reply = self._known(self._journal, line, index, request)
        if reply is not None:
            return reply, 0.0
        try:
            answered = await self._asked(line, index, request)
        except (ModelFault, ContextOverflow, LimitReached) as failure:
            calls.record_failure(self._journal, line.path, index, request, failure)
            await self._journal.flush(durable=False)
            raise
        crashpoints.reach("call.answered")
        self._freeze(line.provider, answered.reply)
        calls.record_call(self._journal, line.path, index, ModelCall(request, answered.reply), line.kept)
        self._observe(line.path, index, answered)
        await self._journal.flush(durable=False)
        crashpoints.reach("call.recorded")
        return answered.reply, answered.seconds

    def _known(self, record: Journal, line: Line, index: int, request: ModelRequest) -> ModelReply | None:
        found = calls.read_answer(record, line.path, index)
        if found is None:
            return None
        asked, came = found
        if fingerprint(asked) != fingerprint(calls.request_row(self._journal, request, line.kept)):
            raise InstrumentFault("record", f"call {index} of {line.path} asks something else than is on record")
        if isinstance(came, ModelReply):
            return came
        raise came

    async def _asked(self, line: Line, index: int, request: ModelRequest) -> Answered:
        if self.recording is not None:
            return self._replayed(self.recording, line, index, request)
        if self._caps is not None:
            self._caps.refuse_longer(request)
        if line.provider is None:
            raise InstrumentFault("model", f"{line.path} asks a model and has none; give agent.model or method.model")
        return await line.provider.ask(request, self.purse.at(line.path, index, line.role))

    def _replayed(self, recording: Journal, line: Line, index: int, request: ModelRequest) -> Answered:
        reply = self._known(recording, line, index, request)
        if reply is None:
            raise ModelUnusable(
                f"the recording has no call {index} of {line.path}; it replays whole runs of the same config and rung"
            )
        return Answered(reply, cost=None, tries=0, seconds=0.0)

    def _freeze(self, provider: Provider | None, reply: ModelReply) -> None:
        """Refuse to go on when a model is no longer the one that was measured so far."""
        self.report(provider.id if provider is not None else "recorded", reply.model)

    def report(self, name: str, model: str) -> None:
        """Record the id that a model reports; raises `ModelUnusable` when it is no longer the one measured so far."""
        if (name, model) in self._seen:
            return
        home = f"models/{name}"  # a model may be named below another: a/b and a/b/c
        reported = self._journal.facts(under=home, kind="reported")
        seen = [fact.value for fact in reported if fact.path.rpartition("/")[0] == home]
        if {"id": model} in seen:
            self._seen.add((name, model))
            return
        allowed = self._ids.get(name, ())
        if (seen and not allowed) or (allowed and model not in allowed):
            raise ModelUnusable(
                f"{name} now reports the id {model!r}, and before {_ids(seen, allowed)}: scores of two models "
                f"cannot be compared. If both are meant, name them ([models.{name!r}] ids = [...]) and run again"
            )
        self._journal.put(f"models/{name}/{_slug(model)}", "reported", {"id": model})

    def _observe(self, path: str, index: int, answered: Answered) -> None:
        cost = answered.cost
        if cost is None:
            return
        about: dict[str, JSON] = {"usd": cost.usd, "tokens": cost.tokens}
        about |= {"tries": answered.tries, "seconds": answered.seconds}
        self._journal.observe(path, calls.kind_of_call(index), about)


def _ids(seen: Sequence[JSON], allowed: Sequence[str]) -> str:
    return repr(list(allowed)) if allowed else ", ".join(repr(each["id"]) for each in seen if isinstance(each, dict))


def _slug(reported: str) -> str:
    """A reported id as a piece of a path, another for another id; it is foreign text.

    >>> _slug("Some Model@1/x")
    'Some-Model-1-x-ac39d02d'
    """
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", reported)[:40].strip("-") or "nameless"
    return f"{words}-{sha256(reported)[:8]}"
