"""An agent for tasks of your own, and how it improves itself: two functions, yours to change.

`rung check my_agent.py` tries them against what every agent and method promises; `rung run rung.toml` measures them.

As it stands the agent says the same to everything, so that it scores next to nothing and gains nothing. What it is told
after each task it keeps in notes.txt. Put your model where `act` says so, let it read the notes, and see what they are
worth: G0 on tasks met again, G1 on tasks like them, G2 on harder ones.
"""

from collections.abc import Mapping

from rung.core.values import Call, FeedbackResult, View

FILES = {"notes.txt": ""}
"""The texts the agent starts with, by name: prompts, notes, code, whatever it may change of itself."""

MOST_NOTES = 50


def act(view: View, files: Mapping[str, str]) -> str | Call:
    """Answer a task. Called once for each; nothing is kept in between but what lies in `files`.

    view.rules   how an answer is given
    view.text    the prompt of your task
    files        the agent's own texts by name

    The whole text that is returned is the answer, or what follows `Answer:` on its last line. What is raised here ends
    the task, which scores 0.
    """
    # Ask your model here: with view.rules, the notes in files["notes.txt"], and view.text.
    return "I do not know."


def refine(feedback: FeedbackResult, files: Mapping[str, str]) -> Mapping[str, str] | None:
    """Change the agent after a task; `act` is given the new texts from the next task on.

    feedback.task         family, setting, rules, payload: `prompt` in it is the prompt of your task
    feedback.trajectory   one step, with prompt, action and response
    feedback.evaluation   success, score, and the task's own `feedback`; None where the study hides it
    files                 the agent's own texts by name, as they are

    Give all its texts as they shall be, or None to leave them. What is raised here is recorded, and changes nothing.
    """
    if feedback.evaluation is None or not feedback.evaluation.feedback:
        return None
    lesson = " ".join(feedback.evaluation.feedback.split())
    notes = files.get("notes.txt", "").splitlines()
    if lesson in notes:
        return None
    return {**files, "notes.txt": "\n".join([*notes, lesson][-MOST_NOTES:]) + "\n"}
