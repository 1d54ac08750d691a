"""Every estimator and regressor: on every table, after every way of fitting, its tests and its pictures."""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import eigenlens
from eigenlens import distances, kernels, regress

from .recording import Ask, Case, figures
from .tables import TABLES, Table, named, with_gaps, words

#: What `fit` takes as its second argument, and every setting that is asked; the first on all tables, others on some.
#: A setting is text that is evaluated when it is asked: one that is gone is an answer.
SETTINGS: dict[str, tuple[str, list[str]]] = {
    "PCA": (
        "none",
        ["", "2", "0.9", "'mp'", "'parallel'", "'mle'", "'auto'", "'cv'", "2, ddof=0, whiten=True", "2, scale=True"]
        + [f"2, solver={solver!r}" for solver in ("dense", "lanczos", "randomized")],
    ),
    "SparsePCA": (
        "none",
        [
            "2",
            "2, alpha=0.3, ridge=0.1",
            "2, alpha=0.5, ridge=np.inf",
            "2, n_nonzero=2",
            "2, alpha=0.2, relative=True",
            "2, n_nonzero=1, ridge=np.inf",
            "2, n_nonzero=[2, 1], refit=True",
            "2, scale=True",
            "2, alpha=0.0",
        ],
    ),
    "RobustPCA": ("none", ["", "2, method='fixed_rank'", "scale=True", "lam=0.2"]),
    "KernelPCA": (
        "none",
        ["2", "2, kernel=kernels.Linear()", "1, kernel=kernels.Matern(2.5)", "2, n_landmarks=8", "2, scale=True"],
    ),
    "ClassicalMDS": (
        "none",
        [
            "",
            "3, metric='cityblock'",
            "correction='lingoes', metric='cityblock'",
            "n_landmarks=8",
            "correction='cailliez', metric='cityblock'",
            "schoenberg=distances.Logarithm(2.0) @ distances.Power(0.9)",
            "n_landmarks=8, landmarks='maxmin'",
        ],
    ),
    "CorrespondenceAnalysis": ("none", ["", "1"]),
    "MixedPCA": ("none", ["", "2"]),
    "LDA": (
        "labels",
        [
            "",
            "1",
            "'auto'",
            "priors='equal'",
            "shrinkage=0.2",
            "shrinkage='oas'",
            "shrinkage='ledoit-wolf'",
            "shrinkage='cv'",
            "shrinkage=0.2, shrinkage_target='diagonal'",
            "within='equal', between='equal'",
        ],
    ),
    "QDA": ("labels", ["", "pooling=0.3", "pooling=0.5, shrinkage=0.2", "pooling='cv'"]),
    "FDA": (
        "labels",
        [
            "",
            "1, regressor=regress.PolynomialRegression(1)",
            "regressor=regress.AdaptiveSplines()",
            "regressor=regress.AdditiveSplines()",
            "regressor=regress.PenalizedRegression(lam=1.0)",
        ],
    ),
    "PDA": ("labels", ["", "1, lam=2.0", "lam=0", "df=0.9, cost=2.0", "penalty='smooth'", "penalty='cyclic', lam=5.0"]),
    "MDA": (
        "labels",
        [
            "2, n_subclasses=2, n_init=2",
            "",
            "n_subclasses=1",
            "n_subclasses='bic', n_init=2",
            "n_subclasses=2, regressor=regress.PenalizedRegression(lam=1.0), max_iter=5, tol=0, n_init=2",
        ],
    ),
    "KernelClassifier": (
        "labels",
        [
            "",
            "loss='logistic'",
            "loss='squared', lam='loo', lams=(0.1, 1.0, 10.0)",
            "n_landmarks=8",
            "loss='logistic', n_landmarks=8",
        ],
    ),
    "SIR": ("response", ["", "1", "ridge=0.1", "2, n_slices=4", "'auto'"]),
    "SAVE": ("response", ["", "2, ridge=0.1", "2, n_slices=3"]),
    "DirectionalRegression": ("response", ["", "2, ridge=0.1", "2, n_slices=3"]),
    "PrincipalHessianDirections": ("response", ["", "2, residuals=False", "2, ridge=0.1"]),
    "LocalizedSIR": ("response", ["n_neighbors=3", "2, n_neighbors=5, ridge=0.1", "2, n_neighbors='cv'"]),
    "CCA": ("second", ["", "1", "ridge=0.1", "ridge='cv'", "'auto'"]),
    "KernelRegressor": (
        "response",
        ["lams=(0.1, 1.0, 10.0)", "kernels.Matern(2.5), lam=1.0", "loss='epsilon_insensitive', lam=0.5"]
        + ["lam='loo', lams=(0.1, 1.0), n_landmarks=8", "loss='epsilon_insensitive', lam=0.5, n_landmarks=8"]
        + [f"kernels.{kernel}, lam=1.0" for kernel in ("Laplacian()", "Wendland(1)", "Polynomial(2)", "ThinPlate(2)")]
        + ["kernels.Gaussian(1.0) + kernels.Linear(), lam=1.0", "2.0 * kernels.Gaussian(1.0).on([0]), lam=1.0"],
    ),
    "regress.AdaptiveSplines": ("response", ["", "degree=2", "prune='cv', cv=3", "degree=2, max_terms=9, linear=[0]"]),
    "regress.AdditiveSplines": ("response", ["", "cost=1.5"]),
    "regress.PenalizedRegression": ("response", ["", "'smooth', lam=1.0", "df=2"]),
    "regress.PolynomialRegression": ("response", ["", "3, interactions=False"]),
    "regress.ProjectionPursuit": ("response", ["1, 2", "1, 1, smoother='spline'", "2, 3, bass=2.0"]),
}
GAPS = {
    "PCA": ["2, missing='ml'", "2, missing='ppca'", "2, scale=True, missing='ml'"],
    "LDA": ["missing='ml'", "1, shrinkage=0.2, missing='ml'", "within='equal', missing='ml'"],
    "QDA": ["missing='ml'"],
    "PDA": ["1, lam=2.0, missing='ml'"],
    "MDA": ["n_subclasses=2, missing='ml', n_init=2"],
    "CCA": ["missing='ml'", "1, ridge=0.1, missing='ml'"],
    "SIR": ["missing='ml'"],
    "SAVE": ["2, missing='ml'"],
    "DirectionalRegression": ["2, missing='ml'"],
}
SOME = ("wine", "blobs", "wide", "diabetes")
#: Too slow for many rows or columns
SLOW = ("LocalizedSIR", "KernelClassifier", "KernelRegressor", "MDA", "FDA", "regress.ProjectionPursuit", "RobustPCA")
LARGE = ("tall", "digits", "cancer")


def build(method: str, setting: str) -> Any:
    """Return an estimator of its settings, written as text."""
    names = {"eigenlens": eigenlens, "regress": regress, "kernels": kernels, "distances": distances, "np": np}
    home = "" if method.startswith("regress.") else "eigenlens."
    return eval(f"{home}{method}({setting})", names)


def suited(method: str, name: str) -> Table:
    """Return a table that a method can take: counts without negative numbers."""
    data = named(name)
    if method != "CorrespondenceAnalysis":
        return data
    return data.with_X(np.round(np.abs(data.X - data.X.min(axis=0)) * 3) + 1.0)


# -- on every table ------------------------------------------------------------------------------------------------


def on_tables() -> Iterator[Case]:
    """Yield every setting on its tables."""
    for method, (takes, settings) in SETTINGS.items():
        for k, setting in enumerate(settings):
            for name in TABLES if k == 0 else SOME:
                if not (method in SLOW and name in LARGE):
                    case = partial(fitted, method, setting, takes, suited(method, name))
                    yield f"tables/{method}({setting})/{name}", case
    yield from with_words()
    yield from with_missing()
    yield from of_distances()


def fitted(method: str, setting: str, takes: str, data: Table, ask: Ask) -> None:
    """Fit, and ask everything that a fitted model can be asked."""
    model = ask("fit", lambda: build(method, setting).fit(*data.given(takes)))
    if model is not None:
        questions(model, takes, data, ask)


def questions(model: Any, takes: str, data: Table, ask: Ask) -> None:
    """Ask what needs no more than rows like those of the fit."""
    few = data.rows(slice(0, 20))
    rows = few.X if isinstance(few.X, pd.DataFrame) or not np.isfinite(few.X).all() else few.X * 1.01 + 0.01
    if "CorrespondenceAnalysis" in type(model).__name__:
        rows = few.X
    for call in ("transform", "predict", "predict_proba", "decision_function", "mahalanobis", "sphere", "split"):
        if hasattr(model, call):
            ask(call, partial(getattr(model, call), rows))
    for call in ("score_samples", "reconstruction_error", "impute", "predict_subclass_proba", "predict_interval"):
        if hasattr(model, call):
            ask(call, partial(getattr(model, call), rows))
    for call in ("basis", "partial", "outlier_scores", "supplementary", "transform_columns"):
        if hasattr(model, call):
            ask(call, partial(getattr(model, call), rows))
    for call in ("get_covariance", "contributions", "cos2", "anova", "evimp", "importances", "get_feature_names_out"):
        if hasattr(model, call):
            ask(call, getattr(model, call))
    if hasattr(model, "inverse_transform"):
        ask("inverse_transform", lambda: model.inverse_transform(model.transform(rows)))
    if hasattr(model, "score"):
        ask("score", lambda: model.score(*few.given(takes)))
    ask("summary", lambda: str(model.summary()))


def with_words() -> Iterator[Case]:
    """Yield methods on words and numbers."""
    frame = words()
    data = Table(frame, np.where(frame["a"] > 0, "p", "q"), frame["b"].to_numpy(), frame[["a"]].to_numpy())
    rows = Table(frame.head(20), data.labels[:20], data.response[:20], data.second[:20])
    holed = frame.copy()
    holed.loc[::7, "colour"] = None
    holed.loc[::9, "b"] = np.nan
    for setting in ("", "2", "2, categories=['colour']", "2, missing='level'", "2, missing='unobserved'"):
        for name, table in (("words", frame), ("gaps", holed)):

            def case(ask: Ask, setting: str = setting, table: Any = table) -> None:
                model = ask("fit", lambda: build("MixedPCA", setting).fit(table))
                if model is not None:
                    ask("transform", lambda: model.transform(rows.X))
                    ask("summary", lambda: str(model.summary()))
                    ask("contributions", model.contributions)
                    ask("cos2", model.cos2)

            yield f"tables/MixedPCA({setting})/{name}", case


def with_missing() -> Iterator[Case]:
    """Yield methods that model missing cells."""
    for method, settings in GAPS.items():
        takes = SETTINGS[method][0]
        for setting in settings:
            for name in ("iris", "blobs", "diabetes"):
                data = named(name).rows(slice(None, None, 2))
                case = partial(fitted, method, setting, takes, data.with_X(with_gaps(data.X)))
                yield f"missing/{method}({setting})/{name}", case
    for method, (takes, settings) in SETTINGS.items():  # the others say what to do
        data = named("blobs")
        yield f"missing/{method}/refused", partial(fitted, method, settings[0], takes, data.with_X(with_gaps(data.X)))


def of_distances() -> Iterator[Case]:
    """Yield maps of tables of distances, and kernels that were computed by hand."""
    X = named("few").X
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    for setting in ("", "squared=True", "correction='lingoes'", "correction='cailliez'", "n_landmarks=5"):

        def case(ask: Ask, setting: str = setting) -> None:
            model = ask("fit", lambda: build("ClassicalMDS", f"metric='precomputed', {setting}").fit(D))
            if model is not None:
                ask("transform", lambda: model.transform(D[:3]))
                ask("test_dimension", lambda: model.test_dimension())
                ask("all_eigenvalues", lambda: model.all_eigenvalues())

        yield f"tables/ClassicalMDS(precomputed, {setting})", case
    for chain in ("Identity()", "Exponential(0.5)", "Logarithm(2.0)", "Rational(1.0)", "Power(0.5)"):
        yield (
            f"tables/ClassicalMDS({chain})",
            lambda ask, chain=chain: ask("fit", lambda: build("ClassicalMDS", f"schoenberg=distances.{chain}").fit(X)),
        )


# -- in every way --------------------------------------------------------------------------------------------------


def in_every_way() -> Iterator[Case]:
    """Yield the first setting of each method, and one with missing cells, after every way of fitting."""
    for method, (takes, settings) in SETTINGS.items():
        for name in ("iris", "blobs"):
            data = suited(method, name).rows(slice(0, None, 2))
            for way in WAYS:
                yield f"ways/{way}/{method}/{name}", partial(fitted_by, way, method, settings[0], takes, data)
    for method, settings in GAPS.items():
        takes = SETTINGS[method][0]
        data = named("blobs")
        for way in ("pandas", "csv", "parquet", "weights", "partial_fit", "fit_moments"):
            holed = data.with_X(with_gaps(data.X))
            yield f"ways/{way}/{method} missing/blobs", partial(fitted_by, way, method, settings[0], takes, holed)


def fitted_by(way: str, method: str, setting: str, takes: str, data: Table, ask: Ask) -> None:
    """Fit in one way, and ask for scores and predictions of a few rows."""
    with tempfile.TemporaryDirectory(prefix="answers-") as folder:
        model = ask("fit", lambda: WAYS[way](build(method, setting), takes, data, Path(folder)))
        for call in ("transform", "predict", "predict_proba"):
            if model is not None and hasattr(model, call):
                ask(call, partial(getattr(model, call), data.X[:15]))


def frame_of(takes: str, data: Table) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the rows as one frame, and how `open_rows` is told of it."""
    columns = [f"c{j}" for j in range(data.X.shape[1])]
    frame = pd.DataFrame(data.X, columns=columns)
    if takes == "second":
        target: Any = [f"y{j}" for j in range(data.second.shape[1])]
        frame[target] = data.second
        return frame, {"columns": columns, "target": target}
    if takes == "none":
        return frame, {"columns": columns}
    frame["y"] = data.given(takes)[1]
    return frame, {"columns": columns, "target": "y"}


def parquet(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to a Parquet file in several groups of rows."""
    frame, roles = frame_of(takes, data)
    frame.to_parquet(folder / "rows.parquet", row_group_size=17, index=False)
    return model.fit(eigenlens.open_rows(folder / "rows.parquet", batch_rows=11, **roles))


def csv(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to text."""
    frame, roles = frame_of(takes, data)
    frame.to_csv(folder / "rows.csv", index=False)
    return model.fit(eigenlens.open_rows(folder / "rows.csv", **roles))


def several(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to a weighted file in two compressed parts."""
    frame, roles = frame_of(takes, data)
    frame["w"] = 1.0 + np.arange(len(frame)) % 3
    for k, index in enumerate(np.array_split(np.arange(len(frame)), 2)):
        frame.iloc[index].to_csv(folder / f"part-{k}.csv.gz", index=False)
    return model.fit(eigenlens.open_rows(folder / "part-*.csv.gz", weight="w", **roles))


def polars(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to a Polars frame and series."""
    import polars as pl

    X, *rest = data.given(takes)
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])])
    return model.fit(frame, *[pl.Series("y", y) if y.ndim == 1 else y for y in rest])


def pandas(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to a pandas frame whose rows have names."""
    X, *rest = data.given(takes)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])], index=[f"r{i}" for i in range(len(X))])
    return model.fit(frame, *[pd.Series(y, frame.index) if y.ndim == 1 else y for y in rest])


def sparse(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to a sparse table whose small cells are zero."""
    import scipy.sparse

    X, *rest = data.given(takes)
    return model.fit(scipy.sparse.csr_array(np.where(np.abs(X) < 0.4, 0.0, X)), *rest)


def torch(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to tensors."""
    import torch as library

    return model.fit(*[library.asarray(a) if a.dtype.kind == "f" else a for a in data.given(takes)])


def strict(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to arrays that have what the standard names and nothing else."""
    import array_api_strict as library

    return model.fit(*[library.asarray(a) if a.dtype.kind == "f" else a for a in data.given(takes)])


def from_moments(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to the moments of two halves, merged."""
    first, second = (type(model)(**model.get_params()).fit(*data.rows(slice(k, None, 2)).given(takes)) for k in (0, 1))
    return model.fit_moments(first.moments_.merge(second.moments_))


def in_batches(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit batch by batch."""
    for index in np.array_split(np.arange(len(data.X)), 3):
        model.partial_fit(*data.rows(index).given(takes))
    return model


def weighted(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit with weights."""
    return model.fit(*data.given(takes), sample_weight=1.0 + np.arange(len(data.X)) % 3)


def by_shares(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit with weights that sum to one, some of them zero."""
    weight = np.where(np.arange(len(data.X)) % 5 == 0, 0.0, 1.0 + np.arange(len(data.X)) % 2)
    return model.fit(*data.given(takes), sample_weight=weight / weight.sum())


def single(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to single precision."""
    return model.fit(data.X.astype(np.float32), *data.given(takes)[1:])


def memory_map(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to an array on disk, in Fortran's order."""
    np.save(folder / "rows.npy", np.asfortranarray(data.X))
    return model.fit(np.load(folder / "rows.npy", mmap_mode="r"), *data.given(takes)[1:])


def loaded(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit, save and load."""
    return eigenlens.load(eigenlens.save(model.fit(*data.given(takes)), folder / "model.eigenlens"))


def again(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit twice, and say whether the bits are the same."""
    from .recording import leaves

    first = dict(leaves(model.fit(*data.given(takes))))
    second = dict(leaves(model.fit(*data.given(takes))))
    same = [np.array_equal(a, second.get(k), equal_nan=np.asarray(a).dtype.kind == "f") for k, a in first.items()]
    if not all(same):
        raise AssertionError("another fit gave other bits")
    return model


def as_lists(model: Any, takes: str, data: Table, folder: Path) -> Any:
    """Fit to lists."""
    return model.fit(*[a.tolist() for a in data.given(takes)])


WAYS: dict[str, Callable[[Any, str, Table, Path], Any]] = {
    "pandas": pandas,
    "polars": polars,
    "sparse": sparse,
    "torch": torch,
    "strict": strict,
    "parquet": parquet,
    "csv": csv,
    "several files, weights": several,
    "npy": memory_map,
    "lists": as_lists,
    "float32": single,
    "weights": weighted,
    "shares": by_shares,
    "partial_fit": in_batches,
    "fit_moments": from_moments,
    "loaded": loaded,
    "twice": again,
}


# -- tests and pictures --------------------------------------------------------------------------------------------


def tests() -> Iterator[Case]:
    """Yield `test_dimension` by each of its methods, and what else a fitted model can be asked at length."""
    for method, (takes, settings) in SETTINGS.items():
        for name in ("wine", "blobs", "diabetes", "wide"):
            if not (method in SLOW and name == "wine"):
                yield f"tests/{method}/{name}", partial(tested, method, settings[0], takes, suited(method, name))
    for method, settings in GAPS.items():
        data = named("blobs")
        holed = data.with_X(with_gaps(data.X))
        yield f"tests/{method} missing/blobs", partial(tested, method, settings[0], SETTINGS[method][0], holed)


def tested(method: str, setting: str, takes: str, data: Table, ask: Ask) -> None:
    """Test the number of directions of one fit in every way, from its rows and from what it keeps."""
    model = build(method, setting).fit(*data.given(takes))
    if hasattr(model, "test_dimension"):
        known = inspect.signature(model.test_dimension).parameters
        methods = re.findall(r"'([\w-]+)'", str(known["method"].annotation)) if "method" in known else []
        for way in (None, *methods):
            options: dict[str, Any] = {"n_draws": 19} if "n_draws" in known else {}
            options |= {} if way is None else {"method": way}
            ask(f"kept {way}", partial(model.test_dimension, **options), with_text)
            ask(f"rows {way}", partial(model.test_dimension, *data.given(takes), **options), with_text)
        if "groups" in known:
            groups = np.arange(len(data.X)) // 3
            ask("groups", partial(model.test_dimension, *data.given(takes), groups=groups, **options), with_text)
    if hasattr(model, "test_columns"):
        ask("test_columns", lambda: model.test_columns(), with_text)
        ask("test_columns together", lambda: model.test_columns(together=[0, 1]), with_text)
    if hasattr(model, "rotate"):
        for kind in ("varimax", "promax", "oblimin", "quartimax"):
            ask(f"rotate {kind}", lambda kind=kind: model.rotate(kind), with_text)
    if hasattr(model, "diagnose"):
        ask("diagnose", lambda: model.diagnose(data.X), with_text)
    if hasattr(model, "path"):
        ask("path", lambda: model.path(), with_text)
    for call in ("all_eigenvalues",):
        if hasattr(model, call):
            ask(call, getattr(model, call))


def with_text(result: Any) -> Any:
    """Return a result with what it prints."""
    return {"value": result, "printed": str(result)}


def pictures() -> Iterator[Case]:
    """Yield what models draw."""
    import matplotlib

    matplotlib.use("Agg")
    for method, (takes, settings) in SETTINGS.items():
        for name in ("iris", "blobs"):
            yield f"pictures/{method}/{name}", partial(pictured, method, settings[0], takes, suited(method, name))


def pictured(method: str, setting: str, takes: str, data: Table, ask: Ask) -> None:
    """Plot one fit without rows, with rows, and in each kind that its signature names."""
    model = build(method, setting).fit(*data.given(takes))
    if not hasattr(model, "plot"):
        return
    figures()
    ask("plain", lambda: model.plot(), lambda _: figures())
    ask("rows", lambda: model.plot(*data.given(takes)), lambda _: figures())
    if hasattr(model, "test_dimension"):
        ask("test", lambda: model.test_dimension(*data.given(takes)).plot(), lambda _: figures())
