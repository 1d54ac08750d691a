"""Laws of the methods. A law may need a fact about the method, and then speaks only of those that state it."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import namespaces
from ..files import load, save
from ..files.registry import name_of
from .samples import Sample, sample_for

Law = Callable[[Any, Sample], None]

ROUND_OFF = 1e-11  # what sums in another order may differ by, relative to the size of the result


def needs(*facts: str) -> Callable[[Law], Law]:
    """Mark a law that speaks only of estimators with these facts: "moments", "own_parts", or fields of `_obeys()`."""

    def marked(law: Law) -> Law:
        law.needs = facts  # type: ignore[attr-defined]
        return law

    return marked


def applies(law: Law, estimator: Any) -> bool:
    """Tell whether a law applies to an estimator."""
    return all(_has(estimator, fact) for fact in getattr(law, "needs", ()))


def _has(estimator: Any, fact: str) -> bool:
    if fact == "moments":  # it is one pass and one small problem
        return hasattr(estimator, "partial_fit")
    if fact == "own_parts":  # made of classes that model files may hold
        parts = [part for part in estimator.get_params().values() if hasattr(part, "get_params")]
        return all(name_of(type(part)) is not None for part in (estimator, *parts))
    return bool(getattr(estimator._obeys(), fact))


def fitted(estimator: Any, data: Sample, sample_weight: Any = None) -> Any:
    """Return a fitted clone."""
    return clone(estimator).fit(*data.arguments(), sample_weight=sample_weight)


def outcome(model: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a model says: its fitted arrays, and what its methods make of rows."""
    said = {
        name: namespaces.to_numpy(value)
        for name, value in vars(model).items()
        if name.endswith("_")
        and not name.startswith("_")
        and name not in model._obeys().per_row
        and namespaces.is_array(value)
    }
    for method in ("transform", "predict", "predict_log_proba", "decision_function"):
        if hasattr(model, method):
            said[method] = namespaces.to_numpy(getattr(model, method)(X))
    return said


def scores(model: Any, X: np.ndarray) -> np.ndarray:
    """Return what a model makes of rows, as numbers: coordinates, else what decides, else predictions."""
    method = next(m for m in ("transform", "decision_function", "predict") if hasattr(model, m))
    return getattr(model, method)(X)


def assert_same(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray], tolerance: float, law: str) -> None:
    """Compare what two models say, entry by entry, relative to the largest of each."""
    if ours.keys() != theirs.keys():
        raise AssertionError(f"{law}: attributes differ: {sorted(ours.keys() ^ theirs.keys())}")
    for name, value in ours.items():
        other = theirs[name]
        if value.shape != other.shape:
            raise AssertionError(f"{law}: {name} has shape {value.shape} on one side and {other.shape} on the other")
        if value.dtype.kind not in "fiu":
            if not np.array_equal(value, other):
                raise AssertionError(f"{law}: {name} differs")
            continue
        known = ~np.isnan(value)  # NaN says that a number does not apply, and must do so on both sides
        if np.isnan(other[known]).any() or not np.isnan(other[~known]).all():
            raise AssertionError(f"{law}: {name} is NaN in other places")
        size = np.max(np.abs(value[known]), initial=0.0)
        error = np.max(np.abs(value[known] - other[known]), initial=0.0)
        if not error <= tolerance * max(size, np.finfo(float).tiny):
            raise AssertionError(f"{law}: {name} differs by {error / size:.1e} of its size (allowed {tolerance:.0e})")


@needs("moments")
def merge(estimator: Any, data: Sample) -> None:
    """Moments of any parts, merged in any order, fit as the whole does."""
    whole = fitted(estimator, data)
    n = len(data)
    for cuts, order in (((1, 2, n // 2), 1), ((n // 3,), -1), ((n - 1,), 1)):
        parts = [data.rows(index) for index in np.split(np.arange(n), cuts)][::order]
        moments = None
        for part in parts:
            seen = clone(estimator).partial_fit(*part.arguments()).moments_
            before = pickle.dumps(seen)
            moments = seen if moments is None else moments.merge(seen)
            if seen is not moments and pickle.dumps(seen) != before:
                raise AssertionError("merge: the moments that were merged in have changed")
        joined = clone(estimator).fit_moments(moments)
        assert_same(outcome(joined, data.X), outcome(whole, data.X), ROUND_OFF, f"merge (cuts {cuts}, order {order})")


@needs("moments")
def partial_fit(estimator: Any, data: Sample) -> None:
    """Rows that come in batches give the fit of all rows at once."""
    batches = clone(estimator)
    for index in np.array_split(np.arange(len(data)), 7):
        batches.partial_fit(*data.rows(index).arguments())
    assert_same(outcome(batches, data.X), outcome(fitted(estimator, data), data.X), ROUND_OFF, "partial_fit")


@needs("counts_rows")
def weight(estimator: Any, data: Sample) -> None:
    """An integer weight is a repeated row; weight 0 is no row."""
    times = np.arange(len(data)) % 4
    weighted = fitted(estimator, data, times)
    repeated = fitted(estimator, data.rows(np.repeat(np.arange(len(data)), times)))
    assert_same(outcome(weighted, data.X), outcome(repeated, data.X), ROUND_OFF, "weight")


@needs("counts_rows")
def row_order(estimator: Any, data: Sample) -> None:
    """The order of the rows does not matter."""
    shuffled = data.rows(np.random.default_rng(1).permutation(len(data)))
    assert_same(
        outcome(fitted(estimator, shuffled), data.X),
        outcome(fitted(estimator, data), data.X),
        ROUND_OFF,
        "row_order",
    )


def bitwise_rerun(estimator: Any, data: Sample) -> None:
    """The same rows give the same bits."""
    first, second = (outcome(fitted(estimator, data), data.X) for _ in range(2))
    assert_same(first, second, 0.0, "bitwise_rerun")


def pickled(estimator: Any, data: Sample) -> None:
    """A model survives pickling bit by bit."""
    model = fitted(estimator, data)
    again = pickle.loads(pickle.dumps(model))
    assert_same(outcome(again, data.X), outcome(model, data.X), 0.0, "pickled")


@needs("own_parts")
def saved(estimator: Any, data: Sample) -> None:
    """A model that went through a file is the same to the last bit, and saves to the same bytes."""
    model = fitted(estimator, data)
    with tempfile.TemporaryDirectory() as folder:
        first = save(model, Path(folder) / "first.eigenlens")
        restored = load(first)
        second = save(restored, Path(folder) / "second.eigenlens")
        if first.read_bytes() != second.read_bytes():
            raise AssertionError("saved: the loaded model saves to other bytes")
    if restored.get_params().keys() != model.get_params().keys():
        raise AssertionError("saved: parameters were lost")
    assert_same(outcome(restored, data.X), outcome(model, data.X), 0.0, "saved")


@needs("centres")
def shift(estimator: Any, data: Sample) -> None:
    """Adding the same row to all rows, however large, moves the means and nothing else."""
    grain = 2.0 ** np.floor(np.log2(np.std(data.X)) - 20)  # multiples of it survive the shift without rounding
    X = np.round(data.X / grain) * grain
    row = np.round(np.linspace(-1e6, 1e6, X.shape[1])) * grain * 2.0**20
    near, far = fitted(estimator, data.with_X(X)), fitted(estimator, data.with_X(X + row))
    assert_same(_scores(far, X + row), _scores(near, X), 1e-10, "shift")


def invariance(estimator: Any, data: Sample) -> None:
    """Scores do not change, up to sign, under the maps of the columns that the method is invariant to."""
    kind = estimator._obeys().invariance if data.X.shape[1] > 1 else "rotation"
    if kind == "none":
        return
    rng = np.random.default_rng(2)
    A = np.linalg.qr(rng.standard_normal((data.X.shape[1],) * 2))[0]
    if kind in ("permutation", "units"):
        A = np.sign(A[0]) * np.eye(len(A))[rng.permutation(len(A))]
    if kind in ("linear", "units"):
        A = A * 10.0 ** rng.uniform(-3, 3, len(A))
    here, there = (scores(fitted(estimator, d), d.X) for d in (data, data.with_X(data.X @ A)))
    signs = np.sign(np.sum(here * there, axis=0)) if hasattr(estimator, "transform") else 1.0
    assert_same({"scores": there * signs}, {"scores": here}, 1e-7, f"invariance ({kind})")


def _scores(model: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    return {name: value for name, value in outcome(model, X).items() if name in ("transform", "predict_log_proba")}


@needs("moments", "solves_pencil")
def defining_equation(estimator: Any, data: Sample) -> None:
    """A V = B V Λ with Vᵀ B V = I, values descending, signs fixed."""
    model = fitted(estimator, data)
    pencil = model._solved(model.moments_)[0].pencil
    A, V, values = pencil.A.dense(), model.spectrum_.vectors, model.spectrum_.values
    if not np.array_equal(V, model.subspace_.basis):
        raise AssertionError("defining_equation: the subspace is not spanned by the directions found")
    B = np.eye(len(A)) if pencil.B is None else pencil.B.dense()
    scale = np.abs(A).max() * np.abs(V).max()
    assert_same({"A V": A @ V / scale}, {"A V": (B @ V) * values / scale}, 1e-9, "defining_equation")
    assert_same({"VᵀBV": V.T @ B @ V}, {"VᵀBV": np.eye(V.shape[1])}, 1e-9, "defining_equation")
    if np.any(np.diff(values) > 0) or np.any(values < 0):
        raise AssertionError("defining_equation: values are not descending or not positive")
    top = V[np.argmax(np.abs(V) >= (1 - 1e-6) * np.abs(V).max(axis=0), axis=0), np.arange(V.shape[1])]
    if np.any(top < 0):
        raise AssertionError("defining_equation: the largest entry of a direction is negative")


def solver_agreement(estimator: Any, data: Sample) -> None:
    """Exact solvers agree; the approximate one says how far off it is."""
    if "solver" not in estimator.get_params():
        return
    reference = outcome(fitted(clone(estimator).set_params(solver="dense"), data), data.X)
    for solver in ("auto", "lanczos"):
        model = fitted(clone(estimator).set_params(solver=solver), data)
        assert_same(outcome(model, data.X), reference, 1e-9, f"solver_agreement ({solver})")
    approximate = fitted(clone(estimator).set_params(solver="randomized"), data)
    V, A = approximate.spectrum_.vectors, approximate._solved(approximate.moments_)[0].pencil.A.dense()
    residual = np.linalg.norm(A @ V - V * approximate.spectrum_.values, axis=0).max() / np.linalg.norm(A, 2)
    if not abs(approximate.spectrum_.residual - residual) <= 1e-3 * residual + 1e-12:
        raise AssertionError(f"solver_agreement: randomized is off by {residual:.1e} and does not say so")


def dtype(estimator: Any, data: Sample) -> None:
    """float32 rows give float32 results, right to the digits that float32 rows carry."""
    small = data.astype(np.float32)
    exact = small.astype(np.float64)
    found = scores(fitted(estimator, small), small.X)
    if found.dtype != np.float32:
        raise AssertionError(f"dtype: scores of float32 rows are {found.dtype}")
    assert_same({"scores": found * 1.0}, {"scores": scores(fitted(estimator, exact), exact.X)}, 1e-6, "dtype")


def failed_refit(estimator: Any, data: Sample) -> None:
    """A fit that fails leaves the model as it was."""
    model = fitted(estimator, data)
    before = outcome(model, data.X)
    broken = data.X.copy()
    broken[-1, -1] = np.inf  # NaN may stand for a cell that was not observed
    for attempt in (getattr(model, name) for name in ("fit", "partial_fit") if hasattr(model, name)):
        try:
            attempt(*data.with_X(broken).arguments())
        except ValueError:
            pass
        else:
            raise AssertionError("failed_refit: infinity was accepted")
    assert_same(outcome(model, data.X), before, 0.0, "failed_refit")


LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        merge,
        partial_fit,
        weight,
        row_order,
        bitwise_rerun,
        pickled,
        saved,
        shift,
        invariance,
        defining_equation,
        solver_agreement,
        dtype,
        failed_refit,
    )
}


def check_laws(estimator: Any, data: Sample | None = None) -> None:
    """Check all laws that apply to an estimator.

    Parameters
    ----------
    estimator : unfitted estimator
    data : Sample, optional
        By default one is made to suit the estimator.

    Examples
    --------
    >>> from eigenlens import PCA
    >>> from eigenlens.testing import check_laws
    >>> check_laws(PCA(2))
    """
    data = sample_for(estimator) if data is None else data
    for law in LAWS.values():
        if applies(law, estimator):
            law(estimator, data)
