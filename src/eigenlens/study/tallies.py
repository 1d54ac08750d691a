"""What rows that were left out say about a method, added up block by block: rows by class, or squares of residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class ClassTally:
    """Rows by their class and the one that they are given.

    Attributes
    ----------
    confusion : ndarray of shape (K, K)
        Counts.
    mass : ndarray of shape (2, 2), or None
        Sums of the weights and of their squares, of the rows that are right and of all; None where all count once.
    buckets : ndarray of shape (2, B), or None
        Weight of the rows that are right, and of all, in each bucket of groups.
    """

    confusion: np.ndarray
    mass: np.ndarray | None = None
    buckets: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        codes: np.ndarray,
        guess: np.ndarray,
        n_classes: int,
        w: np.ndarray | None = None,
        buckets: tuple[np.ndarray, int] | None = None,
    ) -> ClassTally:
        """Count rows, of places of classes; buckets are those of the rows, and how many there are."""
        right = codes == guess
        if buckets is not None:
            w = np.ones(len(right)) if w is None else w
            by_bucket = [np.bincount(buckets[0], weights=part, minlength=buckets[1]) for part in (w * right, w)]
            return cls(confusion(codes, guess, n_classes), None, np.stack(by_bucket))
        if w is None:
            return cls(confusion(codes, guess, n_classes))
        mass = np.array([[w[right].sum(), (w[right] ** 2).sum()], [w.sum(), (w**2).sum()]])
        return cls(confusion(codes, guess, n_classes), mass)

    def merged(self, other: ClassTally) -> ClassTally:
        """Return the tally of the rows of both."""
        mass = None if self.mass is None or other.mass is None else self.mass + other.mass
        both = None if self.buckets is None or other.buckets is None else self.buckets + other.buckets
        return ClassTally(self.confusion + other.confusion, mass, both)

    def score(self) -> tuple[float, float, float]:
        """Return the share of rows that are right, with its interval: Wilson's, or by the spread of weighted rows."""
        n = int(self.confusion.sum())
        if self.buckets is not None:
            right, of_all = self.buckets[:, self.buckets[1] > 0]
            share = float(right.sum() / of_all.sum())
            return _about(share, float(((right - share * of_all) ** 2).sum()), len(of_all), float(of_all.sum()))
        if self.mass is None:
            return wilson(int(np.trace(self.confusion)), n)
        (right, right_squares), (total, squares) = self.mass.tolist()
        share = right / total
        return _about(share, right_squares * (1 - share) ** 2 + (squares - right_squares) * share**2, n, total)


@dataclass(frozen=True, eq=False)
class ResidualTally:
    """Squares of residuals in each fold, and the weight of its rows; arrays of shape (folds,)."""

    squares: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, residuals: np.ndarray, folds: np.ndarray, n_folds: int, w: np.ndarray | None = None) -> ResidualTally:
        """Add up squares."""
        w = np.ones(len(residuals)) if w is None else w
        squares = np.bincount(folds, weights=w * residuals**2, minlength=n_folds)
        return cls(squares, np.bincount(folds, weights=w, minlength=n_folds))

    def merged(self, other: ResidualTally) -> ResidualTally:
        """Return the tally of the rows of both."""
        return ResidualTally(self.squares + other.squares, self.weight + other.weight)

    def score(self, variance: float) -> tuple[float, float, float]:
        """Return R², with an interval by its spread over folds."""
        seen = self.weight > 0
        folds = 1 - self.squares[seen] / self.weight[seen] / variance
        return explained(1 - float(self.squares.sum() / self.weight.sum() / variance), folds)


Tally = ClassTally | ResidualTally


def confusion(truth: np.ndarray, guess: np.ndarray, n_classes: int) -> np.ndarray:
    """Count rows by their class and the one they are given, both as places."""
    pairs = np.bincount(truth * n_classes + guess, minlength=n_classes**2)
    return pairs.reshape(n_classes, n_classes)


def wilson(right: int, n: int) -> tuple[float, float, float]:
    """Return a share with its 95% interval (Wilson 1927)."""
    z = float(stats.norm.ppf((1 + LEVEL) / 2))
    share = right / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return share, float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def explained(whole: float, folds: np.ndarray) -> tuple[float, float, float]:
    """Return R² with its 95% interval, from its values in the folds."""
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(folds) - 1) * folds.std(ddof=1) / np.sqrt(len(folds)))
    return whole, whole - half, min(whole + half, 1.0)


def clustered(right: np.ndarray, w: np.ndarray | None, groups: np.ndarray | None) -> tuple[float, float, float]:
    """Return the share that is right, with an interval by the spread between groups, or between weighted rows."""
    w = np.ones(len(right)) if w is None else w
    labels = np.arange(len(right)) if groups is None else np.unique(groups, return_inverse=True)[1]
    share = float(np.average(right, weights=w))
    off: Any = np.bincount(labels, weights=w * (right - share))
    return _about(share, float((off**2).sum()), len(off), float(w.sum()))


def _about(share: float, squares: float, m: int, weight: float) -> tuple[float, float, float]:
    """Return a share with its 95% interval, by the squares of what m clusters have more of it than their part."""
    half = float(stats.t.ppf((1 + LEVEL) / 2, m - 1) * np.sqrt(m / (m - 1) * squares) / weight)
    return share, max(share - half, 0.0), min(share + half, 1.0)
