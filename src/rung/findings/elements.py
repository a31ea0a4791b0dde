"""How far an agent is from the conversation pole, by what of an apparatus there is in what it did and left.

A human engineering team has all of the six below; an agent that works inside its conversation alone has none. Each is
there or not by the rule that stands here, or the record cannot say; the placing is their number, with their names.

    files kept             a file of its own, new or revised, that is no conversation, cache, by-product of a
                           tool (bytecode, installed packages, `.git`) or state of the harness
    subagents              a deed gave work to an agent of its own
    guardrails in code     a kept code file that is no test and can refuse (`assert`, `raise`, `throw`, an exit that
                           says no), and was run or imported in the session; or a kept hook or rule of the harness
    telemetry              a kept table (JSON lines, CSV, a log) of 3 rows or more of one shape that hold a number,
                           which some deed or some code of the agent's opens to write at its end
    offline evaluation     a test runner was called, or a file of tests executed; or code that holds a task of its own
                           that was over (its handle, or a whole line that only this task showed) beside a comparison
    optimisation services  a command, a call or a name that was reached is of a service or a library that tunes prompts
                           or weights (see `OPTIMISERS`)
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from rung.core.ports import Journal
from rung.findings.artifacts import UNCLASSED, Artifact, is_code
from rung.findings.built import Element, Evidence, Piece
from rung.findings.commands import literals, sound
from rung.findings.imports import modules, taken
from rung.findings.traces import Trace

QUOTED = 200
"""Characters of a deed that are quoted."""
SHOWN = 5
"""Pieces of evidence that an element names."""
ROWS = 3
"""Rows of one shape that make a table."""
LONG_LINE = 24
"""Characters from which a line of a task can be told from others."""

CHECKS = re.compile(r"\bassert\b|\braise\b|\bthrow\b|\bsys\.exit\(|\bprocess\.exit\(|\bexit [1-9]|\breturn [1-9]\b")
COMPARES = re.compile(r"\bassert|==|!=|\bexpect\(|\bdiff\b|\bcmp\b")
TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest)\.\w+$|(^|/)tests?/|\.(test|spec)\.\w+$")
HOOK = re.compile(r"(^|/)\.(claude|codex|pi)/(.+/)?(hooks|rules)/|(^|/)\.codex/hooks\.json$")
APPENDS = re.compile(
    r"""open\([^()\n]{1,300},\s*(?:mode\s*=\s*)?['"]a|appendFile|>>|\.open\(\s*(?:mode\s*=\s*)?['"]a|\btee\s+-a"""
)
OPTIMISERS = re.compile(
    r"fine[-_ ]?tun|/v1/fine_tuning|\b(dspy|gepa|textgrad|optuna|hyperopt|trl|peft|axolotl|unsloth)\b"
    r"|(openpipe|predibase|together|replicate|runpod|lambdalabs|modal|wandb|thinkingmachines)\.(ai|com|dev|xyz)"
    r"|autotrain|\btinker\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Session:
    """A working session as the rules look at it. `over` is, for each finished task, its path, its handle, and the
    number of the deed that finished it. `ran` are the files that were executed, by their paths inside."""

    journal: Journal
    path: str
    seen: bool
    traces: Sequence[Trace]
    pieces: Sequence[Piece]
    left: Mapping[str, Artifact]
    over: Mapping[str, tuple[str, int]]
    reached: Sequence[str]
    _texts: dict[str, str] = field(default_factory=dict)

    def text(self, artifact: Artifact) -> str:
        """The text of a kept file, read once."""
        if artifact.inside not in self._texts:
            self._texts[artifact.inside] = artifact.text(self.journal)
        return self._texts[artifact.inside]

    @cached_property
    def own(self) -> Sequence[Artifact]:
        """The files of its own that it wrote or revised and that are there still."""
        mine = {each.path for each in self.pieces if each.how != "deleted" and each.kind in ("files", UNCLASSED)}
        return [each for each in self.left.values() if each.path in mine]

    @cached_property
    def code(self) -> Sequence[tuple[Artifact, str]]:
        """Its own code files with their texts."""
        return [(each, text) for each in self.own if is_code(each, text := self.text(each))]

    @cached_property
    def ran(self) -> frozenset[str]:
        """What was executed or imported, by its path inside."""
        among = modules(each.inside for each in self.own)
        run = {path for trace in self.traces if not trace.unfound for path in trace.ran}
        named = {file for path in run if path.startswith("-m ") for file in among.python_of.get(path[3:], ())}
        inside = [text for file, text in self.code if file.inside in run | named]
        given = [code for trace in self.traces if trace.deed.kind == "command" for code in trace.code]
        return frozenset({*run, *named, *taken([*given, *inside], among)})


def elements(found: Session, evaluations: Sequence[Evidence], telemetry: Sequence[Evidence]) -> tuple[Element, ...]:
    """The six elements, in the order of the rules above."""
    agents = [trace for trace in found.traces if spawned(trace)]
    return (
        _element("files kept", [Evidence(each.path, f"{each.bytes:,} bytes") for each in found.own], known=True),
        _element("subagents", [told(trace) for trace in agents], known=found.seen),
        _element("guardrails in code", list(_guardrails(found)), known=found.seen or not found.code),
        _element("telemetry", telemetry, known=found.seen or not any(_tables(found))),
        _element("offline evaluation", evaluations, known=found.seen),
        _element("optimisation services", list(_optimisers(found)), known=found.seen),
    )


def _element(name: str, evidence: Sequence[Evidence], *, known: bool) -> Element:
    return Element(name, True if evidence else False if known else None, tuple(evidence[:SHOWN]))


def spawned(trace: Trace) -> bool:
    """Whether a deed gave work to an agent, and did not only wait for one or write to it."""
    return trace.deed.kind == "subagent" and not re.search(r"(?i)wait|send|close|output|stop", trace.deed.tool)


def told(trace: Trace) -> Evidence:
    """A subagent with what it was told, in short."""
    said = trace.deed.arguments
    words = next((str(said[key]) for key in ("prompt", "message", "task", "description") if said.get(key)), "")
    return quoted(trace, words)


def quoted(trace: Trace, text: str = "") -> Evidence:
    """A deed as evidence."""
    deed = trace.deed
    said = text or deed.text or next((str(each) for each in deed.arguments.values() if isinstance(each, str)), "")
    return Evidence(deed.place, sound(f"{deed.tool}: {said}")[:QUOTED])


# --------------------------------------------------------------------------------------------- the rules


def _guardrails(found: Session) -> Iterator[Evidence]:
    for file in found.own:
        hook = HOOK.search(file.path) or (
            re.search(r"\.claude/settings[^/]*\.json$", file.path) and '"hooks"' in found.text(file)
        )
        if hook:
            yield Evidence(file.path, "a hook or rule that the harness holds to")
    for file, text in found.code:
        check = CHECKS.search(text)
        if check and file.inside in found.ran and not TEST_FILE.search(file.path):
            yield Evidence(file.path, sound(_line(text, check.start()))[:QUOTED])


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else None].strip()


def telemetry(found: Session) -> tuple[Evidence, ...]:
    """Kept tables that grew by measurements."""
    code = [text for _, text in found.code] + [each for trace in found.traces for each in trace.code]
    grown = {each.path for trace in found.traces for each in trace.wrote if each.how == "append"}
    named = {name for text in code if APPENDS.search(text) for name in re.findall(r"[\w.@+-]{1,255}", text)}
    return tuple(
        Evidence(file.path, f"{rows} rows of one shape")
        for file, rows in _tables(found)
        if file.inside in grown or file.path.rpartition("/")[2] in named
    )


def _tables(found: Session) -> Iterator[tuple[Artifact, int]]:
    for file in found.own:
        if not is_code(file, "") and (rows := _rows(found.text(file))) >= ROWS:
            yield file, rows


def _rows(text: str) -> int:
    """How many lines have the shape of the last one, where that holds a number in columns or as a JSON object."""
    lines = [line for line in text.splitlines()[-1000:] if line.strip()]
    shapes = [shape for line in lines if (shape := _shape(line)) is not None]
    return shapes.count(shapes[-1]) if shapes and len(shapes) >= len(lines) - 1 else 0


def _shape(line: str) -> str | None:
    """The keys of a JSON object, or how many columns of what kind, of a line that holds a number; else None."""
    if line.lstrip().startswith("{"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return json.dumps(sorted(map(str, value))) if re.search(r"\d", line) else None
    cells = re.split(r"[,\t;|]", line)
    numbers = [bool(re.fullmatch(r"\s*[-+]?\d[\d.eE+-]*%?\s*", cell)) for cell in cells]
    return f"{len(cells)} columns" if len(cells) > 1 and any(numbers) else None


def _optimisers(found: Session) -> Iterator[Evidence]:
    for name in found.reached:
        if OPTIMISERS.search(name):
            yield Evidence("the network record", name)
    for trace in found.traces:
        if trace.deed.kind in ("command", "web") and OPTIMISERS.search(sound(trace.deed.all)):
            yield quoted(trace)


# --------------------------------------------------------------------------------------------- offline evaluation


def evaluations(found: Session) -> tuple[Evidence, ...]:
    """Runs of tests, and of code that holds its own earlier tasks against something."""
    known = {file.inside: text for file, text in found.code}
    marks = _Marks(found)
    made: list[Evidence] = []
    for trace in found.traces:
        tested = (*trace.tested, *(path for path in trace.ran if TEST_FILE.search(path)))
        if tested and not trace.unfound:
            made.append(quoted(trace, f"{tested[0]}: {trace.deed.text}"))
            continue
        for path in trace.wrote:
            if path.how == "whole" and trace.code:
                known[path.path] = "\n".join(trace.code)
        run = [known[path] for path in trace.ran if path in known and not trace.unfound]
        inline = trace.code if trace.deed.kind == "command" and not trace.wrote else ()
        task = next((task for text in (*run, *inline) if (task := marks.within(text, trace.deed.number))), None)
        if task is not None:
            made.append(quoted(trace, f"holds {task}: {trace.deed.text}"))
    return tuple(made)


@dataclass
class _Marks:
    """What tells that code holds a task of the session: its handle, or a line that it alone showed."""

    found: Session

    def within(self, code: str, number: int) -> str | None:
        """A task that was over before this deed and that is in the code, beside a comparison."""
        if not COMPARES.search(code):
            return None
        for handle in re.findall(r"\bt-[0-9a-f]{12}\b", code):
            path, end = self._handles.get(handle, ("", 0))
            if path and end < number:
                return path
        for text in (*literals(code), *(line.strip() for line in code.splitlines())):
            path = self._lines.get(text.strip(), "")
            if path and self.found.over[path][1] < number:
                return path
        return None

    @cached_property
    def _handles(self) -> Mapping[str, tuple[str, int]]:
        return {handle: (path, end) for path, (handle, end) in self.found.over.items()}

    @cached_property
    def _lines(self) -> Mapping[str, str]:
        owners: dict[str, set[str]] = {}
        for fact in self.found.journal.facts(under=self.found.path, kind="step"):
            path = fact.path.rsplit("/step/", 1)[0]
            if path in self.found.over:
                view = self.found.journal.read_blob(cast("Mapping[str, Any]", fact.value)["view"]).decode()
                for line in view.splitlines():
                    if len(line.strip()) >= LONG_LINE:
                        owners.setdefault(line.strip(), set()).add(path)
        return {line: min(paths) for line, paths in owners.items() if len(paths) == 1}
