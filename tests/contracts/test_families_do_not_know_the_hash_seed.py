"""The order of sets and of dict keys made from them differs from process to process; nothing here may depend on it."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from rung.core import registry

PROGRAM = """
import json, sys
from rung.core import registry
from rung.core.canonical import canonical, sha256
from rung.testing.contracts import FamilyCase

def spelt(name):
    try:
        case = FamilyCase(registry.family(name), keys.key(name))
        told = [[t.id, t.payload, t.calls, case.family.rules(t), case.key.fingerprint(t)] for t in case.tasks]
        played = sha256(repr((case.attempted, case.muddled)))
        return sha256(canonical(told)) + played
    except Exception as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps({name: spelt(name) for name in sys.argv[1:]}))
"""


@cache
def drawn(hash_seed: str) -> dict[str, str]:
    command = [sys.executable, "-c", PROGRAM, *registry.names("families")]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("family", registry.names("families"))
def test_tasks_and_episodes_are_the_same_under_every_hash_seed(family):
    one, other = drawn("1"), drawn("2")
    assert one[family] == other[family]
