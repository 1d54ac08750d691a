"""A response of any length: fine bins of its numbers, and the slices of about equal weight that are made of them.

The quantiles of a response are not known before all of it has been read. So rows are first kept by bins that need no
quantiles: the distance of a number from a pivot, to six binary digits. Slices are then whole bins. A table in memory of
more rows than a sample is sliced in the same way, so that both have the same slices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors
from ..inference.inverse import choose_slices
from ..moments import Grouped
from ..rows import Slicing
from ..rows.sampled_rows import keys, smallest
from .data import sample_rows

DIGITS = 6  # binary digits of a distance: 64 bins where it doubles
FIRST = 7  # rows whose median is the pivot
ROUNDING = 1e-12  # sums of weights that fall short of a quantile by less are there
HALF_A_SLICE = 0.5  # a bin of different numbers that holds more of a slice is too coarse


@dataclass(frozen=True)
class Bins:
    """A response, counted in bins.

    Attributes
    ----------
    pivot : float
    codes : ndarray of int
        Bins that are not empty, ascending.
    weights, lows, tops : ndarray
        Of each bin: its weight, its smallest and its largest number.
    sums : float
        Weight times response, summed.
    """

    pivot: float
    codes: np.ndarray
    weights: np.ndarray
    lows: np.ndarray
    tops: np.ndarray
    sums: float

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray | None, pivot: float) -> Bins:
        """Count numbers."""
        w = np.ones(len(y)) if weights is None else weights
        codes, places = np.unique(bins_of(y, pivot), return_inverse=True)
        lows, tops = np.full(len(codes), np.inf), np.full(len(codes), -np.inf)
        np.minimum.at(lows, places, y)
        np.maximum.at(tops, places, y)
        return cls(pivot, codes, np.bincount(places, weights=w, minlength=len(codes)), lows, tops, float(w @ y))

    def merged(self, other: Bins) -> Bins:
        """Count the numbers of both."""
        codes, places = np.unique(np.append(self.codes, other.codes), return_inverse=True)
        weights = np.bincount(places, weights=np.append(self.weights, other.weights))
        lows, tops = np.full(len(codes), np.inf), np.full(len(codes), -np.inf)
        np.minimum.at(lows, places, np.append(self.lows, other.lows))
        np.maximum.at(tops, places, np.append(self.tops, other.tops))
        return Bins(self.pivot, codes, weights, lows, tops, self.sums + other.sums)

    @property
    def mean(self) -> float:
        return self.sums / float(self.weights.sum())

    def coarse(self, n_slices: int) -> bool:
        """Tell whether a bin of different numbers holds so much that slices cannot be about equal."""
        most = HALF_A_SLICE * self.weights.sum() / n_slices
        return bool(((self.weights > most) & (self.lows < self.tops)).any())

    def slicing(self, n_slices: int) -> Slicing:
        """Cut between bins, so that slices have about the same weight; tied numbers are in one slice."""
        below = np.cumsum(self.weights)
        shares = np.arange(1, n_slices) * below[-1] * (1 - ROUNDING)
        cuts = np.unique(self.tops[np.searchsorted(below * n_slices, shares)])
        if len(cuts) and cuts[-1] == self.tops[-1]:  # the largest number is not cut off from nothing
            cuts = np.unique(np.minimum(cuts, self.tops[-2])) if len(self.tops) > 1 else cuts[:0]
        return Slicing((tuple(cuts.tolist()),))


def bins_of(y: np.ndarray, pivot: float) -> np.ndarray:
    """Return the bin of each number; a larger number is never in a lower bin."""
    bits = np.ascontiguousarray(y - pivot, dtype=np.float64).view(np.int64)
    ordered = np.where(bits < 0, -(bits & np.int64(2**63 - 1)), bits)
    return ordered >> np.int64(52 - DIGITS)


def pivot_of(y: np.ndarray) -> float:
    """Return a typical number among the first."""
    return float(np.median(y[:FIRST]))


def slices_means(model: Any) -> bool:
    """Tell whether a method is fitted from the means of slices of the response."""
    uses = getattr(model, "_slices", None)
    return hasattr(model, "fit_moments") and uses is not None and not (uses.covariances or uses.one_by_one)


def slices_wanted(model: Any, n: float, p: int) -> int | None:
    """Return how many slices a model asks for, of n rows with p columns; None where it does not cut a response."""
    asked = model.get_params().get("n_slices")
    if asked == "auto":
        return choose_slices(n, p, model._slices.covariances)
    return asked if isinstance(asked, int) else None


def cut_model(model: Any, y: np.ndarray, weights: np.ndarray | None, numbers: np.ndarray, p: int, seed: int) -> Any:
    """Return a model that cuts a response where a file read in pieces would be cut; as it is where rows are few."""
    H = slices_wanted(model, len(y), p)
    if H is None or len(y) <= sample_rows(p):
        return model
    slicing = bins_for(H, y, weights, numbers, p, seed).slicing(H)
    return model.set_params(n_slices=list(slicing.cuts[0])) if slicing.n_cells > 1 else model


def bins_for(H: int, y: np.ndarray, weights: np.ndarray | None, numbers: np.ndarray, p: int, seed: int) -> Bins:
    """Count a response of rows in memory as that of a file read in pieces is counted, for so many slices."""
    bins = Bins.of(y, weights, pivot_of(y))
    if not bins.coarse(H):
        return bins
    return Bins.of(y, weights, second_pivot(y[smallest(keys(numbers, seed), sample_rows(p))]))


def second_pivot(y: np.ndarray) -> float:
    """Return a number in the middle of a sample, for bins that are too coarse about another."""
    return float(np.median(y))


def sliced_moments(moments: Grouped, bins: Bins, slicing: Slicing) -> Grouped:
    """Return the moments of slices, from those of bins; some bins may have no rows."""
    places = slicing.codes(bins.tops[np.searchsorted(bins.codes, moments.labels), None])
    if len(np.unique(places)) < slicing.n_cells:
        raise errors.InputError("y: a slice of the response has no rows outside a fold; use fewer slices.")
    return moments.joined(places, np.arange(slicing.n_cells), slicing)


def sliced(model: Any, n: int) -> Any:
    """Return an inverse regression with slices of at least three rows, however few rows there are."""
    if "n_slices" not in model.get_params():
        return model
    asked, most = 10 if model.n_slices == "auto" else model.n_slices, max(n // 3, 2)
    return model.set_params(n_slices=most) if most < asked else model
