"""Labels of every kind that `fit` takes, `score` takes; one class, odd weights and odd tables are refused in words."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, r2_score

from eigenlens import CCA, FDA, LDA, MDA, PCA, PDA, SAVE, SIR, ClassicalMDS, KernelClassifier, SparsePCA
from eigenlens.exceptions import InputError
from eigenlens.regress import AdaptiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.solve import orient

rng = np.random.default_rng(0)
CODES = np.arange(45) % 3
X = rng.standard_normal((45, 3)) + 2 * CODES[:, None]
CLASSIFIERS = [LDA(), FDA(), PDA(), MDA(n_subclasses=1), KernelClassifier()]
KINDS = {
    "bytes": np.array([b"a", b"b", b"c"])[CODES],
    "object bytes": np.array([b"a", b"b", b"c"], dtype=object)[CODES],
    "object numbers": CODES.astype(object),
    "big numbers": [10**30 + int(k) for k in CODES],
    "Categorical": pd.Categorical(np.array(list("abc"))[CODES]),
    "object bool": (CODES > 0).astype(object),
    "words": np.array(list("abc"))[CODES],
}
ONE_CLASS = {
    "objects": np.full(45, "only", dtype=object),
    "Categorical": pd.Categorical(["only"] * 45),
    "object numbers": np.zeros(45, dtype=int).astype(object),
}


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_that_fit_takes_score_takes(model, kind):
    y = KINDS[kind]
    share = model.fit(X, y).score(X, y)
    assert share == np.mean([a == b for a, b in zip(model.predict(X).tolist(), list(y), strict=True)]) > 0.5


def test_score_is_that_of_scikit_learn():
    w = rng.random(45)
    model = LDA().fit(X, CODES)
    assert model.score(X, CODES, w) == pytest.approx(accuracy_score(CODES, model.predict(X), sample_weight=w))
    Y = X[:, :2] + rng.standard_normal((45, 2))
    for regressor, y in ((PenalizedRegression(), Y[:, 0]), (PenalizedRegression(), Y), (CCA(), Y)):
        found = regressor.fit(X, y).score(X, y, sample_weight=w)
        assert found == pytest.approx(r2_score(y, regressor.predict(X), sample_weight=w), rel=1e-12)


def test_score_of_large_responses_is_that_of_small_ones():
    y = X[:, 0] + rng.standard_normal(45)
    near, far = (PenalizedRegression(lam=1.0).fit(X, y * s).score(X, y * s) for s in (1.0, 1e140))
    assert near == pytest.approx(far, rel=1e-12)


@pytest.mark.parametrize("y", [None, CODES[:-1], np.where(CODES > 0, np.nan, 0.0)], ids=["none", "short", "NaN"])
def test_what_cannot_be_scored_is_refused_in_words(y):
    with pytest.raises(InputError):
        LDA().fit(X, CODES).score(X, y)
    with pytest.raises(InputError):
        PenalizedRegression().fit(X, X[:, 0]).score(X, y)


@pytest.mark.parametrize("model", [*CLASSIFIERS, SIR(), SAVE()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("kind", ONE_CLASS)
def test_one_class_is_named(model, kind):
    with pytest.raises(InputError, match=r"one (class|slice) \(('only'|0)\)"):
        model.fit(X, ONE_CLASS[kind])


@pytest.mark.parametrize("size", [1e300, 1e-300])
@pytest.mark.parametrize("model", [PCA(), LDA(), SIR()], ids=lambda model: type(model).__name__)
def test_weights_beyond_the_range_are_refused_in_words(model, size):
    with pytest.raises(InputError, match=r"sample_weight goes up to .* divide them all by"):
        model.fit(X * 1e200, CODES, sample_weight=np.full(45, size))


def test_rows_of_vanishing_weight_count_for_nothing():
    w = np.where(np.arange(45) < 30, 1.0, 1e-300)
    np.testing.assert_allclose(PCA().fit(X, sample_weight=w).components_, PCA().fit(X[:30]).components_, rtol=1e-12)


def test_extreme_ridges_and_columns_are_answered_or_refused():
    with pytest.raises(InputError, match=r"ridge=1e\+06 with columns"):
        SIR(ridge=1e6).fit(X * 1e-300, X[:, 0])
    with pytest.raises(InputError, match=r"ridge=1e\+06 with columns"):
        CCA(ridge=1e6).fit(X * 1e-300, X * 1e-300)
    assert SIR(ridge=1e6).fit(X * 1e300, X[:, 0]).components_.shape == (3, 3)


def test_folds_that_the_rows_do_not_fill_are_refused():
    with pytest.raises(InputError, match="cv=5 but X has n_samples=3"):
        AdaptiveSplines(prune="cv").fit(X[:3], X[:3, 0])


def test_a_polynomial_of_too_many_terms_is_refused_at_once():
    with pytest.raises(InputError, match="too many"):
        PolynomialRegression(200).fit(X, X[:, 0])
    assert np.isfinite(PolynomialRegression(1000).fit(X[:, :1], X[:, 0]).predict(X[:, :1])).all()


@pytest.mark.filterwarnings("ignore:n_components=7")
def test_more_axes_than_rows_can_be_tested():
    many, fewer = (ClassicalMDS(k).fit(X[:5]).test_dimension(X[:5]) for k in (7, 3))
    assert many.dimension == fewer.dimension == 1
    assert len(many.p_values) == len(fewer.p_values)


def test_distances_among_rows_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="4 features"):
        ClassicalMDS().fit(X).distances_among(np.ones((5, 4)))


def test_whole_weights_beyond_memory_are_refused():
    Y, weight = X[:, :2], np.full(45, 1e12)
    with pytest.raises(InputError, match="sample_weight adds up to"):
        CCA(ridge=0.1).fit(X, Y, sample_weight=weight).test_dimension(X, Y, sample_weight=weight, n_draws=9)


def test_axes_of_nothing_have_signs():
    assert orient(np.zeros((0, 2))).tolist() == [1.0, 1.0]


def test_a_path_of_copied_columns_takes_seconds():
    import time

    rows = rng.standard_normal((3, 8))
    rows[:, 1] = rows[:, 0]
    start = time.process_time()
    SparsePCA(2).fit(rows).path()
    assert time.process_time() - start < 10


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.EigenlensWarning")
def test_degenerate_tables_are_answered_or_refused_in_words():
    from fuzz.judge import verdict_of

    signs = np.sign(rng.standard_normal((45, 1)))
    equal = np.repeat(X[:, :1], 3, axis=1)
    fits = {
        "MDA on one column of signs": lambda: MDA().fit(signs, CODES).predict_proba(signs),
        "LDA on constant columns": lambda: LDA(shrinkage=0.5).fit(np.ones((45, 3)), CODES).predict(X),
        "SparsePCA on equal columns": lambda: SparsePCA(1, n_nonzero=1).fit(equal).transform(equal),
    }
    verdicts = [verdict_of(name, fit)[0] for name, fit in fits.items()]
    assert not [f"{verdict.call}: {verdict.error}" for verdict in verdicts if verdict.outcome == "raw"]
