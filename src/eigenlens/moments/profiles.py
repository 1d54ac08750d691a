"""Moments of the rows of a table of counts: their profiles, each weighted with its total."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse

from ..arrays import errors, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from .base import Composed
from .centred import Centred, Scatter


@stored("moments.Profiles", renamed={"n_rows": None})
class Profiles(Composed):
    """Mean and scatter of row profiles: rows divided by their totals, and weighted with them.

    Parameters
    ----------
    of : {Scatter, Factor}
        How the scatter is kept.

    Attributes
    ----------
    centred : Centred
        Moments of the profiles. The total weight is the sum of the table; the mean is the profile of its margin.
    n_rows : int
        Rows that are not empty.
    rows : float
        The same, a row of weight m counted m times.
    smallest : float
        Smallest total of a row.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Profiles
    >>> from eigenlens.rows import Block
    >>> moments = Profiles().update(Block(np.array([[1.0, 3.0], [4.0, 2.0]])))
    >>> moments.weight, moments.centred.mean
    (10.0, array([0.5, 0.5]))
    """

    def __init__(self, of: type[Centred] = Scatter) -> None:
        self.of = of
        self.centred = of()
        self.rows = 0.0
        self.smallest = float("inf")
        self.takes_sparse = of.takes_sparse

    def anchored(self, first: Block) -> Self:
        new = type(self)(self.of)
        row = first.X[:1, :]
        xp = namespaces.namespace(row)
        total = float(xp.sum(xp.abs(row)))
        new.centred = self.of().anchored_at((row / total if total > 0 else row)[0, :])
        return new

    @property
    def n_features(self) -> int:
        return self.centred.n_features

    @property
    def margin(self) -> Array:
        """The share of each column in the sum of the table."""
        return self.centred.mean

    @property
    def dtype(self) -> Any:
        """Type of the results."""
        return self.centred.dtype

    def update(self, block: Block) -> Self:
        if not hasattr(self.centred, "pivot"):
            self._anchor(block)
        X, totals, kept = profiles_of(block.X)
        weight = block.weight if block.weight is None or kept is None else block.weight[kept]
        if X.shape[0] == 0:
            return self
        xp = namespaces.namespace(totals)
        mass = totals if weight is None else totals * weight
        self.centred = self.centred.copy().update(Block(X, None, mass))
        self.rows += float(X.shape[0]) if weight is None else float(xp.sum(weight))
        self.smallest = min(self.smallest, float(xp.min(totals)))
        return self

    def _join(self, other: Profiles) -> None:
        self.centred = self.centred.copy().merge(other.centred)
        self.rows += other.rows
        self.smallest = min(self.smallest, other.smallest)

    @property
    def _parts(self) -> list[Any]:
        return [self.centred]

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = self.copy()
        new.centred = of_moments(self.centred)
        return new

    def sealed(self) -> Self:
        new = super().sealed()
        new.smallest = 2.0 ** np.floor(np.log2(self.smallest))  # the total of a row may be its only cell
        return new

    def times(self, factor: float) -> Self:
        new = super().times(factor)
        new.rows = self.rows * factor
        return new


def profiles_of(X: Any) -> tuple[Any, Array, Any]:
    """Return the profiles of rows of counts, their totals, and which rows are not empty (None where all are)."""
    sparse, xp = scipy.sparse.issparse(X), namespaces.namespace(X)
    if sparse:
        smallest, totals = X.data.min(initial=0.0), np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    else:
        X = namespaces.float64(X)
        smallest, totals = xp.min(X) if X.shape[0] else 0.0, xp.sum(X, axis=1)
    if smallest < 0:
        raise errors.InputError(
            f"Negative values in data passed to X: it holds {float(smallest):g}, but counts are at least 0. Pass a "
            f"table of counts (pandas.crosstab makes one), or use PCA for measurements."
        )
    kept = None if bool(namespaces.namespace(totals).all(totals > 0)) else totals > 0
    if kept is not None:
        X, totals = X[kept, :], totals[kept]
    return (
        scipy.sparse.csr_array(scipy.sparse.diags_array(1.0 / totals) @ X) if sparse else X / totals[:, None],
        totals,
        kept,
    )
