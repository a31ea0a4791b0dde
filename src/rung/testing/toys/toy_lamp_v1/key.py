"""The answers, the naive and the solver policy of `toy-lamp-v1`."""

from rung.testing.toys._riddle import RiddleKey
from rung.testing.toys.toy_lamp_v1.game import FAMILY

KEY = RiddleKey(FAMILY)
