"""The answers, the naive and the solver policy of `toy-lock-v1`."""

from rung.testing.toys._riddle import RiddleKey
from rung.testing.toys.toy_lock_v1.game import FAMILY

KEY = RiddleKey(FAMILY)
