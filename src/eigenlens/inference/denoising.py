r"""Optimal shrinkage of singular values: the signal in a table of signal plus noise.

A singular value y of noise σ and signal x satisfies, for n rows and p columns and β = min(n, p)/max(n, p), both in
units of σ√max(n, p),

.. math:: y^2 = (x + 1/x)(x + \beta/x), \quad x > \beta^{1/4};

below the edge 1 + √β nothing of the signal is left. Undoing the lift and the turn of the singular vectors gives the
estimate of least loss.

References
----------
Gavish, Donoho (2017), Optimal shrinkage of singular values, IEEE Trans. Information Theory 63.
Gavish, Donoho (2014), The optimal hard threshold for singular values is 4/√3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import optional
from ..arrays.parameters import check_choice, check_number
from ..arrays.typing import Axes, Frame, TableLike
from ..drawing import Display
from ..rows import as_source, whole
from .dimension_test import Result
from .distributions import median_of_noise


@dataclass(frozen=True, eq=False, repr=False)
class Denoised(Result):
    """Signal found in a table.

    Attributes
    ----------
    signal : ndarray of shape (n, p)
        Column means plus the shrunk low-rank part.
    rank : int
        Number of directions above the edge of noise.
    singular_values, shrunk_values : ndarray
        Of the centred table, before and after.
    noise : float
        Standard deviation of the noise, given or estimated.
    edge : float
        Singular values below are those of noise.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import denoise
    >>> rng = np.random.default_rng(1)
    >>> X = np.outer(rng.standard_normal(60), np.ones(40)) + rng.standard_normal((60, 40))
    >>> denoise(X).rank
    1
    """

    signal: np.ndarray
    rank: int
    singular_values: np.ndarray
    shrunk_values: np.ndarray
    noise: float
    edge: float

    def __str__(self) -> str:
        return f"{self.rank} of {len(self.singular_values)} directions carry signal; noise has sd {self.noise:.3g}."

    def to_frame(self) -> Frame:
        """Return singular values, before and after, as a pandas DataFrame."""
        pd = optional.pandas()

        columns = {"singular_value": self.singular_values, "shrunk_value": self.shrunk_values}
        return pd.DataFrame(columns, index=pd.RangeIndex(1, len(self.singular_values) + 1, name="direction"))

    def plot(self, ax: Axes | None = None) -> Display:
        """Draw singular values before and after, with the edge of noise; return the display.

        Parameters
        ----------
        ax : axes, optional
        """
        from . import result_figures

        return Display(result_figures.draw_shrinkage(self, ax))


def denoise(
    X: TableLike, *, noise: float | None = None, loss: Literal["frobenius", "operator", "nuclear"] = "frobenius"
) -> Denoised:
    """Return the signal of a table whose entries carry independent noise of one variance.

    Parameters
    ----------
    X : table of shape (n, p)
    noise : float, optional
        Its standard deviation; by default the median singular value over that of pure noise.
    loss : {"frobenius", "operator", "nuclear"}
        The loss for which the estimate is best.

    Returns
    -------
    Denoised
        With `signal`, `rank` and `noise`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import denoise
    >>> rng = np.random.default_rng(0)
    >>> signal = 3 * rng.standard_normal((300, 2)) @ rng.standard_normal((2, 60))
    >>> found = denoise(signal + rng.standard_normal((300, 60)))
    >>> print(found)
    2 of 60 directions carry signal; noise has sd 1.
    """
    check_choice("loss", loss, ("frobenius", "operator", "nuclear"))
    if noise is not None:
        check_number("noise", noise, 0.0, above=True)
    rows = whole(as_source(X, min_rows=3, estimator="denoise", every_row=True)).X
    mean = rows.mean(axis=0)
    left, s, right = np.linalg.svd(rows - mean, full_matrices=False)
    n, p = len(rows) - 1, rows.shape[1]
    s = np.where(s > max(rows.shape) * np.finfo(float).eps * s[0], s, 0.0)[: min(n, p)]  # rounding is not a signal
    sigma = noise_level(s, n, p) if noise is None else float(noise)
    kept = shrink(s, n, p, sigma, loss)
    signal = (left[:, : len(s)] * kept) @ right[: len(s)] + mean
    edge = sigma * (np.sqrt(n) + np.sqrt(p))
    return Denoised(signal, int(np.count_nonzero(kept)), s, kept, sigma, float(edge))


def noise_level(singular_values: np.ndarray, n: int, p: int) -> float:
    """Return the standard deviation of noise by the median singular value."""
    small, large = min(n, p), max(n, p)
    return float(np.median(singular_values[:small]) / np.sqrt(large * median_of_noise(small / large)))


def shrink(singular_values: np.ndarray, n: int, p: int, noise: float, loss: str = "frobenius") -> np.ndarray:
    """Shrink singular values of an n × p table whose noise has a given standard deviation.

    Parameters
    ----------
    singular_values : ndarray
    n, p : int
        Rows (minus one where the means were taken out) and columns.
    noise : float
    loss : {"frobenius", "operator", "nuclear"}
    """
    beta = min(n, p) / max(n, p)
    unit = noise * np.sqrt(max(n, p))
    if unit == 0:
        return np.asarray(singular_values, dtype=np.float64)
    y, edge = np.asarray(singular_values) / unit, 1 + beta**0.5
    above, y = y > edge, np.maximum(y, edge)
    gap = np.sqrt(np.maximum((y**2 - beta - 1) ** 2 - 4 * beta, 0.0))
    if loss == "frobenius":
        return np.where(above, unit * gap / y, 0.0)
    x = np.sqrt((y**2 - beta - 1 + gap) / 2)
    best = x if loss == "operator" else np.maximum((x**4 - beta - beta**0.5 * x * y) / (x**2 * y), 0.0)
    return np.where(above, unit * best, 0.0)
