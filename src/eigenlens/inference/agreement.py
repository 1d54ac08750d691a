"""Two maps, two tables of distances, or a map and outside columns: do they agree more than chance would explain?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import rankdata

from ..arrays import errors, namespaces, optional
from ..arrays.parameters import check_choice, check_number, seed_of
from ..arrays.typing import Axes, ColumnLike, Frame, RandomState, TableLike
from ..distances.square_tables import square_of
from ..drawing import INK, LEVEL, QUIET, Display, arrows, finish, named, one_axes, place_names
from ..rows import as_source, map_rows
from .dimension_test import Result, p_words
from .sequential import check_draws, p_of_draws
from .units import Units


@dataclass(frozen=True, eq=False, repr=False)
class AgreementTest(Result):
    """Whether two descriptions of the same rows agree.

    Attributes
    ----------
    statistic : float
        Correlation, between −1 and 1 for Mantel's test, between 0 and 1 for that of Procrustes.
    p_value : float
        Share of permutations of the rows of one table with a statistic at least as large; the observed order counts as
        one.
    draws : ndarray
        Their statistics.
    alpha : float
        Level.
    method : str

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import procrustes_test
    >>> rng = np.random.default_rng(0)
    >>> places = rng.standard_normal((30, 2))
    >>> print(procrustes_test(places, places[:, ::-1] + 0.3 * rng.standard_normal((30, 2))))
    The two agree more than chance would explain: correlation 0.947, p = 0.001 (procrustes, 999 permutations).
    """

    statistic: float
    p_value: float
    draws: np.ndarray
    alpha: float
    method: str

    def __str__(self) -> str:
        p = p_words(self.p_value, len(self.draws))
        said = f"correlation {self.statistic:.3f}, {p} ({self.method}, {len(self.draws):,} permutations)"
        if self.p_value <= self.alpha:
            return f"The two agree more than chance would explain: {said}."
        return f"These rows do not show that the two agree: {said}."

    def to_frame(self) -> Frame:
        """Return the numbers as a pandas DataFrame of one row."""
        values = {"statistic": [self.statistic], "p_value": [self.p_value], "draws": [len(self.draws)]}
        return optional.pandas().DataFrame(values, index=[self.method])

    def plot(self, ax: Any = None) -> Display:
        """Draw the statistics of the permutations, with the observed one as a line. Return the display.

        Parameters
        ----------
        ax : axes, optional
        """
        ax = one_axes(ax, 5.6, 3.6)
        ax.hist(self.draws, bins="auto", color=QUIET)
        ax.axvline(self.statistic, color=LEVEL, linewidth=1.5)
        title = f"Observed {self.statistic:.3f} (line), {p_words(self.p_value, len(self.draws))}"
        return Display(finish(ax, f"correlation ({self.method})", "permutations", title))


def mantel(
    D: Any,
    E: Any,
    *,
    method: Literal["pearson", "spearman"] = "pearson",
    strata: ColumnLike | None = None,
    alpha: float = 0.05,
    n_draws: int = 999,
    random_state: RandomState | None = 0,
) -> AgreementTest:
    """Test whether two tables of distances between the same rows are correlated (Mantel).

    Parameters
    ----------
    D, E : table of shape (n, n), or condensed
        Distances; square, or the pairs i < j.
    method : {"pearson", "spearman"}
        Correlation of the distances, or of their ranks.
    strata : array of shape (n,), optional
        Rows are permuted within strata.
    alpha : float
        Level.
    n_draws : int
        Permutations.
    random_state : int or None

    Returns
    -------
    AgreementTest
        With `statistic` and `p_value`.

    References
    ----------
    Mantel (1967), The detection of disease clustering and a generalized regression approach, Cancer Research 27.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist
    >>> from eigenlens.inference import mantel
    >>> X = np.random.default_rng(0).standard_normal((20, 3))
    >>> mantel(pdist(X), pdist(X[:, :2])).p_value
    0.001
    """
    check_draws(alpha, n_draws)
    check_choice("method", method, ("pearson", "spearman"))
    D, E = (np.asarray(square_of(table, name).native, dtype=float) for table, name in ((D, "D"), (E, "E")))
    if D.shape != E.shape:
        raise errors.InputError(f"D is {len(D)} × {len(D)} but E is {len(E)} × {len(E)}; pass tables of the same rows.")
    pairs = np.triu_indices(len(D), 1)
    if len(D) < 3 or np.ptp(D[pairs]) == 0 or np.ptp(E[pairs]) == 0:
        raise errors.InputError("Mantel's test needs three rows, and distances that differ, in both tables.")
    ranked = [rankdata(T[pairs]) if method == "spearman" else T[pairs] for T in (D, E)]
    x, y = ((v - v.mean()) / np.sqrt(((v - v.mean()) ** 2).sum()) for v in ranked)
    table = np.zeros_like(D)
    table[pairs] = x
    table += table.T
    chance, draws = _permuted(x @ y, lambda o: table[np.ix_(o, o)][pairs] @ y, len(D), strata, n_draws, random_state)
    return AgreementTest(float(x @ y), float(chance), draws, alpha, f"mantel, {method}")


def procrustes_test(
    X: TableLike,
    Y: TableLike,
    *,
    strata: ColumnLike | None = None,
    alpha: float = 0.05,
    n_draws: int = 999,
    random_state: RandomState | None = 0,
) -> AgreementTest:
    """Test whether two maps of the same rows agree after the best rotation and scaling (PROTEST).

    The statistic is √(1 − m²), where m² is the residual of a symmetric Procrustes alignment of maps of size 1.

    Parameters
    ----------
    X, Y : table of shape (n, k) and (n, q)
        Maps, such as scores of two methods.
    strata : array of shape (n,), optional
        Rows are permuted within strata.
    alpha : float
        Level.
    n_draws : int
        Permutations.
    random_state : int or None

    Returns
    -------
    AgreementTest
        With `statistic` and `p_value`.

    References
    ----------
    Peres-Neto, Jackson (2001), How well do multivariate data sets match? Oecologia 129.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import procrustes_test
    >>> rng = np.random.default_rng(1)
    >>> bool(procrustes_test(rng.standard_normal((25, 2)), rng.standard_normal((25, 2))).p_value > 0.05)
    True
    """
    check_draws(alpha, n_draws)
    X, Y = (map_rows(as_source(rows, name=name), namespaces.float64) for rows, name in ((X, "X"), (Y, "Y")))
    if len(X) != len(Y):
        raise errors.InputError(f"X has {len(X):,} rows but Y has {len(Y):,}; pass two maps of the same rows.")
    small, large = (X, Y) if X.shape[1] <= Y.shape[1] else (Y, X)
    A, B = (_unit(rows) for rows in (small, large))

    def statistic(order: np.ndarray) -> float:
        return float(np.linalg.svd(A[order].T @ B, compute_uv=False).sum())

    observed = statistic(np.arange(len(A)))
    chance, draws = _permuted(observed, statistic, len(A), strata, n_draws, random_state)
    return AgreementTest(observed, float(chance), draws, alpha, "procrustes")


@dataclass(frozen=True, eq=False, repr=False)
class OutsideColumns(Result):
    """How outside columns lie on a map.

    Attributes
    ----------
    names : list of str
        Columns.
    r2 : ndarray
        Share of each column of numbers that the map explains; for words, share of the map's variance between them.
    p_values : ndarray
    places : list of dict of str to ndarray
        For each column, where its words lie on average; of numbers, under "", where they rise fastest, as a unit vector
        times √R².
    draws : int

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from eigenlens.inference import envfit
    >>> places = np.random.default_rng(0).standard_normal((40, 2))
    >>> found = envfit(places, pd.DataFrame({"east": places[:, 0], "noise": np.arange(40) % 7}))
    >>> found.r2.round(2)
    array([1.  , 0.03])
    """

    names: list[str]
    r2: np.ndarray
    p_values: np.ndarray
    places: list[dict[str, np.ndarray]]
    draws: int

    def __str__(self) -> str:
        lines = [
            f"{name}: R² = {r2:.2f}, {p_words(p, self.draws)}"
            for name, r2, p in zip(self.names, self.r2, self.p_values, strict=True)
        ]
        return f"Columns on the map ({self.draws:,} permutations): {'; '.join(lines)}."

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame: the tip of each arrow or the centre of each word, R² and its p-value."""
        rows = [
            [name, word, *place, r2, p]
            for name, r2, p, places in zip(self.names, self.r2, self.p_values, self.places, strict=True)
            for word, place in places.items()
        ]
        axes = [f"axis {j + 1}" for j in range(len(rows[0]) - 4)]
        return optional.pandas().DataFrame(rows, columns=["column", "word", *axes, "r2", "p_value"])

    def plot(self, ax: Axes | None = None, *, alpha: float = 0.05) -> Display:
        """Draw arrows and centres on a map, pale if they are not significant. Return the display."""
        ax = one_axes(ax, 5.2, 4.6)
        centres = [place[:2] for places in self.places for word, place in places.items() if word]
        if not ax.has_data():  # a map of their own
            far = 1.35 * float(np.abs(centres).max()) if centres else 1.35
            ax.set(xlim=(-far, far), ylim=(-far, far), xlabel="axis 1", ylabel="axis 2")
        reach = 0.75 * min(np.abs([*ax.get_xlim(), *ax.get_ylim()]))
        size = reach / max(float(np.sqrt(self.r2[["" in places for places in self.places]].max(initial=0))), 1e-12)
        written: list[Any] = []
        free = [np.array(centres).reshape(-1, 2)]
        for name, p, places in zip(self.names, self.p_values, self.places, strict=True):
            colour = INK if p <= alpha else QUIET
            for word, place in places.items():
                if word:
                    ax.scatter(place[0], place[1], marker="+", color=colour, s=30)
                    written.append(named(ax, word, place[:2], 9, colour))
                    written[-1].set_weight("bold")
                else:
                    texts, along = arrows(ax, place[None, :2] * size, [name], colour, colour)
                    written, free = written + texts, [*free, along]
        place_names(finish(ax), written, np.concatenate(free))
        return Display(ax)


def envfit(
    scores: Any,
    columns: Any,
    *,
    strata: ColumnLike | None = None,
    n_draws: int = 999,
    random_state: RandomState | None = 0,
) -> OutsideColumns:
    """Fit other columns to a map of rows: an arrow for numbers, a centre for each word, each with its R².

    Parameters
    ----------
    scores : table of shape (n, k)
        The map: scores of any method.
    columns : DataFrame or dict of arrays
        Columns of the same rows that were not used for the map.
    strata : array of shape (n,), optional
        Rows are permuted within strata.
    n_draws : int
        Permutations.
    random_state : int or None

    Returns
    -------
    OutsideColumns
        With `r2`, `p_values`, `places` and `plot()`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA
    >>> from eigenlens.inference import envfit
    >>> data = load_iris(as_frame=True)
    >>> scores = PCA(2).fit_transform(data.data)
    >>> print(envfit(scores, {"kind": data.target_names[data.target]}))
    Columns on the map (999 permutations): kind: R² = 0.89, p = 0.001.
    """
    check_number("n_draws", n_draws, 1, integer=True)
    Z = map_rows(as_source(scores, name="scores"), namespaces.float64)
    given = _outside(columns, len(Z))
    Z = Z - Z.mean(axis=0)
    basis, size, _ = np.linalg.svd(Z, full_matrices=False)
    basis = basis[:, size > 1e-12 * max(size[0], 1e-300)]
    shares, places = zip(*(_share(Z, basis, name, values) for name, values in given.items()), strict=True)
    every = np.arange(len(Z))
    observed = np.array([share(every) for share in shares])
    chances, _ = _permuted(observed, lambda o: [share(o) for share in shares], len(Z), strata, n_draws, random_state)
    return OutsideColumns(list(given), observed, chances, list(places), n_draws)


def _share(
    Z: np.ndarray, basis: np.ndarray, name: str, values: np.ndarray
) -> tuple[Callable[[np.ndarray], float], dict[str, np.ndarray]]:
    """Return the R² of a column as a function of an order of its rows, and its places on the map."""
    if values.dtype.kind in "fiu":
        y = values.astype(float) - values.mean()
        length = np.sqrt(y @ y)
        if length == 0:
            raise errors.InputError(f"column {name!r} is constant; leave it out.")
        y = y / length
        slope = np.linalg.lstsq(Z, y, rcond=None)[0]
        size = np.sqrt(np.sum((basis.T @ y) ** 2)) / max(float(np.linalg.norm(slope)), 1e-300)
        return lambda order: float(np.sum((basis.T @ y[order]) ** 2)), {"": size * slope}
    levels, codes = np.unique(values.astype(str), return_inverse=True)
    counts, total = np.bincount(codes), float((Z**2).sum())

    def between(order: np.ndarray) -> float:
        sums = np.stack([np.bincount(codes[order], weights=z) for z in Z.T], axis=1)
        return float((sums**2 / counts[:, None]).sum() / total)

    return between, {str(level): Z[codes == j].mean(axis=0) for j, level in enumerate(levels)}


def _outside(columns: Any, n: int) -> dict[str, np.ndarray]:
    import narwhals.stable.v2 as nw

    frame = nw.from_native(columns, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        found = {str(name): frame.get_column(name).to_numpy() for name in frame.columns}
    elif isinstance(columns, dict):
        found = {str(name): np.asarray(values) for name, values in columns.items()}
    else:
        raise errors.InputTypeError("columns must be a DataFrame, or a dict of names and values.")
    if not found:
        raise errors.InputError("columns is empty; pass at least one column to fit to the map.")
    for name, values in found.items():
        if values.shape != (n,):
            raise errors.InputError(f"column {name!r} has shape {values.shape}, but the map has {n:,} rows.")
        missing = [v is None or v != v for v in values.tolist()]
        if any(missing) or (values.dtype.kind in "fiu" and not np.isfinite(values).all()):
            raise errors.InputError(f"column {name!r} has missing or infinite cells; leave those rows out of both.")
    return found


def _unit(rows: np.ndarray) -> np.ndarray:
    centred = rows - rows.mean(axis=0)
    size = np.sqrt((centred**2).sum())
    if size == 0:
        raise errors.InputError("all rows of a map are the same point; there is nothing to align.")
    return centred / size


def _permuted(
    observed: Any, statistic: Callable[[np.ndarray], Any], n: int, strata: Any, n_draws: int, random_state: Any
) -> tuple[Any, np.ndarray]:
    """Return the p-value of a statistic, or of several, and what so many orders of the rows give."""
    units, rng = Units.in_strata(n, strata), np.random.default_rng(seed_of(random_state))
    draws = np.array([statistic(units.order(rng)) for _ in range(n_draws)])
    return p_of_draws(1 + observed, 1 + draws), draws  # correlations are known to so many digits of 1, however small
