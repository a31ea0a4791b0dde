"""What docs/guide/models.md says of models is what the code does."""

import json
import re
import tomllib
from pathlib import Path

from rung.backends.models import gateway, scripted
from rung.backends.models.chat_completions import HOSTS, MAX_BYTES
from rung.core.config import ModelConfig

GUIDE = (Path(__file__).parents[3] / "docs/guide/models.md").read_text()


def test_every_provider_stands_in_the_guide_with_its_address_and_variable():
    told = re.findall(r"^\| `(\w+)` \| `(https://[^`]+)` \| `(\w+)` \|$", GUIDE, re.MULTILINE)
    assert told == [(name, host.base_url, host.key_env) for name, host in HOSTS.items()]


def test_the_section_in_the_guide_is_a_section_and_shows_every_key_with_its_default():
    (block,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (section,) = tomllib.loads(block)["models"].values()
    assert set(section) == set(ModelConfig.model_fields)
    shown, default = ModelConfig(**section), ModelConfig()
    for key in ("timeout_seconds", "patience_seconds", "concurrency"):
        assert getattr(shown, key) == getattr(default, key)


def test_the_numbers_in_the_guide_are_those_of_the_code():
    told = (
        f"{gateway.MESSAGE_TOKENS} a message, {gateway.TOOL_TOKENS} a tool and {gateway.TOOLS_TOKENS:,} for having "
        f"tools, {gateway.IMAGE_TOKENS:,} an image"
    )
    plain = " ".join(GUIDE.split())
    assert told in plain
    assert f"{gateway.OUTPUT_TOKENS:,} tokens are asked for" in plain
    assert f"down to {gateway.LEAST_OUTPUT_TOKENS}, before the prompt" in plain
    assert f"more than {MAX_BYTES // 2**20} MiB | {gateway.TRIES} tries, then a Fault" in plain
    assert f"1, 2, 4 ... {gateway.CAP_SECONDS:g} seconds" in plain


def test_the_script_in_the_guide_is_one(tmp_path: Path):
    (block,) = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / "replies.jsonl").write_text(block)
    assert callable(scripted.from_file(tmp_path / "replies.jsonl"))
    assert [list(json.loads(line)) for line in block.splitlines()] == [["reply"], ["when", "reply"], ["when", "call"]]


def test_every_scripted_model_stands_in_the_guide():
    assert all(f"| `scripted/{name}` |" in GUIDE for name in scripted.NAMED)
