"""A toy of known truth: a lock shows a number, and one other number opens it.

Naive scores exactly 0, the solver exactly 1; an agent that solves with probability q gains exactly q.
"""

from rung.testing.toys._riddle import Riddle

FAMILY = Riddle("toy-lock-v1", "reasoning", thing="lock", turns=1)
