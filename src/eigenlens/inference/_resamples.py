"""Resamples of rows, blocks or groups, and what an estimator finds in each of them."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from .._core import errors
from .._core import xp as _xp
from .._core.errors import inference as errors_inference
from ..moments.resampled import Resampler, can_resample
from ..sources import whole

LOADINGS = ("components_", "scalings_", "x_weights_", "scores_", "embedding_")
COLUMNS = ("scalings_", "x_weights_", "scores_", "embedding_")  # whose components are columns
VALUES = ("explained_variance_", "eigenvalues_", "correlations_", "canonical_correlations_")
ROWS, BLOCKS = 2000, 1000  # tables of more rows are dealt to so many blocks; smaller ones are drawn row by row
BATCH = 2**26  # bytes of counts and sums held at a time
CONDITION = 1e6  # above, sums of products have too few digits for the weakest direction
PATIENCE = 10  # resamples drawn for each that is wanted, before it is given up


@dataclass
class Units:
    """What is drawn: the unit of each row (None: the rows themselves), and whether sums of them suffice."""

    n_rows: int
    labels: np.ndarray | None
    count: int
    name: str
    sums_only: bool
    chance: np.ndarray | None = None  # unequal where rows have weights
    size: int = 0  # how many are drawn

    @classmethod
    def of(cls, reference: Any, X: Any, groups: Any, resample: str, seed: int) -> Units:
        source = getattr(reference, "_source", None)
        n = source.n_rows if source is not None and source.n_rows is not None else _num_samples(X)
        sums = _can_sum(reference)
        if groups is not None:
            labels = np.asarray(groups)
            if labels.shape != (n,):
                raise errors.lengths_differ("X", n, "groups", len(labels) if labels.ndim else 0)
            codes = np.unique(labels, return_inverse=True)[1]
            if codes.max() < 1:
                raise errors_inference.one_group(int(codes.max()) + 1)
            return cls(n, codes, int(codes.max()) + 1, "groups", sums)
        if resample == "rows" or n <= ROWS or (resample == "auto" and not sums):
            return cls(n, None, n, "rows", sums)
        order = np.random.default_rng([seed, n]).permutation(n)
        labels = np.empty(n, dtype=np.intp)
        labels[order] = np.arange(n) % BLOCKS
        return cls(n, labels, BLOCKS, f"blocks of {n / BLOCKS:.3g} rows", sums)

    def counts(self, seed: int, b: int) -> np.ndarray:
        """Return how often each unit is drawn in resample b."""
        rng = np.random.default_rng([seed, b])
        size = self.size or self.count
        if self.chance is not None:
            return rng.multinomial(size, self.chance).astype(np.float64)
        return np.bincount(rng.integers(0, self.count, size), minlength=self.count).astype(np.float64)


def _can_sum(reference: Any) -> bool:
    """Tell whether the estimator can be fitted from sums over its rows, with enough digits."""
    if not hasattr(reference, "fit_moments") or getattr(reference, "_source", None) is None:
        return False
    return can_resample(reference.moments_) and reference.spectrum_.condition < CONDITION


def fit_reference(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the fit to all rows."""
    if X is None:
        if getattr(model, "_source", None) is None:
            raise errors_inference.no_rows_to_resample(type(model).__name__)
        return model
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    targets = () if y is None else (y,)
    return clone(model).fit(X, *targets, **weights)


def _fixed(reference: Any) -> Any:
    """Return a clone that keeps as many components as the fit has."""
    replica = clone(reference)
    if isinstance(getattr(reference, "n_components", None), str | float):
        replica.set_params(n_components=len(loadings_of(reference)))
    return replica


def is_map(model: Any) -> bool:
    """Tell whether a model places its rows rather than weighs its columns."""
    return not any(hasattr(model, name) for name in LOADINGS[:-1]) and hasattr(model, LOADINGS[-1])


def loadings_of(model: Any) -> np.ndarray:
    """Return components as rows."""
    for name in LOADINGS:
        if hasattr(model, name):
            found = np.asarray(_xp.to_numpy(getattr(model, name)), dtype=np.float64)
            return found.T if name in COLUMNS else found
    raise errors_inference.nothing_to_align(type(model).__name__, LOADINGS)


def values_of(model: Any, k: int) -> np.ndarray:
    """Return the eigenvalues of the components, whatever the model calls them; NaN where it has none."""
    for name in VALUES:
        if hasattr(model, name):
            found = np.asarray(_xp.to_numpy(getattr(model, name)), dtype=np.float64)[:k]
            break
    else:
        spectrum = getattr(model, "spectrum_", None)
        found = np.zeros(0) if spectrum is None else np.asarray(_xp.to_numpy(spectrum.values), dtype=np.float64)[:k]
    return np.concatenate([found, np.full(k - len(found), np.nan)])


# -- resamples ---------------------------------------------------------------------------------------------------


def from_moments(reference: Any, units: Units, n_boot: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield loadings and eigenvalues of resamples whose moments come from sums over units."""
    moments = reference.moments_
    block = whole(reference._source)
    rows, codes, weight = block.X, None, np.asarray(block.weight)
    if hasattr(moments, "joint"):
        rows = np.column_stack([block.X, np.asarray(block.y)])
    elif hasattr(moments, "groups"):
        codes = np.unique(np.asarray(block.y, dtype=np.intp), return_inverse=True)[1]
    if units.labels is None and (weight != 1).any():
        units.chance, units.size, weight = weight / weight.sum(), round(float(weight.sum())), np.ones(len(weight))
    sums = Resampler(moments, rows, codes, weight, units.labels)
    replica, k, b = _fixed(reference), len(loadings_of(reference)), 0
    batch = max(1, min(n_boot, BATCH // (8 * (sums.n_units + sums.q**2))))
    done = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.EigenlensWarning)
        while done < n_boot:
            size = min(batch, n_boot - done)
            counts = np.stack([units.counts(seed, b + i) for i in range(size)])
            b += size
            for drawn in sums.draw(counts):
                found = None if drawn is None else _refitted(partial(replica.fit_moments, drawn), k)
                if found is not None:
                    done += 1
                    yield found
            if b > PATIENCE * n_boot + 100:
                cause = errors.one_class("all") if hasattr(moments, "groups") else ValueError("no variance is left")
                raise errors_inference.replicates_failed(b - done, n_boot, cause)


def _refitted(fit: Callable[[], Any], k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return loadings and eigenvalues of a fit, None where it fails or has lost a direction."""
    try:
        model = fit()
    except (ValueError, np.linalg.LinAlgError):
        return None
    found = loadings_of(model)
    return None if len(found) < k else (found[:k], values_of(model, k))


def from_rows(
    reference: Any, X: Any, y: Any, sample_weight: Any, units: Units, n_boot: int, seed: int, n_jobs: int | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield loadings and eigenvalues of resamples that are fitted from rows."""
    from joblib import Parallel, delayed

    replica, k = _fixed(reference), len(loadings_of(reference))
    base = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    work = Parallel(n_jobs=n_jobs, return_as="generator")
    yield from work(delayed(_one)(replica, X, y, base, units, seed, b, k) for b in range(n_boot))


def _one(
    replica: Any, X: Any, y: Any, base: np.ndarray | None, units: Units, seed: int, b: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Fit one resample, drawn again where it cannot be fitted."""
    weighted = "sample_weight" in inspect.signature(replica.fit).parameters
    for attempt in range(PATIENCE):
        counts = units.counts(seed, b + attempt * 2**32)
        times = counts if units.labels is None else counts[units.labels]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.EigenlensWarning)
            found = _refitted(partial(_fit_rows, clone(replica), X, y, base, times, weighted), k)
        if found is not None:
            return found
    raise errors_inference.replicates_failed(PATIENCE, 1, ValueError("a class or a direction was lost"))


def _fit_rows(model: Any, X: Any, y: Any, base: np.ndarray | None, times: np.ndarray, weighted: bool) -> Any:
    targets = () if y is None else (y,)
    if weighted:
        return model.fit(X, *targets, sample_weight=times if base is None else times * base)
    rows = np.repeat(np.arange(len(times)), times.astype(np.intp))
    return model.fit(_safe_indexing(X, rows), *(_safe_indexing(t, rows) for t in targets))
