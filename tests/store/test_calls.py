import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rung.core.errors import InstrumentFault
from rung.core.ports import Journal
from rung.core.values import Call, Image, Message, ModelCall, ModelReply, ModelRequest, Tool, Usage
from rung.store.calls import JournalCalls, read_call, record_call
from rung.store.journal import MemoryJournal

TOOL = Tool("plant", "Plant a seed", {"type": "object", "properties": {"x": {"type": "integer"}}})
MAP = Image("image/png", bytes(range(256)))


def call_of(*messages: Message, **options: object) -> ModelCall:
    return ModelCall(
        ModelRequest(messages, "agent", (TOOL,), max_tokens=100, temperature=0.7),
        ModelReply("I plant", "smol-2 as served", "stop", Usage(10, 3, None), (Call("plant", {"x": [1, None]}),)),
    )


def test_a_call_comes_back_equal(journal: Journal):
    call = call_of(Message("system", "täglich \ud800 \0"), Message("user", "look", (MAP, MAP)))
    record_call(journal, "L0/work/1", 3, call)
    asyncio.run(journal.flush(durable=False))
    assert read_call(journal, "L0/work/1", 3) == call


def test_a_bare_call_comes_back_equal(journal: Journal):
    call = ModelCall(ModelRequest((), "instrument"), ModelReply("", "m", "length"))
    record_call(journal, "p", 0, call)
    assert read_call(journal, "p", 0) == call


TEXT = st.text(max_size=20)
NUMBER = st.none() | st.integers(0, 1000)
ARGUMENTS = st.dictionaries(TEXT, st.none() | st.booleans() | st.integers() | TEXT | st.lists(TEXT), max_size=3)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    TEXT,
    st.lists(st.builds(Image, TEXT, st.binary(max_size=9)), max_size=2).map(tuple),
    st.lists(st.builds(Call, TEXT, ARGUMENTS), max_size=2).map(tuple),
)
CALLS = st.builds(
    ModelCall,
    st.builds(
        ModelRequest,
        st.lists(MESSAGES, max_size=3).map(tuple),
        st.sampled_from(["agent", "improver", "instrument"]),
        st.lists(st.builds(Tool, TEXT, TEXT, ARGUMENTS), max_size=2).map(tuple),
        NUMBER,
        st.none() | st.floats(0, 2),
        st.sampled_from(["required", "auto"]),
    ),
    st.builds(
        ModelReply,
        TEXT,
        TEXT,
        TEXT,
        st.none() | st.builds(Usage, NUMBER, NUMBER, NUMBER),
        st.lists(st.builds(Call, TEXT, ARGUMENTS), max_size=2).map(tuple),
    ),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(CALLS)
def test_any_call_comes_back_equal(call: ModelCall):
    calls = JournalCalls(MemoryJournal())
    calls.record("p", 0, call)
    assert calls.read("p", 0) == call


def test_what_only_agent_programs_need_is_in_no_row_that_has_none_of_it():
    journal = MemoryJournal()
    record_call(journal, "p", 0, call_of(Message("user", "look")))
    row = journal.get("p", "call/000000")
    assert row["decoding"] == {"max_tokens": 100, "temperature": 0.7}
    assert journal.read_blob(row["messages"][0]) == b'{"author":"user","images":[],"text":"look"}'


def test_a_call_nobody_made_is_none(journal: Journal):
    assert read_call(journal, "L0/work/1", 0) is None


def test_key_order_is_call_order(journal: Journal):
    for index in (2, 10, 1):
        record_call(journal, "p", index, call_of(Message("user", str(index))))
    assert [fact.kind for fact in journal.facts()] == ["call/000001", "call/000002", "call/000010"]


def test_a_long_history_keeps_each_message_and_image_once():
    journal = MemoryJournal()
    history: list[Message] = []
    for index in range(50):
        history.append(Message("user", f"turn {index}", (MAP,)))
        record_call(journal, "p", index, call_of(*history))
    assert len(journal._blobs) == 50 + 1 + 1  # messages, the one picture, the one list of tools


def test_the_same_call_again_is_nothing_and_another_is_a_fault(journal: Journal):
    record_call(journal, "p", 0, call_of(Message("user", "a")))
    record_call(journal, "p", 0, call_of(Message("user", "a")))
    with pytest.raises(InstrumentFault):
        record_call(journal, "p", 0, call_of(Message("user", "b")))
