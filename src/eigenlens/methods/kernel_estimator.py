"""What methods with a kernel share: reading the kernel and the rows, and the choice between all rows and landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import errors, namespaces
from ..arrays.parameters import check_flag, check_number
from ..arrays.typing import Array, TableLike
from ..distances.objects import Objects, objects_in
from ..distances.pairs import joined
from ..kernels import FunctionKernel, Gaussian, Kernel, Precomputed, as_kernel
from ..kernels.kernel import Shift
from ..kernels.landmarks import Landmarks, choose_landmarks
from ..moments import Outline
from ..rows import Block, Source, dense_blocks
from ._principal import standardised
from .spine.about import Laws
from .spine.problem import SCALE_FIRST, SCALE_ITSELF, spread_of_rows, warn_of_spread
from .spine.rows_estimator import RowsEstimator

DEFAULT = Gaussian()  # never changed: set_params works on a copy


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of positive weight, in their own library, as float64.

    Attributes
    ----------
    X : array of shape (n, p)
        Minus the pivot, where a shift is free or can be absorbed; the square matrix of a precomputed kernel.
    y : array or None
    weight : array of shape (n,)
    pivot : array of shape (p,) or None
    kept : ndarray
        Their numbers among all rows.
    dtype : dtype of the results
    """

    X: Array
    y: Any
    weight: Array
    pivot: Array | None
    kept: np.ndarray
    dtype: Any


#: What scikit-learn's kernel methods call their parameters, and what to write here.
FOREIGN_NAMES = {
    "gamma": "give it to the kernel, kernel=Gaussian(bandwidth) with gamma = 1/(2·bandwidth²)",
    "degree": "give it to the kernel, kernel=Polynomial(degree, scale, offset)",
    "coef0": "give it to the kernel, kernel=Polynomial(degree, scale, offset)",
    "kernel_params": "give them to the kernel, such as kernel=Matern(nu, length_scale)",
    "eigen_solver": "the solver is chosen by a rule, and exact; leave it out",
    "fit_inverse_transform": "inverse_transform needs no preparation; leave it out",
    "alpha": "on kernel ridge regression it is called lam",
    "C": "the penalty is called lam, with C = 1/(2·lam)",
    "probability": "loss='logistic' has probabilities; leave it out",
}


class KernelEstimator(RowsEstimator):
    """An estimator with a kernel."""

    _in_memory = True

    kernel: Any
    n_landmarks: int | None
    scale: bool = False  # of methods without the parameter, and of models in files that are older than it
    kernel_: Kernel
    _objects: Objects | None = None  # of a fit to objects that are not rows

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the kernel change a copy of it, since a kernel may serve several estimators."""
        if "kernel" not in params and any(name.startswith("kernel__") for name in params):
            self.kernel = clone(as_kernel(self.kernel))
        super().set_params(**params)
        return self

    def _check_kernel(self) -> Kernel:
        kernel = as_kernel(self.kernel)
        kernel._check_parameters()
        check_flag("scale", self.scale)
        if self.scale and isinstance(kernel, Precomputed):
            raise errors.precomputed_alone("scaled, since the rows were never seen")
        if self.n_landmarks is not None:
            check_number("n_landmarks", self.n_landmarks, 1, integer=True)
            if isinstance(kernel, Precomputed):
                raise errors.InputError(
                    "n_landmarks needs a kernel that can be evaluated, but this one is precomputed: the n×n matrix "
                    "already exists. Leave n_landmarks out."
                )
            if not kernel.is_positive_definite:
                what, out = "landmarks need a positive definite one", "leave n_landmarks out, or use another kernel"
                raise errors.conditional_kernel(kernel, kernel.conditional_order, what, out)
        return kernel

    def _tabled(self, kernel: Kernel, X: TableLike) -> tuple[Kernel, TableLike]:
        """Return the kernel and the rows of a fit; where X holds objects, their table."""
        items = objects_in(X) if isinstance(kernel, FunctionKernel) else None
        if items is None or not isinstance(kernel, FunctionKernel):
            self._objects = None
            return kernel, X
        for name in ("scale", "n_landmarks"):
            if getattr(self, name, None):
                raise errors.InputError(f"{name} needs rows of numbers, and X holds objects; leave it out.")
        self._objects = Objects(kernel.function, items)
        return Precomputed(), self._objects.among(items)

    def _over_rows(self, X: TableLike, *args: Any, **keywords: Any) -> Array:
        """Apply a function to new rows, or to the table of new objects."""
        self._require_fit()
        return super()._over_rows(X if self._objects is None else self._objects.table(X), *args, **keywords)

    def _never_seen(self, what: str) -> errors.InputError:
        """Say that something takes rows, which the model has not."""
        if self._objects is None:
            return errors.precomputed_alone(f"{what}, since the rows were never seen")
        return errors.InputError(f"A model of objects cannot be {what}, which takes columns of numbers.")

    def _gather(self, source: Source, kernel: Kernel, far: float = 0.0) -> Rows:
        """Read all rows, and move them to the origin where that changes only digits.

        With `far`, only if they lie further off than so many times their spread.
        """
        blocks = [piece for segment in source.segments() for block in segment for piece in dense_blocks(block)]
        X = joined([namespaces.float64(block.X) for block in blocks])
        if isinstance(X, np.ndarray):
            X = np.ascontiguousarray(X)  # the same numbers give the same bits, whatever the layout of the table
        xp = namespaces.namespace(X)
        y = None if blocks[0].y is None else joined([block.y for block in blocks])
        ones = xp.ones(X.shape[0], dtype=xp.float64, device=namespaces.device(X))
        weight = ones if blocks[0].weight is None else joined([block.weight for block in blocks])
        kept: np.ndarray = source.kept  # type: ignore[attr-defined]
        dtype, pivot = blocks[0].X.dtype, None
        if isinstance(kernel, Precomputed):
            n = source.table.shape[0]  # type: ignore[attr-defined]
            if X.shape[1] != n:
                raise errors.not_square((n, X.shape[1]))
            X = X if len(kept) == n else xp.take(X, namespaces.like(kept, X), axis=1)
        else:
            kernel._check_columns(X.shape[1])
            self._find_scale(X, weight, kernel, dtype)
            if kernel.shift >= (Shift.ABSORBED if self.n_landmarks is None else Shift.FREE):
                pivot = namespaces.float64(source.first().X)[0, :]
                pivot = pivot if self._scale is None else pivot / self._scale
                moved = self._moved(X, pivot)
                offset, spread = (float(xp.max(xp.abs(a))) for a in (pivot, moved))
                X, pivot = (moved, pivot) if offset > far * spread else (self._moved(X, None), None)
            else:
                X = self._moved(X, None)
        return Rows(X, y, weight, pivot, kept, dtype)

    def _find_scale(self, X: Array, weight: Array, kernel: Kernel, dtype: Any) -> None:
        """Set what columns are divided by; without a scale, warn where they have other units."""
        if not self.scale:
            self._set_scale(None, dtype)
            if kernel.rotation_invariant:
                names = getattr(self, "feature_names_in_", None)
                advice = SCALE_ITSELF if "scale" in self.get_params(deep=False) else SCALE_FIRST
                warn_of_spread(spread_of_rows(X), names, advice)
            return
        moments = Outline().update(Block(X, None, weight))
        divisor = moments.weight - 1
        if divisor <= 0:
            raise errors.weight_too_small(moments.weight, 1.0, "W − 1")
        self._set_scale(standardised(moments, divisor, moments.constant_columns())[1], dtype)

    def _resolve(self, kernel: Kernel, rows: Rows) -> Kernel:
        """Take open parameters from the rows of the fit."""
        if isinstance(kernel, Precomputed):
            return kernel.of_columns(rows.kept)
        return kernel._resolved(rows.X, rows.weight)

    def _landmarks(self, kernel: Kernel, rows: Rows) -> Landmarks:
        assert self.n_landmarks is not None
        return choose_landmarks(kernel, rows.X, int(self.n_landmarks), rows.weight)

    def _report_loss(self, missed: float, places: np.ndarray) -> None:
        self.landmark_error_, self._landmark_numbers = missed, places
        if missed > 0.1:
            errors.warn(
                errors.LandmarkWarning(
                    f"{len(places)} landmarks miss {missed:.1%} of the kernel (share of its trace); the result is that "
                    "of a coarser kernel. Use more landmarks, or a larger bandwidth."
                )
            )

    @property
    def landmarks_(self) -> np.ndarray:
        """Indices of the landmark rows."""
        if not hasattr(self, "_landmark_numbers"):
            raise AttributeError(f"{type(self).__name__} has landmarks_ only after a fit with n_landmarks")
        return self._landmark_numbers

    def _forget(self, *names: str) -> None:
        """Drop what an earlier fit set and this one may not: these attributes, and those of landmarks."""
        for name in ("landmark_error_", "_landmark_numbers", *names):
            self.__dict__.pop(name, None)

    def _moved(self, X: Array, pivot: Array | None) -> Array:
        """Return rows as the kernel sees them: divided, and moved to the pivot, which is that of divided rows."""
        rows = namespaces.float64(X)
        if self._scale is None:
            return rows if pivot is None else rows - namespaces.like(pivot, rows)
        scale = namespaces.like(self._scale, rows)  # offsets go first, while they have all their digits
        return (rows if pivot is None else rows - namespaces.like(pivot, rows) * scale) / scale

    def _obeys(self) -> Laws:
        if not as_kernel(self.kernel).rotation_invariant:
            return Laws(invariance="none")
        return Laws(invariance="units" if self.scale else "rotation")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        named = isinstance(self.kernel, str) and self.kernel == "precomputed"
        pairwise = named or isinstance(self.kernel, Precomputed)
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise
        return tags
