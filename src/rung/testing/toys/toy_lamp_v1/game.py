"""A toy of known truth: the lock's riddle under another key, so that nothing learned of one helps with the other.

Naive scores exactly 0, the solver exactly 1; an agent that solves with probability q gains exactly q.
"""

from rung.testing.toys._riddle import Riddle

FAMILY = Riddle("toy-lamp-v1", "reasoning", thing="lamp", turns=1)
