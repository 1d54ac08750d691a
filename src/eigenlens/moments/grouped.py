"""Moments per class or slice: one of any kind per group, or group means with one pooled scatter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from .base import Composed, Moments
from .centred import Centred, Scatter
from .centring import Codes
from .form import Form
from .higher import Quartic
from .patterns import Patterns


def _with_patterns_together(old: Grouped) -> None:
    """Put together the patterns of all groups, which older files keep one by one."""
    if old.of is not Patterns or old.pooled:
        return
    old.pooled = True
    if old.groups:
        first, *others = [part.regrouped(np.array([k]), len(old.groups)) for k, part in enumerate(old.groups)]
        for part in others:
            first.merge(part)
        old.groups = [first]


@stored("moments.Grouped", renamed={"_known": None}, upgrade=_with_patterns_together)
class Grouped(Composed):
    """Moments of labelled rows, the labels found on the way.

    Parameters
    ----------
    of : {Scatter, Factor, Quartic, Patterns}
        What is kept.
    pooled : bool
        Keep one scatter, pooled over the groups, and the group means: memory K·p + p². Otherwise keep one for each
        group: memory K·p².
    meaning : object, optional
        What makes a label the same label elsewhere, such as the cuts of a sliced response; moments of different meaning
        do not merge.

    Attributes
    ----------
    labels : ndarray of shape (K,)
        The labels seen, sorted.
    groups : list of Centred
        One per label, or the one that all groups share.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA
    >>> moments = LDA().fit(*load_iris(return_X_y=True)).moments_
    >>> moments.weights
    array([50., 50., 50.])
    """

    def __init__(self, of: type[Centred] = Scatter, pooled: bool = True, meaning: Any = None) -> None:
        self.of, self.meaning = of, meaning
        self.pooled = pooled or of is Patterns  # which keep groups apart themselves
        self.labels: np.ndarray = np.array([])
        self.groups: list[Centred] = []
        self._first: Any = None
        self._joined: tuple[Any, Centred] | None = None  # the groups that `within` has joined, and what came of it

    def anchored(self, first: Block) -> Self:
        new = type(self)(self.of, self.pooled, self.meaning)
        new._first = first.X[0, :]
        return new

    def update(self, block: Block) -> Self:
        if block.X.shape[0] == 0:
            return self
        if self._first is None:
            self._anchor(block)
        codes = self._own_codes(block)
        if self.pooled:
            shared = self.groups[0]
            shared = shared.copy() if shared.n_rows else shared  # which `_own_codes` has just made
            self.groups = [shared.update_groups(block.X, block.weight, codes)]
            return self
        groups = list(self.groups)
        for k, rows in block.split(codes):
            groups[k] = groups[k].copy().update(rows)
        self.groups = groups
        return self

    order: np.ndarray | None = None  # of the classes, where they are categories of a data frame

    def _join_names(self, other: Moments) -> None:
        super()._join_names(other)
        if self.order is None:
            self.order = getattr(other, "order", None)

    def _join(self, other: Self) -> None:
        if self._first is None:
            self._first = other._first
        if self.pooled != other.pooled:
            raise errors.moments_differ("pooled", self.pooled, other.pooled)
        if len(self.labels) == 0:
            self.meaning = other.meaning
        if self.meaning != other.meaning:
            raise _meanings_differ(self.meaning, other.meaning)
        places = self._places(other.labels)
        if self.pooled:
            theirs = other.groups[0].regrouped(places, len(self.labels))
            self.groups = [self.groups[0].copy().merge(theirs) if self.groups else theirs]
        else:
            groups = list(self.groups)
            for place, group in zip(places, other.groups, strict=True):
                groups[place] = groups[place].copy().merge(group)
            self.groups = groups

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        assert isinstance(needed, Grouped)
        if self.pooled and not needed.pooled:
            return "one scatter for each group", "one pooled scatter"
        if needed.of is Quartic and self.of is not Quartic:
            return "fourth moments", "none"
        return None

    @property
    def _parts(self) -> list[Any]:
        return self.groups

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = self.copy()
        new.groups, new._joined = [of_moments(group) for group in self.groups], None
        if new.groups:
            new._first = new.groups[0].pivot
        return new

    def brought_to(self, like: Array) -> Self:
        new = super().brought_to(like)
        new._first = None if self._first is None else namespaces.like(self._first, like)
        return new

    def _details(self) -> str:
        kept = f"{self.of.__name__.lower()}, {'pooled' if self.pooled else 'one for each'}"
        return f" in {len(self.labels)} group{'s' if len(self.labels) > 1 else ''} ({kept})"

    def _means(self) -> dict[str, np.ndarray]:
        if self.of is Patterns:
            return {}
        means = namespaces.to_numpy(self.within().means)
        return {str(label): mean for label, mean in zip(self.labels, means, strict=True)}

    def _own_codes(self, block: Block) -> Codes:
        """Translate a block's codes to places in `labels`, adding new labels."""
        assert block.classes is not None
        known = self._known(block.classes)
        if (known < 0).any():
            runs = block.runs
            present = np.unique(namespaces.to_numpy(block.y)) if runs is None else np.array([k for k, _, _ in runs])
            self._places(block.classes[present])
            known = self._known(block.classes)
        if block.runs is not None:
            return tuple((int(known[k]), a, b) for k, a, b in block.runs)
        if np.array_equal(known, np.arange(len(known))):
            return block.y
        return namespaces.take_rows(namespaces.like(known, block.X), block.y)

    def _known(self, classes: np.ndarray) -> np.ndarray:
        """Return the places of classes among the labels, −1 for those not seen."""
        if len(self.labels) == 0:
            return np.full(len(classes), -1)
        nearest = np.minimum(np.searchsorted(self.labels, classes), len(self.labels) - 1)
        return np.where(self.labels[nearest] == classes, nearest, -1)

    def _places(self, labels: np.ndarray) -> np.ndarray:
        """Return the places of these labels, after making room for new ones."""
        if len(self.labels) and not _of_one_kind(self.labels.dtype, labels.dtype):
            raise errors.moments_differ("the kind of labels", self.labels.dtype.name, labels.dtype.name)
        union = np.union1d(self.labels, labels) if len(self.labels) else np.unique(labels)
        if len(union) != len(self.labels):
            old = np.flatnonzero(np.isin(union, self.labels))
            if self.pooled and self.groups:
                self.groups = [self.groups[0].regrouped(old, len(union))]
            elif self.pooled:
                self.groups = [self.of().anchored_at(self._first, len(union))]
            else:
                groups = [self.of().anchored_at(self._first)] * len(union)
                for place, group in zip(old, self.groups, strict=True):
                    groups[place] = group
                self.groups = groups
            self.labels = union
        return np.searchsorted(self.labels, labels)

    @property
    def n_features(self) -> int:
        if self._first is None:
            raise errors.empty_moments()
        return int(self._first.shape[0])

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether `update` takes blocks whose rows are sparse."""
        return self.of.takes_sparse

    @property
    def weights(self) -> np.ndarray:
        """Total weight of each group."""
        return np.concatenate([np.zeros(0), *(group.group_weights for group in self.groups)])

    def within(self, shares: np.ndarray | None = None) -> Centred:
        """Return group weights and means with one within-group sum of squares Σ shareₖ Tₖ.

        Parameters
        ----------
        shares : ndarray of shape (K,), optional
            1 for each group if not given; pooled moments allow nothing else.
        """
        if self.pooled:
            assert shares is None
            return self.groups[0]
        if shares is None:
            if self._joined is None or self._joined[0] is not self.groups:
                self._joined = (self.groups, self._summed(np.ones(len(self.groups))))
            return self._joined[1]
        return self._summed(shares)

    def _summed(self, shares: np.ndarray) -> Centred:
        pivot = self.groups[0].pivot
        parts = [group.moved_to(pivot) for group in self.groups]
        exponent = exponents.common([part.exponent_or_free() for part in parts])
        parts = [part.rescaled(exponent) for part in parts]
        new = parts[0].copy()
        new.weights = self.weights
        new.shift = namespaces.namespace(pivot).concat([part.shift for part in parts], axis=0)
        squares = any(part.store.factor is None for part in parts)  # which rows can join, and not the other way round
        first = Form(matrix=parts[0].store.dense()) if squares else parts[0].store
        new.store = first.times(float(shares[0]))
        for part, share in zip(parts[1:], shares[1:], strict=True):
            new.store = new.store.plus(part.store.times(float(share)))
        new.n_rows = sum(part.n_rows for part in parts)
        return new

    @property
    def scalable(self) -> bool:
        return all(group.scalable for group in self.groups)

    @property
    def inner(self) -> Moments | None:
        return self.groups[0] if self.pooled and self.groups else None

    def holding(self, of: type[Centred], groups: list[Any], pooled: bool = False) -> Self:
        """Return the same labels over other moments, about the pivot of these."""
        new = type(self)(of, pooled, self.meaning)
        new.labels, new.groups, new._first, new.names = self.labels, groups, groups[0].pivot, self.names
        return new

    def ordered(self, order: np.ndarray) -> Self:
        """Return these moments with labels in a given order, others after them: to be solved, not to be merged."""
        rank = {label: place for place, label in enumerate(order.tolist())}
        ranks = [rank.get(label, len(rank)) for label in self.labels.tolist()]
        places = np.argsort(ranks, kind="stable")
        new = self.copy()
        new.labels, new._joined = self.labels[places], None
        if self.pooled:
            new.groups = [group.regrouped(np.argsort(places), len(places)) for group in self.groups]
        else:
            new.groups = [self.groups[k] for k in places]
        return new

    def joined(self, places: np.ndarray, labels: np.ndarray, meaning: Any = None) -> Self:
        """Return the moments of larger groups, of pooled ones.

        Parameters
        ----------
        places : ndarray of shape (K,)
            For each group, the place of the one that it becomes a part of.
        labels : ndarray
            Of the larger groups; none of them is empty.
        meaning : object, optional
            Of these labels.
        """
        new = self.holding(self.of, [_gathered(self.within(), places, len(labels))], self.pooled)
        new.labels, new.meaning = labels, meaning
        return new

    def total(self) -> Centred:
        within = self.within()
        return within.about(namespaces.like(self.weights / self.weight, within.shift) @ within.shift)


def _of_one_kind(a: np.dtype, b: np.dtype) -> bool:
    """Return whether one array can hold labels of both types unchanged."""
    if a.kind in "biuf" and b.kind in "biuf":
        return np.result_type(a, b).kind in (a.kind, b.kind)
    return (a.kind in "biuf") == (b.kind in "biuf")


def _gathered(moments: Centred, places: np.ndarray, count: int) -> Centred:
    """Return fewer groups, each of all that have its place; what lies between means joins the sum of squares."""
    new, weights = moments.copy(), np.zeros(count)
    np.add.at(weights, places, moments.weights)
    share = np.zeros((count, len(places)))
    share[places, np.arange(len(places))] = moments.weights / weights[places]
    means = namespaces.like(share, moments.shift) @ moments.shift
    apart = moments.shift - namespaces.take_rows(means, namespaces.like(places, means))
    new.weights, new.shift = weights, means
    new._take_in(apart * namespaces.like(np.sqrt(moments.weights), moments.shift)[:, None])
    return new


def _meanings_differ(ours: Any, theirs: Any) -> errors.InputError:
    said = ["labels as given" if meaning is None else str(meaning) for meaning in (ours, theirs)]
    return errors.InputError(
        f"These moments cannot be merged: their groups have different meanings ({said[0]}; {said[1]}). Slice both "
        "sides alike: give the cuts, n_slices=[cut, cut, …], or the labels, slices=."
    )
