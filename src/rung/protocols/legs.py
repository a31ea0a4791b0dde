"""The legs of a program's session: it is one leg unless something interrupted it, and then goes on in the same home.

Under `<session>/leg/0001` the journal holds

    began        which program in which version, what confines it, the conversation it begins or goes on from, and which
                 instruction in which slot
    departed     how it came to its end, as each source has it; what it printed, whom it reached, what was kept
    interrupted  that something outside had ended it, so that it is to be gone on with

and beside them the observation `leg`: seconds, bytes, packets, and who enforced which bound. A leg that began and has
no more was cut off with the instrument itself.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from rung.core.canonical import JSON
from rung.core.confined import Departed, Ended
from rung.core.ports import Journal
from rung.core.values import Exit


@dataclass(frozen=True, slots=True)
class Legs:
    """The legs of one session in a journal."""

    journal: Journal
    session: str

    def place(self, number: int) -> str:
        """Where a leg is recorded; they count from 1."""
        return f"{self.session}/leg/{number:04d}"

    @property
    def begun(self) -> int:
        """How many have begun."""
        return sum(1 for _ in self.journal.facts(under=f"{self.session}/leg", kind="began"))

    def begin(self, about: Mapping[str, JSON]) -> int:
        """Record that one begins; its number."""
        number = self.begun + 1
        self.journal.put(self.place(number), "began", dict(about))
        return number

    def depart(self, number: int, found: Exit, about: Mapping[str, JSON]) -> None:
        """Record how one came to its end."""
        assert found.departed is not None
        ended = found.departed.ended
        how = {"reason": ended.reason, "status": ended.status, "signal": ended.signal, "why": ended.why}
        gone = {**asdict(found.departed), "statuses": list(found.departed.statuses), "ended": how}
        value: dict[str, JSON] = {"departed": cast(JSON, gone), "detail": found.detail, "left": found.left, **about}
        self.journal.put(self.place(number), "departed", value)

    def interrupt(self, why: Mapping[str, JSON]) -> None:
        """Record that the last one was interrupted from outside."""
        earlier = sum(1 for _ in self.journal.facts(under=f"{self.session}/leg", kind="interrupted"))
        self.journal.put(self.place(max(self.begun, earlier + 1)), "interrupted", dict(why))

    def over(self) -> Exit | None:
        """The exit of the last one, where it came to its end and the instrument did not get to say so."""
        at = self.place(self.begun)
        found = cast("Mapping[str, Any] | None", self.journal.get(at, "departed"))
        if found is None or self.journal.get(at, "interrupted") is not None:
            return None
        gone = dict(found["departed"])
        departed = Departed(**{**gone, "ended": Ended(**gone["ended"]), "statuses": tuple(gone["statuses"])})
        return Exit("departed", found["detail"], departed, found["left"])
