import json
import subprocess
import sys

import click
import pytest

from rung.cli import COMMANDS, cli
from rung.cli.tasks import COMMANDS as TASKS

HEAVY = ("pydantic", "numpy", "scipy", "dulwich", "rich", "jinja2", "sqlite3", "asyncio")


def every_command():
    names = [(name,) for name in COMMANDS if name != "tasks"]
    return [*names, *(("tasks", name) for name in TASKS)]


def command_of(names):
    context, found = click.Context(cli), cli
    for name in names:
        found = found.get_command(context, name)
    return found


HELP = """
import json, sys
import rung.cli
try:
    rung.cli.main(["--help"])
except SystemExit:
    print(json.dumps(list(sys.modules)))
"""


def test_help_imports_nothing_heavy():
    said = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True).stdout
    loaded = {name.split(".")[0] for name in json.loads(said.splitlines()[-1])}
    assert loaded.isdisjoint(HEAVY)


def test_help_names_every_command(rung):
    said = rung("--help")
    assert said.exit == 0
    assert [line.split()[0] for line in said.out.split("Commands:")[1].split("Options:")[0].split("\n") if line] == [
        *COMMANDS
    ]


def test_without_a_command_the_help_is_printed(rung):
    assert rung() == rung("--help")
    assert rung("tasks") == rung("tasks", "--help")


@pytest.mark.parametrize("names", every_command(), ids=" ".join)
def test_the_line_of_help_in_the_group_is_the_commands_own(names):
    lines = TASKS if len(names) > 1 else COMMANDS
    assert command_of(names).help.split("\n")[0] == lines[names[-1]]


@pytest.mark.parametrize("names", every_command(), ids=" ".join)
def test_every_command_speaks_json(names):
    assert "--json" in [option for parameter in command_of(names).params for option in parameter.opts]


@pytest.mark.parametrize("names", every_command(), ids=" ".join)
def test_every_option_and_argument_is_explained(names):
    for parameter in command_of(names).params:
        if isinstance(parameter, click.Option):
            assert parameter.help


def test_a_typo_in_a_command_suggests_the_nearest(rung):
    assert rung("reprot").err == "error: no command named 'reprot'; did you mean 'report'?\n       see rung --help\n"
    assert "did you mean 'list'?" in rung("tasks", "lst").err
    assert "there are: init, run, plan" in rung("zzzzzz").err
    assert rung("reprot").exit == 2


def test_a_typo_in_an_option_says_where_the_help_is(rung):
    said = rung("run", "--acept-upgrade", "x.toml")
    assert (said.exit, said.out) == (2, "")
    assert "--acept-upgrade" in said.err
    assert said.last.strip() == "see rung run --help"


def test_the_version_is_told(rung):
    from rung import __version__

    assert rung("--version").out == f"rung {__version__}\n"


def test_a_failure_is_json_too_when_json_is_asked_for(rung):
    said = rung("digest", "nowhere", "--json")
    assert (said.exit, said.err) == (2, "")
    assert json.loads(said.out) == {
        "error": "nowhere cannot be read (No such file or directory); give the folder of a run",
        "kind": "usage",
        "exit": 2,
        "resume": None,
    }
