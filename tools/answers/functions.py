"""Every public function, and the objects that are used on their own: kernels, transforms, moments, subspaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import eigenlens
from eigenlens import distances, inference, kernels, moments, regress, validation

from .models import GAPS, SETTINGS, build, with_text
from .recording import Ask, Case, find
from .tables import named, with_gaps, words

Calls = dict[str, Callable[[], Any]]
NUMBERS = ("iris", "blobs", "heavy", "ties")  # tables of numbers that most functions are asked about

TOO_SLOW = ("MDA", "regress.ProjectionPursuit")  # to fit again and again
#: What takes one table first, for the walk over bad input
FIRST_ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    **{
        name: partial(lambda name, X: getattr(inference, name)(X), name)
        for name in ("parallel_analysis", "components_test", "denoise", "littles_mcar", "neighbours", "check_linearity")
    },
    **{
        name: partial(lambda name, X: getattr(distances, name)(X), name)
        for name in ("cailliez", "lingoes", "clip", "double_center", "gower", "is_squared_distance")
    },
    **{
        name: partial(lambda name, X: getattr(distances, name)(X), name)
        for name in ("is_conditionally_negative_definite", "is_positive_semidefinite")
    },
    "bootstrap": lambda X: inference.bootstrap(eigenlens.PCA(1), X, n_boot=20),
    "procrustes": lambda X: distances.procrustes(X, named("blobs").X[:30]),
    "procrustes_test": lambda X: inference.procrustes_test(X, named("blobs").X[:30], n_draws=19),
    "mantel": lambda X: inference.mantel(X, X, n_draws=19),
    "envfit": lambda X: inference.envfit(X, {"a": np.arange(30.0)}, n_draws=19),
    "envfit columns": lambda X: inference.envfit(named("blobs").X[:30, :2], X, n_draws=19),
    "cross_validate": lambda X: validation.cross_validate(eigenlens.LDA(), X, named("blobs").labels[:30]),
    "leave_one_out": lambda X: validation.leave_one_out(eigenlens.LDA(), X, named("blobs").labels[:30]),
    "mercer": lambda X: kernels.mercer(kernels.Gaussian(1.0), X),
    "kernel": lambda X: kernels.Gaussian(1.0)(X, X),
    "subspace": lambda X: eigenlens.PCA(2).fit(named("blobs").X).subspace_.transform(X),
    "preparation": lambda X: find("Preparation", "rows", "tables")().fit(X).transform(X),
    "report": lambda X: find("report", "study")(X, cv=0),
    "report target": lambda X: find("report", "study")(
        pd.DataFrame(named("blobs").X[:30]).assign(y=pd.Series(list(np.asarray(X, dtype=object)))), "y", cv=0
    ),
    "principal_angles": lambda X: find("principal_angles", "solve", "spectral")(X, X),
    "from_covariance": lambda X: moments.Scatter.from_covariance(X, 30),
}


def functions() -> Iterator[Case]:
    """Yield one case for each function and table, or for each family of objects."""
    for name in NUMBERS:
        for call, function in {**of_inference(name), **of_distances(name)}.items():
            yield f"functions/{call}/{name}", lambda ask, f=function: ask("value", f, with_text)
    for call, function in {**of_values(), **of_validation(), **of_kernels(), **of_moments(), **of_rows()}.items():
        yield f"functions/{call}", lambda ask, f=function: ask("value", f, with_text)
    for method, (takes, settings) in SETTINGS.items():
        for name, setting in (("blobs", settings[0]), ("gaps", GAPS.get(method, [""])[0])):
            if (name == "blobs" or method in GAPS) and method not in TOO_SLOW:
                yield f"functions/bootstrap/{method} {name}", partial(bootstrapped, method, setting, takes, name)
                yield f"functions/cross_validate/{method} {name}", partial(validated, method, setting, takes, name)


def table_of(name: str) -> Any:
    """Return a table by name: with missing cells for "gaps"."""
    data = named("blobs").rows(slice(0, 60))
    return data.with_X(with_gaps(data.X)) if name == "gaps" else data


def bootstrapped(method: str, setting: str, takes: str, name: str, ask: Ask) -> None:
    """Resample rows and blocks."""
    data = table_of(name)
    for what in ("rows", "blocks"):
        model = build(method, setting)
        options = {"n_boot": 25, "resample": what}
        ask(what, lambda m=model, o=options: inference.bootstrap(m, *data.given(takes), **o), with_text)
    groups = np.arange(len(data.X)) // 3
    ask("groups", lambda: inference.bootstrap(build(method, setting), *data.given(takes), n_boot=15, groups=groups))


def validated(method: str, setting: str, takes: str, name: str, ask: Ask) -> None:
    """Leave folds out, and single rows."""
    data = table_of(name)
    ask("folds", lambda: validation.cross_validate(build(method, setting), *data.given(takes), cv=3), with_text)
    ask(
        "predictions",
        lambda: validation.cross_validate(build(method, setting), *data.given(takes), cv=3).predictions,
    )
    ask("one row", lambda: validation.leave_one_out(build(method, setting), *data.given(takes)), with_text)


def of_inference(name: str) -> Calls:
    """Return calls on one table."""
    data = named(name)
    X, y = data.X, data.response
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    values, n = np.linalg.eigvalsh(np.cov(X.T))[::-1], float(len(X) - 1)
    places = eigenlens.PCA(2).fit_transform(X)
    codes = np.unique(data.labels, return_inverse=True)[1]
    D = np.sqrt(((X[:40, None] - X[None, :40]) ** 2).sum(axis=2))
    E = np.abs(y[:40, None] - y[None, :40])
    calls: Calls = {}
    for noise in ("flips", "permutation", "normal"):
        calls[f"components_test {noise}"] = lambda noise=noise: inference.components_test(X, noise=noise, n_draws=29)
    for null in (None, "permutation", "normal"):
        calls[f"parallel_analysis {null}"] = lambda null=null: inference.parallel_analysis(X, null=null, n_draws=19)
    for loss in ("frobenius", "operator", "nuclear"):
        calls[f"denoise {loss}"] = lambda loss=loss: inference.denoise(X, loss=loss)
    for method in ("pearson", "spearman"):
        calls[f"mantel {method}"] = lambda method=method: inference.mantel(D, E, method=method, n_draws=49)
    columns = {"number": y, "kind": data.labels}
    return calls | {
        "parallel_analysis scaled": lambda: inference.parallel_analysis(X, scale=True, n_draws=19),
        "components_test blocks": lambda: inference.components_test(X, n_draws=19, block=5),
        "components_test_of_factor": lambda: inference.components_test_of_factor(X - X.mean(axis=0), n, n_draws=29),
        "components_test_of_moments": lambda: inference.components_test_of_moments(np.cov(X.T), n, n_draws=29),
        "tracy_widom_test": lambda: inference.tracy_widom_test(values, n),
        "gap_test": lambda: inference.gap_test(values, n),
        "conditional_test": lambda: inference.conditional_test(values, n),
        "hard_threshold": lambda: inference.hard_threshold(values, n),
        "broken_stick": lambda: inference.broken_stick(values),
        "minka": lambda: inference.minka(values, n),
        "noise_edge": lambda: inference.noise_edge(values, n),
        "littles_mcar": lambda: inference.littles_mcar(with_gaps(X)),
        "littles_mcar weights": lambda: inference.littles_mcar(with_gaps(X), 1.0 + np.arange(len(X)) % 2),
        "envfit": lambda: inference.envfit(places, columns, n_draws=49),
        "envfit strata": lambda: inference.envfit(places, {"number": y}, strata=codes, n_draws=49),
        "procrustes_test": lambda: inference.procrustes_test(places, data.second, n_draws=49),
        "neighbours": lambda: inference.neighbours(X),
        "check_linearity": lambda: inference.check_linearity(Z, n_draws=19),
        "leverages": lambda: inference.leverages(X),
        "class_leverages": lambda: inference.class_leverages(codes),
        "advise": lambda: inference.advise(inference.leverages(X), inference.class_leverages(codes), X.shape[1], 2),
        "canonical_permutation_test": lambda: inference.canonical_permutation_test(X, data.second, n_draws=29),
        "hessian_eigenvalues": lambda: inference.hessian_eigenvalues(Z, y, True),
        "inverse_root": lambda: inference.inverse_root(np.cov(X.T)),
        "choose_slices": lambda: inference.choose_slices(len(X), X.shape[1]),
    }


def of_values() -> Calls:
    """Return tests of eigenvalues and correlations alone."""
    calls: Calls = {}
    for method in ("wilks", "bartlett", "pillai", "lawley-hotelling", "roy"):
        calls[f"wilks {method}"] = lambda m=method: inference.wilks([0.796, 0.4, 0.1], n=50, p=4, s=3, method=m)
    return calls | {
        "li_test": lambda: inference.li_test(np.array([0.6, 0.05, 0.02]), 200, 5, 4),
        "hessian_test": lambda: inference.hessian_test(np.array([0.4, 0.01, 0.001]), 200),
        "above_negative": lambda: inference.above_negative(np.array([5.0, 2.0, 0.5, -0.4, -1.0])),
        "procrustes": lambda: distances.procrustes(named("iris").X, named("iris").X[:, ::-1]),
        "procrustes kept": lambda: distances.procrustes(
            named("iris").X, named("iris").X[:, ::-1], scaling=False, reflection=False
        ),
        "hermite": lambda: kernels.hermite(6),
        "legendre": lambda: kernels.legendre(6),
        "gower": lambda: distances.gower(words()),
        "gower weights": lambda: distances.gower(words(), weights={"colour": 2.0}),
        "principal_angles": lambda: find("principal_angles", "solve", "spectral")(
            *[np.linalg.qr(np.random.default_rng(k).standard_normal((6, 2)))[0] for k in (0, 1)]
        ),
    }


def of_distances(name: str) -> Calls:
    """Return calls on the distances of one table."""
    X = named(name).X[:30]
    city = np.abs(X[:, None] - X[None]).sum(axis=2)
    euclid = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    calls: Calls = {
        call: lambda call=call: getattr(distances, call)(city)
        for call in ("cailliez", "lingoes", "clip", "double_center", "is_squared_distance")
    }
    calls["double_center weights"] = lambda: distances.double_center(city, np.arange(1.0, 31.0) / 465)
    for call in ("is_conditionally_negative_definite", "is_squared_distance"):
        calls[f"{call} euclidean"] = lambda call=call: getattr(distances, call)(euclid)
    calls["is_positive_semidefinite"] = lambda: distances.is_positive_semidefinite(np.exp(-city))
    for text in ("Identity()", "Exponential(0.5)", "Logarithm(2.0)", "Rational(1.0)", "Power(0.5)"):
        transform = eval(f"distances.{text}")
        calls[f"transform {text}"] = lambda t=transform: t.fit(euclid).transform(euclid)
    mixed = {"Logarithm @ Power": "distances.Logarithm(2.0) @ distances.Power(0.5)", "Measure": "MEASURE"}
    for label, text in mixed.items():
        transform = eval(text, {"distances": distances, "MEASURE": distances.Measure({0.5: 1.0, 2.0: 0.25})})
        calls[f"transform {label}"] = lambda t=transform: t.fit(euclid).transform(euclid)
    return calls


def of_validation() -> Calls:
    """Return comparisons of settings, with weights and scores of other kinds."""
    data = named("wine")
    X, y, response = data.X, data.labels, data.response
    weight = 1.0 + np.arange(len(X)) % 3
    lda = {"settings": [{"shrinkage": s} for s in (None, 0.1, 0.5)]}
    validate = validation.cross_validate
    return {
        "cross_validate settings": lambda: validate(eigenlens.LDA(), X, y, **lda),
        "cross_validate weights": lambda: validate(eigenlens.LDA(), X, y, sample_weight=weight, **lda),
        "cross_validate lambdas": lambda: validate(eigenlens.PDA(), X, y, settings=[{"lam": v} for v in (0.1, 1.0)]),
        "cross_validate ranks": lambda: validate(eigenlens.PCA(), X, settings=[{"n_components": k} for k in (1, 2, 5)]),
        "cross_validate ridge": lambda: validate(
            eigenlens.CCA(1), X[:, :5], X[:, 5:8], settings=[{"ridge": r} for r in (0.0, 0.1)]
        ),
        "cross_validate splines": lambda: validate(
            regress.AdaptiveSplines(), X, response, settings=[{"degree": 1}, {"degree": 2}], cv=3
        ),
        "cross_validate frame": lambda: validate(eigenlens.LDA(), X, y, **lda).to_frame(),
        "cross_validate rule": lambda: validate(eigenlens.LDA(), X, y, **lda).one_standard_error,
        "leave_one_out weights": lambda: validation.leave_one_out(eigenlens.LDA(), X, y, sample_weight=weight),
        "leave_one_out frame": lambda: validation.leave_one_out(eigenlens.LDA(), X, y).to_frame(),
        "CurveOnDirections": lambda: regress.CurveOnDirections(eigenlens.SIR(2), 2).fit(X, response).predict(X[:20]),
    }


def of_kernels() -> Calls:
    """Return values of every kernel, functions of its space and expansions."""
    X, Z = named("blobs").X[:30, :2], named("blobs").X[30:40, :2]
    texts = ["Gaussian(1.5)", "Gaussian()", "Laplacian()", "Matern(2.5)", "Matern(0.5, 2.0)", "Wendland(1)", "Linear()"]
    texts += ["Polynomial(2)", "ThinPlate(2)", "Brownian(0.5)", "Wavelet()", "Gaussian(1.0) + kernels.Linear()"]
    texts += ["Gaussian(1.0) * kernels.Linear()", "Gaussian(1.0).on([0])", "SchoenbergKernel(distances.Logarithm(2.0))"]
    calls: Calls = {}
    for text in texts:
        kernel = eval(f"kernels.{text}", {"kernels": kernels, "distances": distances}).fitted(X)
        calls[f"kernel {text}"] = lambda k=kernel: {
            "values": k(X, Z),
            "diagonal": k.diagonal(X),
            "product": k.apply(X, Z, np.ones((len(Z), 2))),
        }
    spline = kernels.Spline().fitted(X[:, :1])
    function = kernels.RKHSFunction(kernels.Gaussian(1.0), X, np.cos(np.arange(30)))
    other = kernels.RKHSFunction(kernels.Gaussian(1.0), Z, np.ones(10))
    expansion = kernels.mercer(kernels.Gaussian(1.0), X, n_components=4)
    return calls | {
        "kernel Spline": lambda: spline(X[:, :1], Z[:, :1]),
        "kernel of a function": lambda: kernels.as_kernel(lambda A, B: A @ B.T)(X, Z),
        "RKHSFunction": lambda: [function(Z), function.norm, function.inner(other), function.project(Z)(X)],
        "mercer": lambda: expansion,
        "mercer features": lambda: expansion.features(Z),
        "mercer eigenfunctions": lambda: expansion.eigenfunctions(Z),
    }


def of_moments() -> Calls:
    """Return what a pass keeps, merged and from covariances, and fits from it."""
    data = named("blobs")
    S = np.cov(data.X.T)
    joint = np.cov(np.column_stack([data.X, data.second]).T)
    halves = [data.rows(slice(k, None, 2)) for k in (0, 1)]

    def merged(method: str, takes: str, setting: str = "") -> Any:
        first, second = (build(method, setting).fit(*half.given(takes)).moments_ for half in halves)
        return build(method, setting).fit_moments(first.merge(second))

    def sealed() -> Any:
        parts = [eigenlens.LDA().fit(*half.given("labels")).moments_.sealed() for half in halves]
        return eigenlens.LDA().fit_moments(parts[0].merge(parts[1]))

    def of_a_database() -> Any:
        import duckdb

        frame = pd.DataFrame(data.X, columns=list("abcde")).assign(kind=data.labels)
        query = moments.to_sql("frame", list("abcde"), group="kind")
        with duckdb.connect() as connection:
            connection.register("frame", frame)
            return eigenlens.LDA().fit_moments(query.moments(connection.sql(str(query))))

    return {
        "moments of a covariance": lambda: eigenlens.PCA(2).fit_moments(moments.Scatter.from_covariance(S, 90)),
        "moments of a covariance and mean": lambda: eigenlens.PCA(2, scale=True).fit_moments(
            moments.Scatter.from_covariance(S, 90, np.arange(5.0), ddof=0)
        ),
        "moments of two tables": lambda: eigenlens.CCA().fit_moments(moments.Cross.from_covariance(joint, 5, 90)),
        "moments merged PCA": lambda: merged("PCA", "none"),
        "moments merged LDA": lambda: merged("LDA", "labels", "shrinkage='ledoit-wolf'"),
        "moments merged SparsePCA": lambda: merged("SparsePCA", "none", "2"),
        "moments sealed": sealed,
        "moments text": lambda: {m: repr(build(m, "").fit(*data.given(SETTINGS[m][0])).moments_) for m in WITH_MOMENTS},
        "moments attributes": lambda: {m: build(m, "").fit(*data.given(SETTINGS[m][0])) for m in WITH_MOMENTS},
        "moments by SQL": of_a_database,
        "moments SQL text": lambda: {
            dialect: str(moments.to_sql("rows", ["a", "b"], weight="w", dialect=dialect))
            for dialect in ("duckdb", "sqlite")
        },
        "local_means": lambda: moments.local_means(data.X, np.arange(90) % 3, np.ones(90), 5.0),
        "squared_distances": lambda: find("squared_distances", "moments", "distances")(data.X[:9], data.X[:5]),
    }


WITH_MOMENTS = ("PCA", "LDA", "QDA", "PDA", "CCA", "SIR", "SAVE", "DirectionalRegression", "PrincipalHessianDirections")


def read(path: str, **options: Any) -> Any:
    """Return the rows that a source hands out."""
    try:
        everything = find("whole", "rows", "sources")
    except AttributeError:
        everything = find("all_rows", "rows")
    return everything(eigenlens.open_rows(path, **options)).X


def of_rows() -> Calls:
    """Return what is read from files and written to them, and tables made ready."""
    frame = pd.DataFrame(named("blobs").X, columns=list("abcde"))
    frame.loc[3, "b"] = 1 / 3

    def written(ending: str) -> Any:
        path = f"rows.{ending}"
        if ending.startswith("csv"):
            frame.to_csv(path, index=False)
        elif ending == "parquet":
            frame.to_parquet(path, row_group_size=23)
        else:
            frame.to_feather(path)
        return path

    def prepared(**options: Any) -> Any:
        preparation = find("Preparation", "rows", "tables")(**options).fit(words())
        return {"names": preparation.get_feature_names_out(), "rows": preparation.transform(words().head(20))}

    def scores(ending: str) -> Any:
        model = eigenlens.PCA(2).fit(frame)
        path = eigenlens.write_rows(model.transform, frame, f"scores.{ending}", overwrite=True)
        return pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)

    def round_trip() -> Any:
        model = eigenlens.LDA().fit(frame, named("blobs").labels)
        path = eigenlens.save(model, "model.eigenlens", about={"why": "a test"})
        said = eigenlens.files.describe(path)
        return {"kind": said.get("kind"), "about": said["about"], "scores": eigenlens.load(path).transform(frame)}

    def with_commas() -> Any:
        numbers = [f"{a:.3f};{b:.3f}" for a, b in named("blobs").X[:, :2]]
        Path("german.csv").write_text("a;b\n" + "\n".join(numbers).replace(".", ","))
        return find("report", "study")("german.csv", cv=0).to_dict()["directions"]

    def of_sparse() -> Any:
        X = scipy.sparse.csr_array(np.where(np.abs(frame.to_numpy()) < 0.5, 0.0, frame.to_numpy()))
        model = eigenlens.PCA(2).fit(X)
        return {"model": model, "scores": model.transform(X)}

    calls: Calls = {
        f"rows of {ending}": lambda ending=ending: read(written(ending), batch_rows=17)
        for ending in ("csv", "csv.gz", "parquet", "feather")
    }
    return calls | {
        "rows of some columns": lambda: read(written("parquet"), columns=["c", "a"]),
        "write_rows csv": lambda: scores("csv"),
        "write_rows parquet": lambda: scores("parquet"),
        "Preparation": lambda: prepared(),
        "Preparation full": lambda: prepared(full=True),
        "Preparation plain": lambda: prepared(standardise=False, centre=False),
        "Preparation keep": lambda: prepared(keep=("colour",)),
        "save and load": round_trip,
        "a table of decimal commas": with_commas,
        "sparse": of_sparse,
        "subspace": lambda: subspace_calls(),
    }


def subspace_calls() -> Any:
    """Return what a subspace answers."""
    X = named("blobs").X
    S, T = (eigenlens.PCA(2).fit(X[k::2]).subspace_ for k in (0, 1))
    answers = {"scores": S.project(X[:9]), "rows": S.lift(S.project(X[:9])), "text": repr(S)}
    answers |= {"angles": S.angles(T), "distance": S.distance(T), "aligned": S.aligned_to(T)}
    return answers
