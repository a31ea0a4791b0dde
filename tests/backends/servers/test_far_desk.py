"""A desk that is served elsewhere answers as it would here."""

from rung.backends.servers.far_desk import far_desk

from .desks import Desk, served
from .stands import waits


@waits
async def test_a_far_desk_has_the_tools_the_words_and_the_answers_of_the_one_it_is():
    desk = Desk()
    async with served(desk) as where, far_desk(where.mcp) as far:
        assert (list(far.tools()), far.instructions()) == (desk.tools(), desk.instructions())
        for tool in ("say", "picture", "rm"):
            assert await far.call(tool, {"text": "ü"}) == await desk.call(tool, {"text": "ü"})


@waits
async def test_a_far_desk_that_is_gone_is_a_failed_answer_and_its_call_is_sent_once():
    desk = Desk()
    async with served(desk) as where, far_desk(where.address) as far:
        await where.doors.shut("a-token")
        answer = await far.call("say", {})
    assert answer.failed
    assert answer.text.startswith("no answer (HTTPStatusError); the call may have had its effect")
    assert desk.asked == []
