"""Which road leads from rows to their leading directions at the least cost: a rule, with its reason.

A pass keeps a scatter (p × p numbers), a factor (the rows themselves, where they are few), or no more than an outline
(means and variances): directions then come from products of the rows with a few vectors at a time.
`benchmarks/map_of_roads.py` times all three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arrays import memory
from ..moments import Centred, Factor, Outline
from ..moments.centred import choose_kind
from ..rows import Source

SIDE, SPARSE_SIDE = 1_500, 600  # of the shorter side, and of a sparse one, from which on products with vectors are less
SPARSE_ROWS = 100  # from which on sparse rows stay so, where they are fewer than columns
SHARES = 20, 4  # times as many directions must fit into the shorter side, and into a sparse one
REREAD = 10_000  # columns from which on rows are rather read for each product
STEPS, SPARSE_STEPS = (60, 400), 6_400  # products after which a search is given up: with a block of vectors, with one


@dataclass(frozen=True)
class Road:
    """What one pass keeps, and why.

    Attributes
    ----------
    kind : type
        Scatter, Factor, or Outline, where directions come from products with the rows.
    why : str
    steps : int
        Products after which a search gives up, where it is one.
    """

    kind: type[Centred]
    why: str
    steps: int = 0

    def __str__(self) -> str:
        return f"{self.kind.__name__}: {self.why}"


def choose_road(
    n_rows: int | None,
    n_columns: int,
    n_components: int | None = None,
    filled: float | None = None,
    in_memory: bool = True,
) -> Road:
    """Choose what to keep of rows whose leading directions are wanted.

    Parameters
    ----------
    n_rows : int or None
        None where that is not known.
    n_columns : int
    n_components : int or None
        How many directions; None is all of them, or a number that all eigenvalues decide.
    filled : float, optional
        Share of the cells that a sparse table stores; None for one that is not sparse.
    in_memory : bool
        Whether the rows lie in memory, so multiplying them again costs no reading.

    Examples
    --------
    >>> from eigenlens.solve.strategy import choose_road
    >>> print(choose_road(100_000, 50, 5))
    Scatter: fewer than 1500 columns are a small problem on any road
    >>> print(choose_road(5_000, 20_000, 10, filled=0.01).kind.__name__)
    Outline
    """
    usual, sparse = choose_kind(n_rows, n_columns), filled is not None
    if n_components is None:
        return Road(usual, "all directions, or a number that all eigenvalues decide, need the whole form")
    few, small = ("rows", n_rows) if n_rows is not None and n_rows < n_columns else ("columns", n_columns)
    least = (SPARSE_ROWS if few == "rows" else SPARSE_SIDE) if sparse else SIDE
    if small < least:
        return Road(usual, f"fewer than {least} {few} are a small problem on any road")
    if SHARES[sparse] * n_components > small:
        return Road(usual, f"{n_components} directions are many compared with {small} {few}")
    if not in_memory and n_columns <= REREAD:
        return Road(usual, f"{n_columns} columns are too few to read the rows again for each product with vectors")
    return Road(
        Outline,
        f"{n_components} directions of {small} {few} come from products with a few vectors at a time",
        SPARSE_STEPS if sparse else min(max(STEPS[0], small // 16), STEPS[1]),
    )


def road_of(source: Source, n_components: Any, allowed: bool = True) -> Road:
    """Choose the road of a source; `allowed` says whether its directions may come from products with the rows."""
    n, p = source.n_rows, source.n_columns
    if not allowed or not source.rereadable:
        return Road(choose_kind(n, p), "the rows are read once")
    matrix = getattr(getattr(source, "table", None), "matrix", None)
    filled = None if matrix is None else matrix.nnz / max(matrix.shape[0] * matrix.shape[1], 1)
    road = choose_road(n, p, n_components, filled, source.in_memory_already)
    if road.kind is not Outline and n_components is not None and not fits(source, road.kind):
        most = STEPS[1] if filled is None else SPARSE_STEPS
        return Road(Outline, "the rows' product with themselves does not fit into memory", most)
    return road


def fits(source: Source, kind: type[Centred]) -> bool:
    """Tell whether what a pass keeps fits into memory, with what is made of it on the way."""
    n, p = source.n_rows, source.n_columns
    rows = p if n is None else min(n, p)
    needed = memory.square_bytes(rows if kind is Factor else p, p, copies=4.0)
    if needed < 2**28:
        return True
    available = memory.available_bytes()
    return available is None or needed <= memory.SHARE * available
