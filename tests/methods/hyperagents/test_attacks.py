"""Hostile code of an improver: each attack gets through where code is just run, and neither by a sandbox nor past the
surface; and a study says what was tried.
"""

import asyncio
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.commands import Commands
from rung.core.surface import Surface
from rung.core.values import Call
from rung.methods.hyperagents import hooks
from rung.reports import ladder
from rung.reports.markdown import markdown
from rung.testing import editing
from rung.testing.attacks import ATTACKS, KEY, Scene

from .test_climbs import measured, study

BOX = Commands(Bubblewrap(grace=0.2))
HOOKS = "method/improver/hooks.py"
SECRET = secrets.token_hex(16)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """A process that holds a key in its environment, a file that holds it too, and a port that listens."""
    heard = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def listen() -> None:
            try:
                server.accept()[0].close()
                heard.set()
            except OSError:
                pass

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        monkeypatch.setenv(KEY, SECRET)
        monkeypatch.setattr(hooks, "BOUNDS", replace(hooks.BOUNDS, seconds=3.0))
        (tmp_path / "key").write_text(SECRET)
        held = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            yield Scene(
                SECRET,
                tmp_path / "key",
                tmp_path / "written",
                server.getsockname()[1],
                held.pid,
                lambda: heard.wait(0.2),
            )
        finally:
            held.communicate(b"\n")
            with socket.create_connection(server.getsockname()):  # so that the listener ends
                listener.join()


def just_run(source: str) -> object:
    """What a function gives where a program of the instrument's simply runs it, with the instrument's environment."""
    program = f"{source}\nprint(digest({{}}), end='')"
    started = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        return started.communicate(timeout=4)[0]
    except subprocess.TimeoutExpired:
        started.kill()
        started.communicate()
        return "still running"


def got_through(name: str, scene: Scene, said: object) -> bool:
    """Whether an attack got what it wanted; by a process that it left, it may have so only later."""
    waits, seen = 10 if "leaves" in name else 1, threading.Event()
    for _ in range(waits):
        if ATTACKS[name].did(scene, said):
            return True
        seen.wait(0.1)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_each_attack_gets_through_where_code_is_just_run(name, scene):
    assert got_through(name, scene, just_run(ATTACKS[name].source(scene)))


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_gets_through_in_the_sandbox_even_past_the_surface(name, scene):
    text, why = asyncio.run(hooks.digest(BOX, ATTACKS[name].source(scene).encode(), {}))
    assert not got_through(name, scene, text)
    assert SECRET not in why
    assert ("late" in why) == (name == "loops without end"), why  # the others had their time


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if not attack.plain])
def test_an_attack_that_needs_a_module_is_refused_by_the_surface_before_anybody_runs_it(name):
    scene = Scene(SECRET, Path("/key"), Path("/written"), 1, os.getpid())
    found = Surface().unfit(HOOKS, ATTACKS[name].source(scene).encode())
    assert {each.kind for each in found} == {"import"}


def test_what_the_surface_cannot_see_is_known_by_name():
    """These only compute, as far as their imports say; the sandbox alone is in their way."""
    scene = Scene(SECRET, Path("/key"), Path("/written"), 1, os.getpid())
    passing = {name for name, attack in ATTACKS.items() if not Surface().unfit(HOOKS, attack.source(scene).encode())}
    assert passing == {name for name, attack in ATTACKS.items() if attack.plain}


# --------------------------------------------------------------------------------------------- in a study


def test_a_study_with_a_hostile_improver_goes_on_and_its_report_says_what_was_tried(scene):
    """One attack after another is written into the improver; those that only compute are run, in the sandbox."""
    sources = [ATTACKS[name].source(scene) for name in ("reaches the network", "reads a file of the host")]
    tries = [Call("write", {"path": HOOKS, "text": source}) for source in sources]
    tries.append(Call("write", {"path": "method/archive/nodes.jsonl", "text": "{}"}))
    journal = study(lambda request: editing.trying(request, tries), exam=2, lineages=1, meta_prompt="improver_named")
    arm = measured(journal)
    assert (arm.method_faults, arm.faults, arm.proposed) == (0, {}, 3)
    assert arm.refused == {"function": 3, "import": 3, "path": 3}
    assert not scene.heard()
    assert "tried 9 times what it may not do to its state (function 3, import 3, path 3)" in markdown(
        ladder.read(journal)
    )
    assert SECRET not in "".join(str(fact.value) for fact in journal.facts(kind="refined"))
