"""Loads one file and looks for a function in it. It is given to the sandbox as a file."""

import importlib.util
import sys
from pathlib import Path
from typing import Any


def loads(argument: "dict[str, Any]") -> bool:
    """True where the function is there; what loading raises is raised."""
    file = Path(argument["path"])
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location("helper", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, argument["function"], None)):
        raise AttributeError(f"there is no function {argument['function']} in {argument['path']}")
    return True
