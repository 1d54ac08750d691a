"""What a normal law says about rows with holes: their missing cells, and how likely the observed ones are.

Rows with the same holes are taken together, and patterns that miss equally many columns too: nothing loops over rows.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpocon

from ..arrays import errors, linalg, namespaces
from ..arrays.stored import stored
from .completion import NEARLY_SINGULAR
from .form import Form
from .marginals import Layout, Marginals
from .patterns import distinct

SINGULAR = 1e-13  # smallest pivot of columns of unit length that is more than rounding


@stored("normal.Conditional")
class Conditional:
    """A normal law with one or several means, asked about rows of which some cells are missing (NaN).

    Parameters
    ----------
    means : array of shape (G, p)
    covariance : Form, or array of shape (p, p)
        Columns of variance zero are constants; the others must have a covariance of full rank.
    unit : array of shape (p,), optional
        What the columns of the covariance are divided by.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments.conditional import Conditional
    >>> law = Conditional([[0.0, 0.0]], [[1.0, 0.6], [0.6, 1.0]])
    >>> X = np.array([[2.0, np.nan], [np.nan, np.nan], [1.0, -1.0]])
    >>> law.filled(X)
    array([[ 2. ,  1.2],
           [ 0. ,  0. ],
           [ 1. , -1. ]])
    >>> law.standard_errors(X)
    array([[0. , 0.8],
           [1. , 1. ],
           [0. , 0. ]])
    """

    def __init__(self, means: np.ndarray, covariance: Form | np.ndarray, unit: np.ndarray | float = 1.0) -> None:
        form = covariance if isinstance(covariance, Form) else Form(matrix=np.asarray(covariance, dtype=np.float64))
        values = namespaces.to_numpy(form.dense() if form.factor is None else form.factor)
        norm = np.sqrt(np.diagonal(values)) if form.factor is None else np.sqrt((values**2).sum(axis=0))
        self.means = np.atleast_2d(np.asarray(means, dtype=np.float64))
        self.varying = np.flatnonzero(norm * unit > 0)
        self.size, norm = (norm * unit)[self.varying], norm[self.varying]
        try:
            if form.factor is None:
                among = values[np.ix_(self.varying, self.varying)]
                self.L = np.linalg.cholesky(among / norm / norm[:, None])
            else:
                self.L = _lower(values[:, self.varying] / norm)
        except np.linalg.LinAlgError as error:
            raise errors.InputError(
                "The covariance is singular, so a missing cell has no likelihood given the others; "
                "leave out columns that the others determine."
            ) from error

    def filled(self, X: np.ndarray, group: int = 0) -> np.ndarray:
        """Return rows whose missing cells are their expectation given the observed ones.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            NaN where a cell is missing.
        group : int
            Whose mean is meant.
        """
        rows = _Rows(self, X)
        U = rows.solved(group)
        guess = np.broadcast_to(self.means[group], X.shape).copy()
        guess[:, self.varying] += (U @ self.L @ self.L.T) * self.size
        return np.where(np.isnan(X), guess, X)

    def standard_errors(self, X: np.ndarray) -> np.ndarray:
        """Return the standard deviation of each missing cell given the observed ones; zero where a cell is observed."""
        rows = _Rows(self, X)
        errors_ = np.zeros((len(rows.masks), X.shape[1]))
        errors_[:, self.varying] = np.sqrt(rows.marginals.conditional_variances()) * self.size
        return np.where(np.isnan(X), errors_[rows.codes], 0.0)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        """Return the log-density of the observed cells of each row under each mean: an array of shape (n, G)."""
        rows = _Rows(self, X)
        return rows.log_constant[rows.codes][:, None] - 0.5 * rows.squares()

    def mahalanobis(self, X: np.ndarray) -> np.ndarray:
        """Return the squared distance of the observed cells of each row from each mean: an array of shape (n, G)."""
        return _Rows(self, X).squares()

    def log_ratios(self, X: np.ndarray) -> np.ndarray:
        """Return the log-density of the observed cells under each mean minus that under the last: (n, G).

        Densities of rows far from all means are huge negative numbers; their differences are linear in the row, and
        found as such.
        """
        rows = _Rows(self, X)
        apart = (self.means - self.means[-1])[:, self.varying] / self.size
        U = rows.solved(len(self.means) - 1)
        half, places = np.zeros((len(X), len(self.means))), rows.marginals.layout.places(np.arange(len(rows.masks)))
        for g, step in enumerate(apart[:-1]):
            masked = rows.masks * step
            solved = rows.marginals.solve(masked, places)
            half[:, g] = (0.5 * (masked * solved).sum(axis=1))[rows.codes]
        return U @ apart.T - half


class _Rows:
    """Rows in the units of a law, sorted by pattern."""

    def __init__(self, law: Conditional, X: np.ndarray) -> None:
        self.law, self.X = law, X
        seen = ~np.isnan(X[:, law.varying])
        first, self.codes = distinct(seen)
        self.masks = seen[first]
        layout = Layout(self.masks, thorough=nearly_singular(law.L))
        self.places = layout.places(self.codes)
        self.marginals = Marginals(layout, law.L, np.ones(len(self.masks)))

    def about(self, group: int) -> np.ndarray:
        apart = (self.X[:, self.law.varying] - self.law.means[group, self.law.varying]) / self.law.size
        return np.where(self.masks[self.codes], apart, 0.0)

    def solved(self, group: int) -> np.ndarray:
        return self.marginals.solve(self.about(group), self.places)

    def squares(self) -> np.ndarray:
        groups = range(len(self.law.means))
        return np.stack([np.maximum((self.about(g) * self.solved(g)).sum(axis=1), 0.0) for g in groups], axis=1)

    @property
    def log_constant(self) -> np.ndarray:
        """Log-density of each pattern at its mean."""
        n_observed = self.masks.sum(axis=1)
        return -0.5 * (
            n_observed * np.log(2 * np.pi) + self.marginals.log_dets + 2 * self.masks @ np.log(self.law.size)
        )


def nearly_singular(L: np.ndarray) -> bool:
    """Tell whether L is nearly singular, by LAPACK's estimate of its condition: p² operations, and rows ask often."""
    if not len(L):
        return False
    reciprocal, _ = dpocon(L, 1.0, uplo="L")  # 1/‖Σ⁻¹‖: for triangles alone older versions of SciPy have no estimate
    return bool(reciprocal < NEARLY_SINGULAR**2)


def _lower(F: np.ndarray) -> np.ndarray:
    """Return lower triangular L with LLᵀ = FᵀF; refuse columns that depend on each other."""
    if len(F) < F.shape[1]:
        raise np.linalg.LinAlgError("fewer rows than columns")
    R = np.asarray(linalg.triangle(F))
    if len(R) and np.abs(np.diagonal(R)).min() <= SINGULAR * len(R):
        raise np.linalg.LinAlgError("dependent columns")
    return R.T
