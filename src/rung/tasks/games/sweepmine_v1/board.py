"""A mine board: its geometry, where the mines lie, and what opening and marking do to it.

Sets of cells are integers used as bit sets: cell `row * columns + column` is the bit of that number.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

Cells = int  # a set of cells


def cells_in(cells: Cells) -> Iterator[int]:
    """The cells of a set, in reading order.

    >>> list(cells_in(0b1011))
    [0, 1, 3]
    """
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows and columns."""

    rows: int
    columns: int

    @property
    def all(self) -> Cells:
        """Every cell."""
        return (1 << self.rows * self.columns) - 1

    @property
    def start(self) -> int:
        """The cell in the middle, where a board is opened for the agent."""
        return self.rows // 2 * self.columns + self.columns // 2

    def around(self, cell: int) -> Cells:
        """The up to eight neighbours of a cell."""
        return _around(self.rows, self.columns)[cell]


@lru_cache(maxsize=64)
def _around(rows: int, columns: int) -> tuple[Cells, ...]:
    def near(row: int, column: int) -> Cells:
        return sum(
            1 << r * columns + c
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(column - 1, 0), min(column + 2, columns))
            if (r, c) != (row, column)
        )

    return tuple(near(row, column) for row in range(rows) for column in range(columns))


def lay(grid: Grid, mines: int, rng: random.Random) -> Cells:
    """Lay mines at random; none on the start cell or next to it."""
    clear = grid.around(grid.start) | 1 << grid.start
    return sum(1 << cell for cell in rng.sample(list(cells_in(grid.all & ~clear)), mines))


@dataclass(slots=True)
class Board:
    """A board being swept: its mines, and what is open and marked. A new one has the region of its start opened."""

    grid: Grid
    mines: Cells
    opened: Cells = 0
    marked: Cells = 0

    def __post_init__(self) -> None:
        self.open(self.grid.start)

    def number(self, cell: int) -> int:
        """How many mines lie next to a cell."""
        return (self.grid.around(cell) & self.mines).bit_count()

    def open(self, cell: int) -> None:
        """Open a safe cell; from a 0 on to its neighbours, and so on. A marked cell stays closed."""
        reached = [cell]
        while reached:
            here = reached.pop()
            if self.opened >> here & 1:
                continue
            self.opened |= 1 << here
            if not self.grid.around(here) & self.mines:
                reached += cells_in(self.grid.around(here) & ~self.opened & ~self.marked)

    def numbers(self) -> dict[int, int]:
        """The opened cells with their numbers."""
        return {cell: self.number(cell) for cell in cells_in(self.opened)}
