"""Every game is shown as an agent meets it: one task of each published setting, worked by the solver and the naive
policy. The files are documentation and test in one; `pytest tests/golden --update-golden` writes them anew.
"""

import asyncio
from pathlib import Path

import pytest

from rung.core import registry
from rung.testing.transcripts import transcript

HERE = Path(__file__).parent
GAMES = [name for name, module in registry.names("families").items() if module.startswith("rung.tasks.games.")]
PUBLISHED = [(name, setting.name) for name in GAMES for setting in registry.family(name).settings()]


@pytest.mark.parametrize(("game", "setting"), PUBLISHED)
def test_a_game_looks_and_plays_as_its_transcript_says(game, setting, request):
    path = HERE / game / f"{setting}.txt"
    seen = asyncio.run(transcript(game, setting, written_by="pytest tests/golden --update-golden"))
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(seen, encoding="utf-8")
    assert path.is_file(), (
        f"no golden transcript of {game} {setting}; run pytest tests/golden --update-golden, and read it"
    )
    assert seen == path.read_text(encoding="utf-8")


def test_every_transcript_is_of_a_published_setting():
    files = {(path.parent.name, path.stem) for path in HERE.glob("*/*.txt")}
    assert files == set(PUBLISHED)
