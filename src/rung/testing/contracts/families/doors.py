"""Promises about foreign text and foreign arguments: they are data, and do no harm."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from rung.core.canonical import canonical
from rung.core.ports import Episode
from rung.core.values import Call, Invalid, Reply, Task, Tool
from rung.testing.contracts import hostile
from rung.testing.contracts.families.case import (
    CLOSE,
    FamilyCase,
    Move,
    Played,
    arguments,
    as_arguments,
    call,
    example,
    start,
)
from rung.testing.contracts.families.episodes import legible
from rung.testing.contracts.promise import Check, into, require, wait, within

CHECKS: list[Check[FamilyCase]] = []
promise = into(CHECKS)

LONGEST_REASON = 300
MOST_CALLS = 400
LUCKY = 12
"""Tasks on each of which a legal answer does not win by luck."""

Moves: TypeAlias = Sequence[tuple[str, Move]]


@cache
def _texts() -> Mapping[str, str]:
    return hostile.texts()


def _all_texts(case: FamilyCase) -> Iterator[tuple[str, str]]:
    yield from _texts().items()
    for text in case.spoken[:2]:
        yield from hostile.twists(text)


def _parse(case: FamilyCase, name: str, text: str) -> Move:
    with within(case.seconds, f"parse of {name}"):
        return case.family.parse(text)


def _require_reason(reason: object, name: str) -> None:
    kept = isinstance(reason, str) and 0 < len(reason) <= LONGEST_REASON and len(reason.splitlines()) == 1
    require(kept and legible(reason), seen=f"{name}: {reason!r}", mend="one line of at most 300 letters; quote little")


@promise
def no_text_crashes_the_parser(case: FamilyCase) -> None:
    """Any text is parsed within 2 seconds to a call that can be recorded, or to a one-line reason."""
    for name, text in _all_texts(case):
        move = _parse(case, name, text)
        require(isinstance(move, Call | Invalid), seen=f"{name}: {move!r}", mend="give a Call or an Invalid")
        if isinstance(move, Invalid):
            _require_reason(move.reason, name)
        else:
            canonical([move.tool, move.arguments])
            require(isinstance(move.arguments, Mapping), seen=f"{name}: {move!r}", mend="arguments by name")


@promise
def parsing_depends_on_the_text_alone(case: FamilyCase) -> None:
    """A text parses to the same call whenever it is parsed."""
    new = [f"{text} never said before" for text in ("", *case.spoken)]
    texts = [*new, *case.spoken, *(text for text in _texts().values() if len(text) < 10_000)]
    first = [case.family.parse(text) for text in texts]
    again = [case.family.parse(text) for text in reversed(texts)][::-1]
    varied = [text for text, one, two in zip(texts, first, again, strict=True) if one != two]
    require(not varied, seen=varied[:1], mend="parse keeps nothing between texts")


@promise
def no_text_crashes_an_episode(case: FamilyCase) -> None:
    """An episode answers what any text was parsed to within 2 seconds; what was no call is answered as invalid."""
    moves = [(name, _parse(case, name, text)) for name, text in _all_texts(case)]
    for task in (case.tasks[0], case.tasks[-1]):
        wait(_survives(case, task, moves))


async def _survives(case: FamilyCase, task: Task, moves: Moves) -> None:
    episode = await start(case, task)
    for name, move in moves:
        reply = await _answered(case, episode, name, move)
        if isinstance(move, Invalid):
            require(reply.invalid, seen=f"{name}: {reply}", mend="set Reply.invalid for every Invalid")
        episode = await start(case, task) if reply.done else episode


async def _answered(case: FamilyCase, episode: Episode, name: str, move: Move) -> Reply:
    with within(case.seconds, f"the call for {name}"):
        reply = await call(episode, move)
        episode.view()
    require(isinstance(reply, Reply), seen=f"{name}: {reply!r}", mend="call() gives a Reply")
    if reply.invalid:
        _require_reason(reply.text, name)
    return reply


@promise
def hostile_text_never_wins(case: FamilyCase) -> None:
    """Hostile text scores no more than the floor unless a legal answer was read in it, and wins on no task but by luck.

    "42" may be a legal answer, and in a game with partial credit a good one. So where `parse` gives a call and the
    episode takes it, a score is no harm. To win, on one task after the other, is.
    """
    moves = [(name, _parse(case, name, text)) for name, text in _texts().items()]
    refused = [(name, move) for name, move in moves if isinstance(move, Invalid)]
    taken = [(name, move) for name, move in moves if not isinstance(move, Invalid)]
    for task in (case.tasks[0], case.tasks[-1]):
        for batch in (*_batches(refused, task.calls), *_batches(taken, task.calls)):
            _harmless(case, task, batch)


def _batches(moves: Moves, calls: int) -> Sequence[Moves]:
    return [moves[first : first + max(1, calls)] for first in range(0, len(moves), max(1, calls))]


def _harmless(case: FamilyCase, task: Task, batch: Moves) -> None:
    calls = [move for _, move in batch]
    played = case.replay(task, calls)
    end, names = played.evaluation, [name for name, _ in batch]
    seen = f"{task.cell}: score {end.score}, success {end.success} after {names}"
    if not _took_any(played):
        kept = not end.success and end.score <= case.family.scale.floor + CLOSE
        require(kept, seen=seen, mend="match answers against what is allowed (re.fullmatch) and refuse the rest")
    elif _wins(case, played):
        others = [case.replay(other, calls) for other in case.admitted(task.setting, LUCKY)]
        lucky = not all(_wins(case, other) for other in others)
        require(lucky, seen=f"{seen}, as on {LUCKY} other tasks", mend="let nothing but the right answer win")


def _took_any(played: Played) -> bool:
    """Whether a legal answer was among them: `parse` gave a call, and the episode took it."""
    pairs = zip(played.calls, played.replies, strict=True)
    return any(isinstance(move, Call) and not reply.invalid for move, reply in pairs)


def _wins(case: FamilyCase, played: Played) -> bool:
    """A success, or as many points as the reference has where there are points to be had."""
    reference, score = case.key.reference(played.task).score, played.evaluation.score
    return played.evaluation.success or (reference > case.family.scale.floor + CLOSE and score >= reference - CLOSE)


@promise
def silence_scores_nothing(case: FamilyCase) -> None:
    """An answer in which there is nothing to read scores no more than the floor, and is no success."""
    moves = [(name, _parse(case, name, text)) for name, text in _texts().items() if not text.strip()]
    for task in (case.tasks[0], case.tasks[-1]):
        for name, move in moves:
            end = case.replay(task, [move] * task.calls).evaluation
            seen = f"{task.cell}: score {end.score}, success {end.success} after {name}, {task.calls} times"
            kept = not end.success and end.score <= case.family.scale.floor + CLOSE
            require(kept, seen=seen, mend="let parse give Invalid for an empty answer")


@promise
def digits_of_other_scripts_are_no_digits(case: FamilyCase) -> None:
    """A legal answer spelt with Arabic, Devanagari or full-width digits is another answer, or none."""
    for text in case.spoken:
        legal = case.family.parse(text)
        if not (isinstance(legal, Call) and _holds_number(legal.arguments)):
            continue
        for script in hostile.DIGITS:
            other = case.family.parse(hostile.in_digits(text, script))
            mend = "match [0-9], for \\d and int() take the digits of all scripts"
            require(other != legal, seen=f"{script}: {other}", mend=mend)


def _holds_number(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_number(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return any(_holds_number(inner) for inner in value)
    return type(value) is int


@promise
def no_typed_call_crashes_an_episode(case: FamilyCase) -> None:
    """A call with unknown tools, missing, unknown or absurd arguments raises nothing and takes no 2 seconds."""
    for task in (case.tasks[0], case.tasks[-1]):
        wait(_survives_calls(case, task, [move for move, _ in _absurd(case, task)]))


async def _survives_calls(case: FamilyCase, task: Task, calls: list[Call]) -> None:
    episode = await start(case, task)
    for move in calls:
        reply = await _answered(case, episode, _named(move), move)
        episode = await start(case, task) if reply.done else episode


@promise
def nonsense_for_an_argument_is_invalid(case: FamilyCase) -> None:
    """A value that no reading makes fit the tool's schema (a list or True for a number) is answered as invalid."""
    for task in (case.tasks[0], case.tasks[-1]):
        wait(_refuses(case, task, [call for call, wrong in _absurd(case, task) if wrong]))


async def _refuses(case: FamilyCase, task: Task, calls: list[Call]) -> None:
    for move in calls:
        reply = await call(await start(case, task), move)
        require(reply.invalid, seen=f"taken: {_named(move)}", mend="check the type; True is no whole number")


def _named(move: Call) -> str:
    return f"{move.tool[:40]!r} with { {name: hostile.pretty(value)[:40] for name, value in move.arguments.items()} }"


def _absurd(case: FamilyCase, task: Task) -> list[tuple[Call, bool]]:
    """Calls with one absurd thing each, and whether the schema leaves no doubt that it is wrong."""
    rng = case.seed.child(case.family.id, task.id, "absurd").rng()
    calls: list[tuple[Call, bool]] = []
    for name in ("", "no such tool", "__init__", "\ud800", "x" * 10_000, "\n"):
        calls.append((Call(name, {}), False))
    for tool in wait(_first_tools(case, task)):
        legal = as_arguments(example(tool.parameters, rng))
        calls += [(Call(tool.name, {}), False), (Call(tool.name, {**legal, "no such argument": 1, "": None}), False)]
        for name, schema in arguments(tool.parameters).items():
            required = tool.parameters.get("required", [])
            optional = not (isinstance(required, list | tuple) and name in required)
            for value in hostile.values().values():
                wrong = hostile.nonsense(schema, value) and not (optional and value is None)
                calls.append((Call(tool.name, {**legal, name: value}), wrong))
    return calls if len(calls) <= MOST_CALLS else rng.sample(calls, MOST_CALLS)


async def _first_tools(case: FamilyCase, task: Task) -> tuple[Tool, ...]:
    return (await start(case, task)).view().tools


@promise
def an_invalid_answer_costs_a_call_and_nothing_else(case: FamilyCase) -> None:
    """Where the solver has calls to spare, one invalid answer before its own does not keep it from success."""
    for solved in case.solved:
        if len(solved.calls) + 1 < solved.task.calls and solved.evaluation.success:
            again = case.replay(solved.task, [Invalid("this is no call"), *solved.calls])
            seen = f"{solved.task.cell}: {again.evaluation} after one invalid answer, {solved.evaluation} without"
            require(again.evaluation.success, seen=seen, mend="an invalid answer changes no state of the world")
