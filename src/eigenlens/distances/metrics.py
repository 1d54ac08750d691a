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
from .pairs import rough_centre, row_blocks, squared_distances
from .square_tables import LANDMARKS, ROOTED, ROUNDING, SELF, SquaredTable, square, symmetric

EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")
ONLY_SCIPY = ("jensenshannon",)  # what scikit-learn does not pass on


# -- what metrics make of rows: after it they are a plain distance


def _amounts(metric: str, rows: np.ndarray) -> np.ndarray:
    if (rows < 0).any():
        i, j = (int(at) for at in np.argwhere(rows < 0)[0])
        raise errors.InputError(
            f"metric={metric!r} compares amounts, but X has {rows[i, j]:g} in row {i}, column {j}; use another "
            "metric, such as 'gower' or 'euclidean'."
        )
    return rows


def _over(metric: str, rows: np.ndarray, size: np.ndarray) -> np.ndarray:
    if not (size > 0).all():
        raise errors.InputError(
            f"metric={metric!r} compares the shares of a row, but row {int(np.argmin(size > 0))} of X holds zeros "
            "only; leave it out."
        )
    return rows / size[:, None]


def _shares(metric: str, rows: np.ndarray) -> np.ndarray:
    return _over(metric, _amounts(metric, rows), rows.sum(axis=1))


def _log_ratios(rows: np.ndarray) -> np.ndarray:
    if not (rows > 0).all():
        i, j = (int(at) for at in np.argwhere(~(rows > 0))[0])
        raise errors.InputError(
            f"metric='aitchison' takes logarithms, but X has {rows[i, j]:g} in row {i}, column {j}. Replace zeros "
            "by a small amount, or use metric='hellinger', which takes them."
        )
    logs = np.log(rows)
    return logs - logs.mean(axis=1, keepdims=True)


def _in_ranges(rows: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    """Divide columns by their range and number, so absolute differences add up to a mean; others say nothing."""
    kept = ranges > 0
    return np.divide(rows, ranges * max(int(kept.sum()), 1), out=np.zeros_like(rows), where=kept)


def _profiles(rows: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Return shares over the roots of the columns' shares of all: those of correspondence analysis."""
    return np.divide(_shares("chi2", rows), np.sqrt(masses), out=np.zeros_like(rows), where=masses > 0)


def _ranges(rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    return {"ranges": np.ptp(rows[weight > 0], axis=0)}


def _masses(rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    totals = weight @ _amounts("chi2", rows)
    if not totals.sum() > 0:
        raise errors.InputError("metric='chi2' compares shares, but X holds zeros only.")
    return {"masses": totals / totals.sum()}


def _variances(rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    return {"V": weight @ (rows - np.average(rows, axis=0, weights=weight)) ** 2 / (weight.sum() - 1)}


def _inverse(rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    centred = rows - np.average(rows, axis=0, weights=weight)
    covariance = (centred * weight[:, None]).T @ centred / (weight.sum() - 1)
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


def _ruzicka(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return 1 − Σ min / Σ max: Jaccard's distance of amounts, and of 0 and 1 Jaccard's own."""
    apart = cdist(_amounts("ruzicka", A), _amounts("ruzicka", B), "cityblock")
    largest = (A.sum(axis=1)[:, None] + B.sum(axis=1)[None, :] + apart) / 2
    return np.divide(apart, largest, out=np.zeros_like(apart), where=largest > 0)  # two empty rows are the same


def _haversine(A: np.ndarray, B: np.ndarray, *, degrees: bool = False, radius: float = 1.0) -> np.ndarray:
    """Return the way over a globe between places given by latitude and longitude."""
    from sklearn.metrics.pairwise import haversine_distances

    if A.shape[1] != 2:
        raise errors.InputError(
            f"metric='haversine' takes two columns, latitude and longitude, but X has {A.shape[1]}; pass these two."
        )
    A, B = (np.radians(A), np.radians(B)) if degrees else (A, B)
    if max(np.abs(A[:, 0]).max(), np.abs(B[:, 0]).max()) > np.pi / 2 * (1 + 1e-12):
        way_out = (
            "latitude is the first column"
            if degrees
            else "for degrees, use metric_params={'degrees': True} (and 'radius': 6371 for kilometres)"
        )
        raise errors.InputError(f"metric='haversine': a latitude lies beyond a quarter of a circle; {way_out}.")
    return radius * haversine_distances(A, B)


#: Metrics that are a plain distance of what they make of rows.
ROW_MAPS: dict[str, tuple[Callable[..., np.ndarray], str]] = {
    "gower": (_in_ranges, "cityblock"),
    "aitchison": (_log_ratios, "euclidean"),
    "hellinger": (lambda rows: np.sqrt(_shares("hellinger", rows)), "euclidean"),
    "chord": (lambda rows: _over("chord", rows, np.sqrt((rows**2).sum(axis=1))), "euclidean"),
    "chi2": (_profiles, "euclidean"),
}
OURS: dict[str, Callable[..., np.ndarray]] = {"ruzicka": _ruzicka, "haversine": _haversine}
#: What a metric takes from the rows of the fit, so that new rows are measured alike.
FIXED: dict[str, Callable[[np.ndarray, np.ndarray], dict[str, Any]]] = {
    "gower": _ranges,
    "chi2": _masses,
    "seuclidean": _variances,
    "mahalanobis": _inverse,
}


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
        if metric in FIXED and (metric in ROW_MAPS or not given):
            given = {**FIXED[str(metric)](namespaces.to_numpy(rows), weight), **given}
        return cls(metric, squared, given, symmetrize=symmetrize)

    def __call__(self, A: Array, B: Array) -> tuple[Array, bool]:
        """Return what the metric says about two tables of rows, over 2^exponent, and whether it is squared already."""
        if self.metric in EUCLIDEAN:
            centre = namespaces.like(self.centre, A)
            unit = exponents.power(-self.exponent)
            D2 = squared_distances((A - centre) * unit, (B - centre) * unit, centre * 0.0)
            if self.metric == "sqeuclidean":
                return D2, self.squared
            return (namespaces.namespace(D2).sqrt(D2) if self.squared else D2), True
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
                if self.metric in ROW_MAPS:
                    of_rows, plain = ROW_MAPS[str(self.metric)]
                    D = cdist(of_rows(A, **self.params), of_rows(B, **self.params), plain)
                elif self.metric in OURS:
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
        high, squared, slack = 0.0, False, 1e-10  # so much of the largest distance may be rounding
        for part in row_blocks(n, n, rows):
            block, squared = self(rows[part, :], rows)
            values[part, :] = block
            low, top = float(xp.min(block)), float(xp.max(block))
            if low < -slack * top:
                at = int(xp.argmin(xp.reshape(block, (-1,))))
                raise errors.negative_distance(
                    errors.metric_named(self.metric), None, part.start + at // n, at % n, low
                )
            high = max(high, top)
        way_out = "Use a symmetric metric, or pass symmetrize=True to take the mean of both directions."
        symmetric(values, errors.metric_named(self.metric), np.inf if self.symmetrize else slack * high, way_out)
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

    @property
    def bears_threads(self) -> bool:
        """Whether it may run on threads, which metrics of others need not bear."""
        return self.metric in EUCLIDEAN

    def squares(self, A: Array, B: Array, exponent: int, first: int = 0) -> Array:
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
        power = 2 * self.exponent if self.metric == "sqeuclidean" else self.exponent
        return power // 2 if self.squared else power


@dataclass(frozen=True, eq=False)
class GivenDistances:
    """Distances that come ready, as columns of the rows: a measure like a metric."""

    squared: bool
    bears_threads = True

    def squares(self, X: Array, points: Array, exponent: int, first: int = 0) -> Array:
        """Return the squares of columns of rows, which are numbered from `first` on, over 4^exponent."""
        xp = namespaces.namespace(X)
        block = namespaces.float64(xp.take(X, points, axis=1))
        low = float(xp.min(block))
        if low < -ROUNDING[8] * float(xp.max(block)):
            i, j = divmod(int(xp.argmin(xp.reshape(block, (-1,)))), block.shape[1])
            raise errors.negative_distance("X", None, first + i, int(points[j]), low)
        return squares_of(xp.clip(block, min=0.0) if low < 0 else block, self.squared, -exponent)


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


def _metric_unknown(metric: Any, params: dict[str, Any], cause: Exception) -> errors.InputError:
    from sklearn.metrics.pairwise import _VALID_METRICS

    if isinstance(metric, str) and metric not in (known := {*_VALID_METRICS, *ROW_MAPS, *OURS, *ONLY_SCIPY}):
        asked = metric.lower().replace("-", "").replace("_", "").replace(" ", "")
        begun = sorted(name for name in known if len(asked) > 2 and asked in name)
        near = list(dict.fromkeys([*begun, *get_close_matches(asked, sorted(known), 3, 0.6)]))[:3]
        if near:
            hint = f"Did you mean {' or '.join(map(repr, near))}? 'precomputed' takes distances."
        else:
            ours = ", ".join(map(repr, [*ROW_MAPS, *OURS]))
            hint = (
                f"There are 'euclidean', 'cityblock', 'cosine', 'braycurtis', {ours}, and "
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
