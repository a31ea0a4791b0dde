"""A small cell of a real program in a sandbox, in a process of its own that dies where it is told to.

    python cell_study.py FOLDER CONCURRENCY [LABEL PASSES]
    python cell_study.py FOLDER rung WORDS...                   any command of rung, run in the folder

It says "go" before it starts, and then, when the instrument is gone, "survivors" and the processes that are left, if
any: whatever the instrument had started comes to this process when it loses its parent. Run again it goes on.

The program is deterministic, and what it leaves tells which tasks it met and nothing of how often it was started, so
that a run that was cut off leaves what one leaves that was not.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

from rung import cli
from rung.core.config import Config, ExamConfig, parse
from rung.protocols import launch, wiring
from rung.protocols.launch import Wishes
from rung.testing.crashes import die_at

SECRET = "a fixed secret for tests"
ROAD = {"family": "toy-road-v1", "difficulty": 1}
PATIENCE_SECONDS = 60
PR_SET_CHILD_SUBREAPER = 36

AGENT = '''
"""Works every task with the plainest call, leaves a file for each that it met, and says which it was handed."""
import os
from pathlib import Path
from rung_tasks import call, get_task

notes = Path(os.environ["HOME"], "notes")
notes.mkdir(exist_ok=True)
while not (task := get_task()).get("done"):
    print("handed", task["task"], flush=True)
    (notes / task["task"]).write_text("met")
    Path("large").write_bytes(b"x" * 300_000)
    while call("answer", task["task"], value=1).get("ended") is False:
        pass
'''


def config(concurrency: int = 1) -> Config:
    """A cell of two lineages, each with two tasks to work, and two tasks held out."""
    document = {
        "name": "crashing",
        "protocol": "cell",
        "seed": 5,
        "lineages": 2,
        "agent": {"kind": "command", "command": ["python3", "/opt/rung/program/agent.py"], "folder": "agent"},
        "cell": {"sentinels": 1},
        "exam": {"secret": SECRET, "repeats": 1, "baseline_repeats": 1, "reruns": 0},
        "tasks": {"schedule": [{**ROAD, "count": 2}], "holdout": [{**ROAD, "count": 2}]},
        "engine": {"concurrency": concurrency},
    }
    return parse(document)


def run(folder: Path, concurrency: int = 1) -> None:
    """Run it, or go on with it."""
    program = folder / "agent"
    program.mkdir(parents=True, exist_ok=True)
    (program / "agent.py").write_text(AGENT)
    drawn = config(concurrency)
    arms = wiring.arms(drawn.model_copy(update={"exam": ExamConfig()}), base=folder)  # they may have no fixed secret
    launch.run(drawn, folder / "run", Wishes(base=folder), arms=arms)


def _instrument(folder: Path, how: str, *words: str) -> None:
    """Never returns."""
    if how == "rung":
        os.chdir(folder)
        cli.main(words)
    if words:
        die_at(words[0], int(words[1]))
    run(folder, int(how))
    os._exit(0)


def main(folder: str, how: str, *words: str) -> None:
    """The instrument in a child of this process, which waits for all that comes of it."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    instrument = os.fork()
    if not instrument:
        _instrument(Path(folder), how, *words)
    os.write(1, f"go {instrument}\n".encode())
    _, status = os.waitpid(instrument, 0)
    os.write(1, f"survivors {' '.join(_left())}\n".encode())
    os._exit(os.waitstatus_to_exitcode(status) % 256)


def _left() -> list[str]:
    """What still lives when it has had a while to end by itself, by command line."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.alarm(PATIENCE_SECONDS)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return []
    except InterruptedError:
        pids = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        return [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids]


if __name__ == "__main__":
    main(*sys.argv[1:])
