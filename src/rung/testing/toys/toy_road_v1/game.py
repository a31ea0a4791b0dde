"""A toy of known truth in two calls: a road has two signposts, and each is half of the score.

Naive scores exactly 0, the solver exactly 1; an agent that solves with probability q gains exactly q.
This holds whether the agent decides once for the task or afresh at each signpost; its success rate is q or q * q.
"""

from rung.testing.toys._riddle import Riddle

FAMILY = Riddle("toy-road-v1", "planning", thing="signpost", turns=2)
