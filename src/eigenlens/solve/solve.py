"""Which solver runs, and why: the rules are a table, and the choice can be asked for.

A pencil with a B is first whitened; what remains is a standard problem A v = λ v, to which the rules apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.typing import Array
from . import products
from .pencil import Form, Pencil, Spectrum, Whitening, condition_of, count_rank, orient
from .shrinkage import RidgedForm, whiten_for

ITERATED_DIMENSION = 1000  # below this dimension a full decomposition is faster than an iteration
ITERATED_SHARE = 0.05  # share of directions up to which an iteration pays

SOLVERS: dict[str, Callable[..., Any]] = {
    "eigh": Form.decomposed,
    "leading": Form.leading,
    "svd": Form.decomposed,
    "gram": products.gram,
    "krylov": products.krylov,
    "lanczos": products.lanczos,
    "randomized": products.randomized,
}


@dataclass(frozen=True)
class Choice:
    """A solver and the reason for it."""

    solver: str
    why: str

    def __str__(self) -> str:
        return f"{self.solver}: {self.why}"


@dataclass(frozen=True)
class Rule:
    """One row of the table: the first rule that applies names the solver."""

    solver: str
    applies: Callable[[Pencil], bool]
    why: str


def _few_of_many(pencil: Pencil) -> bool:
    k, small = pencil.n_components, min(pencil.A.shape)
    return k is not None and small >= ITERATED_DIMENSION and k <= ITERATED_SHARE * small


def _few_long_rows(pencil: Pencil) -> bool:
    """Whether the products of rows with rows are many times cheaper than an SVD, and all that is needed."""
    rows, columns = pencil.A.shape
    few = pencil.n_components is not None and pencil.n_components <= rows // 4
    return pencil.A.factor is not None and few and rows <= columns and rows**2 * columns >= 1e8


RULES = (
    Rule(
        "gram",
        lambda pencil: pencil.A.products is not None and pencil.A.products.forms_gram,
        "few rows, or few columns, of a sparse table: their products with each other are a small matrix",
    ),
    Rule(
        "krylov",
        lambda pencil: pencil.A.products is not None or (pencil.A.factor is not None and _few_of_many(pencil)),
        "few directions of many come from products with a few vectors at a time, until their residual is small",
    ),
    Rule("gram", _few_long_rows, "few rows of many columns: the products of rows with rows are a small matrix"),
    Rule(
        "lanczos",
        _few_of_many,
        f"few directions (up to {ITERATED_SHARE:.0%}) of {ITERATED_DIMENSION} or more are found by iteration",
    ),
    Rule(
        "svd",
        lambda pencil: pencil.A.factor is not None,
        "A is given by a factor, whose SVD keeps all digits",
    ),
    Rule(
        "leading",
        lambda pencil: pencil.leading and pencil.n_components is not None,
        "the directions that are not wanted need not be found",
    ),
    Rule("eigh", lambda pencil: True, "a full decomposition of a small symmetric matrix is fast and exact"),
)


def choose_solver(pencil: Pencil, solver: Literal["auto", "dense", "lanczos", "randomized"] = "auto") -> Choice:
    """Tell which solver `solve` would run for a pencil, and why.

    Parameters
    ----------
    pencil : Pencil
    solver : {"auto", "dense", "lanczos", "randomized"}
        "auto" follows the rules; "dense" is a full decomposition; "lanczos" iterates to machine precision;
        "randomized" is approximate and reports its residual.

    Returns
    -------
    Choice
        The name of the solver, and the reason.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, Pencil, choose_solver
    >>> print(choose_solver(Pencil(Form(matrix=np.eye(5)), n_components=2)))
    eigh: a full decomposition of a small symmetric matrix is fast and exact
    """
    if solver not in ("auto", "dense", "lanczos", "randomized"):
        raise errors.option("solver", solver, ("auto", "dense", "lanczos", "randomized"))
    if pencil.B is not None:
        pencil, _ = _whitened(pencil)
    rows, p = pencil.A.shape
    every = rows >= p and (pencil.n_components is None or pencil.n_components >= p)
    if pencil.A.products is None and (solver == "dense" or (solver != "auto" and every)):
        why = "asked for" if solver == "dense" else f"{solver} cannot give all {p} directions"
        return Choice("eigh" if pencil.A.factor is None else "svd", why)
    if solver in ("lanczos", "randomized"):
        return Choice(solver, "asked for")
    return next(Choice(rule.solver, rule.why) for rule in RULES if rule.applies(pencil))


def solve(pencil: Pencil, solver: Literal["auto", "dense", "lanczos", "randomized"] = "auto") -> Spectrum:
    """Solve a pencil.

    Parameters
    ----------
    pencil : Pencil
    solver : {"auto", "dense", "lanczos", "randomized"}

    Returns
    -------
    Spectrum
        Values and directions, with the condition, the solver and its residual.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, Pencil, solve
    >>> A, B = np.diag([4.0, 9.0]), np.diag([1.0, 9.0])
    >>> solve(Pencil(Form(matrix=A), Form(matrix=B))).values
    array([4., 1.])
    """
    whitening = None
    if pencil.B is not None:
        pencil, whitening = _whitened(pencil)
    A, choice = pencil.A, choose_solver(pencil, solver)
    rows, p = A.shape
    k = min(rows, p, rows if pencil.n_components is None else pencil.n_components)
    s, vectors, left, residual, *effort = SOLVERS[choice.solver](A, k)
    rank = count_rank(s, p, A.squared)
    squares = namespaces.to_numpy(s) ** 2
    if len(squares) == min(rows, p):
        tail = float(squares[min(k, rank) : rank].sum())
    else:  # from the trace, which costs digits
        trace = A.trace()
        tail = trace - float(squares[:k].sum())
        tail = tail if tail > p * namespaces.EPS * trace else 0.0
    if whitening is None:
        constant = 0 if pencil.constant is None else int(namespaces.to_numpy(pencil.constant).sum())
        condition = condition_of(s, max(min(k, p - constant, pencil.most or p), 1))
    else:
        vectors, condition = whitening.matrix @ vectors, whitening.condition
    signs = orient(vectors)
    return Spectrum(
        singular_values=s[:k],
        vectors=vectors * signs,
        left=None if left is None else left * signs,
        tail=tail,
        rank=rank,
        condition=condition,
        solver=choice.solver,
        residual=residual,
        whitening=whitening,
        **(effort[0] if effort else {}),
    )


def _whitened(pencil: Pencil) -> tuple[Pencil, Whitening]:
    """Return the standard problem in coordinates in which B is the identity."""
    assert pencil.B is not None
    if isinstance(pencil.B, RidgedForm) and pencil.A.factor is not None and 4 * pencil.A.shape[0] <= pencil.dimension:
        whitening = whiten_for(pencil.B, pencil.A.factor)
    else:
        whitening = whiten(pencil.B, pencil.constant, pencil.most)
    return Pencil(pencil.A.seen_through(whitening.matrix), n_components=pencil.n_components), whitening


def whiten(B: Form, constant: Array | None = None, most: int | None = None) -> Whitening:
    """Return W with Wᵀ B W = I, leaving out directions in which B vanishes.

    Columns are brought to unit size first, so that rank does not depend on the units of the columns.

    Parameters
    ----------
    B : Form
    constant : boolean array of shape (p,), optional
        Columns known to be zero except for rounding; they are dropped.
    most : int, optional
        The largest possible rank; a condition beyond it is not counted.

    Returns
    -------
    Whitening
        W, with the rank of B.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, whiten
    >>> B = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> W = whiten(Form(matrix=B)).matrix
    >>> bool(np.allclose(W.T @ B @ W, np.eye(2)))
    True
    """
    squares = B.diagonal()
    xp, p = namespaces.namespace(squares), int(squares.shape[0])
    size = xp.sqrt(xp.where(squares > 0, squares, 0.0))
    dead = size == 0 if constant is None else (size == 0) | constant
    d = xp.where(dead, 0.0, 1.0 / xp.where(dead, 1.0, size))
    varying = int(np.count_nonzero(namespaces.to_numpy(~dead)))
    if varying == 0:
        return Whitening(xp.zeros((p, 0), dtype=xp.float64, device=namespaces.device(size)), 0, 0, 1.0)
    s, V, _ = all_directions(B.column_scaled(d))
    rank = count_rank(s, p, B.squared)
    condition = condition_of(s, min(varying, most or varying))
    W = d[:, None] * (V[:, :rank] / s[:rank])
    return Whitening(W * orient(W), rank, varying, condition)


def all_directions(A: Form) -> tuple[Array, Array, Array | None]:
    """Return all singular values and directions of a form, and their images where there is a factor."""
    F = A.factor
    if type(A) is Form and isinstance(F, np.ndarray) and F.shape[0] >= F.shape[1] >= ITERATED_DIMENSION:
        found = _by_squares(F)
        if found is not None:
            return found
    return A.decomposed(A.shape[1])[:3]


def _by_squares(F: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Decompose the squares of a factor, a quarter of the work of its SVD; None where that would cost digits.

    Ten are left of directions up to a condition of a thousand. Weaker ones must have no image at all.
    """
    s, V, _, _ = Form(matrix=F.T @ F).decomposed(F.shape[1])
    weak = s <= s[0] / 1e3
    s[weak] = np.linalg.norm(F @ V[:, weak], axis=0)
    if (s[weak] > len(F) * namespaces.EPS * s[0]).any():
        return None
    return s, V, F @ (V / np.where(s > 0, s, 1.0))
