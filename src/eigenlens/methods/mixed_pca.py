r"""Principal components of tables with words: multiple correspondence analysis, and factor analysis of mixed data.

Numbers are standardised (divisor W), and a level of share c becomes the column :math:`z = (1 - c)/\sqrt c`: a
column of words then counts by its levels as a number counts by its variance. The components are those of

.. math:: C = \tfrac1W Z^T D_w Z , \qquad C v = \lambda v .

Words only, with Q columns, are multiple correspondence analysis, whose eigenvalues are :math:`\lambda / Q`. Numbers
only are the components of the correlation matrix. Products of indicators are counts: one pass keeps everything.

References
----------
Benzécri (1979), Sur le calcul des taux d'inertie dans l'analyse d'un questionnaire. Pagès (2004), Analyse factorielle
de données mixtes. Greenacre (2007), Correspondence Analysis in Practice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Literal, Self

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_count, published_at_once
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..moments import Centred, Mixed, MixedPatterns
from ..moments.completion import Completed
from ..moments.conditional import Conditional
from ..moments.mixed_patterns import LevelScores, complete_mixed
from ..rows.categories import MixedRows, is_mixed
from ..rows.pandas_frames import is_pandas
from ..solve import Form, Pencil, Spectrum
from ..solve.subspace import Subspace
from ._mixed_problem import MixedProblem, adjusted_inertia, coded_form, table_of_numbers
from ._permuted_words import PermutedWords
from ._supplementary import Supplementary, supplementary_columns, table_of_categories
from .coding import Coding, code, deviations, profiles
from .factor_table import FactorTable
from .spine.about import Declaration, Laws
from .spine.component_tests import row_count
from .spine.directions_table import directions
from .spine.moments_estimator import MomentsEstimator
from .spine.patterns import law_of, require_law
from .spine.rows_estimator import Known, RowsTransformer, wanted

MISSING = ("auto", "level", "unobserved", "ml", "refuse")


@stored("MixedPCA")
class MixedPCA(RowsTransformer, PermutedWords, MomentsEstimator[Any]):
    """Principal components of numbers and words: MCA, FAMD, or PCA of the correlations, depending on the columns.

    Parameters
    ----------
    n_components : int or None
        How many axes to keep; None keeps all that have variance.
    categories : "auto" or list of columns
        Which columns are words: "auto" takes columns of text, booleans and categories; a list names them, by name or,
        for a table without names, by position, and may hold columns of numbers that are codes.
    missing : {"auto", "level", "unobserved", "ml", "refuse"}
        How to treat a missing word: as a level of its own; as unobserved, with the row at the centre of that column; or
        as an error. By default it is a level if at least 5% of the rows lack the word, and unobserved otherwise.
        Missing numbers are refused, except by "ml": it models them by maximum likelihood, normal given the other
        numbers and the words, and treats missing words as the default does.

    Attributes
    ----------
    eigenvalues_, explained_variance_ratio_ : arrays of shape (k,)
        Inertia of each axis, and its share. Words only: divided by the number of columns, as is usual in MCA.
    adjusted_inertia_ : ndarray of shape (k, 2)
        Words only: shares of the inertia as Benzécri and as Greenacre adjust it; the shares above are pessimistic.
    numbers_ : FactorTable
        Correlations of the columns of numbers with the axes, contributions and cos².
    categories_ : FactorTable
        The levels: the mean of their rows if the table has numbers too, and that mean over √λ if it has words only (the
        conventions of FactoMineR); contributions, cos² and test values.
    eta2_ : ndarray of shape (columns of words, k)
        Squared correlation ratio of each column of words with each axis.
    columns_ : list of str
        The columns of words, in the order of `eta2_`.
    n_components_ : int
    moments_ : Mixed or MixedPatterns
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
        Centre and basis in the columns of numbers followed by 0-1 columns of the levels.
    spectrum_ : Spectrum
        The solved problem.

    See Also
    --------
    PCA : Directions of largest variance.
    CorrespondenceAnalysis : Axes of a table of counts.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens import MixedPCA
    >>> table = pd.DataFrame({
    ...     "size": [1.2, 1.9, 3.1, 4.2, 4.8, 6.1],
    ...     "colour": ["red", "red", "blue", "blue", "green", "green"],
    ... })
    >>> mixed = MixedPCA(2).fit(table)
    >>> mixed.eigenvalues_.round(3), mixed.categories_.names
    (array([1.949, 1.   ]), ['blue', 'green', 'red'])
    >>> mixed.transform(table).shape
    (6, 2)
    """

    eigenvalues_: Array
    explained_variance_ratio_: Array
    adjusted_inertia_: Array
    numbers_: FactorTable
    categories_: FactorTable
    eta2_: Array
    columns_: list[str]
    subspace_: Subspace

    _declaration = Declaration(
        question="none",
        name="mixed-pca",
        place=1,
        display="factor_map",
        use="tables of words, or of words and numbers: MCA and FAMD",
        takes_words=True,
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        categories: Literal["auto"] | Sequence[Any] = "auto",
        missing: Literal["auto", "level", "unobserved", "ml", "refuse"] = "auto",
    ) -> None:
        self.n_components = n_components
        self.categories = categories
        self.missing = missing

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
        X : table of shape (n, p)
            With columns of numbers, of words, or both.
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column or list of columns, optional
            Columns of X to exclude, by name.
        """
        X, _ = self._take_target(X, None, target)
        self._fit(X, None, sample_weight)
        self._fit_rows = deepcopy((X, sample_weight)) if _in_memory(X) else None  # for `supplementary`; never saved
        return self

    @published_at_once
    def partial_fit(self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None) -> Self:
        """Add more rows; the result is the same as from all rows seen so far at once."""
        self._partial_fit(X, None, sample_weight)
        self._fit_rows = None
        return self

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    missing: str
    _fit_rows: Any = None
    _joint_law: Conditional | None = None  # of numbers, and combinations of levels behind them
    _level_scores: LevelScores | None = None

    def _moments(self, kind: type[Centred]) -> Mixed:
        return Mixed(kind)

    def _completed(self, moments: MixedPatterns) -> Completed:
        found = complete_mixed(moments, self._names_of(moments, words=False))
        self._joint_law, self._level_scores = None, found.of_levels
        if found.joint is not None:
            joint = found.joint
            self._joint_law = law_of(joint.mean, Form.of(joint, joint.weight), joint.unit)
        return Completed(found.moments)

    def _pose(self, moments: Mixed) -> MixedProblem:
        if moments.n_rows < 2 and moments.weight <= 1:
            raise errors.too_few_rows("X", moments.n_rows, (moments.n_rows, moments.n_features), 2)
        coding = tables = None
        free = dimension = moments.numbers.n_features
        if moments.words is not None:
            treatment = "auto" if self.missing == "ml" else self.missing
            coding, tables = code(moments.words, moments.weight, self._names_of(moments, words=True), treatment)
            free = dimension + len(coding) - len(coding.levels)
        rows = row_count(moments)
        most = max(1, min(rows - 1, free))
        why = f"{rows:,} rows and {free:,} free columns (numbers, and levels beyond the first of each column of words)"
        k = wanted(self.n_components, most, f"{why} give at most {most} components")
        form = coded_form(moments, coding, tables)
        pencil = Pencil(form.with_rows(min(k, form.dimension)), most=most)
        return MixedProblem(
            pencil,
            moments,
            moments,  # type: ignore[arg-type]
            None,
            self.n_components,
            coding=coding,
            tables=tables,
            wanted=k,
        )

    def _present(self, problem: MixedProblem, spectrum: Spectrum) -> None:
        moments, coding, tables = problem.moments, problem.coding, problem.tables
        full = problem.full
        full = full.first(max(full.rank, len(spectrum)))
        values, V = namespaces.to_numpy(full.values), namespaces.to_numpy(full.vectors)
        k, total = len(spectrum), float(problem.pencil.A.trace())
        like, dtype = moments.numbers.pivot, moments.dtype
        self.n_components_, self._coding = k, coding
        self._is_word = moments.is_word
        lam = values[:k]
        self.eigenvalues_ = namespaces.attribute_copy(namespaces.like(lam, like), dtype)
        shares = lam / total if total > 0 else np.zeros(k)
        self.explained_variance_ratio_ = namespaces.attribute_copy(namespaces.like(shares, like), dtype)
        self._set_maps(moments, coding, full, like)
        q = moments.numbers.n_features
        self.numbers_ = table_of_numbers(self._names_of(moments, words=False), lam, V[:q, :k])
        for name in ("adjusted_inertia_", "categories_", "eta2_", "columns_"):
            self.__dict__.pop(name, None)
        if coding is not None and tables is not None:
            means = profiles(coding, tables, moments) @ V / (len(coding.levels) ** 0.5 if q == 0 else 1.0)
            self.categories_, self.eta2_ = table_of_categories(
                coding, means, values, moments.weight, k, q == 0, V[q:, :k] ** 2
            )
            self.columns_ = list(coding.columns)
            if q == 0:
                self.adjusted_inertia_ = adjusted_inertia(values, k, len(coding.levels), len(coding))

    def _set_maps(self, moments: Mixed, coding: Coding | None, full: Spectrum, like: Array) -> None:
        """Set what turns rows into scores: a basis for the numbers, a table of scores for each column of words."""
        V = namespaces.to_numpy(full.vectors)
        numbers, q = moments.numbers, moments.numbers.n_features
        self._deviations = deviations(moments)
        shift, basis = numbers.shift[0, :] * numbers.unit, V[:q] / self._deviations[:, None]
        self._of_numbers = Subspace(numbers.pivot, namespaces.like(basis, like), shift) if q else None
        centre, remainder = namespaces.to_numpy(numbers.pivot), namespaces.to_numpy(shift)
        self._of_words: list[np.ndarray] = []
        if coding is not None:
            scale = np.sqrt(coding.shares * (len(coding.levels) if q == 0 else 1))[:, None]
            of_levels = V[q:] / scale
            mean = coding.sums(coding.shares[:, None] * of_levels)
            scores = of_levels - mean[coding.owner]
            self._of_words = [scores[a:b] for a, b in zip(coding.offsets[:-1], coding.offsets[1:], strict=True)]
            centre, remainder = np.append(centre, np.zeros(len(coding))), np.append(remainder, coding.shares)
            basis = np.concatenate([basis, of_levels])
        basis = basis[:, : self.n_components_]
        self.subspace_ = Subspace(
            namespaces.like(centre, like), namespaces.like(basis, like), namespaces.like(remainder, like)
        )

    def _names_of(self, moments: Mixed | MixedPatterns, words: bool) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        every = [f"x{j}" for j in range(moments.n_features)] if names is None else [str(name) for name in names]
        return [name for name, word in zip(every, moments.is_word, strict=True) if word == words]

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            return
        check_count(self.n_components)
        check_choice("missing", self.missing, MISSING)
        given, word = self.categories, isinstance(self.categories, str)
        if isinstance(given, type) or not hasattr(given, "__len__") or (word and given != "auto"):
            such = f" such as [{given!r}]" if word else ""
            raise errors.InputError(f"categories={given!r} is not understood; use 'auto', or a list of columns{such}.")

    def _obeys(self) -> Laws:
        return Laws(invariance="permutation", solves_pencil=False)

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        axes = self._names_of_directions()
        yield "directions", directions(self, axes)
        if hasattr(self, "adjusted_inertia_"):
            title = "Shares of the inertia as Benzécri and as Greenacre adjust it (adjusted_inertia_)"
            yield "adjusted", matrix(title, self.adjusted_inertia_, axes, ["Benzécri", "Greenacre"])
        if len(self.numbers_):
            title = "Correlations of the numbers with the axes (numbers_)"
            yield "numbers", matrix(title, self.numbers_.coordinates, self.numbers_.names, axes)
        if self._coding is not None:
            yield from self.categories_.summaries("categories", "categories", axes)
            title = "Correlation ratios of the words with the axes (eta2_)"
            yield "eta2", matrix(title, self.eta2_, self.columns_, axes)

    # -- use -------------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike) -> Array:
        """Return the coordinates of rows on the axes; a level that the fit has not seen is refused."""
        k = getattr(self, "n_components_", 0)
        return self._over_rows(X, lambda rows: self._scores(rows, k))

    def _filled(self, X: Any) -> Any:
        """Return rows whose missing numbers are their expectation given the other numbers and the words."""
        numbers = np.asarray(namespaces.to_numpy(X.numbers if is_mixed(X) else X), dtype=np.float64)
        holed = np.isnan(numbers).any(axis=1)
        if not holed.any():
            return X
        of_words = np.zeros((int(holed.sum()), 0))
        if is_mixed(X) and self._level_scores is not None:
            of_words = self._level_scores.rows(X[holed].words)
        filled = require_law(self._joint_law).filled(np.concatenate([numbers[holed], of_words], axis=1))
        numbers = numbers.copy()
        numbers[holed] = filled[:, : numbers.shape[1]]
        return MixedRows(numbers, X.words, X.is_word) if is_mixed(X) else namespaces.like(numbers, X)

    def _scores(self, X: Any, k: int) -> Array:
        X = self._filled(X) if self.missing == "ml" else X
        if not is_mixed(X):
            if self._of_numbers is None or self._coding is not None:
                raise errors.InputError(
                    f"X holds only numbers, but {errors.listed(repr(name) for name in self.columns_)} held words in "
                    "the fit; pass these columns as the fit had them, in an array or a frame."
                )
            return self._of_numbers.project(X)[:, :k]
        scores = np.zeros((len(X), k))
        if self._of_numbers is not None:
            scores += np.asarray(self._of_numbers.project(X.numbers))[:, :k]
        for table, places in zip(self._of_words, self._places(X), strict=True):
            scores += np.append(table[:, :k], np.zeros((1, k)), axis=0)[places]  # the last is that of a missing cell
        return scores

    def _places(self, X: MixedRows) -> Iterator[np.ndarray]:
        assert self._coding is not None
        return self._coding.places(X.words, self.missing == "refuse")

    def _squared_lengths(self, X: Any) -> Array:
        """Return the squared distance of rows from the centre, in all directions."""
        X = self._filled(X) if self.missing == "ml" else X
        mixed = is_mixed(X)
        total: Any = 0.0
        if self._of_numbers is not None:
            rows = self._of_numbers.centred(X.numbers if mixed else X)
            total = namespaces.namespace(rows).sum((rows / namespaces.like(self._deviations, rows)) ** 2, axis=1)
        if mixed:
            assert self._coding is not None
            offsets, inverse = self._coding.offsets, 1.0 / self._coding.shares - 1.0
            every = np.zeros(len(X))
            for j, places in enumerate(self._places(X)):
                every += np.append(inverse[offsets[j] : offsets[j + 1]], 0.0)[places]
            total = total + every / (1.0 if self._of_numbers is not None else len(offsets) - 1)
        return total

    def cos2(self, X: TableLike) -> Array:
        """Return the share of each axis in the squared distance of rows from the centre: (n, k)."""
        k = getattr(self, "n_components_", 0)

        def quality(rows: Any) -> Array:
            squares, length = self._scores(rows, k) ** 2, self._squared_lengths(rows)[:, None]
            return squares / namespaces.namespace(squares).where(length > 0, length, 1.0)

        return self._over_rows(X, quality)

    def contributions(self, X: TableLike, sample_weight: ColumnLike | None = None) -> Array:
        """Return the share of rows in the inertia of each axis: (n, k), adding up to 1 over the rows of the fit.

        Parameters
        ----------
        X : table
        sample_weight : array of shape (n,), optional
            The weights of the fit, if it had any.
        """
        self._require_fit()
        inertia = self._collected.weight * namespaces.to_numpy(self.eigenvalues_).astype(np.float64)

        def share(rows: Any) -> Array:
            scores = self._scores(rows, self.n_components_)
            return scores**2 / namespaces.like(inertia, scores)

        shares = self._over_rows(X, share, here=sample_weight is not None)
        return shares if sample_weight is None else shares * np.asarray(sample_weight, dtype=np.float64)[:, None]

    def supplementary(
        self, Z: TableLike, X: TableLike | None = None, sample_weight: ColumnLike | None = None
    ) -> Supplementary:
        """Place columns that were not part of the fit: numbers by their correlations, words by the means of their rows.

        Parameters
        ----------
        Z : table of shape (n, s)
            Other columns of the rows of the fit.
        X : table of shape (n, p), optional
            The rows of the fit. A model fitted to a table in memory still has them; a model that was loaded from a
            file, or saw its rows in parts, needs them.
        sample_weight : array of shape (n,), optional
            Weights of the rows of X.

        Returns
        -------
        Supplementary
            With `numbers`, `categories` and `eta2`.

        Examples
        --------
        >>> import pandas as pd
        >>> from eigenlens import MixedPCA
        >>> table = pd.DataFrame({"a": list("xxyyzz"), "b": list("uvuvuv"), "size": [1.0, 2, 3, 4, 5, 6]})
        >>> mca = MixedPCA(2).fit(table[["a", "b"]])
        >>> mca.supplementary(table[["size"]]).numbers.coordinates.shape
        (1, 2)
        """
        self._require_fit()
        if X is None:
            if self._fit_rows is None:
                raise errors.InputError(
                    "supplementary(Z) needs the rows of the fit, and this model does not have them: "
                    "pass them, supplementary(Z, X)."
                )
            X, sample_weight = self._fit_rows
        of_axes = self._of_words[0] if self._of_numbers is None else self._of_numbers.basis
        every = of_axes.shape[1]  # those with variance, kept or not
        scores = np.asarray(self._over_rows(X, lambda rows: self._scores(rows, every), here=True), dtype=np.float64)
        return supplementary_columns(
            Z,
            scores,
            sample_weight,
            namespaces.to_numpy(self.eigenvalues_).astype(np.float64),
            words_only=self._of_numbers is None,
        )

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_fit_rows"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


def _in_memory(X: Any) -> bool:
    if is_pandas(X):  # which takes a while to say that it lacks something
        return True
    return not any(hasattr(X, name) for name in ("segments", "__dask_graph__", "mapInArrow", "map_batches"))
