r"""Correspondence analysis of a table of counts.

With P the table over its sum and margins r, c, the axes are the singular vectors of

.. math:: S = D_r^{-1/2} (P - r c^T) D_c^{-1/2} ,

and the sum of the squared singular values is :math:`\chi^2 / n`. :math:`S^T S` is the scatter of the row profiles, each
weighted with its total, in the metric :math:`D_c^{-1}`: moments of one pass over the rows.

References
----------
Benzécri (1973), L'analyse des données. Greenacre (1984), Theory and Applications of Correspondence Analysis. Malinvaud
(1987), Data analysis in applied socio-economic statistics with special consideration of correspondence analysis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_count, published_at_once
from ..arrays.stored import stored
from ..arrays.summaries import Table
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..inference.dimension_test import DimensionTest
from ..inference.sequential import chi2_tails, tails
from ..moments import Centred, Profiles
from ..moments.profiles import profiles_of
from ..rows import Source, as_source, map_rows
from ..rows.labels import read_weights
from ..solve import Form, Pencil, Spectrum, solve
from ..solve.subspace import Subspace
from ._profiles_problem import FEW_OF_MANY, ProfilesProblem
from .factor_table import FactorTable
from .spine.about import Declaration, Laws
from .spine.directions_table import directions
from .spine.moments_estimator import MomentsEstimator
from .spine.rows_estimator import Known, RowsTransformer, wanted

LEAST_EXPECTED = 1.0  # expected count below which χ² is a poor guide
ROUNDED_INERTIA = (64 * namespaces.EPS) ** 2  # below which departures from independence are rounding


@stored("CorrespondenceAnalysis")
class CorrespondenceAnalysis(RowsTransformer, MomentsEstimator[Profiles]):
    """Correspondence analysis: the axes on which rows and columns of a table of counts depart from independence.

    Parameters
    ----------
    n_components : int or None
        How many axes to keep; None keeps all that have inertia.

    Attributes
    ----------
    eigenvalues_, explained_variance_ratio_ : arrays of shape (k,)
        Inertia of each axis, and its share.
    chi2_ : float
        χ² of independence: the sum of the table times its whole inertia.
    rows_, columns_ : FactorTable
        Principal coordinates, contributions and cos² of rows and columns. Rows are kept for tables in memory.
    n_components_ : int
    moments_ : Profiles
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
        Centre and basis for row profiles.
    spectrum_ : Spectrum
        The solved problem.

    See Also
    --------
    MixedPCA : Components of tables with words.
    CCA : Directions that two tables share.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens import CorrespondenceAnalysis
    >>> table = pd.DataFrame(
    ...     [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]],
    ...     index=["Black", "Brown", "Red", "Blond"], columns=["Brown", "Blue", "Hazel", "Green"],
    ... )
    >>> ca = CorrespondenceAnalysis(2).fit(table)
    >>> ca.eigenvalues_.round(4), round(ca.chi2_, 2)
    (array([0.2088, 0.0222]), 138.29)
    >>> dict(zip(ca.rows_.names, ca.rows_.coordinates[:, 0].round(2).tolist()))
    {'Black': -0.5, 'Brown': -0.15, 'Red': -0.13, 'Blond': 0.84}
    """

    eigenvalues_: Array
    explained_variance_ratio_: Array
    chi2_: float
    columns_: FactorTable
    subspace_: Subspace

    _declaration = Declaration(display="factor_map", use="tables of counts: rows and columns that occur together")

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : table of shape (I, J)
            Counts, or any numbers of at least 0; sparse tables stay sparse.
        y : ignored
        sample_weight : array of shape (I,), optional
            A row of weight 2 counts twice.
        target : column or list of columns, optional
            Columns of X to exclude, by name.
        """
        X, _ = self._take_target(X, None, target)
        self._fit(X, None, sample_weight)
        self._set_rows(X, sample_weight, self.__dict__.pop("_opened"))
        return self

    @published_at_once
    def partial_fit(self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None) -> Self:
        """Add more rows; the result is the same as from all rows seen so far at once."""
        self._partial_fit(X, None, sample_weight)
        self._row_table = None
        return self

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    _row_table: FactorTable | None = None
    _row_weight: np.ndarray | None = None

    def _moments(self, kind: type[Centred]) -> Profiles:
        return Profiles(kind)

    def _collect(self, source: Source, kind: type[Centred] | None = None, complete: bool = True) -> Any:
        self._opened = source
        return super()._collect(source, kind, complete=False)  # a total of 1 is that of a table of shares

    def _pose(self, moments: Profiles) -> ProfilesProblem:
        if moments.n_rows < 2 and moments.rows <= 1:
            shape = (moments.n_rows, moments.n_features)
            raise errors.too_few_rows("X (empty rows do not count)", moments.n_rows, shape, 2)
        rows, J = max(moments.n_rows, int(moments.rows)), moments.n_features
        margin = moments.margin
        live = margin > 0
        used = int(namespaces.to_numpy(live).sum())
        most = max(1, min(rows, used) - 1)
        k = wanted(self.n_components, most, f"{rows:,} rows and {used:,} columns with counts give at most {most} axes")
        xp = namespaces.namespace(margin)
        scale = xp.where(live, 1.0 / xp.where(live, margin, xp.ones_like(margin)) ** 0.5, xp.zeros_like(margin))
        form = Form.of(moments.centred, moments.weight).column_scaled(scale).with_rows(min(k, J))
        if form.trace() < ROUNDED_INERTIA:
            form = form.times(0.0)
        few = self.n_components is not None and FEW_OF_MANY * k <= J
        pencil = Pencil(form, n_components=k if few else None, most=most, leading=few)
        return ProfilesProblem(pencil, moments, moments.centred, None, self.n_components, k)

    def _present(self, problem: ProfilesProblem, spectrum: Spectrum) -> None:
        moments, dtype = problem.moments, problem.moments.dtype
        A, margin = problem.pencil.A, namespaces.to_numpy(moments.margin)
        squares = namespaces.to_numpy(A.diagonal())
        total = float(squares.sum())
        self.n_components_ = len(spectrum)
        self.eigenvalues_ = namespaces.attribute_copy(spectrum.values, dtype)
        self.explained_variance_ratio_ = namespaces.attribute_copy(
            spectrum.values / (total if total > 0 else 1.0), dtype
        )
        self.chi2_ = moments.weight * total
        V, root = namespaces.to_numpy(spectrum.vectors), np.sqrt(np.where(margin > 0, margin, np.inf))[:, None]
        basis, weights = V / root, margin * moments.weight
        squared = (V * namespaces.to_numpy(spectrum.singular_values)) ** 2
        names = getattr(self, "feature_names_in_", range(len(margin)))
        self.columns_ = FactorTable(
            [str(name) for name in names],
            basis * namespaces.to_numpy(spectrum.singular_values),
            V**2,
            squared / np.where(squares > 0, squares, 1.0)[:, None],
            None,
            weights,
        )
        self._margin, self._row_table = margin, None
        self.subspace_ = Subspace(moments.margin, namespaces.like(basis, moments.margin))

    def _set_rows(self, X: TableLike, sample_weight: Any, opened: Source) -> None:
        """Keep the coordinates of the rows of a table in memory, with their names."""
        if not opened.in_memory_already:
            return
        if opened.weighted:  # it holds rows of positive weight only
            found = self._over_rows(X, self._described, keep_dtype=False, here=True)
        else:
            found = map_rows(opened, self._described)
        found = namespaces.to_numpy(found)
        totals, length, scores = found[:, 0], found[:, 1:2], found[:, 2:]
        weight = read_weights(sample_weight, len(found))
        mass = totals if weight is None else totals * weight
        lam = namespaces.to_numpy(self.spectrum_.values)[: self.n_components_]
        squares = scores**2
        contributions = mass[:, None] * squares / (self._collected.weight * np.where(lam > 0, lam, 1.0))
        cos2 = np.where(length > ROUNDED_INERTIA, squares / np.where(length > 0, length, 1.0), 0.0)
        index = getattr(X, "index", None)
        index = range(len(totals)) if index is None or callable(index) else index
        names = list(map(str, index.tolist() if hasattr(index, "tolist") else index))
        self._row_table = FactorTable(names, scores, contributions, cos2, None, mass)
        self._row_weight = weight

    def _described(self, X: Array) -> Array:
        """Return totals, squared distances from the margin and scores of rows; empty ones lie at the centre."""
        profiles, totals, kept = profiles_of(X)
        xp = namespaces.namespace(totals)
        scores = self.subspace_.project(profiles)
        rows = self.subspace_.centred(profiles) / namespaces.like(
            np.sqrt(np.where(self._margin > 0, self._margin, 1.0)), totals
        )
        found = xp.concat([totals[:, None], xp.sum(rows**2, axis=1)[:, None], scores], axis=1)
        if kept is None:
            return found
        every = xp.zeros((X.shape[0], found.shape[1]), dtype=found.dtype, device=namespaces.device(found))
        every[kept, :] = found
        return every

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is None:
            check_count(self.n_components)

    def _obeys(self) -> Laws:
        return Laws(invariance="none", centres=False, solves_pencil=False, counts=True)

    def _size(self) -> str:
        moments = self._collected
        return f"{moments.rows:,.10g} rows, {moments.n_features:,} columns, {moments.weight:,.10g} counted."

    def _summary_test(self) -> str:
        return str(self.test_dimension())

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        axes = self._names_of_directions()
        yield "directions", directions(self, axes)
        for name, points in (("rows", self._row_table), ("columns", self.columns_)):
            if points is not None:
                yield from points.summaries(name, name, axes)

    # -- use -------------------------------------------------------------------------------------------------------

    @property
    def rows_(self) -> FactorTable:
        """The rows of the table that was fitted."""
        if self._row_table is None:
            raise AttributeError(
                f"{type(self).__name__} has rows_ only if fit got the whole table in memory; transform(X) gives "
                f"the coordinates of any rows."
            )
        return self._row_table

    def transform(self, X: TableLike) -> Array:
        """Return the coordinates of rows, those of the fit or new ones; an empty row lies at the centre."""
        return self._over_rows(X, lambda rows: self._described(rows)[:, 2:])

    def transform_columns(self, N: TableLike) -> np.ndarray:
        """Return the coordinates of new columns of the table that was fitted.

        Parameters
        ----------
        N : table of shape (I, m)
            Counts in the rows of the fit.

        Returns
        -------
        ndarray of shape (m, k)

        Examples
        --------
        >>> import numpy as np
        >>> from eigenlens import CorrespondenceAnalysis
        >>> table = np.array([[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]])
        >>> ca = CorrespondenceAnalysis().fit(table)
        >>> bool(np.allclose(ca.transform_columns(table), ca.columns_.coordinates))
        True
        """
        self._require_fit()
        rows = self._row_table
        if rows is None:
            raise errors.InputError(
                "transform_columns needs the rows of the fit, which it keeps only if fit got the whole table in "
                "memory; fit the table itself, or put these columns into it."
            )
        source: Any = as_source(N, name="N", in_memory=True)
        counts = namespaces.floats(source.everything()[0])
        if len(counts) != len(rows):
            raise errors.lengths_differ("the table of the fit", len(rows), "N", len(counts))
        profiles_of(counts)  # refuses negative counts
        if self._row_weight is not None:
            counts = counts * self._row_weight[:, None]
        totals = counts.sum(axis=0)
        shares = counts / np.where(totals > 0, totals, 1.0)
        s = namespaces.to_numpy(self.spectrum_.singular_values)
        return shares.T @ (rows.coordinates / np.where(s > 0, s, 1.0))

    def test_dimension(self, *, alpha: float = 0.05, method: Literal["malinvaud"] = "malinvaud") -> DimensionTest:
        """Test how many axes are real: "at most d", d = 0, 1, …; d = 0 is the χ² test of independence.

        Parameters
        ----------
        alpha : float
            Level.
        method : {"malinvaud"}
            χ² of the inertia after the first d axes, with (I − 1 − d)(J − 1 − d) degrees of freedom.

        Notes
        -----
        The table must hold counts of independent observations. After the first axes the test is conservative.

        Examples
        --------
        >>> from eigenlens import CorrespondenceAnalysis
        >>> table = [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]]
        >>> print(CorrespondenceAnalysis().fit(table).test_dimension())
        2 of 3 directions are significant at the 5% level (Malinvaud's test: χ²(9) = 138, p < 0.001; χ²(4) = 14.7, p =
        0.0054); the next is not significant (χ²(1) = 1.54, p = 0.21), and these rows would usually detect an eigenvalue
        of 0.013 or more (80% power).
        """
        self._require_fit()
        check_choice("method", method, ("malinvaud",))
        moments = self._collected
        pencil = self._pose(moments).pencil
        values = namespaces.to_numpy(solve(replace(pencil, n_components=None, leading=False)).values)
        used, rows = int((self._margin > 0).sum()), max(float(moments.n_rows), float(np.floor(moments.rows)))
        d = np.arange(max(1, int(min(rows, used)) - 1))
        df = (rows - 1 - d) * (used - 1 - d)
        n = moments.weight
        found = chi2_tails(n * tails(values, len(d)), df, values, alpha, "malinvaud", W=n)
        least = moments.smallest * float(self._margin[self._margin > 0].min())
        if least < LEAST_EXPECTED:
            found = found.with_note(
                f"The smallest expected count is {least:.2g}: join rare rows or columns to be sure."
            )
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
