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

from ..arrays import errors, namespaces
from ..moments.resampled import Resampler, can_resample
from ..rows import Block

LOADINGS = ("components_", "scalings_", "x_weights_", "scores_", "embedding_")
COLUMNS = ("scalings_", "x_weights_", "scores_", "embedding_")  # whose components are columns
CORRELATIONS = ("correlations_", "canonical_correlations_")
VALUES = ("explained_variance_", "eigenvalues_", *CORRELATIONS)
ROWS, BLOCKS = 2000, 1000  # tables of more rows are dealt to so many blocks; smaller ones are drawn row by row
BATCH = 2**26  # bytes of counts and sums held at a time
CONDITION = 1e6  # above, sums of products have too few digits for the weakest direction
LOST = ValueError("a class or a direction was lost.")
PATIENCE = 10  # resamples drawn for each that is wanted, before it is given up


@dataclass
class Units:
    """What is drawn: the unit of each row, or (None) the rows themselves."""

    labels: np.ndarray | None
    count: int
    name: str
    chance: np.ndarray | None = None  # unequal where rows have weights
    size: int = 0  # how many are drawn, where not as many as there are

    @classmethod
    def of(
        cls,
        n: int,
        groups: np.ndarray | None,
        resample: str,
        weight: np.ndarray | None,
        blocks: bool,
        seed: int,
        block: int | None = None,
    ) -> Units:
        """Choose them for n rows, in numbered groups or not; whether blocks do as well is for the estimator to say."""
        if block is not None:
            return cls(np.arange(n) // block, -(-n // block), f"blocks of {block} consecutive rows")
        if groups is not None:
            found, codes = np.unique(groups, return_inverse=True)
            if len(found) < 2:
                raise errors.InputError(
                    f"groups holds {len(found)} distinct value(s); resampling groups needs at least 2, better 30 or "
                    "more."
                )
            return cls(codes, len(found), "groups")
        if weight is not None and (weight != 1).any():
            if resample == "blocks":
                raise errors.InputError(
                    "resample='blocks': rows of unequal sample_weight would stay together in their blocks, as if they "
                    "were one; use resample='rows', or groups= if they do belong together."
                )
            if round(float(weight.sum())) < 2:
                raise errors.InputError(
                    f"sample_weight adds up to {float(weight.sum()):g}, and as many rows would be drawn: a row "
                    "of weight 2 counts twice. Multiply shares by the number of rows."
                )
            return cls(None, n, "rows", weight / weight.sum(), round(float(weight.sum())))
        if resample == "rows" or n <= ROWS or (resample == "auto" and not blocks):
            return cls(None, n, "rows")
        order = np.random.default_rng([seed, n]).permutation(n)
        labels = np.empty(n, dtype=np.intp)
        labels[order] = np.arange(n) % BLOCKS
        return cls(labels, BLOCKS, f"blocks of {n / BLOCKS:.3g} rows")

    def counts(self, seed: int, b: int) -> np.ndarray:
        """Return how often each unit is drawn in resample b."""
        rng = np.random.default_rng([seed, b])
        size = self.size or self.count
        if self.chance is not None:
            return rng.multinomial(size, self.chance).astype(np.float64)
        return np.bincount(rng.integers(0, self.count, size), minlength=self.count).astype(np.float64)


def numbered(groups: Any, n: int) -> np.ndarray:
    """Return the labels of groups as numbers, one for each of n rows."""
    labels = np.asarray(groups)
    if labels.ndim != 1:
        raise errors.InputError(f"groups has shape {labels.shape} but must be one label for each row, shape ({n},).")
    if len(labels) != n:
        raise errors.lengths_differ("X", n, "groups", len(labels))
    missing = np.array([label is None or label != label for label in labels.tolist()])
    if missing.any():
        raise errors.InputError(
            f"groups has no label in row {int(np.argmax(missing))}; give every row one. A row that belongs "
            "to no other needs its own."
        )
    place: dict[Any, int] = {}  # labels of several kinds cannot be sorted
    return np.array([place.setdefault(label, len(place)) for label in labels.tolist()], dtype=np.intp)


def can_sum(reference: Any) -> bool:
    """Tell whether the estimator can be fitted from sums over its rows, with enough digits."""
    if not hasattr(reference, "fit_moments"):
        return False
    return can_resample(reference.moments_) and reference.spectrum_.condition < CONDITION


def can_climb(reference: Any) -> bool:
    """Tell whether resamples of rows with holes can be fitted from the maximum of the likelihood of all rows.

    Each of them looks at every row, so a table of many rows with few patterns of holes is better off with its patterns.
    """
    return getattr(reference, "_holed_resampler", None) is not None and bool(reference.moments_.n_rows <= ROWS)


def fit_reference(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the fit to all rows."""
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise errors.no_estimator("model", model, "PCA(2)")
    if sample_weight is not None and not _takes_weights(model):
        raise errors.InputError(
            f"sample_weight was given, but {type(model).__name__}.fit does not take it; leave it out, or repeat the "
            "rows that count more."
        )
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    targets = () if y is None else (y,)
    return clone(model).fit(X, *targets, **weights)


def _takes_weights(model: Any) -> bool:
    return "sample_weight" in inspect.signature(model.fit).parameters


def last_step(model: Any) -> Any:
    """Return the estimator itself, or the last step of a pipeline, whose loadings are followed."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _fixed(reference: Any) -> Any:
    """Return a clone that keeps as many components as the fit has."""
    replica = clone(reference)
    if isinstance(getattr(last_step(reference), "n_components", None), str | float):
        last_step(replica).set_params(n_components=len(loadings_of(reference)))
    return replica


def kind_of(model: Any) -> str:
    """Tell what is followed: loadings of columns, scores of classes, or coordinates of rows."""
    model = last_step(model)
    name = next((name for name in LOADINGS if hasattr(model, name)), "")
    return {"scores_": "score", "embedding_": "coordinate"}.get(name, "loading")


def class_names(model: Any) -> list[str]:
    """Return what the rows of `scores_` are called: the classes, or the subclasses of each."""
    classes = [str(label) for label in namespaces.to_numpy(model.classes_)]
    owner = getattr(model, "subclass_classes_", None)
    if owner is None:
        return classes
    place = [int(np.count_nonzero(owner[:i] == k)) + 1 for i, k in enumerate(owner)]
    return [f"{classes[k]} {i}" for k, i in zip(owner, place, strict=True)]


def loadings_of(model: Any) -> np.ndarray:
    """Return components as rows."""
    model = last_step(model)
    for name in LOADINGS:
        if hasattr(model, name):
            found = np.asarray(namespaces.to_numpy(getattr(model, name)), dtype=np.float64)
            return found.T if name in COLUMNS else found
    raise errors.InputError(
        f"model={type(model).__name__}: after fitting it has none of {errors.listed(LOADINGS, 8)}, so there are "
        "no loadings to follow through the resamples; give an estimator that has one of them."
    )


def values_of(model: Any, k: int) -> np.ndarray:
    """Return the eigenvalues of the components, whatever the model calls them; NaN where it has none."""
    model = last_step(model)
    for name in VALUES:
        if hasattr(model, name):
            found = np.asarray(namespaces.to_numpy(getattr(model, name)), dtype=np.float64)[:k]
            break
    else:
        spectrum = getattr(model, "spectrum_", None)
        found = (
            np.zeros(0) if spectrum is None else np.asarray(namespaces.to_numpy(spectrum.values), dtype=np.float64)[:k]
        )
    return np.concatenate([found, np.full(k - len(found), np.nan)])


def has_correlations(model: Any) -> bool:
    """Tell whether the values of the components are correlations."""
    return next((name for name in VALUES if hasattr(last_step(model), name)), "") in CORRELATIONS


# -- resamples ---------------------------------------------------------------------------------------------------


def from_moments(
    reference: Any, block: Block, units: Units, n_boot: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield loadings and eigenvalues of resamples whose moments come from sums over units."""
    moments = reference.moments_
    rows, codes, weight = block.X, None, np.asarray(block.weight)
    if hasattr(moments, "joint"):
        rows = np.column_stack([block.X, np.asarray(block.y)])
    elif hasattr(moments, "groups"):
        codes = np.asarray(block.y, dtype=np.intp)
        labels = codes if block.classes is None else np.asarray(block.classes)[codes]
        codes = np.unique(labels, return_inverse=True)[1]  # the order of moments, whatever that of the classes
    if units.chance is not None:  # a row of weight 2 is drawn twice as often, and then counts once
        weight = np.ones(len(weight))
    kind = getattr(reference, "_holed_resampler", None) or Resampler
    sums = kind(moments, rows, codes, weight, units.labels)
    replica, k = _fixed(reference), len(loadings_of(reference))
    batch = max(1, min(n_boot, BATCH // (8 * (sums.n_units + sums.q**2))))
    done, drawn_so_far, cause = 0, 0, None
    while done < n_boot:
        size = min(batch, n_boot - done)
        counts = np.stack([units.counts(seed, drawn_so_far + i) for i in range(size)])
        drawn_so_far += size
        for drawn in sums.draw(counts):
            found = LOST if drawn is None else _refitted(partial(replica.fit_moments, drawn), k)
            if isinstance(found, Exception):
                cause = found
            else:
                done += 1
                yield found
        if cause is not None and drawn_so_far > PATIENCE * n_boot + 100:
            raise _replicates_failed(drawn_so_far - done, n_boot, cause)


def _refitted(fit: Callable[[], Any], k: int) -> tuple[np.ndarray, np.ndarray] | Exception:
    """Return loadings and eigenvalues of a fit; where it fails or has lost a direction, what went wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.EigenlensWarning)
            model = fit()
    except (ValueError, np.linalg.LinAlgError) as error:
        return error
    found = loadings_of(model)
    return LOST if len(found) < k else (found[:k], values_of(model, k))


def from_rows(
    reference: Any, X: Any, y: Any, weight: np.ndarray | None, units: Units, n_boot: int, seed: int, n_jobs: int | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield loadings and eigenvalues of resamples that are fitted from rows."""
    from joblib import Parallel, delayed

    replica, k = _fixed(reference), len(loadings_of(reference))
    work = Parallel(n_jobs=n_jobs, return_as="generator")
    yield from work(delayed(_one)(replica, X, y, weight, units, seed, b, k) for b in range(n_boot))


def _one(
    replica: Any, X: Any, y: Any, weight: np.ndarray | None, units: Units, seed: int, b: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Fit one resample, drawn again where it cannot be fitted."""
    cause: Exception = LOST
    for attempt in range(PATIENCE):
        times = units.counts(seed, b + attempt * 2**32)
        if units.labels is not None:
            times = times[units.labels] if weight is None else times[units.labels] * weight
        found = _refitted(partial(_fit_rows, clone(replica), X, y, times), k)
        if not isinstance(found, Exception):
            return found
        cause = found
    raise _replicates_failed(PATIENCE, 1, cause)


def _fit_rows(model: Any, X: Any, y: Any, times: np.ndarray) -> Any:
    targets = () if y is None else (y,)
    if _takes_weights(model):
        return model.fit(X, *targets, sample_weight=times)
    rows = np.repeat(np.arange(len(times)), times.astype(np.intp))
    return model.fit(_safe_indexing(X, rows), *(_safe_indexing(t, rows) for t in targets))


def _replicates_failed(failed: int, n_boot: int, cause: Exception) -> errors.InputError:
    return errors.InputError(
        f"{failed} resamples could not be fitted before {n_boot} were done, the last because: {cause} "
        f"Rows, or groups of them, are too few to leave some out; use larger groups, or fewer components."
    )
