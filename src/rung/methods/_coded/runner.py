"""Runs one function of foreign code inside a sandbox. It is given to the sandbox as a file and never imported here.

On its input lies JSON: where the function is, its argument, and the answers to what it asked before. It runs from its
beginning each time: what it asked before is answered from there, and the first new question ends the process and is
printed in place of a result. So nothing needs to talk to a running process. The last line of the output is JSON behind
a mark: `returned`, `asks`, or why there is neither. It is plain Python from 3.9 on, with the standard library alone.
"""

import hashlib
import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MARK = "\x1e"


def spelt(value: Any) -> str:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


class Refused(Exception):
    """What was asked is not answered; the reason."""


class Host:
    """What foreign code may ask of the instrument. Each question is answered with JSON, or refused with a reason."""

    Refused = Refused

    def __init__(self, answers: list[dict[str, Any]], end: Callable[[dict[str, Any]], None]) -> None:
        self._answers = answers
        self._end = end
        self._asked = 0

    def ask(self, kind: str, request: Any = None) -> Any:
        """Ask for something: `model`, `tool` or whatever this function was lent."""
        try:
            question = json.loads(spelt([str(kind), request]))
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"a question is JSON: {error}") from None
        key = hashlib.sha256(spelt(question).encode("utf-8", "replace")).hexdigest()
        number, self._asked = self._asked, self._asked + 1
        if number == len(self._answers):
            self._end({"asks": question, "key": key})
        given = self._answers[number]
        if given["key"] != key:
            self._end({"diverged": number + 1})
        if "refused" in given:
            raise Refused(given["refused"])
        return given["value"]

    def model(self, prompt: Any, system: str = "") -> Any:
        """Ask the model: a prompt, or messages as pairs of author and text; its reply as text."""
        messages = [["user", prompt]] if isinstance(prompt, str) else [list(each) for each in prompt]
        return self.ask("model", {"system": system, "messages": messages})

    def tool(self, tool: str, **arguments: Any) -> Any:
        """Call a tool; its answer as text."""
        return self.ask("tool", {"tool": tool, "arguments": arguments})


def bounded(seconds: float, megabytes: int) -> None:
    """Hold this process to its bounds, where the system lets it: a second fence behind that of the sandbox."""
    try:
        import resource

        for name, most in (("RLIMIT_CPU", int(seconds) + 1), ("RLIMIT_AS", megabytes << 20), ("RLIMIT_CORE", 0)):
            resource.setrlimit(getattr(resource, name), (most, most))
    except (ImportError, AttributeError, ValueError, OSError):
        pass


def loaded(path: str) -> Any:
    """The module in a file. Beside it, and in the part of the state where it lies, modules are found."""
    file = Path.cwd() / path
    for folder in (str(Path.cwd() / path.split("/")[0]), str(file.parent)):
        sys.path[:] = [folder, *(each for each in sys.path if each != folder)]
    spec = importlib.util.spec_from_file_location("_rung_code", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_rung_code"] = module
    spec.loader.exec_module(module)
    return module


def told(error: BaseException) -> str:
    """What was raised, and the line of foreign code where it was."""
    at, trace, here = "", error.__traceback__, f"{Path.cwd()}/"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != __file__ and file.startswith(here):
            at = f" ({file[len(here) :]} line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}"[:400] + at


def main() -> None:
    """Read the order, run, print."""
    order = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)  # what foreign code prints goes with its errors
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 (for as long as the process lives)
    sys.path[:] = [each for each in sys.path if each and not each.endswith(".rung")]
    sys.argv[:] = ["code"]

    def end(said: dict[str, Any]) -> None:
        text = spelt(said)
        if len(text.encode("utf-8", "replace")) > order["bytes"]:
            text = spelt({"raised": f"it gives back {len(text)} bytes, and at most {order['bytes']} are read"})
        sys.stdout.flush()
        sys.stderr.flush()
        out.write("\n" + MARK + text + "\n")
        out.flush()
        os._exit(0)

    bounded(order["seconds"], order["megabytes"])
    random.seed(order["seed"])  # noqa: TID251 (for foreign code, which has no other)
    try:
        function: Any = getattr(loaded(order["path"]), order["function"], None)
        if not callable(function):
            raise AttributeError(f"there is no function {order['function']} in {order['path']}")
        arguments = [order["argument"], Host(order["answers"], end)]
        given = function(*arguments[: order["takes"]])
        end({"returned": json.loads(spelt(given))})
    except BaseException as error:  # noqa: BLE001 (foreign code raises what it likes)
        end({"raised": told(error)})


if __name__ == "__main__":
    main()
