"""A desk of tools that counts what is called, for who watches a program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rung.core.canonical import JSON, canonical
from rung.core.desk import ToolAnswer, ToolDesk
from rung.core.values import Tool


@dataclass(slots=True)
class Watched:
    """A desk (see `rung.core.desk.ToolDesk`) with `calls` counted, `busy` ones under way, and how many calls on end
    were the `same`, arguments and answer included: a board that changes is no loop."""

    desk: ToolDesk
    calls: int = 0
    busy: int = 0
    same: int = 0
    _last: str = ""

    def tools(self) -> Sequence[Tool]:
        """Those of the desk."""
        return self.desk.tools()

    def instructions(self) -> str:
        """Those of the desk."""
        return self.desk.instructions()

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        """Answered by the desk."""
        self.calls, self.busy = self.calls + 1, self.busy + 1
        try:
            answer = await self.desk.call(tool, arguments)
        finally:
            self.busy -= 1
        made = canonical([tool, dict(arguments), answer.text])
        self.same = self.same + 1 if made == self._last else 1
        self._last = made
        return answer
