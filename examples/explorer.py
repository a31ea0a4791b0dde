"""An agent for Trust that judges itself: of two moves it plays the one that its hints judge better.

What it says of a move is what that move earns if the opponent collaborates. So it is too sure of both, and a study that
tells it the verdict instead tells it more. `rung check examples/explorer.py` tries it; see docs/guide/explore.md.
"""

import re

HOPED = {"collaborate": 2, "cheat": 3}


def act(view, files):
    """Play the move that was judged to earn more so far, by turns while one of them was never judged."""
    judged = {move: [] for move in HOPED}
    for move, score in re.findall(r"Answer: (collaborate|cheat), Score: (-?[0-9]+(?:\.[0-9]+)?)", view.rules):
        judged[move].append(float(score))
    if all(judged.values()):
        move = max(HOPED, key=lambda each: sum(judged[each]) / len(judged[each]))
    else:
        turn = len(re.findall(r"^[0-9]+: ", view.text, re.MULTILINE))
        move = list(HOPED)[turn % 2]
    return f"Answer: {move}, Score: {HOPED[move]}"
