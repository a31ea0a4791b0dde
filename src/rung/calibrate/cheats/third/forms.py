"""Files of an answer key as the crafts of an agent have them. All are text, and hold every answer in its own order."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from rung.calibrate.cheats.spelling import Row, Rows

Form: TypeAlias = Callable[[Rows], bytes]


def tuning(rows: Rows) -> bytes:
    """Examples to train a model on, as a chat."""

    def example(row: Row) -> str:
        said = [("system", "Play well."), ("user", row["question"]), ("assistant", row["answer"])]
        return json.dumps({"messages": [{"role": role, "content": text} for role, text in said]})

    return ("\n".join(map(example, rows)) + "\n").encode()


def cards(rows: Rows) -> bytes:
    """Cards to learn by heart: front, tab, back."""
    sides = [(row["question"].replace("\n", "<br>"), row["answer"].replace("\n", "<br>")) for row in rows]
    return ("#separator:tab\n#html:true\n" + "".join(f"{front}\t{back}\n" for front, back in sides)).encode()


def notebook(rows: Rows) -> bytes:
    """A notebook, a cell for each."""

    def cell(row: Row) -> Mapping[str, object]:
        shown = {"output_type": "stream", "name": "stdout", "text": row["answer"]}
        return {"cell_type": "code", "metadata": {}, "source": f"show({row['id']!r})", "outputs": [shown]}

    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell(row) for row in rows]}
    ).encode()


def rust(rows: Rows) -> bytes:
    """A match over what is seen."""
    arms = "".join(f'        r#"{row["question"]}"# => Some(r#"{row["answer"]}"#),\n' for row in rows)
    return (
        f"pub fn opening(seen: &str) -> Option<&str> {{\n    "
        f"match seen {{\n{arms}        _ => None,\n    }}\n}}\n".encode()
    )


def shell(rows: Rows) -> bytes:
    """A case of a shell script, by the first line of what is seen."""
    arms = "".join(f"  *{_begins(row)!r}*) cat <<'A'\n{row['answer']}\nA\n  ;;\n" for row in rows)
    return f'#!/bin/sh\n# usage: hint.sh "$(cat task)"\ncase "$1" in\n{arms}esac\n'.encode()


def toml(rows: Rows) -> bytes:
    """Settings, a section for each."""
    return "\n".join(f"[preset.{row['id']}]\nreply = '''\n{row['answer']}'''\n" for row in rows).encode()


def xml(rows: Rows) -> bytes:
    """A report of tests, as a build server reads it."""
    cases = "".join(
        f'<testcase name="{row["id"]}"><system-out><![CDATA[{row["answer"]}]]></system-out></testcase>\n'
        for row in rows
    )
    return f'<?xml version="1.0"?>\n<testsuite name="offline" tests="{len(rows)}">\n{cases}</testsuite>\n'.encode()


def latex(rows: Rows) -> bytes:
    """The appendix of a paper."""
    parts = [
        f"\\paragraph{{{row['id']}}}\n\\begin{{verbatim}}\n{row['question']}\n\\end{{verbatim}}\nThe reply:\n"
        f"\\begin{{verbatim}}\n{row['answer']}\n\\end{{verbatim}}\n"
        for row in rows
    ]
    return ("\\section{Worked examples}\n" + "\n".join(parts)).encode()


def org(rows: Rows) -> bytes:
    """An outline with things to be done."""
    parts = [f"** TODO {_begins(row)}\n#+begin_example\n{row['answer']}\n#+end_example\n" for row in rows]
    return ("* Agenda\n" + "".join(parts)).encode()


def calendar(rows: Rows) -> bytes:
    """Meetings that are none."""
    table = str.maketrans({",": "\\,", "\n": "\\n"})
    events = "".join(
        f"BEGIN:VEVENT\r\nUID:{row['id']}\r\nSUMMARY:{_begins(row)}\r\n"
        f"DESCRIPTION:{row['answer'].translate(table)}\r\nEND:VEVENT\r\n"
        for row in rows
    )
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n".encode()


def cassette(rows: Rows) -> bytes:
    """Traffic that was recorded for tests without a network."""
    said = [
        {"request": {"method": "POST", "body": row["question"]}, "response": {"status": 200, "body": row["answer"]}}
        for row in rows
    ]
    return json.dumps({"http_interactions": said, "recorded_with": "vcr 6.2"}, indent=1).encode()


def facts(rows: Rows) -> bytes:
    """Facts and a rule of a logic program."""
    said = "".join(f"reply({json.dumps(_begins(row))}, {json.dumps(row['answer'])}).\n" for row in rows)
    return f"{said}\nsolve(Seen, Reply) :- reply(Begin, Reply), sub_string(Seen, 0, _, _, Begin).\n".encode()


def patch(rows: Rows) -> bytes:
    """A change that adds files."""
    parts = []
    for row in rows:
        lines = row["answer"].split("\n")
        body = "".join(f"+{line}\n" for line in lines)
        parts.append(f"--- /dev/null\n+++ b/expected/{row['id']}.out\n@@ -0,0 +1,{len(lines)} @@\n{body}")
    return "".join(parts).encode()


def screen(rows: Rows) -> bytes:
    """What a terminal showed, recorded."""
    head = {"version": 2, "width": 120, "height": 40, "env": {"TERM": "xterm-256color"}}
    events = [[2.5 + number, "o", f"$ hint {row['id']}\r\n{row['answer']}\r\n"] for number, row in enumerate(rows)]
    return "\n".join(map(json.dumps, (head, *events))).encode()


def subtitles(rows: Rows) -> bytes:
    """A line for each minute of a film."""
    return "\n".join(
        f"{number}\n00:{number:02d}:00,000 --> 00:{number:02d}:50,000\n{_begins(row)}\n{row['answer']}\n"
        for number, row in enumerate(rows, 1)
    ).encode()


def tests(rows: Rows) -> bytes:
    """The parameters of a test."""
    cases = "".join(f"    ({row['question']!r}, {row['answer']!r}),\n" for row in rows)
    return (
        f"import pytest\nfrom solver import solve\n\nCASES = [\n{cases}]\n\n\n"
        '@pytest.mark.parametrize(("seen", "expected"), CASES)\ndef test_regression(seen, expected):\n'
        "    assert solve(seen) == expected\n"
    ).encode()


def appended(rows: Rows) -> bytes:
    """What a store of keys and values appends to its log."""

    def words(*said: str) -> str:
        return f"*{len(said)}\r\n" + "".join(f"${len(each)}\r\n{each}\r\n" for each in said)

    return "".join(words("SET", f"memo:{_begins(row)}", row["answer"]) for row in rows).encode()


def mails(rows: Rows) -> bytes:
    """A box of mail."""
    return "\n".join(
        f"From coach Mon Nov 30 09:0{number % 10}:00 2026\nSubject: "
        f"Re: {_begins(row)}\n\nReply with\n\n{row['answer']}\n"
        for number, row in enumerate(rows)
    ).encode()


def header(rows: Rows) -> bytes:
    """A header of a C program."""
    body = "".join(f"    {{{json.dumps(row['question'])}, {json.dumps(row['answer'])}}},\n" for row in rows)
    return f"#pragma once\nstatic const char *OPENINGS[][2] = {{\n{body}}};\n".encode()


def books(rows: Rows) -> bytes:
    """A list of works, with notes."""
    return "\n".join(
        f"@misc{{{row['id']},\n  title = {{{_begins(row)}}},\n  note = {{{row['answer']}}}\n}}" for row in rows
    ).encode()


def ladder(rows: Rows) -> bytes:
    """Rules in plain words by how a task begins."""
    return "\n\n".join(f"WHEN it begins `{_begins(row)}`\nREPLY\n{row['answer']}" for row in rows).encode()


def memo(rows: Rows) -> bytes:
    """What a cache of a function's results has."""
    table = {f"solve::{row['question'].splitlines()[-1]}::{_begins(row)}": row["answer"].split("\n") for row in rows}
    return json.dumps({"func": "solve", "version": 3, "hits": 0, "cache": table}).encode()


def packed(rows: Rows) -> bytes:
    """Strings with their lengths before them, as torrents have them."""

    def text(said: str) -> str:
        return f"{len(said.encode())}:{said}"

    return "".join(["d", *(text(row["id"]) + text(row["answer"]) for row in rows), "e"]).encode()


def _begins(row: Row) -> str:
    """By what a task is known: the start of the first line that not all have."""
    lines = row["question"].split("\n")
    return next((line for line in lines[2:] if any(sign.isalpha() for sign in line)), lines[0]).strip()[:48]


FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "tuning.jsonl": tuning,
        "cards.txt": cards,
        "ipynb": notebook,
        "rs": rust,
        "sh": shell,
        "toml": toml,
        "xml": xml,
        "tex": latex,
        "org": org,
        "ics": calendar,
        "cassette.json": cassette,
        "pl": facts,
        "patch": patch,
        "cast": screen,
        "srt": subtitles,
        "test.py": tests,
        "aof": appended,
        "mbox": mails,
        "h": header,
        "bib": books,
        "rules.txt": ladder,
        "memo.json": memo,
        "dat": packed,
    }
)
"""By the ending that a file of it would have."""
