"""What stands behind the gateway: one try at one request, and how it can fail."""

from typing import Literal, Protocol, TypeAlias

from rung.core.errors import RungError
from rung.core.values import ModelReply, ModelRequest

Trouble: TypeAlias = Literal["rate limit", "server error", "timeout", "connection", "garbage"]


class TryAgain(RungError):
    """One try failed and another may not. `billed` says whether the provider may count it all the same.

    `after` is how many seconds the provider asks to wait; None when it does not say.
    """

    def __init__(self, trouble: Trouble, detail: str, *, after: float | None = None, billed: bool = False) -> None:
        super().__init__(f"{trouble}: {detail}")
        self.trouble = trouble
        self.detail = detail
        self.after = after
        self.billed = billed


TRAITS = ("seeded", "writes", "refuse_tools", "refuse_training")
"""What a backend may say of itself, so that a study that cannot be is refused before it begins: whether it draws by a
request's seed (not, unless it says so); whether it writes text (it does, unless it says not); and what raises
`UsageError` for tools that it cannot be held to, and where what it takes to train it is not installed."""


class Backend(Protocol):
    """One way to reach a model. It tries once; waiting, trying again and limits are the gateway's."""

    async def once(self, request: ModelRequest) -> ModelReply:
        """Answer, or raise `TryAgain`; or what no other try can help: `ModelFault`, `ContextOverflow`, `ModelUnusable`.

        These three say that the request was refused and so cost nothing. What may have cost something is a `TryAgain`
        with `billed`, or a reply whose `usage` is None. An empty reply is returned as it is: the gateway judges it.
        """
        ...

    async def close(self) -> None:
        """Let go of the connections of the running event loop, and of memory."""
        ...
