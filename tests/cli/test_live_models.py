"""A study over a live endpoint, from the command line: each way it can fail is named, resumable, and loses nothing."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from backends.models.loopback import Loopback, Turn, completion, error, says
from rung.backends.models.gateway import Pace

KEY = "sk-planted-0123456789"
STUDY = """
name = "live"
protocol = "ladder"
lineages = 1

[agent]
kind = "chat"
model = "compatible/tiny"

[method]
name = "static"

[models."compatible/tiny"]
base_url = "{url}"
key_env = "TINY_KEY"
patience_seconds = 0.0
timeout_seconds = 2.0

[budget]
tokens = 1_000_000

[tasks]
schedule = [{{ family = "toy-lock-v1", difficulty = 1, count = 3 }}]
holdout = [{{ family = "toy-lock-v1", difficulty = 1, count = 2 }}]
"""
RUN = ("run", "live.toml", "--out", "run")
GOOD = says(completion("7"))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_KEY", KEY)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@contextmanager
def serving(*turns: Turn) -> Iterator[Loopback]:
    """A server beside this thread."""
    server, loop = Loopback(turns), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def there(work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(timeout=30)

    there(server.__aenter__())
    try:
        yield server
    finally:
        there(server.__aexit__())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def write(url: str, **changes: str) -> None:
    text = STUDY.format(url=url)
    for old, new in changes.items():
        text = text.replace(old, new)
    Path("live.toml").write_text(text)


ATTEMPTS = 3 + 3 + 2 + 2
"""Two arms of three tasks, an exam of two tasks before and after; each asks once."""


async def hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


TROUBLES: list[tuple[str, Turn, str]] = [
    ("an endpoint that answers 500", says(error("boom"), 500), "server error"),
    ("an endpoint that hangs", hang, "timeout"),
    ("a wrong key", says(error("bad key"), 401), "TINY_KEY"),
    ("an unknown model", says(error("no such model", code="model_not_found"), 404), "tiny"),
    ("an account without money", says(error("quota", code="insufficient_quota"), 429), "quota"),
    ("another model all of a sudden", says(completion("7", model="served-2")), "now reports the id 'served-2'"),
]


@pytest.mark.parametrize(("turn", "said"), [case[1:] for case in TROUBLES], ids=[case[0] for case in TROUBLES])
def test_what_nobody_can_answer_stops_the_run_which_then_goes_on(rung, turn: Turn, said: str):
    with serving(GOOD, GOOD, GOOD, turn) as server:
        write(server.url)
        stopped = rung(*RUN)
        assert stopped.exit == 5
        assert said in stopped.err
        assert stopped.last == "rung run live.toml --out run"
        assert KEY not in stopped.err
    with serving(GOOD) as server:
        write(server.url)
        done = rung(*RUN, "--json")
        assert len(server.seen) == ATTEMPTS - 3  # three had been answered, and are not asked again
    assert done.exit == 0
    told = json.loads(done.out)
    assert (told["attempts"], told["faults"], told["incomplete"]) == (ATTEMPTS, 0, [])


@pytest.mark.parametrize(
    ("turn", "where"),
    [(says(b"{no json"), "no usable reply in 3 tries"), (says(completion("")), "3 replies of no text and no call")],
    ids=["garbage", "empty replies"],
)
def test_an_answer_of_no_use_is_a_fault_of_its_attempt_and_the_run_goes_on(rung, monkeypatch, turn: Turn, where: str):
    async def at_once(seconds: float) -> None:
        """Back off in no time."""

    monkeypatch.setattr("rung.protocols.providers.REAL", Pace(sleep=at_once))
    with serving(turn, turn, turn, GOOD) as server:
        write(server.url, **{"patience_seconds = 0.0": "patience_seconds = 60.0"})
        done = rung(*RUN, "--json")
    assert done.exit == 0
    assert json.loads(done.out)["faults"] == 1
    assert where in rung("report", "run", "--json").out


def test_a_context_that_overflows_is_a_score(rung):
    too_long = says(error("This model's maximum context length is 10 tokens", code="context_length_exceeded"), 400)
    with serving(too_long) as server:
        write(server.url)
        done = rung(*RUN, "--json")
    assert done.exit == 0
    assert json.loads(done.out)["faults"] == 0


def test_without_a_key_nothing_is_begun(rung, monkeypatch):
    monkeypatch.delenv("TINY_KEY")
    write("http://127.0.0.1:9/v1")
    done = rung(*RUN)
    assert done.exit == 2
    assert "TINY_KEY" in done.err
    assert not Path("run").exists()


def test_without_a_budget_nothing_is_begun(rung):
    write("http://127.0.0.1:9/v1", **{"tokens = 1_000_000": "calls = 5"})
    done = rung(*RUN)
    assert done.exit == 2
    assert "give [budget] usd" in done.err
    assert not Path("run").exists()


def test_a_budget_that_is_spent_has_an_exit_of_its_own_and_more_goes_on(rung):
    dear = says(completion("7", usage={"prompt_tokens": 900, "completion_tokens": 100}))
    with serving(dear) as server:
        write(server.url, **{"tokens = 1_000_000": "tokens = 5_000"})
        spent = rung(*RUN)
        assert spent.exit == 4
        assert "of [budget] tokens = 5,000 is spent" in spent.err
        assert 0 < len(server.seen) < ATTEMPTS
        write(server.url)
        assert rung(*RUN).exit == 0
        assert len(server.seen) == ATTEMPTS


def test_a_budget_smaller_than_one_call_says_that(rung):
    with serving(GOOD) as server:
        write(server.url, **{"tokens = 1_000_000": "tokens = 10"})
        spent = rung(*RUN)
    assert spent.exit == 4
    assert "the budget is smaller than one call; lower max_tokens, or raise it" in spent.err
    assert not server.seen


def test_no_key_is_in_anything_that_a_run_leaves(rung):
    with serving(GOOD) as server:
        write(server.url)
        assert rung(*RUN).exit == 0
    kept = [file for file in Path("run").rglob("*") if file.is_file()]
    assert len(kept) > 5
    assert not [file for file in kept if KEY.encode() in file.read_bytes()]
