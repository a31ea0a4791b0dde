"""Who failed? One class per answer.

    RungError
    ├── UsageError        the caller: bad config, bad file, bad argument. Exit 2, nothing was started
    ├── InstrumentFault   the instrument: recorded as a `Fault` and never as a score
    │   ├── StoreFault    the record itself cannot be kept: the run stops, and running again resumes
    │   └── ModelFault    no usable answer to this one request
    │       └── EmptyReply   a model answered, and nothing of it can be seen
    ├── AgentCrash        the agent's own code raised: its episode is scored as it stands
    │   └── ContextOverflow   what it sent no longer fits its model
    ├── LimitReached      the agent has used up what an attempt or a session may cost: scored as it stands
    └── Stopped           the operator asked for a stop: exit 130, running again resumes
        ├── BudgetSpent   the study has cost what it may: exit 4, running again with more resumes
        └── ModelUnusable no request can be answered until the operator mends something: exit 5, then resumes

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


class ModelFault(InstrumentFault):
    """A model gave no usable answer to one request (garbage, a refused request), though others may be answered."""


class EmptyReply(ModelFault):
    """A model answered and nothing of it can be seen, as when all its tokens went into thinking. Never a zero."""


class AgentCrash(RungError):
    """The agent's own code raised. Its episode ends and is scored as it stands."""


class ContextOverflow(AgentCrash):
    """What the agent sent is longer than its model can read: the agent's own doing."""


class LimitReached(RungError):
    """The agent has used up what an attempt or a session may cost. It ends there, and is scored as it stands."""


class Stopped(RungError):
    """The operator asked for a stop; what was committed stays and the run can be resumed."""


class BudgetSpent(Stopped):
    """The study has cost what it may. What was committed stays; with a higher budget the run can be resumed."""


class ModelUnusable(Stopped):
    """No request can be answered until the operator mends something: a key, a model's name, an endpoint that is down.

    What was committed stays, and what was in flight is taken up again when the run is resumed.
    """
