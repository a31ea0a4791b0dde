"""Exploring (S3Gym, section 4): does an agent get better at a strict game by judging its own play of a permissive one?

    for every arm, game and lineage, beginning at A_0:
        for x = 1 .. episodes:
            play the game on its permissive setting, saying with each action what it will earn
            let the steps be judged; the verdict stays with the instrument
            let the pathway refine what the agent is, told the judged trajectory
            every m episodes: keep the state as a checkpoint
    then let A_0 and all checkpoints sit the strict games, sealed, shuffled together

An arm is a pathway: a method (`history`, `summary`, `training`) whose `refine` is asked after every exploration
episode, and of whose state the acting part is what checkpoints examine. All arms meet the same exploration tasks in a
lineage and the same sealed ones at a checkpoint. These come nowhere else, and nobody is told of them: an exam is
without feedback, each attempt in a fresh fork, and comes when all exploring is over.

One A_0 serves all arms that begin alike. It sits every sealed task of its game, so that a checkpoint has a baseline on
its own tasks too.

What is on record, beside what every attempt has (`rung.protocols.record`); `history` is an arm:

    history                                initial, arm: A_0, as in a ladder; `judge`, whose judgement the arm is told
    history.trust-v1/L2                    final: the snapshot after the last episode; cut: where its budget ended it
    history.trust-v1/L2/work/0031          an exploration episode: the task at place 31 of plan/L2. `sealed` holds the
                                           verdict and each `step` reward and self-score, which the method is not told
      judged                               what it is told in their place (`rung.protocols.judging`)
      refined, selected                    what the pathway proposed, and the snapshot to go on with
    history.trust-v1/L2/checkpoint/0003    checkpoint: after `x` episodes, the `snapshot`, the `examinee` that sits for
                                           it, and the `places` of the exam that it sits
    exam/history.trust-v1.L2.x0003/0004/1  an attempt of that examinee: place, repeat
    exam/A0.1f2e3d/0004/1                  the same task by A_0: the baseline, x = 0

Places count over all games in the order of the config. An episode that broke is a fault, which nobody is told of, and x
goes on; a checkpoint has as many scores as its attempts were measured.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

from rung.core.canonical import JSON, fingerprint
from rung.core.errors import UsageError
from rung.core.explore_config import ExploreConfig
from rung.core.seeds import Seed
from rung.core.values import Fault
from rung.protocols.exam import Exam, Examinee, sit
from rung.protocols.plan import Plan
from rung.protocols.stream import Ticket
from rung.protocols.study import Arm, Study
from rung.tasks.sequence import Entry


@dataclass(frozen=True, slots=True)
class Game:
    """A game of the study: what each lineage explores of it, and the places of its sealed tasks, checkpoint by
    checkpoint."""

    family: str
    sequences: tuple[tuple[Entry, ...], ...]
    checkpoints: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Explore:
    """An exploring study: its pathways, its games, how many episodes lie between checkpoints, and the exam."""

    arms: tuple[Arm, ...]
    games: tuple[Game, ...]
    every: int
    exam: Exam
    seed: Seed


@dataclass(frozen=True, slots=True)
class Course:
    """One lineage of an arm in one game."""

    arm: Arm
    game: Game
    number: int
    start: str

    @property
    def name(self) -> str:
        """The course in one word, without its number: `history.trust-v1`."""
        return f"{self.arm.name}.{self.game.family}"

    @property
    def home(self) -> str:
        """Where it is recorded."""
        return f"{self.name}/L{self.number}"


async def run(study: Study, explore: Explore) -> None:
    """The whole protocol. Running it again on the same journal resumes it."""
    starts = {arm.name: await study.begin(arm.name, arm) for arm in explore.arms}
    names = {arm.name: beginning(arm, starts[arm.name]) for arm in explore.arms}
    for arm in explore.arms:
        about = {"control": None, "A_0": names[arm.name], "snapshot": starts[arm.name], "judge": arm.judging.by}
        study.note(arm.name, "arm", {**about, **arm.loose})

    courses = [
        Course(arm, game, number, starts[arm.name])
        for arm in explore.arms
        for game in explore.games
        for number in range(1, len(game.sequences) + 1)
    ]
    found = await study.crew(partial(course, study, each, explore) for each in courses)

    first = {names[arm.name]: arm for arm in reversed(explore.arms)}
    repeats = explore.exam.baseline_repeats
    baselines = [Examinee(name, arm, starts[arm.name], repeats) for name, arm in first.items()]
    checkpoints = [examinee for examinees in found for examinee in examinees]
    await sit(study, explore.exam, [*baselines, *checkpoints], order=explore.seed.child("exam-order"))


async def course(study: Study, course: Course, explore: Explore) -> list[Examinee]:
    """One lineage of one game: explore, be judged, refine; its checkpoints."""
    arm, home, snapshot = course.arm, course.home, course.start
    told, checkpoints, met = list[str](), list[Examinee](), Counter[str]()
    for x, entry in enumerate(course.game.sequences[course.number - 1], 1):
        path = f"{home}/work/{entry.position:04d}"
        if study.cut(home, entry.position, path):
            break
        met[entry.task.id] += 1
        ticket = Ticket(path, entry.task, "work", snapshot, met[entry.task.id])
        outcome = await study.attempt(arm, ticket)
        if not isinstance(outcome, Fault):
            await study.judge(arm, ticket)
            told.append(path)
            snapshot = await study.improve(arm, ticket, outcome, told)
        if x % explore.every == 0:
            checkpoints.append(_checkpoint(study, course, explore, x, snapshot))
    study.arrive(home, snapshot)
    return checkpoints


def _checkpoint(study: Study, course: Course, explore: Explore, x: int, snapshot: str) -> Examinee:
    """Keep the state after x episodes as one that is to be examined."""
    name = f"{course.name}.L{course.number}.x{x:04d}"
    places = course.game.checkpoints[x // explore.every - 1]
    about: JSON = {"x": x, "snapshot": snapshot, "examinee": name, "places": list(places)}
    study.note(f"{course.home}/checkpoint/{x:04d}", "checkpoint", about)
    return Examinee(name, course.arm, snapshot, explore.exam.repeats, places)


def beginning(arm: Arm, snapshot: str) -> str:
    """The name under which A_0 sits the exam: one for all arms that act, wrap and begin alike."""
    return f"A0.{fingerprint([arm.acting, arm.method.wrapping, snapshot])[:6]}"


# --------------------------------------------------------------------------------------------- from the plan


def planned(plan: Plan, how: ExploreConfig, arms: tuple[Arm, ...]) -> Explore:
    """The study that a plan and its `[explore]` make. Whatever the arms were made for, no method is told a verdict."""
    arms = tuple(replace(arm, lens="verdict_hidden") for arm in arms)
    games = []
    for number, game in enumerate(how.games):
        mine = slice(number * how.episodes, (number + 1) * how.episodes)
        sequences = tuple(lineage[mine] for lineage in plan.held.lineages)
        games.append(Game(game.family, sequences, _places(how, first=number * how.sealed + 1)))
    return Explore(arms, tuple(games), how.checkpoint_every, plan.exam, plan.seed)


def _places(how: ExploreConfig, *, first: int) -> tuple[tuple[int, ...], ...]:
    """The places of each checkpoint among the sealed tasks of a game, the first of which is at `first`."""
    size = how.checkpoint_episodes
    return tuple(tuple(range(first + k * size, first + (k + 1) * size)) for k in range(how.checkpoints))


def refuse_unfit(arm: Arm) -> None:
    """Refuse an arm whose method cannot do without the verdict."""
    if arm.method.trials:
        raise UsageError(
            f"arm {arm.name!r}: method {arm.method.id!r} tries candidates and keeps the one that scored best, and in "
            'protocol = "explore" the verdict is withheld; give method.trials = 0'
        )
