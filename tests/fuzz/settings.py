"""Parameters to throw at estimators: sensible ones, extreme ones, and nonsense."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.linear_model import LinearRegression

from eigenlens.distances import Exponential, Logarithm, Power, Rational
from eigenlens.kernels import (
    Brownian,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Spline,
    ThinPlate,
    Wavelet,
    Wendland,
)
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression

NONSENSE = [
    None, -1, 0, 1.5, "nonsense", "", float("nan"), float("inf"), -float("inf"), [], {}, (), True, 10**30, 1e300,
    1e-300, np.float32(0.5), np.array([1.0, 2.0]), np.array([]), np.array(2), b"ridge", 1 + 1j, [1, "a"], object,
]  # fmt: skip
KERNELS = [
    Gaussian(), Gaussian(1e-200), Gaussian(1e200), Laplacian(), Linear(), Polynomial(2), Polynomial(3, 0.1, 0.0),
    Polynomial(50), Matern(2.5), Matern(0.5), ThinPlate(), Spline(), Wendland(), Brownian(), Wavelet(),
    Gaussian() + Linear(),
    2 * Gaussian() * Polynomial(2), "precomputed", Gaussian(0.3).on([0]),
]  # fmt: skip
REGRESSORS = [
    None, AdaptiveSplines(), AdaptiveSplines(degree=2, max_terms=7), AdditiveSplines(), PenalizedRegression(),
    PenalizedRegression("smooth", lam=1.0), PolynomialRegression(1), PolynomialRegression(2), PolynomialRegression(50),
    LinearRegression(), "nonsense",
]  # fmt: skip
COUNTS = [None, 1, 2, 3, 7, "auto"]
LAMS = ["gcv", "loo", 0.0, 1e-12, 0.1, 1.0, 1e6, 1e300, 1e-300]

SHARED = {
    "n_components": COUNTS,
    "priors": [None, [0.5, 0.5], [0.2, 0.3, 0.5], [1.0], [1.0, 0.0], [1e-300, 1.0], {"a": 0.5, "b": 0.5}, "equal"],
    "ridge": [0.0, 0.1, 1e6, 1e-300, 1e300],
    "n_slices": [1, 2, 3, 10, 1000, "auto", [0.0, 0.5]],
    "kernel": KERNELS,
    "n_landmarks": [None, 1, 2, 5, 15],
    "regressor": REGRESSORS,
    "lam": LAMS,
    "lams": [None, [0.1, 1.0], [1.0], [1e-300, 1e300], [0.0]],
    "df": [None, 0.5, 1, 2, 5, 1e-6, 100],
    "cost": [0.0, 1.0, 2.0, 1e6],
    "penalty": ["ridge", "smooth", "cyclic", (2, 2), (1, 3), np.eye(3), np.zeros((3, 3)), None, 3.0],
    "tol": [0, 1e-12, 1e-4, 1.0],
    "max_iter": [1, 2, 20],
    "random_state": [0, None, 7],
    "max_terms": [None, 1, 2, 3, 11],
}
OWN = {
    "PCA": {
        "n_components": [*COUNTS, 0.5, 0.99, 1.0, "mle", "parallel", "mp"],
        "ddof": [0, 1, 2, 100, 0.5],
        "whiten": [True, False],
        "solver": ["auto", "dense", "lanczos", "randomized"],
    },
    "SparsePCA": {
        "alpha": [0.0, 0.1, 0.5, 1.0, 1e6, 1e-300, [0.1, 0.2]],
        "n_nonzero": [None, 1, 2, 100, [1, 2]],
        "ridge": [0.0, 1e-6, 0.1, float("inf"), 1e300],
        "relative": [True, False],
        "refit": [True, False],
        "max_iter": [1, 20, 5000],
    },
    "RobustPCA": {
        "lam": [None, 0.1, 1e-12, 1e12],
        "max_iter": [1, 20, 500],
        "progress": [False],
    },
    "LDA": {
        "shrinkage": [None, 0.0, 0.5, 1.0, "oas", "ledoit-wolf", 1e-300],
        "within": ["pooled", "equal"],
        "between": ["weighted", "equal"],
    },
    "MDA": {
        "n_subclasses": [1, 2, 3, 10, [1, 2], [2, 2, 2], {"a": 1}],
        "n_init": [1, 2],
        "init": [None],
    },
    "LocalizedSIR": {"n_neighbors": [1, 3, 10, 1000, "auto"]},
    "ClassicalMDS": {
        "n_components": [1, 2, 3, 7],
        "metric": ["euclidean", "cityblock", "chebyshev", "cosine", "correlation", "precomputed", "hamming", "jaccard",
                   "braycurtis", "canberra", "mahalanobis", "minkowski", "seuclidean", "haversine"],
        "metric_params": [None, {"p": 3}, {"p": 0.1}, {}, {"V": np.eye(2)}],
        "squared": [True, False],
        "schoenberg": [None, Exponential(), Logarithm(2.0), Power(0.5), Rational(), Logarithm(2.0) @ Power(0.9)],
        "correction": [None, "lingoes", "cailliez"],
        "landmarks": ["random", "maxmin"],
        "symmetrize": [True, False],
        "overwrite": [True, False],
    },
    "KernelClassifier": {"loss": ["hinge", "logistic", "squared"], "lam": LAMS, "polish": [True, False]},
    "KernelRegressor": {
        "loss": ["squared", "epsilon_insensitive"],
        "epsilon": [0.0, 0.1, 10.0, 1e300],
        "polish": [True, False],
    },
    "AdaptiveSplines": {
        "degree": [1, 2, 3],
        "penalty": [None, 0.0, 3.0, -1, 1e6],
        "min_span": [None, 1, 5, 1000],
        "end_span": [None, 1, 5, 1000],
        "fast_k": [None, 1, 20],
        "allow_linear": [True, False],
        "prune": ["gcv", "cv", None],
        "cv": [2, 3, 5, 1000, [([0, 1], [2])]],
        "interactions": [None, [0], [0, 1], ["c0"], []],
        "forbidden": [None, [(0, 1)], [("c0", "c1")], [(0, 0)]],
        "linear": [None, [0], ["c1"], [99]],
    },
    "AdditiveSplines": {"max_df": [None, 1, 3.5, [2, 3], 1000], "df": [None, 0, 4.0], "lam": [None, 0.01]},
    "PolynomialRegression": {"degree": [1, 2, 3, 5, 10, 50, 1000], "interactions": [True, False]},
    "ProjectionPursuit": {
        "n_terms": [1, 2, 3, 10],
        "max_terms": [None, 1, 3, 5],
        "smoother": ["supersmoother", "spline", "gcvspline"],
        "span": [None, 0.1, 0.5, 1.0],
        "bass": [0.0, 5.0, 10.0],
        "df": [1, 2, 5, "gcv", 1000],
    },
}  # fmt: skip


def draw_settings(rng, cls):
    """Parameters for a class: most are left at their defaults, a few are nonsense."""
    own = {**SHARED, **OWN.get(cls.__name__, {})}
    settings = {}
    for name in inspect.signature(cls).parameters:
        luck = rng.random()
        if luck < 0.25 and name in own:
            settings[name] = own[name][rng.integers(len(own[name]))]
        elif luck > 0.985:
            settings[name] = NONSENSE[rng.integers(len(NONSENSE))]
    return settings
