import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from rung.backends.models.backend import TryAgain
from rung.backends.models.gateway import IMAGE_TOKENS, MESSAGE_TOKENS, TOOL_TOKENS, TOOLS_TOKENS, Gateway
from rung.backends.models.scripted import Scripted
from rung.core.config import ModelConfig
from rung.core.errors import BudgetSpent, ContextOverflow, EmptyReply, ModelFault, ModelUnusable, Stopped
from rung.core.ports import Amount, Answered
from rung.core.values import Call, Image, Message, ModelReply, ModelRequest, Tool, Usage

from .stands import ASKED, PRICE, Pace, Till, Time, gateway

WORST = Amount((9 + MESSAGE_TOKENS + 100 * 10) / 1e6, 9 + MESSAGE_TOKENS + 100)
"""Of ASKED: 9 bytes, one message, and 100 tokens of output at ten times the price."""


def ask(model: Gateway, till: Till | None = None, request: ModelRequest = ASKED, time: Time | None = None) -> Answered:
    return asyncio.run((time or Time()).passes(model.ask(request, till or Till())))


# --------------------------------------------------------------------------------------------- what a call costs


def test_a_reply_costs_its_tokens_at_their_prices():
    said = ModelReply("yes", "m", "stop", Usage(1000, 20, cached_tokens=500))
    till = Till()
    answered = ask(gateway([said]), till)
    assert answered.cost == Amount((1000 * 1 + 500 * 0.1 + 20 * 10) / 1e6, 1520)
    assert (answered.reply, answered.tries, till.settled) == (said, 1, [answered.cost])


def test_without_usage_a_reply_costs_all_that_was_set_aside():
    till = Till()
    answered = ask(gateway([ModelReply("yes", "m", "stop", None)]), till)
    assert (answered.cost, till.settled) == (WORST, [None])


def test_without_a_price_tokens_are_counted_and_dollars_unknown():
    model = gateway(["yes"], price=None)
    assert model.worst(ASKED) == Amount(None, WORST.tokens)
    assert ask(model).cost == Amount(None, 3)


def test_all_tries_are_paid_together():
    script = [TryAgain("timeout", "late", billed=True), TryAgain("server error", "500"), "yes"]
    till, time = Till(), Time()
    answered = ask(gateway(script, time), till, time=time)
    assert till.settled == [None, Amount(0.0, 0), Amount((2 + 10) / 1e6, 3)]
    assert answered.cost == WORST + Amount((2 + 10) / 1e6, 3)
    assert answered.tries == 3


@pytest.mark.parametrize("failure", [ModelFault("model", "refused"), ContextOverflow("long"), ModelUnusable("no key")])
def test_a_refused_request_costs_nothing_and_is_not_asked_again(failure: Exception):
    till = Till()
    with pytest.raises(type(failure)):
        ask(gateway([failure]), till)
    assert till.settled == [Amount(0.0, 0)]


def test_a_bug_in_a_backend_may_have_cost_all():
    till = Till()
    with pytest.raises(ZeroDivisionError):
        ask(gateway([ZeroDivisionError()]), till)
    assert (till.settled, till.open) == ([None], 0)


def test_the_seconds_are_those_of_the_last_try():
    time = Time()
    scripted = Scripted(
        [TryAgain("server error", "500"), "yes"], delay=lambda _, number: (50.0, 3.0)[number], sleep=time.sleep
    )
    model = Gateway("m/m", scripted, ModelConfig(), price=PRICE, live=False, pace=time.pace())
    assert ask(model, time=time).seconds == pytest.approx(3.0)


# --------------------------------------------------------------------------------------------- the most it can cost


def test_input_is_bounded_by_bytes_and_what_stands_around_them():
    tool = Tool("go", "Go.", {"type": "object"})  # 2 + 3 + 17 bytes
    request = ModelRequest(
        (Message("system", "né"), Message("user", "?", (Image("image/png", b"png"),))), "agent", (tool,), max_tokens=1
    )
    bound = 4 + 2 * MESSAGE_TOKENS + 22 + TOOL_TOKENS + TOOLS_TOKENS + IMAGE_TOKENS + 1
    assert gateway([]).worst(request).tokens == bound


def test_a_context_bounds_input_and_output():
    long = ModelRequest((Message("user", "x" * 5000),), "agent")
    assert gateway([], context_tokens=1000).worst(long) == Amount((1000 + 10 * 1000) / 1e6, 2000)


@pytest.mark.parametrize(("config", "sent"), [({}, 8192), ({"context_tokens": 9000}, None)])
def test_where_nobody_bounds_the_output_a_bound_is_sent(config: dict[str, int], sent: int | None):
    seen: list[int | None] = []
    model = gateway(lambda request, _: seen.append(request.max_tokens) or "yes", **config)
    ask(model, request=ModelRequest(ASKED.messages, "agent"))
    assert seen == [sent]


def test_a_bound_in_the_body_is_the_one_that_counts():
    model = gateway([], body={"max_completion_tokens": 700})
    assert model.worst(ASKED).tokens == 9 + MESSAGE_TOKENS + 700


def test_a_cache_dearer_than_input_bounds_the_cost():
    model = gateway([], price=PRICE.model_copy(update={"cached": 2.0}))
    assert model.worst(ASKED).usd == pytest.approx(((9 + MESSAGE_TOKENS) * 2 + 1000) / 1e6)


def test_the_calls_of_a_conversation_are_read_too():
    called = Message("assistant", "", (), (Call("go", {"x": 1}),))
    request = ModelRequest((*ASKED.messages, called), "agent", max_tokens=100)
    more = MESSAGE_TOKENS + len('go{"x":1}') + MESSAGE_TOKENS
    assert gateway([]).worst(request).tokens == gateway([]).worst(ASKED).tokens + more


@given(some.text(max_size=300))
def test_no_text_is_too_strange_to_be_bounded(text: str):
    request = ModelRequest((Message("user", text),), "agent", max_tokens=5)
    assert gateway([]).worst(request).tokens >= len(text.split()) + 5


def test_our_own_bound_gives_way_before_the_prompt_is_called_too_long():
    seen: list[int | None] = []

    def small(request: ModelRequest, number: int) -> str | ContextOverflow:
        seen.append(request.max_tokens)
        return "yes" if (request.max_tokens or 0) < 1000 else ContextOverflow("prompt and max_tokens are too long")

    assert ask(gateway(small), request=ModelRequest(ASKED.messages, "agent")).reply.text == "yes"
    assert seen == [8192, 2048, 512]


def test_a_prompt_too_long_for_any_bound_is_too_long():
    model = gateway(lambda request, number: ContextOverflow("too long"))
    with pytest.raises(ContextOverflow):
        ask(model, request=ModelRequest(ASKED.messages, "agent"))


def test_a_bound_that_the_agent_asked_for_does_not_give_way():
    seen: list[int | None] = []

    def small(request: ModelRequest, number: int) -> ContextOverflow:
        seen.append(request.max_tokens)
        return ContextOverflow("prompt and max_tokens are too long")

    with pytest.raises(ContextOverflow):
        ask(gateway(small), request=ModelRequest(ASKED.messages, "agent", max_tokens=8192))
    assert seen == [8192]


# --------------------------------------------------------------------------------------------- trying again


def test_after_patience_the_model_is_unusable_and_the_message_says_what_was_tried():
    time = Time()
    model = gateway(lambda request, number: TryAgain("server error", "503 from https://here"), time)
    with pytest.raises(ModelUnusable) as raised:
        ask(model, time=time)
    assert time.now == pytest.approx(900)
    tries = len(time.slept) + 1
    assert str(raised.value) == (
        f"scripted/test: server error for 15.0 minutes in {tries} tries; the last: 503 from https://here. "
        "See that it is up; running again resumes from here"
    )


def test_pauses_grow_to_a_minute_and_are_drawn_from_nothing_upward():
    time = Time()
    with pytest.raises(ModelUnusable):
        ask(gateway(lambda request, number: TryAgain("connection", "refused"), time, patience_seconds=1e5), time=time)
    for number, pause in enumerate(time.slept[:-1]):
        assert 0 <= pause <= min(60, 2**number)
    late = time.slept[10:-1]
    assert max(late) > 55
    assert min(late) < 5
    assert sum(late) / len(late) == pytest.approx(30, rel=0.05)


def test_a_provider_is_waited_for_as_long_as_it_asks():
    time = Time()
    assert ask(gateway([TryAgain("rate limit", "429", after=17.5), "yes"], time), time=time).tries == 2
    assert time.now == 17.5


def test_no_longer_than_patience_though():
    time = Time()
    model = gateway(lambda request, number: TryAgain("rate limit", "429", after=3600), time, patience_seconds=100)
    with pytest.raises(ModelUnusable, match=r"rate limit for 1\.7 minutes in 2 tries"):
        ask(model, time=time)
    assert time.now == 100


def test_without_patience_the_first_failure_is_the_last():
    with pytest.raises(ModelUnusable, match="in 1 tries"):
        ask(gateway([TryAgain("connection", "refused")], patience_seconds=0))


def test_garbage_three_times_is_a_fault_of_this_request():
    time = Time()
    with pytest.raises(ModelFault, match="no usable reply in 3 tries; the last: half a JSON") as raised:
        ask(gateway([TryAgain("garbage", "half a JSON", billed=True)] * 3, time), time=time)
    assert not isinstance(raised.value, EmptyReply)


def test_garbage_twice_is_forgiven():
    time = Time()
    assert ask(gateway([TryAgain("garbage", "half")] * 2 + ["yes"], time), time=time).tries == 3


def test_nothing_said_three_times_is_an_empty_reply_that_says_why():
    said = ModelReply(" \n", "m", "length", Usage(10, 100), reasoning="x" * 1234)
    till = Till()
    with pytest.raises(EmptyReply) as raised:
        ask(gateway([said] * 3), till)
    assert "'length' after 100 output tokens and 1,234 characters of thinking" in str(raised.value)
    assert "raise max_tokens (now 100)" in str(raised.value)
    assert len(till.settled) == 3


@pytest.mark.parametrize("stop", ["content_filter", "refusal"])
def test_a_refusal_without_words_is_a_reply(stop: str):
    said = ModelReply("", "m", stop, Usage(10, 0))
    assert ask(gateway([said])).reply == said


def test_a_call_without_words_is_a_reply():
    assert ask(gateway([Call("go")])).reply.calls == (Call("go"),)


def test_long_waits_are_told_once_a_minute():
    time, told = Time(), list[str]()
    backend = Scripted([TryAgain("rate limit", "429", after=after) for after in (9, 20, 30, 40, 50)] + ["yes"])
    pace = Pace(time.sleep, time.clock, tell=told.append)
    ask(Gateway("m/m", backend, ModelConfig(), price=PRICE, live=False, pace=pace), time=time)
    assert told == [  # at 9 s and at 99 s; 29 s and 59 s are too soon
        "m/m: rate limit: 429. Trying again in 20 s, and for 15 minutes at most",
        "m/m: rate limit: 429. Trying again in 50 s, and for 13 minutes at most",
    ]


def test_what_costs_more_than_was_set_aside_costs_what_it_cost():
    till = Till()
    answered = ask(gateway([ModelReply("yes", "m", "stop", Usage(10, 5000))]), till)
    assert answered.cost.tokens == till.spent == 5010 > WORST.tokens


# --------------------------------------------------------------------------------------------- many at once


def many(model: Gateway, number: int, till: Till, time: Time) -> list[Answered | BaseException]:
    async def all_of_them() -> list[Answered | BaseException]:
        return await asyncio.gather(*(model.ask(ASKED, till) for _ in range(number)), return_exceptions=True)

    return asyncio.run(time.passes(all_of_them()))


@pytest.mark.parametrize("concurrency", [1, 7])
def test_no_more_are_in_flight_than_the_config_allows(concurrency: int):
    flying, most, time = 0, 0, Time()

    class Counted(Scripted):
        async def once(self, request: ModelRequest) -> ModelReply:
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            try:
                return await super().once(request)
            finally:
                flying -= 1

    backend = Counted(lambda request, number: "yes", delay=1.0, sleep=time.sleep)
    config = ModelConfig(concurrency=concurrency)
    model = Gateway("m/m", backend, config, price=PRICE, live=False, pace=time.pace())
    assert all(isinstance(each, Answered) for each in many(model, 50, Till(), time))
    assert most == concurrency


def test_nobody_sets_money_aside_while_he_queues():
    till, time = Till(), Time()
    model = Gateway(
        "m/m",
        Scripted(lambda request, number: "yes", delay=1.0, sleep=time.sleep),
        ModelConfig(concurrency=4),
        price=PRICE,
        live=False,
        pace=time.pace(),
    )
    many(model, 500, till, time)
    assert (till.most_open, till.open) == (4, 0)


def test_a_rate_limit_slows_all_and_not_the_one_who_met_it():
    time = Time()
    asked: list[float] = []

    def script(request: ModelRequest, number: int) -> str | TryAgain:
        asked.append(time.now)
        return TryAgain("rate limit", "429", after=30) if number == 0 else "yes"

    answers = many(gateway(script, time, concurrency=1), 20, Till(), time)
    assert all(isinstance(each, Answered) for each in answers)
    assert Counter(asked) == {0.0: 1, 30.0: 20}


def test_a_server_error_slows_only_the_one_who_met_it():
    time = Time()
    asked: list[float] = []

    def script(request: ModelRequest, number: int) -> str | TryAgain:
        asked.append(time.now)
        return TryAgain("server error", "503", after=30) if number == 0 else "yes"

    many(gateway(script, time, concurrency=1), 20, Till(), time)
    assert Counter(asked) == {0.0: 20, 30.0: 1}


def test_who_backs_off_holds_no_slot():
    time = Time()
    script = [TryAgain("server error", "503", after=1000.0), "second", "first"]

    async def both() -> list[Answered]:
        model = gateway(script, time, concurrency=1, patience_seconds=2000)
        return await asyncio.gather(model.ask(ASKED, Till()), model.ask(ASKED, Till()))

    first, second = asyncio.run(time.passes(both()))
    assert (first.reply.text, second.reply.text) == ("first", "second")


def queue(fails: set[int], time: Time) -> Gateway:
    """A model that takes 10 s for each try, one after the other, and fails the tries of these numbers."""
    backend = Scripted(
        lambda request, number: TryAgain("server error", "503", after=0.0) if number in fails else "yes",
        delay=10.0,
        sleep=time.sleep,
    )
    config = ModelConfig(concurrency=1, patience_seconds=100)
    return Gateway("m/m", backend, config, price=PRICE, live=False, pace=time.pace())


def test_a_long_queue_behind_a_failure_is_no_outage():
    time = Time()
    answers = many(queue({0, 30}, time), 30, Till(), time)  # the first of 30 fails, and once more at the end
    assert all(isinstance(each, Answered) for each in answers)
    assert time.now == 320


def test_an_outage_is_noticed_however_long_the_queue():
    time = Time()
    ends = many(queue(set(range(5, 1000)), time), 30, Till(), time)
    assert [isinstance(end, Answered) for end in ends[:6]] == [True] * 5 + [False]
    assert all(isinstance(end, ModelUnusable) for end in ends[5:])
    assert time.now < 100 + 2 * 30 * 10


def test_a_request_that_alone_fails_is_given_up_by_its_own_time():
    time = Time()

    def script(request: ModelRequest, number: int) -> str | TryAgain:
        return TryAgain("server error", "500") if request.messages[0].text == "poison" else "yes"

    backend = Scripted(script, delay=5.0, sleep=time.sleep)
    config = ModelConfig(concurrency=2, patience_seconds=100)
    model = Gateway("m/m", backend, config, price=PRICE, live=False, pace=time.pace())
    poison = ModelRequest((Message("user", "poison"),), "agent", max_tokens=5)

    async def others() -> None:
        while time.now < 1000:
            await model.ask(ASKED, Till())

    async def beside() -> float:
        with pytest.raises(ModelUnusable, match="server error for"):
            await model.ask(poison, Till())
        return time.now

    async def both() -> float:
        return (await asyncio.gather(beside(), others()))[0]

    assert asyncio.run(time.passes(both())) == pytest.approx(110, abs=6)


OUTCOMES = some.sampled_from(["yes", "silence", "billed", "free", "no usage", "slow"])


@settings(max_examples=30)
@given(some.lists(OUTCOMES, min_size=1, max_size=30), some.integers(0, 60_000), some.integers(1, 64))
def test_five_hundred_callers_keep_to_the_limit_and_come_to_an_end(outcomes: list[str], limit: int, concurrency: int):
    time, till = Time(), Till(limit)

    def script(request: ModelRequest, number: int) -> str | ModelReply | TryAgain:
        return {
            "yes": "yes",
            "slow": "yes",
            "silence": "",
            "billed": TryAgain("timeout", "late", billed=True),
            "free": TryAgain("rate limit", "429", after=1.0),
            "no usage": ModelReply("yes", "m", "stop"),
        }[outcomes[number % len(outcomes)]]

    backend = Scripted(script, delay=lambda _, number: number % 3, sleep=time.sleep)
    config = ModelConfig(concurrency=concurrency, patience_seconds=30)
    model = Gateway("m/m", backend, config, price=PRICE, live=False, pace=time.pace())
    ends = many(model, 500, till, time)
    assert till.spent <= limit
    assert (till.open, till.aside) == (0, 0)
    assert all(isinstance(end, Answered | BudgetSpent | EmptyReply | ModelUnusable) for end in ends)
    paid = sum(end.cost.tokens for end in ends if isinstance(end, Answered) and end.cost is not None)
    assert paid <= till.spent


# --------------------------------------------------------------------------------------------- ends


class Hangs:
    """A backend that never answers; `started` says that it was asked."""

    def __init__(self) -> None:
        self.started = asyncio.Event()

    async def once(self, request: ModelRequest) -> ModelReply:
        self.started.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None: ...


def test_a_request_that_hangs_ends_in_time_and_may_have_cost_all():
    async def asked() -> Till:
        till = Till()
        config = ModelConfig(timeout_seconds=0.001, patience_seconds=0)
        model = Gateway("m/m", Hangs(), config, price=PRICE, live=True)
        with pytest.raises(ModelUnusable, match=r"timeout .* no whole reply within 0.001 s"):
            await model.ask(ASKED, till)
        return till

    assert asyncio.run(asked()).settled == [None]


def test_a_cancelled_call_may_have_cost_all_and_frees_its_slot():
    async def asked() -> tuple[Till, Answered]:
        till, hangs = Till(), Hangs()
        model = Gateway("m/m", hangs, ModelConfig(concurrency=1), price=PRICE, live=True, pace=Pace(jitter=None))
        task = asyncio.create_task(model.ask(ASKED, till))
        await hangs.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        model._backend = Scripted(["yes"])
        return till, await model.ask(ASKED, till)

    till, answered = asyncio.run(asked())
    assert till.settled[0] is None
    assert answered.reply.text == "yes"


def test_a_refused_reservation_frees_its_slot_and_asks_nothing():
    backend = Scripted(["yes"])
    model = Gateway("m/m", backend, ModelConfig(concurrency=1), price=PRICE, live=False)

    async def asked() -> Answered:
        with pytest.raises(BudgetSpent):
            await model.ask(ASKED, Till(limit=1))
        assert backend.tries == 0
        return await model.ask(ASKED, Till())

    assert asyncio.run(asked()).reply.text == "yes"


def test_one_gateway_serves_several_event_loops():
    time = Time()
    model = gateway(lambda request, number: "yes", time, concurrency=1)
    for _ in range(3):
        assert len(many(model, 10, Till(), time)) == 10


def test_jitter_is_the_same_for_the_same_model():
    def pauses() -> list[float]:
        time = Time()
        backend = Scripted([TryAgain("connection", "refused")] * 5 + ["yes"])
        pace = Pace(time.sleep, time.clock)
        ask(Gateway("m/m", backend, ModelConfig(), price=PRICE, live=False, pace=pace), time=time)
        return time.slept

    assert pauses() == pauses()


@pytest.mark.parametrize(
    "usage",
    [Usage(0, 0), Usage(5, 0), Usage(0, 5), Usage(10**9, 1), Usage(1, 10**9)],
    ids=["nothing at all", "an answer of nothing", "a question of nothing", "a novel read", "a novel written"],
)
def test_a_count_that_cannot_be_believed_costs_the_most(usage: Usage):
    till = Till()
    answered = ask(gateway([ModelReply("an answer", "m", "stop", usage)]), till)
    assert (answered.cost, till.settled) == (WORST, [None])


def test_of_two_bounds_on_the_output_the_larger_counts():
    both = ModelConfig(body={"max_completion_tokens": 16, "max_tokens": 1_000_000})
    model = Gateway("compatible/x", Scripted([]), both, price=None, live=True)
    assert model.worst(ASKED).tokens > 1_000_000


def test_a_stop_ends_a_wait_within_a_second_for_nothing_is_in_flight():
    time = Time()
    pace = replace(time.pace(), stop=lambda: time.now >= 10.0)
    model = gateway([TryAgain("rate limit", "429", after=600.0), "yes"], time, pace=pace)
    till = Till()
    with pytest.raises(Stopped, match=r"a stop was requested while .* was waited for; what is recorded stays"):
        ask(model, till, time=time)
    assert 10.0 <= time.now < 11.5
    assert till.settled == [Amount(0.0, 0)]  # the try that was refused, and no other


def test_a_wait_that_nobody_stops_is_as_long_as_it_was():
    time = Time()
    model = gateway([TryAgain("rate limit", "429", after=600.0), "yes"], time, pace=replace(time.pace(), stop=bool))
    assert ask(model, time=time).tries == 2
    assert time.now == pytest.approx(600.0)
