import csv
import io
import json
from pathlib import Path

from rung.cli._progress import Progress
from rung.store.run_directory import RunDirectory


def test_a_report_writes_its_page_and_prints_summary_and_path(rung, finished):
    Path("done/report.html").unlink()
    said = rung("report", finished)
    assert (said.exit, said.err) == (0, "")
    assert said.out.startswith("Small study\n")
    assert said.out.endswith("report: done/report.html\n")
    assert "Small study" in Path("done/report.html").read_text()


def test_the_page_can_lie_elsewhere(rung, finished):
    Path("done/report.html").unlink()
    assert rung("report", finished, "--html", "mine.html").out.endswith("report: mine.html\n")
    assert Path("mine.html").exists()
    assert not Path("done/report.html").exists()


def test_a_report_for_machines_is_the_whole_report_and_writes_nothing(rung, finished):
    Path("done/report.html").unlink()
    report = json.loads(rung("report", finished, "--json").out)
    assert report["name"] == "Small study"
    assert [rung_["level"] for rung_ in report["arms"][0]["rungs"]] == ["G0", "G1", "G4"]
    assert report["provenance"]["packages"]["rung"]
    assert not Path("done/report.html").exists()


def test_a_report_as_csv_has_a_row_for_each_comparison(rung, finished):
    rows = list(csv.DictReader(io.StringIO(rung("report", finished, "--csv").out)))
    assert [row["level"] for row in rows] == ["G0", "G1", "G4"]


def test_a_report_as_markdown_begins_with_its_name(rung, finished):
    assert rung("report", finished, "--markdown").out.startswith("# Small study\n")


def test_an_unfinished_run_has_a_report_that_names_what_is_missing(rung, study, monkeypatch):
    half_done(rung, monkeypatch)
    report = json.loads(rung("report", "half", "--json").out)
    assert any("tasks worked" in line for line in report["incomplete"])
    assert rung("report", "half").exit == 0


def test_a_running_run_has_a_report(rung, finished):
    with RunDirectory(Path(finished)).lock():
        assert rung("report", finished).exit == 0


def test_a_run_that_was_only_planned_says_so(rung, study, monkeypatch):
    async def nothing(*arguments):
        pass

    monkeypatch.setattr("rung.protocols.launch._conduct", nothing)
    said = rung("run", "study.toml", "--out", "planned")
    assert "this run has not begun its first attempt" in said.err


def test_without_a_display_the_path_is_printed_instead_of_opened(rung, finished, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    said = rung("report", finished, "--open")
    assert said.out.endswith("report: done/report.html\n")
    assert said.err == "no browser could be opened here; open the path above\n"


def test_with_a_display_the_page_is_opened(rung, finished, monkeypatch):
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    said = rung("report", finished, "--open")
    assert opened == [Path("done/report.html").resolve().as_uri()]
    assert said.err == ""


def test_reading_a_run_leaves_its_record_as_it_was(rung, finished):
    before = Path("done/journal.sqlite").read_bytes()
    rung("report", finished)
    rung("digest", finished)
    assert Path("done/journal.sqlite").read_bytes() == before


def half_done(rung, monkeypatch):
    """Stop a run after a few attempts, as `rung stop` would."""
    seen = Progress.watch

    def watch(self, path, outcome):
        seen(self, path, outcome)
        if self.meter.done == 5:
            RunDirectory(Path("half")).request_stop()

    with monkeypatch.context() as patched:
        patched.setattr(Progress, "watch", watch)
        said = rung("run", "study.toml", "--out", "half")
    assert said.exit == 130
    assert said.last == "rung run study.toml --out half"


def test_a_stopped_run_resumes_to_the_digest_of_an_uninterrupted_one(rung, study, monkeypatch):
    half_done(rung, monkeypatch)
    rung("run", "study.toml", "--out", "half")
    rung("run", "study.toml", "--out", "whole")
    assert rung("digest", "half").out == rung("digest", "whole").out


def test_a_quiet_report_prints_the_path_alone(rung, finished):
    assert rung("report", finished, "--quiet").out == "report: done/report.html\n"
