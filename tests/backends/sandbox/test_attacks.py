"""Each attack is kept out by bubblewrap, whoever runs it, and succeeds where a program is just started."""

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from backends.sandbox import attacks, users

KEPT_BY_UNSAFE = {name for name, attack in attacks.ATTACKS.items() if attack.unsafe_keeps}
FOR_ROOT = {name for name, attack in attacks.ATTACKS.items() if attack.for_root}


@cache
def carried_out(runner: str, who: str) -> dict[str, Any]:
    """What every attack saw on a runner. The instrument it attacks is a process of its own, with a key."""
    own = [sys.executable, "-m", "backends.sandbox.attacks", runner, attacks.PHASE]
    command = own if who == "whoever runs the tests" else users.command(*own[2:])
    env = users.environment() | {"RUNG_TEST_KEY": attacks.SECRET}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("who", ["whoever runs the tests", "nobody"])
@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_bubblewrap_keeps_it_out(name: str, who: str):
    said = carried_out("bubblewrap", who)[name]
    assert attacks.ATTACKS[name].kept_out(said), said


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_it_succeeds_where_a_program_is_just_started(name: str):
    if name in FOR_ROOT and os.geteuid() != 0:
        return
    said = carried_out("naive", "whoever runs the tests")[name]
    assert not attacks.ATTACKS[name].kept_out(said), said


@pytest.mark.parametrize("name", sorted(attacks.ATTACKS.keys() - KEPT_BY_UNSAFE))
def test_it_succeeds_under_unsafe_and_so_the_stamp_is_true(name: str):
    if name in FOR_ROOT and os.geteuid() != 0:
        return
    said = carried_out("unsafe", "whoever runs the tests")[name]
    assert not attacks.ATTACKS[name].kept_out(said), said


@pytest.mark.parametrize("name", sorted(KEPT_BY_UNSAFE))
def test_even_unsafe_hands_on_nothing_that_was_not_given(name: str):
    assert attacks.ATTACKS[name].kept_out(carried_out("unsafe", "whoever runs the tests")[name])
