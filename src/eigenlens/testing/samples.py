"""Made-up rows whose directions are well apart, so that round-off cannot exchange them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Rows for a law.

    Attributes
    ----------
    X : ndarray of shape (n, p)
    y : ndarray or None
        Whatever the estimator takes as its second argument: nothing, labels, or a second table.
    """

    X: np.ndarray
    y: np.ndarray | None

    def __len__(self) -> int:
        return len(self.X)

    def rows(self, index: Any) -> Sample:
        """Return some of the rows."""
        return Sample(self.X[index], None if self.y is None else self.y[index])

    def with_X(self, X: np.ndarray) -> Sample:
        """Return the same rows with other columns."""
        return replace(self, X=X)

    def astype(self, dtype: Any) -> Sample:
        """Return the same rows in another precision, their response with them where it is a number."""
        y = self.y if self.y is None or self.y.dtype.kind != "f" else self.y.astype(dtype)
        return Sample(self.X.astype(dtype), y)

    def arguments(self) -> tuple[np.ndarray, ...]:
        """Return the positional arguments of `fit`."""
        return (self.X,) if self.y is None else (self.X, self.y)


def sample(
    target: str = "none", n: int = 120, p: int = 5, *, offset: float = 0.0, scale: float = 1.0, seed: int = 0
) -> Sample:
    """Make rows for an estimator.

    Parameters
    ----------
    target : {"none", "labels", "table"}
        What the second argument of `fit` is: nothing, three classes, or a table of three columns.
    n, p : int
        Rows and columns.
    offset, scale : float
        Every column is moved by `offset` times its standard deviation, then multiplied by `scale`.
    seed : int
    """
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, p)) * 1.5 ** -np.arange(p)
    y: np.ndarray | None = None
    if target == "labels":
        codes = np.arange(n) % 3
        Z[:, 0] += 2.0 * codes
        Z[:, 1 % p] += 1.5 * (codes == 1)
        y = np.array(["left", "middle", "right"])[codes]
    elif target == "table":
        y = np.stack([Z[:, j % p] * 0.9**j + (0.3 + 0.7 * j) * rng.standard_normal(n) * 1.5**-j for j in range(3)], 1)
        y = y + offset
    rotation, _ = np.linalg.qr(rng.standard_normal((p, p)))
    return Sample((Z @ rotation + offset) * scale, y)


def sample_for(estimator: Any, n: int = 120, p: int = 5, *, target: str = "none", **options: Any) -> Sample:
    """Make rows that suit an estimator: with the second argument that it takes, and positive if it needs counts.

    Parameters
    ----------
    estimator : estimator, or its class
    n, p : int
        Rows and columns.
    target : str
        For an estimator that does not say what it takes.
    **options
        Passed to `sample`.
    """
    data = sample(getattr(estimator, "_target", target), n, p, **options)
    if isinstance(estimator, type) or not hasattr(estimator, "_obeys"):
        return data
    if estimator._obeys().one_response and data.y is not None:
        return replace(data, y=data.y[:, 0])
    if not estimator._obeys().counts:
        return data
    size = options.get("scale", 1.0)
    return data.with_X(np.exp(0.5 * (data.X / size - options.get("offset", 0.0))) * size)
