"""Runs the middleware of a harness, each file in the order of its name. It is given to the sandbox as a file."""

import importlib.util
import sys
from pathlib import Path
from typing import Any


def _files() -> "list[Path]":
    return sorted(Path("agent/middleware").glob("*.py"))


def _hook(file: Path, name: str) -> Any:
    for folder in ("agent", str(file.parent)):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(f"middleware_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name, None)


def _each(name: str, argument: "dict[str, Any]") -> Any:
    """What each file's hook gives, and what became of those that failed. `memory` goes from one to the next."""
    memories = dict(argument["memory"])
    for file in _files():
        try:
            hook = _hook(file, name)
            if hook is None:
                continue
            given = hook({**argument, "memory": dict(memories.get(file.stem) or {})}) or {}
            if not isinstance(given, dict):
                raise TypeError(f"{name} gives an object, gave {type(given).__name__}")
            if isinstance(given.get("memory"), dict):
                memories[file.stem] = given["memory"]
            yield file.stem, given, None, memories
        except Exception as error:  # noqa: BLE001 (foreign code raises what it likes)
            yield file.stem, {}, f"{type(error).__name__}: {error}"[:200], memories


def on_view(argument: "dict[str, Any]") -> "dict[str, Any]":
    """All notes on a view, in their order."""
    said: dict[str, Any] = {"notes": [], "failed": {}, "memory": argument["memory"]}
    for name, given, failed, memories in _each("on_view", argument):
        said["memory"] = memories
        if failed is not None:
            said["failed"][name] = failed
        elif isinstance(given.get("note"), str):
            said["notes"].append(given["note"])
    return said


def on_answer(argument: "dict[str, Any]") -> "dict[str, Any]":
    """The answer as the last file leaves it, or the first reason to answer again."""
    said: dict[str, Any] = {"failed": {}, "memory": argument["memory"]}
    for name, given, failed, memories in _each("on_answer", argument):
        said["memory"] = memories
        if failed is not None:
            said["failed"][name] = failed
        elif isinstance(given.get("again"), str) and given["again"].strip():
            return {**said, "again": given["again"]}
        elif "answer" in given:
            said["answer"] = argument["answer"] = given["answer"]
    return said
