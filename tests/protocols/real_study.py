"""A cell of a real agent program on three real games, over a scripted model that learns from its own conversation.

    python -m protocols.real_study PROGRAM EXAMS TASKS      runs in a folder of its own, and prints what came of it

Before it has seen the feedback of one task it plays as who has never played: it plans nothing, fights with nothing and
trusts everybody. After, it plays a plain good game. So the gain is known: it is that of the one play over the other,
on the tasks of the exam.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rung.backends.servers.played import Played
from rung.core import registry
from rung.core.canonical import JSON
from rung.core.config import Config, parse
from rung.core.ports import Ports
from rung.core.proxied import Answer, Brain, Heard, Said, ToolCall
from rung.core.values import Call, Task
from rung.protocols import launch, plan
from rung.protocols.launch import Wishes
from rung.reports import ladder
from rung.reports.values import LadderReport
from rung.store.journal import SqliteJournal

MODEL = "scripted/learner"
GAMES = ({"family": "farm-v1"}, {"family": "combat-v1"}, {"family": "trust-v1"})
CROP = re.compile(r"^(\w+) +(\d+) +(\d+) +(\d+) +(\d+)$", re.MULTILINE)
HAND = re.compile(r"^turn +(\d+): .*?Strike(?: x(\d))?", re.MULTILINE)
OVER = re.compile(r"no more tasks|session is over")
NEXT = re.compile(r"has ended\.|^recorded$", re.MULTILINE)


def farm(shown: str, *, learned: bool) -> dict[str, JSON]:
    """Plants one field of the first crop that there is money for, and sells it."""
    cash, plots = (
        int(found[1]) for found in (re.search(r"Cash (\d+)", shown), re.search(r"plots (\d+)", shown)) if found
    )
    name, seed, days = next((each[0], int(each[1]), int(each[2])) for each in CROP.findall(shown))
    many = {name: min(plots, cash // seed)}
    plan: dict[str, JSON] = {
        "1": {"buy": dict(many), "plant": dict(many)},
        str(1 + days): {"harvest": "all", "sell": "all"},
    }
    return {"plan": plan if learned else {}}


def combat(shown: str, *, learned: bool) -> dict[str, JSON]:
    """Strikes with all that can be paid for."""
    strikes = {turn: ["Strike"] * min(3, int(many or 1)) for turn, many in HAND.findall(shown)}
    return {"plays": dict(strikes) if learned else {}}


def trust(shown: str, *, learned: bool) -> dict[str, JSON]:
    """Trusts nobody."""
    return {"move": "cheat" if learned else "collaborate"}


PLAYS: Mapping[str, Callable[..., dict[str, JSON]]] = {"submit_plan": farm, "fight": combat, "choose": trust}


def brain(heard: Heard) -> Answer:
    """Takes tasks and plays them, as well as its conversation has taught it."""
    last = "\n".join(result.text for turn in heard.turns[-1:] for result in turn.results)
    taken = [result.text for result in heard.results if re.search(r"^task: ", result.text, re.MULTILINE)]
    if OVER.search(last):
        return Said(("I am done.",))
    if not last or not taken or NEXT.search(last):
        return _calls(heard, "get_task")
    task, tool = (
        re.search(r"^task: (\S+)", taken[-1], re.MULTILINE),
        re.search(r"^tools: (\w+)", taken[-1], re.MULTILINE),
    )
    assert task is not None
    assert tool is not None
    learned = any("\nscore: " in result.text for result in heard.results)
    return _calls(heard, tool[1], task=task[1], **PLAYS[tool[1]](last, learned=learned))


def _calls(heard: Heard, verb: str, **arguments: JSON) -> Answer:
    offer = heard.named(verb)
    assert offer is not None, [tool.full for tool in heard.tools]
    return Said((ToolCall(offer.name, arguments, namespace=offer.namespace),))


def config(program: str, exams: int, tasks: int) -> Config:
    """So many sealed tasks and tasks to work of each of the games."""
    document = {
        "name": "real",
        "protocol": "cell",
        "lineages": 1,
        "agent": {"kind": f"command:{program}", "model": MODEL},
        "cell": {"sentinels": 1},
        "exam": {"repeats": 1, "baseline_repeats": 1, "reruns": 0},
        "budget": {"tokens": 10**9},
        "tasks": {
            "schedule": [{**game, "difficulty": 1, "count": tasks} for game in GAMES],
            "holdout": [{**game, "difficulty": 1, "count": exams} for game in GAMES],
        },
        "engine": {"concurrency": 2},
    }
    return parse(document)


def run(folder: Path, program: str, exams: int, tasks: int, model: Brain = brain) -> dict[str, Any]:
    """What came of it: scores before and after, by exam place, beside what they must be, and what the report says."""
    settings = config(program, exams, tasks)
    wishes = Wishes(base=folder, upstreams={MODEL: Played(model, MODEL)})
    made = launch.run(settings, folder / "run", wishes)
    secret = made.read_secret()
    assert secret is not None
    drawn = plan.make(settings, secret=secret)
    journal = SqliteJournal(made.journal, read_only=True)
    try:
        return {**_told(journal, ladder.read(journal)), **asyncio.run(_known(drawn.exam.tasks))}
    finally:
        journal.close()


def _told(journal: SqliteJournal, report: LadderReport) -> dict[str, Any]:
    assert report.programs is not None
    session, cost = report.programs.sessions[0], report.arms[0].improving.calls
    assert cost is not None
    exam = {fact.path.split("/")[1]: {} for fact in journal.facts(under="exam", kind="sealed")}
    for fact in journal.facts(under="exam", kind="sealed"):
        exam[fact.path.split("/")[1]][int(fact.path.split("/")[2])] = fact.value["score"]
    shipped = journal.get(session.arm, "arm")["A_0"]
    return {
        "before": list(exam[shipped].values()),
        "after": list(exam[f"{session.arm}.L1"].values()),
        "gains": {rung.target.split()[0]: rung.gain.value for rung in report.arms[0].rungs if rung.level == "G1"},
        "endings": sorted({fact.value["ending"] for fact in journal.facts(kind="ended")}),
        "versions": [session.version, session.pinned],
        "worked": session.worked,
        "went_on": [
            fact.value["after"] is not None for fact in journal.facts(under=f"{session.arm}/L1/work", kind="began")
        ],
        "egress": session.egress,
        "odd": list(session.odd),
        "legs": report.programs.legs,
        "unseen": report.programs.unseen,
        "incomplete": list(report.incomplete),
        "calls": cost.answered,
        "tokens": cost.tokens,
    }


async def _known(tasks: Sequence[Task]) -> dict[str, list[Any]]:
    """The tasks of the exam as the two plays come out, without any program."""
    return {
        "families": [task.family for task in tasks],
        "poor": [await _played(task, learned=False) for task in tasks],
        "good": [await _played(task, learned=True) for task in tasks],
    }


async def _played(task: Task, *, learned: bool) -> float:
    family = registry.family(task.family)
    episode = await family.start(task, Ports())
    tool = episode.view().tools[0].name  # the one it knows, also in a shop
    for _ in range(task.calls):
        call = Call(tool, PLAYS[tool](episode.view().text, learned=learned))
        if (await episode.call(call)).done:
            break
    return (await episode.evaluate()).score


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(json.dumps(run(Path(place), sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
