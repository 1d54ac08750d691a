"""A table next to its low-rank and its sparse part."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..arrays import namespaces
from .style import INK, Display


class RobustSplitDisplay(Display):
    """Three panels: the table, its low-rank part, and the errors; missing cells are grey.

    Parameters
    ----------
    table, low_rank, sparse : ndarrays of shape (n, p), or of one row (p,) with a shape
    rank : int
    shape : pair (rows, columns), optional
        Draw one row of the table as an image of this shape.

    Attributes
    ----------
    ax_, axes_ : the first axes, and all three
    figure_ : figure

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import RobustPCA
    >>> from eigenlens.displays import RobustSplitDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = np.outer(rng.standard_normal(30), rng.standard_normal(20))
    >>> X[3, 4] = 9.0
    >>> RobustSplitDisplay.from_estimator(RobustPCA().fit(X), X).axes_[1].get_title()
    'low rank (rank 1)'
    """

    def __init__(
        self,
        table: np.ndarray,
        low_rank: np.ndarray,
        sparse: np.ndarray,
        rank: int,
        shape: tuple[int, int] | None = None,
    ) -> None:
        self.table, self.low_rank, self.sparse = table, low_rank, sparse
        self.rank, self.shape = rank, shape

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any = None, *, row: int | None = None, shape: Any = None, ax: Any = None
    ) -> Self:
        """Draw a table, or one row of it as an image, next to its two parts.

        Parameters
        ----------
        model : fitted RobustPCA
        X : table
            That of the fit, whose parts are drawn as found; other rows are split.
        y : ignored
        row : int, optional
            Draw this row only, as an image of the given `shape`.
        shape : pair (rows, columns), optional
        ax : list of three axes, optional
        """
        rows = np.asarray(X if not namespaces.is_array(X) else namespaces.to_numpy(X), dtype=float)
        L, S = (namespaces.to_numpy(part) for part in (model.low_rank_, model.sparse_))
        same = rows.shape == L.shape and np.allclose(np.nan_to_num(rows), np.where(np.isnan(rows), 0, L + S), rtol=1e-3)
        if not same:
            L, S = (namespaces.to_numpy(part) for part in model.split(rows))
        if row is not None:
            rows, L, S = (part[row : row + 1] for part in (rows, L, S))
        return cls(rows, L, S, model.rank_, None if shape is None else tuple(shape)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it: the first two on one scale, the errors on their own.

        Parameters
        ----------
        ax : list of three axes, optional
        """
        import matplotlib as mpl

        height, width = self.shape or self.table.shape
        self._draw_on(ax, 3, 3.6, float(np.clip(3.3 * height / width + 0.8, 2.2, 5.0)))
        share = np.count_nonzero(self.sparse) / self.sparse.size
        titles = ["X", f"low rank (rank {self.rank})", f"sparse ({share:.0%} of cells)"]
        low, high = np.quantile(self.low_rank, [0.005, 0.995])
        if self.shape is not None or low >= 0:
            colours = mpl.colormaps["gray"].with_extremes(bad="#e8d9b5")
        else:
            low, high = -max(-low, high), max(-low, high)
            colours = mpl.colormaps["RdBu_r"].with_extremes(bad="0.8")
        errors = float(np.abs(self.sparse).max()) or 1.0
        scales = [(low, high, colours)] * 2 + [(-errors, errors, mpl.colormaps["RdBu_r"])]
        parts = (self.table, self.low_rank, self.sparse)
        for axes, values, title, (bottom, top, cmap) in zip(self.axes_, parts, titles, scales, strict=True):
            image = values.reshape(self.shape or values.shape)
            aspect: Literal["equal", "auto"] = "equal" if self.shape is not None else "auto"
            axes.imshow(image, cmap=cmap, vmin=bottom, vmax=top, aspect=aspect, interpolation="nearest")
            axes.set_title(title, fontsize=10, color=INK)
            axes.set(xticks=[], yticks=[])
        return self
