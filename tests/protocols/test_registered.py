"""A registered plan is taken as it was hashed, for the study it is of, and before the first attempt, or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from rung.core.canonical import canonical, fingerprint
from rung.core.errors import UsageError
from rung.protocols import launch, registered
from rung.protocols.registered import Registered
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal

from .small_study import SECRET, config


def plan_of(**more: Any) -> Registered:
    return Registered({"name": "small", "config": registered.identity(config(), {}), "lineages": 2, **more})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / registered.NAME
    place.write_text(registered.spell(plan_of()))
    return place


def test_a_plan_is_read_as_it_was_written(file):
    found = registered.read(file)
    assert found == plan_of()
    document = json.loads(file.read_text())
    assert document["sha256"] == found.sha256 == fingerprint(document["plan"])
    assert file.read_text() == canonical(document) + "\n"


def test_one_that_was_edited_is_refused_with_both_hashes(file):
    file.write_text(file.read_text().replace('"lineages":2', '"lineages":3'))
    with pytest.raises(UsageError, match=r"was edited after it was registered: .* put it back as it was, or register"):
        registered.read(file)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"plan": 3, "sha256": "x"}', '{"plan": {}, "sha256": "x"}', "\ud800"]
)
def test_what_is_no_plan_is_refused(file, text):
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match="is no registered plan"):
        registered.read(file)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"--plan .*nowhere.json cannot be read .* `rung plan CONFIG --register`"):
        registered.read(tmp_path / "nowhere.json")


def test_one_for_another_config_is_refused():
    other = config().model_copy(update={"lineages": 3})
    with pytest.raises(UsageError, match=r"--plan is for another config: it registers .* \('small'\)"):
        registered.refuse_another(plan_of(), other, {})
    with pytest.raises(UsageError, match="another config"):
        registered.refuse_another(plan_of(), config(), {"mine.py": "another hash"})


def test_engine_and_secret_are_no_part_of_it():
    registered.refuse_another(plan_of(), config(concurrency=7), {})


# --------------------------------------------------------------------------------------------- as a fact


def test_it_is_a_fact_of_the_plan_and_the_only_one_that_is_added():
    plain = launch.simulate(config(), secret=SECRET)
    held = launch.simulate(config(), secret=SECRET, promised=plan_of())
    added = [fact for fact in held.facts() if fact not in list(plain.facts())]
    assert [(fact.path, fact.kind) for fact in added] == [("plan", "registered")]
    assert added[0].value == {"sha256": plan_of().sha256, "plan": plan_of().content}
    assert registered.of(held) == plan_of()
    assert registered.of(plain) is None


def test_a_simulation_refuses_a_plan_for_another_study():
    with pytest.raises(UsageError, match="another config"):
        launch.simulate(config(), secret=SECRET, promised=plan_of(config="x"))


def test_none_can_be_put_to_a_run_that_has_begun():
    journal = launch.simulate(config(), secret=SECRET)
    with pytest.raises(UsageError, match="begun without a registered plan, so none can be made beforehand"):
        registered.put(plan_of(), journal)


def test_the_same_again_is_nothing_and_another_is_refused():
    journal = MemoryJournal()
    registered.put(plan_of(), journal)
    registered.put(plan_of(), journal)
    with pytest.raises(UsageError, match=r"was begun with the registered plan .* give that one, or none"):
        registered.put(plan_of(margins={"G1": 0.1}), journal)


def test_on_disk_it_is_there_before_the_first_attempt_and_stays_when_the_run_is_resumed(tmp_path, file):
    seen: list[object] = []

    def look(path: str, outcome: object) -> None:
        journal = SqliteJournal(tmp_path / "run" / "journal.sqlite", read_only=True)
        seen.append(journal.get("plan", "registered"))
        journal.close()

    launch.run(config(), tmp_path / "run", launch.Wishes(plan=file, watch=look))
    assert seen[0] == {"sha256": plan_of().sha256, "plan": plan_of().content}
    again = launch.run(config(), tmp_path / "run")
    journal = SqliteJournal(again.journal, read_only=True)
    assert registered.of(journal) == plan_of()
    journal.close()


def test_a_replay_takes_it_over_and_has_the_same_digest(tmp_path, file):
    first = launch.run(config(), tmp_path / "first", launch.Wishes(plan=file))
    second = launch.run(config(), tmp_path / "second", launch.Wishes(replay=tmp_path / "first"))
    digests = []
    for directory in (first, second):
        journal = SqliteJournal(directory.journal, read_only=True)
        digests.append(journal.digest())
        journal.close()
    assert digests[0] == digests[1]


def test_a_refused_plan_leaves_nothing_behind(tmp_path, file):
    with pytest.raises(UsageError, match="another config"):
        launch.run(config().model_copy(update={"seed": 4}), tmp_path / "run", launch.Wishes(plan=file))
    assert not (tmp_path / "run").exists()
