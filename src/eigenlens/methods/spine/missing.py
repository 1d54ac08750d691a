"""Methods that model missing cells: fitted by maximum likelihood, applied to rows with NaN."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal, overload

import numpy as np

from ...arrays import errors, namespaces
from ...arrays.parameters import check_choice
from ...arrays.typing import Array, TableLike
from ...inference.dimension_test import DimensionTest
from ...inference.incomplete import Hypothesis, incomplete_test
from ...moments import Cross, Factor
from ...moments.completion import Completed
from ...moments.conditional import Conditional
from ...moments.redrawn import HoledResampler, Redrawn
from ...solve import Form
from .moments_estimator import Kept, MomentsEstimator
from .patterns import completed, filled, keeps_patterns, patterns_in, require_law, share_missing, with_holes
from .rows_estimator import RowsEstimator


class FillsHoles(RowsEstimator):
    """A fitted model that has a law of missing cells: rows with NaN, their expectation, and how sure that is."""

    _modes: ClassVar[tuple[str, ...]] = ("refuse", "ml")
    _law: Conditional | None = None  # of the columns of X, where the covariance has full rank

    def _filled(self, X: Array) -> Array:
        """Return rows whose missing cells are their expectation given the observed ones."""
        return X if self.missing == "refuse" else filled(X, self._law)

    @overload
    def impute(
        self, X: TableLike, return_std: Literal[False] = False, *, bounds: Literal["observed"] | None = None
    ) -> Array: ...
    @overload
    def impute(
        self, X: TableLike, return_std: Literal[True], *, bounds: Literal["observed"] | None = None
    ) -> tuple[Array, Array]: ...
    def impute(
        self, X: TableLike, return_std: bool = False, *, bounds: Literal["observed"] | None = None
    ) -> Array | tuple[Array, Array]:
        """Fill missing cells with their expectation given the observed cells of the row.

        Parameters
        ----------
        X : table of shape (n, p)
            NaN where a cell is missing. A row that observes nothing gets the mean.
        return_std : bool
            Return standard errors too: the standard deviation of each missing cell given the observed ones, zero for
            observed cells.
        bounds : {"observed"}, optional
            A normal model knows no bounds, so amounts may come out negative. "observed" keeps the filled cells of a
            column within its observed cells in X, where all of these are at least 0; a warning tells how many it moved.
        """
        self._require_fit()
        if bounds is not None:
            check_choice("bounds", bounds, ("observed",))
        if self.missing == "refuse":
            raise errors.InputError("impute needs a model of missing cells; fit with missing='ml'.")
        rows = self._over_rows(X, self._filled)
        if bounds is not None:
            rows = self._bounded(rows, self._over_rows(X, lambda block: namespaces.namespace(block).isnan(block)))
        if not return_std:
            return rows

        def spread(block: Array) -> Array:
            zeros = namespaces.namespace(block).zeros_like
            return with_holes(block, zeros, self._standard_errors)

        return rows, self._over_rows(X, spread)

    def _bounded(self, rows: Array, missing: Array) -> Array:
        """Return filled rows whose cells lie within the observed ones, in columns where these are at least 0."""
        values, gaps = np.array(namespaces.to_numpy(rows)), np.asarray(namespaces.to_numpy(missing), dtype=bool)
        names, told = getattr(self, "feature_names_in_", range(values.shape[1])), []
        for j, name in enumerate(names):
            seen = values[~gaps[:, j], j]
            if not gaps[:, j].any() or not len(seen) or seen.min() < 0:
                continue
            within = np.clip(values[:, j], seen.min(), seen.max())
            moved = int(np.count_nonzero(within != values[:, j]))
            if moved:
                told.append(f"{moved} of column {name}, to {seen.min():g} or {seen.max():g}")
            values[:, j] = within
        if told:
            cells = errors.listed(told, 6)
            errors.warn(errors.MissingWarning(f"bounds='observed' moved imputed cells to the observed ones: {cells}."))
        return namespaces.like(values, rows)

    def _standard_errors(self, rows: np.ndarray) -> np.ndarray:
        """Return the standard deviation of each missing cell given the observed ones."""
        return require_law(self._law).standard_errors(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags


class FillsOverGroups(FillsHoles):
    """Rows come from groups: what is expected of a missing cell is a mean over all of them."""

    @abstractmethod
    def _expected(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return rows filled with Σ P(k | x_o) E[x | x_o, k], and the standard deviations of their holes."""

    def _filled(self, X: Array) -> Array:
        if self.missing == "refuse":
            return X
        return with_holes(X, lambda block: block, lambda rows: self._expected(rows)[0])

    def _standard_errors(self, rows: np.ndarray) -> np.ndarray:
        return self._expected(rows)[1]


class TakesHoles(FillsHoles, MomentsEstimator[Kept]):
    """A method with a parameter `missing`: "refuse" NaN, or model missing cells by maximum likelihood ("ml")."""

    n_components: Any
    log_likelihood_: float

    # -- fitting -----------------------------------------------------------------------------------------------

    def _column_names(self, moments: Any) -> list[str] | None:
        """Return what messages call the columns of the moments."""
        names = getattr(self, "feature_names_in_", None)
        if not isinstance(moments, Cross):
            return None if names is None else [str(name) for name in names]
        x = range(moments.split) if names is None else names
        y = range(moments.joint.n_features - moments.split) if self._y_names is None else self._y_names
        return [f"{name} of X" for name in x] + [f"{name} of Y" for name in y]

    def _completed(self, moments: Any) -> Completed:
        """Return the moments that rows without holes would have given, by maximum likelihood."""
        if not keeps_patterns(moments):
            return Completed(moments)
        if isinstance(self._value("n_components"), str) and share_missing(moments) > 0:
            raise errors.InputError(
                f"n_components={self.n_components!r} counts directions by a rule that holds only for rows without "
                f"holes, and {share_missing(moments):.1%} of the cells are missing. Give n_components as a number; "
                f"test_dimension() of that fit tells you how many directions are shown."
            )
        pooled = getattr(self._moments(Factor), "pooled", True)
        rank = int(self.n_components) if self.missing == "ppca" else None
        return completed(moments, pooled, self._column_names(moments), rank)

    # -- tests -------------------------------------------------------------------------------------------------

    #: What `method` must be for a test of rows with holes.
    _method_with_holes: ClassVar[str | None] = None

    def _hypothesis(self) -> Callable[[Redrawn], Hypothesis] | None:
        """Return what "at most d directions" says about a sample with holes; None if there is no test of it."""
        return self._pose(self._whole_moments).hypothesis if self.missing == "ml" else None

    def _holed_test(
        self,
        moments: Any,
        method: str | None,
        moved: bool,
        alpha: float,
        n_draws: int,
        seed: Any,
        budget: float | None = None,
    ) -> DimensionTest | None:
        share, name = share_missing(moments), type(self).__name__
        if share == 0:
            return None
        hypothesis = self._hypothesis()
        if hypothesis is None:
            raise errors.InputError(
                f"test_dimension of {self!r} holds its level only for rows without holes, and {share:.1%} of the cells "
                f"are missing. Pass the complete rows, or look at the intervals of eigenlens.inference.bootstrap."
            )
        if moved or method != self._method_with_holes:
            asked = "groups and block" if moved else f"method={method!r}"
            default = "" if self._method_with_holes is None else f" ({self._method_with_holes!r})"
            raise errors.InputError(
                f"test_dimension of {name} with {asked} holds its level only for rows without holes, and {share:.1%} "
                f"of the cells are missing. Leave {'them' if moved else 'method'} out: the default{default} draws rows "
                f"with the same missing cells. Or pass the complete rows."
            )
        sample = Redrawn(moments, self._column_names(moments))
        return incomplete_test(sample, hypothesis(sample), alpha, n_draws, seed, budget)

    @property
    def _holed_resampler(self) -> Callable[..., HoledResampler] | None:
        """What fits resamples of rows with holes, each from the likelihood of all rows; None where nothing can."""
        found = patterns_in(self._collected) if self.missing == "ml" else None
        usual = found is not None and found.exponent is None  # no powers of two were taken out
        if not usual or not np.isfinite(self.__dict__.get("log_likelihood_", np.inf)):
            return None
        return partial(HoledResampler, pooled=getattr(self._moments(Factor), "pooled", True))

    def _without_holes(self, moments: Any) -> Any:
        return self._completed(moments).moments


def in_units_of_data(form: Form, unit: Array) -> np.ndarray:
    """Return a form over unit² as a matrix in the units of the data."""
    values, units = namespaces.to_numpy(form.values), namespaces.to_numpy(unit)
    with np.errstate(over="ignore", under="ignore"):
        if form.factor is None:
            return values * units * np.reshape(units, (-1, 1))
        R = values * units
        return R.T @ R
