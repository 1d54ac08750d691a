"""Categories and supplementary columns on the axes of a fit: means, correlations, correlation ratios, test values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.stored import stored
from ..moments import Mixed, Scatter
from ..moments.mixed import beside
from ..rows import Block, as_source
from .coding import Coding, centred_sums, code, deviations
from .factor_table import FactorTable


@stored("Supplementary")
@dataclass(frozen=True, eq=False, repr=False)
class Supplementary:
    """Columns on the axes of a fit that they took no part in.

    Attributes
    ----------
    numbers : FactorTable or None
        Correlations of columns of numbers with the axes.
    categories : FactorTable or None
        Levels of columns of words, with test values.
    eta2 : ndarray of shape (columns of words, k), or None
        Squared correlation ratios.
    columns : list of str
        The columns of words, in the order of `eta2`.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens import MixedPCA
    >>> table = pd.DataFrame({"a": list("xxyyzz"), "b": list("uvuvuv"), "c": list("ppqqpq")})
    >>> found = MixedPCA(2).fit(table[["a", "b"]]).supplementary(table[["c"]])
    >>> found.names, found.coordinates.shape
    (['p', 'q'], (2, 2))
    """

    numbers: FactorTable | None
    categories: FactorTable | None
    eta2: np.ndarray | None
    columns: list[str]

    @property
    def parts(self) -> list[FactorTable]:
        """The tables that there are: numbers, then categories."""
        return [part for part in (self.numbers, self.categories) if part is not None]

    @property
    def names(self) -> list[str]:
        """Names of all points: numbers, then categories."""
        return [name for part in self.parts for name in part.names]

    @property
    def coordinates(self) -> np.ndarray:
        """Coordinates of all points."""
        return np.concatenate([part.coordinates for part in self.parts])

    @property
    def cos2(self) -> np.ndarray:
        """cos² of all points."""
        return np.concatenate([part.cos2 for part in self.parts])

    def __repr__(self) -> str:
        return f"<Supplementary: {errors.listed(self.names, 8)}>"


def supplementary_columns(
    Z: Any, scores: np.ndarray, weight: Any, values: np.ndarray, words_only: bool
) -> Supplementary:
    """Relate columns to scores of the same rows.

    Parameters
    ----------
    Z : table
    scores : ndarray of shape (n, r)
        On all axes with variance; the first k are those of the model.
    weight : weights of the rows, or None
    values : ndarray of shape (k,)
        Eigenvalues.
    words_only : bool
        Whether the fit is multiple correspondence analysis.
    """
    if hasattr(Z, "__dask_graph__"):
        raise errors.InputTypeError("Z is a Dask table, whose rows are not here; pass Z.compute(), and X with it.")
    source = as_source(Z, scores, weight, target="table", name="Z", second_name="X", words="auto")
    moments = Mixed(Scatter)
    for segment in source.segments():
        for block in segment:
            moments.update(Block(beside(np.asarray(block.y), block.X), None, block.weight))
    if moments.n_rows == 0:
        raise errors.too_few_rows("Z", 0, (0, source.n_features), 1)
    names = source.feature_names or [f"z{j}" for j in range(source.n_features)]
    is_word = _is_word(source)
    k, r = len(values), scores.shape[1]
    numbers = categories = eta2 = None
    of_numbers = [name for name, word in zip(names, is_word, strict=True) if not word]
    if of_numbers:
        T, sd = np.asarray(moments.numbers.matrix), np.sqrt(np.diagonal(moments.numbers.matrix))
        R = T[r:, :k] / np.outer(np.where(sd[r:] > 0, sd[r:], 1.0), np.where(sd[:k] > 0, sd[:k], 1.0))
        numbers = FactorTable(of_numbers, R, None, R**2)
    columns = [name for name, word in zip(names, is_word, strict=True) if word]
    if moments.words is not None:
        coding, tables = code(moments.words, moments.weight, columns, "auto")
        sums = centred_sums(coding, tables, moments)[:, :r]
        spread = deviations(moments)[:r] ** 2  # the scores' own variances: the eigenvalues
        means = sums / coding.weights[:, None]
        categories, eta2 = table_of_categories(coding, means, spread, moments.weight, k, words_only, None)
    return Supplementary(numbers, categories, eta2, columns)


def table_of_categories(
    coding: Coding,
    means: np.ndarray,
    values: np.ndarray,
    weight: float,
    k: int,
    words_only: bool,
    contributions: np.ndarray | None,
) -> tuple[FactorTable, np.ndarray]:
    """Return the categories as points of the first k axes, and the correlation ratios of their columns.

    Parameters
    ----------
    coding : Coding
    means : ndarray of shape (L, r)
        Mean scores of the rows of each level, on all axes with variance.
    values : ndarray of shape (r,)
        Variances of the scores.
    weight : float
        Of all rows.
    k : int
    words_only : bool
        Whether coordinates are means over √λ, as multiple correspondence analysis has them.
    contributions : ndarray of shape (L, k), or None
    """
    lam = np.where(values > 0, values, 1.0)
    shares = coding.weights / weight
    standard = means / np.sqrt(lam)
    rarity = np.maximum(1.0 / shares - 1.0, 0.0)[:, None]
    if words_only:
        coordinates, length = standard, rarity
    else:
        coordinates, length = means, (means**2).sum(axis=1, keepdims=True)
    cos2 = coordinates[:, :k] ** 2 / np.where(length > 0, length, 1.0)
    tested = standard[:, :k] * np.sqrt(max(weight - 1.0, 0.0) / np.where(rarity > 0, rarity, np.inf))
    eta2 = coding.sums(shares[:, None] * standard[:, :k] ** 2)
    table = FactorTable(
        coding.names(), coordinates[:, :k], contributions, cos2, coding.owners(), coding.weights.copy(), tested
    )
    return table, eta2


def _is_word(source: Any) -> tuple[bool, ...]:
    table = getattr(source, "table", None)
    if table is not None:
        return getattr(table, "is_word", (False,) * source.n_features)
    return tuple(source.roles.is_word)
