"""The texts that lie beside the code: prompts, and what is given to the sandbox."""

from functools import cache
from pathlib import Path
from string import Template


@cache
def prompt(name: str) -> str:
    """A prompt file of this folder, without white space around it."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


def filled(name: str, **values: str) -> str:
    """A prompt with its places filled in. What is put in is no template again."""
    return Template(prompt(name)).substitute(values)


@cache
def source(name: str) -> bytes:
    """A Python file of this folder that runs in the sandbox."""
    return (Path(__file__).parent / f"{name}.py").read_bytes()
