"""The local model itself: it reads tokens and writes tokens.

Equal requests give equal replies, whatever was asked before: the keys and values of a prompt are computed in pieces
of `PIECE` tokens from its beginning, always the same pieces, and only whole pieces are kept for a later prompt that
begins alike. Numbers of another shape, such as those of a reply just written, would differ in the last bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rung.backends.models.local import chat
from rung.backends.models.local.adapter import Bound
from rung.backends.models.local.weights import quietly
from rung.core.values import Message, Tool

PIECE = 128
"""Tokens read at once. Larger pieces are read faster and kept less often; measured in docs/guide/local-model.md."""
KEPT_TOKENS = 8192
"""Tokens whose keys and values are kept, over all prompts; one takes 46 kB."""

Numbers: TypeAlias = NDArray[np.float32]
Chooser: TypeAlias = Callable[[Numbers], int]


class Abandoned(Exception):
    """Nobody waits for this reply any more."""


class BadTools(Exception):
    """The tools cannot be turned into a grammar; the text says which part."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: its tokens, an end mark included, and what ended it."""

    tokens: tuple[int, ...]
    stop_reason: Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True, slots=True)
class _Kept:
    """Whole pieces of a prompt that was read, with the keys and values of each layer."""

    tokens: tuple[int, ...]
    layers: tuple[tuple[Any, Any], ...]


class Writer:
    """The weights in memory, the tokenizer, and what is kept of the prompts read last. For one thread at a time."""

    def __init__(self, folder: Path) -> None:
        from llguidance import LLTokenizer
        from tokenizers import Tokenizer
        from transformers import LlamaForCausalLM

        text = (folder / "tokenizer.json").read_text(encoding="utf-8")
        self._tokenizer = Tokenizer.from_str(text)
        with quietly():
            model = LlamaForCausalLM.from_pretrained(folder, dtype="float32", local_files_only=True)
        self._model = model.eval()
        self._forms = LLTokenizer(text, n_vocab=model.config.vocab_size, eos_token=chat.END)
        self._kept: list[_Kept] = []
        self._weights = Bound(self._model)

    @property
    def bound(self) -> str | None:
        """The SHA-256 of the trained weights it writes with; None for those as shipped."""
        return self._weights.digest

    def bind(self, digest: str | None, weights: bytes | None) -> None:
        """Write with these trained weights from here on, or with those as shipped."""
        self._kept = []  # keys and values of other weights
        self._weights.bind(digest, weights)

    def prompt(self, messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
        """The tokens that these messages and tools are."""
        return chat.prompt(self._tokenizer, messages, tools)

    def text(self, tokens: Sequence[int]) -> str:
        """The text of tokens, without end marks."""
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True))

    def write(
        self, prompt: Sequence[int], tools: Sequence[Tool], *, most: int, choose: Chooser, given_up: Callable[[], bool]
    ) -> Written:
        """Go on from a prompt by at most so many tokens; with tools, only as a call of one of them.

        Tokens that the form of a call forces are read at once and cost about as much as one.
        Raises `Abandoned` soon after `given_up` becomes true, and `BadTools`.
        """
        form = _Form(self._forms, chat.grammar(tools)) if tools else None
        cache, scores = self._read(prompt, given_up)
        tokens: list[int] = []
        while True:
            chosen = form.forced() if form else []
            chosen = chosen[: most - len(tokens)] or [choose(form.masked(scores) if form else scores)]
            tokens += chosen
            if form and form.closes(chosen):
                return Written(tuple(tokens), "tool_calls")
            if chosen[-1] in chat.ENDS:
                return Written(tuple(tokens), "stop")
            if len(tokens) >= most:
                return Written(tuple(tokens), "length")
            scores = self._forward(chosen, cache, given_up)

    # ----------------------------------------------------------------------------------------- reading

    def _read(self, prompt: Sequence[int], given_up: Callable[[], bool]) -> tuple[Any, Numbers]:
        from transformers import DynamicCache

        cache = DynamicCache()
        begun, layers = self._known(prompt)
        for index, (keys, values) in enumerate(layers):
            cache.update(keys[:, :, :begun], values[:, :, :begun], index)
        for at in range(begun, len(prompt), PIECE):
            scores = self._forward(prompt[at : at + PIECE], cache, given_up)
        self._keep(prompt, cache)
        return cache, scores

    def _forward(self, tokens: Sequence[int], cache: Any, given_up: Callable[[], bool]) -> Numbers:
        """Read these tokens after those in the cache; the scores of what may come next."""
        import torch

        if given_up():
            raise Abandoned
        with torch.inference_mode():
            out = self._model(input_ids=torch.tensor([list(tokens)]), cache=cache, use_cache=True, logits_to_keep=1)
            scores: Numbers = out.logits[0, -1].numpy()
        return scores

    def _known(self, prompt: Sequence[int]) -> tuple[int, Sequence[tuple[Any, Any]]]:
        """How many tokens of this prompt need not be read again; at least its last one must be."""
        found = max(((_common(kept.tokens, prompt), kept.layers) for kept in self._kept), default=(0, ()), key=_first)
        whole = min(found[0], len(prompt) - 1) // PIECE * PIECE
        return whole, found[1] if whole else ()

    def _keep(self, prompt: Sequence[int], cache: Any) -> None:
        whole = len(prompt) // PIECE * PIECE
        fresh = _Kept(tuple(prompt[:whole]), tuple((layer.keys, layer.values) for layer in cache.layers))
        older = [kept for kept in self._kept if _common(kept.tokens, fresh.tokens) < len(kept.tokens)]
        self._kept = [fresh, *older] if whole else self._kept
        while sum(len(kept.tokens) for kept in self._kept) > KEPT_TOKENS:
            self._kept.pop()


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens two lists begin with alike."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


# --------------------------------------------------------------------------------------------- choosing


def likeliest(scores: Numbers) -> int:
    """The token with the highest score; the first of equals."""
    return int(np.argmax(scores))


def sampler(temperature: float, rng: Random) -> Chooser:
    """Draw tokens by their probability at a temperature."""

    def draw(scores: Numbers) -> int:
        heat = scores.astype(np.float64) / temperature
        reached = np.cumsum(np.exp(heat - heat.max()))
        return int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))

    return draw


class _Form:
    """Where a reply stands in a grammar, and what may come next."""

    def __init__(self, tokenizer: Any, grammar: str) -> None:
        from llguidance import LLMatcher
        from llguidance.numpy import allocate_token_bitmask

        self._matcher = LLMatcher(tokenizer, grammar, log_level=0)
        self._check()
        self._mask = allocate_token_bitmask(1, tokenizer.vocab_size)

    def forced(self) -> list[int]:
        """The tokens that come next whatever anybody chooses."""
        return list(self._matcher.compute_ff_tokens())

    def masked(self, scores: Numbers) -> Numbers:
        """The scores, with minus infinity for every token that may not come next."""
        from llguidance.numpy import fill_next_token_bitmask

        fill_next_token_bitmask(self._matcher, self._mask, 0)
        allowed = np.unpackbits(self._mask.view(np.uint8), bitorder="little")[: len(scores)].astype(bool)
        return np.where(allowed, scores, np.float32(-np.inf))

    def closes(self, tokens: Sequence[int]) -> bool:
        """Take these tokens; whether the call is complete with them."""
        self._matcher.consume_tokens(list(tokens))
        self._check()
        return bool(self._matcher.is_stopped())

    def _check(self) -> None:
        if self._matcher.is_error():
            raise BadTools(self._matcher.get_error().strip().partition("\n")[0])
