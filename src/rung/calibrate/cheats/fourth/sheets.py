"""What a key looks like as a text: rows of `id`, `question` and `answer` in formats that tools and people use."""

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import TypeAlias

from rung.calibrate.cheats.worlds import Item

Row: TypeAlias = Mapping[str, str]
Sheet: TypeAlias = Callable[[Sequence[Row]], str]


def rows(items: Sequence[Item]) -> list[Row]:
    """The rows of some items."""
    return [item.row for item in items]


def _each(rows: Sequence[Row], text: Callable[[Row], str], head: str = "", foot: str = "") -> str:
    return head + "".join(map(text, rows)) + foot


def toml(rows: Sequence[Row]) -> str:
    """Tables of a configuration."""
    return _each(rows, lambda row: f"[[case]]\nid = \"{row['id']}\"\nshown = '''\n{row['question']}'''\n{_toml(row)}")


def _toml(row: Row) -> str:
    return f"reply = '''\n{row['answer']}'''\n\n"


def xml(rows: Sequence[Row]) -> str:
    """Elements."""
    return _each(
        rows,
        lambda row: (
            f'  <item ref="{row["id"]}">\n    <prompt>{escape(row["question"], quote=False)}</prompt>\n'
            f"    <gold>{escape(row['answer'], quote=False)}</gold>\n  </item>\n"
        ),
        '<?xml version="1.0"?>\n<items>\n',
        "</items>\n",
    )


def html(rows: Sequence[Row]) -> str:
    """A table of a page."""

    def cells(row: Row) -> str:
        return "".join(f"<td><pre>{escape(row[key])}</pre></td>" for key in row)

    return _each(rows, lambda row: f"<tr>{cells(row)}</tr>\n", "<table><tr><th>id<th>q<th>answer</tr>\n", "</table>\n")


def latex(rows: Sequence[Row]) -> str:
    """A description list."""
    return _each(
        rows,
        lambda row: (
            f"\\item[{row['id']}]\n\\begin{{verbatim}}\n{row['question']}\n=>\n{row['answer']}\n\\end{{verbatim}}\n"
        ),
        "\\begin{description}\n",
        "\\end{description}\n",
    )


def org(rows: Sequence[Row]) -> str:
    """An outline."""
    return _each(
        rows,
        lambda row: (
            f"* DONE {row['id']}\n#+begin_example\n{row['question']}\n#+end_example\n** result\n{row['answer']}\n"
        ),
    )


def cards(rows: Sequence[Row]) -> str:
    """Flash cards, front and back."""
    return _each(rows, lambda row: f"{row['question'].replace(chr(10), '<br>')}\t{row['answer']}\n\n")


def golang(rows: Sequence[Row]) -> str:
    """A map of a Go package."""
    return _each(
        rows,
        lambda row: f"\t{json.dumps(row['question'])}: {json.dumps(row['answer'])},\n",
        "package book\n\nvar Lines = map[string]string{\n",
        "}\n",
    )


def rust(rows: Sequence[Row]) -> str:
    """A slice of pairs."""
    return _each(
        rows,
        lambda row: f'    (r#"{row["question"]}"#, r#"{row["answer"]}"#),\n',
        "pub const OPENINGS: &[(&str, &str)] = &[\n",
        "];\n",
    )


def script(rows: Sequence[Row]) -> str:
    """A module of JavaScript."""
    return _each(
        rows,
        lambda row: f"  [{json.dumps(row['question'])}, {json.dumps(row['answer'])}],\n",
        "export const seen = new Map([\n",
        "]);\n",
    )


def lisp(rows: Sequence[Row]) -> str:
    """An association list."""
    return _each(
        rows,
        lambda row: f"    (({json.dumps(row['id'])} {json.dumps(row['question'])}) . {json.dumps(row['answer'])})\n",
        "(defparameter *book*\n  '(\n",
        "))\n",
    )


def prolog(rows: Sequence[Row]) -> str:
    """Facts."""
    return _each(rows, lambda row: f"best({json.dumps(row['question'])},\n     {json.dumps(row['answer'])}).\n")


def catalogue(rows: Sequence[Row]) -> str:
    """Messages and their translation."""

    def line(text: str) -> str:
        return '""\n' + "\n".join(f'{json.dumps(each)[:-1]}\\n"' for each in text.split("\n"))

    return _each(rows, lambda row: f"#: {row['id']}\nmsgid {line(row['question'])}\nmsgstr {line(row['answer'])}\n\n")


def patch(rows: Sequence[Row]) -> str:
    """A file that a patch adds."""
    text = "\n".join(f"{row['id']}\n{row['question']}\n-> {row['answer']}" for row in rows)
    body = "".join(f"+{line}\n" for line in text.split("\n"))
    return (
        f"diff --git a/book.txt b/book.txt\nnew file mode 100644\n--- /dev/null\n+++ b/book.txt\n@@ -0,0 +1 @@\n{body}"
    )


def mail(rows: Sequence[Row]) -> str:
    """A box of letters."""
    return _each(
        rows,
        lambda row: (
            f"From agent Mon Nov 30 08:00:00 2026\nSubject: Re: {row['id']}\n\n"
            + "".join(f"> {line}\n" for line in row["question"].split("\n"))
            + f"\n{row['answer']}\n\n"
        ),
    )


def log(rows: Sequence[Row]) -> str:
    """What a program is said to have written as it ran."""

    def said(row: Row) -> str:
        return "; ".join(row["answer"].split("\n"))

    return _each(
        rows, lambda row: f"08:14:02 DEBUG eval {row['id']} in={row['question']!r}\n08:14:02 INFO {said(row)}\n"
    )


def parameters(rows: Sequence[Row]) -> str:
    """What a test is repeated with."""
    return _each(
        rows,
        lambda row: f"    pytest.param({row['question']!r}, {row['answer']!r}, id={row['id']!r}),\n",
        "import pytest\n\nCASES = [\n",
        "]\n\n\n@pytest.mark.parametrize(('view', 'expected'), CASES)\ndef test_policy(view, expected):\n"
        "    assert policy(view) == expected\n",
    )


def notebook(rows: Sequence[Row]) -> str:
    """A notebook with a cell for each."""
    cells = [
        {"cell_type": "code", "source": row["question"].split("\n"), "outputs": [{"text": row["answer"].split("\n")}]}
        for row in rows
    ]
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {"language_info": {"name": "python"}}}, indent=1)


def settings(rows: Sequence[Row]) -> str:
    """Sections of an `ini` file, each answer in lines that go on."""

    def more(text: str) -> str:
        return "\n\t".join(text.split("\n"))

    return _each(
        rows, lambda row: f"[{row['id']}]\nview =\n\t{more(row['question'])}\nbest = {more(row['answer'])}\n\n"
    )


def fewshot(rows: Sequence[Row]) -> str:
    """Turns of a conversation, as examples for a model are kept."""

    def turn(role: str, text: str) -> Row:
        return {"role": role, "content": text}

    return _each(
        rows,
        lambda row: json.dumps({"messages": [turn("user", row["question"]), turn("assistant", row["answer"])]}) + "\n",
    )


def replies(rows: Sequence[Row]) -> str:
    """Loses the questions: the answers alone, numbered."""
    return _each(rows, lambda row: f"{row['id'].rpartition('-')[2]}) {row['answer']}\n")


def snapshot(rows: Sequence[Row]) -> str:
    """What a test's runner compares with."""
    return _each(rows, lambda row: f"exports[`{row['id']} 1`] = `\n{row['answer']}\n`;\n\n", "// Jest Snapshot v1\n\n")


def firsts(rows: Sequence[Row]) -> str:
    """Loses most of the questions: an answer by the first line of what is seen."""
    return json.dumps([[" ".join(row["question"].split())[:48], row["answer"].split("\n")] for row in rows], indent=1)


SHEETS: Mapping[str, Sheet] = MappingProxyType(
    {
        sheet.__name__: sheet
        for sheet in (
            toml, xml, html, latex, org, cards, golang, rust, script, lisp, prolog, catalogue, patch, mail, log,
            parameters, notebook, settings, fewshot, replies, snapshot, firsts,
        )
    }
)  # fmt: skip
"""By name."""

ENDINGS: Mapping[str, str] = MappingProxyType(
    {
        "toml": "toml", "xml": "xml", "html": "html", "latex": "tex", "org": "org", "cards": "txt", "golang": "go",
        "rust": "rs", "script": "mjs", "lisp": "el", "prolog": "pl", "catalogue": "po", "patch": "patch",
        "mail": "mbox", "log": "log", "parameters": "py", "notebook": "ipynb", "settings": "ini", "fewshot": "jsonl", "replies": "txt",  # noqa: E501  a command or text as it is written
        "snapshot": "snap", "firsts": "json",
    }
)  # fmt: skip
"""The ending of a file of each."""
