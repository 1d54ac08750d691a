"""One small picture for each method of "Which method do I need?": what it shows, on data that suit it."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn import datasets
from sklearn.preprocessing import scale

import eigenlens as el
from eigenlens.kernels import Gaussian

SIZE = (3.2, 2.3)
COLOURS = np.array(["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"])


def axes(title, n=1):
    figure, made = plt.subplots(1, n, figsize=SIZE, squeeze=False, layout="constrained")
    for ax in made[0]:
        ax.set(xticks=[], yticks=[])
    figure.suptitle(title, fontsize=9)
    return made[0] if n > 1 else made[0, 0]


def dots(ax, Z, y=None, **more):
    ax.scatter(Z[:, 0], Z[:, 1], c="#4477aa" if y is None else COLOURS[y % 6], s=9, linewidths=0, alpha=0.8, **more)


def regions(ax, model, X, y):
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    u, v = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
    codes = np.searchsorted(model.classes_, model.predict(np.c_[u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, codes, levels=np.arange(-0.5, codes.max() + 1), colors=COLOURS[: codes.max() + 1], alpha=0.2)
    dots(ax, X, y)


def PCA():
    data = datasets.load_wine()
    model = el.PCA("auto").fit(scale(data.data))
    ax = axes(f"wines, first two of {model.n_components_} directions")
    dots(ax, model.transform(scale(data.data)), data.target)


def MixedPCA():
    import pandas as pd

    data = datasets.load_wine(as_frame=True).frame
    table = data[["alcohol", "flavanoids", "color_intensity"]].assign(
        hue=pd.cut(data["hue"], 3, labels=["low hue", "middle hue", "high hue"]).astype(str)
    )
    ax = axes("rows and categories on one map")
    model = el.MixedPCA(2).fit(table)
    dots(ax, np.asarray(model.transform(table)), data["target"].to_numpy())
    for name, (u, v) in zip(model.categories_.names, np.asarray(model.categories_.coordinates)[:, :2], strict=True):
        ax.text(u, v, str(name).rpartition("=")[2], fontsize=8, weight="bold")


def RobustPCA():
    rng = np.random.default_rng(0)
    clean = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 30))
    wrong = (rng.random(clean.shape) < 0.05) * 8.0
    model = el.RobustPCA().fit(clean + wrong)
    for ax, table in zip(axes("low rank            wrong cells", 2), (model.low_rank_, model.sparse_), strict=True):
        ax.imshow(table, cmap="RdBu", vmin=-8, vmax=8, aspect="auto")


def SparsePCA():
    data = datasets.load_breast_cancer()
    model = el.SparsePCA(2, n_nonzero=6).fit(scale(data.data))
    ax = axes("6 of 30 loadings in each direction")
    ax.axhline(0, color="0.6", lw=0.8)
    for j, row in enumerate(model.components_):
        ax.vlines(np.arange(30) + 0.3 * j, 0, row, color=COLOURS[j], lw=3)


def KernelPCA():
    X, y = datasets.make_circles(300, factor=0.4, noise=0.06, random_state=0)
    before, after = axes("rings, before and after", 2)
    dots(before, X, y)
    dots(after, el.KernelPCA(2, kernel=Gaussian(0.25)).fit_transform(X), y)


def LDA():
    data = datasets.load_wine()
    model = el.LDA().fit(data.data, data.target)
    ax = axes("wines, separated")
    dots(ax, model.transform(data.data), data.target)


def two_shapes():
    rng = np.random.default_rng(1)
    wide, thin = rng.standard_normal((120, 2)) * [2, 0.5], rng.standard_normal((120, 2)) * [0.5, 1.5] + [1.5, 1]
    return np.r_[wide, thin], np.repeat([0, 1], 120)


def QDA():
    X, y = two_shapes()
    regions(axes("each class has its own shape"), el.QDA().fit(X, y), X, y)


def FDA():
    X, y = datasets.make_moons(300, noise=0.15, random_state=0)
    regions(axes("bent boundary"), el.FDA().fit(X, y), X, y)


def MDA():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [4, 4], [8, 0], [0, 4], [4, 0], [8, 4]])
    X, y = (centres[:, None] + rng.standard_normal((6, 50, 2)) * 0.7).reshape(-1, 2), np.repeat([0, 1], 150)
    regions(axes("three lumps in each class"), el.MDA(n_subclasses=3, random_state=0).fit(X, y), X, y)


def PDA():
    D, digit = datasets.load_digits(return_X_y=True)
    some = np.isin(digit, [3, 8])
    model = el.PDA(penalty=(8, 8), lam=100.0).fit(D[some], digit[some])
    grid = np.eye(64)
    image = (model.transform(grid) - model.transform(np.zeros((1, 64))))[:, 0].reshape(8, 8)
    ax = axes("3 or 8: coefficients as an image")
    ax.imshow(image, cmap="RdBu", vmin=-abs(image).max(), vmax=abs(image).max())


def KernelClassifier():
    X, y = datasets.make_circles(200, factor=0.45, noise=0.12, random_state=0)
    regions(axes("a boundary of any shape"), el.KernelClassifier(kernel=Gaussian(0.5), lam=0.01).fit(X, y), X, y)


def SIR():
    X, y = datasets.load_diabetes(return_X_y=True)
    ax = axes("progress of diabetes along one direction")
    ax.scatter(el.SIR(1).fit_transform(X, y)[:, 0], y, s=8, linewidths=0, color=COLOURS[0])


def symmetric():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    return X, X[:, 0] ** 2 + 0.2 * rng.standard_normal(600)


def SAVE():
    X, y = symmetric()
    ax = axes("y = x² + noise: found")
    ax.scatter(el.SAVE(1).fit_transform(X, y)[:, 0], y, s=8, linewidths=0, color=COLOURS[0])


def DirectionalRegression():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((800, 5))
    y = X[:, 0] ** 2 + 1.5 * X[:, 1] + 0.2 * rng.standard_normal(800)
    Z = el.DirectionalRegression(2).fit_transform(X, y)
    ax = axes("a trend and a parabola, coloured by y")
    ax.scatter(Z[:, 0], Z[:, 1], c=y, s=8, linewidths=0, cmap="viridis")


def PrincipalHessianDirections():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    y = -((X[:, 0] + X[:, 1]) ** 2) + X[:, 2] + 0.5 * rng.standard_normal(600)
    ax = axes("yield, best in between")
    ax.scatter(el.PrincipalHessianDirections(1).fit_transform(X, y)[:, 0], y, s=8, linewidths=0, color=COLOURS[0])


def LocalizedSIR():
    X, t = datasets.make_swiss_roll(600, noise=0.1, random_state=0)
    Z = el.LocalizedSIR(2, n_neighbors=20).fit_transform(X, t)
    ax = axes("Swiss roll, coloured by y")
    ax.scatter(Z[:, 0], Z[:, 1], c=t, s=8, linewidths=0, cmap="viridis")


def curve():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, 150))
    return x[:, None], np.sin(x) + 0.25 * rng.standard_normal(150)


def fitted_curve(model, title):
    X, y = curve()
    ax = axes(title)
    ax.scatter(X[:, 0], y, s=8, linewidths=0, color="0.6")
    ax.plot(X[:, 0], np.asarray(model.fit(X, y).predict(X)).ravel(), color=COLOURS[1], lw=2)


def AdaptiveSplines():
    fitted_curve(el.regress.AdaptiveSplines(), "hinges, chosen by the data")


def AdditiveSplines():
    fitted_curve(el.regress.AdditiveSplines(), "a smooth curve, its bends chosen by GCV")


def ProjectionPursuit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 4))
    y = np.tanh(2 * (X[:, 0] + X[:, 1])) + 0.15 * rng.standard_normal(400)
    model = el.regress.ProjectionPursuit(1).fit(X, y)
    z = X @ model.directions_[0]
    order = np.argsort(z)
    ax = axes("a curve along x₁ + x₂")
    ax.scatter(z, y, s=8, linewidths=0, color="0.6")
    ax.plot(z[order], np.asarray(model.predict(X)).ravel()[order], color=COLOURS[1], lw=2)


def PenalizedRegression():
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, 60)
    X = np.cumsum(rng.standard_normal((100, 60)), axis=1) * 0.3
    truth = np.exp(-(((t - 0.4) / 0.15) ** 2))
    y = X @ truth + rng.standard_normal(100)
    ax = axes("coefficients of an ordered row")
    ax.plot(t, truth, color="0.6", lw=3)
    ax.plot(t, np.ravel(el.regress.PenalizedRegression("smooth").fit(X, y).coef_), color=COLOURS[1], lw=2)


def KernelRegressor():
    fitted_curve(el.KernelRegressor(kernel=Gaussian(1.0), lam="loo"), "a smooth function, its penalty by leave-one-out")


def CCA():
    from sklearn.datasets import load_linnerud

    body, sport = load_linnerud().target, load_linnerud().data
    model = el.CCA(1).fit(body, sport)
    u, v = model.transform(body, sport)
    ax = axes(f"body and exercise, correlation {model.correlations_[0]:.2f}")
    ax.scatter(u[:, 0], v[:, 0], s=16, linewidths=0, color=COLOURS[0])


NAMED_CITIES = ("Athens", "Rome", "Lisbon", "Madrid", "Paris", "Vienna", "Hamburg", "Stockholm")


def ClassicalMDS():
    import tempfile
    from pathlib import Path

    import pandas as pd

    from eigenlens.study.demos import write_demo

    roads = pd.read_csv(write_demo("cities", Path(tempfile.mkdtemp()))[0], index_col=0)
    names, D = list(roads), roads.to_numpy(dtype=float)
    ax = axes("cities, from distances by road")
    place = el.ClassicalMDS(2, metric="precomputed").fit(D).embedding_
    ax.scatter(place[:, 0], place[:, 1], s=8, linewidths=0, color=COLOURS[0])
    for name, (u, v) in zip(names, place, strict=True):
        if name in NAMED_CITIES:
            ax.text(u, v, f" {name}", fontsize=7)


def CorrespondenceAnalysis():
    counts = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
    eyes, hair = ["brown", "blue", "hazel", "green"], ["black", "brown", "red", "blond"]
    model = el.CorrespondenceAnalysis(2).fit(counts)
    ax = axes("eyes (blue) and hair (red)")
    for labels, table, colour in ((eyes, model.rows_, COLOURS[0]), (hair, model.columns_, COLOURS[1])):
        for name, (u, v) in zip(labels, np.asarray(table.coordinates)[:, :2], strict=True):
            ax.scatter(u, v, s=12, color=colour)
            ax.text(u, v, f" {name}", fontsize=8, color=colour)
