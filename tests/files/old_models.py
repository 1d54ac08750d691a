"""Small models of every kind, and what they answer: written once by an earlier version, read by this one.

`python tests/files/old_models.py ARCHIVE` fits them and writes an archive of model files; each holds its answers in its
notes. An archive that is in the repository is never written again: it stands for the files that people have.
"""

import contextlib
import io
import sys
import tarfile
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import (
    CCA,
    FDA,
    LDA,
    MDA,
    PCA,
    PDA,
    QDA,
    SAVE,
    SIR,
    ClassicalMDS,
    CorrespondenceAnalysis,
    DirectionalRegression,
    KernelClassifier,
    KernelPCA,
    KernelRegressor,
    LocalizedSIR,
    MixedPCA,
    PrincipalHessianDirections,
    RobustPCA,
    SparsePCA,
    kernels as k,
    save,
)
from eigenlens.distances import Exponential, Identity, Logarithm, Measure, Power, Rational
from eigenlens.exceptions import InputError
from eigenlens.regress import (
    AdaptiveSplines,
    AdditiveSplines,
    CurveOnDirections,
    PenalizedRegression,
    PolynomialRegression,
    ProjectionPursuit,
)
from eigenlens.rows import Preparation

N, P = 30, 3
CALLS = ("transform", "predict", "predict_proba", "decision_function", "mahalanobis", "impute", "score_samples")
CALLS += ("inverse_transform", "outlier_scores", "transform_columns")


def table(n=N):
    """Return rows without structure, whose numbers are exact on every machine."""
    steps = np.arange(1, n + 1)[:, None] * np.array([37, 53, 71])[:P]
    return ((steps * steps + 11 * steps) % 64 - 32) / 8.0


def labels(n=N):
    return np.arange(n) % 3


def responses(n=N):
    X = table(n)
    return X[:, 0] + np.abs(X[:, 1]) + (np.arange(n) % 5) / 8


def frame(n=N):
    """Return a table with words and gaps."""
    X = table(n)
    words = np.array(["red", "green", "blue"])[(np.arange(n) // 2) % 3]
    return pd.DataFrame({"a": X[:, 0], "b c": X[:, 1], "ü": X[:, 2], "colour": words})


def rows_for(name):
    """Return the few rows that the model of a name is asked about."""
    few = {"prepared": frame(6), "mixed": frame(6), "counted": counts(6), "holed": holes(6)}
    return distances()[:6] if "distances" in name else few.get(name.split()[0].split("-")[0], table(6))


def counts(n=N):
    return np.round(np.abs(table(n)) * 4) + 1.0


def holes(n=N):
    """Return the table with missing cells."""
    X = table(n)
    X[np.arange(0, n, 4), np.arange(0, n, 4) % P] = np.nan
    return X


def two_of(n=N):
    return np.column_stack([responses(n), table(n)[::-1, 0]])


def distances():
    X = table()
    return np.abs(X[:, None, :] - X[None, :, :]).sum(axis=2)


def answers(model, X):
    """Return what a model says of rows, by the name of the method; what it refuses is left out."""
    said = {}
    for call in CALLS:
        with warnings.catch_warnings(), contextlib.suppress(InputError, AttributeError):
            warnings.simplefilter("ignore")
            rows = model.transform(X) if call == "inverse_transform" else X
            said[call] = np.asarray(getattr(model, call)(rows)).tolist()
    return said


def labelled():
    """Yield estimators that take labels."""
    yield "lda", LDA()
    yield "lda ledoit-wolf", LDA(shrinkage="ledoit-wolf")
    yield "lda equal", LDA(within="equal", between="equal")
    yield "lda diagonal", LDA(shrinkage="oas", shrinkage_target="diagonal")
    yield "lda cv", LDA(shrinkage="cv")
    yield "qda", QDA()
    yield "qda pooled", QDA(pooling=0.3, shrinkage=0.1)
    yield "fda", FDA()
    yield "fda ridge", FDA(regressor=Ridge(0.1))
    yield "fda linear", FDA(regressor=LinearRegression())
    yield "fda mars", FDA(regressor=AdaptiveSplines(degree=2))
    yield "fda bruto", FDA(regressor=AdditiveSplines())
    yield "fda penalized", FDA(regressor=PenalizedRegression(lam=1.0))
    yield "fda ppr", FDA(regressor=ProjectionPursuit(2, 3))
    yield "pda", PDA(penalty="smooth")
    yield "mda", MDA(n_subclasses=2)
    yield "mda regressor", MDA(n_subclasses=2, regressor=PenalizedRegression(lam=1.0))
    for loss in ("hinge", "logistic", "squared"):
        yield f"classifier {loss}", KernelClassifier(loss=loss)
    yield "classifier landmarks", KernelClassifier(loss="hinge", n_landmarks=8)
    yield "classifier logistic landmarks", KernelClassifier(loss="logistic", n_landmarks=8)
    yield "classifier squared landmarks", KernelClassifier(loss="squared", lam="loo", lams=(0.1, 1.0), n_landmarks=8)
    yield "scaled lda", make_pipeline(StandardScaler(), LDA())


def continuous():
    """Yield estimators that take a response."""
    yield "sir", SIR(1, n_slices=4)
    yield "save", SAVE(1, n_slices=3)
    yield "dr", DirectionalRegression(1, n_slices=3)
    yield "phd", PrincipalHessianDirections(1)
    yield "phd response", PrincipalHessianDirections(1, residuals=False)
    yield "curve", CurveOnDirections(SIR(1, n_slices=4), 1)
    yield "localized sir", LocalizedSIR(1, n_slices=3, n_neighbors=3)
    yield "adaptive splines", AdaptiveSplines(degree=2)
    yield "additive splines", AdditiveSplines()
    yield "penalized", PenalizedRegression("smooth", lam=1.0)
    yield "penalized gcv", PenalizedRegression()
    yield "polynomial", PolynomialRegression(2)
    yield "ppr supersmoother", ProjectionPursuit(2, 3)
    yield "ppr spline", ProjectionPursuit(1, 2, smoother="spline")
    yield "regressor gcv", KernelRegressor(lams=(0.1, 1.0))
    yield "regressor loo landmarks", KernelRegressor(lam="loo", lams=(0.1, 1.0), n_landmarks=8)
    yield "regressor epsilon", KernelRegressor(loss="epsilon_insensitive", lam=0.5)
    yield "regressor epsilon landmarks", KernelRegressor(loss="epsilon_insensitive", lam=0.5, n_landmarks=8)
    for kernel in kernels():
        yield f"regressor {type(kernel).__name__}", KernelRegressor(kernel, lam=1.0)


def kernels():
    """Yield a kernel of each kind that model files hold."""
    yield from (k.Gaussian(2.0), k.Laplacian(), k.Matern(2.5), k.Wendland(1), k.Linear(), k.Polynomial(2))
    yield from (k.Gaussian(1.0) + k.Linear(), k.Gaussian(1.0) * k.Linear(), 2.0 * k.Gaussian(1.0))
    yield from (k.Gaussian(1.0).on([0]), k.ThinPlate(2), k.Spline(), k.Brownian(0.5), k.Wavelet())
    yield k.SchoenbergKernel(Logarithm(2.0))


def unlabelled():
    """Yield estimators that take a table alone."""
    yield "pca", PCA()
    yield "pca mp", PCA("mp")
    yield "pca scaled", PCA(2, scale=True, whiten=True)
    yield "pca lanczos", PCA(1, solver="lanczos")
    yield "robust pca", RobustPCA()
    yield "robust pca scaled", RobustPCA(scale=True)
    yield "sparse pca", SparsePCA(2)
    yield "sparse pca alpha", SparsePCA(2, alpha=0.5, ridge=0.1, refit=True)
    yield "sparse pca count", SparsePCA(2, n_nonzero=2, ridge=float("inf"))
    yield "kernel pca", KernelPCA(2)
    yield "kernel pca landmarks", KernelPCA(2, n_landmarks=8)
    yield "scaled pca", make_pipeline(StandardScaler(), PCA(2))
    yield "mds", ClassicalMDS()
    yield "mds cailliez", ClassicalMDS(metric="cityblock", correction="cailliez")
    yield "mds landmarks", ClassicalMDS(n_landmarks=8)
    simple = (Identity(), Exponential(0.5), Logarithm(2.0), Rational(1.0), Power(0.5))
    for chain in (*simple, Power(0.5) @ Logarithm(2.0), Measure({0.5: 1.0, 2.0: 0.25})):
        yield f"mds {type(chain).__name__}", ClassicalMDS(schoenberg=chain)


def modelled():
    """Yield fitted models of rows with missing cells."""
    X, y = holes(), responses()
    yield "holed pca", PCA(2, missing="ml").fit(X)
    yield "holed pca ppca", PCA(1, missing="ppca").fit(X)
    yield "holed lda", LDA(missing="ml").fit(X, labels())
    yield "holed qda", QDA(missing="ml").fit(X, labels())
    yield "holed pda", PDA(lam=1.0, missing="ml").fit(X, labels())
    yield "holed cca", CCA(1, missing="ml").fit(X, two_of())
    yield "holed sir", SIR(1, n_slices=4, missing="ml").fit(X, y)
    yield "holed save", SAVE(1, n_slices=3, missing="ml").fit(X, y)
    yield "holed dr", DirectionalRegression(1, n_slices=3, missing="ml").fit(X, y)


def weighted():
    """Yield models of weighted rows, of names and of merged moments, whose files keep those too."""
    X, weight = table(), 1.0 + np.arange(N) % 3
    named = pd.DataFrame(X, columns=["a", "b c", "ü"])
    yield "weighted pca", PCA(2).fit(named, sample_weight=weight)
    yield "weighted lda", LDA().fit(named, labels(), sample_weight=weight)
    yield "weighted sir", SIR(1, n_slices=4).fit(named, responses(), sample_weight=weight)
    yield "weighted splines", AdaptiveSplines().fit(named, responses(), sample_weight=weight)
    halves = [slice(k, None, 2) for k in (0, 1)]
    for name, model, given in (
        ("lda", LDA(shrinkage="ledoit-wolf"), labels()),
        ("qda", QDA(), labels()),
        ("sir", SIR(1), labels()),
        ("cca", CCA(1), two_of()),
        ("phd", PrincipalHessianDirections(1), responses()),
    ):
        first, second = (type(model)(**model.get_params()).fit(X[rows], given[rows]).moments_ for rows in halves)
        yield f"{name} merged", model.fit_moments(first.merge(second))


def factor_maps():
    """Yield maps of counts and of words beside numbers."""
    yield "counted ca", CorrespondenceAnalysis(2).fit(counts())
    yield "counted ca moments", CorrespondenceAnalysis(1).fit_moments(CorrespondenceAnalysis().fit(counts()).moments_)
    yield "mixed", MixedPCA(2).fit(frame())
    gaps = frame()
    gaps.loc[::5, "colour"] = None
    yield "mixed gaps", MixedPCA(2, missing="unobserved").fit(gaps)
    yield "mixed levels", MixedPCA(2, missing="level").fit(gaps)


def fitted_models():
    """Yield name and fitted model of every kind."""
    X = table()
    yield from modelled()
    yield from weighted()
    yield from factor_maps()
    for name, model in unlabelled():
        yield name, model.fit(X)
    yield "mds distances", ClassicalMDS(metric="precomputed").fit(distances())
    yield "kernel pca distances", KernelPCA(2, kernel=k.Precomputed()).fit(np.exp(-distances()))
    inverse = KernelPCA(2).fit(X)
    inverse.inverse_transform(inverse.transform(X[:3]))
    yield "kernel pca preimage", inverse
    yield "pca merged", PCA(2).partial_fit(X[:15]).partial_fit(X[15:])
    yield "cca", CCA(1).fit(X, np.column_stack([responses(), X[::-1, 0]]))
    for name, model in labelled():
        yield name, model.fit(X, labels())
    yield "lda words", LDA().fit(X, np.array(["x", "y", "z"], dtype=object)[labels()])
    yield "sir classes", SIR(1).fit(X, labels().astype(str))
    yield "sir two responses", SIR(1, n_slices=4).fit(X, np.column_stack([responses(), X[::-1, 0]]))
    yield "sir given slices", SIR(1).fit(X, slices=labels())
    for name, model in continuous():
        yield name, model.fit(X, responses())
    gaps = frame()
    yield "prepared lda", make_pipeline(Preparation(), LDA()).fit(gaps, labels())
    yield "prepared pca", make_pipeline(Preparation(full=True, keep=("colour",)), PCA(2)).fit(gaps)


def write(archive):
    """Write the archive."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive, "w:xz", preset=9) as files:
        for name, model in fitted_models():
            said = answers(model, rows_for(name))
            content = save(model, Path(folder) / "model", about={"answers": said}).read_bytes()
            entry = tarfile.TarInfo(f"{name.replace(' ', '-')}.eigenlens")
            entry.size = len(content)
            files.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(sys.argv[1])
