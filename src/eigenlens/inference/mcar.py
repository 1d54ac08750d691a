"""Little's test that cells are missing completely at random: have rows that miss other cells other means?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..arrays import errors, optional
from ..arrays.typing import ColumnLike, Frame, TableLike
from ..moments import Patterns
from ..moments.completion import fit
from ..moments.conditional import Conditional
from ..rows import as_source
from .dimension_test import Result, check_level, chi2_words, p_words


@dataclass(frozen=True, eq=False, repr=False)
class LittleTest(Result):
    """Whether the means of the observed cells differ between the patterns of missing cells.

    Attributes
    ----------
    statistic : float
        Σ W_o (m_o − μ̂_o)ᵀ Σ̃_oo⁻¹ (m_o − μ̂_o) over the patterns.
    df : int
        Degrees of freedom: observed columns, added up over the patterns, minus the number of columns.
    p_value : float
    alpha : float
        Level.
    masks : ndarray of bool, shape (P, p)
        Observed columns of each pattern.
    weights : ndarray of shape (P,)
        Rows of each pattern.
    contributions : ndarray of shape (P,)
        How much each pattern adds to the statistic.
    names : list of str or None
        Columns.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import littles_mcar
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> X[::4, 1] = np.nan
    >>> bool(littles_mcar(X).p_value > 0.05)
    True
    """

    statistic: float
    df: int
    p_value: float
    alpha: float
    masks: np.ndarray
    weights: np.ndarray
    contributions: np.ndarray
    names: list[str] | None

    def __str__(self) -> str:
        said = f"at the {100 * self.alpha:g}% level ({chi2_words(self.statistic, self.df)}, {p_words(self.p_value)})"
        if self.p_value <= self.alpha:
            return f"Cells are not missing completely at random {said}."
        return f"There is no evidence against cells missing completely at random {said}."

    def to_frame(self) -> Frame:
        """Return the patterns as a pandas DataFrame: observed columns, rows, and what each adds to the statistic."""
        pd = optional.pandas()
        columns = [str(j) for j in range(self.masks.shape[1])] if self.names is None else self.names
        frame = pd.DataFrame(self.masks, columns=columns)
        return frame.assign(rows=self.weights, contribution=self.contributions)


def littles_mcar(X: TableLike, sample_weight: ColumnLike | None = None, *, alpha: float = 0.05) -> LittleTest:
    """Test whether cells are missing completely at random, from the means of the patterns of missing cells.

    Maximum likelihood needs less: missing cells may depend on observed ones ("missing at random"). No test can show
    that.

    Parameters
    ----------
    X : table, source, or Patterns
        Rows with missing cells (NaN, null, masked), or their moments.
    sample_weight : one number per row, optional
        How often each row counts.
    alpha : float
        Level.

    Returns
    -------
    LittleTest
        With the statistic, its degrees of freedom and the p-value.

    References
    ----------
    Little (1988), A test of missing completely at random for multivariate data with missing values, JASA 83.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import littles_mcar
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3)) @ np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    >>> X[X[:, 0] > 0.5, 1] = np.nan                        # the larger the first, the rarer the second
    >>> print(littles_mcar(X))
    Cells are not missing completely at random at the 5% level (χ²(2) = 114, p < 0.001).
    """
    check_level(alpha)
    names = None
    if isinstance(X, Patterns):
        if sample_weight is not None:
            raise errors.InputError("sample_weight is of rows, and moments hold their weights; leave it out.")
        moments = X
    else:
        source = as_source(X, sample_weight=sample_weight, missing="allow", estimator="littles_mcar")
        names, moments = source.feature_names, source.collect(Patterns())
    if moments.complete:
        raise errors.InputError("X has no missing cell, so there is nothing to test.")
    found = fit(moments, names=names)
    law = found.moments.moved_to(moments.pivot).rescaled(moments.exponent)
    means = np.where(moments.masks, moments.shift, np.nan)
    squares = Conditional(law.shift, law.matrix / (law.weight - 1)).mahalanobis(means)[:, 0]
    contributions = moments.weights * squares
    varying = np.diagonal(law.matrix) > 0
    df = int(moments.masks[:, varying].sum() - varying.sum())
    statistic = float(contributions.sum())
    p_value = float(stats.chi2.sf(statistic, df)) if df else 1.0
    return LittleTest(statistic, df, p_value, alpha, moments.masks, moments.weights, contributions, names)
