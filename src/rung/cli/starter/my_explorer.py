"""An agent for Trust that judges itself: of two moves it plays the one that its hints judge better.

What it says of a move is what that move earns if the opponent does again what it did last. Moves are judged one by one,
so cheating looks better in every study, and what cooperation would have earned later is seen by none: expect no gain.
`rung check my_agent.py` tries it; see docs/guide/explore.md.
"""

import re
from collections.abc import Mapping

from rung.core.values import View

EARNS = {"collaborate": {"collaborate": 2, "cheat": -1}, "cheat": {"collaborate": 3, "cheat": 0}}
"""What a move earns, by the opponent's."""


def act(view: View, files: Mapping[str, str]) -> str:
    """Play the move that was judged to earn more so far, by turns while one of them was never judged."""
    judged: dict[str, list[float]] = {move: [] for move in EARNS}
    for move, score in re.findall(r"Answer: (collaborate|cheat), Score: (-?[0-9]+(?:\.[0-9]+)?)", view.rules):
        judged[move].append(float(score))
    played = re.findall(r"Opponent: (collaborate|cheat)", view.text)
    if all(judged.values()):
        move = max(EARNS, key=lambda each: sum(judged[each]) / len(judged[each]))
    else:
        move = list(EARNS)[len(played) % 2]
    return f"Answer: {move}, Score: {EARNS[move][played[-1] if played else 'collaborate']}"
