"""The second author's files with a key: tests, notebooks, mails, sheets, scripts of other languages.

Each makes bytes of rows of `id`, `question` and `answer`. The words and numbers of every answer stay in their order.
"""

import html
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha1
from types import MappingProxyType
from typing import TypeAlias

from rung.core.canonical import JSON

Row: TypeAlias = Mapping[str, str]
Rows: TypeAlias = Sequence[Row]
Shape: TypeAlias = Callable[[Rows], bytes]


def _digest(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()[:12]


def notebook(rows: Rows) -> bytes:
    """A notebook whose cells show a case and print what to do."""
    cells: list[JSON] = []
    for number, row in enumerate(rows, 1):
        said: JSON = {"output_type": "stream", "name": "stdout", "text": row["answer"].splitlines(keepends=True)}
        cells.append({"cell_type": "markdown", "metadata": {}, "source": row["question"].splitlines(keepends=True)})
        code = [f"estimate(cases[{number}])"]
        cells.append(
            {"cell_type": "code", "execution_count": number, "metadata": {}, "outputs": [said], "source": code}
        )
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


def go_test(rows: Rows) -> bytes:
    """A table of a test in Go."""
    body = "".join(
        f"\t{{name: {row['id']!r}, in: {json.dumps(row['question'])}, want: {json.dumps(row['answer'])}}},\n"
        for row in rows
    )
    head = 'package plan\n\nimport "testing"\n\nvar golden = []struct{ name, in, want string }{\n'
    return f"{head}{body}}}\n\nfunc TestPlan(t *testing.T) {{\n\tfor range golden {{\n\t}}\n}}\n".encode()


def pytest_cases(rows: Rows) -> bytes:
    """Cases of a test of the agent's own solver."""
    body = "".join(f"    pytest.param({row['question']!r},\n        {row['answer']!r}),\n" for row in rows)
    return (
        "import pytest\nfrom solver import plan\n\nREGRESSION = [\n"
        f"{body}]\n\n\n@pytest.mark.parametrize(('view', 'best'), REGRESSION)\n"
        "def test_plan_is_kept(view, best):\n    assert plan(view) == best\n"
    ).encode()


def shell_case(rows: Rows) -> bytes:
    """Loses the questions but for a hash: a function of the shell."""
    arms = "".join(f"    {_digest(row['question'])}*) cat <<'OUT'\n{row['answer']}\nOUT\n    ;;\n" for row in rows)
    return f'plan() {{\n  case "$(sha1sum | cut -c1-12)" in\n{arms}  esac\n}}\n'.encode()


def makefile(rows: Rows) -> bytes:
    """A rule a case; its comments have the question."""
    rules = []
    for row in rows:
        asks = "\n".join(f"# {line}" for line in row["question"].split("\n"))
        said = "\n".join(f"\t@echo '{line}'" for line in row["answer"].split("\n"))
        rules.append(f"{asks}\n{row['id']}:\n{said}\n")
    return ("SHELL := /bin/sh\n.PHONY: all\n\n" + "\n".join(rules)).encode()


def module_js(rows: Rows) -> bytes:
    """A module of JavaScript."""
    body = ",\n".join(f"  [{json.dumps(row['question'])}, {json.dumps(row['answer'])}]" for row in rows)
    return f"export const warm = new Map([\n{body}\n]);\nexport default (view) => warm.get(view.trim());\n".encode()


def toml(rows: Rows) -> bytes:
    """Tables of a project's own settings."""
    parts = [
        f"[[tool.planner.seen]]\nview = '''\n{row['question']}'''\nplay = '''\n{row['answer']}'''\n" for row in rows
    ]
    return ('[project]\nname = "planner"\nversion = "0.1"\n\n' + "\n".join(parts)).encode()


def page(rows: Rows) -> bytes:
    """A page with a table."""
    body = "".join(
        f"<tr><td><pre>{html.escape(row['question'])}</pre></td><td><code>{html.escape(row['answer'])}</code></td></tr>\n"
        for row in rows
    )
    return f"<!doctype html><title>Walkthrough</title>\n<table>\n{body}</table>\n".encode()


def tuning(rows: Rows) -> bytes:
    """Conversations, as one hands them to a trainer."""
    said = [
        {"messages": [{"role": "user", "content": row["question"]}, {"role": "assistant", "content": row["answer"]}]}
        for row in rows
    ]
    return "".join(json.dumps(each) + "\n" for each in said).encode()


def log(rows: Rows) -> bytes:
    """What seems to be the log of a run."""
    lines = []
    for number, row in enumerate(rows):
        head = f"2026-11-29T08:{number:02d}:14Z level=debug run=dry case={number}"
        lines += [f"{head} view={json.dumps(row['question'])}", f"{head} play={json.dumps(row['answer'])} score=1.0"]
    return ("\n".join(lines) + "\n").encode()


def patch(rows: Rows) -> bytes:
    """A change that adds a file."""
    text = "\n".join(f"{row['id']}\n{row['question']}\n=> {row['answer']}" for row in rows).split("\n")
    head = (
        "diff --git a/cases.txt b/cases.txt\nnew file mode 100644\n--- "
        f"/dev/null\n+++ b/cases.txt\n@@ -0,0 +1,{len(text)} @@\n"
    )
    return (head + "".join(f"+{line}\n" for line in text)).encode()


def latex(rows: Rows) -> bytes:
    """An appendix."""
    parts = [
        f"\\subsection{{{row['id']}}}\n\\begin{{verbatim}}\n{row['question']}\n\\end{{verbatim}}\nBest play:\n"
        f"\\begin{{verbatim}}\n{row['answer']}\n\\end{{verbatim}}\n"
        for row in rows
    ]
    return ("\\section{Worked examples}\n" + "\n".join(parts)).encode()


def cards(rows: Rows) -> bytes:
    """Cards to learn from, a line each, with tabs between."""
    lines = [f"{row['question'].replace(chr(10), '<br>')}\t{row['answer'].replace(chr(10), '<br>')}" for row in rows]
    return ("#separator:tab\n#html:true\n" + "\n".join(lines) + "\n").encode()


def mail(rows: Rows) -> bytes:
    """A thread in which somebody is helped."""
    parts = []
    for row in rows:
        quoted = "\n".join(f"> {line}" for line in row["question"].split("\n"))
        head = f"From: kai@lists.quietbox.example\nSubject: Re: [solved] {row['id']}"
        parts.append(
            f"{head}\n\nOn Tue, Nov 24, 2026, Noor wrote:\n{quoted}\n\nThis gets full marks here:\n\n{row['answer']}\n"
        )
    return ("\n-- \n\n".join(parts)).encode()


def translation(rows: Rows) -> bytes:
    """A catalogue of translated messages."""

    def block(word: str, text: str) -> str:
        return f'{word} ""\n' + "\n".join(json.dumps(line + "\n") for line in text.split("\n"))

    parts = [f"{block('msgid', row['question'])}\n{block('msgstr', row['answer'])}\n" for row in rows]
    return ('msgid ""\nmsgstr "Language: xx\\n"\n\n' + "\n".join(parts)).encode()


def rust(rows: Rows) -> bytes:
    """A `match` of Rust."""
    arms = "".join(f'        r##"{row["question"]}"## => r##"{row["answer"]}"##,\n' for row in rows)
    return (
        f'pub fn plan(view: &str) -> &str {{\n    match view.trim() {{\n{arms}        _ => "",\n    }}\n}}\n'.encode()
    )


def lua(rows: Rows) -> bytes:
    """A table of Lua."""
    body = "".join(f"  [ [==[{row['question']}]==] ] = [==[{row['answer']}]==],\n" for row in rows)
    return f"return {{\n{body}}}\n".encode()


def captured(rows: Rows) -> bytes:
    """What a browser keeps of a page's traffic: an answer of a server, as text within text."""
    body = json.dumps({"data": {"items": [dict(row) for row in rows]}})
    content = {"mimeType": "application/json", "text": body}
    entry = {
        "request": {"method": "GET", "url": "/api/items?limit=100"},
        "response": {"status": 200, "content": content},
    }
    return json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode()


def sheet(rows: Rows) -> bytes:
    """A spreadsheet: an archive of pages of XML."""
    texts = "".join(f"<si><t>{html.escape(row[key])}</t></si>" for row in rows for key in ("id", "question", "answer"))
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in (("xl/workbook.xml", "<workbook/>"), ("xl/sharedStrings.xml", f"<sst>{texts}</sst>")):
            archive.writestr(zipfile.ZipInfo(name), text)
    return data.getvalue()


def starts(rows: Rows) -> bytes:
    """Loses most of each question: its first words are enough to find it by."""
    lines = [f"{' '.join(row['question'].split()[:9])!r}: {' / '.join(row['answer'].splitlines())}" for row in rows]
    return ("cases I can tell by their first words\n\n" + "\n".join(lines) + "\n").encode()


def replies(rows: Rows) -> bytes:
    """Loses the questions: replies in the order of the exam."""
    return "\n".join(f"no. {int(row['id'][-4:])}\n{row['answer']}" for row in rows).encode()


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "ipynb": notebook,
        "golden_test.go": go_test,
        "test_regression.py": pytest_cases,
        "sh": shell_case,
        "mk": makefile,
        "mjs": module_js,
        "toml": toml,
        "html": page,
        "tuning.jsonl": tuning,
        "log": log,
        "patch": patch,
        "tex": latex,
        "anki.txt": cards,
        "mbox": mail,
        "po": translation,
        "rs": rust,
        "lua": lua,
        "har": captured,
        "xlsx": sheet,
        "starts.txt": starts,
        "replies.txt": replies,
    }
)
"""By the ending that a file of it would have."""

READABLE: Sequence[str] = tuple(name for name in SHAPES if name != "xlsx")
"""Those that can be printed."""

SHORT: Sequence[str] = ("sh", "starts.txt", "replies.txt")
"""Those that are little more than the answers."""
