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
        The group of each stratum, ascending.
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
        return self.merge(self._part(host, w, _group_of_rows(codes, len(host))))

    def _part(self, X: np.ndarray, weight: np.ndarray | None, group: np.ndarray | None) -> Self:
        """Return the moments of these rows alone."""
        part = type(self)().anchored_at(self.pivot, len(self.group_rows))
        part.dtype = np.result_type(X.dtype, self.dtype)
        seen = ~np.isnan(X)
        something = seen.any(axis=1)
        if not something.all():
            part.n_blank = int(len(X) - something.sum())
            X, seen = X[something], seen[something]
            weight, group = (None if values is None else values[something] for values in (weight, group))
        if len(X) == 0:
            return part
        first, codes = distinct(seen, group)
        part.masks, part.group = seen[first], np.zeros(len(first), dtype=np.intp) if group is None else group[first]
        part.group_rows = np.bincount(part.group[codes], minlength=len(self.group_rows))
        part.n_rows = len(X)
        part.pivot = _filled_pivot(self.pivot, X, seen)
        counts, filled = np.bincount(codes), X
        if len(counts) > 1:
            order = _sorting(codes, len(counts))
            filled, codes, weight = X.take(order, axis=0), codes[order], None if weight is None else weight[order]
        if not part.masks.all():
            filled = filled if filled is not X else X.copy()
            np.copyto(filled, 0.0, where=np.isnan(filled))
        groups: Codes = codes
        places = np.cumsum(counts)
        if weight is None and len(X) >= TALL * len(counts):  # rows of a stratum lie together: no need to look them up
            groups = tuple(zip(range(len(counts)), (places - counts).tolist(), places.tolist(), strict=True))
        block = centre_block(filled, weight, groups, len(part.masks), np.nan_to_num(part.pivot, nan=0.0), exact=True)
        part.weights = block.weights
        part.shift = np.where(part.masks, block.shift, 0.0)
        part.rows, part.owner = block.rows, codes
        if (counts == 1).any():  # the row of a stratum with one row is its mean
            several = counts[codes] > 1
            part.rows, part.owner = block.rows[several], codes[several]
        part._take_out_powers(block.lift)
        return part._compacted()

    def _take_out_powers(self, lift: int) -> None:
        """Move rows and means, given over 2^lift, to powers of two that suit the columns."""
        found = np.maximum(exponents.column_exponents(self.rows), exponents.column_exponents(self.shift))
        last = exponents.LAST_EXPONENT
        total = np.where(found == exponents.FREE, 0, np.clip(found + lift, -last, last))
        if lift == 0 and not total.any():
            return
        factor = exponents.shrink(np.full_like(total, lift), total, self.pivot)
        self.rows, self.shift = self.rows * factor, self.shift * factor
        self.exponent = total if total.any() else None

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
        exponent = self.joint_exponent(other)
        pivot = np.where(np.isnan(self.pivot), other.pivot, self.pivot)
        a, b = (part.rescaled(exponent).moved_to(pivot) for part in (self, other))
        all_masks, group = np.concatenate([a.masks, b.masks]), np.concatenate([a.group, b.group])
        first, codes = distinct(all_masks, group)
        masks = all_masks[first]
        _require_room(masks, a.rows.size + b.rows.size)
        mine, theirs = codes[: len(a.masks)], codes[len(a.masks) :]
        Wa, Wb, ma, mb = np.zeros(len(masks)), np.zeros(len(masks)), np.zeros(masks.shape), np.zeros(masks.shape)
        Wa[mine], Wb[theirs], ma[mine], mb[theirs] = a.weights, b.weights, a.shift, b.shift
        share = Wb / (Wa + Wb)
        jump = mb - ma
        both = np.flatnonzero((Wa > 0) & (Wb > 0))
        between = jump[both] * np.sqrt(Wa * share)[both, None]
        owner = np.concatenate([mine[a.owner], theirs[b.owner], both])
        order = np.argsort(owner, kind="stable")
        self.masks, self.group, self.group_rows = masks, group[first], self.group_rows + other.group_rows
        self.weights, self.shift = Wa + Wb, ma + jump * share[:, None]
        self.rows, self.owner = np.concatenate([a.rows, b.rows, between])[order], owner[order]
        self.pivot, self.exponent = pivot, exponent
        self.n_rows += other.n_rows
        self.dtype = np.result_type(self.dtype, other.dtype)
        self._compacted()

    def _compacted(self) -> Self:
        """Keep no more rows of a stratum than it observes columns."""
        counts = np.bincount(self.owner, minlength=len(self.masks))
        width = self.masks.sum(axis=1)
        long = np.flatnonzero(counts > width)
        if len(long) == 0:
            return self
        ends = np.cumsum(counts)
        keep = np.ones(len(self.rows), dtype=bool)
        rows, owner = np.zeros((width[long].sum(), self.n_features)), np.repeat(long, width[long])
        last = np.cumsum(width[long])
        for k, end in zip(long, last, strict=True):
            part, mask = slice(ends[k] - counts[k], ends[k]), self.masks[k]
            keep[part] = False
            rows[end - width[k] : end, mask] = _triangle(self.rows[part][:, mask])
        all_owner = np.concatenate([self.owner[keep], owner])
        order = np.argsort(all_owner, kind="stable")
        self.rows, self.owner = np.concatenate([self.rows[keep], rows])[order], all_owner[order]
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
        order = np.argsort(places[self.group], kind="stable")
        new.group_rows = np.zeros(n_groups, dtype=np.intp)
        new.group_rows[places] = self.group_rows
        new._take(order, places[self.group][order])
        return new

    def of_group(self, group: int) -> Self:
        """Return the moments of the rows of one group."""
        new, here = self.copy(), np.flatnonzero(self.group == group)
        new.group_rows, new.n_rows, new.n_blank = self.group_rows[[group]], int(self.group_rows[group]), 0
        new._take(here, np.zeros(len(here), dtype=np.intp))
        return new

    def total(self) -> Self:
        first, *others = (self.of_group(k) for k in range(len(self.group_rows)))
        for part in others:
            first.merge(part)
        first.n_blank = self.n_blank
        return first

    def _take(self, strata: np.ndarray, group: np.ndarray) -> None:
        """Keep some strata in this order, and call their groups something else."""
        place = np.full(len(self.masks), -1)
        place[strata] = np.arange(len(strata))
        owner = place[self.owner]
        rows = np.argsort(owner, kind="stable")[np.count_nonzero(owner < 0) :]
        self.masks, self.weights, self.shift = self.masks[strata], self.weights[strata], self.shift[strata]
        self.rows, self.owner, self.group = self.rows[rows], owner[rows], group


def _group_of_rows(codes: Codes, n: int) -> np.ndarray | None:
    """Return the group of each row, where there are groups."""
    if not isinstance(codes, tuple):
        return None if codes is None else namespaces.to_numpy(codes)
    group = np.zeros(n, dtype=np.intp)
    for k, start, stop in codes:
        group[start:stop] = k
    return group


def _require_room(masks: np.ndarray, factor_cells: int) -> None:
    """Ask for the memory of a merge before it is taken: means of all patterns, and their factors."""
    if masks.size + factor_cells > ASKED_CELLS:
        memory.require(
            8 * (5 * masks.size + 3 * factor_cells),
            f"The moments of {len(masks):,} patterns of missing cells",
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
