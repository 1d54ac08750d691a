"""Slices of a response: what inverse regression conditions on.

A numeric response is cut at its quantiles, ties kept whole; words, and numbers of few distinct values, are their own
slices; several responses are cut one by one and their cells are the slices; or the slices are given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.stored import stored
from .labels import Labels, _is_missing, as_column
from .table import EXACT

_OTHER_CELLS = (
    "Slice the first principal components of y instead, or pass slices=, for example the labels that k-means gives the "
    "rows of y."
)
MOST_SLICES = 1_000_000  # more are asked for by mistake, and there are never more than rows
ROUNDING = 1e-12  # sums of weights that fall short of a quantile by less are there


@dataclass(frozen=True)
class Response:
    """The second argument of a sliced fit: a response, or given slices in its place; and the columns of the first."""

    y: Any = None
    slices: Any = None
    columns: int = 1


@stored("Slicing")
@dataclass(frozen=True)
class Slicing:
    """Where responses are cut; without cuts, each number is a slice of its own.

    Attributes
    ----------
    cuts : tuple of tuples of float
        For each response its cuts, ascending: slice h is everything above cut h − 1, up to and including cut h.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.rows import Slicing
    >>> y = np.array([3.0, 1.0, 2.0, 2.0, 9.0, 4.0])
    >>> thirds = Slicing.at_quantiles(y[:, None], None, 3)
    >>> thirds.cuts
    ((2.0, 3.0),)
    >>> thirds.codes(y[:, None])
    array([1, 0, 0, 0, 2, 2])
    >>> thirds.names()
    ['y ≤ 2', '2 < y ≤ 3', 'y > 3']
    """

    cuts: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def at_quantiles(cls, Y: np.ndarray, weight: np.ndarray | None, n_slices: int) -> Slicing:
        """Cut each column of Y into slices of about equal weight; several columns share n_slices among their cells."""
        n, q = Y.shape
        each = n_slices if q == 1 else max(2, round(n_slices ** (1 / q)))
        if q > 1 and each**q > max(n, 2 * n_slices):
            raise errors.InputError(
                f"y has {q} responses, and halving each makes {each**q} cells for {n} rows. {_OTHER_CELLS}"
            )
        if q > 1 and each**q > 2 * n_slices:
            errors.warn(
                errors.SliceWarning(
                    f"y has {q} responses, and halving each makes {each**q} cells where n_slices={n_slices} was "
                    f"asked for. {_OTHER_CELLS}"
                )
            )
        return cls(tuple(tuple(_cuts(Y[:, j], weight, each).tolist()) for j in range(q)))

    @classmethod
    def given(cls, cuts: Any, q: int) -> Slicing:
        """Take the cuts of q responses from the user."""
        columns = [cuts] if np.ndim(cuts[0]) == 0 else list(cuts)
        if len(columns) != q:
            raise errors.number("n_slices", cuts, f"the cuts of each response, and y has {q} column(s)")
        return cls(tuple(tuple(float(c) for c in column) for column in columns))

    @property
    def n_cells(self) -> int:
        """How many slices there are, empty cells counted in."""
        return int(np.prod([len(column) + 1 for column in self.cuts]))

    def codes(self, Y: np.ndarray) -> np.ndarray:
        """Return the slice of each row."""
        codes = np.zeros(len(Y), dtype=np.intp)
        for j, column in enumerate(self.cuts):
            codes = codes * (len(column) + 1) + np.searchsorted(np.asarray(column), Y[:, j], side="left")
        return codes

    def names(self) -> list[str]:
        """Say in words what each slice is."""
        cells = [""]
        for j, column in enumerate(self.cuts):
            y = "y" if len(self.cuts) == 1 else f"y{j + 1}"
            cells = [", ".join(filter(None, (cell, part))) for cell in cells for part in _intervals(y, column)]
        return cells

    def __str__(self) -> str:
        if not self.cuts:
            return "each number its own slice"
        return "cuts at " + " and ".join(errors.listed(f"{c:.6g}" for c in column) for column in self.cuts)


@dataclass(frozen=True)
class SliceReader:
    """Reads a response as slices.

    Attributes
    ----------
    n_slices : int, or cuts
        With a rule, whole numbers of up to so many distinct values are slices of their own.
    slicing : Slicing or None
        How earlier rows were cut, if there were any.
    known : ndarray or None
        The slices of earlier rows, where each number is a slice of its own.
    may_miss : bool
        Whether rows may lack a response.
    seen : bool
        Whether all of the response has been looked at.
    rule : function, optional
        From the number of rows to that of slices at quantiles.
    """

    n_slices: Any
    slicing: Slicing | None = None
    known: np.ndarray | None = None
    may_miss: bool = False
    seen: bool = False
    rule: Callable[[float], int] | None = None

    @property
    def settled(self) -> bool:
        return self.seen or self.slicing is not None or not isinstance(self.n_slices, int | np.integer)

    def read(self, y: Any, weight: np.ndarray | None) -> tuple[Labels, SliceReader]:
        found = None if weight is not None else _cut_on_device(y, self.n_slices, self.slicing, self.rule)
        if found is not None:
            return found[0], replace(self, slicing=found[1], known=None, seen=True)
        labels, slicing = slice_response(Response(y), weight, self.n_slices, self.slicing, self.may_miss, self.rule)
        if slicing == Slicing() and self.known is not None:
            levels = np.union1d(self.known, labels.classes)
            if not isinstance(self.n_slices, int | np.integer) or len(levels) > self.n_slices:
                raise _levels_were_few(self.n_slices)
        return labels, replace(self, slicing=slicing, known=None, seen=True)


@dataclass(frozen=True)
class GivenSlices:
    """Reads slices that are given in place of a response."""

    slicing: None = None
    settled: bool = True

    def read(self, y: Any, weight: np.ndarray | None) -> tuple[Labels, GivenSlices]:
        return _read_slices(y), self


def slice_response(
    response: Response,
    weight: np.ndarray | None,
    n_slices: Any,
    slicing: Slicing | None = None,
    may_miss: bool = False,
    rule: Callable[[float], int] | None = None,
) -> tuple[Labels, Slicing | None]:
    """Turn a response into slice labels; return how it was cut as well, None where labels speak for themselves.

    Parameters
    ----------
    response : Response
    weight : ndarray of shape (n,), optional
        Quantiles count it.
    n_slices : int, or cuts
    slicing : Slicing, optional
        Fixed by earlier rows.
    may_miss : bool
        Whether rows without a response are allowed; their code is −1.
    rule : function, optional
        From the number of rows to that of slices at quantiles, in place of n_slices.
    """
    if response.slices is not None:
        return _read_slices(response.slices), None
    values = _as_response(response.y)
    if len(values) == 0:
        return Labels(np.zeros(0, dtype=np.intp), np.array([])), None  # too few rows: refused where rows are counted
    missing = _missing(values)
    if missing.all():
        raise errors.InputError(
            f"y is missing in all {len(missing)} rows (NaN or None), so there is nothing to slice; give some "
            "responses, or use PCA."
        )
    if missing.any() and not may_miss:
        raise errors.InputError(
            f"Input y contains NaN ({int(missing.sum())} missing responses). Drop those rows, or use LocalizedSIR, "
            "which learns from rows without a response as well."
        )
    seen = values[~missing]
    used = None if weight is None or len(weight) != len(values) else weight[~missing]
    if seen.dtype.kind in "OUST":
        labels, slicing = _read_words(seen), None
    else:
        labels, slicing = _cut(_as_numbers(seen), used, n_slices, slicing, rule)
    if not missing.any():
        return labels, slicing
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[~missing] = labels.codes
    return Labels(codes, labels.classes, labels.native), slicing


def _cut(
    Y: np.ndarray,
    weight: np.ndarray | None,
    n_slices: Any,
    slicing: Slicing | None,
    rule: Callable[[float], int] | None,
) -> tuple[Labels, Slicing | None]:
    """Slice numbers."""
    given = not isinstance(n_slices, int | np.integer)
    counted = Y if weight is None else Y[weight > 0]
    if slicing is None and not given and _few_levels(counted, int(n_slices)):
        slicing = Slicing()
    if slicing is None:
        if rule is not None:
            n_slices = rule(float(len(Y) if weight is None else weight.sum()))
        slicing = Slicing.given(n_slices, Y.shape[1]) if given else Slicing.at_quantiles(Y, weight, int(n_slices))
        if slicing.n_cells == 1:
            raise errors.one_slice(counted[0, 0])
        wanted = slicing.n_cells if given or Y.shape[1] > 1 else int(n_slices)
        if slicing.n_cells < wanted:
            errors.warn(
                errors.SliceWarning(
                    f"y gives {slicing.n_cells} slices, but n_slices={wanted} were asked for: tied values stay in one "
                    f"slice. Ask for {slicing.n_cells} or fewer, or pass slices= to cut by hand."
                )
            )
    if slicing.cuts:
        if len(slicing.cuts) != Y.shape[1]:
            raise errors.InputError(
                f"y has {Y.shape[1]} column(s) but earlier rows had {len(slicing.cuts)}; pass the same responses in "
                "every batch."
            )
        return Labels(slicing.codes(Y), np.arange(slicing.n_cells)), slicing
    if Y.shape[1] > 1 or (np.floor(Y) != Y).any():
        raise _levels_were_few(n_slices)
    whole = Y[:, 0].astype(np.int64) if np.abs(Y).max(initial=0) < EXACT else Y[:, 0]
    return Labels.read(whole), slicing


def _cut_on_device(
    y: Any, n_slices: Any, slicing: Slicing | None, rule: Callable[[float], int] | None
) -> tuple[Labels, Slicing] | None:
    """Slice a response that lies on a device there, at the cuts that the host would find; None where it has to look.

    That is where values are tied at a cut, whole, or not finite.
    """
    if not (
        namespaces.is_array(y)
        and namespaces.on_accelerator(y)
        and len(y.shape) == 1
        and namespaces.is_floating(y)
        and y.shape[0]
    ):
        return None
    xp, n = namespaces.namespace(y), int(y.shape[0])
    if slicing is None:
        if not isinstance(n_slices, int | np.integer):
            return None
        wanted = min(int(n_slices) if rule is None else rule(float(n)), MOST_SLICES)
        ordered = xp.sort(y)
        places = -(-np.arange(1, wanted) * n // wanted) - 1
        told = xp.concat([namespaces.take_rows(ordered, namespaces.like(places, y)), ordered[-1:]])
        *cuts, top = namespaces.to_numpy(namespaces.float64(told)).tolist()
        whole = bool(xp.all(xp.floor(y) == y))
        if whole or not np.isfinite(top) or not np.isfinite(cuts).all() or len(set(cuts)) < wanted - 1 or top in cuts:
            return None
        if not bool(xp.isfinite(ordered[0])):
            return None
        slicing = Slicing((tuple(cuts),))
    if len(slicing.cuts) != 1 or not namespaces.all_finite(y):
        return None
    edges = namespaces.like(np.asarray(slicing.cuts[0]), y)
    codes = xp.searchsorted(edges, namespaces.float64(y), side="left")
    return Labels(codes, np.arange(slicing.n_cells)), slicing


def _few_levels(Y: np.ndarray, n_slices: int) -> bool:
    """Tell whether a single response is whole numbers, no more distinct ones than slices."""
    if Y.shape[1] > 1 or len(Y) == 0 or Y[0, 0] != np.floor(Y[0, 0]) or (np.floor(Y) != Y).any():
        return False
    return len(np.unique(Y)) <= n_slices


def _cuts(y: np.ndarray, weight: np.ndarray | None, n_slices: int) -> np.ndarray:
    """Return the smallest values v with W·h/H of the weight at or below v, h = 1 … H − 1; none is the largest value."""
    n_slices = min(n_slices, MOST_SLICES)
    n, shares = len(y), np.arange(1, n_slices)
    if weight is None:
        places = -(-shares * n // n_slices) - 1
        cuts = np.unique(np.partition(y, places)[places])  # no sort: only these order statistics are needed
    else:
        order = np.argsort(y, kind="stable")
        below = np.cumsum(weight[order])
        places = np.searchsorted(below * n_slices, shares * below[-1] * (1 - ROUNDING))
        cuts = np.unique(y[order][places])
        y = y[weight > 0]
    top = y.max()
    if cuts[-1] == top:  # tied values at the top are a slice: cut below them
        cuts = np.unique(np.minimum(cuts, y[y < top].max(initial=-np.inf)))
    if len(cuts) < n_slices - 1:
        levels = np.unique(y)
        if len(levels) <= n_slices:
            cuts = levels[:-1]
    return cuts[np.isfinite(cuts)]


def _intervals(y: str, cuts: tuple[float, ...]) -> list[str]:
    if not cuts:
        return [f"any {y}"]
    inner = [f"{a:.4g} < {y} ≤ {b:.4g}" for a, b in pairwise(cuts)]
    return [f"{y} ≤ {cuts[0]:.4g}", *inner, f"{y} > {cuts[-1]:.4g}"]


# -- reading -----------------------------------------------------------------------------------------------------


def _as_response(y: Any) -> np.ndarray:
    """Read one response, or several as columns, without changing what they are."""
    values = as_column(y, "y")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] == 0):
        raise errors.InputError(
            f"y should be one response per row or a table of several, got an array of shape {tuple(values.shape)}."
        )
    if values.dtype.kind == "c":
        raise errors.complex_numbers("y")
    if values.dtype.kind == "O" and not any(isinstance(v, str | bytes) for v in values.flat):
        cells = [np.nan if _is_missing(v) else v for v in values.flat]
        try:
            return np.array(cells).reshape(values.shape)
        except (TypeError, ValueError):
            return values
    return values


def _missing(values: np.ndarray) -> np.ndarray:
    """Tell which rows lack a response, or one of several."""
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype.kind == "O":
        missing = np.array([_is_missing(v) for v in values.flat], dtype=bool).reshape(values.shape)
    else:
        return np.zeros(len(values), dtype=bool)
    return missing if missing.ndim == 1 else missing.any(axis=1)


def _as_numbers(values: np.ndarray) -> np.ndarray:
    Y = np.asarray(
        values.astype(np.int64) if values.dtype.kind in "mM" else values, dtype=np.float64
    )  # dates: in order
    if not np.isfinite(Y).all():
        raise errors.InputError(
            f"Input y contains infinity ({int(np.sum(~np.isfinite(Y)))} values). Drop or clip them: a response must be "
            "finite."
        )
    return Y[:, None] if Y.ndim == 1 else Y


def _read_words(values: np.ndarray) -> Labels:
    if values.ndim > 1:
        raise errors.InputTypeError(
            f"y has {values.shape[1]} columns and words among them; several responses must be numbers. Make the cells "
            "yourself and pass them as slices=, one label per row."
        )
    return Labels.read(values)


def _read_slices(slices: Any) -> Labels:
    try:
        return Labels.read(slices)
    except (errors.InputError, errors.InputTypeError) as error:
        raise errors.InputTypeError(
            f"slices must be one label (a word or a whole number) per row. Reading them as labels: {error}"
        ) from error


def _levels_were_few(n_slices: Any) -> errors.InputError:
    return errors.InputError(
        f"y was whole numbers of at most n_slices={n_slices} distinct values in the first batch, each its own slice; "
        f"now it has others. Give the cuts: n_slices=[cut, cut, …], or pass slices=."
    )
