"""Which rows are scored together: folds dealt by a rule that every kind of source can follow, or given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import is_number, seed_of
from ..rows import Block
from ..rows.sampled_rows import mixed

FEWEST, MOST = 2, 1000  # folds: each has moments of its own
MANY_GROUPS = 1000  # from which scikit-learn takes long to deal them by class


@dataclass(frozen=True)
class DealtFolds:
    """Rows are dealt to folds one after the other, from a place that changes every `n_folds` rows.

    The fold of a row depends on its number, on the seed and on its class alone. So a file that is read in pieces has
    the folds of the table in memory, and neighbours of one class are in different folds.
    """

    n_folds: int
    seed: int
    by_class: bool = True

    def __call__(self, block: Block) -> np.ndarray:
        assert block.numbers is not None
        numbers = block.numbers.astype(np.uint64)
        rounds = numbers // np.uint64(self.n_folds)
        start = mixed(mixed(rounds) ^ np.uint64(self.seed % 2**64))
        if self.by_class and block.classes is not None and block.y is not None:
            codes = namespaces.to_numpy(block.y)
            keys = np.array([_key(label) for label in block.classes.tolist()], dtype=np.uint64)
            start = mixed(start ^ np.where(codes >= 0, keys[codes], np.uint64(0)))
        return ((numbers + start % np.uint64(self.n_folds)) % np.uint64(self.n_folds)).astype(np.intp)


@dataclass(frozen=True, eq=False)
class GivenFolds:
    """The fold of each row, by its number; −1 for rows that are never scored."""

    n_folds: int
    folds: np.ndarray

    def __call__(self, block: Block) -> np.ndarray:
        assert block.numbers is not None
        if len(block.numbers) and int(block.numbers[-1]) >= len(self.folds):
            raise errors.InputError(
                f"cv holds a fold for each of {len(self.folds)} rows, but X has more; give one number for each row."
            )
        return self.folds[block.numbers]


Folds = DealtFolds | GivenFolds


def read_cv(cv: Any, random_state: Any, by_class: bool) -> Folds | None:
    """Return folds that are known without rows: a number of them, or one number for each row. None for splitters."""
    if is_number(cv, integer=True):
        if not FEWEST <= cv <= MOST:
            raise errors.number(
                "cv", cv, f"a number of folds from {FEWEST} to {MOST}, a splitter, or folds of the rows"
            )
        return DealtFolds(int(cv), seed_of(random_state), by_class)
    if isinstance(cv, str) or cv is None or is_number(cv):
        raise errors.number_kind(
            "cv", cv, "a number of folds, a splitter of scikit-learn, or one fold number for each row"
        )
    if hasattr(cv, "split"):
        return None
    values = np.asarray(cv if hasattr(cv, "shape") or not isinstance(cv, Iterable) else _listed(cv))
    if values.ndim == 1 and values.dtype.kind in "iu":
        return of_numbers(values)
    if values.ndim == 1 and values.dtype.kind in "fOUSb":
        raise errors.number_kind("cv", cv, "whole numbers, the fold of each row, counted from 0")
    return None


def _listed(cv: Any) -> Any:
    cv = list(cv)
    if cv and isinstance(cv[0], tuple):  # pairs (train, test)
        return np.empty((0, 2))
    return cv


def of_numbers(values: np.ndarray) -> GivenFolds:
    """Return the folds of rows that are numbered by hand; −1 is never scored."""
    if len(values) == 0 or values.min() < -1 or values.max() < 0:
        raise errors.InputError("cv: folds are numbered from 0, and −1 is for rows that are never scored.")
    scored = values >= 0
    numbers, places = np.unique(values[scored], return_inverse=True)  # folds may be numbered with gaps
    folds = np.full(len(values), -1, dtype=np.intp)
    folds[scored] = places
    n_folds = len(numbers)
    if n_folds == 1 and (values >= 0).all():
        raise errors.InputError("cv: one fold holds every row, so none are left to fit to; use two folds or more.")
    return GivenFolds(n_folds, folds)


def of_splits(splits: list[tuple[np.ndarray, np.ndarray]], n: int) -> GivenFolds | None:
    """Return splits as folds, where each is fitted to all rows that it does not score, and scores none twice."""
    folds, always = np.full(n, -1), np.ones(n, dtype=bool)
    for k, (_, test) in enumerate(splits):
        if (folds[test] >= 0).any():
            return None
        folds[test], always[test] = k, False
    for _, (train, test) in enumerate(splits):
        if len(train) + len(test) != n:
            return None
    return GivenFolds(len(splits), folds)


def split_rows(y: np.ndarray, by_class: bool, n_folds: int, seed: int, groups: np.ndarray | None = None) -> np.ndarray:
    """Return the fold of each row in memory, by scikit-learn's splitters.

    Classes are spread over the folds; one with fewer rows than folds lowers their number. Rows that belong together
    (`Units.codes`) are in one fold; many groups are dealt without regard to classes, which are spread then anyway.
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    found, rows = np.empty(len(y), dtype=np.intp), np.zeros(len(y))
    most = fewest_of_class(y, groups) if by_class else len(y if groups is None else np.unique(groups))
    many = groups is not None and len(np.unique(groups)) > MANY_GROUPS
    kinds = (KFold, GroupKFold) if not by_class or many else (StratifiedKFold, StratifiedGroupKFold)
    splitter = kinds[groups is not None](max(min(n_folds, most), FEWEST), shuffle=True, random_state=seed)
    for k, (_, test) in enumerate(splitter.split(rows, y if by_class else None, groups)):
        found[test] = k
    return found


def fewest_of_class(y: np.ndarray, groups: np.ndarray | None = None) -> int:
    """Return the rows, or the groups, of the class that has the fewest."""
    if groups is None:
        return int(np.unique(y, return_counts=True)[1].min())
    return min(len(np.unique(groups[y == label])) for label in np.unique(y))


def unseen(classes: set[Any], seen: list[set[Any]]) -> str:
    """Tell which classes lie in one fold only, so that models that score it have not seen them.

    Parameters
    ----------
    classes : set
        Of all rows.
    seen : list of sets
        Those of the rows that the models of each fold were fitted to.
    """
    alone = sorted({str(errors.plain(label)) for labels in seen for label in classes - labels})
    if not alone:
        return ""
    which, it = f"Class {alone[0]!r} lies", "it"
    if len(alone) > 1:
        which, it = f"Classes {errors.listed(map(repr, alone))} lie", "them"
    return (
        f"{which} in one fold only, so models that score {it} have not seen {it}; give each fold rows of every class."
    )


def _key(label: Any) -> int:
    """Return a number for a label that does not depend on how a file or an array holds it."""
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return int.from_bytes(blake2b(str(label).encode(), digest_size=8).digest(), "little")
