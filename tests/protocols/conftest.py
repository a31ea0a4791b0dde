from collections.abc import Iterator
from typing import Any

import pytest

from rung.store.memory import MemoryJournal

from . import stage


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
def box() -> Iterator[Any]:
    """The family of these tests, as it should be."""
    with stage.installed() as family:
        yield family
