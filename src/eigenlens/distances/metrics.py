"""Distances between rows of features, by any metric of SciPy, scikit-learn or ours, or a function of two rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..arrays import errors, exponents, memory, namespaces
from ..arrays.errors import InputError, warn
from ..arrays.stored import stored
from ..arrays.typing import Array
from .amounts import FIXED, OURS
from .pairs import rough_centre, row_blocks, squared_distances
from .square_tables import LANDMARKS, ROOTED, SELF, SquaredTable, square, symmetric

EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")
ONLY_SCIPY = ("jensenshannon",)  # what scikit-learn does not pass on
ASYMMETRY = 1e-10  # a metric may leave so much, relative to the largest distance, to rounding


@stored("map.Metric")
@dataclass(frozen=True, eq=False)
class Metric:
    """A metric made ready for some rows: what it takes from them is fixed, so that new rows are measured alike.

    Attributes
    ----------
    metric : str or function
    squared : bool
        Whether what the metric gives are squared distances.
    params : dict
        Further arguments of the metric.
    centre : array of shape (p,)
        Taken off the rows first (Euclidean metrics only), so that an offset costs no digits.
    exponent : int
        Power of two, even, taken out of rows of extreme size (Euclidean metrics only).
    symmetrize : bool
        Whether the mean of both directions is meant where they differ.
    """

    metric: str | Callable
    squared: bool
    params: dict[str, Any] = field(default_factory=dict)
    centre: Any = None
    exponent: int = 0
    symmetrize: bool = False

    @classmethod
    def ready(
        cls,
        metric: str | Callable,
        squared: bool,
        params: dict[str, Any] | None,
        rows: Array,
        weight: np.ndarray,
        symmetrize: bool = False,
    ) -> Metric:
        """Take from the rows what the metric needs: a centre, a variance, a covariance."""
        given = dict(params or {})
        if metric in EUCLIDEAN:
            xp = namespaces.namespace(rows)
            centre = rough_centre(rows)
            exponent = exponents.extreme_exponent(xp.max(xp.abs(rows - centre)))
            return cls(metric, squared, given, centre, 2 * (exponent // 2))
        if metric in ("seuclidean", "mahalanobis") and not given:
            given = _fixed(metric, namespaces.to_numpy(rows), weight)
        elif metric in FIXED:
            given = {**FIXED[metric](namespaces.to_numpy(rows), weight), **given}
        return cls(metric, squared, given, symmetrize=symmetrize)

    def __call__(self, A: Array, B: Array) -> tuple[Array, bool]:
        """Return what the metric says about two tables of rows, over 2^exponent, and whether it is squared already."""
        if self.metric in EUCLIDEAN:
            centre = namespaces.like(self.centre, A)
            unit = exponents.power(-self.exponent)
            D2 = squared_distances((A - centre) * unit, (B - centre) * unit, centre * 0.0)
            if self.metric == "sqeuclidean" and not self.squared:
                return D2, False
            return (
                (namespaces.namespace(D2).sqrt(D2), True)
                if self.metric != "sqeuclidean" and self.squared
                else (D2, True)
            )
        return namespaces.like(self._named(namespaces.to_numpy(A), namespaces.to_numpy(B)), A), self.squared

    def _named(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        from sklearn.exceptions import DataConversionWarning
        from sklearn.metrics import pairwise_distances
        from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

        if self.metric in PAIRWISE_BOOLEAN_FUNCTIONS:
            _refuse_counts(str(self.metric), A, B)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataConversionWarning)  # 0 and 1 lose nothing
                if self.metric in OURS:
                    D = OURS[str(self.metric)](A, B, **self.params)
                elif self.metric in ONLY_SCIPY:
                    D = cdist(A, B, self.metric, **self.params)
                else:
                    D = pairwise_distances(A, B, metric=self.metric, **self.params)
        except InputError:
            raise
        except (ValueError, TypeError, KeyError, np.linalg.LinAlgError) as error:
            raise _metric_unknown(self.metric, self.params, error) from error
        D = np.asarray(D, dtype=np.float64)
        if not np.isfinite(D).all():
            i, j = (int(at) for at in np.argwhere(~np.isfinite(D))[0])
            raise errors.InputError(
                f"{errors.metric_named(self.metric)} gives NaN or infinity (first between rows {i} and {j}); look at "
                "these rows (a row of zeros has no direction, a constant row no correlation), or use another metric."
            )
        return D

    def table(self, rows: Array) -> SquaredTable:
        """Return squared distances among rows."""
        xp, n = namespaces.namespace(rows), rows.shape[0]
        memory.require(memory.square_bytes(n), f"The {n} × {n} table of squared distances", LANDMARKS, rows)
        values = xp.empty((n, n), dtype=xp.float64, device=namespaces.device(rows))
        high, squared = 0.0, False
        for part in row_blocks(n, n, rows):
            block, squared = self(rows[part, :], rows)
            values[part, :] = block
            low, top = float(xp.min(block)), float(xp.max(block))
            if low < -ASYMMETRY * top:
                at = int(xp.argmin(xp.reshape(block, (-1,))))
                raise errors.negative_distance(
                    errors.metric_named(self.metric), None, part.start + at // n, at % n, low
                )
            high = max(high, top)
        way_out = "Use a symmetric metric, or pass symmetrize=True to take the mean of both directions."
        symmetric(values, errors.metric_named(self.metric), np.inf if self.symmetrize else ASYMMETRY * high, way_out)
        itself = namespaces.to_numpy(xp.linalg.diagonal(values))
        if float(itself.max()) > (ROOTED if squared else SELF) * high:
            warn(
                errors.SelfDistanceWarning(
                    f"{errors.metric_named(self.metric)} gives {float(itself.max()):.6g} between row "
                    f"{int(itself.argmax())} and itself; 0 is used instead, as for every distance. If it is a "
                    "similarity s, use distances made from it, such as sqrt(s_ii + s_jj - 2 s_ij)."
                )
            )
        table = square(values, values, high, squared, "X")
        return SquaredTable(table.values, table.exponent + self._power, table.doubt)

    def squares(self, A: Array, B: Array, exponent: int) -> Array:
        """Return squared distances of new rows to others, over 4^exponent."""
        block, squared = self(A, B)
        if self.symmetrize and self.metric not in EUCLIDEAN:
            block = (block + self(B, A)[0].T) / 2
        return squares_of(block, squared, self._power - exponent)

    @property
    def _power(self) -> int:
        """The exponent of distances that this metric takes out by itself."""
        if self.metric not in EUCLIDEAN:
            return 0
        if self.metric == "sqeuclidean":
            return self.exponent if self.squared else 2 * self.exponent
        return self.exponent // 2 if self.squared else self.exponent


def squares_of(block: Array, squared: bool, power: int) -> Array:
    """Square distances, unless they are so already, and multiply them by 4^power."""
    if power:
        block = block * exponents.power(2 * power if squared else power)
    return block if squared else block * block


def _refuse_counts(metric: str, *tables: np.ndarray) -> None:
    """Refuse numbers where a metric knows only yes and no: scikit-learn would make 1 of whatever is not 0."""
    for rows in tables:
        other = (rows != 0) & (rows != 1)
        if other.any():
            i, j = (int(at) for at in np.argwhere(other)[0])
            raise InputError(
                f"metric={metric!r} is a distance between rows of 0 and 1, but X has {rows[i, j]:g} in column {j}. "
                f"Pass X > 0 to compare presence and absence, or use metric='ruzicka' (Jaccard's distance of "
                "amounts) or 'braycurtis'."
            )


def _fixed(metric: str, rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    """Return the variances or the inverse covariance of the rows."""
    centred = rows - np.average(rows, axis=0, weights=weight)
    divisor = weight.sum() - 1
    if metric == "seuclidean":
        return {"V": weight @ centred**2 / divisor}
    covariance = (centred * weight[:, None]).T @ centred / divisor
    size = np.sqrt(np.diagonal(covariance))
    size = np.where(size > 0, size, 1.0)
    values = np.linalg.eigvalsh(covariance / size / size[:, None])
    rank, p = int(np.count_nonzero(values > len(rows) * np.finfo(float).eps * values[-1])), len(values)
    if rank < p:
        raise errors.InputError(
            f"metric='mahalanobis' needs the inverse of the covariance of X, which has rank {rank} of {p} columns for "
            f"{len(rows)} rows. Leave out columns that the others determine, or use metric='seuclidean'."
        )
    return {"VI": np.linalg.inv(covariance)}


def _metric_unknown(metric: Any, params: dict[str, Any], cause: Exception) -> errors.InputError:
    from sklearn.metrics.pairwise import _VALID_METRICS

    if isinstance(metric, str) and metric not in (known := {*_VALID_METRICS, *OURS, *ONLY_SCIPY}):
        asked = metric.lower().replace("-", "").replace("_", "").replace(" ", "")
        begun = sorted(name for name in known if len(asked) > 2 and asked in name)
        near = list(dict.fromkeys([*begun, *get_close_matches(asked, sorted(known), 3, 0.6)]))[:3]
        if near:
            hint = f"Did you mean {' or '.join(map(repr, near))}? 'precomputed' takes distances."
        else:
            hint = (
                f"There are 'euclidean', 'cityblock', 'cosine', 'braycurtis', {', '.join(map(repr, OURS))}, and "
                "the other metrics of scikit-learn; 'precomputed' takes distances."
            )
        return errors.InputError(f"metric={metric!r} is not known. {hint}")
    given = f" with metric_params={params!r}" if params else ""
    said = str(cause).splitlines()[0] if str(cause) else type(cause).__name__  # some go on to print all rows
    return errors.InputError(
        f"{errors.metric_named(metric)} cannot be computed{given} ({said}). Use 'precomputed', a function of two rows, "
        "or a name that scikit-learn or SciPy knows, such as 'euclidean', 'cityblock', 'cosine' or 'braycurtis', with "
        "metric_params that it takes."
    )
