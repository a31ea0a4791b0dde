"""The gateway: every try at every model call goes through here.

It bounds what a try can cost and has that set aside, limits how many are in flight, ends what hangs, tries again what
may help, and says what it cost. How a model is reached is a `Backend`'s. A gateway may serve several event loops, one
after the other: what belongs to a loop is made in it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random

from rung.backends.models.backend import Backend, TryAgain
from rung.backends.models.loops import PerLoop
from rung.backends.models.prices import NOTHING, cost, most
from rung.core.canonical import canonical
from rung.core.config import ModelConfig, PriceConfig
from rung.core.errors import ContextOverflow, EmptyReply, ModelFault, ModelUnusable, RungError, Stopped
from rung.core.ports import Amount, Answered, Spending
from rung.core.seeds import Seed
from rung.core.training import Trainable
from rung.core.values import Call, ModelReply, ModelRequest

# Bounds on input, in tokens. Tokenizers of language models cut text into pieces of one byte or more, so text has no
# more tokens than bytes. What a provider's template adds is bounded by a generous allowance; an image by what is
# charged for 512 by 512 pixels at the dearest tariff known (8,500), so that a much larger one may cost more.
MESSAGE_TOKENS = 32
TOOL_TOKENS = 64
TOOLS_TOKENS = 1024
IMAGE_TOKENS = 10_000

LOOK_SECONDS = 1.0
"""How often a wait looks whether a stop is asked for."""
OUTPUT_TOKENS = 8192
"""What is asked for at most when neither the request nor the config says: no bound would be true otherwise."""
LEAST_OUTPUT_TOKENS = 512
"""How far that default gives way when a model has no room for it, before the prompt itself is called too long."""
OUTPUT_KEYS = ("max_completion_tokens", "max_tokens")
"""Keys of a config's `body` that bound the output in place of the request's own."""

BASE_SECONDS = 1.0
CAP_SECONDS = 60.0
LONG_SECONDS = 10.0
"""From here on a wait is told, so that nobody takes it for a hang."""
UNBELIEVABLE = 100
"""How many times the most that was thought possible a provider may count, before its count is no count."""
TRIES = 3
"""Tries at a request whose replies are garbage or empty: a provider that is up, and whose answer is of no use."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How time passes: how to sleep, a clock whose seconds only grow, and jitter, which decides no result.

    Tests hand in their own, and wait for nothing. Without `jitter` each model has a stream of its own. `tell` hears of
    long waits, at most once a minute for each model. `stop` says whether nothing shall be waited for any more.
    """

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Random | None = None
    tell: Callable[[str], None] = lambda text: None
    stop: Callable[[], bool] | None = None


REAL = Pace()
"""Time as it passes."""


class Gateway:
    """A configured model: priced, limited, patient. It implements `core.ports.Provider`.

    `output` is the most tokens asked for where neither request nor config says.
    """

    def __init__(
        self,
        model: str,
        backend: Backend,
        config: ModelConfig,
        *,
        price: PriceConfig | None,
        live: bool,
        output: int = OUTPUT_TOKENS,
        pace: Pace = REAL,
    ) -> None:
        self._model = model
        self._backend = backend
        self._config = config
        self._price = price
        self._live = live
        self._output = output
        self._sleep = pace.sleep
        self._stop = pace.stop
        self._clock = pace.clock
        self._jitter = pace.jitter or Seed("back-off").child(model).rng()
        self._slots = PerLoop(lambda: asyncio.Semaphore(config.concurrency))
        self._not_before = pace.clock()
        self._tell = pace.tell
        self._told: float | None = None
        self._answered = pace.clock()

    @property
    def id(self) -> str:
        """Provider and name as configured."""
        return self._model

    @property
    def live(self) -> bool:
        """Whether it costs something, or may answer otherwise next time."""
        return self._live

    @property
    def price(self) -> PriceConfig | None:
        """What its calls are paid by; None where no price is known."""
        return self._price

    @property
    def images(self) -> bool:
        """Whether it reads pictures: yes, where its config says nothing."""
        return self._config.images is not False

    @property
    def seeded(self) -> bool:
        """Whether it draws by the seed of a request."""
        return bool(getattr(self._backend, "seeded", False))

    @property
    def trainable(self) -> Trainable | None:
        """The model itself, where its weights can be trained here."""
        return self._backend if isinstance(self._backend, Trainable) else None

    def worst(self, request: ModelRequest) -> Amount:
        """The most that one try at this request can cost."""
        return most(*self.bounds(request), self._price)

    def bounds(self, request: ModelRequest) -> tuple[int, int]:
        """The most tokens that one try at this request can read, and write."""
        read, written = input_bound(request), self._output_bound(request)
        room = self._config.context_tokens
        return (read, written) if room is None else (min(read, room), min(written, room))

    async def ask(self, request: ModelRequest, spending: Spending) -> Answered:
        """Answer one request, each try within the budgets."""
        self._refuse_beyond(request)
        course = _Course(self._bounded(request), yields=self._is_ours(request))
        while True:
            try:
                reply = await self._try(course, spending)
            except TryAgain as failed:
                await self._back_off(course, failed)
            except ContextOverflow:
                if not course.gives_way():
                    raise
            else:
                if not _is_empty(reply):
                    return Answered(reply, course.cost, course.tries, course.seconds)
                self._count_empty(course, reply)

    async def close(self) -> None:
        """Let go of what the backend holds in the running event loop."""
        await self._backend.close()

    # ----------------------------------------------------------------------------------------- what is asked for

    def _refuse_beyond(self, request: ModelRequest) -> None:
        """What a model would pass over in silence, so that it would seem to hold."""
        if request.weights is not None and self.trainable is None:
            raise ModelUnusable(f"{self.id} has no weights of ours, and the state names {request.weights[:12]}")
        if request.seed is not None and not self.seeded:
            raise ModelUnusable(f"{self.id} draws by no seed; leave seeded out of [agent], or use a model of local/")

    def _body_bound(self) -> int | None:
        said = [self._config.body[key] for key in OUTPUT_KEYS if self._config.body.get(key) is not None]
        return max(said, default=None)  # which of them a server heeds is not known

    def _is_ours(self, request: ModelRequest) -> bool:
        """Whether nobody bounds the output of this request but the gateway."""
        return request.max_tokens is None and self._body_bound() is None and self._config.context_tokens is None

    def _output_bound(self, request: ModelRequest) -> int:
        said = self._body_bound() or request.max_tokens or self._config.context_tokens
        return said or self._output

    def _bounded(self, request: ModelRequest) -> ModelRequest:
        return replace(request, max_tokens=self._output) if self._is_ours(request) else request

    # ----------------------------------------------------------------------------------------- one try

    async def _try(self, course: "_Course", spending: Spending) -> ModelReply:
        # The reservation comes after the slot, so that nobody sets money aside while he queues.
        async with self._slot(course):
            worst = self.worst(course.request)
            reservation = await spending.reserve(worst)
            course.tries += 1
            began = self._clock()
            actual: Amount | None = None  # cancelled, or crashed: it may have cost all
            try:
                reply = await self._timed(course.request)
                self._answered = self._clock()
                actual = cost(reply.usage, self._price) if _is_believable(reply, worst) else None
            except TryAgain as failed:
                actual = None if failed.billed else NOTHING
                raise
            except RungError:  # refused
                actual = NOTHING
                raise
            finally:
                course.seconds = self._clock() - began
                course.cost += worst if actual is None else actual
                reservation.settle(actual)
            return reply

    async def _timed(self, request: ModelRequest) -> ModelReply:
        """One try, ended when its whole time is over: a server that drips bytes for ever hangs too."""
        seconds = self._config.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._backend.once(request)
        except TimeoutError:
            raise TryAgain("timeout", f"no whole reply within {seconds:g} s", billed=True) from None

    @asynccontextmanager
    async def _slot(self, course: "_Course") -> AsyncIterator[None]:
        """One of the places in flight. Where the provider has asked all of us to wait, the wait is done in it."""
        came = self._clock()
        async with self._slots.here():
            course.queued += self._clock() - came
            while (wait := self._not_before - self._clock()) > 0:
                await self._wait(wait)
            yield

    # ----------------------------------------------------------------------------------------- trying again

    async def _back_off(self, course: "_Course", failed: TryAgain) -> None:
        """Wait before the next try, holding no slot; or say that there will be none."""
        now = self._clock()
        course.count_failure(now)
        waited = course.waited(now, self._answered)
        left = self._config.patience_seconds - waited
        if failed.trouble == "garbage":
            course.garbage += 1
            if course.garbage == TRIES:
                raise ModelFault(f"model {self.id}", f"no usable reply in {TRIES} tries; the last: {failed.detail}")
        elif left <= 0:
            raise ModelUnusable(self._gave_up(course, failed, waited))
        wait = min(self._pause(course, failed), max(left, 0.0))
        if failed.trouble == "rate limit":
            self._not_before = max(self._not_before, now + wait)
        if wait >= LONG_SECONDS and (self._told is None or now - self._told >= CAP_SECONDS):
            self._told = now
            self._tell(f"{self.id}: {failed}. Trying again in {wait:.0f} s, and for {left / 60:.0f} minutes at most")
        await self._wait(wait)

    async def _wait(self, seconds: float) -> None:
        """Wait, unless a stop is asked for: nothing is in flight while nobody is asked. Raises `Stopped`."""
        until = self._clock() + seconds
        while self._stop is not None and (left := until - self._clock()) > LOOK_SECONDS:
            self._refuse_stopped()
            await self._sleep(min(left, LOOK_SECONDS))
        await self._sleep(max(until - self._clock(), 0.0))
        self._refuse_stopped()

    def _refuse_stopped(self) -> None:
        if self._stop is not None and self._stop():
            raise Stopped(f"a stop was requested while {self.id} was waited for; what is recorded stays")

    def _pause(self, course: "_Course", failed: TryAgain) -> float:
        """As long as the provider asks for; else exponential back-off with full jitter."""
        if failed.after is not None:
            return failed.after
        ceiling = min(CAP_SECONDS, BASE_SECONDS * 2.0 ** min(course.failures - 1, 30))
        return self._jitter.uniform(0.0, ceiling)

    def _gave_up(self, course: "_Course", failed: TryAgain, waited: float) -> str:
        return (
            f"{self.id}: {failed.trouble} for {waited / 60:.1f} minutes in {course.tries} tries; "
            f"the last: {failed.detail}. See that it is up; running again resumes from here"
        )

    def _count_empty(self, course: "_Course", reply: ModelReply) -> None:
        course.empty += 1
        if course.empty < TRIES:
            return
        written = reply.usage.output_tokens if reply.usage is not None else None
        spent = "an unknown number of" if written is None else f"{written:,}"
        thought = f" and {len(reply.reasoning):,} characters of thinking" if reply.reasoning else ""
        bound = self._output_bound(course.request)
        raise EmptyReply(
            f"model {self.id}",
            f"{TRIES} replies of no text and no call; the last stopped with {reply.stop_reason!r} after {spent} output "
            f"tokens{thought}; if it spends them on thinking, raise max_tokens (now {bound:,})",
        )


@dataclass
class _Course:
    """How one request has fared so far."""

    request: ModelRequest
    yields: bool
    tries: int = 0
    failures: int = 0
    garbage: int = 0
    empty: int = 0
    seconds: float = 0.0
    cost: Amount = NOTHING
    first_failure: float = 0.0
    queued: float = 0.0  # seconds in the queue since then

    def count_failure(self, now: float) -> None:
        """From the first on, time counts."""
        if self.failures == 0:
            self.first_failure, self.queued = now, 0.0
        self.failures += 1

    def waited(self, now: float, answered: float) -> float:
        """Seconds of patience used up, when the model has last answered anybody at `answered`.

        The longer of two since the first failure: how long nobody was answered, and how long this request was tried
        without the time it queued behind others. So a long queue is no outage, and one bad request is given up too.
        """
        return max(now - max(self.first_failure, answered), now - self.first_failure - self.queued)

    def gives_way(self) -> bool:
        """Ask for less output, where the bound is our own and may be what did not fit; False when there is no less."""
        asked = self.request.max_tokens or 0
        if not self.yields or asked <= LEAST_OUTPUT_TOKENS:
            return False
        self.request = replace(self.request, max_tokens=asked // 4)
        return True


def _is_believable(reply: ModelReply, worst: Amount) -> bool:
    """Whether a reply can have cost what it says: something for what was said, and no hundred times the most.

    What cannot be believed is counted as if nothing were said: as the most that it can have cost.
    """
    if reply.usage is None:
        return False
    read = (reply.usage.input_tokens or 0) + (reply.usage.cached_tokens or 0)
    written = reply.usage.output_tokens or 0
    silent = not reply.text and not reply.calls
    return read > 0 and (written > 0 or silent) and read + written <= UNBELIEVABLE * max(worst.tokens, 1)


def _is_empty(reply: ModelReply) -> bool:
    """Nothing to be seen, and no refusal: what a refusal is worth, the study declares."""
    refused = reply.stop_reason in ("content_filter", "refusal")
    return not refused and not reply.calls and not reply.text.strip()


def input_bound(request: ModelRequest) -> int:
    """No fewer tokens than this request has for any model that reads text by bytes or larger pieces.

    >>> from rung.core.values import Message
    >>> input_bound(ModelRequest((Message("user", "né"),), "agent")) - MESSAGE_TOKENS
    3
    """
    texts = sum(len(message.text.encode("utf-8", "surrogatepass")) for message in request.messages)
    texts += sum(_call_bound(call) for message in request.messages for call in message.calls)
    images = sum(len(message.images) for message in request.messages)
    tools = sum(
        len((tool.name + tool.description + canonical(tool.parameters)).encode("utf-8", "surrogatepass")) + TOOL_TOKENS
        for tool in request.tools
    )
    around = MESSAGE_TOKENS * len(request.messages) + (TOOLS_TOKENS if request.tools else 0)
    return texts + tools + around + IMAGE_TOKENS * images


def _call_bound(call: Call) -> int:
    return len((call.tool + canonical(call.arguments)).encode("utf-8", "surrogatepass")) + MESSAGE_TOKENS
