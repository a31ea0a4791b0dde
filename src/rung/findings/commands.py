"""What a command names, writes, runs and holds as code, read from its text alone.

No shell is rebuilt here: words, quotes, redirections, here-documents, `cd`, assignments and `bash -c` are read, and
nothing is expanded that only a shell could know. What is not read so is not guessed at.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename, join, normpath
from typing import Literal, TypeAlias

from rung.agents.command.facts import HOME, WORK
from rung.core.paths import spelled

LONGEST = 200_000
"""Characters of a command that are read."""
LONGEST_VALUE = 300
"""Characters of a variable that are put where it stands, so that none can double itself without end."""
DEEPEST = 3
"""Commands within commands that are read: `bash -c "bash -c ..."`."""

SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
INTERPRETER = re.compile(r"python[\d.]*|pypy3?|bash|sh|zsh|dash|node|deno|bun|ruby|perl|php|lua|Rscript|tsx|ts-node")
WRAPPERS = frozenset({"sudo", "env", "time", "timeout", "nohup", "exec", "command", "nice", "xargs", "uv", "poetry"})
TESTERS = re.compile(r"(py\.test|pytest|tox|nox|jest|vitest|mocha|unittest|doctest|ctest|bats|rspec)")
QUIET = frozenset(
    {
        "ls",
        "rm",
        "rmdir",
        "touch",
        "mkdir",
        "chmod",
        "chown",
        "stat",
        "test",
        "[",
        "[[",
        "echo",
        "printf",
        "git",
        "cd",
        "pushd",
        "popd",
        "find",
        "du",
        "df",
        "which",
        "type",
        "export",
        "mktemp",
        "realpath",
        "dirname",
        "basename",
        "for",
        "in",
        "do",
        "done",
        "if",
        "then",
        "else",
        "fi",
        "while",
        "true",
        "false",
        "set",
        "kill",
        "ln",
    }
)
"""Commands that name files without reading what is in them."""

_HERE = re.compile(
    r"<<-?[ \t]*(['\"]?)([A-Za-z_]\w{0,60})\1([^\n]{0,300})\n(.*?)(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_TOKEN = re.compile(
    r"""(?P<note>(?:(?<=\s)|^)\#[^\n]*)|(?P<double>"(?:\\.|[^"\\])*")"""
    r"""|(?P<single>'[^']*')|(?P<escaped>\\.)|(?P<out>&?>>?[|&]?)|(?P<into><+)"""
    r"""|(?P<stop>[;&|\n()`]+)|(?P<space>[ \t\r]+)|(?P<plain>[^\s"';&|()<>`\\]+)|(?P<other>.)""",
    re.DOTALL,
)
_ASSIGNS = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_LITERAL = re.compile(r"""(?P<q>['"])(?P<text>(?:(?!(?P=q))[^\\\n]){1,300})(?P=q)""")
_OPENED = re.compile(
    r"""open(?:Sync)?\(\s*(?:os\.path\.expanduser\(\s*)?(?P<q>['"])(?P<path>[^'"\n]{1,300})(?P=q)\s*\)?\s*,"""
    r"""\s*(?:mode\s*=\s*)?['"](?P<mode>[rwaxbt+]{1,4})['"]"""
    r"""|(?:write|append)File(?:Sync)?\(\s*(?P<r>['"])(?P<node>[^'"\n]{1,300})(?P=r)"""
    r"""|Path\(\s*(?P<s>['"])(?P<whole>[^'"\n]{1,300})(?P=s)\s*\)(?:\.expanduser\(\))?\.write_(?:text|bytes)\("""
)
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)


How: TypeAlias = Literal["whole", "copy", "append", "edit", "gone"]


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written, by its path inside; `how`: as a whole, at its end, in parts, or not any more.

    Whether a `copy` went to a file or into a folder of that name its command does not say, so both stand there.
    """

    path: str
    how: How


@dataclass(frozen=True, slots=True)
class Part:
    """One simple command: its words behind any wrapper, the folder it ran in, and what stands around it."""

    words: tuple[str, ...]
    cwd: str
    wrote: tuple[Written, ...] = ()
    into: tuple[str, ...] = ()
    body: str = ""
    grouped: bool = False  # in a group or in a shell of its own

    @property
    def verb(self) -> str:
        """The command's own name."""
        return basename(self.words[0]) if self.words else ""


# --------------------------------------------------------------------------------------------- paths


def resolve(word: str, cwd: str = WORK) -> str:
    """A path inside as it is spelled in manifests, from a word.

    >>> resolve("~/notes.md"), resolve("../a", "/workspace/b"), resolve("x.py")
    ('/home/agent/notes.md', '/workspace/a', '/workspace/x.py')
    """
    path = HOME + word[1:] if word == "~" or word.startswith("~/") else word
    return spelled(normpath(join(cwd, path)).encode("utf-8", "surrogateescape" if _lone(path) else "strict"))


def _lone(text: str) -> bool:
    return any("\udc80" <= sign <= "\udcff" for sign in text)


def sound(text: str) -> str:
    """Text without what no path and no UTF-8 can hold."""
    return text[:LONGEST].replace("\0", "").encode("utf-8", "replace").decode()


# --------------------------------------------------------------------------------------------- parsing


@dataclass(slots=True)
class _Reading:
    """A command half read."""

    cwd: str
    bodies: Sequence[str]
    known: dict[str, str] = field(default_factory=lambda: {"HOME": HOME, "PWD": WORK})
    word: str | None = None
    words: list[str] = field(default_factory=list)
    outs: list[tuple[str, bool]] = field(default_factory=list)
    into: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    inner: bool = False
    outer: list[str] = field(default_factory=list)
    wanted: str = ""  # what the next word is: a command's own, or where it goes to or comes from

    def close_word(self) -> None:
        word, self.word = self.word, None
        if word is None:
            return
        if word.startswith("\1"):
            self.body.append(self.bodies[int(word[1:])] if word[1:].isdigit() else "")
        elif self.wanted in (">", ">>"):
            self.outs.append((word, self.wanted == ">>"))
        elif self.wanted == "<":
            self.into.append(word)
        elif self.wanted == "&":
            pass  # another stream of the same command
        elif not self.words and (given := _ASSIGNS.fullmatch(word)):
            self.known[given[1]] = given[2][:LONGEST_VALUE]
        else:
            self.words.append(word)
        self.wanted = ""

    def close_part(self) -> Part | None:
        self.close_word()
        words, cwd = tuple(_unwrapped(self.words)), self.cwd
        wrote = [Written(resolve(path, cwd), "append" if more else "whole") for path, more in self.outs]
        into = tuple(resolve(path, cwd) for path in self.into)
        made = Part(words, cwd, tuple(wrote), into, "\n".join(self.body), bool(self.outer) or self.inner)
        if words[:1] in (("cd",), ("pushd",)):
            self.cwd = resolve(words[1], cwd) if len(words) > 1 else HOME
        self.words, self.outs, self.into, self.body = [], [], [], []
        return made if words or wrote or made.into else None

    def group(self, signs: str) -> None:
        """Go into groups and out of them: the folder within one is its own."""
        for sign in signs:
            if sign == "(":
                self.outer.append(self.cwd)
            elif sign == ")" and self.outer:
                self.cwd = self.outer.pop()

    def add(self, text: str, *, expand: bool) -> None:
        self.word = (self.word or "") + (_VARIABLE.sub(self._value, text) if expand else text)

    def _value(self, found: re.Match[str]) -> str:
        return self.known.get(found[1] or found[2], found[0])

    def point(self, sign: str) -> None:
        if self.word is not None and self.word.isdigit() and ">" in sign:
            self.word = None  # the number of a stream
        self.close_word()
        self.wanted = "&" if sign.endswith("&") else "<" if "<" in sign else ">>" if ">>" in sign else ">"


def parse(script: str, cwd: str = WORK, depth: int = 0) -> tuple[Part, ...]:
    """The simple commands of a script, those within it too; `cd` holds for what comes after it."""
    bodies: list[str] = []

    def held(found: re.Match[str]) -> str:
        bodies.append(found[4])
        return f" \1{len(bodies) - 1} {found[3]}\n"

    text = _HERE.sub(held, sound(script).replace("\1", "").replace("\\\n", " "))
    parts: list[Part] = []
    for part in _parts(text, _Reading(cwd, bodies, inner=depth > 0)):
        parts.append(part)
        inner = next((code for code in codes(part) if part.verb in SHELLS), None)
        parts += parse(inner, part.cwd, depth + 1) if inner and depth < DEEPEST else ()
    return tuple(parts)


def _parts(text: str, reading: _Reading) -> Iterator[Part]:
    for found in _TOKEN.finditer(text):
        kind, token = str(found.lastgroup), found[0]
        if kind == "stop":
            part = reading.close_part()
            if part is not None:
                yield part
            reading.group(token)
        elif kind in ("space", "note"):
            reading.close_word()
        elif kind in ("out", "into"):
            reading.point(token)
        elif kind == "single":
            reading.add(token[1:-1], expand=False)
        elif kind == "double":
            reading.add(re.sub(r'\\(["\\$`])', r"\1", token[1:-1]), expand=True)
        else:
            reading.add(token[-1] if kind == "escaped" else token, expand=True)
    last = reading.close_part()
    if last is not None:
        yield last


def _unwrapped(words: Sequence[str]) -> Sequence[str]:
    """Without `sudo`, `timeout 60`, `env A=b`, `uv run` before it."""
    at = 0
    while at < len(words) and words[at] in WRAPPERS:
        at += 1
        while at < len(words) and (
            words[at].startswith("-") or re.fullmatch(r"[\d.]+[smh]?|run|\w+=.*", words[at], re.DOTALL)
        ):
            at += 1
    return words[at:]


# --------------------------------------------------------------------------------------------- what a part does


def ran(part: Part) -> str | None:
    """The file that a part executes, by its path inside, or a module as `-m name`; None where it executes none."""
    if not part.words:
        return None
    if INTERPRETER.fullmatch(part.verb):
        return _script(part)
    if part.words[0] in (".", "source"):
        return resolve(part.words[1], part.cwd) if len(part.words) > 1 else None
    return resolve(part.words[0], part.cwd) if "/" in part.words[0] else None


def _script(part: Part) -> str | None:
    words = iter(part.words[1:])
    for word in words:
        if word == "-m" and part.verb not in SHELLS:
            return f"-m {next(words, '')}"
        if word == "-" or re.fullmatch(r"-\w*[ce]|--eval|--print|-p", word):
            return None
        if word in ("-W", "-X", "-r", "--require"):
            next(words, None)
        elif not word.startswith("-") and word != "run":
            return resolve(word, part.cwd)
    return None


def codes(part: Part) -> tuple[str, ...]:
    """Code that is given to an interpreter with the command itself."""
    if not INTERPRETER.fullmatch(part.verb):
        return ()
    given = [
        code
        for flag, code in zip(part.words[1:], part.words[2:], strict=False)
        if re.fullmatch(r"-\w*[ce]|--eval", flag)
    ]
    piped = [part.body] if part.body and _script(part) is None else []
    return (*given[:1], *piped)


def tests(part: Part) -> str | None:
    """The test runner that a part calls, by its name; None for none.

    >>> tests(parse("cd x && python3 -m pytest -q")[1]), tests(parse("npm test")[0]), tests(parse("ls")[0])
    ('pytest', 'npm test', None)
    """
    if TESTERS.fullmatch(part.verb):
        return part.verb
    module = ran(part) or ""
    if module.startswith("-m ") and TESTERS.fullmatch(module[3:]):
        return module[3:]
    if part.verb in ("npm", "yarn", "pnpm", "cargo", "go", "make") and "test" in part.words[1:3]:
        return f"{part.verb} test"
    return None


def wrote(part: Part) -> tuple[Written, ...]:
    """What a part writes: where its output goes, what `tee`, `cp`, `mv`, `sed -i` and the like name, and what its code
    opens to write."""
    paths = [word for word in part.words[1:] if not word.startswith("-")]
    found = list(part.wrote)
    match part.verb:
        case "tee":
            how: How = "append" if {"-a", "--append"} & set(part.words) else "whole"
            found += [Written(resolve(path, part.cwd), how) for path in paths]
        case "cp" | "mv" | "install" | "ln" if len(paths) > 1:
            found += _copied(part, paths)
        case "sed" | "perl" if any(word.startswith(("-i", "-pi", "--in-place")) for word in part.words):
            found += [Written(resolve(path, part.cwd), "edit") for path in paths]
        case "rm":
            found += [Written(resolve(path, part.cwd), "gone") for path in paths]
        case "touch":
            found += [Written(resolve(path, part.cwd), "append") for path in paths]
        case "apply_patch":
            found += patched(part.body or " ".join(paths), part.cwd)
    for code in codes(part):
        found += opened(code, part.cwd)
    return tuple(found)


def _copied(part: Part, paths: Sequence[str]) -> list[Written]:
    """Where copies lie: at the last path or, where that is a folder, in it under their own names."""
    *sources, last = paths
    places = [last, *(join(last, basename(source)) for source in sources)]
    gone = sources if part.verb == "mv" else []
    return [Written(resolve(path, part.cwd), "copy") for path in places] + [
        Written(resolve(path, part.cwd), "gone") for path in gone
    ]


def patched(text: str, cwd: str = WORK) -> list[Written]:
    """What a patch in the form of `apply_patch` writes."""
    hows: Mapping[str, How] = {"Add": "whole", "Update": "edit", "Delete": "gone"}
    return [Written(resolve(path, cwd), hows[verb]) for verb, path in _PATCHED.findall(sound(text))]


def opened(code: str, cwd: str = WORK) -> list[Written]:
    """What code opens to write by a path that stands in it."""
    made = []
    for found in _OPENED.finditer(sound(code)):
        mode = found["mode"] or ("a" if found[0].startswith("append") else "w")
        path = found["path"] or found["node"] or found["whole"]
        if set(mode) & set("wax"):
            made.append(Written(resolve(path, cwd), "append" if "a" in mode else "whole"))
    return made


def read(part: Part) -> tuple[str, ...]:
    """Paths that a part reads, as far as its words say: all that it names and does not only write, list or remove."""
    named = list(part.into)
    if part.verb in QUIET or not part.words:
        return tuple(named)
    target = {each.path for each in wrote(part)} if part.verb in ("tee", "cp", "mv", "install", "touch") else set()
    if not codes(part):
        words = [word for word in part.words[1:] if word and not word.startswith("-")]
        named += [path for path in (resolve(word, part.cwd) for word in words) if path not in target]
    return tuple(named)


def literals(code: str) -> tuple[str, ...]:
    """The strings of a piece of code that may be paths, but those that it opens to write."""
    text = sound(code)
    written = {found["path"] or found["node"] or found["whole"] for found in _writing(text)}
    return tuple(found["text"] for found in _LITERAL.finditer(text) if found["text"] not in written)


def _writing(code: str) -> Iterator[re.Match[str]]:
    return (found for found in _OPENED.finditer(code) if not found["mode"] or set(found["mode"]) & set("wax"))
