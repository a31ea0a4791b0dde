"""What an agent meets: a hill, its two ends, and one guess of where the top is.

Copy this folder, name it like `my_game_v1`, and give FAMILY the id `my-game-v1`: the folder's name with dashes. Then
`rung check ./my_game_v1` tries it against all that a game promises. Nothing in this file may import key.py.
"""

import re
from dataclasses import dataclass

from rung.core.canonical import JSON, fingerprint
from rung.core.errors import UsageError
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Evaluation, Invalid, Reply, Scale, Setting, Task, Tool, View

WIDTH, STEP = 100, 10  # at d1 the hill is WIDTH wide, and at dN it is N times as wide
CONSTANTS = fingerprint(["peak", 1, WIDTH, STEP])  # changed numbers make other tasks, and so another version


def peak_of(seed: Seed, width: int) -> int:
    """Where the top is. What is hidden is drawn from the task's seed, each thing from a stream with a name."""
    return seed.child("peak").rng().randrange(width + 1)


class Peak:
    """The family: how tasks are drawn, what their rules are, and how a text is read."""

    id = "peak-v1"
    capability = "reasoning"  # G3 is measured between games of one capability, G4 between games of different ones
    scale = Scale("closeness", low=0.0, high=1.0, floor=0.0)  # floor: what doing nothing scores
    replayable = True  # the same calls make the same episode

    def settings(self) -> list[Setting]:
        """The difficulties that are listed and tested; any other dN is legal as well."""
        return [self.setting(f"d{n}") for n in (1, 2, 3)]

    def setting(self, name: str) -> Setting:
        """A setting by name; an unknown name is the caller's mistake, and the message names it."""
        difficulty = Setting(name).difficulty
        if difficulty is None:
            raise UsageError(f"{self.id} has no setting {name!r}; its settings are d1, d2 and so on")
        return Setting(name, {"width": difficulty * WIDTH})

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """One task: pure, fast, never rejecting. The payload is plain JSON, and all that an agent may be told."""
        width = int(str(setting.params["width"]))
        top, step = peak_of(seed, width), seed.child("step").rng().randrange(2, STEP)
        high = step * width + seed.child("height").rng().randrange(1000)
        payload = {"width": width, "step": step, "left": high - step * top, "right": high - step * (width - top)}
        return Task(self.id, setting, seed.path, payload, CONSTANTS, calls=1)

    def rules(self, task: Task) -> str:
        """What an agent reads. Every number in it comes from the payload."""
        width, step = task.payload["width"], task.payload["step"]
        hill = f"A hill stands on places 0 to {width}. It rises by {step} with each place from either end to its top."
        return f"{hill} Say where the top is, as one whole number. One guess: 1 at the top, and less the farther off."

    def parse(self, text: str) -> Call | Invalid:
        """The one door for text. It matches what is allowed, in plain digits, and evaluates nothing."""
        found = re.fullmatch(r"\s{0,9}([0-9]{1,9})\s{0,9}", text)
        return Call("guess", {"place": int(found[1])}) if found else Invalid("answer with one whole number alone")

    async def start(self, task: Task, ports: Ports) -> "Climb":
        """A fresh episode: all that changes lies in it, and nothing of it in the family."""
        width = int(str(task.payload["width"]))
        return Climb(task, width, peak_of(Seed(task.seed), width))


@dataclass
class Climb:
    """One task being worked: a function of the task and the calls, and of nothing else."""

    task: Task
    width: int
    top: int
    guess: int | None = None
    over: bool = False

    def view(self) -> View:
        """What there is to see now. Looking changes nothing."""
        ends = self.task.payload
        place: JSON = {"place": {"type": "integer", "minimum": 0, "maximum": self.width}}
        tool = Tool("guess", "Say where the top is.", {"type": "object", "properties": place, "required": ["place"]})
        return View(f"Height at place 0: {ends['left']}, at place {self.width}: {ends['right']}.", tools=(tool,))

    async def call(self, call: Call | Invalid) -> Reply:
        """Take one call. It counts whatever it is, and a bad one gets one line and no exception."""
        if self.over or isinstance(call, Invalid):
            self.over = True
            return Reply("no guess was taken: " + getattr(call, "reason", "it is over"), done=True, invalid=True)
        self.over, place = True, call.arguments.get("place")  # may be anything; True is no whole number either
        if call.tool != "guess" or type(place) is not int or not 0 <= place <= self.width:
            return Reply("guess takes a place on the hill, as a whole number", done=True, invalid=True)
        self.guess = place
        # `text` reaches every agent, so it tells no verdict; `feedback` passes only where the study lets it.
        return Reply("Your guess was taken.", done=True, feedback=f"The top was at {self.top}.")

    async def evaluate(self) -> Evaluation:
        """Measure the episode as it stands, finished or not. Without a legal guess it scores the floor."""
        off = self.width if self.guess is None else abs(self.guess - self.top)
        score = max(0.0, 1.0 - 2 * off / self.width)
        return Evaluation("completed" if self.over else "cancelled", off == 0, score, metrics={"off": off})


FAMILY = Peak()
