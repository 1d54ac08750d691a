"""How many directions inverse regression finds: tests by theory, from moments, or by drawing from rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import errors, linalg, namespaces
from ...arrays.parameters import check_choice, check_number
from ...arrays.typing import TableLike
from ...inference.dimension_test import DimensionTest
from ...inference.inverse import check_linearity, permuted_after, with_linear
from ...inference.sequential import resampled_test
from ...inference.units import Units
from ...rows import Source
from ...solve.subspace import Subspace
from .moments_estimator import Kept, MomentsEstimator
from .rows_estimator import labels_of_kept, repeated

FEW_ROWS = 20  # for each column, below which χ² rejects too seldom
LOOKED_AT = 5000  # rows by which bends of X are judged
Draw = Callable[[int, np.random.Generator], np.ndarray]  # eigenvalues where all variates after the d-th are noise


@dataclass(frozen=True)
class UseOfSlices:
    """What a method of inverse regression makes of slices, and which tests of its directions it has.

    Attributes
    ----------
    tests : tuple of str
    with_rows, without_rows : str
        The test by default: where rows are given, unless they are few, and of a model alone.
    covariances : bool
        Whether slices have covariances of their own, rather than means alone.
    may_miss : bool
        Whether rows may lack a response.
    counts : bool
        Whether `n_components="auto"` finds the number of directions.
    one_by_one : bool
        Whether eigenvalues are tested one at a time, up to the first that is not rejected, since each draw is a fit;
        rather than the sum of those that are left.
    """

    tests: tuple[str, ...]
    with_rows: str = "permutation"
    without_rows: str = "permutation"
    covariances: bool = False
    may_miss: bool = False
    counts: bool = True
    one_by_one: bool = False

    def test_of_rows(self, n: float, p: int) -> str:
        """Return the test by default of n rows of p columns."""
        return "permutation" if n < FEW_ROWS * p else self.with_rows


class SliceTested(MomentsEstimator[Kept]):
    """A method whose directions are tested against slices of a response."""

    _slices: ClassVar[UseOfSlices]

    ridge: float

    @abstractmethod
    def _most(self, K: int, p: int) -> int:
        """Return how many directions K slices of p columns can give."""

    def _dimension_test(
        self,
        X: TableLike | None,
        y: Any,
        sample_weight: Any,
        alpha: float,
        method: str | None,
        n_draws: int,
        seed: Any,
        groups: Any,
        block: int | None,
    ) -> DimensionTest:
        """Run a test by theory, or by drawing from the moments or from the rows; join it with the linear one."""
        moved = groups is not None or block is not None
        self._check_test(method, n_draws, moved)
        by_rows = moved or (method or self._slices.without_rows) == "permutation"
        source = self._rows_to_test(X, y, sample_weight, method or "permutation", needed=by_rows)
        moments = self._tested_moments(source)
        holed = self._holed_test(moments, method, moved, alpha, n_draws, seed)
        if holed is not None:
            return holed
        moments = self._without_holes(moments)
        if method is None:
            of_rows = self._slices.test_of_rows(moments.weight, moments.n_features)
            method = "permutation" if moved else self._slices.without_rows if source is None else of_rows
        Z, codes, variates = None, None, None
        if source is not None and (method == "permutation" or _small(source)):
            variates = self._in_variates(moments)[1]
            Z, codes = _rows_in(source, variates)
        if method == "chi2":
            test = self._chi2(moments, alpha)
        elif method == "simulation":
            test = self._resampled(moments, self._simulated(moments), alpha, method, n_draws, seed)
        else:
            moves = Units.of(len(Z), labels_of_kept(source, groups), block) if moved else None  # type: ignore[arg-type]
            draw = self._permuted(Z, codes, variates, moves)  # type: ignore[arg-type]
            words = method + ("" if moves is None else moves.words)
            test = self._resampled(moments, draw, alpha, words, n_draws, seed)
        if not moved:  # the F test takes each row by itself
            test = with_linear(test, *self._line(moments, alpha))
        if source is None:
            normal = "It assumes normal X; pass X and y for a test that does not."
            return test.with_note(normal if self._slices.covariances else "")
        if Z is not None and test.dimension > 0:
            self._warn_bends(Z)
        return test

    def _resampled(self, moments: Any, draw: Draw, alpha: float, method: str, n_draws: int, seed: Any) -> DimensionTest:
        values = self._in_variates(moments)[0]
        with linalg.limit_blas(moments.n_features**2):
            return resampled_test(
                values,
                moments.weight,
                self._most(len(moments.labels), len(values)),
                draw,
                method=method,
                alpha=alpha,
                n_draws=n_draws,
                seed=seed,
                largest=self._slices.one_by_one,
                stop=self._slices.one_by_one,
                again=", with neighbours searched again" if self._slices.one_by_one else "",
            )

    def _line(self, moments: Any, alpha: float) -> tuple[float, float]:
        """Return the p-value of the linear test of "no direction", and the least that it finds; NaN without one."""
        return float("nan"), float("nan")

    def _warn_bends(self, Z: np.ndarray) -> None:
        """Warn where variates have bent means along the first: what then looks like a direction may be the bend."""
        found = check_linearity(Z[:: -(-len(Z) // LOOKED_AT)])
        if found.doubtful:
            warning = errors.SliceWarning(found.warning(type(self).__name__))
            warning.linearity = found
            errors.warn(warning)

    def _chi2(self, moments: Any, alpha: float) -> DimensionTest:
        """Run the χ² test, where a method has one, from its moments."""
        raise NotImplementedError

    def _simulated(self, moments: Any) -> Draw:
        """Return a function that draws eigenvalues from moments alone, where a method has such a one."""
        raise NotImplementedError

    @abstractmethod
    def _in_variates(self, moments: Any) -> tuple[np.ndarray, Subspace]:
        """Return all eigenvalues, and all variates."""

    @abstractmethod
    def _row_eigenvalues(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace) -> np.ndarray:
        """Return the eigenvalues of rows given by their variates."""

    def _permuted(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace, moves: Units | None) -> Draw:
        def draw(d: int, rng: np.random.Generator) -> np.ndarray:
            return self._row_eigenvalues(permuted_after(Z, d, rng, moves), codes, variates)

        return draw

    def _check_test(self, method: str | None, n_draws: int, moved: bool) -> None:
        self._require_fit()
        if method is not None:
            check_choice("method", method, self._slices.tests)
        if moved and method not in (None, "permutation"):
            raise errors.InputError(
                f"method={method!r} treats rows as independent; groups and block need method='permutation'."
            )
        check_number("n_draws", n_draws, 1, integer=True)
        if self.ridge:
            raise errors.InputError(
                f"ridge={self.ridge!r}: these tests hold for plain covariances; fit with ridge=0 to test."
            )


def _rows_in(source: Source, variates: Subspace) -> tuple[np.ndarray, np.ndarray]:
    """Read rows as variates with slice codes, a row of weight 2 twice."""
    block = repeated(source)
    codes = np.asarray(block.y, dtype=np.intp)
    codes = np.where(codes >= 0, np.searchsorted(np.unique(codes[codes >= 0]), codes), -1)
    return namespaces.to_numpy(variates.project(namespaces.like(block.X, variates.basis))), codes


def _small(source: Source) -> bool:
    """Tell whether rows that a test does not need can be looked at none the less, for bends of X."""
    return not source.weighted and source.n_rows is not None and source.n_rows <= 20 * LOOKED_AT
