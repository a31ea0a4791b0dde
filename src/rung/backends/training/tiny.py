"""`local/tiny`: a causal language model of 0.1 million parameters, made here from a config and trained in seconds.

A Llama of two layers that reads bytes: the end of what is seen, then a call. It cannot write; it gives every legal call
the probability of its letters, and plays by these. So what its training gains is skill and never form. It begins
untrained, which is to play nearly at random.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from rung.backends.training import causal
from rung.backends.training.causal import Lesson
from rung.backends.training.choosing import choices, place_of, refuse_uncounted, reply, sight, spelt
from rung.core.canonical import sha256
from rung.core.errors import ModelUnusable
from rung.core.training import Epoch, Example, TrainSpec
from rung.core.values import ModelReply, ModelRequest, Tool

NAME = "local/tiny"
FORMAT = "tiny-v1"
LIBRARIES = ("torch", "transformers", "safetensors")

SIGHT_BYTES = 256
"""How much of what is seen it reads, from its end."""
CALL_BYTES = 64
ASK, END = 256, 257
"""What stands between sight and call, and after a call. The other tokens are bytes."""
CONFIG = {
    "vocab_size": 258,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "max_position_embeddings": SIGHT_BYTES + CALL_BYTES + 2,
    "tie_word_embeddings": False,
}
RATE = 1e-3
AT_ONCE = 64
"""Calls scored at once."""
KEPT = 4


class Tiny:
    """The model and its training; both in one thread of its own, one thing at a time."""

    format = FORMAT
    seeded = True  # it draws by the request's seed
    writes = False  # it chooses among the legal calls of tools

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="tiny-model")
        self._read: Callable[[str], bytes] | None = None
        self._models: dict[str, Any] = {}

    def borrow(self, read: Callable[[str], bytes]) -> None:
        """Where weights are read from."""
        self._read = read

    async def once(self, request: ModelRequest) -> ModelReply:
        """One of the legal calls of the request's tools."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, request)

    async def epoch(self, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
        """Once through the examples."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, _epoch, weights, examples, spec, number)

    def refuse_tools(self, tools: Sequence[Tool]) -> None:
        """Refuse tools whose calls cannot be counted."""
        refuse_uncounted(NAME, tools)

    async def close(self) -> None:
        """Let go of the weights; a further request loads them again."""
        self._models.clear()

    def _answer(self, request: ModelRequest) -> ModelReply:
        calls = choices(NAME, request.tools)
        model = self._bound(request.weights)
        seen = sight(request)
        lessons = [_lesson(seen, spelt(call)) for call in calls]
        scores = [
            score
            for at in range(0, len(lessons), AT_ONCE)
            for score in causal.logarithms(model, lessons[at : at + AT_ONCE])
        ]
        return reply(reported(), request, calls, scores)

    def _bound(self, digest: str | None) -> Any:
        key = digest or ""
        model = self._models.pop(key, None)
        if model is None:
            if digest is not None and self._read is None:
                raise ModelUnusable(
                    f"{NAME} is asked with weights {digest[:12]} and was not told where weights are kept"
                )
            model = made(self._read(digest) if digest is not None and self._read is not None else None)
        self._models[key] = model
        if len(self._models) > KEPT:
            del self._models[next(iter(self._models))]
        return model


def made(weights: bytes | None) -> Any:
    """The model with these weights, or as it is made; ready to answer."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(**CONFIG))
    if weights is not None:
        tensors = causal.loaded(NAME, weights, lambda about: about.get("format") == FORMAT).tensors
        try:
            model.load_state_dict(tensors)
        except RuntimeError as error:
            raise ModelUnusable(f"{NAME}: these are weights of something else ({error})") from None
    return model.to(causal.device()).eval()


@lru_cache(maxsize=1)
def reported() -> str:
    """The id that it reports: its format, and the first digits of the SHA-256 of the weights it begins with.

    These are made by torch, and another version of it may make others: that is another model.
    """
    return f"{FORMAT}@{sha256(weights_of(made(None)))[:12]}"


def weights_of(model: Any) -> bytes:
    """The weights of a model as bytes."""
    return causal.dumped(model.state_dict(), {"format": FORMAT})


def _epoch(weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
    model = made(weights)
    lessons = []
    for example in examples:
        calls = choices(NAME, example.request.tools)
        lessons.append(_lesson(sight(example.request), spelt(calls[place_of(NAME, calls, example.answer)])))
    loss = causal.trained(model, list(model.parameters()), lessons, spec, name=NAME, rate=RATE, number=number)
    return Epoch(weights_of(model), loss)


def _lesson(seen: str, call: str) -> Lesson:
    prompt = (*seen.encode("utf-8", "replace")[-SIGHT_BYTES:], ASK)
    return Lesson((*prompt, *call.encode("utf-8", "replace")[:CALL_BYTES], END), len(prompt))
