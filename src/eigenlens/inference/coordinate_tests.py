"""Which columns inverse regression can do without: a χ² test of each, or of several together, given the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.stats import chi2

from ..arrays import optional
from ..arrays.errors import listed
from ..arrays.typing import Frame
from .dimension_test import Result, check_level


@dataclass(frozen=True, eq=False, repr=False)
class CoordinateTest(Result):
    """Tests of "the response does not depend on this column, given the others", or on several columns together.

    Attributes
    ----------
    statistics, p_values : ndarray of shape (p,)
        One number where columns were tested together.
    freedom : int
        Degrees of freedom of each χ².
    alpha : float
    names : list of str
        Of the columns; one name for all that were tested together.
    together : int
        How many columns were tested together; 0 if each was tested.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> print(SIR().fit(X, X[:, 0] ** 3 + X[:, 1]).test_columns())
    2 of 4 columns are needed at 5%: x0, x1. Each was tested given all others.
    """

    statistics: np.ndarray
    p_values: np.ndarray
    freedom: int
    alpha: float
    names: list[str]
    together: int = 0

    @property
    def needed(self) -> np.ndarray:
        """Whether each column is needed."""
        return self.p_values <= self.alpha

    def __str__(self) -> str:
        if self.together:
            needed, single = self.needed[0], self.together == 1
            of = "" if single else "At least one of " if needed else "None of "
            verb = "is not" if single and not needed else "is"
            return (
                f"{of}{self.names[0]} {verb} needed at {100 * self.alpha:g}%: χ² = {self.statistics[0]:.4g} with "
                f"{self.freedom} degrees of freedom, p = {self.p_values[0]:.2g}."
            )
        found = [name for name, need in zip(self.names, self.needed, strict=True) if need]
        verb = "is" if len(found) == 1 else "are"
        which = f": {', '.join(found)}" if found else ""
        return (
            f"{len(found)} of {len(self.names)} columns {verb} needed at {100 * self.alpha:g}%{which}. Each was tested "
            f"given all others."
        )

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame, a row for each column."""
        columns = {"statistic": self.statistics, "p_value": self.p_values, "needed": self.needed}
        return optional.pandas().DataFrame(columns, index=self.names)


def coordinate_test(
    offsets: np.ndarray,
    weights: np.ndarray,
    inverse: np.ndarray,
    names: list[str],
    alpha: float,
    together: list[int] | None = None,
) -> CoordinateTest:
    """Test each column by the differences between slices that the other columns do not explain.

    Parameters
    ----------
    offsets : ndarray of shape (H, p)
        Slice means minus the mean.
    weights : ndarray of shape (H,)
    inverse : ndarray of shape (p, p)
        Inverse of the covariance of all rows (divisor W).
    names : list of str
    alpha : float
    together : list of int, optional
        Places of columns that are tested as one.
    """
    check_level(alpha)
    if together is not None:
        L = np.linalg.cholesky(inverse[np.ix_(together, together)])
        apart = solve_triangular(L, inverse[together] @ offsets.T, lower=True)
        statistic, freedom = float((apart**2).sum(axis=0) @ weights), len(together) * (len(weights) - 1)
        found, name = np.array([statistic]), listed([names[j] for j in together], 8)
        return CoordinateTest(found, chi2.sf(found, freedom), freedom, float(alpha), [name], len(together))
    residual = offsets @ inverse / np.sqrt(np.diagonal(inverse))
    statistics, freedom = weights @ residual**2, len(weights) - 1
    return CoordinateTest(statistics, chi2.sf(statistics, freedom), freedom, float(alpha), names)
