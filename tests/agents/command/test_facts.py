"""What each program is started with, and what its lines are read as. The programs themselves: see test_programs.py."""

import json

import pytest

from rung.agents.command import PROGRAMS, make
from rung.agents.command.facts import KEY, Began, Launch, Places, Said, program
from rung.agents.command.transcripts import split
from rung.core.config import AgentConfig
from rung.core.confined import Bind, Given
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.values import State
from rung.protocols import wiring

LAUNCH = Launch(
    system="Stand.",
    first="Begin.",
    tools_url="http://127.0.0.1:8710/s/abc/mcp",
    models_url="http://127.0.0.1:8711/abc",
    model="some/model-1",
    session="11111111-1111-4111-8111-111111111111",
)
FORK = Launch(**{name: getattr(LAUNCH, name) for name in LAUNCH.__slots__} | {"after": "earlier"})
RESUMED = Launch(**{name: getattr(FORK, name) for name in FORK.__slots__} | {"fork": False})


def argv(name, launch=LAUNCH):
    return list(PROGRAMS[name].prepare(launch).argv)


def after(words, flag):
    return words[words.index(flag) + 1]


# --------------------------------------------------------------------------------------------- how each is started


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_message_is_the_last_argument_and_no_flag_can_be_made_of_it(name):
    words = argv(name)
    assert words[-2] == "--"
    assert words[-1].endswith("Begin.")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_is_given_names_no_phase_and_holds_no_key(name):
    made = program(PROGRAMS[name], LAUNCH, Places(), mounts=())
    given = [mount.data.decode() for mount in made.mounts if isinstance(mount, Given)]
    whole = json.dumps([made.argv, dict(made.env), given]).lower()
    assert not [word for word in ("exam", 'work"', "before", "grade", "sk-") if word in whole]
    keys = {name: value for name, value in made.env.items() if name.endswith("KEY")}
    assert set(keys.values()) <= {KEY}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_mounted_where_its_command_is_looked_for(name, tmp_path):
    made = program(PROGRAMS[name], LAUNCH, Places(modules=tmp_path / "m", node=tmp_path / "n"), mounts=())
    binds = {mount.inside: mount.outside for mount in made.mounts if isinstance(mount, Bind)}
    home = f"/opt/rung/{name}/node_modules"
    assert binds[home] == tmp_path / "m"
    assert f"{home}/{PROGRAMS[name].package.command}" in made.argv
    assert ("/opt/rung/node/bin" in binds) == PROGRAMS[name].node == made.argv[0].endswith("/node")
    assert made.network.mode == "gateway"
    assert set(made.network.ports) == {8710, 8711}
    assert made.cwd == "/workspace"
    assert made.bounds.address_mb is None


def test_claude_code_is_told_its_instruction_anew_when_it_goes_on():
    words = argv("claude-code", FORK)
    assert after(words, "--append-system-prompt") == "Stand."
    assert after(words, "--system-prompt-snapshot") == "off"
    assert after(words, "--resume") == "earlier"
    assert after(words, "--session-id") == LAUNCH.session
    assert "--fork-session" in words
    assert "--setting-sources" not in words


def test_claude_code_is_given_its_server_by_type_and_asks_the_gateway():
    words = argv("claude-code")
    assert json.loads(after(words, "--mcp-config")) == {
        "mcpServers": {"tasks": {"type": "http", "url": LAUNCH.tools_url}}
    }
    env = PROGRAMS["claude-code"].prepare(LAUNCH).env
    assert env["ANTHROPIC_BASE_URL"] == LAUNCH.models_url
    assert env["ENABLE_TOOL_SEARCH"] == "false"


def test_codex_has_its_instruction_before_the_first_message():
    assert argv("codex")[-1] == "Stand.\n\nBegin."
    assert argv("codex", FORK)[-2:] == ["earlier", "Stand.\n\nBegin."]
    assert PROGRAMS["codex"].slot == "first message"


def test_the_settings_of_codex_are_toml():
    import tomllib

    words = argv("codex")
    settings = [words[place + 1] for place, word in enumerate(words) if word == "-c"]
    read = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        read[key] = tomllib.loads(f"it = {value}")["it"]
    assert read["model_providers.gateway"]["base_url"] == "http://127.0.0.1:8711/abc/v1"
    assert read["mcp_servers.tasks"]["url"] == LAUNCH.tools_url
    assert read["mcp_servers.tasks"]["required"] is True
    assert read["check_for_update_on_startup"] is False


def test_pi_is_told_of_its_tools_in_an_extension_that_offers_them_directly():
    (link,) = PROGRAMS["pi"].prepare(LAUNCH).given
    assert link.inside == after(argv("pi"), "--extension")
    server = next(line for line in link.data.decode().splitlines() if "registerMcpServer" in line)
    told = json.loads(server[server.index("{") : server.rindex("}") + 1])
    assert told["url"] == LAUNCH.tools_url
    assert told["exposure"] == "direct"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude-code", ["--resume", "earlier", "--", "Begin."]),
        ("codex", ["resume", "--json"]),
        ("pi", ["--session", "earlier", "--", "Begin."]),
    ],
)
def test_a_conversation_that_was_interrupted_is_gone_on_with_as_itself(name, words):
    said = argv(name, RESUMED)
    start = said.index(words[0])
    assert said[start : start + len(words)] == words
    assert LAUNCH.session not in said


@pytest.mark.parametrize(
    ("name", "said"),
    [("claude-code", "--effort low"), ("codex", '-c model_reasoning_effort="low"'), ("pi", "--thinking low")],
)
def test_how_hard_a_model_shall_think_is_an_option_of_each_program(name, said):
    agent = make(name, {"effort": "low"})
    assert agent.id == f"command:{name} effort=low"
    assert said in " ".join(agent.facts.prepare(LAUNCH).argv)
    assert said.split()[-1] not in " ".join(argv(name))
    with pytest.raises(UsageError, match="effort is one of low, medium, high, seen 'max'"):
        make(name, {"effort": "max"})


# --------------------------------------------------------------------------------------------- a program of one's own


def own(**options):
    return make("", options)


def test_a_program_of_ones_own_has_its_places_filled_and_its_instruction_in_a_file():
    agent = own(command=["run", "--at={tools_url}", "{models_url}", "{model}", "{instruction_file}"], folder="mine")
    made = agent.facts.prepare(LAUNCH)
    assert made.argv == ("run", f"--at={LAUNCH.tools_url}", LAUNCH.models_url, LAUNCH.model, "/opt/rung/instruction.md")
    assert [(file.inside, file.data) for file in made.given] == [("/opt/rung/instruction.md", b"Stand.\n\nBegin.\n")]
    assert made.env["RUNG_TASKS_URL"] == LAUNCH.tools_url
    assert str(agent.folder) == "mine"


def test_braces_that_are_no_place_are_left_alone():
    assert own(command=["jq", '{"a": {b: 1}}', "{}"]).facts.prepare(LAUNCH).argv == ("jq", '{"a": {b: 1}}', "{}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "command is a list of words, seen None"),
        ({"command": "run it"}, "command is a list of words, seen 'run it'"),
        ({"command": ["run", 3]}, "command is a list of words"),
        ({"command": ["{tool_url}"]}, r"command has \{tool_url\}, which nothing fills; there are \{tools_url\}"),
        ({"command": ["run"], "env": ["A"]}, "env is a table of strings"),
        ({"command": ["run"], "env": {"A": 1}}, "env.A is a string, seen 1"),
        ({"command": ["run"], "env": {"OPENAI_API_KEY": "abc"}}, "env.OPENAI_API_KEY looks like a secret"),
        ({"command": ["run"], "folder": 3}, "folder is the path of a folder, seen 3"),
        ({"comand": ["run"]}, "unknown key 'comand'.*did you mean 'command'"),
    ],
)
def test_what_cannot_be_a_program_is_refused_with_a_mend(options, said):
    with pytest.raises(UsageError, match=said):
        make("", options)


def test_a_placeholder_may_stand_where_a_program_wants_a_key():
    made = own(command=["run"], env={"OPENAI_API_KEY": KEY}).facts.prepare(LAUNCH)
    assert made.env["OPENAI_API_KEY"] == KEY


# --------------------------------------------------------------------------------------------- as a kind of agent


def test_a_program_is_named_in_the_config_by_its_kind():
    assert wiring.agent(AgentConfig(kind="command:claude-code", model="anthropic/x")).id == "command:claude-code"
    assert wiring.agent(AgentConfig(kind="command:codex", model="openai/x")).needs_model


def test_an_unknown_program_is_refused_with_the_nearest_and_its_options_with_their_names():
    with pytest.raises(UsageError, match="no program named 'claude'; did you mean 'claude-code'"):
        make("claude", {})
    with pytest.raises(UsageError, match="unknown key 'retries'"):
        make("pi", {"retries": 3})


def test_a_program_is_not_asked_step_by_step():
    with pytest.raises(UsageError, match='give protocol = "cell"'):
        make("pi", {}).actor(State({}), Ports(), Seed("x").rng())


# --------------------------------------------------------------------------------------------- what its files are


@pytest.mark.parametrize(
    ("name", "path", "kind"),
    [
        ("claude-code", ".claude/projects/-workspace/1.jsonl", "conversation"),
        ("claude-code", ".claude/projects/-workspace/1/subagents/agent-a.jsonl", "conversation"),
        ("claude-code", ".claude/projects/-workspace/memory/MEMORY.md", "files"),
        ("claude-code", ".claude/skills/dig/SKILL.md", "files"),
        ("claude-code", ".claude.json", "harness state"),
        ("claude-code", ".claude.json.backup", "harness state"),
        ("claude-code", ".claude/.last-cleanup", "harness state"),
        ("claude-code", ".cache/claude-cli-nodejs/-workspace/mcp-logs-tasks/1.jsonl", "cache"),
        ("claude-code", "notes.md", "files"),
        ("claude-code", ".codex/x", "files"),
        ("codex", ".codex/sessions/2026/11/30/rollout-1.jsonl", "conversation"),
        ("codex", ".codex/thread_history_1.sqlite-wal", "conversation"),
        ("codex", ".codex/state_5.sqlite-wal", "harness state"),
        ("codex", ".codex/skills/.system/imagegen/SKILL.md", "cache"),
        ("codex", ".codex/skills/dig/SKILL.md", "files"),
        ("codex", ".codex/AGENTS.md", "files"),
        ("pi", ".pi/agent/sessions/--workspace--/1.jsonl", "conversation"),
        ("pi", ".pi/agent/auth.json", "harness state"),
        ("pi", ".pi/agent/SYSTEM.md", "files"),
        ("pi", "a\nb", "files"),
    ],
)
def test_every_file_of_a_home_has_a_class(name, path, kind):
    assert PROGRAMS[name].rules.of(path) == kind


@pytest.mark.parametrize(
    ("name", "path"),
    [("claude-code", ".claude/new/x"), ("claude-code", ".claude.jsonx/y"), ("codex", ".codex/new"), ("pi", ".pi/new")],
)
def test_a_file_among_the_programs_own_that_no_rule_knows_is_an_error(name, path):
    rules = PROGRAMS[name].rules
    with pytest.raises(InstrumentFault, match="no rule says what"):
        rules.of(path)
    assert rules.unknown(["notes.md", path]) == (path,)


# --------------------------------------------------------------------------------------------- what it says


def lines(*objects):
    return [json.dumps(item) for item in objects]


def result(**fields):
    return {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "end_turn", **fields}


def end(name, *objects):
    return PROGRAMS[name].read_end(lines(*objects))


def test_claude_code_says_how_it_ended_by_is_error_and_not_by_its_subtype():
    assert end("claude-code", result(result="Done.")) == Said(True, True, None, "Done.")
    failed = result(is_error=True, api_error_status=401, terminal_reason="completed", result="Invalid API key")
    assert end("claude-code", failed) == Said(True, False, 401, "Invalid API key")
    assert end("claude-code", result(stop_reason="refusal", result="no")) == Said(True, False, None, "no")
    assert end("claude-code", {"type": "assistant"}) == Said()


def test_claude_code_goes_on_after_a_result_when_a_background_task_ends():
    going = [result(result="Done."), {"type": "system", "subtype": "init"}]
    assert end("claude-code", *going) == Said(False, False, None, "Done.")
    assert end("claude-code", *going, result(result="Again.")) == Said(True, True, None, "Again.")
    assert end("claude-code", result(result="Done."), {"type": "system", "subtype": "task_updated"}).over


def test_claude_code_says_whether_it_reached_its_tools():
    start = {"type": "system", "subtype": "init", "session_id": "s", "claude_code_version": "2"}
    connected = {**start, "mcp_servers": [{"name": "tasks", "status": "connected"}]}
    failed = {**start, "mcp_servers": [{"name": "tasks", "status": "failed"}, 3]}
    read = PROGRAMS["claude-code"].read_start
    assert read(lines(connected)) == Began("s", "2", True)
    assert read(lines(failed)) == Began("s", "2", False)
    assert read(["no json"]) == Began()


def test_codex_says_how_its_turn_ended():
    message = {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}}
    why = "exceeded retry limit, last status: 429 Too Many Requests"
    failed = {"type": "turn.failed", "error": {"message": why}}
    assert end("codex", message, {"type": "turn.completed"}) == Said(True, True, None, "Done.")
    assert end("codex", {"type": "error", "message": why}, failed) == Said(True, False, 429, why)
    assert end("codex", {"type": "error", "message": why}) == Said(False, False, 429, why)
    assert end("codex", {"type": "turn.completed"}) == Said(True, True, None, "")
    assert PROGRAMS["codex"].read_start(lines({"type": "thread.started", "thread_id": "t"})) == Began("t")


def test_an_error_that_codex_lived_through_is_not_its_end():
    again = {"type": "error", "message": "Reconnecting... 1/2 (unexpected status 529 <unknown status code>: x)"}
    assert end("codex", again, {"type": "turn.completed"}) == Said(True, True, None, "")


def test_pi_says_how_it_ended_in_its_last_message():
    def message(**fields):
        return {"type": "message_end", "message": {"role": "assistant", **fields}}

    settled = {"type": "agent_settled", "aborted": False}
    done = message(stopReason="stop", content=[{"type": "text", "text": "Done."}])
    failed = message(stopReason="error", errorMessage='401: {"message":"bad key"}', content=[])
    assert end("pi", done, settled) == Said(True, True, None, "Done.")
    assert end("pi", done) == Said(False, False, None, "Done.")
    assert end("pi", failed, settled) == Said(True, False, 401, '401: {"message":"bad key"}')
    assert end("pi", message(stopReason="length", content=[]), settled) == Said(True, False, None, "")
    assert PROGRAMS["pi"].read_start(lines({"type": "session", "id": "s"})) == Began("s")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("line", ["", "{", "[1]", "null", '{"type": 3}', '{"type": "result"}', "{" * 100_000])
def test_lines_that_mean_nothing_say_nothing(name, line):
    assert not PROGRAMS[name].read_end([line]).clean
    assert PROGRAMS[name].read_start([line]) == Began()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("claude-code", '{"type":"result"}'),
        ("codex", '{"type":"turn.failed"}'),
        ("codex", '{"type":"turn.completed"}'),
        ("pi", '{"type":"agent_settled"}'),
    ],
)
def test_the_line_after_which_a_session_is_over_is_known(name, line):
    assert PROGRAMS[name].last(line)
    assert not PROGRAMS[name].last('{"type":"assistant"}')


def test_a_program_of_ones_own_says_its_last_line():
    assert own(command=["x"]).facts.read_end(["a", "b", " ", ""]) == Said(text="b")


def test_only_a_line_feed_ends_a_line():
    assert split(b'{"a": "x\xe2\x80\xa8y"}\n\xff\n') == ['{"a": "x\u2028y"}', "\ufffd", ""]
