"""Rules for every test: no network, and in CI a skip is a failure unless it is on the committed list."""

import gc
import hashlib
import os
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from rung.core import registry

hypothesis.settings.register_profile("steady", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("steady")  # the same examples every time, and no clock that a busy machine can miss

ALLOWED_SKIPS = Path(__file__).parent / "allowed_skips.txt"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden transcripts are written anew by `pytest tests/golden --update-golden`, dated tables by `make slow`."""
    parser.addoption("--update-golden", action="store_true", help="write the golden transcripts anew; then read them")
    parser.addoption("--write-tables", action="store_true", help="write the dated tables of slow tests into docs/")
    parser.addoption(
        "--share", type=float, default=1.0, help="share of slow tests, or of their repetitions, that is done"
    )


def pytest_configure() -> None:
    """A shell has what it starts in the background ignore Ctrl-C, and who is started by that ignores it too. Tests of
    Ctrl-C would wait for ever."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def repetitions(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many of so many repetitions a slow test does here. Each run draws its own, so that a share rotates."""
    share = float(request.config.getoption("--share"))
    return lambda full: max(1, round(full * share))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of slow tests that cannot be done in part, a run that does a share draws as many: those of a file in `tests/slow`
    together, for what they ask may be made once. All workers of a run draw alike."""
    share = float(config.getoption("--share"))
    run = getattr(config, "workerinput", {}).get("testrunuid") or secrets.token_hex(8)

    def drawn(item: pytest.Item) -> bool:
        if share >= 1.0 or item.get_closest_marker("slow") is None or "repetitions" in item.fixturenames:  # type: ignore[attr-defined]
            return True
        file = item.nodeid.partition("::")[0]
        what = file if file.startswith("tests/slow/") else item.nodeid
        return int(hashlib.sha256(f"{run} {what}".encode()).hexdigest()[:8], 16) < share * 2**32

    kept = [item for item in items if drawn(item)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def pytest_collection_finish() -> None:
    """What 13,000 tests consist of is garbage in none of them, and looking through it takes half a second each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test reaches nothing but this machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        local = not isinstance(address, tuple) or address[0] in ("127.0.0.1", "::1", "localhost")
        assert local, f"a test tried to reach {address}"
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(autouse=True)
def no_families_left() -> Iterator[None]:
    """What a test makes known, in a folder or a file, no later test knows of."""
    known = [(kept, dict(kept)) for kept in (registry._FOLDERS, registry._GIVEN)]
    yield
    for kept, before in known:
        if kept.keys() != before.keys():
            kept.clear()
            kept.update(before)
            registry.family.cache_clear()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI, fail when a test was skipped that is not on the list."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("CI") or reporter is None:
        return
    allowed = {line.split("#")[0].strip() for line in ALLOWED_SKIPS.read_text().splitlines()} - {""}
    stray = [report.nodeid for report in reporter.stats.get("skipped", []) if report.nodeid not in allowed]
    if stray:
        reporter.write_line(f"skipped in CI, and not in {ALLOWED_SKIPS.name}: {', '.join(stray)}", red=True)
        session.exitstatus = 1
