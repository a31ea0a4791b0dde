"""How agent programs get to their place; the registry itself is met when CI installs them."""

import json
from pathlib import Path

import pytest

from rung.backends import programs
from rung.core.errors import UsageError

PACKAGE = "@some/agent"
COMMAND = "@some/agent/cli.js"


@pytest.fixture
def place(monkeypatch, tmp_path):
    """A folder for programs, with a Node that is there already."""
    monkeypatch.setenv("RUNG_AGENTS", str(tmp_path / "agents"))
    node = tmp_path / "agents" / "node" / programs.NODE_VERSION / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text("#!/bin/sh\nexit 0\n")
    node.chmod(0o755)
    return tmp_path / "agents"


@pytest.fixture
def registry(monkeypatch):
    """Stands for npm: `fails` of its first answers are errors, then it lays out a package of the version asked for."""
    asked = []

    class Registry:
        fails = 0
        command = COMMAND

        def npm(self, binaries, passing, wanted):
            asked.append(wanted)
            if len(asked) <= self.fails:
                raise UsageError("npm ended with status 1; see above")
            name, _, version = wanted.rpartition("@")
            package = passing / "node_modules" / name
            package.mkdir(parents=True)
            (package / "package.json").write_text(json.dumps({"version": version}))
            (passing / "node_modules" / self.command).write_text("run")

    stand = Registry()
    stand.asked = asked
    monkeypatch.setattr(programs, "_npm", stand.npm)
    return stand


def install(version="1.0", **more):
    programs.install("agent", PACKAGE, version, command=COMMAND, **more)


def test_a_program_lies_in_a_folder_of_its_own_and_says_its_version(place, registry):
    assert programs.version("agent", PACKAGE) is None
    install()
    assert programs.version("agent", PACKAGE) == "1.0"
    assert (place / "agent" / "node_modules" / COMMAND).read_text() == "run"
    assert place.joinpath("agent").stat().st_mode & 0o055 == 0o055


def test_another_version_takes_the_place_of_the_one_before_and_leaves_nothing(place, registry):
    install()
    (place / "agent" / "left").touch()
    install("2.0")
    assert programs.version("agent", PACKAGE) == "2.0"
    assert sorted(path.name for path in place.iterdir()) == ["agent", "node"]
    assert not (place / "agent" / "left").exists()


def test_a_registry_that_fails_is_asked_again(place, registry, capfd):
    registry.fails = programs.TRIES - 1
    install()
    assert programs.version("agent", PACKAGE) == "1.0"
    assert registry.asked == [f"{PACKAGE}@1.0"] * programs.TRIES
    assert "trying again" in capfd.readouterr().err


def test_a_registry_that_fails_for_good_is_told_and_what_was_there_stays(place, registry):
    install()
    registry.asked.clear()
    registry.fails = programs.TRIES
    with pytest.raises(UsageError, match=r"could not install @some/agent 2.0 after 3 tries: npm ended with status 1"):
        install("2.0")
    assert programs.version("agent", PACKAGE) == "1.0"
    assert sorted(path.name for path in place.iterdir()) == ["agent", "node"]


def test_a_package_without_its_command_is_not_put_in_place(place, registry):
    registry.command = "@some/agent/other.js"
    with pytest.raises(UsageError, match="came without its command; it may not be made for this machine"):
        install()
    assert programs.version("agent", PACKAGE) is None


def test_the_one_script_that_is_run_must_end_well(place, registry):
    (place / "node" / programs.NODE_VERSION / "bin" / "node").write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(UsageError, match=r"install.cjs ended with status 3"):
        install(script="@some/agent/install.cjs")


def test_a_place_that_cannot_be_made_is_told_as_such(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RUNG_AGENTS", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="set RUNG_AGENTS to a folder of yours"):
        install()


@pytest.mark.parametrize("text", ["", "[]", '{"version": 3}', "{}"])
def test_a_package_that_does_not_say_its_version_is_not_there(place, text):
    package = programs.modules("agent") / PACKAGE
    package.mkdir(parents=True)
    (package / "package.json").write_text(text)
    assert programs.version("agent", PACKAGE) is None


def test_programs_are_kept_in_the_users_cache_unless_told_otherwise(monkeypatch):
    monkeypatch.delenv("RUNG_AGENTS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/cache")
    assert programs.folder() == Path("/some/cache/rung/agents")
    monkeypatch.setenv("RUNG_AGENTS", "/other")
    assert programs.modules("pi") == Path("/other/pi/node_modules")
