"""A program for the tests of cells: a Python file that does as its environment says, in a real sandbox."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rung.backends.servers.played import Played
from rung.core.config import Config, parse
from rung.core.proxied import Answer, Heard, Refused, Said
from rung.protocols import launch
from rung.protocols.launch import Wishes
from rung.reports import ladder
from rung.reports.values import LadderReport
from rung.store.journal import SqliteJournal
from rung.store.run_directory import RunDirectory

from .studies import LOCK

MODEL = "scripted/played"

AGENT = '''
"""Works tasks; WORK and EXAM say what it does instead in its working session and in an exam."""
import json, os, socket, sys, threading, time, urllib.error, urllib.request
from pathlib import Path
from rung_tasks import call, get_task, queue_info

notes = Path(os.environ["HOME"]) / "notes.json"
known = json.loads(notes.read_text()) if notes.exists() else {}
working = "Get better" in Path(sys.argv[2]).read_text()
mode = os.environ.get("WORK" if working else "EXAM", "all")

def work(most=10**9):
    done = 0
    while done < most:
        task = get_task()
        if task.get("done"):
            return
        answer = call("answer", task["task"], value=1)
        known["worked"] = known.get("worked", 0) + 1
        notes.write_text(json.dumps(known))
        print(answer.text, flush=True)
        done += 1

def ask():
    body = {"model": "m", "max_tokens": 16, "messages": [{"role": "user", "content": "hello"}]}
    url = sys.argv[1] + "/v1/messages"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    return urllib.request.urlopen(request).read()

def all(): work()
def one(): work(1)
def none(): pass
def sleep(): work(1); time.sleep(600)
def naps(): work(1); time.sleep(2); work()
def spin(): work(1); exec("while True: pass")
def raises(): work(1); raise SystemExit("broken")
def memory(): work(1); held = [bytearray(1 << 20) for _ in range(4096)]; time.sleep(60)
def disk():
    work(1)
    for number in range(4096):
        Path(f"big{number}").write_bytes(os.urandom(1 << 20))
def loop():
    work(1)
    while True: queue_info()
def idle():
    work()
    while True: get_task(); time.sleep(0.05)
def spends():
    work(1)
    for _ in range(100): ask()
def asks():
    work(1); ask(); work()
def shrugs():
    work(1)
    try: ask()
    except urllib.error.HTTPError: pass
def refused(): work(1); print(ask())
def takes(): get_task()
def takes_and_spins(): get_task(); exec("while True: pass")
def takes_and_asks(): get_task(); print(ask())
def hangs_up():
    task = get_task()["task"]
    host = os.environ["RUNG_TASKS_URL"].split("/")[2].split(":")
    path = "/" + os.environ["RUNG_TASKS_URL"].split("/", 3)[3].removesuffix("/mcp") + "/call"
    body = json.dumps({"tool": "answer", "arguments": {"task": task, "value": 1}}).encode()
    with socket.create_connection((host[0], int(host[1]))) as line:
        line.sendall(f"POST {path} HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: {len(body)}\\r\\n".encode())
        line.sendall(b"Content-Type: application/json\\r\\n\\r\\n" + body)
    time.sleep(0.5)
def at_once():
    while not (task := get_task()).get("done"):
        calls = [threading.Thread(target=call, args=("answer", task["task"]), kwargs={"value": 1}) for _ in range(4)]
        for each in calls: each.start()
        for each in calls: each.join()
def links():
    work()
    os.symlink("/etc/passwd", "link"); os.mkfifo("fifo"); Path("ok").write_text("ok")
    Path(os.fsdecode(b"odd-\\xff")).write_text("odd")

globals()[mode]()
'''


def config(**changes: Any) -> Config:
    """A cell of one lineage with four tasks to work and two held out; `WORK` and `EXAM` say what the program does."""
    env = {name: changes.pop(name) for name in ("WORK", "EXAM") if name in changes}
    agent: dict[str, Any] = {
        "kind": "command",
        "command": ["python3", "/opt/rung/program/agent.py", "{models_url}", "{instruction_file}"],
        "folder": "agent",
        "env": env,
        "model": MODEL,
    }
    document = {
        "name": "cell",
        "protocol": "cell",
        "lineages": 1,
        "agent": agent,
        "cell": {"sentinels": 0, **changes.pop("cell", {})},
        "exam": {"repeats": 1, "reruns": 0},
        "budget": {"tokens": 10**9, **changes.pop("budget", {})},
        "tasks": {"schedule": [{**LOCK, "count": 4}], "holdout": [{**LOCK, "count": 2}]},
        **changes,
    }
    return parse(document)


def fine(heard: Heard) -> Answer:
    return Said(("fine",))


def refusing(status: int, message: str = "no") -> Callable[[Heard], Answer]:
    return lambda heard: Refused(status, message)


@dataclass
class Run:
    """A cell on disk, run for real, as often as it takes."""

    folder: Path
    settings: Config = field(default_factory=config)
    brain: Callable[[Heard], Answer] = fine
    warned: list[str] = field(default_factory=list)

    @property
    def directory(self) -> RunDirectory:
        return RunDirectory(self.folder / "run")

    def run(self) -> "Run":
        program = self.folder / "agent"
        program.mkdir(exist_ok=True)
        (program / "agent.py").write_text(AGENT)
        wishes = Wishes(base=self.folder, warn=self.warned.append, upstreams={MODEL: Played(self.brain, MODEL)})
        launch.run(self.settings, self.folder / "run", wishes)
        return self

    def facts(self, kind: str, under: str = "") -> Mapping[str, Any]:
        journal = SqliteJournal(self.directory.journal)
        try:
            return {fact.path: fact.value for fact in journal.facts(under=under, kind=kind)}
        finally:
            journal.close()

    def report(self) -> LadderReport:
        journal = SqliteJournal(self.directory.journal)
        try:
            return ladder.read(journal)
        finally:
            journal.close()

    @property
    def ending(self) -> str:
        """How its one working session ended."""
        return str(self.facts("ended")["command/L1/work"]["ending"])

    @property
    def worked(self) -> int:
        """Tasks of the working session that have a score."""
        return sum("score" in value for value in self.facts("sealed", "command/L1").values())
