import json
import re
from pathlib import Path

from rung.store.run_directory import RunDirectory


def test_a_digest_is_one_line_of_hex(rung, finished):
    assert re.fullmatch(r"[0-9a-f]{64}\n", rung("digest", finished).out)


def test_a_digest_for_machines_names_its_run(rung, finished):
    told = json.loads(rung("digest", finished, "--json").out)
    assert told == {"run": "done", "digest": rung("digest", finished).out.strip()}


def test_the_digest_knows_neither_place_nor_speed(rung, finished):
    rung("run", "study.toml", "--out", "elsewhere", "--set", "engine.concurrency=4")
    assert rung("digest", "elsewhere").out == rung("digest", finished).out


def test_another_seed_has_another_digest(rung, finished):
    rung("run", "study.toml", "--out", "other", "--set", "seed=99")
    assert rung("digest", "other").out != rung("digest", finished).out


def test_stop_asks_a_running_run(rung, finished):
    directory = RunDirectory(Path(finished))
    with directory.lock():
        said = rung("stop", finished)
    assert said.out == "asked done to stop; it ends after what is in flight\n"
    assert directory.stop_requested()


def test_stop_says_when_nothing_is_running(rung, finished):
    said = rung("stop", finished)
    assert (said.exit, said.out) == (0, "done is not running; there is nothing to stop\n")
    assert not RunDirectory(Path(finished)).stop_requested()


def test_stop_of_a_run_that_it_may_not_write_asks_for_its_owner(rung, finished, monkeypatch):
    def forbidden(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(RunDirectory, "request_stop", forbidden)
    with RunDirectory(Path(finished)).lock():
        said = rung("stop", finished)
    assert (said.exit, said.err) == (
        2,
        "error: done cannot be written (Permission denied); ask its owner, or stop it from where it runs\n",
    )


def test_stop_writes_nothing_where_nothing_is_running(rung, finished):
    lock = Path(finished) / "run.lock"
    before = lock.read_bytes()
    lock.chmod(0o444)
    assert rung("stop", finished).out == "done is not running; there is nothing to stop\n"
    assert lock.read_bytes() == before


def test_stop_tells_machines_whether_a_run_was_running(rung, finished):
    assert json.loads(rung("stop", finished, "--json").out) == {"run": "done", "running": False, "asked": False}
