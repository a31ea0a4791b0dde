"""Which inherited files a session used, and how, by what its gateway heard.

    loaded     the harness put it before the model by itself: a line of it, or its whole path, stands in the system text
               or in a turn that is no result, is new against the conversation that was forked, and was not said by the
               agent
    read       a read, a search or a command names its path, or a result holds lines of it that are nowhere else
    run        a command executes it, or a call of the harness names its skill, its command or its agent
    imported   code that the agent gave to an interpreter, wrote or ran imports it, or a shell takes it in; with the
               functions of it that the code calls

So that nothing else is taken for it: a path counts as a whole, resolved from the folder that the command ran in, and
never as the beginning of another. A bare name counts only where code or a variable hides its folder, if one inherited
file alone is so called and the name is not a common one. A line counts if it has 16 signs or more, stands in one
inherited file only, and in no text of the instrument's (the instruction, the tasks); a result needs two of them, where
the file has so many. What the session has overwritten or removed is no longer inherited. A deed that failed read
nothing but what its result shows. What the agent's own programs open by themselves is not seen.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from posixpath import basename, dirname
from typing import Any, Literal, TypeAlias

from rung.agents.command.facts import HOME, WORK
from rung.core.ports import Journal
from rung.findings.artifacts import Artifact, names_in
from rung.findings.built import Evidence
from rung.findings.commands import resolve, sound
from rung.findings.deeds import Asked, Deed
from rung.findings.imports import Modules, modules, taken
from rung.findings.traces import Trace

Manner: TypeAlias = Literal["loaded", "read", "run", "imported"]
MANNERS: tuple[Manner, ...] = ("loaded", "read", "run", "imported")

LINE = 16
"""Signs from which a line can be told from others."""
MOST_LINES = 2000
"""Lines of a file by which it is known."""
COMMON = frozenset(
    {
        *("readme.md", "notes.md", "notes.txt", "todo.md", "index.md", "memory.md", "skill.md", "license", "makefile"),
        *("main.py", "utils.py", "util.py", "helpers.py", "test.py", "setup.py", "config.py", "__init__.py", "app.py"),
        *("config.json", "data.json", "package.json", "settings.json", "index.js", "main.js", "requirements.txt"),
        *("run.sh", "test.sh", "setup.sh", "output.txt", "results.json", "log.txt", "data.csv", "pyproject.toml"),
    }
)
"""Names of files that say nothing of which file is meant."""
QUOTED = 200

_NUMBERED = re.compile(r"^\s*\d+\s*[\t→:|-]\s?")
_FOUND = re.compile(r"^([^\s:]{1,300}):(?:\d+[:-])?\s?")
_HEAD = re.compile(r"^(?:description|summary)\s*:\s*(.+)$")
_CALLED = re.compile(r"(?<![\w$])([\w$]{1,200})\s{0,20}\(")
_PATH = re.compile(r"[\w./~+@%=-]{4,300}")


@dataclass(frozen=True, slots=True)
class Use:
    """One way in which a session used one inherited file: how often, with the first of it. `names` are the functions
    of it that were called."""

    artifact: str
    manner: Manner
    times: int
    first: Evidence
    names: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------- what is inherited


@dataclass(frozen=True)
class Known:
    """The inherited files, ready to be recognised. `lines` leads from a line to the one file that holds it."""

    files: Mapping[str, Artifact]
    lines: Mapping[str, str]
    many: Mapping[str, int]  # lines by which a file is known
    by_name: Mapping[str, str]
    folders: Mapping[str, Sequence[str]]
    modules: Modules
    defines: Mapping[str, frozenset[str]]
    called: Mapping[str, str]  # skills, commands and agents of the harness, by name
    said: frozenset[str]  # whatever was said in the working session


def known(journal: Journal, files: Mapping[str, Artifact], *, ours: Iterable[str], said: Iterable[str] = ()) -> Known:
    """The inherited files with what tells them apart; `ours` are texts of the instrument's and of A_0's files."""
    texts = {inside: file.text(journal) for inside, file in files.items()}
    holders: dict[str, set[str]] = defaultdict(set)
    for inside, text in texts.items():
        for line in _lines(text):
            holders[line].add(inside)
    mine = {line for text in ours for line in _lines(text)}
    lines = {line: min(who) for line, who in holders.items() if len(who) == 1 and line not in mine}
    many: dict[str, int] = defaultdict(int)
    for inside in lines.values():
        many[inside] += 1
    names: dict[str, list[str]] = defaultdict(list)
    folders: dict[str, list[str]] = defaultdict(list)
    for inside in files:
        names[basename(inside)].append(inside)
        folders[dirname(inside)].append(inside)
    return Known(
        files=files,
        lines=lines,
        many=many,
        by_name={name: who[0] for name, who in names.items() if len(who) == 1 and name.lower() not in COMMON},
        folders=folders,
        modules=modules(files),
        defines={inside: names_in(file, texts[inside]) for inside, file in files.items()},
        called=dict(_called(files)),
        said=frozenset(said),
    )


def _lines(text: str) -> Iterator[str]:
    """The lines of a text that can be told from others, and the words of a head such as `description: ...`."""
    for line in text.splitlines()[:MOST_LINES]:
        bare = line.strip()
        if len(bare) >= LINE:
            yield bare
            head = _HEAD.match(bare)
            if head and len(head[1]) >= LINE:
                yield head[1].strip("\"' ")


def _called(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    for inside in files:
        skill = re.search(r"/skills/(?:.+/)?([^/]+)/SKILL\.md$", inside)
        other = re.search(r"/\.(?:claude|codex|pi)/(?:.+/)?(?:agents|commands|prompts)/([^/]+)\.(?:md|toml)$", inside)
        if skill or other:
            yield (skill or other)[1], inside  # type: ignore[index]


# --------------------------------------------------------------------------------------------- one session


@dataclass
class Reader:
    """Reads one session for uses of what it inherited."""

    known: Known
    found: dict[tuple[str, Manner], Use] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    ours: set[str] = field(default_factory=set)
    shared: Counter[str] = field(default_factory=Counter)
    now: int = 0
    last: dict[tuple[str, Manner], int] = field(default_factory=dict)

    def note(self, inside: str, manner: Manner, first: Evidence, names: Iterable[str] = ()) -> None:
        """Note a use of a file, once a deed, unless it is one of the session's own by now."""
        if inside not in self.known.files or inside in self.over:
            return
        key = (inside, manner)
        old, again = self.found.get(key), self.last.get(key) == self.now
        called = tuple(dict.fromkeys([*(old.names if old else ()), *names]))
        times = (old.times if old else 0) + (not again)
        self.found[key] = Use(self.known.files[inside].path, manner, times, old.first if old else first, called)
        self.last[key] = self.now

    # ----------------------------------------------------------------------------------------- loaded

    def load(self, requests: Iterable[Asked], deeds: Sequence[Deed], instructions: Sequence[str]) -> None:
        """What the harness put before the model by itself."""
        told = {text for deed in deeds for text in strings(deed.arguments)}
        seen: set[str] = set()
        for self.now, each in enumerate(requests):
            for text in dict.fromkeys(spoken(each)):
                if text not in seen and text not in self.known.said and text not in told:
                    seen.add(text)
                    self._loaded(_without(text, instructions), each.place)

    def _loaded(self, text: str, place: str) -> None:
        here: dict[str, str] = {}
        for line in text.splitlines():
            for inside, words in self._in_line(line):
                here.setdefault(inside, words)
            for word in _PATH.findall(line):
                path = resolve(word.rstrip("."))
                if word.startswith(("/", "~")) and path in self.known.files:
                    here.setdefault(path, line.strip())
        for inside, words in here.items():
            self.note(inside, "loaded", Evidence(place, sound(words)[:QUOTED]))

    def _in_line(self, line: str) -> Iterator[tuple[str, str]]:
        bare = line.strip()
        for form in {bare, _NUMBERED.sub("", line).strip(), _FOUND.sub("", bare), bare.lstrip("-*#> "), *_ends(bare)}:
            inside = self.known.lines.get(form)
            if inside is not None and form not in self.ours:
                yield inside, form

    # ----------------------------------------------------------------------------------------- deeds

    def read(self, trace: Trace) -> None:
        """What one deed used, and what it made its own."""
        deed, self.now = trace.deed, trace.deed.number
        at = Evidence(deed.place, sound(f"{deed.tool}: {deed.text}")[:QUOTED])
        if deed.kind == "task":
            self._told(deed.result)
            return
        self._call(trace, at)
        if not trace.unfound:
            self._execute(trace, at)
        if not deed.failed:
            named = (path for word in trace.named for path in self._spread(word))
            for inside in dict.fromkeys([*named, *self._hidden(trace)]):
                if inside not in trace.ran:
                    self.note(inside, "read", at)
        if deed.kind in ("read", "search", "command", "other"):
            self._result(trace)
        for each in trace.wrote:
            if each.how in ("whole", "copy", "gone") and not deed.failed:
                self.over.add(each.path)

    def _told(self, text: str) -> None:
        """A text of the instrument's: by its lines no file is known any more."""
        for line in {line.strip() for line in text.splitlines()} - self.ours:
            self.ours.add(line)
            if line in self.known.lines:
                self.shared[self.known.lines[line]] += 1

    def _spread(self, path: str) -> Sequence[str]:
        """The inherited files that a pattern such as `notes/*.md` stands for; else the path itself."""
        folder, name = dirname(path), basename(path)
        if not re.search(r"[*?\[]", name):
            return (path,)
        return [each for each in self.known.folders.get(folder, ()) if fnmatchcase(basename(each), name)]

    def _hidden(self, trace: Trace) -> Iterator[str]:
        """Files whose folder a variable or code hides."""
        for word in trace.loose:
            inside = self.known.by_name.get(basename(word))
            if inside is not None and not word.startswith(("/", "~", ".")):
                yield inside

    def _call(self, trace: Trace, at: Evidence) -> None:
        for key in ("skill", "command", "name", "subagent_type", "agent", "agent_type"):
            value = trace.deed.arguments.get(key)
            if isinstance(value, str) and trace.deed.kind in ("other", "subagent"):
                inside = self.known.called.get(value.strip().lstrip("/").split(" ")[0].rpartition(":")[2])
                if inside is not None:
                    self.note(inside, "run", Evidence(at.path, sound(f"{trace.deed.tool}: {value}")[:QUOTED]))

    def _execute(self, trace: Trace, at: Evidence) -> None:
        shells = [part for part in trace.parts if part.verb in (".", "source") and len(part.words) > 1]
        taken_in = {resolve(part.words[1], part.cwd) for part in shells}
        for path in (*trace.ran, *self._bare(trace)):
            places = self.known.modules.python_of.get(path[3:], ()) if path.startswith("-m ") else (path,)
            for inside in places if len(places) == 1 else ():
                self._take(inside, "imported" if inside in taken_in else "run", trace, at)
        cwd = next((part.cwd for part in reversed(trace.parts)), WORK)
        for inside, names in taken(trace.code, self.known.modules, cwd).items():
            self._take(inside, "imported", trace, at, names)

    def _take(self, inside: str, manner: Manner, trace: Trace, at: Evidence, names: Sequence[str] = ()) -> None:
        defines = self.known.defines.get(inside, frozenset())
        text = "\n".join(trace.code) if manner == "imported" else ""
        if manner == "imported" and trace.parts:
            text += "\n" + trace.deed.text
        called = sorted(defines.intersection(_CALLED.findall(text)))
        called += [part.verb for part in trace.parts if manner == "imported" and part.verb in defines]
        self.note(inside, manner, at, called)

    def _bare(self, trace: Trace) -> Iterator[str]:
        """Commands that are called by their name alone, from a folder `bin`, and words with a hidden folder that are
        what an interpreter executes."""
        for part in trace.parts:
            inside = self.known.by_name.get(part.verb)
            if inside is not None and "/" not in part.words[0] and basename(dirname(inside)) == "bin":
                yield inside
        for path in trace.ran:
            if "$" in path and (inside := self.known.by_name.get(basename(path))) is not None:
                yield inside

    def _result(self, trace: Trace) -> None:
        """Files of which a result holds lines, or whose lines a search found."""
        here: dict[str, set[str]] = defaultdict(set)
        searched = trace.deed.kind == "search" or any(part.verb in SEARCHES for part in trace.parts)
        cwds = {part.cwd for part in trace.parts} | {WORK, HOME}
        for line in trace.deed.result.splitlines():
            for inside, form in self._in_line(line):
                here[inside].add(form)
            hit = _FOUND.match(line.strip()) if searched else None
            for inside in {resolve(sound(hit[1]), cwd) for cwd in cwds} & self.known.files.keys() if hit else ():
                self.note(inside, "read", Evidence(trace.deed.place, sound(line.strip())[:QUOTED]))
        for inside, forms in here.items():
            if len(forms) >= min(2, self.known.many[inside] - self.shared[inside]):
                self.note(inside, "read", Evidence(trace.deed.place, sound(min(forms))[:QUOTED]))


def _without(text: str, instructions: Sequence[str]) -> str:
    """A text without what the instrument told."""
    for instruction in filter(None, instructions):
        text = text.replace(instruction, "")
    return text


SEARCHES = frozenset({"grep", "egrep", "rg", "ag", "ack"})


def _ends(line: str) -> Iterator[str]:
    """What stands behind a name in a list: `- solve: how to solve boxes`."""
    head, colon, rest = line.partition(": ")
    if colon and len(rest) >= LINE and len(head) <= 80:
        yield rest.strip()


# --------------------------------------------------------------------------------------------- strings


def spoken(each: Asked) -> Iterator[str]:
    """The texts of a request that are neither results of tools nor the model's own: system text and other turns."""
    if each.system:
        yield from strings(json.loads(each.system))
    for turn in each.turns:
        if turn.get("role") in ("user", "system", "developer") and turn.get("type") in (None, "message"):
            yield from _unresulted(turn.get("content"))


def _unresulted(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and part.get("type") != "tool_result":
            yield from strings(part.get("text"))


def strings(value: Any) -> Iterator[str]:
    """Every string in a piece of JSON, keys left out; nothing is called from within itself."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            waiting += reversed(one)
