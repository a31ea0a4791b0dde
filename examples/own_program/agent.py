"""A program that gets better at farming by itself: it tries crops, and keeps what each earned in a file of its home.

It is told nothing but that there are tasks. What it leaves in its home is all that its forks have in the exam. It
plants one crop, once, so it has much left to learn; what it learns carries to other farms, where crops have the same
names.
"""

import re
from pathlib import Path

from rung_tasks import call, get_task  # beside every program that is started: one file, no MCP needed

NOTES = Path.home() / "earned.txt"
HOPE = 300  # what a crop is thought to earn that was never planted: enough to try it


def main() -> None:
    """Work until there are no more tasks."""
    while not (task := get_task()).get("done"):
        earned = notes()
        crops = re.findall(r"^ *([a-z]+) +([0-9]+) +([0-9]+) +[0-9]+ +[0-9]+ *$", task.text, re.MULTILINE)
        cash, plots = map(int, re.findall(r"Cash ([0-9]+), plots ([0-9]+)", task.text)[0])
        name, seed, days = max(crops, key=lambda crop: earned.get(crop[0], HOPE))
        answer = call("submit_plan", task["task"], plan=once(name, min(cash // int(seed), plots), int(days)))
        if "metrics" in answer:  # an exam does not tell
            earned[name] = answer["metrics"].get("profit", 0)
            NOTES.write_text("".join(f"{crop} {profit}\n" for crop, profit in earned.items()))


def once(crop: str, count: int, days: int) -> dict[str, object]:
    """Plant so many of one crop on the first day, and sell what comes of it."""
    first = {"buy": {crop: count}, "plant": {crop: count}}
    return {"1": first, str(1 + days): {"harvest": "all", "sell": "all"}}


def notes() -> dict[str, float]:
    """What each crop earned when it was planted last."""
    lines = NOTES.read_text().splitlines() if NOTES.exists() else []
    return {crop: float(profit) for crop, profit in (line.split() for line in lines)}


if __name__ == "__main__":
    main()
