"""An agent and how it improves itself: two functions, yours to change.

`rung check my_agent.py` tries them against what every agent and method promises; `rung run rung.toml` measures them.

As it stands the agent plays farm-v1: it plants one crop, once, and notes what that crop earned. See what an agent
meets with `rung tasks show farm-v1 --difficulty 1`.

What to expect of `rung run rung.toml`, within ten seconds: about +0.3 on G0 (tasks met again, [0.25, 0.37]) and +0.2 to
+0.4 on G1 (new farms; the exam is drawn anew for each run, so that its number varies), and a little on G2 (larger
farms). It is a real gain of a modest kind: crops are called the same on every farm, and what each earned is noted. It
knows one game alone, so that on any other it scores what a newcomer does or less.
"""

import json
import re
from collections.abc import Mapping

from rung.core.values import Call, FeedbackResult, View

FILES = {"profits.txt": ""}
"""The texts the agent starts with, by name: prompts, notes, code, whatever it may change of itself."""


HOPE = 300
"""What a crop is thought to earn that was never planted: enough to try it."""


def act(view: View, files: Mapping[str, str]) -> str | Call:
    """Choose the next action of a task. Called once a step; nothing is kept in between but what `view` shows.

    view.rules   the rules of the game
    view.text    what there is to see now
    view.reply   what the game said to the last action; empty at first
    view.tools   what may be called: name, description, parameters
    files        the agent's own texts by name

    Answer with text, which the game reads as its rules say, or with `Call(tool, arguments)`. What is raised here ends
    the task, which is scored as it stands.
    """
    profits = known(files)
    crops = re.findall(r"^([a-z]+) +([0-9]+) +([0-9]+) +[0-9]+ +[0-9]+$", view.text, re.MULTILINE)
    limits = re.match(r"Cash ([0-9]+), plots ([0-9]+)", view.text)
    if not crops or not limits:
        return "I know nothing but farms."
    name, seed, days = max(crops, key=lambda crop: profits.get(crop[0], HOPE))
    count = min(int(limits[1]) // int(seed), int(limits[2]))
    first_day = {"buy": {name: count}, "plant": {name: count}}
    return json.dumps({"plan": {"1": first_day, str(1 + int(days)): {"harvest": "all", "sell": "all"}}})


def refine(feedback: FeedbackResult, files: Mapping[str, str]) -> Mapping[str, str] | None:
    """Change the agent after a task; `act` is given the new texts from the next task on.

    feedback.task         family, setting, rules, payload
    feedback.trajectory   the steps in order, each with prompt, action, response, score, success, feedback
    feedback.evaluation   status, success, score, metrics, feedback; None where the study hides it
    files                 the agent's own texts by name, as they are

    Give all its texts as they shall be, or None to leave them. What is raised here is recorded, and changes nothing.
    """
    if feedback.evaluation is None:
        return None
    profit = feedback.evaluation.metrics.get("profit")
    planted = [
        found[1] for step in feedback.trajectory if (found := re.search(r'"plant": {"([a-z]+)"', str(step.action)))
    ]
    if not planted or not isinstance(profit, int):
        return None
    profits = {**known(files), planted[0]: profit}
    return {**files, "profits.txt": "".join(f"{name} {earned}\n" for name, earned in profits.items())}


def known(files: Mapping[str, str]) -> dict[str, int]:
    """What each crop earned when it was planted last, as the agent noted it."""
    notes = re.findall(r"^([a-z]+) (-?[0-9]{1,9})$", files.get("profits.txt", ""), re.MULTILINE)
    return {name: int(earned) for name, earned in notes}
