"""Agreement of maps and of distances, and outside columns on a map: figures of vegan 2.6 and cluster 2.1 for R."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from scipy.spatial.distance import pdist

from eigenlens import PCA, ClassicalMDS
from eigenlens.distances import gower, procrustes
from eigenlens.drawing import Display
from eigenlens.exceptions import InputError
from eigenlens.inference import envfit, mantel, procrustes_test

mpl.use("Agg")
AMOUNTS = np.array([[1, 2, 0, 4], [0, 3, 5, 1], [2, 2, 2, 2], [7, 0, 1, 3], [4, 4, 0, 1], [3, 1, 6, 2]], dtype=float)
OUTSIDE = pd.DataFrame({"a": [1.0, 5, 2, 9, 4, 7], "k": list("xyxyyx")})
#: Distances of the first row to the others, by vegan's `vegdist`; Aitchison's of the table plus 1.
VEGAN = {
    "ruzicka": [0.769230769230769, 0.5, 0.714285714285714, 0.666666666666667, 0.733333333333333],
    "hellinger": [0.937461449592815, 0.575833393567505, 0.779381342407393, 0.528581208086574, 0.83439524640198],
    "chi2": [1.49169133827091, 0.859547818365998, 1.26516050284432, 1.15323904035922, 1.39093184517671],
    "chord": [1.12351630448191, 0.687368000672168, 0.959394141903338, 0.885675176215221, 1.09435943830038],
    "gower": [0.556547619047619, 0.285714285714286, 0.464285714285714, 0.482142857142857, 0.550595238095238],
    "aitchison": [2.13494234974605, 1.17713910029981, 1.87496271143121, 1.36926422726181, 1.98755701964262],
}


@pytest.mark.parametrize("metric", VEGAN)
def test_distances_are_those_of_vegan_and_new_rows_are_measured_alike(metric):
    X = AMOUNTS + (metric == "aitchison")
    model = ClassicalMDS(2, metric=metric).fit(X)
    np.testing.assert_allclose(model._place.metric.table(X).distances()[0, 1:], VEGAN[metric], rtol=1e-12)
    np.testing.assert_allclose(model.transform(X), model.embedding_, rtol=0, atol=1e-12)


def test_weights_of_gower_in_a_list_are_told_how_to_be_written():
    with pytest.raises(TypeError, match=r"dict\(enumerate\(weights\)\)"):
        gower(np.eye(3), weights=[1.0, 2.0, 1.0])


def test_gower_takes_words_and_holes():
    table = OUTSIDE.assign(a=[1.0, 5, np.nan, 9, 4, 7])
    np.testing.assert_allclose(gower(table)[0], [0, 0.75, 0, 1, 0.6875, 0.375], rtol=1e-14)  # daisy of cluster
    apart = gower(table.drop(index=2), weights={"k": 0.0})
    np.testing.assert_allclose(apart[0], [0, 0.5, 1, 0.375, 0.75])
    order = pd.DataFrame({"size": pd.Categorical(["s", "m", "l"], ["s", "m", "l"], ordered=True)})
    np.testing.assert_allclose(gower(order)[0], [0, 0.5, 1])
    with pytest.raises(InputError, match="no column in common"):
        gower(pd.DataFrame({"a": [1.0, np.nan], "b": [np.nan, 2.0]}))


def test_columns_named_by_integers_are_fitted_to_a_map():
    found = envfit(AMOUNTS[:, :2], pd.DataFrame(AMOUNTS), n_draws=19)
    np.testing.assert_array_equal(
        found.r2, envfit(AMOUNTS[:, :2], dict(zip("abcd", AMOUNTS.T, strict=True)), n_draws=19).r2
    )
    assert found.to_frame()["column"].tolist() == ["0", "1", "2", "3"]


def test_places_on_a_globe():
    paris, berlin = [48.8566, 2.3522], [52.52, 13.405]
    km = ClassicalMDS(1, metric="haversine", metric_params={"degrees": True, "radius": 6371.0088}).fit([paris, berlin])
    assert abs(km.embedding_[0, 0] - km.embedding_[1, 0]) == pytest.approx(877.46, abs=0.5)
    with pytest.raises(InputError, match="'degrees': True"):
        ClassicalMDS(1, metric="haversine").fit([paris, berlin])


def test_mantel_is_that_of_vegan_and_holds_its_level():
    D, E = pdist(AMOUNTS, "braycurtis"), pdist(OUTSIDE[["a"]])
    assert mantel(D, E).statistic == pytest.approx(0.268257606583106, abs=1e-12)
    assert mantel(D, E, method="spearman").statistic == pytest.approx(0.319463423707464, abs=1e-12)
    rng = np.random.default_rng(0)
    p = [
        mantel(pdist(rng.normal(size=(15, 2))), pdist(rng.normal(size=(15, 2))), n_draws=99).p_value for _ in range(300)
    ]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 300))


def test_procrustes_is_that_of_vegan_and_finds_a_turned_map():
    s = ClassicalMDS(2, metric="braycurtis").fit(AMOUNTS).embedding_
    scores = PCA(2).fit_transform(AMOUNTS)
    found = procrustes_test(s, scores, n_draws=99)
    assert found.statistic == pytest.approx(0.96883084818002, abs=1e-12)
    assert found.statistic == pytest.approx(np.sqrt(1 - procrustes(s, scores).disparity), abs=1e-14)
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(30, 2))
    assert procrustes_test(Z, 3 - 2 * Z[:, ::-1]).p_value == 0.001
    assert procrustes_test(Z, Z, strata=np.arange(30)).p_value == 1.0  # strata of one row: nothing moves


def test_outside_columns_lie_as_vegan_lays_them():
    s = ClassicalMDS(2, metric="braycurtis").fit(AMOUNTS).embedding_
    found = envfit(s, OUTSIDE, n_draws=99)
    assert found.r2[0] == pytest.approx(0.860235226425541, abs=1e-12)
    np.testing.assert_allclose(
        np.abs(found.places[0][""]) / np.sqrt(found.r2[0]), [0.146459944672267, 0.989216601461276]
    )
    assert found.r2[found.names.index("k")] == pytest.approx(0.0222629393851188, abs=1e-12)
    assert list(found.to_frame().columns) == ["column", "word", "axis 1", "axis 2", "r2", "p_value"]
    found.plot()


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("braycurtiss", r"Did you mean 'braycurtis'\?"),
        ("Gower", r"Did you mean 'gower'\?"),
        ("aitchison", "Replace zeros"),
        ("jaccard", "'ruzicka'"),
        ("haversine", "two columns"),
        ("nonsense", "is not known"),
    ],
)
def test_a_metric_that_cannot_be_used_is_named_with_the_nearest(metric, words):
    with pytest.raises(InputError, match=words):
        ClassicalMDS(2, metric=metric).fit(AMOUNTS)


def test_wrong_tables_are_named():
    D = pdist(AMOUNTS)
    with pytest.raises(InputError, match="same rows"):
        mantel(D, pdist(AMOUNTS[:4]))
    with pytest.raises(InputError, match="same rows"):
        procrustes_test(AMOUNTS, AMOUNTS[:4])
    with pytest.raises(InputError, match="one label per row"):
        mantel(D, D, strata=[1, 2])
    with pytest.raises(InputError, match="columns is empty"):
        envfit(AMOUNTS, {})
    with pytest.raises(InputError, match="missing or infinite"):
        envfit(AMOUNTS, {"k": ["a", None, "b", "a", "b", "b"]})
    with pytest.raises(InputError, match="must be a number ≥ 0"):
        gower(OUTSIDE, weights={"a": "heavy"})
    with pytest.raises(InputError, match="neither numbers nor words"):
        gower(pd.DataFrame({"a": [{}, {}]}))
    with pytest.raises(InputError, match="constant"):
        envfit(AMOUNTS, {"c": np.ones(6)})
    with pytest.raises(InputError, match="amounts"):
        ClassicalMDS(2, metric="hellinger").fit(AMOUNTS - 3)


def test_agreement_and_alignment_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, 2))
    found = procrustes_test(X, X + 0.2 * rng.standard_normal((25, 2)), n_draws=99)
    display = found.plot()
    assert isinstance(display, Display)
    assert f"{found.p_value:.3g}" in display.ax_.get_title(loc="left")
    laid = procrustes(2 * X[:, ::-1], X)
    np.testing.assert_array_equal(laid.target, X)
    drawn = laid.plot()
    assert isinstance(drawn, Display)
    assert isinstance(procrustes(X[:, :1], X[:, :1]).plot(), Display)


def test_names_of_arrows_do_not_cover_each_other():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((40, 2))
    columns = {f"a long name {j}": Z[:, 0] + 0.01 * rng.standard_normal(40) for j in range(5)}
    display = envfit(Z, columns, n_draws=19).plot()
    display.figure_.draw_without_rendering()
    boxes = [Text.get_window_extent(t) for t in display.ax_.texts if t.get_text() and t.get_visible()]
    assert len(boxes) == 5
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_seeds_of_maps_are_those_of_all_tests():
    one, other = np.random.default_rng(0).standard_normal((2, 12, 3))
    for seed in (np.random.RandomState(0), np.random.default_rng(0), 7, None):
        assert 0 < procrustes_test(one, other, n_draws=19, random_state=seed).p_value <= 1
    with pytest.raises(InputError, match="random_state=-1"):
        procrustes_test(one, other, random_state=-1)
