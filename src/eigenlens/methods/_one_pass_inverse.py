"""Inverse regression from moments of slices alone, and so from one pass over the rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np

from ..arrays import namespaces
from ..arrays.parameters import check_choice
from ..arrays.typing import Array, ColumnLike, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..inference.inverse import SliceMoments, linear_p_value, with_linear
from ..inference.sequential import correlation_found
from ..moments import Centred, Grouped
from ..solve import Form, Pencil, Spectrum, Whitening, whiten
from ..solve.shrinkage import RidgedForm
from ..solve.subspace import Subspace
from .inverse_regression import InverseProblem, InverseRegression, response_of
from .spine.about import DirectionTest
from .spine.missing import TakesHoles, in_units_of_data
from .spine.patterns import law_of
from .spine.rows_estimator import Known
from .spine.slice_tests import Draw

SLICES_TESTED = DirectionTest(
    lambda n, p, directions: 2 * n * p * p,  # moments of slices, of rows that were moved
    theory=lambda model, X, y: model._slices.test_of_rows(*X.shape) != "permutation",
)


class OnePassInverseRegression(TakesHoles[Grouped], InverseRegression):
    """Inverse regression from the means and covariances of slices, which one pass collects.

    A method says, in `_kernel`, what it makes of slices in standardised coordinates.
    """

    covariance_: Array

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        n_slices: int | Literal["auto"] | Sequence[float] = "auto",
        ridge: float = 0.0,
        missing: Literal["refuse", "ml"] = "refuse",
    ) -> None:
        self.n_components = n_components
        self.n_slices = n_slices
        self.ridge = ridge
        self.missing = missing

    def partial_fit(
        self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None, slices: Any = None
    ) -> Self:
        """Add more rows; the result is the same as from all rows seen so far at once.

        A numeric y is cut at the quantiles of the first batch: start with a typical batch, or pass the cuts
        (`n_slices=[cut, cut, …]`) or the slices.

        Parameters
        ----------
        X, y, sample_weight, slices
            As in `fit`.
        """
        return self._partial_fit(X, response_of(y, slices), sample_weight)

    # -- moments and problem -------------------------------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Grouped:
        return Grouped(kind, pooled=not self._slices.covariances, meaning=self._slicing)

    def _pose(self, moments: Grouped) -> InverseProblem:
        k, total, offsets = self._require_slices(moments)
        p, constant = total.n_features, None if self.ridge else total.constant_columns()
        most = p if self.ridge else max(1, min(p, total.n_rows - 1))
        covariance = self._covariance(total)
        shares = namespaces.like(moments.weights / moments.weight, offsets)
        form = self._form(moments, covariance, lambda: whiten(covariance, constant, most), shares, offsets)
        pencil = Pencil(form, covariance, n_components=k, constant=constant, most=most)
        count = (lambda: self._found(moments)) if self.n_components == "auto" else None
        names = getattr(self, "feature_names_in_", None)
        return InverseProblem(pencil, moments, total, names, self.n_components, offsets, count)

    def _check_parameters(self, known: Known | None = None) -> None:
        super()._check_parameters(known)
        if known is None:
            check_choice("missing", self.missing, self._modes)

    def _present(self, problem: InverseProblem, spectrum: Spectrum) -> None:
        super()._present(problem, spectrum)
        if self.missing == "refuse":
            return
        total, B = problem.centred, problem.pencil.B
        assert B is not None
        plain = Form.of(total, total.weight)
        self.covariance_ = np.asarray(in_units_of_data(plain, total.unit), dtype=namespaces.to_numpy(self.mean_).dtype)
        self._law = law_of(total.means, B, total.unit)

    def _variates(self, X: Array) -> Array:
        return super()._variates(self._filled(X))

    @abstractmethod
    def _kernel(self, shares: Array, means: Array, covariances: Array) -> Array:
        """Return rows F with M = FᵀF, from slices in standardised coordinates."""

    def _form(
        self, moments: Grouped, covariance: Form, whitened: Callable[[], Whitening], shares: Array, offsets: Array
    ) -> Form:
        """Return M in the coordinates of X: rows in standardised coordinates, times WᵀΣ, which undoes W."""
        W = whitened().matrix
        if isinstance(covariance, RidgedForm):
            covariance = covariance.expanded()
        if covariance.factor is None:
            back = W.T @ covariance.matrix
        else:
            back = (covariance.factor @ W).T @ covariance.factor
        rows = self._kernel(shares, offsets @ W, self._covariances(moments, W))
        return Form(factor=rows @ back, squared=covariance.squared)

    def _covariances(self, moments: Grouped, W: Array) -> Array:
        """Return the covariance of each slice (divisor W_h) in standardised coordinates."""
        exponent = self._total(moments)[0].exponent
        forms = [Form.of(group.rescaled(exponent), group.weight) for group in moments.groups]
        return namespaces.namespace(W).stack([form.seen_through(W).dense() for form in forms])

    # -- tests -------------------------------------------------------------------------------------------------

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["chi2", "simulation", "permutation"] | None = None,
        groups: ColumnLike | None = None,
        block: int | None = None,
        n_draws: int = 199,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many directions there are: "at most d", d = 0, 1, …

        "No direction" is also rejected if a straight line explains the slices of a numeric y; each of the two tests has
        half the level.

        Parameters
        ----------
        X, y : rows and their response, optional
            The rows to test, sliced like those of the fit. Without them, the test uses the moments of the fit.
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"chi2", "simulation", "permutation"}, optional
            "chi2" needs only moments: Li's test for SIR, W·Σ_{j>d} λⱼ against χ² with
            (p − d)(H − d − 1) degrees of freedom, for normal X; that of Shao, Cook and Weisberg for SAVE, for normal X
            and large slices. "simulation" (SAVE and DirectionalRegression) draws what W·Σ_{j>d} λⱼ would be if all
            later variates were normal noise, through moments, for slices of any size. "permutation" assumes no
            distribution of X and needs X and y.
            With X, the default is "permutation", except that SIR uses "chi2" with 20 rows or more for each column:
            long tails of X alone make the tests of the others reject. Without X, it is "chi2", and "simulation" for
            DirectionalRegression.
        groups : array of shape (n,), optional
            Rows that belong together move together ("permutation").
        block : int, optional
            Number of consecutive rows that are alike: variates are shifted by at least this many rows ("permutation").
        n_draws : int
            Number of draws.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        return self._dimension_test(X, y, sample_weight, alpha, method, n_draws, random_state, groups, block)

    def _in_variates(self, moments: Grouped) -> tuple[np.ndarray, Subspace]:
        values, _, variates = self._slices_in_variates(moments)
        return values, variates

    def _found(self, moments: Grouped) -> int:
        """Return how many directions `test_dimension` finds in moments."""
        return with_linear(self._chi2(moments, 0.05), *self._line(moments, 0.05)).dimension

    def _line(self, moments: Grouped, alpha: float) -> tuple[float, float]:
        H = len(moments.labels)
        if moments.meaning is None or len(moments.meaning.cuts) > 1 or H < 3:  # two means are a line already
            return float("nan"), float("nan")
        slices = self._slices_in_variates(moments)[1]
        n, r = moments.weight, slices.means.shape[1]
        least = correlation_found(alpha / 2, n, r, n - 1 - r) if not self._slices.covariances else float("nan")
        return linear_p_value(slices.weights, slices.means), least

    def _simulated(self, moments: Grouped) -> Draw:
        slices = self._slices_in_variates(moments)[1]
        return lambda d, rng: slices.with_noise_after(d, rng).eigenvalues(self._kernel)

    def _slices_in_variates(self, moments: Grouped) -> tuple[np.ndarray, SliceMoments, Subspace]:
        """Return all eigenvalues, the moments of slices in all variates, and the variates themselves."""
        total, offsets = self._total(moments)
        W = whiten(self._covariance(total), total.constant_columns(), min(total.n_features, total.n_rows - 1)).matrix
        z = offsets @ W
        none = namespaces.namespace(W).zeros((1, W.shape[1], W.shape[1]))
        V = self._covariances(moments, W) if self._slices.covariances else none
        shares, z, V = moments.weights / moments.weight, namespaces.to_numpy(z), namespaces.to_numpy(V)
        _, s, right = np.linalg.svd(self._kernel(shares, z, V), full_matrices=True)
        values = np.concatenate([s**2, np.zeros(max(len(right) - len(s), 0))])[: len(right)]
        scatters = right @ V @ right.T * moments.weights[:, None, None]
        basis = (W @ namespaces.like(right.T, W)) / total.unit[:, None]
        variates = Subspace(total.pivot, basis, total.shift[0, :] * total.unit)
        return values, SliceMoments(moments.weights, z @ right.T, scatters), variates

    def _row_eigenvalues(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace) -> np.ndarray:
        return SliceMoments.of_rows(Z, codes, int(codes.max()) + 1).eigenvalues(self._kernel)
