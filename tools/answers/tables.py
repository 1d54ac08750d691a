"""Twenty-two small tables: real ones that other libraries ship, and seeded ones that are hard in one way each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

MOST = 160  # rows of a real table


@dataclass(frozen=True)
class Table:
    """Rows with every second argument that a method may take."""

    X: np.ndarray
    labels: np.ndarray
    response: np.ndarray
    second: np.ndarray

    def given(self, takes: str) -> tuple[Any, ...]:
        """Return the arguments of `fit`."""
        return (self.X,) if takes == "none" else (self.X, getattr(self, takes))

    def rows(self, index: Any) -> Table:
        """Return some of the rows."""
        return Table(self.X[index], self.labels[index], self.response[index], self.second[index])

    def with_X(self, X: Any) -> Table:
        """Return the same rows with other columns."""
        return replace(self, X=X)


def table(X: Any, labels: Any = None, response: Any = None, second: Any = None) -> Table:
    """Return a table with the arguments that are missing made from its columns."""
    X = np.asarray(X, dtype=float)
    y = X @ np.cos(np.arange(X.shape[1])) if response is None else np.asarray(response, dtype=float)
    if labels is None:
        labels = np.array(["low", "middle", "high"])[np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))]
    if second is None:
        second = np.stack([y, np.abs(X[:, 0] - X[:, 0].mean()) + 0.1 * np.sin(np.arange(len(X)))], axis=1)
    return Table(X, np.asarray(labels), y, np.asarray(second, dtype=float))


def shipped(name: str) -> Table:
    """Return a table of scikit-learn, at most `MOST` rows, spread over it."""
    data = getattr(datasets, f"load_{name}")()
    index = np.unique(np.linspace(0, len(data.data) - 1, MOST).astype(int))
    X, y = data.data[index], data.target[index]
    return (
        table(X, data.target_names[y]) if hasattr(data, "target_names") and y.dtype.kind == "i" else table(X, None, y)
    )


def linnerud() -> Table:
    """Return the exercises and measures of twenty men."""
    data = datasets.load_linnerud()
    return table(data.data, None, data.target[:, 0], data.target)


def of_statsmodels(name: str, response: str) -> Table:
    """Return the columns of numbers of a table of statsmodels."""
    import importlib

    frame = importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data
    frame = frame.select_dtypes("number").dropna()
    return table(frame.drop(columns=response).to_numpy(), None, frame[response].to_numpy())


def seeded(seed: int, n: int, p: int) -> tuple[np.random.Generator, np.ndarray]:
    """Return a generator and rows of decreasing spread."""
    rng = np.random.default_rng(seed)
    return rng, rng.standard_normal((n, p)) * 1.4 ** -np.arange(p)


def blobs() -> Table:
    """Return three classes that are apart in two directions, a response that bends and a related second table."""
    rng, Z = seeded(0, 90, 5)
    codes = np.arange(90) % 3
    Z[:, 0] += 2.0 * codes
    Z[:, 1] += 1.5 * (codes == 1)
    y = np.exp(Z[:, 0] / 2) + Z[:, 1] ** 2 + 0.3 * rng.standard_normal(90)
    second = Z[:, :3] * [1.0, 0.8, 0.5] + rng.standard_normal((90, 3)) * [0.4, 0.6, 0.8]
    return table(Z @ np.linalg.qr(rng.standard_normal((5, 5)))[0], np.array(["a", "b", "c"])[codes], y, second)


def far() -> Table:
    """Return rows far from the origin."""
    return table(blobs().X + 1e6, blobs().labels, blobs().response)


def units() -> Table:
    """Return columns of very different units."""
    return table(blobs().X * np.array([1e-3, 1.0, 1e3, 10.0, 0.1]), blobs().labels, blobs().response)


def wide() -> Table:
    """Return more columns than rows."""
    rng, Z = seeded(1, 24, 60)
    codes = np.arange(24) % 2
    Z[:, :3] += 3.0 * codes[:, None]
    return table(Z + 0.1 * rng.standard_normal((24, 60)), np.array(["no", "yes"])[codes])


def tall() -> Table:
    """Return more rows than a block holds at once for small tables."""
    rng, Z = seeded(2, 1500, 4)
    return table(Z, rng.integers(0, 4, 1500), Z[:, 0] ** 2 + Z[:, 1] + 0.1 * rng.standard_normal(1500))


def heavy() -> Table:
    """Return rows with heavy tails."""
    return table(np.random.default_rng(3).standard_t(2, (80, 6)))


def dependent() -> Table:
    """Return columns of which two are combinations of the others."""
    _, Z = seeded(4, 60, 4)
    return table(np.column_stack([Z, Z[:, 0] + Z[:, 1], 2 * Z[:, 2]]), None, Z[:, 0] - Z[:, 3])


def few() -> Table:
    """Return nine rows."""
    return table(seeded(5, 9, 3)[1], [0, 1, 2] * 3)


def ties() -> Table:
    """Return small whole numbers, with rows that repeat."""
    rng = np.random.default_rng(6)
    X = rng.integers(0, 4, (70, 4)).astype(float)
    return table(X, X[:, 0] > 1, X.sum(axis=1) + rng.integers(0, 2, 70))


def counts() -> Table:
    """Return counts."""
    rng = np.random.default_rng(7)
    rates = np.exp(0.6 * rng.standard_normal((40, 2)) @ rng.standard_normal((2, 6)) + 1.5)
    return table(rng.poisson(rates) + 1.0)


def curves() -> Table:
    """Return smooth curves of two kinds."""
    rng, grid = np.random.default_rng(8), np.linspace(0, 1, 30)
    codes = np.arange(50) % 2
    phase = rng.standard_normal((50, 1)) / 5 + 0.3 * codes[:, None]
    X = np.sin(2 * np.pi * (grid + phase)) + 0.1 * rng.standard_normal((50, 30))
    return table(X, np.array(["sine", "shifted"])[codes], phase[:, 0])


def unequal() -> Table:
    """Return a rare class and a frequent one."""
    rng, Z = seeded(9, 100, 3)
    codes = (np.arange(100) % 12 == 0).astype(int)
    Z[:, 0] += 2 * codes
    return table(Z, codes, Z[:, 0] + rng.standard_normal(100))


def outlying() -> Table:
    """Return rows of low rank with gross errors in some cells."""
    rng = np.random.default_rng(10)
    X = rng.standard_normal((50, 2)) @ rng.standard_normal((2, 8))
    X[rng.random(X.shape) < 0.05] += 8.0
    return table(X)


TABLES: dict[str, Callable[[], Table]] = {
    "iris": lambda: shipped("iris"),
    "wine": lambda: shipped("wine"),
    "cancer": lambda: shipped("breast_cancer"),
    "digits": lambda: shipped("digits"),
    "diabetes": lambda: shipped("diabetes"),
    "linnerud": linnerud,
    "longley": lambda: of_statsmodels("longley", "TOTEMP"),
    "stackloss": lambda: of_statsmodels("stackloss", "STACKLOSS"),
    "statecrime": lambda: of_statsmodels("statecrime", "murder"),
    "blobs": blobs,
    "far": far,
    "units": units,
    "wide": wide,
    "tall": tall,
    "heavy": heavy,
    "dependent": dependent,
    "few": few,
    "ties": ties,
    "counts": counts,
    "curves": curves,
    "unequal": unequal,
    "outlying": outlying,
}


@cache
def named(name: str) -> Table:
    """Return one of the tables."""
    return TABLES[name]()


def with_gaps(X: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return columns with missing cells, never a whole row or column."""
    gone = np.random.default_rng(seed).random(X.shape) < 0.12
    gone[np.arange(len(X)), np.arange(len(X)) % X.shape[1]] = False
    return np.where(gone, np.nan, X)


def words(n: int = 60) -> pd.DataFrame:
    """Return a table of words and numbers."""
    rng = np.random.default_rng(11)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
    size = np.where(rng.random(n) < 0.7, np.where(colour == "red", "big", "small"), "middling")
    a = rng.standard_normal(n) + (colour == "red")
    return pd.DataFrame({"a": a, "b": rng.standard_normal(n) * 10, "colour": colour, "size": size, "c": a**2})
