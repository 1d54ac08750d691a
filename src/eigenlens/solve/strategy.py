"""Which road leads from rows to their leading directions at the least cost: a rule, with its reason.

A pass keeps a scatter (p × p numbers), a factor (the rows themselves, where they are few), or no more than an outline
(means and variances): directions then come from products of the rows with a few vectors at a time. Costs are counted in
multiplications of a large matrix product; others cost more, by factors that were measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arrays import memory
from ..moments import Centred, Factor, Outline
from ..moments.centred import choose_kind
from ..moments.row_products import SMALL
from ..rows import Source
from .leading import block_width

THIN = 4.0  # cost of a multiplication with a few vectors, relative to one in the product of a table with itself
SPARSE = 15.0  # cost of a multiplication with a stored cell of a sparse table
SPARSE_SQUARE = 250.0  # of one in a scatter of a sparse table
SPARSE_GRAM = 60.0  # of one in the product of a sparse table with itself, where one side is short
READ = 200.0  # of a cell that is read again for each product
DECOMPOSED = 10.0  # of an eigenproblem, relative to the cube of its size
SPARSE_STEPS = 200  # products with one vector that directions of a sparse table take
STEPS = 11  # products with a block of vectors that directions take where they stand out
PATIENCE = 4.0  # times the cost of the other road that a search may take before it is given up
LEAST_STEPS, MOST_STEPS = 60, 400  # of a search that can be given up, or not
SINGLE = 16  # times as many where each is a product with one vector
KEPT = 1.5  # what a scatter may cost more: it merges, and takes in more rows
ROOM = 2**28  # bytes that are not checked for
LEAST = 500  # rows, or columns, below which all roads are short
LEAST_SPARSE = 100  # the same of a sparse table, which would be made dense on another road
SHORT = 1e10  # multiplications that take a few tenths of a second: a scatter, which merges, is worth them
SHORT_SPARSE = 2e9  # the same of a sparse table
SPARSELY = 0.1  # share of its cells below which one of few rows is not made dense, however small


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
    Scatter: fewer than 500 columns are a small problem on any road
    >>> print(choose_road(5_000, 20_000, 10, filled=0.01).kind.__name__)
    Outline
    """
    usual = choose_kind(n_rows, n_columns)
    if n_components is None:
        return Road(usual, "all directions, or a number that all eigenvalues decide, need the whole form")
    few, small = ("rows", n_rows) if n_rows is not None and n_rows < n_columns else ("columns", n_columns)
    least, short = (LEAST, SHORT) if filled is None else (LEAST_SPARSE, SHORT_SPARSE)
    if small < least:
        return Road(usual, f"fewer than {least} {few} are a small problem on any road")
    if 4 * n_components > small:
        return Road(usual, f"{n_components} directions are many compared with {small} {few}")
    n = n_rows or 10 * n_columns
    step, direct = _step_cost(n, n_columns, n_components, filled, in_memory), _direct_cost(n, n_columns, filled)
    if direct < short and not (few == "rows" and filled is not None and filled < SPARSELY):
        return Road(usual, f"{direct:.0e} multiplications are a short road to moments that merge")
    steps, width, times = _search(n_components, filled)
    ratio = steps * step / direct
    vectors = f"{width} vectors" if width > 1 else "one vector"
    cost = f"{steps} products with {vectors} cost {ratio:.2g} of the rows' product with themselves"
    if filled is not None and few == "rows" and small <= SMALL:
        ratio = min(ratio, SPARSE_GRAM * filled**2 * n * n_columns * small / direct)
        cost = f"products of {small} sparse {few} with each other are {ratio:.2g} of those of dense ones"
    if ratio * (1.0 if few == "rows" else KEPT) > 1:
        return Road(usual, f"{cost}, which can be kept and merged")
    return Road(Outline, cost, int(min(max(PATIENCE * direct / step, LEAST_STEPS * times), MOST_STEPS * times)))


def _search(k: int, filled: float | None) -> tuple[int, int, int]:
    """Return how many products a search takes, with how many vectors, and how many times as many it may take."""
    if filled is None:
        return STEPS + 2 * k // block_width(k), block_width(k), 1
    return SPARSE_STEPS + 4 * k, 1, SINGLE


def road_of(source: Source, n_components: Any, allowed: bool = True) -> Road:
    """Choose the road of a source; `allowed` says whether its directions may come from products with the rows."""
    n, p = source.n_rows, source.n_columns
    if not allowed or not source.rereadable:
        return Road(choose_kind(n, p), "the rows are read once")
    matrix = getattr(getattr(source, "table", None), "matrix", None)
    filled = None if matrix is None else matrix.nnz / max(matrix.shape[0] * matrix.shape[1], 1)
    road = choose_road(n, p, n_components, filled, source.in_memory_already)
    if road.kind is not Outline and n_components is not None and not fits(source, road.kind):
        most = MOST_STEPS * (1 if filled is None else SINGLE)
        return Road(Outline, "the rows' product with themselves does not fit into memory", most)
    return road


def fits(source: Source, kind: type[Centred]) -> bool:
    """Tell whether what a pass keeps fits into memory, with what is made of it on the way."""
    n, p = source.n_rows, source.n_columns
    rows = p if n is None else min(n, p)
    needed = memory.square_bytes(rows if kind is Factor else p, p, copies=4.0)
    if needed < ROOM:
        return True
    available = memory.available_bytes()
    return available is None or needed <= memory.SHARE * available


def _step_cost(n: int, p: int, k: int, filled: float | None, in_memory: bool) -> float:
    """Return the cost of multiplying the rows twice with a block of vectors, or with one of a sparse table."""
    cell = 2.0 * (THIN * block_width(k) if filled is None else SPARSE * filled)
    return (cell + (0.0 if in_memory else READ)) * n * p


def _direct_cost(n: int, p: int, filled: float | None) -> float:
    """Return the cost of the rows' product with themselves, and of its eigenproblem."""
    small = min(n, p)
    product = float(n) * p * small
    if filled is not None and n > p:
        product = min(product, SPARSE_SQUARE * n * (filled * p) ** 2 + 20.0 * p**2)
    return product + (DECOMPOSED * small**3 if small < 2 * LEAST else 2000.0 * small**2)
