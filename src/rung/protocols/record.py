"""How an attempt is written down, and read back.

Under an attempt's path (`narrow/L3/work/0007`) the journal holds these facts:

    served            what was handed out: task, family, setting, purpose, ordinal, snapshot, handle; rules and payload
                      as blobs
    step/0000 step    one step: the view's text (a blob), the answer, the reply, and what the family said of it
    call/000000       the attempt's first model call, and so on (see `rung.store.calls`); a step says how many there
                      were by its end
    told/000000       a model call of step 0 that the agent made by other means, as it tells it
    sealed            the evaluation, or the fault; and how many steps there were
    ended             how the session ended
    stray/0000 stray  a call of the session that named no task in flight, and why it was refused; under the session's
                      path, which is the attempt's where a session has one attempt

Texts over `INLINE` characters stand as `{"blob": sha256}`. Nothing here depends on time, so equal runs write equal
facts; when things happened is an observation.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rung.core.canonical import JSON, canonical, sha256
from rung.core.ports import Artifacts, Journal
from rung.core.values import (
    Action,
    Call,
    Evaluation,
    Fault,
    FeedbackResult,
    ModelCall,
    Outcome,
    Reply,
    Score,
    Step,
    View,
)
from rung.protocols.answers import tidy
from rung.store.calls import Read, read_call, read_told

INLINE = 2000
"""Characters up to which a text stands in the row itself."""


def handle(salt: str, path: str) -> str:
    """The opaque name by which an agent knows an attempt."""
    return f"t-{sha256(f'{salt}/{path}')[:12]}"


def step_path(path: str, index: int) -> str:
    """The path of one step of an attempt."""
    return f"{path}/step/{index:04d}"


def keep_text(store: Artifacts, text: str) -> JSON:
    """A text as the record holds it."""
    return text if len(text) <= INLINE else {"blob": store.blob(text.encode())}


def read_text(store: Artifacts, kept: JSON) -> str:
    """The text that `keep_text` kept."""
    if isinstance(kept, Mapping):
        return store.read_blob(str(kept["blob"])).decode()
    return str(kept)


# --------------------------------------------------------------------------------------------- writing


def answer_json(store: Artifacts, answer: Call | str) -> JSON:
    """An answer, text or typed call."""
    if isinstance(answer, Call):
        return {"tool": answer.tool, "arguments": answer.arguments}
    return {"text": keep_text(store, answer)}


def step_json(
    store: Artifacts, view: View, action: Action, reply: Reply, *, parsed: bool, calls: int
) -> dict[str, JSON]:
    """One step; `parsed` says whether its answer was a call at all, `calls` how many model calls were made by then."""
    return {
        "view": store.blob(view.text.encode()),
        "images": [store.blob(image.data) for image in view.images],
        "answer": answer_json(store, action.answer),
        "self_score": action.self_score,
        "parsed": parsed,
        "calls": calls,
        "reply": keep_text(store, reply.text),
        "invalid": reply.invalid,
        "done": reply.done,
        "score": reply.score,
        "success": reply.success,
        "feedback": reply.feedback,
    }


def stray_json(call: Call, reason: str) -> dict[str, JSON]:
    """A call that named no task in flight: foreign text of any length, of which the beginning is kept."""
    said = tidy(Action(call))[0].answer
    assert isinstance(said, Call)
    return {"tool": said.tool[:INLINE], "arguments": canonical(said.arguments)[:INLINE], "reason": reason[:INLINE]}


def sealed_json(sealed: Evaluation | Fault, steps: int) -> dict[str, JSON]:
    """The end of an attempt: a measurement or a fault, never both."""
    if isinstance(sealed, Fault):
        return {"fault": {"where": sealed.where, "detail": sealed.detail}, "steps": steps}
    return {
        "status": sealed.status,
        "success": sealed.success,
        "score": sealed.score,
        "metrics": dict(sealed.metrics),
        "feedback": sealed.feedback,
        "steps": steps,
    }


# --------------------------------------------------------------------------------------------- reading


def outcome(sealed: JSON) -> Outcome:
    """The outcome in a `sealed` fact."""
    value = cast(Mapping[str, Any], sealed)
    if "fault" in value:
        return Fault(str(value["fault"]["where"]), str(value["fault"]["detail"]))
    return Score(float(value["score"]))


def evaluation(sealed: JSON) -> Evaluation | None:
    """The evaluation in a `sealed` fact; None for a fault."""
    value = cast(Mapping[str, Any], sealed)
    if "fault" in value:
        return None
    return Evaluation(value["status"], value["success"], value["score"], value["metrics"], value["feedback"])


def read_answer(store: Artifacts, kept: JSON) -> Call | str:
    """The answer that `answer_json` wrote."""
    value = cast(Mapping[str, Any], kept)
    if "tool" in value:
        return Call(value["tool"], value["arguments"])
    return read_text(store, value["text"])


def read_step(journal: Journal, path: str, index: int, known: Read | None = None) -> Step | None:
    """One step of an attempt; None past its end. `known` are messages of its calls that were read already."""
    value = cast("Mapping[str, Any] | None", journal.get(step_path(path, index), "step"))
    if value is None:
        return None
    return Step(
        index=index,
        prompt=journal.read_blob(value["view"]).decode(),
        images=tuple(value["images"]),
        action=read_answer(journal, value["answer"]),
        response=read_text(journal, value["reply"]),
        invalid=value["invalid"],
        success=value["success"],
        score=value["score"],
        feedback=value["feedback"],
        self_score=value["self_score"],
        agent_call=_last_call(journal, path, index, known),
    )


def calls_by(journal: Journal, path: str, index: int) -> int:
    """How many model calls an attempt had made by the end of a step; 0 before its first."""
    value = cast("Mapping[str, Any] | None", journal.get(step_path(path, index), "step")) if index >= 0 else None
    return int(value.get("calls", 0)) if value is not None else 0  # rung 0.1 counted none


def _last_call(journal: Journal, path: str, index: int, known: Read | None) -> ModelCall | None:
    """The call behind a step: the one that the agent told of, else the last it made for it; None without any."""
    told = read_told(journal, path, index)
    if told is not None:
        return told
    before, after = calls_by(journal, path, index - 1), calls_by(journal, path, index)
    return read_call(journal, path, after - 1, known) if after > before else None


def read_steps(journal: Journal, path: str) -> Sequence[Step]:
    """Every step of an attempt, in order."""
    steps: list[Step] = []
    known: Read = {}
    while (step := read_step(journal, path, len(steps), known)) is not None:
        steps.append(step)
    return steps


def read_feedback(journal: Journal, path: str) -> FeedbackResult:
    """The full feedback of a sealed attempt (SelfImprove-Bench, A.3): everything but seeds.

    `instance` is the same for attempts at the same task, and says nothing else of it.
    """
    served = cast(Mapping[str, Any], journal.get(path, "served"))
    task = {
        "instance": sha256(served["task"])[:16],
        "family": served["family"],
        "setting": served["setting"],
        "rules": journal.read_blob(served["rules"]).decode(),
        "payload": json.loads(journal.read_blob(served["payload"])),
    }
    sealed = journal.get(path, "sealed")
    return FeedbackResult(served["handle"], task, tuple(read_steps(journal, path)), evaluation(sealed))
