"""Labels, responses and weights to throw at estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl


def _codes(rng, n):
    k = int(rng.choice([1, 2, 3, 5]))
    return rng.integers(k, size=n) if rng.random() < 0.3 else np.arange(n) % k


LABELS = {
    "whole numbers": lambda c: c,
    "words": lambda c: np.array(list("abcdef"))[c],
    "bytes": lambda c: np.array(list("abcdef")).astype("S")[c],
    "list of words": lambda c: ["uvwxyz"[i] for i in c],
    "object numbers": lambda c: c.astype(object),
    "object words": lambda c: np.array(list("abcdef"), dtype=object)[c],
    "object bytes": lambda c: np.array([b"a", b"b", b"c", b"d", b"e"], dtype=object)[c],
    "Categorical": lambda c: pd.Categorical(np.array(list("abcdef"))[c]),
    "Categorical numbers": lambda c: pd.Series(pd.Categorical(c + 10)),
    "pandas words": lambda c: pd.Series(np.array(list("abcdef"))[c]),
    "polars words": lambda c: pl.Series(np.array(list("abcdef"))[c].tolist()),
    "polars categories": lambda c: pl.Series(np.array(list("abcdef"))[c].tolist(), dtype=pl.Categorical),
    "bool": lambda c: c > 0,
    "object bool": lambda c: (c > 0).astype(object),
    "big": lambda c: c + 2**60,
    "big unsigned": lambda c: c.astype(np.uint64) + np.uint64(2**63),
    "bigger than any machine's": lambda c: np.array([10**30 + int(i) for i in c], dtype=object),
    "list of big numbers": lambda c: [10**30 + int(i) for i in c],
    "far apart": lambda c: np.where(c > 0, np.iinfo(np.int64).max, np.iinfo(np.int64).min),
    "whole floats": lambda c: c.astype(float),
    "float32": lambda c: c.astype(np.float32),
    "huge floats": lambda c: c * 1e300,
    "dates": lambda c: np.datetime64("2020-01-01") + c,
    "one class of words": lambda c: np.full(len(c), "only"),
    "one class of objects": lambda c: np.full(len(c), "only", dtype=object),
    "one class of categories": lambda c: pd.Categorical(np.full(len(c), "only")),
    "one class of numbers": lambda c: np.zeros(len(c), dtype=int),
    "a class for each row": lambda c: np.arange(len(c)),
    "column vector": lambda c: c[:, None],
    "mixed": lambda c: [int(i) if i else "zero" for i in c],
    "missing": lambda c: np.where(c > 0, "a", None),
    "tuples": lambda c: [(int(i), 0) for i in c],
    "NaN": lambda c: np.where(c > 0, np.nan, c.astype(float)),
    "fractions": lambda c: c + 0.5,
    "complex": lambda c: c + 1j,
    "one too few": lambda c: c[:-1],
    "nothing": lambda c: None,
}


def _whole(v):
    return np.clip(3 * v, -50, 50).astype(int)


RESPONSES = {
    "numbers": lambda v: v,
    "float32": lambda v: v.astype(np.float32),
    "whole numbers": _whole,
    "list": lambda v: v.tolist(),
    "pandas": pd.Series,
    "polars": lambda v: pl.Series(v.tolist()),
    "objects": lambda v: v.astype(object),
    "bool": lambda v: v > 0,
    "constant": lambda v: 0 * v + 7,
    "zeros": lambda v: 0 * v,
    "huge": lambda v: v * 1e200,
    "at the end of the range": lambda v: v * 1e307,
    "tiny": lambda v: v * 1e-200,
    "offset": lambda v: v + 1e12,
    "two columns": lambda v: np.column_stack([v, v[::-1]]),
    "three columns of a frame": lambda v: pd.DataFrame({"u": v, "v": v**2, "w": 1.0}),
    "unlike columns": lambda v: np.column_stack([v * 1e-150, v * 1e150]),
    "one in a million": lambda v: np.where(np.arange(len(v)) == 0, 1e6, v),
    "NaN": lambda v: np.where(np.arange(len(v)) == 0, np.nan, v),
    "inf": lambda v: np.where(np.arange(len(v)) == 0, np.inf, v),
    "words": lambda v: np.where(v > 0, "up", "down"),
    "dates": lambda v: np.datetime64("2020-01-01") + _whole(v),
    "big whole numbers": lambda v: [10**30 + int(i) for i in _whole(v)],
    "one too many": lambda v: np.r_[v, 0.0],
    "nothing": lambda v: None,
}


def draw_target(rng, values, wants):
    """A target for rows, with its name: mostly of the kind the estimator wants ("labels", "numbers", "table")."""
    n = len(values)
    right = rng.random() < 0.88
    if (wants == "labels") == right:
        name = str(rng.choice(list(LABELS)))
        return f"labels: {name}", LABELS[name](_codes(rng, n))
    with np.errstate(all="ignore"):
        v = np.nan_to_num(values[:, 0] if n and values.shape[1] else np.zeros(n), posinf=1.0, neginf=1.0)
        v = v / (np.abs(v).max(initial=0.0) or 1.0) + 0.3 * rng.standard_normal(n)
        name = str(rng.choice(["two columns", *RESPONSES] if wants == "table" else list(RESPONSES)))
        return f"response: {name}", RESPONSES[name](v)


WEIGHTS = {
    "ordinary": lambda u: 0.5 + u,
    "whole numbers": lambda u: (1 + 3 * u).astype(int),
    "some zeros": lambda u: np.where(u < 0.4, 0.0, 1.0),
    "all zeros": lambda u: 0 * u,
    "one row alone": lambda u: (np.arange(len(u)) == 0).astype(float),
    "sum to one": lambda u: u / (u.sum() or 1.0),
    "1e300": lambda u: 1e300 * (0.5 + u),
    "1e-300": lambda u: 1e-300 * (0.5 + u),
    "1e-320": lambda u: 1e-320 * (0.5 + u),
    "1e300 and 1e-300": lambda u: np.where(u < 0.5, 1e300, 1e-300),
    "ordinary and 1e-300": lambda u: np.where(u < 0.5, 1.0, 1e-300),
    "ordinary and 1e-40": lambda u: np.where(u < 0.5, 1.0, 1e-40),
    "1e49": lambda u: 1e49 * (0.5 + u),
    "1e-49": lambda u: 1e-49 * (0.5 + u),
    "one of 1e300": lambda u: np.where(np.arange(len(u)) == 0, 1e300, 1.0),
    "too large": lambda u: np.full(len(u), 1.7e308),
    "negative": lambda u: u - 0.5,
    "NaN": lambda u: np.where(np.arange(len(u)) == 0, np.nan, 1.0),
    "inf": lambda u: np.where(np.arange(len(u)) == 0, np.inf, 1.0),
    "bool": lambda u: u < 0.7,
    "objects": lambda u: u.astype(object),
    "list": lambda u: (0.5 + u).tolist(),
    "pandas": lambda u: pd.Series(0.5 + u),
    "words": lambda u: np.full(len(u), "one"),
    "a number": lambda u: 2.0,
    "one too few": lambda u: u[:-1],
    "two columns": lambda u: np.column_stack([u, u]),
}


def draw_weights(rng, n):
    """Weights for n rows, with their name; mostly none."""
    if rng.random() < 0.55:
        return "none", None
    name = str(rng.choice(list(WEIGHTS)))
    return name, WEIGHTS[name](rng.random(n))
