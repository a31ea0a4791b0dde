"""An agent of two functions that learns answers by heart: what it met it keeps (G0), and to new tasks it knows nothing.

`rung check examples/notes_agent.py` tries it; see also `rung init`.
"""

import re

FILES = {"notes.txt": ""}


def act(view, files):
    """Answer with what the notes say of the number shown, and without a note with 0."""
    notes = dict(re.findall(r"^([0-9]+) ([0-9]+)$", files.get("notes.txt", ""), re.MULTILINE))
    shown = re.findall(r"[0-9]{1,20}", view.text[:1000])
    return notes.get(shown[-1], "0") if shown else "0"


def refine(feedback, files):
    """What the agent was told of one task, and its own texts: give back the new texts, or None to leave them."""
    told = feedback.trajectory[-1].feedback if feedback.trajectory else None  # None where the study hides the verdict
    right = re.search(r"right answer to ([0-9]+) was ([0-9]+)", told or "")
    if right is None:
        return None
    return {**files, "notes.txt": files.get("notes.txt", "") + f"{right[1]} {right[2]}\n"}
