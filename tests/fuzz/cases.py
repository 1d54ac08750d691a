"""One case: an estimator with parameters, rows, target and weights, and the calls made with them."""

from __future__ import annotations

import inspect
import pickle
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import clone

import eigenlens
from eigenlens.exceptions import ModelFileError
from eigenlens.testing import all_estimators, all_regressors

from .judge import Verdict, quiet, verdict_of
from .settings import draw_settings
from .tables import KINDS, draw_kind, draw_values
from .targets import draw_target, draw_weights

CLASSES = [*all_estimators(), *all_regressors()]
ROWS = [1, 2, 3, 4, 5, 6, 8, 8, 12, 15, 20, 30, 30, 40, 60]
LABELLED = {"LDA", "FDA", "PDA", "MDA", "KernelClassifier"}
OF_ROWS = [
    "transform", "predict", "predict_proba", "predict_log_proba", "decision_function", "mahalanobis", "sphere",
    "score_samples", "reconstruction_error", "outlier_scores", "split", "predict_subclass_proba", "distances_among",
    "basis", "partial", "predict_interval",
]  # fmt: skip
TESTS = [
    "parallel", "permutation", "chi2", "simulation", "tracy-widom", "broken-stick", "negative-inertia",
    "wilks", "pillai", "lawley-hotelling", "roy", "bartlett", "gavish-donoho", "mp", "mle", "normal", "nonsense",
]  # fmt: skip
OF_NOTHING = ["get_covariance", "get_feature_names_out", "summary", "all_eigenvalues", "path"]


class Case:
    """What a seed decides.

    Attributes
    ----------
    title : str
        Estimator, parameters, table, target and weights, in a line.
    """

    def __init__(self, seed):
        self.seed = seed
        self.rng = rng = np.random.default_rng(seed)
        self.cls = CLASSES[seed % len(CLASSES)]
        self.settings = draw_settings(rng, self.cls)
        n, p = int(rng.choice(ROWS)), int(rng.choice([1, 2, 3, 5, 8]))
        trouble, self.values = draw_values(rng, n, p)
        kind = draw_kind(rng)
        self.X = KINDS[kind](self.values)
        name = self.cls.__name__
        wants = "labels" if name in LABELLED else "table" if name == "CCA" else "numbers"
        target, self.y = draw_target(rng, self.values, wants)
        weights, self.weight = draw_weights(rng, len(self.values))
        told = ", ".join(f"{k}={v!r}" for k, v in self.settings.items())
        table = f"{kind} {self.values.shape[0]}×{self.values.shape[1]}, {trouble}"
        self.title = f"{name}({told}) | {table} | {target} | weights: {weights}"

    def run(self):
        """Make all calls, and return their verdicts."""
        with quiet(), np.errstate(all="ignore"):
            return list(self._calls())

    def _calls(self):
        made, model = verdict_of("the constructor", lambda: self.cls(**self.settings))
        yield made
        if model is None:
            return
        yield verdict_of("repr", lambda: repr(model))[0]
        fit, _ = verdict_of("fit", lambda: model.fit(self.X, self.y, sample_weight=self.weight))
        yield fit
        if fit.outcome == "hung":
            return
        yield from self._calls_with_rows(model, self.X)
        if fit.outcome == "answered":
            yield from self._calls_with_rows(model, self._other_rows())
            yield from self._calls_without_rows(model)
        if hasattr(model, "partial_fit"):
            yield verdict_of("partial_fit", lambda: model.partial_fit(self.X, self.y, sample_weight=self.weight))[0]
            half = self.values[: len(self.values) // 2 + 1]
            y = None if self.y is None else self.y[: len(half)]
            yield verdict_of("partial_fit of half", lambda: clone(model).partial_fit(half, y))[0]
        yield (
            verdict_of("fit_transform", lambda: clone(model).fit_transform(self.X, self.y))[0]
            if hasattr(model, "fit_transform")
            else Verdict("fit_transform", "answered")
        )

    def _calls_with_rows(self, model, X):
        scores = None
        for name in OF_ROWS:
            if hasattr(model, name):
                verdict, answer = verdict_of(name, lambda name=name: getattr(model, name)(X))
                yield verdict
                scores = answer if name == "transform" else scores
        if hasattr(model, "score"):
            if type(model).__name__ == "PCA":
                yield verdict_of("score", lambda: model.score(X))[0]
            else:
                yield verdict_of("score", lambda: model.score(X, self.y))[0]
                yield verdict_of("weighted score", lambda: model.score(X, self.y, sample_weight=self.weight))[0]
        if hasattr(model, "inverse_transform") and scores is not None:
            yield verdict_of("inverse_transform", lambda: model.inverse_transform(scores))[0]

    def _calls_without_rows(self, model):
        for name in OF_NOTHING:
            if hasattr(model, name):
                yield verdict_of(name, getattr(model, name))[0]
        if hasattr(model, "test_dimension"):
            options = {"n_draws": 9} if "n_draws" in inspect.signature(model.test_dimension).parameters else {}
            if self.rng.random() < 0.6:
                options["method"] = str(self.rng.choice(TESTS))
            yield verdict_of("test_dimension", lambda: str(model.test_dimension(**options)))[0]
        if hasattr(model, "fit_moments"):
            yield verdict_of("fit_moments", lambda: clone(model).fit_moments(model.moments_))[0]
        yield verdict_of("clone", lambda: clone(model))[0]
        yield verdict_of("pickle", lambda: pickle.loads(pickle.dumps(model)))[0]
        yield verdict_of("save and load", lambda: _saved_and_loaded(model))[0]

    def _other_rows(self):
        """New rows: mostly of as many columns, in any kind and with any trouble."""
        n, p = int(self.rng.choice([1, 2, 7])), self.values.shape[1]
        p = p + 1 if self.rng.random() < 0.05 else max(p, 1)
        _, values = draw_values(self.rng, n, p)
        return KINDS[draw_kind(self.rng)](values)


def _saved_and_loaded(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.eigenlens"
        eigenlens.save(model, path)
        try:
            return eigenlens.load(path)
        except ModelFileError as error:
            raise AssertionError(f"a model that was just saved is refused: {error}") from error
