"""LDA: what is its own, beyond the laws."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf_shrinkage, oas
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer

from eigenlens import LDA
from eigenlens.exceptions import InputError, InputTypeError, RankWarning, SeparationError

X, y = load_wine(return_X_y=True)


def covariances(X, y):
    return [np.cov(X[y == k].T, ddof=0) for k in np.unique(y)]


def test_within_covariance_is_the_identity_in_canonical_coordinates():
    scores = LDA().fit(X, y).transform(X)
    within = sum(np.cov(scores[y == k].T, ddof=0) * np.sum(y == k) for k in range(3)) / (len(X) - 3)
    np.testing.assert_allclose(within, np.eye(2), atol=1e-11)
    sphered = LDA().fit(X, y).sphere(X)
    within = sum(np.cov(sphered[y == k].T, ddof=0) * np.sum(y == k) for k in range(3)) / (len(X) - 3)
    np.testing.assert_allclose(within, np.eye(13), atol=1e-10)


def test_mahalanobis_in_all_dimensions_exceeds_that_of_the_coordinates():
    model = LDA().fit(X, y)
    inside = ((model.transform(X)[:, None] - model.centroids_) ** 2).sum(axis=2)
    outside = model.mahalanobis(X) - inside
    assert np.all(outside > 0)
    assert np.ptp(outside, axis=1).max() < 1e-9  # what lies outside is the same for all classes


def test_factor_to_scikit_learn():
    ours, theirs = LDA().fit(X, y), Peer().fit(X, y)
    n, K = len(X), 3
    within = n * sum(np.mean(y == k) * S for k, S in enumerate(covariances(X, y)))
    squares = np.diag(theirs.scalings_.T @ within @ theirs.scalings_)
    assert any(squares == pytest.approx(d, rel=1e-8) for d in (n, n - K))  # its divisor, which depends on the version
    ratio = np.abs(theirs.scalings_ / ours.scalings_)
    np.testing.assert_allclose(ratio, np.broadcast_to(np.sqrt(squares / (n - K)), ratio.shape), rtol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-10)


def test_reduced_rank_changes_the_rule():
    full, one = LDA().fit(X, y), LDA(1).fit(X, y)
    np.testing.assert_allclose(one.scalings_, full.scalings_[:, :1], atol=1e-12)
    assert np.any(one.predict(X) != full.predict(X))
    z, c = one.transform(X), one.centroids_
    rule = np.argmax(-0.5 * (z - c.T) ** 2 + np.log(one.priors_), axis=1)
    assert np.array_equal(one.predict(X), rule)
    np.testing.assert_allclose(LDA(2).fit(X, y).predict_log_proba(X), full.predict_log_proba(X), atol=1e-12)


@pytest.mark.parametrize("reduced", [None, 1])
def test_linear_rule_in_the_units_of_X(reduced):
    model = LDA(reduced).fit(X, y)
    np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X), rtol=1e-7, atol=1e-7)
    two = LDA().fit(X[y < 2], y[y < 2])
    assert two.coef_.shape == (1, 13)
    decision = two.decision_function(X[y < 2])
    np.testing.assert_allclose(X[y < 2] @ two.coef_[0] + two.intercept_, decision, rtol=1e-7, atol=1e-7)
    assert np.array_equal(two.predict(X[y < 2]), (decision > 0).astype(int))


def test_priors_enter_the_rule_the_mean_and_the_between_scatter():
    priors = np.array([0.6, 0.3, 0.1])
    model = LDA(priors=priors).fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    np.testing.assert_allclose(model.mean_, priors @ means, rtol=1e-12)
    Sw = sum(c * np.sum(y == k) for k, c in enumerate(covariances(X, y))) / (len(X) - 3)
    B = (priors * (means - priors @ means).T) @ (means - priors @ means)
    V = model.scalings_
    np.testing.assert_allclose(B @ V, Sw @ V * model.spectrum_.values, atol=1e-9 * np.abs(B @ V).max())
    base = LDA().fit(X, y).predict_log_proba(X)
    shift = np.log(priors) - np.log(np.bincount(y) / len(y))
    expected = base + shift - np.logaddexp.reduce(base + shift, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(X), expected, atol=1e-8)


def test_equal_within_and_between():
    model = LDA(within="equal", between="equal").fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    Sw, centred = np.mean(covariances(X, y), axis=0), means - means.mean(axis=0)
    V = model.scalings_
    np.testing.assert_allclose(V.T @ Sw @ V, np.eye(2), atol=1e-10)
    B = centred.T @ centred / 3
    np.testing.assert_allclose(B @ V, Sw @ V * model.spectrum_.values, atol=1e-9 * np.abs(B @ V).max())
    np.testing.assert_allclose(model.mean_, means.mean(axis=0), rtol=1e-13)


def test_equal_classes_about_the_mean_of_the_rows():
    """(1/K) Σ (μ_k − μ)(μ_k − μ)ᵀ against S_W, as lecture notes have it; the two values are theirs, on scaled wine."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model = LDA(between="classes").fit(Z, y)
    means = np.array([Z[y == k].mean(axis=0) for k in range(3)])
    B = means.T @ means / 3
    np.testing.assert_allclose(model.spectrum_.values, [10.1676, 3.7955], atol=5e-5)
    np.testing.assert_allclose(model.between_, B, atol=1e-12)
    np.testing.assert_allclose(model.mean_, 0, atol=1e-12)


def test_the_quotient_is_largest_in_the_first_direction():
    model = LDA().fit(X, y)
    Sw, B = model.covariance_, model.between_
    W = np.random.default_rng(0).standard_normal((13, 50)) / X.std(axis=0)[:, None]
    expected = np.sum(W * (B @ W), axis=0) / np.sum(W * (Sw @ W), axis=0)
    np.testing.assert_allclose(model.rayleigh(W), expected, rtol=1e-9)
    np.testing.assert_allclose(model.rayleigh(model.scalings_), model.spectrum_.values, rtol=1e-9)
    assert (model.rayleigh(W) < model.rayleigh(1e200 * model.scalings_[:, 0])).all()
    assert np.isnan(model.rayleigh(np.zeros(13)))
    for wrong in (
        [1.0, 2.0],
        np.full(13, np.nan),
        np.ones((1, 13)),
        "abc",
        ["a"] * 13,
        [1j] * 13,
        {},
        [[1], [1, 2]],
        None,
    ):
        with pytest.raises((InputError, InputTypeError), match="13"):
            model.rayleigh(wrong)


@pytest.mark.parametrize("target", ["auto", "identity", "diagonal"])
@pytest.mark.parametrize("kind", ["ledoit-wolf", "oas", 0.3, 1.0])
@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the units are meant
@pytest.mark.parametrize("parts", [1, 4])
def test_shrinkage(kind, target, parts):
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    residuals = X - means[y]
    diagonal = target == "diagonal" or (target == "auto" and isinstance(kind, str))
    spread = np.sqrt(np.mean(residuals**2, axis=0)) if diagonal else np.ones(13)
    if kind == "ledoit-wolf":
        intensity = ledoit_wolf_shrinkage(residuals / spread, assume_centered=True)
    else:
        intensity = oas(residuals / spread, assume_centered=True)[1] if kind == "oas" else kind
    S = residuals.T @ residuals / (len(X) - 3)
    S = (1 - intensity) * S + intensity * np.diag(S.diagonal() if diagonal else np.full(13, np.trace(S) / 13))
    model = LDA(shrinkage=kind, shrinkage_target=target)
    for index in np.array_split(np.random.default_rng(0).permutation(len(X)), parts):
        model.partial_fit(X[index], y[index])
    assert model.shrinkage_ == pytest.approx(intensity, rel=1e-10)
    np.testing.assert_allclose(model.scalings_.T @ S @ model.scalings_, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("chosen", ["ledoit-wolf", "oas", "cv"])
@pytest.mark.parametrize("wide", [False, True])
def test_a_chosen_amount_does_not_depend_on_units_and_can_be_repeated(chosen, wide):
    rng = np.random.default_rng(4)
    rows = np.hstack([X, rng.standard_normal((len(X), 500))])[::3] if wide else X
    labels = y[::3] if wide else y
    units = 10.0 ** rng.uniform(-4, 4, rows.shape[1])
    here = LDA(shrinkage=chosen).fit(rows, labels)
    there = LDA(shrinkage=chosen).fit(rows * units, labels)
    assert there.shrinkage_ == pytest.approx(here.shrinkage_, rel=1e-8)
    np.testing.assert_allclose(
        there.predict_log_proba(rows * units), here.predict_log_proba(rows), rtol=1e-6, atol=1e-6
    )
    again = LDA(shrinkage=here.shrinkage_, shrinkage_target="diagonal").fit(rows, labels)
    np.testing.assert_allclose(again.predict_log_proba(rows), here.predict_log_proba(rows), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("chosen", ["ledoit-wolf", "oas"])
def test_wide_rows_of_many_pieces_choose_what_all_rows_choose(chosen):
    rng = np.random.default_rng(5)
    rows, labels = rng.standard_normal((90, 500)) + np.arange(500), np.arange(90) % 3
    rows[:, :5] += 2.0 * labels[:, None]
    weight = rng.integers(1, 3, 90)
    model = LDA(shrinkage=chosen)
    for index in np.array_split(rng.permutation(90), 7):
        model.partial_fit(rows[index], labels[index], weight[index])
    means = np.stack([np.average(rows[labels == k], axis=0, weights=weight[labels == k]) for k in range(3)])
    residuals = np.repeat(rows - means[labels], weight, axis=0)
    residuals = residuals / np.sqrt(np.mean(residuals**2, axis=0))
    by_hand = ledoit_wolf_shrinkage if chosen == "ledoit-wolf" else lambda R, **how: oas(R, **how)[1]
    assert model.shrinkage_ == pytest.approx(by_hand(residuals, assume_centered=True), rel=1e-9)


def test_a_chosen_amount_takes_a_column_that_separates_by_itself():
    tell = np.column_stack([X, y * 1e-6])
    for chosen in ("ledoit-wolf", "oas", "cv"):
        assert LDA(shrinkage=chosen).fit(tell, y).score(tell, y) == 1.0


def test_more_columns_than_rows():
    rng = np.random.default_rng(1)
    labels = np.arange(40) % 4
    wide = rng.standard_normal((40, 200)) + 6 * np.eye(4, 200)[labels]
    with pytest.warns(RankWarning, match=r"rank 36 but 200 columns vary.*shrinkage"):
        model = LDA().fit(wide, labels)
    assert model.transform(wide).shape == (40, 3)
    shrunk = LDA(shrinkage="oas").fit(wide, labels)
    fresh = rng.standard_normal((400, 200)) + 6 * np.eye(4, 200)[np.arange(400) % 4]
    assert np.mean(shrunk.predict(fresh) == np.arange(400) % 4) > 0.9
    by_hand = LDA(shrinkage=0.5).fit(wide, labels)
    means = np.array([wide[labels == k].mean(axis=0) for k in range(4)])
    S = (wide - means[labels]).T @ (wide - means[labels]) / 36
    S = 0.5 * S + 0.5 * np.trace(S) / 200 * np.eye(200)
    np.testing.assert_allclose(by_hand.scalings_.T @ S @ by_hand.scalings_, np.eye(3), atol=1e-10)


def test_class_means_on_a_line_leave_directions_out():
    rng = np.random.default_rng(2)
    Z = rng.standard_normal((90, 3))
    labels = np.arange(90) % 3
    Z -= np.array([Z[labels == k].mean(axis=0) for k in range(3)])[labels]
    with pytest.warns(RankWarning, match="rank 1 but 2 were asked for"):
        model = LDA().fit(Z + np.outer(labels, [1.0, 2.0, 0.5]), labels)
    assert model.scalings_.shape == (3, 1)


def test_a_column_that_separates_alone_is_named():
    import pandas as pd

    frame = pd.DataFrame(load_iris().data, columns=list("abcd")).assign(tell=load_iris().target * 0.1)
    with pytest.raises(InputError, match="column 'tell' is constant within every class"):
        LDA().fit(frame, load_iris().target)
    assert LDA(shrinkage=1e-4).fit(frame, load_iris().target).score(frame, load_iris().target) == 1.0


def test_partial_fit_waits_until_it_can_solve():
    from sklearn.exceptions import NotFittedError

    model = LDA().partial_fit(X[y == 0], y[y == 0])
    with pytest.raises(NotFittedError, match="one class"):
        model.predict(X)
    model.partial_fit(X[y != 0], y[y != 0])
    np.testing.assert_allclose(model.scalings_, LDA().fit(X, y).scalings_, atol=1e-11)
    with pytest.raises(ValueError, match=r"labels 7 that are not among classes=0, 1, 2"):
        model.partial_fit(X[:2], [7, 7], classes=[0, 1, 2])


def test_the_number_of_directions_may_be_found_from_batches():
    model = LDA("auto").partial_fit(X[y == 0], y[y == 0]).partial_fit(X[y != 0], y[y != 0])
    np.testing.assert_allclose(model.scalings_, LDA("auto").fit(X, y).scalings_, atol=1e-11)


def test_many_classes():
    rng = np.random.default_rng(3)
    labels = np.arange(30_000) % 500
    centres = rng.standard_normal((500, 12)) * 3
    rows = centres[labels] + rng.standard_normal((30_000, 12))
    model = LDA().fit(rows, labels)
    assert model.scalings_.shape == (12, 12)
    assert model.score(rows, labels) > 0.9


@pytest.mark.parametrize(
    ("given", "more"), [("auto", " It is scikit-learn's name for"), ("ledoit_wolf", "$"), (2.0, "$")]
)
def test_a_shrinkage_that_is_none_is_told_the_options(given, more):
    words = "use one of None, a number from 0 to 1, 'ledoit-wolf', 'oas' or 'cv'." + more
    with pytest.raises(InputError, match=words):
        LDA(shrinkage=given).fit([[0.0], [1.0], [2.0]], [0, 0, 1])


@pytest.mark.parametrize("shrinkage", [None, 0.5])
def test_columns_without_spread_within_classes_tell_the_classes_or_nothing(shrinkage):
    y = np.arange(12) % 3
    with pytest.raises(InputError, match="the same in all of them, so nothing separates the classes"):
        LDA(shrinkage=shrinkage).fit(np.ones((12, 2)), y)
    said = "read off the columns" if shrinkage else "these columns alone separate classes"
    with pytest.raises(SeparationError, match=said):
        LDA(shrinkage=shrinkage).fit(np.column_stack([y, y**2]).astype(float), y)
