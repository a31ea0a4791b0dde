"""An epoch of a causal language model: the same loop for the tiny one and the shipped one, on a CPU or a GPU.

The loss is on the answer alone, and logits are computed where there is an answer alone: a vocabulary over a long prompt
is what takes the memory. No optimizer outlives an epoch, so an epoch is a function of its arguments. On one machine,
with one torch and one number of threads, equal arguments give equal weights; on others the last bits differ.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from rung.core.canonical import canonical
from rung.core.errors import ModelUnusable, UsageError
from rung.core.seeds import Seed
from rung.core.training import Diverged, TrainSpec

if TYPE_CHECKING:
    import torch

ABOUT = "about"
EXTRA = "pip install 'rung[train]'"


@dataclass(frozen=True, slots=True)
class Lesson:
    """The tokens of a prompt and its answer, and where the answer begins."""

    tokens: tuple[int, ...]
    begin: int


def require(model: str, libraries: Iterable[str]) -> None:
    """Raise `UsageError` with the command that mends it, where libraries are missing; looking imports nothing."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise UsageError(f"{model} needs packages that are not installed ({', '.join(missing)}): {EXTRA}")


def device() -> "torch.device":
    """The GPU where there is one that torch can use, else the CPU."""
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def trained(
    model: Any,
    parameters: Sequence[Any],
    lessons: Sequence[Lesson],
    spec: TrainSpec,
    *,
    name: str,
    rate: float,
    number: int,
) -> float:
    """Go once through the lessons with AdamW over these parameters; the mean loss of an answer's token, in nats."""
    import torch

    order = list(range(len(lessons)))
    Seed("training").child(spec.seed, number).rng().shuffle(order)
    optimizer = torch.optim.AdamW(parameters, lr=spec.rate or rate, weight_decay=0.0)
    total, tokens = 0.0, 0
    model.train()
    with _memory(f"{name}, epoch {number} of {spec.epochs}, batches of {spec.batch}"):
        for at in range(0, len(order), spec.batch):
            batch = [lessons[place] for place in order[at : at + spec.batch]]
            loss, many = _loss(model, batch)
            value = float(loss.detach())
            if not isfinite(value):
                raise Diverged(
                    f"{name}: the loss became {value} in epoch {number}, after {at} of {len(order)} examples; lower "
                    f"the rate (now {spec.rate or rate:g})"
                )
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            total, tokens = total + value * many, tokens + many
    model.eval()
    return total / tokens


def _loss(model: Any, batch: Sequence[Lesson]) -> tuple[Any, int]:
    """The mean loss over all tokens of the answers, and how many these are."""
    import torch

    hidden, places = _hidden(model, batch)
    targets = [token for each in batch for token in each.tokens[each.begin :]]
    logits = model.get_output_embeddings()(hidden[places])
    wanted = torch.tensor(targets, device=logits.device)
    return torch.nn.functional.cross_entropy(logits.float(), wanted), len(targets)


def logarithms(model: Any, batch: Sequence[Lesson]) -> list[float]:
    """The logarithm of the probability of each answer after its prompt."""
    import torch

    with torch.inference_mode():
        hidden, places = _hidden(model, batch)
        chances = torch.log_softmax(model.get_output_embeddings()(hidden[places]).float(), dim=-1)
        found, at = [], 0
        for each in batch:
            answer = each.tokens[each.begin :]
            rows = chances[at : at + len(answer)]
            found.append(float(sum(float(rows[n, token]) for n, token in enumerate(answer))))
            at += len(answer)
    return found


def _hidden(model: Any, batch: Sequence[Lesson]) -> tuple[Any, Any]:
    """The hidden states of a batch, and the places in them that come before a token of an answer.

    What is padded is padded behind, where a causal model looks at it from nowhere that counts.
    """
    import torch

    longest = max(len(each.tokens) for each in batch)
    where = next(model.parameters()).device
    ids = torch.zeros((len(batch), longest), dtype=torch.long)
    mask = torch.zeros((len(batch), longest), dtype=torch.bool)
    for row, each in enumerate(batch):
        ids[row, : len(each.tokens)] = torch.tensor(each.tokens)
        mask[row, each.begin - 1 : len(each.tokens) - 1] = True
    hidden = _body(model)(input_ids=ids.to(where), use_cache=False).last_hidden_state
    return hidden, mask.to(where)


def _body(model: Any) -> Any:
    """A causal model without its head; peft puts the one it wraps two levels down."""
    inner = model.base_model.model if hasattr(model, "peft_config") else model
    return inner.model


@contextmanager
def _memory(what: str) -> Iterator[None]:
    """Memory that does not suffice is the operator's to mend; what was finished is on record."""
    import torch

    try:
        yield
    except MemoryError:
        raise ModelUnusable(_no_memory(what)) from None
    except RuntimeError as error:
        if not isinstance(error, torch.OutOfMemoryError) and "allocate memory" not in str(error):
            raise
        raise ModelUnusable(_no_memory(what)) from error


def _no_memory(what: str) -> str:
    return (
        f"out of memory in {what}; free some, or use a larger machine, and run again: it goes on after the last epoch "
        "that was finished. A new study may have a smaller batch"
    )


# --------------------------------------------------------------------------------------------- weights as bytes


class Saved(NamedTuple):
    """Tensors by name, and what is said of them."""

    tensors: dict[str, Any]
    about: dict[str, str]


def dumped(tensors: Mapping[str, Any], about: Mapping[str, str]) -> bytes:
    """Tensors by name as the bytes of a safetensors file; equal tensors give equal bytes.

    What is said of them stands under one key, for the library writes several in an order that changes.
    """
    from safetensors.torch import save

    plain = {name: tensor.detach().to("cpu").contiguous() for name, tensor in sorted(tensors.items())}
    return bytes(save(plain, metadata={ABOUT: canonical(about)}))


def loaded(name: str, weights: bytes, wanted: Callable[[Mapping[str, str]], bool]) -> Saved:
    """The tensors in these bytes and what is said of them.

    Raises `ModelUnusable` for bytes that are no safetensors file, or of which something else is said than is `wanted`.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        size = int.from_bytes(weights[:8], "little")
        about: dict[str, str] = json.loads(json.loads(weights[8 : 8 + size])["__metadata__"][ABOUT])
        tensors: dict[str, Any] = load(weights)
    except (ValueError, TypeError, LookupError, RecursionError, SafetensorError) as error:
        raise ModelUnusable(f"{name}: {len(weights):,} bytes are no weights of it ({error})") from None
    if not wanted(about):
        raise ModelUnusable(f"{name}: these are weights of something else ({about})")
    return Saved(tensors, about)
