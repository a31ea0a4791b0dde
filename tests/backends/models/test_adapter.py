"""Trained weights of the shipped model, on a model of the same kind that is small enough to look into."""

from pathlib import Path

import pytest

from rung.backends.models.local import adapter
from rung.backends.models.local.adapter import ALPHA, RANK, Bound
from rung.backends.training import causal
from rung.core.canonical import sha256
from rung.core.errors import ModelFault, ModelUnusable
from rung.core.training import Example, TrainSpec
from rung.core.values import Call, Message, ModelRequest, Tool

torch = pytest.importorskip("torch", reason="needs pip install 'rung[train]'")
pytest.importorskip("peft", reason="needs pip install 'rung[train]'")
pytest.importorskip("tokenizers", reason="needs pip install 'rung[local]'")

TOOL = Tool("go", "Go.", {"type": "object", "properties": {"to": {"enum": ["left", "right"]}}})
EXAMPLES = [
    Example(ModelRequest((Message("user", f"Go {to}."),), "agent", tools=(TOOL,)), Call("go", {"to": to}))
    for to in ("left", "right") * 4
]
MATRIX = "model.layers.0.self_attn.q_proj.weight"
SPEC = TrainSpec(rate=1e-2, batch=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers over bytes, saved as the shipped one is."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    place = tmp_path_factory.mktemp("small")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    marks = {"<|endoftext|>": 0, "<|im_start|>": 1, "<|im_end|>": 2}
    tokenizer = Tokenizer(models.BPE(vocab=marks | {letter: n for n, letter in enumerate(letters, 3)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(place / "tokenizer.json"))
    torch.manual_seed(1)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    LlamaForCausalLM(LlamaConfig(vocab_size=3 + len(letters), tie_word_embeddings=True, **size)).save_pretrained(place)
    return place


def trained(folder: Path, weights: bytes | None = None, spec: TrainSpec = SPEC, number: int = 1):
    return adapter.epoch(folder, weights, EXAMPLES, spec, number)


def shipped(folder: Path):
    return adapter._fresh(folder)


def parameters(model) -> dict:
    return {name: tensor.detach().clone() for name, tensor in model.named_parameters()}


@pytest.mark.parametrize("extent", ["adapter", "full"])
def test_training_lowers_the_loss_and_equal_arguments_give_equal_bytes(folder: Path, extent):
    spec = TrainSpec(rate=1e-2, batch=2, extent=extent)
    first = trained(folder, spec=spec)
    second = trained(folder, first.weights, spec, 2)
    assert second.loss < first.loss
    assert trained(folder, spec=spec) == first
    assert trained(folder, first.weights, spec, 2) == second


def test_adapters_are_added_to_the_shipped_matrix_by_their_product(folder: Path):
    weights = trained(folder).weights
    tensors = adapter.read(weights).tensors
    stem = f"base_model.model.{MATRIX.removesuffix('.weight')}"
    up, down = tensors[f"{stem}.lora_B.weight"], tensors[f"{stem}.lora_A.weight"]
    assert down.shape == (RANK, 16)
    assert float(up.abs().max()) > 0.0  # it begins with zeros
    model = shipped(folder)
    wanted = parameters(model)[MATRIX] + ALPHA / RANK * (up @ down)
    Bound(model).bind(sha256(weights), weights)
    assert torch.equal(parameters(model)[MATRIX], wanted)


def test_bound_it_says_what_peft_says(folder: Path):
    weights = trained(folder).weights
    ids = torch.tensor([[1, 40, 41, 42]])
    with_peft = adapter._adapted(shipped(folder), adapter.read(weights).tensors).eval()
    bound = shipped(folder).eval()
    Bound(bound).bind(sha256(weights), weights)
    with torch.inference_mode():
        assert torch.allclose(with_peft(ids).logits, bound(ids).logits, atol=1e-5)
        assert not torch.allclose(shipped(folder).eval()(ids).logits, bound(ids).logits, atol=1e-3)


@pytest.mark.parametrize("extent", ["adapter", "full"])
def test_whatever_was_bound_before_the_same_weights_are_bit_for_bit_the_same(folder: Path, extent):
    spec = TrainSpec(rate=1e-2, batch=2, extent=extent)
    one, two = trained(folder, spec=spec).weights, trained(folder).weights
    model = shipped(folder)
    before, bound = parameters(model), Bound(model)
    bound.bind("one", one)
    first = parameters(model)
    for digest, weights in (("two", two), (None, None), ("two", two), ("one", one)):
        bound.bind(digest, weights)
    assert all(torch.equal(tensor, first[name]) for name, tensor in parameters(model).items())
    bound.bind(None, None)
    assert all(torch.equal(tensor, before[name]) for name, tensor in parameters(model).items())
    assert bound.digest is None


def test_all_weights_anew_are_read_back_bit_for_bit(folder: Path):
    weights = trained(folder, spec=TrainSpec(extent="full")).weights
    model = shipped(folder)
    Bound(model).bind("full", weights)
    tensors = adapter.read(weights).tensors
    assert all(torch.equal(tensor, tensors[name]) for name, tensor in parameters(model).items())
    assert (
        causal.dumped(adapter._state(model, TrainSpec(extent="full")), {"format": "smollm2-v1", "extent": "full"})
        == weights
    )


def test_weights_of_another_extent_are_not_gone_on_from(folder: Path):
    weights = trained(folder).weights
    with pytest.raises(ModelFault, match=r"extent = .full', and the weights it goes on from are .*adapter"):
        trained(folder, weights, TrainSpec(extent="full"))


def test_a_longer_prompt_is_trained_on_without_its_beginning():
    class Letters:
        encode_special_tokens = False

        def encode(self, text: str, add_special_tokens: bool):
            return type("Encoded", (), {"ids": [ord(letter) for letter in text]})

    request = ModelRequest((Message("user", "x" * 5000 + "end"),), "agent")
    lesson = adapter._lesson(Letters(), Example(request, "yes"))  # type: ignore[arg-type]
    assert len(lesson.tokens) == adapter.LONGEST
    assert lesson.tokens[lesson.begin :] == (*map(ord, "yes"), 2)
    assert "".join(chr(token) for token in lesson.tokens[: lesson.begin]).endswith("xend\x02\n\x01assistant\n")


def test_bytes_that_are_no_weights_of_it_stop_the_run(folder: Path):
    with pytest.raises(ModelUnusable, match="local/smollm2"):
        Bound(shipped(folder)).bind("x", b"\x80\x04\x95 a pickle")
