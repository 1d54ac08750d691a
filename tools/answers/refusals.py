"""What is refused, and in which words: every estimator and every function meets bad input of each kind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import eigenlens

from .functions import FIRST_ARGUMENTS
from .models import SETTINGS, build
from .recording import Ask, Case, find
from .tables import Table, named

VALUES = (-1, 0, 0.5, 3, 1e9, float("nan"), float("inf"), "nonsense", None, True, (), [0.1, "x"], {}, np.ones(2))


def small(method: str) -> Table:
    """Return few rows that a method can take."""
    data = named("blobs").rows(slice(0, 30))
    return data.with_X(np.round(np.abs(data.X) * 4) + 1.0) if method == "CorrespondenceAnalysis" else data


def marked(X: np.ndarray, value: Any, dtype: Any = float) -> np.ndarray:
    """Return the table with one other cell."""
    X = X.astype(dtype)
    X[3, 1] = value
    return X


#: Each takes a good table of numbers and returns a bad one
BAD_TABLES: dict[str, Callable[[np.ndarray], Any]] = {
    "one dimension": lambda X: X[:, 0],
    "three dimensions": lambda X: X[None],
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "one row": lambda X: X[:1],
    "two rows": lambda X: X[:2],
    "one column": lambda X: X[:, :1],
    "a NaN": lambda X: marked(X, np.nan),
    "an infinite cell": lambda X: marked(X, np.inf),
    "all NaN": lambda X: np.full_like(X, np.nan),
    "a NaN column": lambda X: np.where(np.arange(X.shape[1]) == 1, np.nan, X),
    "words": lambda X: X.astype(str),
    "a word": lambda X: marked(X, "red", object),
    "a missing object": lambda X: marked(X, None, object),
    "complex": lambda X: X + 1j,
    "constant": lambda X: np.ones_like(X),
    "a constant column": lambda X: np.where(np.arange(X.shape[1]) == 1, 2.0, X),
    "equal rows": lambda X: np.tile(X[0], (len(X), 1)),
    "equal columns": lambda X: np.tile(X[:, :1], (1, X.shape[1])),
    "negative": lambda X: -np.abs(X),
    "huge": lambda X: X * 1e305,
    "tiny": lambda X: X * 1e-320,
    "dates": lambda X: pd.DataFrame({"a": pd.date_range("2020-01-01", periods=len(X)), "b": X[:, 0]}),
    "a column of words": lambda X: pd.DataFrame(X).assign(colour=["red", "blue"] * (len(X) // 2)),
    "names twice": lambda X: pd.DataFrame(X, columns=["a"] * X.shape[1]),
    "sparse with NaN": lambda X: scipy.sparse.csr_array(marked(X, np.nan)),
    "text": lambda X: "rows.csv",
    "nothing": lambda X: None,
    "a number": lambda X: 3.0,
    "a dict": lambda X: {"a": X[:, 0]},
    "ragged": lambda X: [[1.0, 2.0], [3.0]],
    "booleans": lambda X: X > 0,
}
BAD_SECONDS: dict[str, Callable[[np.ndarray], Any]] = {
    "missing": lambda y: None,
    "too short": lambda y: y[:-1],
    "too long": lambda y: np.concatenate([y, y[:1]]),
    "one value": lambda y: np.repeat(y[:1], len(y), axis=0),
    "all different": lambda y: np.arange(len(y)),
    "two columns": lambda y: np.stack([np.arange(len(y)), np.arange(len(y)) % 4], axis=1),
    "three dimensions": lambda y: np.zeros((len(y), 2, 2)),
    "a NaN": lambda y: np.where(np.arange(len(y)) == 2, np.nan, np.arange(len(y)) % 3),
    "infinite": lambda y: np.where(np.arange(len(y)) == 2, np.inf, np.arange(len(y))),
    "all NaN": lambda y: np.full(len(y), np.nan),
    "words and None": lambda y: np.array(["a", "b", None] * (len(y) // 3), dtype=object),
    "words": lambda y: np.array([f"w{i}" for i in range(len(y))]),
    "a class of one row": lambda y: (np.arange(len(y)) == 0).astype(int),
    "complex": lambda y: np.arange(len(y)) * 1j,
    "text": lambda y: "y",
    "empty": lambda y: y[:0],
}
BAD_WEIGHTS: dict[str, Callable[[int], Any]] = {
    "negative": lambda n: np.where(np.arange(n) == 1, -1.0, 1.0),
    "NaN": lambda n: np.where(np.arange(n) == 1, np.nan, 1.0),
    "infinite": lambda n: np.where(np.arange(n) == 1, np.inf, 1.0),
    "zero": lambda n: np.zeros(n),
    "one row": lambda n: (np.arange(n) == 1).astype(float),
    "too short": lambda n: np.ones(n - 1),
    "words": lambda n: np.array(["a"] * n),
    "two columns": lambda n: np.ones((n, 2)),
    "a number": lambda n: 2.0,
}


def refusals() -> Iterator[Case]:
    """Yield bad tables, second arguments, weights, parameters and calls of each method, and of each function."""
    for method, (takes, settings) in SETTINGS.items():
        cases = {
            "X": bad_tables,
            "y": bad_seconds,
            "weights": bad_weights,
            "parameters": bad_parameters,
            "calls": bad_calls,
        }
        for what, case in cases.items():
            yield f"refusals/{method}/{what}", partial(case, method, settings[0], takes)
    for name, call in FIRST_ARGUMENTS.items():
        yield f"refusals/functions/{name}", partial(bad_arguments, call)
    yield "refusals/open_rows", bad_sources
    yield "refusals/model files", bad_models


def done(_: Any) -> str:
    """Say that something was accepted; its answers are asked elsewhere."""
    return "accepted"


def bad_tables(method: str, setting: str, takes: str, ask: Ask) -> None:
    """Fit to bad tables."""
    data = small(method)
    X, *rest = data.given(takes)
    for name, bad in BAD_TABLES.items():
        table = bad(X)
        n = table.shape[0] if hasattr(table, "shape") else len(X)
        ask(name, lambda table=table, n=n: build(method, setting).fit(table, *[y[:n] for y in rest]), done)


def bad_seconds(method: str, setting: str, takes: str, ask: Ask) -> None:
    """Fit to bad second arguments."""
    data = small(method)
    if takes != "none":
        for name, bad in BAD_SECONDS.items():
            second = bad(getattr(data, takes))
            ask(name, lambda second=second: build(method, setting).fit(data.X, second), done)


def bad_weights(method: str, setting: str, takes: str, ask: Ask) -> None:
    """Fit with bad weights."""
    data = small(method)
    for name, bad in BAD_WEIGHTS.items():
        weight = bad(len(data.X))
        ask(name, lambda weight=weight: build(method, setting).fit(*data.given(takes), sample_weight=weight), done)


def bad_parameters(method: str, setting: str, takes: str, ask: Ask) -> None:
    """Fit with each value of each parameter."""
    data = small(method)
    for parameter in build(method, setting).get_params(deep=False):
        for value in VALUES:
            if parameter == "overwrite":
                continue

            def fit(parameter: str = parameter, value: Any = value) -> Any:
                return build(method, setting).set_params(**{parameter: value}).fit(*data.given(takes))

            ask(f"{parameter}={value!r}", fit, done)


def bad_calls(method: str, setting: str, takes: str, ask: Ask) -> None:
    """Call before the fit, with other columns, with other names and with arguments that there are not."""
    data = small(method)
    names = [f"c{j}" for j in range(data.X.shape[1])]
    frame = pd.DataFrame(data.X, columns=names)
    ask("unknown parameter", lambda: type(build(method, setting))(colour=1))
    calls = ("transform", "predict", "predict_proba", "decision_function", "score", "inverse_transform", "impute")
    calls += ("summary", "plot", "test_dimension", "test_columns", "get_feature_names_out", "mahalanobis", "rotate")
    for call in calls:
        model = build(method, setting)
        if hasattr(model, call) or hasattr(type(model), call):
            ask(f"{call} before the fit", lambda c=call, m=model: getattr(m, c)(data.X), done)
            ask(f"{call} of nothing before the fit", lambda c=call, m=model: getattr(m, c)(), done)
    model = ask("fit", lambda: build(method, setting).fit(frame, *data.given(takes)[1:]), done)
    if model is None:
        return
    tables = {
        "fewer columns": data.X[:, :2],
        "other names": frame.rename(columns={"c0": "z"}),
        "other order": frame[names[::-1]],
        "one name less": frame.drop(columns="c1"),
        "one dimension": data.X[0],
        "a NaN": marked(data.X, np.nan),
        "words": data.X.astype(str),
        "no rows": data.X[:0],
        "nothing": None,
    }
    for call in ("transform", "predict", "predict_proba", "score", "mahalanobis", "impute"):
        if hasattr(model, call):
            for name, table in tables.items():
                y = list(data.given(takes)[1:]) if call == "score" else []
                ask(f"{call} of {name}", lambda c=call, t=table, y=y: getattr(model, c)(t, *y), done)
    if hasattr(model, "test_dimension"):
        known = inspect.signature(model.test_dimension).parameters
        for parameter in set(known) - {"X", "y"}:
            for value in (-1, 2.5, "nonsense", None):
                options = {parameter: value}
                ask(f"test_dimension({parameter}={value!r})", partial(model.test_dimension, **options), done)
    if hasattr(model, "partial_fit"):
        ask("partial_fit of fewer columns", lambda: model.partial_fit(data.X[:, :2], *data.given(takes)[1:]), done)
        ask("fit_moments of a number", lambda: model.fit_moments(3), done)
        other = eigenlens.PCA(2).fit(data.X).moments_
        ask("fit_moments of another kind", lambda: model.fit_moments(other), done)


def bad_arguments(call: Callable[[Any], Any], ask: Ask) -> None:
    """Call a function with bad tables."""
    X = small("PCA").X
    for name, bad in BAD_TABLES.items():
        ask(name, lambda bad=bad: call(bad(X)), done)


def bad_sources(ask: Ask) -> None:
    """Open what cannot be opened."""
    frame = pd.DataFrame(named("blobs").X, columns=list("abcde")).assign(y=named("blobs").labels)
    frame.to_csv("rows.csv", index=False)
    frame.to_parquet("rows.parquet")
    (frame.assign(a="x")).to_csv("words.csv", index=False)
    for name, text in {"empty": "", "header": "a,b\n", "ragged": "a,b\n1,2\n3\n4,5,6\n"}.items():
        Path(f"{name}.csv").write_text(text)
    for path in ("rows.csv", "rows.parquet", "none.csv", "none-*.csv", "words.csv", "empty.csv", "header.csv"):
        for options in (
            {},
            {"target": "y"},
            {"target": "z"},
            {"columns": ["a", "z"]},
            {"columns": []},
            {"columns": ["a", "a"]},
            {"weight": "z"},
            {"weight": "y"},
            {"batch_rows": 0},
            {"batch_rows": 1.5},
            {"na": "3"},
            {"query": "select"},
            {"rows": "x"},
            {"layer": "x"},
            {"target": "y", "columns": ["y", "a"]},
        ):
            ask(f"{path} {options}", lambda p=path, o=options: eigenlens.LDA().fit(eigenlens.open_rows(p, **o)), done)
    for thing in (None, 3, [], "ragged.csv", "rows.xyz", b"rows", ["rows.csv", "words.csv"], "sqlite:///none.db"):
        ask(f"{thing!r}", lambda t=thing: eigenlens.PCA().fit(eigenlens.open_rows(t)), done)
    model = eigenlens.PCA(1).fit(frame[list("abcde")])
    for path in ("out.xyz", "rows.csv", "nowhere/out.csv", "", None):
        ask(f"write {path!r}", lambda p=path: eigenlens.write_rows(model.transform, frame[list("abcde")], p), done)


def bad_models(ask: Ask) -> None:
    """Load and save what cannot be."""
    model = eigenlens.PCA(1).fit(named("blobs").X)
    eigenlens.save(model, "model.eigenlens")
    content = Path("model.eigenlens").read_bytes()
    cut = {"empty": b"", "cut": content[: len(content) // 2], "text": b"a,b\n1,2\n", "longer": content + b"x"}
    cut["flipped"] = content[:200] + bytes([content[200] ^ 1]) + content[201:]
    for name, bytes_ in cut.items():
        Path(f"{name}.eigenlens").write_bytes(bytes_)
        ask(f"load {name}", lambda name=name: eigenlens.load(f"{name}.eigenlens"), done)
    ask("load nothing", lambda: eigenlens.load("none.eigenlens"), done)
    ask("load another kind", lambda: eigenlens.load("model.eigenlens", kind=eigenlens.LDA), done)
    for name, thing in {"unfitted": eigenlens.PCA(), "a number": 3, "a function": len, "text": "x"}.items():
        ask(f"save {name}", lambda thing=thing: eigenlens.save(thing, "other.eigenlens"), done)
    ask("save again", lambda: eigenlens.save(model, "model.eigenlens", overwrite=False), done)
    ask("describe text", lambda: find("describe", "files")("text.eigenlens"), done)
