"""Trained weights of the shipped model: low-rank adapters beside four matrices of every layer, or all weights anew.

Adapters are what peft makes and trains. To act on them they are multiplied out and added to the matrices they belong
to, always from the matrices as shipped: so one set of weights gives the same replies whatever was bound before it, and
whoever acts on adapters needs no peft.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rung.backends.models.local import chat
from rung.backends.models.local.weights import quietly
from rung.backends.training import causal
from rung.backends.training.causal import Lesson, Saved
from rung.core.canonical import canonical
from rung.core.errors import ModelFault
from rung.core.training import Epoch, Example, TrainSpec
from rung.core.values import Call

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "local/smollm2"
FORMAT = "smollm2-v1"
LIBRARIES = ("torch", "transformers", "peft", "safetensors")

RANK, ALPHA = 8, 16
MATRICES = ("q_proj", "k_proj", "v_proj", "o_proj")
RATES = {"adapter": 1e-3, "full": 5e-5}
LONGEST = 1024
"""Tokens of an example, from its end; a longer prompt is trained on without its beginning."""

_PEFT = "base_model.model."
"""What peft puts before the name of a matrix."""


def epoch(folder: Path, weights: bytes | None, examples: Sequence[Example], spec: TrainSpec, number: int) -> Epoch:
    """Once through the examples, from these weights or from those in the folder."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    lessons = [_lesson(tokenizer, example) for example in examples]
    saved = None if weights is None else read(weights)
    if saved is not None and saved.about["extent"] != spec.extent:
        raise ModelFault(
            "training", f"{NAME}: extent = {spec.extent!r}, and the weights it goes on from are {saved.about}"
        )
    model = _fresh(folder)
    if spec.extent == "adapter":
        model = _adapted(model, None if saved is None else saved.tensors)
    elif saved is not None:
        model.load_state_dict({**saved.tensors, "lm_head.weight": saved.tensors["model.embed_tokens.weight"]})
    learned = [each for each in model.parameters() if each.requires_grad]
    loss = causal.trained(model, learned, lessons, spec, name=NAME, rate=RATES[spec.extent], number=number)
    return Epoch(causal.dumped(_state(model, spec), _about(spec)), loss)


def read(weights: bytes) -> Saved:
    """Trained weights as tensors; raises `ModelUnusable` for bytes that are none of this model."""
    return causal.loaded(NAME, weights, lambda about: about.get("format") == FORMAT)


def _about(spec: TrainSpec) -> dict[str, str]:
    about = {"format": FORMAT, "extent": spec.extent}
    return about | {"rank": str(RANK), "alpha": str(ALPHA)} if spec.extent == "adapter" else about


def _fresh(folder: Path) -> Any:
    from transformers import LlamaForCausalLM

    with quietly():
        model = LlamaForCausalLM.from_pretrained(folder, dtype="float32", local_files_only=True)
    return model.to(causal.device())


def _adapted(model: Any, tensors: Mapping[str, Any] | None) -> Any:
    import torch
    from peft import LoraConfig, get_peft_model, set_peft_model_state_dict

    config = LoraConfig(
        r=RANK, lora_alpha=ALPHA, lora_dropout=0.0, target_modules=list(MATRICES), task_type="CAUSAL_LM"
    )
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft 0.21 reads a name that transformers 5 calls old
        torch.manual_seed(0)
        adapted = get_peft_model(model, config)
    if tensors is not None:
        set_peft_model_state_dict(adapted, dict(tensors))
    return adapted


def _state(model: Any, spec: TrainSpec) -> dict[str, Any]:
    """What was trained. The head is the embedding, and is kept once."""
    if spec.extent == "adapter":
        from peft import get_peft_model_state_dict

        return dict(get_peft_model_state_dict(model))
    return {name: tensor for name, tensor in model.state_dict().items() if name != "lm_head.weight"}


def _lesson(tokenizer: "Tokenizer", example: Example) -> Lesson:
    request = example.request
    prompt = chat.prompt(tokenizer, request.messages, request.tools)
    answer = [*chat.plain(tokenizer, _spelt(example.answer)), chat.END][: LONGEST // 2]
    kept = prompt[-(LONGEST - len(answer)) :]
    return Lesson((*kept, *answer), len(kept))


def _spelt(answer: Call | str) -> str:
    """An answer as the model writes it."""
    if isinstance(answer, str):
        return answer
    return f'{{"tool":{canonical(answer.tool)},"arguments":{canonical(answer.arguments)}}}'


# --------------------------------------------------------------------------------------------- acting on them


class Bound:
    """The shipped model with one set of trained weights in it at a time."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._shipped: dict[str, Any] = {}
        self._digest: str | None = None

    @property
    def digest(self) -> str | None:
        """The SHA-256 of the trained weights it has; None for those as shipped."""
        return self._digest

    def bind(self, digest: str | None, weights: bytes | None) -> None:
        """Put trained weights in place of others; None for those as shipped."""
        import torch

        saved = None if weights is None else read(weights)
        matrices = dict(self._model.named_parameters())
        with torch.no_grad():
            for name, tensor in self._shipped.items():
                matrices[name].copy_(tensor)
            self._shipped.clear()
            for name, tensor in ({} if saved is None else _changed(saved, matrices)).items():
                self._shipped[name] = matrices[name].detach().clone()
                matrices[name].copy_(tensor)
        self._digest = digest


def _changed(saved: Saved, matrices: Mapping[str, Any]) -> dict[str, Any]:
    """The matrices that differ from the shipped ones, as they are with these weights."""
    if saved.about["extent"] == "full":
        return saved.tensors
    scale = float(saved.about["alpha"]) / float(saved.about["rank"])
    changed = {}
    for name, down in saved.tensors.items():
        if name.endswith(".lora_A.weight"):
            matrix = name.removeprefix(_PEFT).replace(".lora_A", "")
            up = saved.tensors[name.replace(".lora_A", ".lora_B")]
            changed[matrix] = matrices[matrix] + (scale * (up @ down)).to(matrices[matrix].device)
    return changed
