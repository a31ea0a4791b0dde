"""`local/smollm2`: a small language model that comes with no key, runs on a CPU, and costs nothing.

It is NOT a capable player. SmolLM2 has 135 million parameters: it keeps to the form of a call because the form is
forced on it, and then chooses without regard to the game or to advice (docs/guide/local-model.md has the measured
numbers). It exercises every code path that a real model does: prompts, token counts, limits, records, resuming. A study
on it shows nothing of a method.

Greedy at temperature 0 or None. At a higher temperature it draws from a stream named by the request, so that the same
request always has the same reply: its reply is a function of the request, on one machine and one set of versions.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from rung.backends.models.backend import Backend
from rung.backends.models.local import adapter, chat, weights
from rung.backends.training import causal, tiny
from rung.backends.training.policy import Policy
from rung.backends.training.tiny import Tiny
from rung.core.canonical import JSON, fingerprint
from rung.core.errors import ContextOverflow, ModelUnusable, UsageError
from rung.core.seeds import Seed
from rung.core.training import Epoch, Example, TrainSpec
from rung.core.values import ModelReply, ModelRequest, Usage

if TYPE_CHECKING:
    from rung.backends.models.local.writer import Chooser, Writer, Written

NAMES = ("policy", "tiny", "smollm2")
IMAGES = False
CONTEXT_TOKENS = 8192
DEFAULT_TOKENS = 256
"""Output at most, whatever a request allows: it takes 15 to 20 seconds. The model does not end by itself where a larger
one would, and an agent's usual 2,048 tokens would be two minutes of the same sentence."""
NOTE = "135 million parameters: it exercises every code path and is not a capable player"


def make(name: str) -> Backend:
    """The model of this name. Raises `UsageError` when it is not installed; it is loaded with the first request."""
    if name not in NAMES:
        raise UsageError(f"no local model named {name!r}; there are: {', '.join(f'local/{each}' for each in NAMES)}")
    if name == "policy":
        return Policy()
    if name == "tiny":
        causal.require("local/tiny", tiny.LIBRARIES)
        return Tiny()
    weights.require()
    return Local()


class Local:
    """A backend that runs the model in a thread of its own, one request at a time. It trains there too."""

    format = adapter.FORMAT
    seeded = True  # it draws by the request's seed

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="local-model")
        self._writer: Writer | None = None
        self._read: Callable[[str], bytes] | None = None

    def borrow(self, read: Callable[[str], bytes]) -> None:
        """Where trained weights are read from."""
        self._read = read

    def refuse_training(self) -> None:
        """Refuse to be trained where libraries for it are missing."""
        causal.require("training local/smollm2", adapter.LIBRARIES)

    async def epoch(self, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
        """Once through the examples."""
        try:
            self.refuse_training()
        except UsageError as missing:
            raise ModelUnusable(str(missing)) from None
        folder = _prepared()
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, adapter.epoch, folder, weights, examples, spec, number
        )

    async def once(self, request: ModelRequest) -> ModelReply:
        """Answer, or raise `ContextOverflow` or `ModelUnusable`. When nobody waits any more, it stops writing.

        All input tokens are counted as such, also those that had been read before: what a request costs does not
        depend on what else was asked.
        """
        if any(message.images for message in request.messages):
            raise ModelUnusable("local/smollm2 reads text alone, and was sent an image; use a model that reads images")
        given_up = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, request, given_up)
        finally:
            given_up.set()

    async def close(self) -> None:
        """Let go of the weights; a further request loads them again."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._forget)

    def _forget(self) -> None:
        self._writer = None

    def _answer(self, request: ModelRequest, given_up: threading.Event) -> ModelReply:
        from rung.backends.models.local.writer import BadTools

        if request.tools and request.tool_choice == "auto":
            raise ModelUnusable(
                "local/smollm2 makes one call or writes text as it is told and cannot choose; use another model for an "
                "agent program"
            )
        writer = self._loaded()
        self._bind(writer, request.weights)
        prompt = writer.prompt(request.messages, request.tools)
        try:
            written = writer.write(
                prompt, request.tools, most=_most(request, prompt), choose=_chooser(request), given_up=given_up.is_set
            )
        except BadTools as error:
            raise ModelUnusable(
                f"local/smollm2 cannot be held to these tools: {error}; give simpler schemas, or use another model"
            ) from None
        return _reply(writer, prompt, written)

    def _bind(self, writer: "Writer", digest: str | None) -> None:
        if digest == writer.bound:
            return
        if digest is not None and self._read is None:
            raise ModelUnusable(f"local/smollm2 was not told where weights are kept, and is asked with {digest[:12]}")
        writer.bind(digest, self._read(digest) if digest is not None and self._read is not None else None)

    def _loaded(self) -> "Writer":
        if self._writer is None:
            self._writer = _load()
        return self._writer


def _prepared() -> Path:
    # Threads that spin while they wait make everything ten times slower when others use the cores too.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        return weights.prepare()
    except UsageError as error:
        raise ModelUnusable(str(error)) from error


def _load() -> "Writer":
    folder = _prepared()
    from rung.backends.models.local.writer import Writer

    try:
        return Writer(folder)
    except Exception as error:  # whatever a damaged file makes of a foreign loader
        raise ModelUnusable(
            f"local/smollm2 cannot be loaded from {str(folder)!r} ({type(error).__name__}: {error}); "
            f"remove that folder, then run `{weights.MEND}`"
        ) from error


def _most(request: ModelRequest, prompt: list[int]) -> int:
    room = CONTEXT_TOKENS - len(prompt)
    if room < 1:
        raise ContextOverflow(
            f"local/smollm2 reads {CONTEXT_TOKENS:,} tokens with its reply, and the prompt alone has {len(prompt):,}"
        )
    return min(room, DEFAULT_TOKENS, request.max_tokens or DEFAULT_TOKENS)


def _chooser(request: ModelRequest) -> "Chooser":
    from rung.backends.models.local.writer import likeliest, sampler

    if not request.temperature:
        return likeliest
    if request.seed is not None:
        return sampler(request.temperature, Seed("local").child("seed", request.seed).rng())
    tools: list[JSON] = [[tool.name, tool.description, tool.parameters] for tool in request.tools]
    asked: list[JSON] = [[message.author, message.text] for message in request.messages]
    return sampler(request.temperature, Seed("local").child(fingerprint([asked, tools, request.temperature])).rng())


def _reply(writer: "Writer", prompt: list[int], written: "Written") -> ModelReply:
    text = writer.text(written.tokens)
    call = chat.read_call(text) if written.stop_reason == "tool_calls" else None
    return ModelReply(
        text="" if call else text,
        model=weights.MODEL,
        stop_reason=written.stop_reason if call or written.stop_reason != "tool_calls" else "stop",
        usage=Usage(len(prompt), len(written.tokens)),
        calls=(call,) if call else (),
    )
