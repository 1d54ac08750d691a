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
from ..arrays.namespaces import floats
from ..drawing import column_names
from ..moments.resampled import Resampler, can_resample
from ..rows import Block
from .units import Units

COLUMNS = ("scalings_", "x_weights_", "scores_", "embedding_")  # whose components are columns
LOADINGS = ("components_", *COLUMNS)
CORRELATIONS = ("correlations_", "canonical_correlations_")
VALUES = ("explained_variance_", "eigenvalues_", *CORRELATIONS)
ROWS, BLOCKS = 2000, 1000  # tables of more rows are dealt to so many blocks; smaller ones are drawn row by row
LOST = ValueError("a class or a direction was lost.")
PATIENCE = 10  # resamples drawn for each that is wanted, before it is given up


@dataclass
class Draws:
    """What is drawn with replacement: the unit of each row, or (None) the rows themselves."""

    labels: np.ndarray | None
    count: int
    name: str
    chance: np.ndarray | None = None  # unequal where rows have weights
    size: int = 0  # how many are drawn, where not as many as there are

    @classmethod
    def of(cls, units: Units, resample: str, weight: np.ndarray | None, blocks: bool, seed: int) -> Draws:
        """Choose them; whether blocks of rows that do not belong together do as well is for the estimator to say."""
        n, codes = units.n, units.codes
        if codes is not None:
            name = "groups" if units.block == 1 else f"blocks of {units.block} consecutive rows"
            return cls(codes, int(codes.max()) + 1, name)
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


def can_sum(reference: Any) -> bool:
    """Tell whether the estimator can be fitted from sums over its rows, with enough digits."""
    if not hasattr(reference, "fit_moments"):
        return False
    digits = reference.spectrum_.condition < 1e6  # sums of products have too few for the weakest direction beyond
    return can_resample(reference.moments_) and digits


def can_climb(reference: Any) -> bool:
    """Tell whether resamples of rows with missing cells can be fitted from the maximum of the likelihood of all rows.

    Each of them looks at every row, so a table of many rows with few patterns of missing cells is better off with
    these.
    """
    return getattr(reference, "_holed_resampler", None) is not None and bool(reference.moments_.n_rows <= ROWS)


def fit_reference(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Return the fit to all rows."""
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        what = f"the class {model.__name__}" if isinstance(model, type) else errors.shortened(model)
        raise errors.InputTypeError(f"model is {what}, but it must be an estimator; give an instance, such as PCA(2).")
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


class Followed:
    """What a bootstrap follows through resamples: loadings and values, under the names that the fit has for them.

    Parameters
    ----------
    reference : fitted estimator
        Or a pipeline, of which the last step is followed.
    """

    def __init__(self, reference: Any) -> None:
        self.model = _last_step(reference)
        self._loadings = _first_of(self.model, LOADINGS)
        self._values = _first_of(self.model, VALUES)
        if not self._loadings:
            raise errors.InputError(
                f"model={type(self.model).__name__}: after fitting it has none of {errors.listed(LOADINGS, 8)}, so "
                "there are no loadings to follow through the resamples; give an estimator that has one of them."
            )
        self.kind = {"scores_": "score", "embedding_": "coordinate"}.get(self._loadings, "loading")
        self.has_correlations = self._values in CORRELATIONS
        self.loadings = self._loadings_of(reference)
        self.values = self._values_of(reference)
        self.replica = clone(reference)  # it keeps as many components as the fit has
        if isinstance(getattr(self.model, "n_components", None), str | float):
            _last_step(self.replica).set_params(n_components=len(self.loadings))

    def found(self, fit: Callable[[], Any]) -> tuple[np.ndarray, np.ndarray] | Exception:
        """Return loadings and values of a fit; where it fails or has lost a direction, what went wrong."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", errors.EigenlensWarning)
                model = fit()
        except (ValueError, np.linalg.LinAlgError) as error:
            return error
        loadings, k = self._loadings_of(model), len(self.loadings)
        return LOST if len(loadings) < k else (loadings[:k], self._values_of(model))

    def _loadings_of(self, model: Any) -> np.ndarray:
        found = floats(getattr(_last_step(model), self._loadings))
        return found.T if self._loadings in COLUMNS else found

    def _values_of(self, model: Any) -> np.ndarray:
        """Return the eigenvalues of the components, whatever the model calls them; NaN where it has none."""
        model, k = _last_step(model), len(self.loadings)
        spectrum = getattr(model, "spectrum_", None)
        own = getattr(model, self._values) if self._values else () if spectrum is None else spectrum.values
        found = floats(own)[:k]
        return np.concatenate([found, np.full(k - len(found), np.nan)])

    def names(self, reference: Any) -> list[str]:
        """Return what each of the p numbers of a component belongs to: a column, a class, or a row of a map."""
        p = self.loadings.shape[1]
        if self.kind == "coordinate":
            return [f"row {i}" for i in range(p)]
        if self.kind == "score":
            return _class_names(self.model)
        names = column_names(self.model if hasattr(self.model, "feature_names_in_") else reference, p)
        return names if len(names) == p else column_names(None, p)

    def metric(self) -> np.ndarray | None:
        """Return the covariance of the columns, where the fit has kept it."""
        moments, p = getattr(self.model, "_whole_moments", None), self.loadings.shape[1]
        if moments is None:
            return None
        total = moments.total()
        if not hasattr(total, "matrix") or getattr(total, "exponent", 0) is not None:
            return None
        S, scale = floats(total.matrix)[:p, :p], getattr(self.model, "scale_", None)
        if scale is not None:  # loadings of columns that were divided
            S = S / floats(scale) / floats(scale)[:, None]
        return S / float(np.trace(S)) if S.shape == (p, p) and np.trace(S) > 0 else None


def _last_step(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _first_of(model: Any, names: tuple[str, ...]) -> str:
    return next((name for name in names if hasattr(model, name)), "")


def _class_names(model: Any) -> list[str]:
    """Return what the rows of `scores_` are called: the classes, or the subclasses of each."""
    classes = [str(label) for label in namespaces.to_numpy(model.classes_)]
    owner = getattr(model, "subclass_classes_", None)
    if owner is None:
        return classes
    place = [int(np.count_nonzero(owner[:i] == k)) + 1 for i, k in enumerate(owner)]
    return [f"{classes[k]} {i}" for k, i in zip(owner, place, strict=True)]


# -- resamples ---------------------------------------------------------------------------------------------------


def from_moments(
    reference: Any, followed: Followed, block: Block, draws: Draws, n_boot: int, seed: int
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
    if draws.chance is not None:  # a row of weight 2 is drawn twice as often, and then counts once
        weight = np.ones(len(weight))
    kind = getattr(reference, "_holed_resampler", None) or Resampler
    sums = kind(moments, rows, codes, weight, draws.labels)
    batch = max(1, min(n_boot, 2**23 // (sums.n_units + sums.q**2)))  # numbers held at a time
    done, drawn_so_far, cause = 0, 0, None
    while done < n_boot:
        size = min(batch, n_boot - done)
        counts = np.stack([draws.counts(seed, drawn_so_far + i) for i in range(size)])
        drawn_so_far += size
        for drawn in sums.draw(counts):
            found = LOST if drawn is None else followed.found(partial(followed.replica.fit_moments, drawn))
            if isinstance(found, Exception):
                cause = found
            else:
                done += 1
                yield found
        if cause is not None and drawn_so_far > PATIENCE * n_boot + 100:
            raise _replicates_failed(drawn_so_far - done, n_boot, cause)


def from_rows(
    followed: Followed,
    X: Any,
    y: Any,
    weight: np.ndarray | None,
    draws: Draws,
    n_boot: int,
    seed: int,
    n_jobs: int | None,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield loadings and eigenvalues of resamples that are fitted from rows."""
    from joblib import Parallel, delayed

    work = Parallel(n_jobs=n_jobs, return_as="generator")
    yield from work(delayed(_one)(followed, X, y, weight, draws, seed, b) for b in range(n_boot))


def _one(
    followed: Followed, X: Any, y: Any, weight: np.ndarray | None, draws: Draws, seed: int, b: int
) -> tuple[np.ndarray, np.ndarray]:
    """Fit one resample, drawn again where it cannot be fitted."""
    cause: Exception = LOST
    for attempt in range(PATIENCE):
        times = draws.counts(seed, b + attempt * 2**32)
        if draws.labels is not None:
            times = times[draws.labels] if weight is None else times[draws.labels] * weight
        found = followed.found(partial(_fit_rows, clone(followed.replica), X, y, times))
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
