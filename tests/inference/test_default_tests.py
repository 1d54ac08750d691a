"""Which test a model takes by itself, what moves, and in which words it answers."""

import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from eigenlens import CCA, LDA, PCA, SAVE, SIR, DirectionalRegression, load, save
from eigenlens.exceptions import InputError, SliceWarning
from eigenlens.inference import DimensionTest, wilks
from eigenlens.inference.units import _exchanged


def sizes_and_shapes(n=200, seed=0):
    """Return five columns that share a large direction and two of a hundredth of its variance."""
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.standard_normal((5, 5)))[0][:, :3] * [10, 1, 1]
    return rng.standard_normal((n, 3)) @ V.T + 0.1 * rng.standard_normal((n, 5))


def test_small_components_beside_a_large_one_are_shown():
    X = sizes_and_shapes()
    model = PCA("auto").fit(X)
    assert model.n_components_ == model.test_dimension().dimension == model.test_dimension(X).dimension == 3
    assert model.test_dimension(method="parallel").dimension == 1


@pytest.mark.parametrize("X", [load_digits().data, load_breast_cancer().data], ids=["digits", "breast cancer"])
def test_auto_is_the_test_of_the_rows(X, tmp_path):
    model = PCA("auto").fit(X)
    test = PCA(2).fit(X).test_dimension(X)
    assert model.n_components_ == model.test_dimension().dimension == test.dimension
    assert test.dimension < PCA(2).fit(X).test_dimension().dimension  # normal noise is too small a bar here
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").test_dimension().p_values, test.p_values)


@pytest.mark.filterwarnings("ignore:.*finds no direction")
def test_auto_without_rows_is_the_test_of_the_moments():
    X = load_breast_cancer().data
    normal = PCA().fit(X).test_dimension().dimension
    model = PCA("auto").fit(X)
    assert PCA("auto").fit_moments(model.moments_).n_components_ == normal
    assert model.fit_moments(model.moments_).n_components_ == model.test_dimension().dimension == normal
    assert PCA("auto").partial_fit(X[:300]).partial_fit(X[300:]).n_components_ == normal
    wide = np.random.default_rng(1).standard_normal((20, 50))
    assert PCA("auto").fit(wide).n_components_ == max(1, PCA().fit(wide).test_dimension(wide).dimension)


def test_one_column_that_varies_is_one_component():
    X = np.zeros((10, 3))
    X[:, 1] = np.arange(10)
    assert PCA("auto").fit(X).n_components_ == 1


def test_a_test_of_gaps_is_offered():
    test = PCA().fit(np.random.default_rng(0).standard_normal((200, 20))).test_dimension(method="gap")
    assert test.dimension == 0
    assert test.method == "gap"


def test_groups_and_blocks_move_together():
    X = sizes_and_shapes()
    whole = np.arange(200) // 4
    assert "whole groups" in str(PCA().fit(X).test_dimension(X, groups=whole))
    assert "shifted by 10 rows" in str(PCA().fit(X).test_dimension(X, block=10))
    y = X[:, 0] + np.random.default_rng(0).standard_normal(200)
    assert "whole groups" in str(SIR().fit(X, y).test_dimension(X, y, groups=whole))
    assert "whole groups" in str(LDA().fit(X, y > 0).test_dimension(X, y > 0, groups=whole))
    assert "shifted by 10" in str(CCA().fit(X, y).test_dimension(X, y, block=10))
    with pytest.raises(InputError, match="treats rows as independent"):
        LDA().fit(X, y > 0).test_dimension(X, y > 0, groups=whole, method="wilks")


def test_what_regression_sees_is_not_denied():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((43, 11))
    y = X @ np.ones(11) + rng.standard_normal(43)
    model = SIR(n_slices=10).fit(X, y)
    assert model.test_dimension().dimension == 1
    assert model.test_dimension().statistics["linear_p_value"][0] < 1e-6
    assert SIR("auto", n_slices=10).fit(X, y).components_.shape == (1, 11)


@pytest.mark.parametrize(("n", "p", "slices"), [(400, 5, 10), (100, 20, 3), (200, 20, 5)])
def test_slices_are_as_many_as_rows_allow(n, p, slices):
    X = np.random.default_rng(0).standard_normal((n, p))
    assert len(SIR().fit(X, X[:, 0]).slices_) == slices
    assert len(SIR(n_slices=10).fit(X, X[:, 0]).slices_) == 10
    assert len(SIR().fit(X.tolist(), X[:, 0]).slices_) == slices


@pytest.mark.parametrize("method", [SAVE, DirectionalRegression])
def test_long_tails_alone_are_no_direction(method):
    found = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_t(3, (200, 4)), rng.standard_normal(200)
        found += method(n_slices=5).fit(X, y).test_dimension(X, y, n_draws=39).dimension > 0
    assert found <= 2  # the normal theory rejects nine of ten or more


def test_clusters_are_told():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    X[:, :2] += np.array([[0, 0], [6, 0], [6, 6]])[rng.integers(0, 3, 300)]
    y = X[:, 0] + 0.4 * X[:, 1] + rng.standard_normal(300)
    with pytest.warns(SliceWarning, match="clustered or curved"):
        SIR().fit(X, y).test_dimension(X, y)


def test_rows_decide_between_wilks_and_permutations():
    rng = np.random.default_rng(0)
    X, rare = np.exp(rng.standard_normal((100, 4))), np.repeat([0, 1, 2], [90, 5, 5])
    test = LDA().fit(X, rare).test_dimension(X, rare)
    assert test.method == "permutation"
    assert "Permutations were used" in str(test)
    X, y = load_iris(return_X_y=True)
    assert LDA().fit(X, y).test_dimension(X, y).method == "wilks"
    heavy = rng.standard_cauchy((100, 5))
    assert CCA().fit(heavy[:, :3], heavy[:, 3:]).test_dimension(heavy[:, :3], heavy[:, 3:]).method == "permutation"


def test_a_column_with_equal_means_is_no_lack_of_rows():
    run, expt = np.tile(np.arange(20.0), 5), np.repeat(np.arange(5), 20)
    X = np.column_stack([run, np.random.default_rng(0).standard_normal(100) + expt])
    with pytest.warns(UserWarning, match="rank"):
        model = LDA().fit(X, expt)
    assert model.test_dimension(X, expt).dimension == 1


def test_words():
    assert str(wilks([0.9, 0.1], n=100, p=4, s=2)) == (
        "1 of 2 directions is significant at the 5% level (Wilks' Λ = 0.19, F(8, 188) = 30.7, p < 0.001); the next is "
        "not significant (Λ = 0.99, F(3, 95) = 0.32, p = 0.81), and these rows would usually detect a squared "
        "correlation of 0.1 or more (80% power)."
    )
    assert "too few rows to tell if there are any" in str(wilks([0.5, 0.1], n=12, p=4, s=2))
    assert str(DimensionTest.chosen(2, {"eigenvalue": np.ones(3)}, "gavish-donoho")) == (
        "2 of 3 directions are kept (gavish-donoho)."
    )


def test_columns_in_a_line_are_told_from_columns_in_any_order():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 40))
    for j in range(1, 40):
        X[:, j] += 0.5 * X[:, j - 1]
    assert "Neighbouring columns are alike" in PCA(2).fit(X).test_dimension(X).note
    mixed = X[:, rng.permutation(40)]
    assert "Neighbouring columns" not in PCA(2).fit(mixed).test_dimension(mixed).note


def test_many_groups_change_places_whole_and_at_once():
    """Each of 30,000 groups was looked for among all rows, at every draw: a report of 52,000 rows took minutes."""
    draw = np.random.default_rng(0)
    labels = np.unique(draw.integers(0, 30_000, 52_000), return_inverse=True)[1]
    start = time.process_time()
    order = _exchanged(labels, draw)
    assert time.process_time() - start < 1
    assert np.array_equal(np.sort(order), np.arange(len(labels)))
    pairs = np.unique(np.column_stack([labels, labels[order]]), axis=0)
    assert len(pairs) == labels.max() + 1  # all rows of a group come from one
    assert (labels != labels[order]).mean() > 0.9
