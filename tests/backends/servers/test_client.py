"""The client file: one file for any Python, importable and a command, answered by the same desk as everybody."""

import ast
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rung.backends.servers.client import FILE, SKILL, VARIABLE, rung_tasks, skill, source
from rung.core.errors import InstrumentFault

from .desks import PICTURE, Desk, Served, served
from .stands import waits

HERE = Path(rung_tasks.__file__)


async def python(where: Served | None, *words: str, stdin: str = "", url: str | None = None) -> tuple[int, str, str]:
    """Run a Python without any installed package in it; exit status, output, errors."""
    address = url if url is not None else where.address if where is not None else ""
    environment = {VARIABLE: address, "http_proxy": "http://127.0.0.1:9"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-S", "-E", "-B", *words, cwd=HERE.parent, env=environment, stdin=-1, stdout=-1, stderr=-1
    )
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def command(where: Served | None, *words: str, stdin: str = "", url: str | None = None) -> tuple[int, str, str]:
    return await python(where, str(HERE), *words, stdin=stdin, url=url)


def test_the_file_is_written_for_python_3_8():
    ast.parse(source(), feature_version=(3, 8))


def test_the_file_imports_nothing_but_the_standard_library():
    found = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
        for node in ast.walk(ast.parse(source()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert found
    assert {name.split(".")[0] for name in found} <= set(sys.stdlib_module_names)


@waits
async def test_as_a_module_it_calls_and_gives_data_text_and_pictures():
    desk = Desk()
    code = (
        "import rung_tasks as r; a = r.call('say', 't-1', text='x', tool='y'); "
        "print(sorted(a.items()), a.text, a.failed, r.call('picture').images, r.call('rm').failed)"
    )
    async with served(desk) as where:
        status, out, err = await python(where, "-c", code)
    assert (status, err) == (0, "")
    assert out == (
        "[('task', 't-1'), ('text', 'x'), ('tool', 'y')] "
        '["say", {"text": "x", "tool": "y", "task": "t-1"}] False '
        f"[('image/png', {PICTURE.data!r})] True\n"
    )


@waits
async def test_get_task_and_queue_info_are_calls_of_these_names():
    desk = Desk()
    async with served(desk) as where:
        code = "import rung_tasks as r; r.get_task(); r.get_task('t-1'); r.queue_info()"
        await python(where, "-c", code)
        for words in (["get_task"], ["get_task", "t-1"], ["queue_info"]):
            await command(where, *words)
    assert desk.asked == [("get_task", {}), ("get_task", {"task": "t-1"}), ("queue_info", {})] * 2


@waits
async def test_the_command_takes_words_by_the_tool_s_schema_and_json_as_it_is():
    desk = Desk()
    async with served(desk) as where:
        await command(where, "call", "say", "task=7", "text=7", "many=7", "list=[1, 2]", "word=left", "empty=")
        await command(where, "call", "say", '{"task": "t", "text": "a=b"}')
        await command(where, "call", "say", "-", stdin='{"task": "t", "deep": [[1.5]]}')
    assert [arguments for _, arguments in desk.asked] == [
        {"task": "7", "text": "7", "many": 7, "list": [1, 2], "word": "left", "empty": ""},
        {"task": "t", "text": "a=b"},
        {"task": "t", "deep": [[1.5]]},
    ]


@waits
async def test_the_command_says_by_its_exit_status_whether_the_call_was_any_good():
    async with served(Desk()) as where:
        good = await command(where, "call", "say", "text=x")
        bad = await command(where, "call", "rm")
    assert good == (0, '["say", {"text": "x"}]\n', "")
    assert bad == (1, '["rm", {}]\n', "")


@waits
async def test_the_answer_can_be_had_as_data():
    async with served(Desk()) as where:
        status, out, _ = await command(where, "call", "say", "text=x", "--json")
    assert (status, json.loads(out)) == (0, {"tool": "say", "text": "x"})


@waits
async def test_pictures_are_put_in_files_and_their_paths_are_printed():
    async with served(Desk()) as where:
        _, out, _ = await command(where, "call", "picture")
    assert taken(out.splitlines()[-1].removeprefix("picture: ")) == ("1.png", PICTURE.data)


def taken(path: str) -> tuple[str, bytes]:
    """The name and the content of a file that is of no more use."""
    file = Path(path)
    found = (file.name, file.read_bytes())
    file.unlink()
    file.parent.rmdir()
    return found


@waits
async def test_tools_lists_every_tool_with_its_schema():
    async with served(Desk()) as where:
        _, out, _ = await command(where, "tools")
        _, data, _ = await command(where, "tools", "--json")
    assert out.splitlines()[0] == "say: Say it back."
    assert json.loads(out.splitlines()[1]) == Desk().tools()[0].parameters
    assert [tool["name"] for tool in json.loads(data)] == ["say", "picture"]


@pytest.mark.parametrize(
    ("words", "url", "said"),
    [
        (["get_task"], "", "RUNG_TASKS_URL is ''; it holds the address of the stream"),
        (["get_task"], "file:///etc/passwd", "it holds the address of the stream, http://..."),
        (["get_task"], "http://127.0.0.1:9/s/x", "error: no answer ("),
        (["call", "say", "words"], None, "seen 'words' where key=value belongs"),
        (["call", "say", "{nope"], None, "the arguments are no JSON"),
        (["call", "say", "-"], None, "the arguments are no JSON"),
        (["call"], None, "As a command:"),
        (["fly"], None, "As a command:"),
        ([], None, "As a command:"),
    ],
)
@waits
async def test_what_cannot_be_asked_is_said_and_exits_with_2(words: list[str], url: str | None, said: str):
    async with served(Desk()) as where:
        status, out, err = await command(where, *words, url=url)
    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@waits
async def test_the_address_of_the_mcp_server_does_as_well():
    async with served(Desk()) as where:
        assert (await command(None, "call", "say", url=where.mcp + "/"))[0] == 0


@waits
async def test_when_the_session_is_over_that_is_answered_and_kept_for_its_owner():
    end = InstrumentFault("store", "the disk is full")
    async with served(Desk(fails=end)) as where:
        said = await command(where, "call", "break")
        kept = await where.door.ended
    assert said == (1, "The session is over.\n", "")
    assert kept is end


# ---------------------------------------------------------------------------------------------- plain HTTP, raw


async def ask(where: Served, what: str, content: bytes | None = None) -> tuple[int, Any]:
    async with httpx2.AsyncClient(trust_env=False) as client:
        method = "GET" if content is None else "POST"
        found = await client.request(method, f"{where.address}/{what}", content=content)
    return found.status_code, found.json()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{nope", "the request is no JSON"),
        (b"[" * 100_000, "the request is no JSON"),
        (b"\xff", "the request is no JSON"),
        (b"[]", 'send {"tool": "NAME", "arguments": {...}}'),
        (b'{"tool": 7}', 'send {"tool": "NAME", "arguments": {...}}'),
        (b'{"tool": "say", "arguments": [1]}', 'send {"tool": "NAME", "arguments": {...}}'),
        (b'"' + b"x" * (4 << 20), "the request is longer than 4194304 bytes"),
    ],
)
@waits
async def test_a_request_that_is_none_says_the_mend(content: bytes, said: str):
    desk = Desk()
    async with served(desk) as where:
        assert await ask(where, "call", content) == (400, {"error": said})
    assert desk.asked == []


@waits
async def test_a_call_may_leave_its_arguments_out():
    async with served(Desk()) as where:
        assert (await ask(where, "call", b'{"tool": "say"}'))[0] == 200


@waits
async def test_each_address_is_asked_in_its_one_way():
    async with served(Desk()) as where:
        assert await ask(where, "call") == (405, {"error": "use POST"})
        assert await ask(where, "tools", b"{}") == (405, {"error": "use GET"})


@waits
async def test_the_client_file_and_its_skill_text_can_be_had_from_the_server():
    async with served(Desk()) as where, httpx2.AsyncClient(trust_env=False) as client:
        found = [(await client.get(f"{where.address}/{name}")).text for name in (FILE, SKILL)]
    assert found == [source(), skill(Desk())]


def test_the_skill_text_names_every_tool_with_its_schema_and_what_the_study_says():
    text = skill(Desk())
    for tool in Desk().tools():
        assert f"### {tool.name}\n\n{tool.description}\n\n    {json.dumps(tool.parameters)}\n" in text
    assert text.startswith("---\nname: tasks\n")
    assert text.endswith("Say things.\n")
