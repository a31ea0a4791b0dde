"""Who failed? One class per answer.

    RungError
    ├── UsageError        the caller: bad config, bad file, bad argument. Exit 2, nothing was started
    ├── InstrumentFault   the instrument: recorded as a `Fault` and never as a score
    │   └── StoreFault    the record itself cannot be kept: the run stops, and running again resumes
    ├── AgentCrash        the agent's own code raised: its episode is scored as it stands
    └── Stopped           the operator asked for a stop: exit 130, running again resumes

Anything else is our own bug and crashes.
"""


class RungError(Exception):
    """The root of every error this project raises on purpose."""


class UsageError(RungError):
    """The caller asked for something that cannot be; the message names key, value and mend."""


class InstrumentFault(RungError):
    """The instrument broke: no measurement was made. `where` names the part that failed."""

    def __init__(self, where: str, detail: str) -> None:
        super().__init__(f"{where}: {detail}")
        self.where = where
        self.detail = detail


class StoreFault(InstrumentFault):
    """The journal or its disk failed. Nothing more can be recorded, so the run stops; what was committed stays."""


class AgentCrash(RungError):
    """The agent's own code raised. Its episode ends and is scored as it stands."""


class Stopped(RungError):
    """The operator asked for a stop; what was committed stays and the run can be resumed."""
