"""What kernel machines share: fits of every loss, on all rows or on landmarks, and the function that comes out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_flag, check_number
from ..arrays.summaries import Table, names_of, table
from ..arrays.typing import Array
from ..kernels import FunctionKernel, Kernel, Linear, Precomputed, RKHSFunction, interior, support
from ..kernels.coordinates import Coordinates, LandmarkCoordinates, Path, SomeRows, SquaresPath, WholeCoordinates
from ..kernels.kernel import about_pivot, unmoved
from ..kernels.logistic import fit_logistic
from ..kernels.reduction import Free, judge_digits, kernel_matrix, reduce, ridge
from ..kernels.support import SupportProblem
from .kernel_estimator import KernelEstimator, Rows
from .spine.about import Laws

RULES = ("gcv", "loo")
FEW_ROWS = 10  # rows for each landmark up to which libsvm is faster (bench_landmark_losses_beat_libsvm.py)
STIFF = 4  # largest coefficient times variance, over the size of responses, up to which it is for these (the same)
SUPPORT = 40  # points at which the constant of a moved function is found


class KernelMachine(KernelEstimator):
    """Regularised risk: min Σ wᵢ ℓ(yᵢ, f(xᵢ) + b) + λ‖f‖²."""

    _losses: ClassVar[tuple[str, ...]] = ()

    loss: str
    lam: Any
    lams: Any
    fit_intercept: bool = True  # of models in files that are older than it
    polish: bool
    lam_: float
    function_: RKHSFunction
    intercept_: float | Array

    # -- checks --------------------------------------------------------------------------------------------------

    def _check_risk(self) -> Kernel:
        check_choice("loss", self.loss, self._losses)
        kernel = self._check_kernel()
        if isinstance(self.lam, str):
            check_choice("lam", self.lam, RULES)
            if self.loss != "squared":
                raise errors.InputError(
                    f"lam={self.lam!r} needs loss='squared', which alone gives all λ from one decomposition; with "
                    f"loss={self.loss!r} give a number, or choose one with GridSearchCV."
                )
        else:
            check_number("lam", self.lam, 0.0, above=True)
        self._read_lams()
        check_flag("fit_intercept", self.fit_intercept)
        check_flag("polish", self.polish)
        if not self.fit_intercept and kernel.conditional_order:
            what = "fit_intercept=False leaves nothing free"
            raise errors.conditional_kernel(kernel, kernel.conditional_order, what, "use fit_intercept=True")
        if self.loss in ("hinge", "epsilon_insensitive") and kernel.conditional_order > 1:
            what = f"loss={self.loss!r} leaves only a constant free"
            raise errors.conditional_kernel(kernel, kernel.conditional_order, what, "use loss='squared'")
        return kernel

    def _facts(self) -> Iterator[str]:
        points = len(namespaces.to_numpy(self.function_.coefficients))
        yield f"{self.function_.kernel!r}, λ = {self.lam_:.4g}; the function rests on {points:,} rows."

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        c = namespaces.to_numpy(self.function_.coefficients)
        c = c.reshape(len(c), -1)
        columns = {
            "intercept": np.ravel(namespaces.to_numpy(self.intercept_)),
            "rows with a coefficient": (c != 0).sum(axis=0),
        }
        yield "machines", table("Functions (function_)", columns, self._machines(c.shape[1]))

    def _machines(self, count: int) -> list[str]:
        """Name the functions of the fit: classes, pairs of classes, or responses."""
        classes = names_of(namespaces.to_numpy(getattr(self, "classes_", np.zeros(0))))
        if len(classes) == 2:
            return [f"{classes[1]} against {classes[0]}"]
        if classes:
            pairs = [f"{a} against {b}" for a, b in combinations(classes, 2)]
            return pairs if self.loss == "hinge" else classes
        return [f"y{j}" if count > 1 else "y" for j in range(count)]

    def _read_lams(self) -> np.ndarray | None:
        if self.lams is None:
            return None
        try:
            lams = np.asarray(self.lams, dtype=float)
        except (TypeError, ValueError) as error:
            raise _lams_shape(self.lams) from error
        if lams.ndim != 1 or lams.size == 0 or not (np.isfinite(lams) & (lams > 0)).all():
            raise _lams_shape(self.lams)
        return lams

    # -- fits ----------------------------------------------------------------------------------------------------

    def _far(self, kernel: Kernel) -> float:
        """Return how far off rows must lie to be moved: libsvm's digits are those of the kernel as it is.

        Coefficients at landmarks do not add up to 0, so a pivot leaves a term that only some kernels can state. Without
        an intercept nothing takes that term up.
        """
        if not self.fit_intercept and not kernel.translation_invariant:
            return np.inf
        if self.n_landmarks is not None and not (kernel.translation_invariant or kernel.is_linear):
            return np.inf
        return 100.0 if self.loss in ("hinge", "epsilon_insensitive") and not self.polish else 0.0

    def _free(self, most: Free = "trend") -> Free:
        """Return what is not penalised, at most so much."""
        return most if self.fit_intercept else "nothing"

    def _start(self, kernel: Kernel, rows: Rows) -> Kernel:
        self._forget("_path", "_support")
        self._pivot = rows.pivot
        return about_pivot(self._resolve(kernel, rows), rows.pivot)

    def _fit_squares(self, kernel: Kernel, rows: Rows, Y: Array) -> None:
        if self.n_landmarks is not None:
            marks = self._landmarks(kernel, rows)
            coordinates = LandmarkCoordinates(marks, rows.X, rows.weight, Y, self._free())
            self._report_loss(coordinates.missed, rows.kept[marks.places])
            path = SquaresPath(coordinates, Y)
            self._choose(path)
            return self._conclude(kernel, marks.rows, *path.solution(self.lam_), rows)
        by_rule = isinstance(self.lam, str)
        copies = 3.0 if by_rule else 2.0
        red = reduce(kernel, rows.X, rows.weight, keep=True, copies=copies, free=self._free())
        self._choose(SquaresPath(WholeCoordinates(red), Y) if by_rule else None)
        return self._conclude(red.kernel, red.points, *ridge(red, Y, self.lam_), rows)

    def _choose(self, path: SquaresPath | None) -> None:
        """Set λ: as given, or the best of the path."""
        if path is None or not isinstance(self.lam, str):
            self.lam_ = float(self.lam)
            return
        self._path: Path = path.scores(self._read_lams())
        self.lam_ = self._path.best(self.lam)

    def _fit_logistic(self, kernel: Kernel, rows: Rows, Y: Array) -> None:
        self.lam_ = float(self.lam)
        coordinates: Coordinates
        if self.n_landmarks is None:
            red = reduce(kernel, rows.X, rows.weight, keep=True, copies=4.0, free=self._free())
            coordinates, kernel, points = WholeCoordinates(red), red.kernel, red.points
        else:
            marks = self._landmarks(kernel, rows)
            coordinates, points = LandmarkCoordinates(marks, rows.X, rows.weight, free=self._free()), marks.rows
            self._report_loss(coordinates.missed, rows.kept[marks.places])
        beta, free, dual = fit_logistic(coordinates, Y, rows.weight, self.lam_)
        if self.n_landmarks is None:
            judge_digits(red, red.project(coordinates.times(beta)), dual / red.root[:, None], self.lam_)
        self._conclude(kernel, points, *coordinates.solution(beta, free, dual), rows)

    def _fit_support(
        self,
        kernel: Kernel,
        rows: Rows,
        problems: list[tuple[np.ndarray, np.ndarray]],
        epsilon: float | None = None,
        codes: np.ndarray | None = None,
    ) -> None:
        """Fit one machine for each problem, given as row numbers and their targets (±1, or responses).

        The problems of more than two classes, whose codes are given, are one to libsvm.
        """
        self.lam_ = float(self.lam)
        w = namespaces.to_numpy(rows.weight)
        stated = [
            (index, SupportProblem.of(target, w[index], self.lam_, epsilon, self.fit_intercept))
            for index, target in problems
        ]
        if self.n_landmarks is not None:
            return self._fit_support_landmarks(kernel, rows, stated, codes)
        if self.fit_intercept:
            whole, points, K = self._matrix(kernel, rows)
            A, b = self._by_libsvm(K, w, stated, codes, self.polish)
        else:
            red = reduce(kernel, rows.X, rows.weight, keep=False, copies=4.0, free="nothing")
            whole, points, A, b = red.kernel, red.points, np.zeros((len(w), len(stated))), np.zeros(len(stated))
            coordinates = WholeCoordinates(red)
            for j, (index, problem) in enumerate(stated):
                A[index, j] = namespaces.to_numpy(interior.solve(_part(coordinates, index), problem)[2])
        used = np.flatnonzero((A != 0).any(axis=1))
        used = used if len(used) else np.arange(1)
        self._support = rows.kept[used]
        c, gamma = namespaces.like(A[used], points), namespaces.like(b[None, :], points)
        self._conclude(whole, namespaces.take_rows(points, namespaces.like(used, points)), c, gamma, rows)

    def _by_libsvm(
        self,
        K: np.ndarray,
        w: np.ndarray,
        stated: list[tuple[np.ndarray, SupportProblem]],
        codes: np.ndarray | None,
        polish: bool,
        phi: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the coefficients of all rows and the constant of each machine."""
        A, b = np.zeros((len(K), len(stated))), np.zeros(len(stated))
        with warnings.catch_warnings(record=True) as unsettled:
            warnings.simplefilter("always", errors.NotConvergedWarning)
            if codes is not None:
                A, b = support.one_against_one(K, codes, w, self.lam_, polish)
            for j, (index, problem) in enumerate(stated):
                if codes is None:
                    A[index, j], b[j] = problem.by_libsvm(K, polish, phi)
                elif polish:
                    among = (K[np.ix_(index, index)], None) if phi is None else (K, phi[index])
                    A[index, j], b[j] = problem.polished(A[index, j], *among)
        if not polish or unsettled:
            F = (csr_array(A.T) @ K).T  # a machine of two classes rests on few rows
            excess = max(problem.excess(F[index, j], A[index, j], b[j]) for j, (index, problem) in enumerate(stated))
            self._tell(excess, [str(found.message) for found in unsettled], K)
        return A, b

    def _tell(self, excess: float, unsettled: list[str], K: np.ndarray) -> None:
        """Say what libsvm's digits may cost: the duality gap is a bound."""
        share = f"the risk of this fit may exceed the least by {min(excess, 1.0):.0e} of itself"
        for text in unsettled:
            errors.warn(errors.NotConvergedWarning(f"{text} As it is, {share}."))
        if excess > support.EXCESS and not unsettled:
            size = float(np.abs(K).max())
            errors.warn(
                errors.ConditionWarning(
                    f"libsvm rounds kernel values of up to {size:.1e} to single precision, so {share}. Use "
                    "polish=True, a larger lam, or centre and scale the columns."
                )
            )

    def _matrix(self, kernel: Kernel, rows: Rows) -> tuple[Kernel, Array, np.ndarray]:
        """Return the matrix for libsvm, on the host; that of an unknown kernel is checked first."""
        if isinstance(kernel, Precomputed | FunctionKernel):
            xp = namespaces.namespace(rows.X)
            red = reduce(kernel, rows.X, xp.ones_like(rows.weight), keep=True, copies=3.0, free="constant")
            clipped = getattr(kernel, "clip", False)
            return red.kernel, red.points, np.array(namespaces.to_numpy(red.M if clipped else red.K))
        kernel, points, K = kernel_matrix(kernel, rows.X, 3.0)
        return kernel, points, namespaces.to_numpy(K)

    def _fit_support_landmarks(
        self,
        kernel: Kernel,
        rows: Rows,
        stated: list[tuple[np.ndarray, SupportProblem]],
        codes: np.ndarray | None,
    ) -> None:
        marks, xp, n = self._landmarks(kernel, rows), namespaces.namespace(rows.X), rows.X.shape[0]
        coordinates = LandmarkCoordinates(marks, rows.X, rows.weight, free=self._free("constant"))
        self._report_loss(coordinates.missed, rows.kept[marks.places])
        w = namespaces.to_numpy(rows.weight)
        if all(self._suits_libsvm(coordinates, problem, n) for _, problem in stated):
            beta, gamma = self._in_coordinates(coordinates, w, stated, codes)
        else:
            found = []
            for index, problem in stated:
                part, every = _part(coordinates, index), np.arange(len(index))
                found.append(self._in_coordinates(part, w[index], [(every, problem)], None))
            beta, gamma = (xp.concat([one[j] for one in found], axis=1) for j in range(2))
        self._conclude(kernel, marks.rows, *coordinates.solution(beta, gamma), rows)

    def _suits_libsvm(self, c: Coordinates, problem: SupportProblem, n: int) -> bool:
        """Tell whether libsvm is faster: it takes ever more steps where coefficients may be large for the responses."""
        xp = namespaces.namespace(c.d)
        spread = float(problem.most.max()) * float(xp.sum(c.d)) / float(problem.weight.sum())
        stiff = problem.epsilon is not None and spread > STIFF * problem.level()[1]
        return self.fit_intercept and n <= FEW_ROWS * c.d.shape[0] and not stiff

    def _in_coordinates(
        self,
        c: Coordinates,
        w: np.ndarray,
        stated: list[tuple[np.ndarray, SupportProblem]],
        codes: np.ndarray | None,
    ) -> tuple[Array, Array]:
        """Return β and γ of machines, by whichever is faster; of many rows there is one."""
        n = c.free.shape[0]
        if not all(self._suits_libsvm(c, problem, n) for _, problem in stated):
            beta, gamma, _ = interior.solve(c, stated[0][1])
            return beta, gamma
        phi = namespaces.to_numpy(c.rows(np.arange(n)))
        A, b = self._by_libsvm(Linear()._gram(phi), w, stated, codes, True, phi)
        return c.back(namespaces.like(A, c.free)), namespaces.like(b[None, :], c.free) / c.free[:1, :1]

    # -- what comes out ------------------------------------------------------------------------------------------

    def _conclude(self, kernel: Kernel, points: Array, c: Array, gamma: Array, rows: Rows) -> None:
        """Keep the machines for prediction, and publish their functions on the rows as they came."""
        xp = namespaces.namespace(points)
        gamma = gamma if self.fit_intercept else xp.zeros_like(c[:1, :])
        self.kernel_, self._points, self._coefficients, self._gamma = unmoved(kernel), points, c, gamma
        if self._pivot is not None:
            gamma = self._unmoved(points[: min(SUPPORT, points.shape[0]), :])
            points = points + self._pivot
            if (
                self.kernel_.is_linear and self.n_landmarks is not None
            ):  # Σ cᵢ (x − a)ᵀ(xᵢ − a): the pivot a takes what the cᵢ do not add up to
                points = xp.concat([points, self._pivot[None, :]], axis=0)
                c = xp.concat([c, -xp.sum(c, axis=0)[None, :]], axis=0)
        single = c.shape[1] == 1
        self.function_ = RKHSFunction(self.kernel_, points, c[:, 0] if single else c)
        self.intercept_ = float(gamma[0, 0]) if single else xp.asarray(gamma[0, :], copy=True)
        self.trend_ = xp.asarray(gamma[1:, 0] if single else gamma[1:, :], copy=True)

    def _unmoved(self, some: Array) -> Array:
        """Return the coefficients of the free functions for rows that are not moved to the origin."""
        xp, gamma = namespaces.namespace(some), self._gamma
        if gamma.shape[0] > 1:
            T = self._trend(some + self._pivot)
            size = xp.max(xp.abs(T), axis=0)
            size = xp.where(size > 0, size, xp.ones_like(size))
            gamma = (xp.linalg.pinv(T / size) @ (self._trend(some) @ gamma)) / size[:, None]
        assert self._pivot is not None
        gained = self.kernel_._shift_constant(self._points, self._coefficients, self._pivot)
        return xp.concat([(gamma[0, :] - gained)[None, :], gamma[1:, :]], axis=0)

    def _trend(self, X: Array) -> Array:
        kernel = self.kernel_
        given = isinstance(kernel, Precomputed) or self._gamma.shape[0] == 1
        return Kernel._trend(kernel, X) if given else kernel._trend(X)

    def _decide(self, X: Array) -> Array:
        """Return f + b for rows minus the pivot: (n, q)."""
        points, c, gamma = (namespaces.like(a, X) for a in (self._points, self._coefficients, self._gamma))
        return about_pivot(self.kernel_, self._pivot)._apply(X, points, c) + self._trend(X) @ gamma

    @property
    def path_(self) -> Path:
        """Scores over λ: `lams`, `gcv`, `loo`, `df`; only if `lam` is a rule."""
        if not hasattr(self, "_path"):
            raise AttributeError("path_ exists only after a fit with lam='gcv' or lam='loo'")
        return self._path

    @property
    def support_(self) -> np.ndarray:
        """Indices of the support vectors among the rows of the fit (hinge and ε-insensitive loss, no landmarks)."""
        if not hasattr(self, "_support"):
            raise AttributeError(f"loss={self.loss!r} with n_landmarks={self.n_landmarks} has no support vectors")
        return self._support

    def _obeys(self) -> Laws:
        counted = self.loss not in ("hinge", "epsilon_insensitive")  # libsvm stops at a tolerance
        return replace(super()._obeys(), counts_rows=counted)

    def _require_fit(self) -> None:
        check_is_fitted(self, "function_")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "function_")


def _part(coordinates: Coordinates, index: np.ndarray) -> Coordinates:
    """Return some rows, by ascending numbers, or all."""
    return coordinates if len(index) == coordinates.free.shape[0] else SomeRows(coordinates, index)


def _lams_shape(value: Any) -> errors.InputError:
    return errors.InputError(
        f"lams={value!r} must be a list of positive finite numbers; leave it out for the default path."
    )
