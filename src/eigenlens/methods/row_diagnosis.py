"""Which rows a PCA does not fit, and which columns are to blame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import namespaces, optional
from ..arrays.parameters import check_number
from ..arrays.typing import Array, Axes, Frame, TableLike
from ..drawing import INK, LEVEL, Display, dots, finish, named, one_axes, place_names, row_names
from ..inference.row_limits import own_limits, row_limits
from ..solve import solve

ROUNDING = 1e-9  # of the spread of rows: a distance to the space that is none
NAMED = 8  # rows whose numbers are written into a picture


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """How far rows lie from the mean within the space of the components, and how far from that space.

    Attributes
    ----------
    t2 : ndarray of shape (n,)
        T² = Σ z²/λ over the components: the distance from the mean within their space.
    q : ndarray of shape (n,)
        Squared distance to the space; with `scale=True`, of columns divided by their standard deviations.
    t2_limit, q_limit : float
        New rows from a normal distribution exceed each with probability `level`.
    t2_contributions, q_contributions : ndarray of shape (n, p)
        How much each column adds to T² and to Q; contributions to T² may be negative.
    outlying : ndarray of bool, shape (n,)
        Rows beyond either limit.
    level : float
    names : list of str
        Of the columns.
    rows : list of str, or None
        Names of the rows: those of the index of a pandas frame.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from eigenlens import PCA
    >>> X = load_wine().data
    >>> found = PCA(3, scale=True).fit(X).diagnose(X)
    >>> print(found)
    18 of 178 rows lie beyond a limit: 5 by T², 14 by Q; about 9 each are expected at 5%.
    >>> bool(abs(found.q_contributions.sum(axis=1) - found.q).max() < 1e-9)
    True
    """

    t2: np.ndarray
    q: np.ndarray
    t2_limit: float
    q_limit: float
    t2_contributions: np.ndarray
    q_contributions: np.ndarray
    level: float
    names: list[str]
    rows: list[str] | None = None

    @property
    def outlying(self) -> np.ndarray:
        """Rows beyond either limit."""
        return (self.t2 > self.t2_limit) | (self.q > self.q_limit)

    def __str__(self) -> str:
        n, count = len(self.t2), int(self.outlying.sum())
        far, off = int(np.sum(self.t2 > self.t2_limit)), int(np.sum(self.q > self.q_limit))
        return (
            f"{count} of {n:,} row{'' if n == 1 else 's'} {'lies' if count == 1 else 'lie'} beyond a limit: {far} by "
            f"T², {off} by Q; about {n * self.level:.0f} each are expected at {100 * self.level:g}%."
        )

    def __repr__(self) -> str:
        return f"<Diagnosis: {self}>"

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame, a line for each row: T², Q, whether it is outlying, and its main column."""
        beyond = np.where((self.q / max(self.q_limit, 1e-300) > self.t2 / self.t2_limit)[:, None], *self._parts())
        columns = {
            "t2": self.t2,
            "q": self.q,
            "outlying": self.outlying,
            "column": np.array(self.names, dtype=object)[beyond.argmax(axis=1)],
        }
        return optional.pandas().DataFrame(columns, index=self.rows)

    def _parts(self) -> tuple[np.ndarray, np.ndarray]:
        return self.q_contributions, self.t2_contributions

    def _repr_html_(self) -> str:
        table = self.to_frame()
        table = table[table["outlying"]].head(15)
        return f"<div><p>{self}</p>{table.to_html(float_format='{:.4g}'.format)}</div>"

    def plot(self, ax: Axes | None = None) -> Display:
        """Draw Q against T² with both limits, label the farthest rows by name or number, and return the display.

        Parameters
        ----------
        ax : axes, optional
        """
        ax, out, points = one_axes(ax, 5.6, 4.2), self.outlying, np.column_stack([self.t2, self.q])
        dots(ax, points[~out])
        dots(ax, points[out], LEVEL, of=len(points), alpha=1)
        ax.axvline(self.t2_limit, color=INK, linewidth=0.8, linestyle=":")
        ax.axhline(self.q_limit, color=INK, linewidth=0.8, linestyle=":")
        reach = np.maximum(self.t2 / self.t2_limit, self.q / max(self.q_limit, 1e-300))
        title = f"Rows beyond the {100 * self.level:g}% limits"
        finish(ax, "T² (within the components)", "Q (away from them)", title, xlim=(0, None), ylim=(0, None))
        far = [i for i in np.argsort(-reach)[:NAMED].tolist() if out[i]]
        labels = [str(i) if self.rows is None else self.rows[i] for i in far]
        place_names(ax, [named(ax, name, points[i]) for name, i in zip(labels, far, strict=True)])
        return Display(ax)


def diagnosed(model: Any, X: TableLike, level: float, own: bool = False) -> Diagnosis:
    """Hold rows against a fitted PCA: new rows, or its own, which it fits better than new ones."""
    check_number("level", level, 0.0, 0.5, above=True)
    V, sd, scale = namespaces.to_numpy(model.spectrum_.vectors), namespaces.to_numpy(model._sd), model._divisors()
    real = np.arange(len(sd)) < model.spectrum_.rank
    V, sd = V[:, real], sd[real]
    p = len(V)

    def measured(block: Array) -> Array:
        rows = namespaces.to_numpy(model.subspace_.centred(model._filled(block))) / scale
        Z = rows @ V
        within = rows * ((Z / sd**2) @ V.T)
        beside = (rows - Z @ V.T) ** 2
        sums = [np.sum((Z / sd) ** 2, axis=1), np.sum(beside, axis=1)]
        return namespaces.like(np.column_stack([*sums, within, beside]), block)

    found = namespaces.to_numpy(model._over_rows(X, measured, keep_dtype=False, here=True))
    t2_limit, q_limit = _limits(model, len(sd), level, own)
    return Diagnosis(
        found[:, 0],
        found[:, 1],
        t2_limit,
        q_limit,
        found[:, 2 : p + 2],
        found[:, p + 2 :],
        float(level),
        model._names_of_columns(),
        row_names(X),
    )


#: The last limits of each model, with the moments that they belong to, their weight, the components and the level.
_KNOWN: WeakKeyDictionary[Any, tuple[Any, tuple[float, ...], tuple[float, float]]] = WeakKeyDictionary()


def _limits(model: Any, k: int, level: float, own: bool) -> tuple[float, float]:
    """Return the limits of T² and Q; a model that is shown rows block by block decomposes its moments once."""
    moments = model._whole_moments
    of = (float(moments.weight), k, level, own)
    known, settings, limits = _KNOWN.get(model, (None, (), (0.0, 0.0)))
    if known is not moments or settings != of:
        limits = _limits_of(model, k, level, own)
        _KNOWN[model] = (moments, of, limits)
    return limits


def _limits_of(model: Any, k: int, level: float, own: bool) -> tuple[float, float]:
    """Return the limits of T² and Q for new rows or for those of the fit, from its moments."""
    problem = model._pose(model._whole_moments)
    n, divisor = problem.moments.weight, problem.divisor
    spectrum = solve(problem.all_directions().pencil, "dense")
    values = namespaces.to_numpy(spectrum.values)[: max(spectrum.rank, k)] * (problem.unit**2 / (n - 1))
    limits = own_limits(values, k, n, level) if own else row_limits(values, k, n, model.n_features_in_, level)
    return limits.t2 * divisor / (n - 1), max(limits.q, ROUNDING**2 * float(values.sum()))
