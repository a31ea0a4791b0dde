"""How a model without words plays: it gives every legal call a score, and one of them is drawn or is the best.

The calls are read off the tools' schemas, so any game will do whose calls can be counted: the words of an enumeration,
`true` and `false`, the whole numbers of a range, or where its end is not said the first of them, as of the rows of a
board. What a model says of its own call is the probability it gave it.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from rung.core.canonical import JSON, canonical, fingerprint
from rung.core.errors import ModelFault, ModelUnusable, UsageError
from rung.core.seeds import Seed
from rung.core.training import JUDGED
from rung.core.values import Call, ModelReply, ModelRequest, Tool, Usage

MOST_CALLS = 1024
"""Legal calls at most; a game with more of them at once needs a model that writes."""
OPEN_RANGE = 10
"""How many numbers are counted of a range without an end; what of them is illegal a game refuses."""


def sight(request: ModelRequest) -> str:
    """What there is to see: the last message of the user's."""
    return next((each.text for each in reversed(request.messages) if each.author == "user"), "")


def choices(model: str, tools: Sequence[Tool]) -> tuple[Call, ...]:
    """Every legal call, in the order of tools and schemas; raises `ModelUnusable` where they cannot be counted.

    >>> move = {"type": "object", "properties": {"to": {"enum": ["up", "down"]}}, "required": ["to"]}
    >>> [call.arguments["to"] for call in choices("local/policy", [Tool("go", "Go.", move)])]
    ['up', 'down']
    """
    if not tools:
        raise ModelUnusable(f"{model} chooses among legal calls and writes no text; give [agent] answers = 'tools'")
    calls = tuple(
        itertools.islice(itertools.chain.from_iterable(_calls(model, tool) for tool in tools), MOST_CALLS + 1)
    )
    if len(calls) > MOST_CALLS:
        raise ModelUnusable(f"{model} chooses among {MOST_CALLS:,} legal calls at most, and here are more; {_MEND}")
    return calls


def refuse_uncounted(model: str, tools: Sequence[Tool]) -> None:
    """Refuse tools whose legal calls cannot be counted, before anything is asked; raises `UsageError`."""
    try:
        choices(model, tools)
    except ModelUnusable as why:
        raise UsageError(str(why)) from None


_MEND = "use a model that writes, such as local/smollm2"


def _calls(model: str, tool: Tool) -> Iterator[Call]:
    properties = tool.parameters.get("properties", {})
    assert isinstance(properties, Mapping)
    names = [name for name in properties if name != JUDGED]
    values = [_values(properties[name]) for name in names]
    for name, found in zip(names, values, strict=True):
        if not found:
            seen = canonical(properties[name])[:200]
            raise ModelUnusable(f"{model} cannot count what {name!r} of {tool.name} may be ({seen}); {_MEND}")
    for chosen in itertools.product(*values):
        yield Call(tool.name, dict(zip(names, chosen, strict=True)))


def _values(schema: JSON) -> Sequence[JSON]:
    """All values of a simple schema; none where they cannot be counted."""
    if not isinstance(schema, Mapping):
        return ()
    words, low, high = schema.get("enum"), schema.get("minimum"), schema.get("maximum")
    if isinstance(words, Sequence) and not isinstance(words, str):
        return words
    if "const" in schema:
        return (schema["const"],)
    if schema.get("type") == "boolean":
        return (False, True)
    if schema.get("type") == "integer" and isinstance(low, int):
        return range(low, min(high, low + MOST_CALLS) + 1 if isinstance(high, int) else low + OPEN_RANGE)
    return ()


def spelt(call: Call) -> str:
    """A call as one short text: `go up`.

    >>> spelt(Call("go", {"to": "up", "self_score": 0.5}))
    'go up'
    """
    values = (value for name, value in call.arguments.items() if name != JUDGED)
    return " ".join((call.tool, *(value if isinstance(value, str) else canonical(value) for value in values)))


def place_of(model: str, calls: Sequence[Call], answer: Call | str) -> int:
    """Which of the legal calls an example's answer is; raises `ModelFault` for one that is none of them."""
    if isinstance(answer, Call):
        wanted = spelt(answer)
        found = next((place for place, call in enumerate(calls) if spelt(call) == wanted), None)
        if found is not None:
            return found
    raise ModelFault("training", f"{model} learns legal calls alone, and an example answers {str(answer)[:200]!r}")


# --------------------------------------------------------------------------------------------- answering


def shares(scores: Sequence[float], temperature: float = 1.0) -> list[float]:
    """The probabilities of scores, which are logarithms up to a constant, at a temperature.

    >>> shares([0.0, math.log(3.0)])
    [0.25, 0.75]
    """
    top = max(scores)
    parts = [math.exp((score - top) / temperature) for score in scores]
    whole = math.fsum(parts)
    return [part / whole for part in parts]


def reply(model: str, request: ModelRequest, calls: Sequence[Call], scores: Sequence[float]) -> ModelReply:
    """The best call without a temperature, else one that is drawn by the request's seed.

    Without a seed the draw is a function of the request, so that the same is always answered with the same.
    """
    if request.temperature:
        chances = shares(scores, request.temperature)
        chosen = _drawn(chances, _seed(request))
    else:
        chances = shares(scores)
        chosen = max(range(len(scores)), key=lambda place: (scores[place], -place))
    call = calls[chosen]
    if any(tool.name == call.tool and JUDGED in _properties(tool) for tool in request.tools):
        call = Call(call.tool, {**call.arguments, JUDGED: round(chances[chosen], 6)})
    read, written = len(sight(request).split()), len(spelt(call).split())
    return ModelReply("", model, "tool_calls", Usage(max(read, 1), written), (call,))


def _properties(tool: Tool) -> Mapping[str, JSON]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _seed(request: ModelRequest) -> Seed:
    if request.seed is not None:
        return Seed("choosing").child("seed", request.seed)
    asked: list[JSON] = [[message.author, message.text] for message in request.messages]
    return Seed("choosing").child(fingerprint([asked, request.temperature, request.weights]))


def _drawn(chances: Sequence[float], seed: Seed) -> int:
    left = seed.rng().random()
    for place, chance in enumerate(chances):
        left -= chance
        if left < 0.0:
            return place
    return len(chances) - 1
