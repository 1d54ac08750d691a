"""Moments of rows with holes: weight, mean and a factor of the scatter for each pattern of observed columns.

The likelihood of a normal sample with cells missing at random depends on the rows only through these, and they merge
like all moments. Rows may come from groups; a pattern of a group is a *stratum*. A stratum keeps its centred rows while
they are fewer than its columns, and their triangular factor afterwards: a survey in which no two rows have the same
holes needs no more memory than its rows, a panel with a few patterns no more than those.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

import numpy as np

from ..arrays import errors, exponents, linalg, memory, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from .base import AboutPivot
from .centring import Codes, centre_block

TALL = 4  # rows for each pattern from which these are taken run by run
SQUARED = 2  # rows for each column from which a product is a cheaper way to a triangle than reflections
SOUND = 0.03  # smallest pivot of a correlation matrix that shows that the product kept the digits
ASKED_CELLS = 2**24  # cells from which memory is asked for before it is taken


def _with_groups(old: Patterns) -> None:
    """Give patterns from older files their group: there was one."""
    if hasattr(old, "masks") and not hasattr(old, "group"):
        old.group, old.group_rows = np.zeros(len(old.masks), dtype=np.intp), np.array([old.n_rows])


@stored("moments.Patterns", upgrade=_with_groups)
class Patterns(AboutPivot):
    """Weight, mean and factor of the observed columns, for each pattern of holes, in each group if there are groups.

    `Grouped(Patterns)` finds the groups, and `Cross(Patterns)` keeps two tables side by side. Arrays of other libraries
    are brought to the host.

    Attributes
    ----------
    masks : ndarray of bool, shape (P, p)
        Which columns each stratum observes; those of a group differ, and each observes something.
    group : ndarray of int, shape (P,)
        The group of each stratum.
    weights : ndarray of shape (P,)
    pivot : ndarray of shape (p,)
        In the units of the data; NaN for columns that no row has observed yet.
    shift : ndarray of shape (P, p)
        Means minus the pivot, over 2^exponent; zero where nothing is observed.
    exponent : ndarray of int, shape (p,), or None
        Power of two taken out of each column; None where none is.
    rows : ndarray of shape (R, p)
        Factors F of all strata, FᵀF = Σ w (x − m)(x − m)ᵀ, over 2^exponent; zero where nothing is observed.
    owner : ndarray of int, shape (R,)
        The stratum that each of these rows belongs to, ascending.
    group_rows : ndarray of int, shape (G,)
        Rows seen of each group that observe something.
    n_rows : int
        The same of all groups.
    n_blank : int
        Rows seen that observe nothing: they do not count.
    dtype : dtype
        Of the rows seen, and so of results.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Patterns
    >>> from eigenlens.rows import Block
    >>> nan = np.nan
    >>> X = np.array([[0.0, 1.0], [2.0, nan], [4.0, 7.0], [6.0, nan], [nan, nan]])
    >>> moments = Patterns().update(Block(X[:2])).merge(Patterns().update(Block(X[2:])))
    >>> moments
    <Patterns: 4 rows of 2 columns, 2 patterns>
    >>> moments.means
    array([[ 4., nan],
           [ 2.,  4.]])
    """

    squared = False
    pivot: np.ndarray
    masks: np.ndarray
    group: np.ndarray
    group_rows: np.ndarray
    weights: np.ndarray
    shift: np.ndarray
    rows: np.ndarray
    owner: np.ndarray
    dtype: Any

    def __init__(self) -> None:
        self.n_rows = self.n_blank = 0

    def _details(self) -> str:
        return f", {len(distinct(self.masks)[0])} patterns"

    def anchored_at(self, row: Array, n_groups: int = 1) -> Self:
        """Return empty moments with `row` as the pivot; NaN in it is filled when the column is first observed."""
        new = type(self)()
        host = namespaces.to_numpy(row)
        p = host.shape[0]
        new.dtype, new.pivot = host.dtype, np.array(host, dtype=np.float64)
        new.masks, new.weights, new.shift = np.zeros((0, p), dtype=bool), np.zeros(0), np.zeros((0, p))
        new.rows, new.owner, new.group = np.zeros((0, p)), np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        new.group_rows = np.zeros(n_groups, dtype=np.intp)
        return new

    @property
    def weight(self) -> float:
        return float(self.weights.sum()) if hasattr(self, "pivot") else 0.0

    @property
    def group_weights(self) -> np.ndarray:
        """Total weight of each group."""
        return np.bincount(self.group, self.weights, minlength=len(self.group_rows))

    @property
    def complete(self) -> bool:
        """Whether no cell is missing."""
        return bool(self.masks.all())

    @property
    def means(self) -> np.ndarray:
        """Mean of each stratum, in the units of the data; NaN where nothing is observed."""
        means = self.pivot + self.shift * exponents.units(self.exponent, self.pivot)
        return np.where(self.masks, means, np.nan)

    def update_groups(self, X: Array, weight: Array | None, codes: Codes) -> Self:
        """Take in rows whose groups are given by codes."""
        if X.shape[1] != self.n_features:
            raise errors.moments_differ("the number of columns", self.n_features, X.shape[1])
        host = namespaces.to_numpy(namespaces.dense(X))
        w = None if weight is None else np.asarray(namespaces.to_numpy(weight), dtype=np.float64)
        return self.merge(self.of_rows(host, w, _group_of_rows(codes, len(host)))._united())

    def of_rows(self, X: np.ndarray, weight: np.ndarray | None, group: np.ndarray | None) -> Self:
        """Return these rows about this pivot, every one that observes something a stratum of its own."""
        part = type(self)().anchored_at(self.pivot, len(self.group_rows))
        part.dtype = np.result_type(X.dtype, self.dtype)
        seen = ~np.isnan(X)
        something = seen.any(axis=1)
        if not something.all():
            part.n_blank = int(len(X) - something.sum())
            X, seen = X[something], seen[something]
            weight, group = (None if values is None else values[something] for values in (weight, group))
        part.masks, part.n_rows, part.pivot = seen, len(X), _filled_pivot(self.pivot, X, seen)
        part.weights = np.ones(len(X)) if weight is None else weight
        part.group = np.zeros(len(X), dtype=np.intp) if group is None else group
        part.group_rows = np.bincount(part.group, minlength=len(self.group_rows))
        part.shift = X - part.pivot
        np.copyto(part.shift, 0.0, where=~seen)
        return part.rescaled(exponents.common([exponents.column_exponents(part.shift)]))

    def _united(self) -> Self:
        """Unite strata of a group that observe the same columns."""
        if len(self.masks) == 0:
            return self
        first, codes = distinct(self.masks, self.group if len(self.group_rows) > 1 else None)
        counts = np.bincount(codes)
        weight, X, owner = (None if (self.weights == 1).all() else self.weights), self.shift, codes
        if len(counts) > 1:
            order = _sorting(codes, len(counts))
            X, owner, weight = X.take(order, axis=0), codes[order], None if weight is None else weight[order]
        groups: Codes = owner
        ends = np.cumsum(counts)
        if weight is None and len(X) >= TALL * len(counts):  # rows of a stratum lie together: no need to look them up
            groups = tuple(zip(range(len(counts)), (ends - counts).tolist(), ends.tolist(), strict=True))
        block = centre_block(X, weight, groups, len(counts), np.zeros(self.n_features), exact=True)
        rows = block.rows
        if (counts == 1).any():  # the row of a stratum with one row is its mean
            several = counts[owner] > 1
            rows, owner = rows[several], owner[several]
        if len(self.rows):
            owner = np.concatenate([codes[self.owner], owner])
            rows = np.concatenate([self.rows, rows])
        self.masks, self.group = self.masks[first], self.group[first]
        self.weights, self.shift = block.weights, np.where(self.masks, block.shift, 0.0)
        self._hold(rows, owner)
        return self._compacted()

    def _hold(self, rows: np.ndarray, owner: np.ndarray) -> None:
        """Keep rows of strata in the order of these."""
        if (np.diff(owner) < 0).any():
            order = np.argsort(owner, kind="stable")
            rows, owner = rows[order], owner[order]
        self.rows, self.owner = rows, owner

    @property
    def _has_seen(self) -> bool:
        return hasattr(self, "pivot")

    def _join(self, other: Self) -> None:
        if not hasattr(self, "pivot") or (self.n_rows == 0 and other.n_rows):
            n_blank = self.n_blank + other.n_blank
            self.__dict__.update(other.copy().__dict__)
            self.n_blank = n_blank
            return
        self.n_blank += other.n_blank
        if other.n_rows == 0:
            return
        _require_room(self, other)
        exponent = self.joint_exponent(other)
        pivot = np.where(np.isnan(self.pivot), other.pivot, self.pivot)
        a, b = (part.rescaled(exponent).moved_to(pivot) for part in (self, other))
        for name in ("masks", "group", "weights", "shift", "rows"):
            setattr(self, name, np.concatenate([getattr(a, name), getattr(b, name)]))
        self.owner = np.concatenate([a.owner, len(a.masks) + b.owner])
        self.pivot, self.exponent = pivot, exponent
        self.group_rows = self.group_rows + other.group_rows
        self.n_rows += other.n_rows
        self.dtype = np.result_type(self.dtype, other.dtype)
        self._united()

    def _compacted(self) -> Self:
        """Keep no more rows of a stratum than it observes columns."""
        counts, width = np.bincount(self.owner, minlength=len(self.masks)), self.masks.sum(axis=1)
        many, ends = counts > width, np.cumsum(counts)
        if many.any():
            keep = ~many[self.owner]
            rows, owner = [self.rows[keep]], [self.owner[keep]]
            for k in np.flatnonzero(many):
                own, mask = self.rows[ends[k] - counts[k] : ends[k]], self.masks[k]
                triangle = np.zeros((width[k], len(mask)))
                triangle[:, mask] = _triangle(own[:, mask])
                rows.append(triangle)
                owner.append(np.full(width[k], k))
            self._hold(np.concatenate(rows), np.concatenate(owner))
        return self

    def _is_zero(self) -> np.ndarray:
        return (self.rows == 0).all(axis=0) & (self.shift == 0).all(axis=0)

    def moved_to(self, pivot: np.ndarray) -> Self:
        """Return the same moments about another pivot."""
        new = self.copy()
        apart = np.nan_to_num((self.pivot - pivot) / exponents.units(self.exponent, pivot), nan=0.0)
        new.pivot = pivot
        if apart.any():
            new.shift = np.where(self.masks, self.shift + apart, 0.0)
        return new

    def _scaled(self, factor: np.ndarray) -> Self:
        new = self.copy()
        new.shift, new.rows = self.shift * factor, self.rows * factor
        return new

    def times(self, factor: float) -> Self:
        new = self.copy()
        new.weights, new.rows = self.weights * factor, self.rows * factor**0.5
        return new

    def brought_to(self, like: Array) -> Self:
        """Return these moments as they are: they live on the host."""
        return self

    def regrouped(self, places: np.ndarray, n_groups: int) -> Self:
        """Return moments with more groups, the present ones at the given places."""
        new = self.copy()
        new.group, new.group_rows = places[self.group], np.zeros(n_groups, dtype=np.intp)
        new.group_rows[places] = self.group_rows
        return new

    def of_group(self, group: int) -> Self:
        """Return the moments of the rows of one group."""
        new, here = self.copy(), self.group == group
        new.group_rows, new.n_rows, new.n_blank = self.group_rows[[group]], int(self.group_rows[group]), 0
        new.masks, new.weights, new.shift = self.masks[here], self.weights[here], self.shift[here]
        new.group, kept = np.zeros(len(new.masks), dtype=np.intp), here[self.owner]
        new.rows, new.owner = self.rows[kept], (np.cumsum(here) - 1)[self.owner[kept]]
        return new

    def total(self) -> Self:
        new = self.copy()
        new.group, new.group_rows = np.zeros_like(self.group), np.array([self.n_rows])
        return new._united()


def _group_of_rows(codes: Codes, n: int) -> np.ndarray | None:
    """Return the group of each row, where there are groups."""
    if not isinstance(codes, tuple):
        return None if codes is None else namespaces.to_numpy(codes)
    group = np.zeros(n, dtype=np.intp)
    for k, start, stop in codes:
        group[start:stop] = k
    return group


def _require_room(one: Patterns, other: Patterns) -> None:
    """Ask for the memory of a merge before it is taken: means of all patterns, and their factors."""
    P = len(one.masks) + len(other.masks)
    means, factors = P * one.n_features, one.rows.size + other.rows.size
    if means + factors > ASKED_CELLS:
        memory.require(
            8 * (5 * means + 3 * factors),
            f"The moments of {P:,} patterns of missing cells",
            "Leave out columns that are often missing, or read fewer rows.",
        )


def distinct(masks: np.ndarray, group: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the first rows of the patterns that occur (of each group), in a fixed order, and which each row has."""
    n = len(masks)
    packed = np.packbits(masks, axis=1)
    padded = np.zeros((n, -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    words = padded.view(">u8").astype(np.uint64)
    codes = np.zeros(n, dtype=np.intp) if group is None else group
    alone = words.shape[1] == 1 and group is None
    for word in words.T:
        values = np.unique(word)
        found = np.searchsorted(values, word)
        codes = found if alone else np.unique(codes * len(values) + found, return_inverse=True)[1]
    first = np.zeros(codes.max() + 1 if n else 0, dtype=np.intp)
    first[codes[::-1]] = np.arange(n)[::-1]
    return first, codes


def _sorting(codes: np.ndarray, count: int) -> np.ndarray:
    """Return the order that sorts codes below `count`; short integers are sorted without comparing them."""
    return np.argsort(codes.astype(np.uint16) if count <= 2**16 else codes, kind="stable")


def _filled_pivot(pivot: np.ndarray, X: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Take the first observed cell of columns that had none so far."""
    open_columns = np.flatnonzero(np.isnan(pivot) & seen.any(axis=0))
    if len(open_columns) == 0:
        return pivot
    filled = pivot.copy()
    filled[open_columns] = X[np.argmax(seen[:, open_columns], axis=0), open_columns]
    return filled


def _triangle(rows: np.ndarray) -> np.ndarray:
    """Return R with RᵀR = FᵀF of many rows, by that product where it costs no digits."""
    product = linalg.gram(rows)
    size = np.sqrt(np.diagonal(product))
    if len(rows) >= SQUARED * rows.shape[1] and size.all():
        with suppress(np.linalg.LinAlgError):
            R = np.linalg.cholesky(product / size / size[:, None]).T
            if np.diagonal(R).min() > SOUND:
                return np.asarray(R * size)
    return linalg.triangle(rows)
