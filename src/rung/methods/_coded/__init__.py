"""Code that a model wrote, as part of a state: it runs in the sandbox port, at act time too, and never in this process.

A state holds Python files; a method says which function of which file it calls, and with what. Each call is a process
of its own over a copy of the files, with one JSON value in and one out:

    code = Code(state.files, "agent/task_agent.py", "act")
    said = await call(ports.sandbox, code, {"view": shown(view), "memory": memory},
                      answers={"model": from_model(ports.model, "agent", max_tokens=1024)}, seed=seed)
    if isinstance(said, Failed):
        raise AgentCrash(said.told())      # its episode is scored as it stands
    return action(said.value["answer"])

and in the state:

    def act(argument, host):
        said = host.model("What now?\\n" + argument["view"]["text"], system="Answer with one word.")
        return {"answer": said.strip(), "memory": {"last": said}}

`host.ask(kind, request)` asks whatever the method answers under that name; `host.model(prompt, system=...)` and
`host.tool(name, **arguments)` are short for two of them (`Hands.do` of the edit kernel is what an improver in the state
is lent as `tool`). A question ends the process: the function runs again from its beginning with the answers so far. So
nothing talks to a running process, a bound on seconds holds between two questions, and whoever does not ask the same
again has diverged and failed. What is kept from one call to the next is what it returns and is handed again.

A function that raises, runs too long, is killed, asks too much or returns what is no JSON has failed, which is the
agent's own doing (`Failed`). What could not be started is the instrument's (`InstrumentFault`).
"""

from rung.methods._coded.acting import action, from_model, shown
from rung.methods._coded.calling import Answer, Bounds, Code, Failed, Returned, Unanswered, call

__all__ = [
    "Answer",
    "Bounds",
    "Code",
    "Failed",
    "Returned",
    "Unanswered",
    "action",
    "call",
    "from_model",
    "shown",
]
