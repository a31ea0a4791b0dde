"""What the docs say is true."""

import re
import sqlite3
from pathlib import Path

import pytest

from rung.calibrate.phantoms import Design, config
from rung.core import registry
from rung.core.config import read
from rung.protocols import launch

ROOT = Path(__file__).parents[1]


def test_every_query_in_the_journal_guide_runs(tmp_path: Path):
    directory = launch.run(config("chooser", Design(lineages=2, worked=4, lag=2, exam_tasks=3), seed=1), tmp_path / "r")
    queries = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/guide/journal.md").read_text(), re.DOTALL)
    connection = sqlite3.connect(directory.journal)
    found = [connection.execute(query).fetchall() for query in queries]
    connection.close()
    assert [bool(rows) for rows in found] == [True, False, True, False]


def test_the_demo_has_the_digest_that_the_readme_prints():
    said = re.search(r"`([0-9a-f]{64})`", (ROOT / "README.md").read_text())
    demo = read(ROOT / "examples/demo.toml")
    assert said is not None
    assert launch.simulate(demo, secret=demo.exam.secret or "").digest() == said[1]


PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_in_the_docs_leads_somewhere(page: Path):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_python_in_the_readme_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(block, scope)
    assert (tmp_path / "report.html").exists()
    example = (ROOT / "examples/notes_agent.py").read_text()
    assert all(line.split("  #")[0] in example for line in blocks[0].splitlines())


GAMES = [name for name, module in registry.names("families").items() if module.startswith("rung.tasks.games.")]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_page(game: str):
    page = (ROOT / "docs" / "games" / f"{game}.md").read_text()
    assert all(setting.name in page for setting in registry.family(game).settings())
