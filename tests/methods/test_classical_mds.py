"""Classical scaling: the defining equation, its identity with PCA, new points, landmarks, extremes, bad input."""

import tracemalloc
import weakref

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
import torch
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import manifold
from sklearn.base import clone

from eigenlens import PCA, ClassicalMDS, RankWarning, load, save
from eigenlens.arrays import memory
from eigenlens.distances import Exponential, Identity, Logarithm, Power, double_center, gower, lingoes, procrustes
from eigenlens.exceptions import (
    InputError,
    InputTypeError,
    PrecomputedWarning,
    RangeWarning,
    SelfDistanceWarning,
    TooLargeError,
)

rng = np.random.default_rng(11)
X = rng.standard_normal((80, 5)) * [5, 4, 3, 2, 1] + [1, 2, 3, 4, 5]
D = squareform(pdist(X))
ROADS = squareform(pdist(np.abs(X), "cityblock"))  # far from Euclidean


def up_to_sign(found, expected, tolerance):
    found, expected = np.asarray(found), np.asarray(expected)
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


# -- the defining equation -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, rng.uniform(0.5, 3.0, 80)], ids=["plain", "weighted"])
@pytest.mark.parametrize("table", [D, ROADS], ids=["Euclidean", "cityblock"])
def test_defining_equation(table, weight):
    """√w B √w U = U Λ, Y = U√Λ/√w, in descending order, about the weighted centre."""
    mds = ClassicalMDS(3, metric="precomputed").fit(table, sample_weight=weight)
    w = np.ones(80) if weight is None else weight
    B = double_center(table**2, w / w.sum())
    Y, lam = mds.embedding_, mds.eigenvalues_
    np.testing.assert_allclose(B @ (w[:, None] * Y), Y * lam, atol=1e-10 * lam[0] * np.abs(Y).max())
    np.testing.assert_allclose(Y.T @ (w[:, None] * Y), np.diag(lam), atol=1e-11 * lam[0])
    np.testing.assert_allclose(w @ Y, 0, atol=1e-10 * w.sum())
    every = np.linalg.eigvalsh(np.sqrt(w)[:, None] * B * np.sqrt(w))[::-1]
    np.testing.assert_allclose(lam, every[:3], rtol=1e-11)
    assert mds.negative_inertia_ == pytest.approx(-every[every < 0].sum() / np.abs(every).sum(), rel=1e-9, abs=1e-12)
    expected = [lam.sum() / np.abs(every).sum(), lam.sum() / every[every > 0].sum()]
    np.testing.assert_allclose(mds.goodness_of_fit_, expected, rtol=1e-10)
    assert mds.inertia_exact_


@pytest.mark.parametrize("weight", [None, rng.integers(0, 4, 80)], ids=["plain", "weighted"])
def test_stress_is_kruskals(weight):
    mds = ClassicalMDS(2, metric="precomputed").fit(ROADS, sample_weight=weight)
    repeat = np.arange(80) if weight is None else np.repeat(np.arange(80), weight)
    shown, given = pdist(mds.embedding_[repeat]), squareform(ROADS[np.ix_(repeat, repeat)], checks=False)
    assert mds.stress_ == pytest.approx(np.sqrt(np.sum((given - shown) ** 2) / np.sum(shown**2)), rel=1e-10)
    assert mds.stress_exact_


# -- identities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("weight", [None, rng.integers(1, 4, 80)], ids=["plain", "weighted"])
def test_euclidean_distances_give_principal_components(offset, weight):
    rows = X + offset
    scores = PCA(3).fit(rows, sample_weight=weight).transform(rows)
    ways = {
        "rows": (ClassicalMDS(3), rows),
        "a table": (ClassicalMDS(3, schoenberg=Identity()), rows),
        "precomputed": (ClassicalMDS(3, metric="precomputed"), squareform(pdist(rows))),
        "condensed": (ClassicalMDS(3, metric="precomputed"), pdist(rows)),
        "squared": (ClassicalMDS(3, metric="precomputed", squared=True), squareform(pdist(rows, "sqeuclidean"))),
        "sqeuclidean": (ClassicalMDS(3, metric="sqeuclidean", squared=True), rows),
        "all landmarks": (ClassicalMDS(3, n_landmarks=80), rows),
        "farthest landmarks": (ClassicalMDS(3, n_landmarks=80, landmarks="maxmin"), rows),
        "table of landmarks": (ClassicalMDS(3, metric="precomputed", n_landmarks=80), squareform(pdist(rows))),
    }
    for name, (model, given) in ways.items():
        found = model.fit(given, sample_weight=weight)
        up_to_sign(found.embedding_, scores, 1e-10)
        assert found.negative_inertia_ < 1e-12, name
        assert found.landmark_error_ == 0.0


@pytest.mark.skipif(not hasattr(manifold, "ClassicalMDS"), reason="scikit-learn has the method since 1.8")
def test_scikit_learn_agrees():
    Peer = manifold.ClassicalMDS
    up_to_sign(ClassicalMDS(2).fit_transform(X), Peer(2).fit_transform(X), 1e-10)
    up_to_sign(
        ClassicalMDS(2, metric="cityblock").fit_transform(X), Peer(2, metric="cityblock").fit_transform(X), 1e-10
    )


@pytest.mark.parametrize("correction", [None, "lingoes", "cailliez"])
@pytest.mark.parametrize("schoenberg", [None, Power(0.4), Exponential(0.01)], ids=repr)
def test_landmarks_at_all_points_are_the_exact_fit(correction, schoenberg):
    parameters = {"metric": "cityblock", "correction": correction, "schoenberg": schoenberg}
    exact = ClassicalMDS(3, **parameters).fit(X)
    landmarks = ClassicalMDS(3, n_landmarks=len(X), **parameters).fit(X)
    np.testing.assert_allclose(landmarks.embedding_, exact.embedding_, atol=1e-10 * np.abs(exact.embedding_).max())
    np.testing.assert_allclose(landmarks.eigenvalues_, exact.eigenvalues_, rtol=1e-10)
    assert landmarks.stress_ == pytest.approx(exact.stress_, rel=1e-9)
    assert landmarks.negative_inertia_ == pytest.approx(exact.negative_inertia_, rel=1e-9, abs=1e-12)


def test_weights_of_a_table_repeat_its_points():
    weight = rng.integers(0, 3, 80)
    repeat = np.repeat(np.arange(80), weight)
    weighted = ClassicalMDS(2, metric="precomputed").fit(ROADS, sample_weight=weight)
    repeated = ClassicalMDS(2, metric="precomputed").fit(ROADS[np.ix_(repeat, repeat)])
    np.testing.assert_allclose(weighted.embedding_[repeat], repeated.embedding_, atol=1e-9)
    np.testing.assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-11)
    assert weighted.stress_ == pytest.approx(repeated.stress_, rel=1e-10)


def test_correction_maps_the_repaired_table():
    mds = ClassicalMDS(4, metric="precomputed", correction="lingoes").fit(ROADS)
    repaired, constant = lingoes(ROADS**2)
    plain = ClassicalMDS(4, metric="precomputed", squared=True).fit(repaired)
    np.testing.assert_allclose(mds.embedding_, plain.embedding_, atol=1e-9)
    assert mds.additive_constant_ == pytest.approx(constant, rel=1e-12)
    assert mds.negative_inertia_ < 1e-12
    assert ClassicalMDS(metric="precomputed").fit(ROADS).negative_inertia_ > 0.1


# -- new points ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("correction", [None, "lingoes", "cailliez"])
@pytest.mark.parametrize("schoenberg", [None, Logarithm(3.0)], ids=repr)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "braycurtis", "seuclidean", "mahalanobis"])
def test_training_rows_are_placed_where_they_are(metric, schoenberg, correction):
    rows = np.abs(X)
    mds = ClassicalMDS(2, metric=metric, schoenberg=schoenberg, correction=correction).fit(rows)
    scale = np.abs(mds.embedding_).max()
    np.testing.assert_allclose(mds.transform(rows), mds.embedding_, atol=1e-9 * scale)
    np.testing.assert_allclose(mds.transform(rows[:3]), mds.embedding_[:3], atol=1e-9 * scale)


def test_new_points_by_features_and_by_distances():
    new = rng.standard_normal((7, 5)) * 3
    by_features = ClassicalMDS(3, metric="cityblock").fit(X).transform(new)
    table = ClassicalMDS(3, metric="precomputed").fit(squareform(pdist(X, "cityblock")))
    np.testing.assert_allclose(by_features, table.transform(cdist(new, X, "cityblock")), atol=1e-9)
    up_to_sign(ClassicalMDS(3).fit(X).transform(new), PCA(3).fit(X).transform(new), 1e-11)


def test_new_points_of_a_euclidean_table_keep_their_distances():
    """A new point in the space of the map is placed exactly: Gower's formula."""
    mds = ClassicalMDS(5, metric="precomputed").fit(D)
    new = rng.standard_normal((4, 5))
    placed = mds.transform(cdist(new, X))
    np.testing.assert_allclose(cdist(placed, mds.embedding_), cdist(new, X), rtol=1e-9)


def test_rows_of_weight_zero_are_placed():
    weight = np.ones(80)
    weight[::4] = 0
    for model, given in ((ClassicalMDS(2, metric="cityblock"), X), (ClassicalMDS(2, metric="precomputed"), ROADS)):
        mds = clone(model).fit(given, sample_weight=weight)
        assert mds.embedding_.shape == (80, 2)
        part = given[weight > 0] if model.metric != "precomputed" else given[np.ix_(weight > 0, weight > 0)]
        np.testing.assert_allclose(mds.embedding_[weight > 0], clone(model).fit_transform(part), atol=1e-9)
        np.testing.assert_allclose(mds.embedding_, mds.transform(given), atol=1e-9)


def test_callables_names_and_parameters_of_metrics():
    expected = ClassicalMDS(2, metric="cityblock").fit_transform(X)
    up_to_sign(ClassicalMDS(2, metric=lambda a, b: np.abs(a - b).sum()).fit_transform(X), expected, 1e-10)
    minkowski = ClassicalMDS(2, metric="minkowski", metric_params={"p": 1}).fit_transform(X)
    up_to_sign(minkowski, expected, 1e-10)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    angles = ClassicalMDS(2, metric="cosine", squared=True).fit(X)  # 1 − cos is half a squared distance
    up_to_sign(angles.embedding_, ClassicalMDS(2).fit_transform(unit) / np.sqrt(2), 1e-9)


# -- landmarks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["random", "maxmin"])
def test_landmarks_come_near_the_exact_map_and_say_how_near(how):
    rows = np.random.default_rng(0).standard_normal((1200, 8)) * np.array([8, 5, 2, 1, 1, 1, 1, 1])
    exact = ClassicalMDS(2, metric="cityblock").fit(rows)
    size = np.sqrt(np.mean(np.sum(exact.embedding_**2, axis=1)))
    errors = []
    for m in (30, 300):
        mds = ClassicalMDS(2, metric="cityblock", n_landmarks=m, landmarks=how).fit(rows)
        errors.append(procrustes(mds.embedding_, exact.embedding_, scaling=False).residual / size)
        assert errors[-1] / 3 < mds.landmark_error_ < 5 * errors[-1]
        assert len(mds.landmarks_) == m
        np.testing.assert_allclose(mds.transform(rows), mds.embedding_, atol=1e-9 * size)
        cross = mds.embedding_.T @ mds.embedding_
        np.testing.assert_allclose(cross, np.diag(mds.eigenvalues_), atol=1e-9 * cross[0, 0])
    assert errors[1] < 0.7 * errors[0] < 0.3
    assert mds.negative_inertia_ == pytest.approx(exact.negative_inertia_, rel=0.3)
    assert not mds.inertia_exact_


@pytest.mark.parametrize("how", ["random", "maxmin"])
@pytest.mark.parametrize("metric", ["cityblock", "chebyshev"])
def test_the_error_of_landmarks_is_of_the_right_size(metric, how):
    """Within a factor of 2.5, in the middle of several choices, for both ways to choose."""
    source = np.random.default_rng(1)
    for rows in (
        source.standard_normal((500, 8)) * np.array([8, 5, 2, 1, 1, 1, 1, 1]),
        source.standard_normal((500, 4)) + 8 * source.standard_normal((6, 4))[source.integers(0, 6, 500)],
    ):
        exact = ClassicalMDS(2, metric=metric).fit(rows).embedding_
        size, ratios = np.sqrt(np.mean(np.sum(exact**2, axis=1))), []
        for seed in range(7):
            for m in (20, 60):
                mds = ClassicalMDS(2, metric=metric, n_landmarks=m, landmarks=how, random_state=seed).fit(rows)
                off = procrustes(mds.embedding_, exact, scaling=False).residual / size
                ratios.append(mds.landmark_error_ / off)
        assert 0.4 < np.median(ratios) < 2.5


def test_landmarks_of_a_table_are_those_of_the_rows():
    by_rows = ClassicalMDS(2, metric="cityblock", n_landmarks=25).fit(X)
    by_table = ClassicalMDS(2, metric="precomputed", n_landmarks=25).fit(squareform(pdist(X, "cityblock")))
    np.testing.assert_array_equal(by_rows.landmarks_, by_table.landmarks_)
    np.testing.assert_allclose(by_rows.embedding_, by_table.embedding_, atol=1e-9)
    assert by_rows.stress_ == pytest.approx(by_table.stress_, rel=1e-9)


@pytest.mark.parametrize("how", ["random", "maxmin"])
@pytest.mark.parametrize("m", [3, 5, 10])
def test_a_few_landmarks_know_the_fit_of_the_whole_map(how, m):
    """Points of a plane are shown in full, whatever the size of the landmarks' own map."""
    rows = np.random.default_rng(0).standard_t(2, (500, 2))
    mds = ClassicalMDS(2, n_landmarks=m, landmarks=how).fit(rows)
    np.testing.assert_allclose(mds.goodness_of_fit_, 1.0, rtol=1e-6)
    exact = ClassicalMDS(1, metric="cityblock").fit(rows)
    few = ClassicalMDS(1, metric="cityblock", n_landmarks=60, landmarks=how).fit(rows)
    np.testing.assert_allclose(few.goodness_of_fit_, exact.goodness_of_fit_, rtol=0.25)


@pytest.mark.parametrize(("how", "m"), [("random", 5), ("maxmin", 4)])
def test_too_few_landmarks_do_not_know_their_error(how, m):
    parameters = {"metric": "cityblock", "landmarks": how}
    assert np.isnan(ClassicalMDS(2, n_landmarks=m, **parameters).fit(X).landmark_error_)
    assert ClassicalMDS(2, n_landmarks=m + 1, **parameters).fit(X).landmark_error_ > 0


def test_farthest_landmarks_are_spread():
    rows = np.concatenate([np.zeros((50, 2)) + rng.uniform(0, 0.1, (50, 2)), [[10.0, 0], [0, 10.0], [-10.0, 0]]])
    mds = ClassicalMDS(2, n_landmarks=4, landmarks="maxmin").fit(rows)
    assert {50, 51, 52} <= set(mds.landmarks_.tolist())


def test_coinciding_rows_make_enough_landmarks():
    rows = np.repeat(X[:3], 20, axis=0)
    mds = ClassicalMDS(2, n_landmarks=10, landmarks="maxmin").fit(rows)
    assert len(set(mds.landmarks_.tolist())) == 10
    np.testing.assert_allclose(pdist(mds.embedding_[::20]), pdist(X[:3]), rtol=1e-9)


# -- estimates above many points -----------------------------------------------------------------------------------


def test_inertia_is_estimated_above_1000_points_and_says_so():
    rows = np.random.default_rng(0).standard_normal((1600, 6))
    mds = ClassicalMDS(2, metric="cityblock").fit(rows)
    values = np.linalg.eigvalsh(double_center(squareform(pdist(rows, "cityblock")) ** 2))
    share = -values[values < 0].sum() / np.abs(values).sum()
    assert not mds.inertia_exact_
    assert mds.negative_inertia_ == pytest.approx(share, rel=0.05)
    np.testing.assert_allclose(mds.eigenvalues_, values[::-1][:2], rtol=1e-10)


def test_euclidean_tables_have_no_negative_inertia_by_estimate_either():
    rows = np.random.default_rng(0).standard_normal((1600, 6))
    mds = ClassicalMDS(8, metric="precomputed")
    with pytest.warns(RankWarning, match="6 positive eigenvalue"):
        mds.fit(pdist(rows))
    assert mds.negative_inertia_ < 1e-10
    np.testing.assert_array_equal(mds.embedding_[:, 6:], 0.0)


def test_stress_of_many_rows_is_sampled():
    rows = np.random.default_rng(0).standard_normal((6000, 3))
    mds = ClassicalMDS(2).fit(rows)
    assert not mds.stress_exact_
    part = np.random.default_rng(1).choice(6000, 2000, replace=False)
    given, shown = pdist(rows[part]), pdist(mds.embedding_[part])
    assert mds.stress_ == pytest.approx(np.sqrt(np.sum((given - shown) ** 2) / np.sum(shown**2)), rel=0.05)


# -- extremes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize(
    "model",
    [
        ClassicalMDS(3),
        ClassicalMDS(3, metric="precomputed"),
        ClassicalMDS(3, metric="cityblock"),
        ClassicalMDS(3, metric="cityblock", correction="cailliez"),
        ClassicalMDS(3, n_landmarks=40),
    ],
    ids=repr,
)
def test_extreme_scales(model, scale):
    given = D if model.metric == "precomputed" else X
    near = clone(model).fit(given)
    with pytest.warns(RangeWarning, match="eigenvalues_ cannot be represented"):
        far = clone(model).fit(given * scale)
    np.testing.assert_allclose(far.embedding_ / scale, near.embedding_, atol=1e-9)
    np.testing.assert_allclose(far.transform(given * scale) / scale, near.embedding_, atol=1e-9)
    assert far.stress_ == pytest.approx(near.stress_, rel=1e-9)
    np.testing.assert_allclose(far.goodness_of_fit_, near.goodness_of_fit_, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_offsets_keep_nine_digits(metric):
    """Rows on a grid of 2⁻²⁰ survive an offset of 10⁸ without rounding, and so must the map."""
    rows = np.round(X * 2**20) / 2**20
    for model in (ClassicalMDS(3, metric=metric), ClassicalMDS(3, metric=metric, schoenberg=Power(0.5))):
        near, far = clone(model).fit(rows), clone(model).fit(rows + 1e8)
        np.testing.assert_allclose(far.embedding_, near.embedding_, rtol=0, atol=1e-9 * np.abs(near.embedding_).max())
        np.testing.assert_allclose(
            far.transform(rows + 1e8), near.embedding_, atol=1e-9 * np.abs(near.embedding_).max()
        )


def test_a_table_of_distances_taken_for_features_is_told():
    D = squareform(pdist(np.random.default_rng(0).standard_normal((6, 2))))
    with pytest.warns(PrecomputedWarning, match="metric='precomputed'"):
        ClassicalMDS().fit(D)
    ClassicalMDS().fit(D + np.eye(6))  # a diagonal that is not 0: features, and no word


def test_all_points_at_one_place():
    for given, metric in ((np.ones((5, 3)), "euclidean"), (np.zeros((5, 5)), "precomputed")):
        with pytest.warns(RankWarning, match="the points coincide"):
            mds = ClassicalMDS(metric=metric).fit(given)
        np.testing.assert_array_equal(mds.embedding_, 0.0)
        np.testing.assert_array_equal(mds.transform(given), 0.0)
        assert mds.stress_ == 0.0
        assert mds.negative_inertia_ == 0.0


@pytest.mark.parametrize("k", [3, 40, 100])
def test_more_axes_than_the_distances_fill_are_zero_and_never_nan(k):
    with pytest.warns(RankWarning, match=rf"n_components={k} but the distances have 2 positive eigenvalue"):
        mds = ClassicalMDS(k, metric="precomputed").fit(pdist(X[:40, :2]))
    assert mds.embedding_.shape == (40, k)
    np.testing.assert_array_equal(mds.embedding_[:, 2:], 0.0)
    np.testing.assert_array_equal(mds.eigenvalues_[2:], 0.0)
    np.testing.assert_allclose(pdist(mds.embedding_), pdist(X[:40, :2]), rtol=1e-9)
    assert np.isfinite(mds.transform(squareform(pdist(X[:40, :2])))).all()


# -- libraries and memory ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        ClassicalMDS(2),
        ClassicalMDS(2, metric="cityblock"),
        ClassicalMDS(2, schoenberg=Power(0.5)),
        ClassicalMDS(2, n_landmarks=30),
        ClassicalMDS(2, n_landmarks=30, landmarks="maxmin"),
        ClassicalMDS(2, metric="cityblock", correction="cailliez"),
        ClassicalMDS(2, metric="precomputed"),
        ClassicalMDS(2, metric="precomputed", correction="lingoes", n_landmarks=30),
    ],
    ids=repr,
)
@pytest.mark.parametrize("library", [torch.asarray, strict.asarray], ids=["torch", "strict"])
def test_other_libraries(model, library):
    given = ROADS if model.metric == "precomputed" else X
    host = clone(model).fit(given)
    there = clone(model).fit(library(given))
    for found in (there.embedding_, there.transform(library(given)), there.eigenvalues_):
        assert type(found) is type(library(given))
    np.testing.assert_allclose(np.asarray(there.embedding_), host.embedding_, atol=1e-9)
    np.testing.assert_allclose(np.asarray(there.transform(library(given))), host.transform(given), atol=1e-9)


def test_frames_in_and_out():
    names = [f"city{i}" for i in range(80)]
    frame = pd.DataFrame(D, index=names, columns=names)
    mds = ClassicalMDS(2, metric="precomputed").set_output(transform="pandas").fit(frame)
    assert mds.transform(frame).columns.tolist() == ["classicalmds0", "classicalmds1"]
    np.testing.assert_allclose(mds.embedding_, ClassicalMDS(2, metric="precomputed").fit_transform(D), atol=1e-11)


def test_one_table_beyond_the_input_and_none_with_overwrite():
    table = squareform(pdist(rng.standard_normal((1500, 10))))
    for overwrite, copies in ((False, 1.4), (True, 0.4)):
        given = table.copy()
        tracemalloc.start()
        mds = ClassicalMDS(2, metric="precomputed", overwrite=overwrite).fit(given)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < copies * table.nbytes
        assert np.array_equal(given, table) != overwrite
        assert mds.stress_exact_


def test_pairs_lists_and_points_without_weight_take_no_second_table():
    table = squareform(pdist(rng.standard_normal((1500, 10))))
    some = np.where(np.arange(1500) % 10, 1.0, 0.0)
    pairs = squareform(table)
    for given, weight, copies in ((pairs, None, 1.4), (table, some, 1.2), (table.tolist(), None, 1.5)):
        tracemalloc.start()
        ClassicalMDS(2, metric="precomputed").fit(given, sample_weight=weight)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < copies * table.nbytes
    np.testing.assert_array_equal(pairs, squareform(table))


def test_a_model_does_not_keep_the_table_of_its_fit():
    given = D.copy()
    gone = weakref.ref(given)
    mds = ClassicalMDS(2, metric="precomputed").fit(given)
    assert mds.test_dimension(given).dimension > 0
    del given
    assert gone() is None
    assert mds.test_dimension().dimension == mds.test_dimension(D).dimension  # by the eigenvalues, which it keeps
    with pytest.raises(InputError, match=r"a model keeps none: pass them, test_dimension\(X, "):
        ClassicalMDS(2, metric="precomputed", n_landmarks=10).fit(D).test_dimension()
    for kept in (squareform(D), D.tolist()):
        assert ClassicalMDS(2, metric="precomputed").fit(kept).test_dimension(kept).dimension > 0


@pytest.mark.parametrize(
    ("parameters", "table"),
    [
        ({"schoenberg": Power(0.5)}, D * 1e150),
        ({"schoenberg": Power(1.5)}, D),
        ({"symmetrize": True}, (D + np.triu(D)) * 1e-310),
        ({}, np.where(np.eye(80, k=5) > 0, 3.0, D)),
    ],
    ids=["far too large to square", "no transform", "far too small", "asymmetric"],
)
def test_an_error_leaves_a_table_that_may_be_overwritten_as_it_was(parameters, table):
    given = table.copy()
    with pytest.raises(InputError):
        ClassicalMDS(2, metric="precomputed", overwrite=True, **parameters).fit(given)
    np.testing.assert_array_equal(given, table)


def test_memory_is_predicted_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 50_000)
    with pytest.raises(TooLargeError, match=r"80 × 80 table of squared distances takes .* available; use n_landmarks="):
        ClassicalMDS(metric="cityblock").fit(np.vstack([X] * 1))
    with pytest.raises(MemoryError, match="n_landmarks"):
        ClassicalMDS(metric="precomputed").fit(D)
    assert ClassicalMDS(metric="cityblock", n_landmarks=40).fit(X).embedding_.shape == (80, 2)
    assert ClassicalMDS().fit(X).embedding_.shape == (80, 2)  # rows need no table
    assert ClassicalMDS(metric="precomputed", overwrite=True).fit(D.copy()).embedding_.shape == (80, 2)


# -- bad input -----------------------------------------------------------------------------------------------------


def changed(i, j, value, both=True):
    table = D.copy()
    table[i, j] = value
    if both:
        table[j, i] = value
    return table


TABLES = {
    "asymmetric": (
        changed(3, 7, 99.0, both=False),
        r"X is not symmetric: entry \(3, 7\) is 99 but entry \(7, 3\) is .* a difference of .*symmetrize=True",
    ),
    "negative": (changed(3, 7, -2.5), r"X has 2 negative entries \(the smallest is -2.5 in row 3, column 7\)"),
    "diagonal": (changed(4, 4, 0.5), r"X has 0.5 in row 4 of its diagonal, but a point is at distance 0"),
    "NaN": (changed(3, 7, np.nan), r"X contains NaN \(2 entries, the first in row 3, column 7\).*shortest_path"),
    "infinite": (changed(3, 7, np.inf), r"X contains infinity \(inf\) \(2 entries, the first in row 3, column 7\)"),
    "not square": (D[:, :5], r"X should be a square matrix of distances.*shape \(80, 5\).*metric='euclidean'"),
    "no pairs": (np.ones(5), r"X has 5 entries, which is not a number of pairs n\(n − 1\)/2"),
    "words": (D.astype(str), "X must hold numbers"),
    "three dimensions": (D[None], r"X has 3 dimensions"),
}


@pytest.mark.parametrize("n_landmarks", [None, 79])
@pytest.mark.parametrize(("table", "match"), TABLES.values(), ids=TABLES)
def test_tables_that_are_no_distances(table, match, n_landmarks):
    mds = ClassicalMDS(metric="precomputed", n_landmarks=n_landmarks, landmarks="maxmin")
    good = clone(mds).fit(D)
    before = good.embedding_
    with pytest.raises(ValueError, match=f"(?s){match}"):
        good.fit(table)
    assert good.embedding_ is before


def test_all_missing_distances_of_a_large_table_are_counted():
    table = squareform(pdist(rng.standard_normal((1000, 3))))
    for i, j in ((3, 7), (500, 100), (990, 9)):
        table[i, j] = table[j, i] = np.nan
    with pytest.raises(InputError, match=r"NaN \(6 entries, the first in row 3, column 7\)"):
        ClassicalMDS(metric="precomputed").fit(table)


def test_negative_distances_of_new_points_are_found_where_they_are():
    mds = ClassicalMDS(metric="precomputed").fit(D)
    new = np.vstack([D] * 60)
    new[4000, 3] = -1.0
    with pytest.raises(InputError, match="the smallest is -1 in row 4000, column 3"):
        mds.transform(new)
    new[4000, 3] = -1e-13  # rounding, as it may be in a table
    assert np.isfinite(mds.transform(new)).all()


def longer_uphill(a, b):
    return np.abs(a - b).sum() + 0.3 * np.maximum(a - b, 0).sum()


def test_both_directions_count_wherever_they_are_asked_for():
    there = cdist(X, X, longer_uphill)
    exact = ClassicalMDS(metric="precomputed").fit((there + there.T) / 2).embedding_
    by_rows = ClassicalMDS(metric=longer_uphill, symmetrize=True).fit(X)
    np.testing.assert_allclose(by_rows.embedding_, exact, atol=1e-10)
    np.testing.assert_allclose(by_rows.transform(X), exact, atol=1e-10)
    for model, given in (
        (ClassicalMDS(metric=longer_uphill, symmetrize=True, n_landmarks=80), X),
        (ClassicalMDS(metric="precomputed", symmetrize=True, n_landmarks=80), there),
    ):
        np.testing.assert_allclose(model.fit(given).embedding_, exact, atol=1e-10)
    weight = np.where(np.arange(80) % 4, 1.0, 0.0)
    part = ClassicalMDS(metric="precomputed", symmetrize=True).fit(there, sample_weight=weight)
    mean = ClassicalMDS(metric="precomputed").fit((there + there.T) / 2, sample_weight=weight)
    np.testing.assert_allclose(part.embedding_, mean.embedding_, atol=1e-10)


def test_a_metric_that_finds_rows_away_from_themselves_is_told():
    with pytest.warns(SelfDistanceWarning, match="metric=<lambda> gives 1 between row 0 and itself"):
        ClassicalMDS(metric=lambda a, b: np.exp(-np.sum((a - b) ** 2))).fit(X)


def test_a_metric_of_scipy_alone():
    shares = np.abs(X) / np.abs(X).sum(axis=1, keepdims=True)
    mds = ClassicalMDS(metric="jensenshannon").fit(shares)
    up_to_sign(mds.embedding_, ClassicalMDS(metric="precomputed").fit_transform(pdist(shares, "jensenshannon")), 1e-10)


def test_a_repair_is_advised_only_where_there_is_something_to_repair():
    with pytest.warns(RankWarning, match=r"Ask for n_components=1\.$"):
        ClassicalMDS(2, metric="precomputed").fit(D[:2, :2])
    bent = np.array([[0, 2, 2, 1.1], [2, 0, 2, 1.1], [2, 2, 0, 1.1], [1.1, 1.1, 1.1, 0]])
    with pytest.warns(RankWarning, match="or repair the distances"):
        ClassicalMDS(4, metric="precomputed").fit(bent)


def test_symmetrise_on_request():
    table = changed(3, 7, 9.0, both=False)
    mds = ClassicalMDS(metric="precomputed", symmetrize=True).fit(table)
    mean = (table + table.T) / 2
    np.testing.assert_allclose(mds.embedding_, ClassicalMDS(metric="precomputed").fit_transform(mean), atol=1e-10)
    one_way = ClassicalMDS(metric=lambda a, b: np.abs(a - b).sum() + (a[0] > b[0]))
    with pytest.raises(InputError, match=r"is not symmetric: .*symmetric metric, or pass symmetrize=True"):
        one_way.fit(X)
    one_way.set_params(symmetrize=True).fit(X)


PARAMETERS = {
    "no axes": ({"n_components": 0}, r"n_components=0 but it must be an integer of at least 1"),
    "half an axis": ({"n_components": 1.5}, r"n_components=1.5 but it must be an integer"),
    "unknown metric": ({"metric": "taxicab"}, r"metric='taxicab' is not known\. .*'cityblock'"),
    "number as metric": ({"metric": 3}, r"metric=3 but it must be a name"),
    "parameters that do not fit": (
        {"metric": "cityblock", "metric_params": {"q": 3}},
        r"metric='cityblock' cannot be computed with metric_params=\{'q': 3\} \(",
    ),
    "rows are not part of a message": (
        {"metric": "minkowski", "metric_params": {"q": 3}},
        r"^[^\n]{,400}$",
    ),
    "a number in place of parameters": ({"metric_params": 3}, r"metric_params=3 but it must be a dict"),
    "unknown correction": (
        {"correction": "add"},
        r"correction='add' is not an option; use one of 'lingoes', 'cailliez'",
    ),
    "no transform": ({"schoenberg": "log"}, r"schoenberg='log' is not a Schoenberg transform; use one of"),
    "class as transform": ({"schoenberg": Power}, r"is not a Schoenberg transform"),
    "bad transform": ({"schoenberg": Power(3.0)}, r"p=3.0 but it must be"),
    "no landmark": ({"n_landmarks": 0}, r"n_landmarks=0 but it must be an integer of at least 1"),
    "few landmarks": ({"n_landmarks": 2}, r"n_landmarks=2 but 2 axes need at least 3 landmarks"),
    "unknown choice": ({"landmarks": "best", "n_landmarks": 9}, r"landmarks='best' is not an option"),
    "squared of words": ({"squared": "yes"}, r"squared='yes' is not an option"),
}


@pytest.mark.parametrize(("parameters", "match"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters(parameters, match):
    with pytest.raises((InputError, InputTypeError), match=match):
        ClassicalMDS(**parameters).fit(X)


def test_metrics_that_fail_on_these_rows():
    flat = X.copy()
    flat[5] = 3.0
    with pytest.raises(InputError, match=r"metric='correlation' gives NaN or infinity \(first between rows 0 and 5\)"):
        ClassicalMDS(metric="correlation").fit(flat)
    with pytest.raises(InputError, match=r"'mahalanobis' needs the inverse .* rank 1 of 2"):
        ClassicalMDS(metric="mahalanobis").fit(np.column_stack([X[:, 0], X[:, 0]]))
    with pytest.raises(InputError, match="metric=<lambda> has negative entries"):
        ClassicalMDS(metric=lambda a, b: a[0] - b[0]).fit(X)
    with pytest.raises(InputError, match="squares overflow or vanish"):
        ClassicalMDS(schoenberg=Power(0.5)).fit(X * 1e200)


def test_new_rows_that_do_not_fit():
    mds = ClassicalMDS(metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="X has 5 features, but ClassicalMDS is expecting 80"):
        mds.transform(X)
    with pytest.raises(InputError, match=r"X has negative entries \(the smallest is -1 in row 0, column 0\)"):
        mds.transform(-np.eye(80)[:1])
    with pytest.raises(InputError, match="X contains NaN"):
        mds.transform(np.full((1, 80), np.nan))


# -- fitted rows are placed where they are ---------------------------------------------------------------------------


@pytest.mark.parametrize("correction", ["lingoes", "cailliez"])
@pytest.mark.parametrize("metric", ["cosine", "correlation", "cityblock", "braycurtis"])
def test_fitted_rows_return_to_their_places_whatever_the_metric_rounds(metric, correction):
    """The cosine distance of a row to itself is 1e-16, which is no other point."""
    rows = np.abs(X)
    mds = ClassicalMDS(2, metric=metric, correction=correction).fit(rows)
    assert mds.additive_constant_ > 0
    np.testing.assert_allclose(mds.transform(rows), mds.embedding_, rtol=0, atol=1e-12 * np.abs(mds.embedding_).max())


@pytest.mark.parametrize("correction", ["lingoes", "cailliez"])
def test_rows_that_are_there_twice_return_to_their_places(correction):
    """The constant comes between equal points of the map too, so that a new one can be only one of them."""
    rows = np.vstack([X, X[:5], X[:2]])
    for metric, table in (("cityblock", rows), ("cosine", rows * np.repeat([1.0, 3.0], [80, 7])[:, None])):
        mds = ClassicalMDS(2, metric=metric, correction=correction).fit(table)
        np.testing.assert_allclose(
            mds.transform(table), mds.embedding_, rtol=0, atol=1e-11 * np.abs(mds.embedding_).max()
        )
    own = ClassicalMDS(2, metric="cityblock", correction=correction).fit(rows)
    among = own.distances_among(rows)
    assert (np.diag(among) == 0).all()
    c = own.additive_constant_
    assert among[0, 80] == pytest.approx(c if correction == "cailliez" else (2 * c) ** 0.5)


def test_a_table_with_rounding_on_its_diagonal():
    table = cdist(np.abs(X), np.abs(X), "cosine")
    np.fill_diagonal(table, 3e-16)
    mds = ClassicalMDS(2, metric="precomputed", correction="lingoes").fit(table)
    np.testing.assert_allclose(mds.transform(table), mds.embedding_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("metric", ["jaccard", "dice", "rogerstanimoto"])
def test_distances_between_sets_refuse_counts(metric):
    counts = np.random.default_rng(3).poisson(2.0, (30, 6)).astype(float)
    with pytest.raises(InputError, match=rf"metric='{metric}' is a distance between rows of 0 and 1, but X has"):
        ClassicalMDS(metric=metric).fit(counts)
    present = (counts > 0).astype(float)
    mds = ClassicalMDS(metric=metric).fit(present)
    np.testing.assert_allclose(mds.distances_among(present), cdist(present > 0, present > 0, metric), atol=1e-15)
    with pytest.raises(InputError, match="Pass X > 0 to compare presence and absence"):
        mds.transform(counts)


def test_words_under_gowers_metric_are_told_where_to_go():
    frame = pd.DataFrame({"size": [1.0, 2.0, 5.0], "kind": ["a", "a", "b"]})
    with pytest.raises(TypeError, match=r"kind .* ClassicalMDS\(metric='precomputed'\).fit\(eigenlens.distances.gower"):
        ClassicalMDS(1, metric="gower").fit(frame)
    assert ClassicalMDS(1, metric="precomputed").fit(gower(frame)).embedding_.shape == (3, 1)


def test_a_metric_is_found_by_its_beginning():
    rows = np.abs(np.random.default_rng(0).standard_normal((8, 3)))
    with pytest.raises(InputError, match=r"metric='bray' is not known. Did you mean 'braycurtis'\?") as told:
        ClassicalMDS(2, metric="bray").fit(rows)
    assert "cosine" not in str(told.value)


# -- other criteria -----------------------------------------------------------------------------------------------

#: Miles between Boston, New York, Washington, Miami, Chicago, Seattle, San Francisco, Los Angeles and Denver
MILES = squareform(
    [
        *(206, 429, 1504, 963, 2976, 3095, 2979, 1949),
        *(233, 1308, 802, 2815, 2934, 2786, 1771),
        *(1075, 671, 2684, 2799, 2631, 1616),
        *(1329, 3273, 3053, 2687, 2037),
        *(2013, 2142, 2054, 996),
        *(808, 1131, 1307),
        *(379, 1235),
        1059,
    ]
)


def test_classical_scaling_minimises_strain_and_refinement_the_criterion_asked_for():
    classical = ClassicalMDS(metric="precomputed").fit(MILES)
    assert classical.strain_ == pytest.approx((classical.all_eigenvalues()[2:] ** 2).sum(), rel=1e-10)
    found = {kind: ClassicalMDS(metric="precomputed", refine=kind).fit(MILES) for kind in ("stress", "sstress")}
    assert [round(m.stress_, 4) for m in (classical, found["stress"])] == [0.0197, 0.014]
    assert [round(m.sstress_ / 1e12, 3) for m in (classical, found["sstress"])] == [0.881, 0.740]
    assert classical.strain_ < min(m.strain_ for m in found.values())
    assert found["stress"].stress_ < found["sstress"].stress_
    for kind, model in found.items():
        d = squareform(pdist(model.embedding_))
        off = 2 * (d**2 - MILES**2) if kind == "sstress" else np.where(d > 0, (d - MILES) / np.where(d > 0, d, 1), 0)
        slope = off.sum(axis=1)[:, None] * model.embedding_ - off @ model.embedding_  # 0 where the criterion is least
        assert np.abs(slope).max() < 1e-5 * np.abs(off @ np.abs(model.embedding_)).max()
        np.testing.assert_allclose(
            model.transform(MILES[:3]), model.embedding_[:3], atol=0.05 * np.ptp(model.embedding_)
        )


@pytest.mark.parametrize("kind", ["stress", "sstress"])
def test_refined_maps_of_euclidean_distances_are_classical_ones(kind):
    points = np.random.default_rng(0).standard_normal((30, 2))
    classical, refined = ClassicalMDS().fit(points), ClassicalMDS(refine=kind).fit(points)
    np.testing.assert_allclose(refined.embedding_, classical.embedding_, atol=1e-6)
    np.testing.assert_allclose(refined.transform(points[:4] + 0.1), classical.transform(points[:4] + 0.1), atol=1e-5)
    assert classical.strain_ < 1e-20
    assert max(refined.stress_, refined.sstress_) < 1e-6


def test_missing_distances_count_for_nothing():
    points = np.random.default_rng(0).standard_normal((30, 2))
    D = squareform(pdist(points))
    gaps = np.triu(np.random.default_rng(1).random((30, 30)) < 0.3, 1)
    D[gaps | gaps.T] = np.nan
    found = ClassicalMDS(metric="precomputed", refine="stress").fit(D)
    np.testing.assert_allclose(pdist(found.embedding_), pdist(points), atol=1e-5)
    one_way = np.triu(D) + np.tril(np.full_like(D, np.nan), -1)
    np.testing.assert_array_equal(
        ClassicalMDS(metric="precomputed", refine="stress").fit(one_way).embedding_, found.embedding_
    )
    with pytest.raises(InputError, match="negative"):
        ClassicalMDS(metric="precomputed", refine="stress").fit(-D)
    with pytest.raises(InputError, match=r"NaN .*refine='stress'"):
        ClassicalMDS(metric="precomputed").fit(D)
    D[:3, 3:] = D[3:, :3] = np.nan
    with pytest.raises(InputError, match="no chain of known distances"):
        ClassicalMDS(metric="precomputed", refine="stress").fit(D)


def test_refinement_counts_weights_goes_through_files_and_refuses_landmarks(tmp_path):
    weight = np.array([1, 2, 1, 1, 3, 1, 1, 1, 2])
    weighted = ClassicalMDS(metric="precomputed", refine="stress").fit(MILES, sample_weight=weight)
    places = np.repeat(np.arange(9), weight)
    repeated = ClassicalMDS(metric="precomputed", refine="stress").fit(MILES[np.ix_(places, places)])
    np.testing.assert_allclose(weighted.stress_, repeated.stress_, rtol=1e-5)
    np.testing.assert_allclose(weighted.sstress_, repeated.sstress_, rtol=1e-3)
    save(weighted, tmp_path / "map.eigenlens")
    again = load(tmp_path / "map.eigenlens")
    np.testing.assert_array_equal(again.transform(MILES[:2]), weighted.transform(MILES[:2]))
    with pytest.raises(InputError, match="leave one of them out"):
        ClassicalMDS(refine="stress", n_landmarks=5).fit(MILES)
    with pytest.raises(InputError, match="refine='strain'"):
        ClassicalMDS(refine="strain").fit(MILES)
