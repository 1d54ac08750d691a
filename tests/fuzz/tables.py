"""Tables to throw at estimators: ordinary rows, what may be wrong with them, and the kinds of objects they come in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp


def draw_values(rng, n, p):
    """Rows of one kind of trouble, or of none; with the name of the trouble."""
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.5 * rng.standard_normal((p, p)))
    name = str(rng.choice(list(TROUBLES), p=[0.3, *[0.7 / (len(TROUBLES) - 1)] * (len(TROUBLES) - 1)]))
    with np.errstate(all="ignore"):
        return name, TROUBLES[name](X, rng)


def _with_cell(value):
    def change(X, rng):
        X = X.copy()
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = value
        return X

    return change


def _with_column(make):
    def change(X, rng):
        X = X.copy()
        j = rng.integers(X.shape[1])
        X[:, j] = make(X, j)
        return X

    return change


def _times(*scales):
    return lambda X, rng: X * rng.choice(scales)


TROUBLES = {
    "none": lambda X, rng: X,
    "constant column": _with_column(lambda X, j: 3.0),
    "column of zeros": _with_column(lambda X, j: 0.0),
    "copied column": _with_column(lambda X, j: X[:, j - 1]),
    "nearly copied column": _with_column(lambda X, j: X[:, j - 1] * (1 + 1e-13)),
    "sum of columns": _with_column(lambda X, j: X.sum(axis=1)),
    "all columns equal": lambda X, rng: np.repeat(X[:, :1], X.shape[1], axis=1),
    "all rows equal": lambda X, rng: np.repeat(X[:1], len(X), axis=0),
    "all zeros": lambda X, rng: 0 * X,
    "rows twice": lambda X, rng: X[np.arange(len(X)) // 2],
    "huge": _times(1e60, 1e155, 1e160, 1e300, 1e307),
    "tiny": _times(1e-60, 1e-155, 1e-160, 1e-300, 1e-310),
    "unlike scales": lambda X, rng: X * 10.0 ** rng.integers(-300, 300, X.shape[1]),
    "offset": lambda X, rng: X + rng.choice([1e3, 1e8, 1e15, 1e100]),
    "signs": lambda X, rng: np.sign(X),
    "one column of signs": lambda X, rng: np.sign(X[:, :1]),
    "counts": lambda X, rng: np.floor(np.abs(3 * X)),
    "NaN": _with_cell(np.nan),
    "inf": _with_cell(np.inf),
    "wild cell": _with_cell(1e16),
    "wilder cell": _with_cell(1e200),
    "no columns": lambda X, rng: X[:, :0],
    "no rows": lambda X, rng: X[:0],
    "distances": lambda X, rng: np.abs(X[:, None, :] - X[None, :, :]).sum(axis=2),
    "not symmetric": lambda X, rng: X @ X.T + rng.random((len(X), len(X))),
}


def _names(X):
    return [f"c{j}" for j in range(X.shape[1])]


def _whole(X, dtype):
    return np.clip(np.nan_to_num(3 * X), -100, 100).astype(dtype)


def _single(X):
    with np.errstate(all="ignore"):
        return X.astype(np.float32)


KINDS = {
    "array": lambda X: X,
    "Fortran": np.asfortranarray,
    "lists": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=_names(X)),
    "polars": lambda X: pl.DataFrame(X, schema=_names(X)),
    "arrow": lambda X: pa.table(dict(zip(_names(X), np.ascontiguousarray(X.T), strict=True))),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "float32": _single,
    "int64": lambda X: _whole(X, np.int64),
    "uint8": lambda X: _whole(np.abs(X), np.uint8),
    "bool": lambda X: X > 0,
    "objects": lambda X: X.astype(object),
    "pandas of whole numbers": lambda X: pd.DataFrame(_whole(X, np.int32), columns=_names(X)),
    "a column alone": lambda X: X[:, 0] if X.shape[1] else X,
    "words": lambda X: X.astype(str),
}
KIND_SHARES = np.array([8, 1, 2, 3, 2, 1, 2, 1, 2, 2, 1, 1, 1, 1, 0.3, 0.3])


def draw_kind(rng):
    """The kind of object a table comes in."""
    return str(rng.choice(list(KINDS), p=KIND_SHARES / KIND_SHARES.sum()))
