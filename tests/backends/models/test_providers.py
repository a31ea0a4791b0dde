import asyncio
import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from rung.backends.models.prices import FREE, known
from rung.backends.models.providers import provider, unreached
from rung.backends.models.scripted import Scripted
from rung.core.config import ModelConfig, PriceConfig
from rung.core.errors import UsageError
from rung.core.ports import Amount
from rung.core.values import Message, ModelRequest

from .stands import ASKED, Till, Time

KEYS = {"OPENAI_API_KEY": "sk-planted", "MY_KEY": "sk-mine", "SPACED": "sk spaced", "EMPTY": " "}


def test_a_known_provider_is_live_and_has_the_known_price():
    model = provider("openai/gpt-4.1", environ=KEYS)
    assert (model.id, model.live, model.price) == ("openai/gpt-4.1", True, known("openai/gpt-4.1"))


def test_the_price_in_the_config_is_the_one_paid_by():
    price = PriceConfig(input=1.0, output=1.0, date="2026-01-01")
    assert provider("openai/gpt-4.1", ModelConfig(price=price), environ=KEYS).price == price


def test_a_model_of_unknown_price_has_none():
    assert provider("openai/gpt-none", environ=KEYS).price is None


def test_a_scripted_model_is_not_live_and_free():
    model = provider("scripted/echo", environ={})
    assert (model.live, model.price) == (False, FREE)
    answered = asyncio.run(model.ask(ASKED, Till()))
    assert (answered.reply.text, answered.cost) == ("two words", Amount(0.0, 4))


def test_a_scripted_model_may_be_given_a_price_so_that_budgets_can_be_tried():
    price = PriceConfig(input=1.0, output=1.0, date="2026-01-01")
    assert asyncio.run(provider("scripted/echo", ModelConfig(price=price)).ask(ASKED, Till())).cost == Amount(4e-6, 4)


def test_a_script_in_a_file_is_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("replies.jsonl").write_text('{"reply": "yes"}')
    assert asyncio.run(provider("scripted/replies.jsonl").ask(ASKED, Till())).reply.text == "yes"


@pytest.mark.parametrize(
    ("name", "config", "complaint"),
    [
        ("openai", {}, "a model is named provider/name, seen 'openai'"),
        ("opneai/gpt-5", {}, r"no provider named 'opneai'; did you mean 'openai/\.\.\.'"),
        ("zzz/x", {}, "no provider named 'zzz'; there are: openai, .*scripted"),
        ("my-server/x", {"base_url": "http://localhost:1"}, "no provider named 'my-server'; .* compatible/NAME"),
        ("groq/x", {}, "needs a key in the variable GROQ_API_KEY, which is not set; set it, or name another"),
        ("openai/x", {"key_env": "OTHER"}, "variable OTHER, which is not set"),
        ("openai/x", {"key_env": "EMPTY"}, "variable EMPTY, which is not set"),
        ("openai/x", {"key_env": "SPACED"}, "the key in SPACED has characters that no key has"),
        ("compatible/x", {}, "needs an address: .*base_url"),
        ("compatible/x", {"base_url": "http://u:p@localhost"}, "a key belongs into key_env"),
        ("compatible/x", {"base_url": "http://"}, "base_url is scheme, host, port and path"),
        ("compatible/x", {"base_url": "http://[::1"}, "base_url is no address"),
        ("openai/x", {"body": {"messages": []}}, "body holds 'messages', which is the study's to say"),
        ("openai/x", {"body": {"n": 5}}, "body holds 'n'"),
        ("openai/x", {"body": {"max_tokens": "9"}}, "body.max_tokens is a whole number from 1 up, seen '9'"),
        ("scripted/echo", {"body": {"seed": 1}}, "scripted models take no body"),
        ("scripted/echo", {"base_url": "http://localhost"}, "scripted models take no base_url"),
        ("scripted/nobody", {}, "no scripted model named 'nobody'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_starts(name: str, config: dict[str, object], complaint: str):
    with pytest.raises(UsageError, match=complaint) as raised:
        provider(name, ModelConfig(**config), environ=KEYS)
    assert not any(key.strip() and key in str(raised.value) for key in KEYS.values())


def test_a_server_of_ones_own_needs_no_key_and_has_no_known_price():
    model = provider("compatible/mine", ModelConfig(base_url="http://localhost:1/v1"), environ={})
    assert (model.live, model.price) == (True, None)


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'inspect_ai'")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(UsageError, match=r"'inspect_ai'\): pip install 'rung\[inspect\]'"):
        provider("inspect/openai/gpt-5")


def test_a_local_model_is_asked_one_at_a_time_and_for_no_more_than_it_writes_by_itself(monkeypatch: pytest.MonkeyPatch):
    time, till = Time(), Till()
    backend = Scripted(lambda request, number: f"{request.max_tokens}", delay=1.0, sleep=time.sleep)
    module = SimpleNamespace(make=lambda name: backend, DEFAULT_TOKENS=256)
    monkeypatch.setattr(importlib, "import_module", lambda name: module)
    model = provider("local/smollm2", pace=time.pace())

    async def three() -> list[str]:
        request = ModelRequest((Message("user", "?"),), "agent")
        answers = await asyncio.gather(*(model.ask(request, till) for _ in range(3)))
        return [answered.reply.text for answered in answers]

    assert asyncio.run(time.passes(three())) == ["256"] * 3
    assert (till.most_open, time.now) == (1, 3.0)


def test_what_is_asked_for_at_most_is_bounded_for_every_provider():
    unbounded = ModelRequest((Message("user", "?"),), "agent")
    assert provider("scripted/echo").worst(unbounded).tokens < 10_000


def test_no_http_library_is_loaded_before_a_model_is_made():
    code = "import sys, rung.backends.models.providers; sys.exit('httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_model_reads_pictures_but_the_small_local_one_and_those_of_which_the_config_says_so():
    assert unreached("openai/gpt-5").images
    assert unreached("scripted/echo").images
    assert not unreached("openai/gpt-5", ModelConfig(images=False)).images
    assert not unreached("local/smollm2").images
    assert not unreached("local/smollm2", ModelConfig(images=True)).images


def test_a_model_that_programs_alone_reach_by_its_name_says_how_others_do():
    with pytest.raises(UsageError, match="give inspect/anthropic/claude-opus-4-5, or its name at openrouter"):
        unreached("anthropic/claude-opus-4-5")
