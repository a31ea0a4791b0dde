"""An agent and how it improves itself: two functions, yours to change.

`rung check my_agent.py` tries them against what every agent and method promises; `rung run rung.toml` measures them.
As it stands the agent learns answers by heart. It does better when it meets a task again (G0), and no better on new
ones (G1 and above). Make it learn something that carries.
"""

import re
from collections.abc import Mapping

from rung.core.values import Call, FeedbackResult, View

FILES = {"notes.txt": ""}
"""The texts the agent starts with, by name: prompts, notes, code, whatever it may change of itself."""


def act(view: View, files: Mapping[str, str]) -> str | Call:
    """Choose the next action of one task; called once a step, with nothing kept in between but what `view` shows.

    view.rules   the rules of the game
    view.text    what there is to see now
    view.reply   what the game said to the last action, empty at first
    view.tools   what may be called: name, description, parameters
    files        the agent's own texts by name, to be read

    Answer with text, which the game reads as the rules say, or with `Call(tool, arguments)`. What is raised here ends
    the task, which is scored as it stands.
    """
    for note in files["notes.txt"].splitlines():
        seen, _, answer = note.partition(" -> ")
        if seen == view.text:
            return answer
    return "0"


def refine(feedback: FeedbackResult, files: Mapping[str, str]) -> Mapping[str, str] | None:
    """Change the agent after one task; `act` is given the new texts from the next task on.

    feedback.task         family, setting, rules, payload
    feedback.trajectory   the steps in order, each with prompt, action, response, score, success, feedback
    feedback.evaluation   status, success, score, metrics, feedback
    files                 the agent's own texts by name, as they are

    Give all its texts as they shall be, or None to leave them. What is raised here is recorded, and changes nothing.
    """
    learned = ""
    for step in feedback.trajectory:
        right = re.search(r"was ([0-9]+)", step.feedback or "")
        if right and not step.success:
            learned += f"{step.prompt} -> {right[1]}\n"
    return {**files, "notes.txt": files["notes.txt"] + learned} if learned else None
