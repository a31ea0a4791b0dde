"""A run goes on under the code it was begun with, or says that it does not."""

from pathlib import Path

import pytest

from rung.core import registry
from rung.core.config import parse
from rung.core.errors import UsageError
from rung.protocols import launch, wiring
from rung.protocols.launch import Wishes
from rung.store.journal import SqliteJournal

from . import small_study

PLUGINS = ["agents phantom", "families toy-lock-v1", "families toy-road-v1", "methods phantom"]


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A run that is over; a resume looks at its code all the same."""
    launch.run(small_study.config(), tmp_path / "run")
    return tmp_path / "run"


def notes(folder: Path) -> list[dict[str, str]]:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return [note.value for note in journal.observations(under="run", name="code")]
    finally:
        journal.close()


def upgrades(folder: Path) -> list[object]:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return [fact.value for fact in journal.facts(under="run", kind="upgrade")]
    finally:
        journal.close()


def edit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *names: str) -> None:
    """These installed plug-ins have other files from now on."""
    other = tmp_path / "edited.py"
    other.write_text("# edited")
    real = registry.sources
    monkeypatch.setattr(registry, "sources", lambda group, name: [other] if name in names else real(group, name))


def test_a_run_notes_the_code_of_every_plug_in_by_name(begun: Path):
    assert list(notes(begun)[0]) == PLUGINS
    assert all(len(value) == 64 for value in notes(begun)[0].values())


def test_the_same_code_goes_on_without_a_word(begun: Path):
    launch.run(small_study.config(), begun)
    assert upgrades(begun) == []
    assert notes(begun)[0] == notes(begun)[1]


@pytest.mark.parametrize("name", ["toy-road-v1", "phantom"])
def test_an_edited_plug_in_is_named_and_refused(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    edit(monkeypatch, tmp_path, name)
    with pytest.raises(UsageError, match=f"the code of .*{name}.* is another than when this run was last worked"):
        launch.run(small_study.config(), begun)
    assert upgrades(begun) == []


def test_it_goes_on_when_that_is_accepted_and_the_record_says_so(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    edit(monkeypatch, tmp_path, "toy-road-v1")
    launch.run(small_study.config(), begun, Wishes(accept_upgrade=True))
    before, after = (note["families toy-road-v1"] for note in notes(begun))
    assert before != after
    assert upgrades(begun) == [{"code": "families toy-road-v1", "from": before, "to": after}]
    launch.run(small_study.config(), begun)
    assert len(upgrades(begun)) == 1


def test_the_code_is_in_no_digest(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    edit(monkeypatch, tmp_path, "toy-road-v1")
    launch.run(small_study.config(), tmp_path / "other")
    assert digest(tmp_path / "other") == digest(begun)


def digest(folder: Path) -> str:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return journal.digest()
    finally:
        journal.close()


# --------------------------------------------------------------------------------------------- games in folders

PEAK = {"family": "./peak_v1", "difficulty": 1}
EXAMPLES = Path(__file__).parents[2] / "examples"


def with_peak(**more: object) -> dict[str, object]:
    tasks = {"schedule": [{**PEAK, "count": 2}], "holdout": [{**PEAK, "count": 2}]}
    return {**small_study.DOCUMENT, "tasks": tasks, **more}


def test_memory_and_disk_agree_on_a_game_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(EXAMPLES)
    launch.run(parse(with_peak()), tmp_path / "run")
    assert launch.simulate(parse(with_peak()), secret=small_study.SECRET).digest() == digest(tmp_path / "run")


def test_a_comparison_may_name_a_folder_too():
    compare = [{"level": "G1", "sources": [PEAK], "target": PEAK}]
    known = wiring.with_folders(parse(with_peak(compare=compare)), base=EXAMPLES)
    assert {cell.family for cell in (*known.tasks.schedule, *known.tasks.holdout)} == {"peak-v1"}
    assert (known.compare[0].target.family, known.compare[0].sources[0].family) == ("peak-v1", "peak-v1")


def test_a_config_without_folders_is_left_as_it_is():
    config = small_study.config()
    assert wiring.with_folders(config) is config


def test_a_folder_and_its_id_are_one_game_to_the_holdout():
    twice = {
        "schedule": [{**PEAK, "count": 2}],
        "holdout": [{**PEAK, "count": 2}, {**PEAK, "family": "./x/../peak_v1", "count": 2}],
    }
    with pytest.raises(UsageError, match="holdout names 'peak-v1 d1' twice"):
        wiring.with_folders(parse(with_peak(tasks=twice)), base=EXAMPLES)
