"""`scale=` of SparsePCA, RobustPCA and KernelPCA: columns divided by their spread, so units do not matter."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

from eigenlens import CCA, LDA, PDA, QDA, SIR, ClassicalMDS, KernelPCA, LocalizedSIR, RobustPCA, SparsePCA, load, save
from eigenlens.exceptions import InputError, ScaleWarning
from eigenlens.kernels import Gaussian, Linear, Precomputed

WINE = load_wine(as_frame=True).data
X = WINE.to_numpy()
Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
UNITS = 10.0 ** np.random.default_rng(0).uniform(-3, 3, X.shape[1])
WEIGHT = np.arange(len(X)) % 3

MODELS = [
    SparsePCA(3, scale=True),
    SparsePCA(2, n_nonzero=4, scale=True),
    RobustPCA(scale=True),
    KernelPCA(3, scale=True),
    KernelPCA(3, kernel=Linear(), scale=True),
    KernelPCA(3, n_landmarks=30, scale=True),
]
models = pytest.mark.parametrize("model", MODELS, ids=repr, indirect=True)
in_other_units = pytest.mark.filterwarnings(  # the warning of interest is another one
    "ignore::eigenlens.exceptions.RankWarning", "ignore::eigenlens.exceptions.NotConvergedWarning"
)


@pytest.fixture
def model(request):
    return clone(request.param)


def near(a, b, tolerance=1e-9):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max())


@models
def test_units_do_not_matter(model):
    scores = model.fit(X).transform(X)
    back, scale = model.inverse_transform(scores), model.scale_
    model.fit(X * UNITS)
    near(model.transform(X * UNITS), scores, 1e-7)
    near(model.inverse_transform(scores) / UNITS, back, 1e-7)
    near(model.scale_ / UNITS / scale, np.ones(len(UNITS)))


@models
def test_a_model_file_scales_too(model, tmp_path):
    model.fit(WINE)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(WINE), model.transform(WINE))
    np.testing.assert_array_equal(again.scale_, model.scale_)
    assert "scale=True" in repr(again)
    assert "13 columns" in str(again.summary())


@models
def test_a_weight_of_two_is_the_row_twice(model):
    weighted = model.fit(X, sample_weight=WEIGHT).transform(X)
    scale = model.scale_
    repeated = model.fit(np.repeat(X, WEIGHT, axis=0))
    near(scale / repeated.scale_, np.ones(len(scale)), 1e-12)
    if model.get_params().get("n_landmarks") is None:  # landmarks are chosen among rows
        near(np.abs(weighted), np.abs(repeated.transform(X)), 1e-6)


@models
def test_a_fit_without_it_forgets_the_scale(model):
    model.fit(X)
    assert not hasattr(model.set_params(scale=False).fit(Z), "scale_")
    scores = model.transform(Z)
    model.set_params(scale=True)
    np.testing.assert_array_equal(model.transform(Z), scores)  # a parameter counts from the next fit on


@in_other_units
@models
def test_columns_of_other_units_are_told_once_they_are_not_divided(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X)
        model.set_params(scale=False).fit(Z)
    with pytest.warns(ScaleWarning, match=r"column 'proline' is .* times .*Use scale=True"):
        model.fit(WINE)


@pytest.mark.parametrize(
    "model", [SparsePCA(3, scale=True), KernelPCA(3, kernel=Gaussian(4.0), scale=True)], ids=repr, indirect=True
)
def test_it_is_the_method_on_standardised_columns(model):
    scores = model.fit(X).transform(X)
    near(model.scale_, X.std(axis=0, ddof=1), 1e-12)
    lifted = (model.inverse_transform(scores) - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model.set_params(scale=False).fit(Z)
    near(scores, model.transform(Z), 1e-8)
    near(lifted, model.inverse_transform(scores), 1e-8)


def test_sparse_components_of_batches_merges_and_a_path():
    whole, parts = SparsePCA(2, scale=True).fit(X), SparsePCA(2, scale=True)
    for rows in np.array_split(X, 4):
        parts.partial_fit(rows)
    near(parts.transform(X), whole.transform(X))
    near(SparsePCA(2, scale=True).fit_moments(whole.moments_).components_, whole.components_)
    near(whole.path([0.5]).components[0], SparsePCA(2, alpha=0.5, scale=True).fit(X).components_, 1e-6)
    near(np.linalg.norm(whole.components_, axis=1), np.ones(2), 1e-12)


def test_wild_cells_do_not_decide_what_a_column_is_divided_by():
    rng = np.random.default_rng(0)
    truth = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 30)) * 10.0 ** rng.uniform(-2, 2, 30)
    wild = rng.random(truth.shape) < 0.05
    table = truth + wild * rng.uniform(5, 100, truth.shape) * truth.std(axis=0)
    table[rng.random(truth.shape) < 0.05] = np.nan
    model = RobustPCA(scale=True).fit(table)
    assert np.abs((model.low_rank_ - truth) / truth.std(axis=0)).max() < 1e-4
    assert model.rank_ == 2
    seen = np.isfinite(table)
    near((model.low_rank_ + model.sparse_)[seen], table[seen], 1e-5)
    low, error = model.split(table[:5])
    near((low + error)[seen[:5]], table[:5][seen[:5]])


def test_constant_columns_are_left_as_they_are():
    table = Z.copy()
    table[:, 3] = 7.0
    for model in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a column that says nothing
            assert model.fit(table).scale_[3] == 1.0


def test_bad_values():
    for model in (SparsePCA(scale="sd"), RobustPCA(scale="sd"), KernelPCA(scale="sd")):
        with pytest.raises(InputError, match="scale='sd'"):
            model.fit(X)
    with pytest.raises(InputError, match="cannot be scaled"):
        KernelPCA(kernel=Precomputed(), scale=True).fit(Z @ Z.T)


@in_other_units
@pytest.mark.parametrize(
    "model",
    [
        PDA(),
        LDA(shrinkage=0.1),
        QDA(shrinkage=0.1),
        SIR(ridge=0.1),
        CCA(ridge=0.1),
        LocalizedSIR(),
        ClassicalMDS(),
    ],
    ids=repr,
)
def test_methods_of_one_unit_tell_of_others(model):
    """QDA(shrinkage=0.1) is right for 48% of raw wine, and LDA for 73%."""
    y = load_wine().target
    own = {LDA: "shrinkage_target='diagonal'", PDA: "penalty='diagonal'"}
    advice = own.get(type(model), "StandardScaler")
    with pytest.warns(ScaleWarning, match=rf"column 'proline' is .* times .*{advice}"):
        model.fit(WINE, WINE[["alcohol"]] if isinstance(model, CCA) else y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit((WINE - WINE.mean()) / WINE.std(), WINE[["alcohol"]] if isinstance(model, CCA) else y)


def test_tables_of_different_units_are_no_columns_of_different_units():
    """CCA's X may be in millimetres and its Y in tonnes; and no shrinkage is no shrinkage, said in any way."""
    Y = 1e5 * Z[:, 6:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CCA(1, ridge=0.1).fit(Z[:, :6], Y)
        LDA(shrinkage=0).fit(WINE, load_wine().target)
    Y[:, 0] *= 1e3
    with pytest.warns(ScaleWarning, match="column 0 is .* times"):
        CCA(1, ridge=0.1).fit(Z[:, :6], Y)


def test_names_of_columns_reach_the_warning():
    frame = pd.DataFrame(Z * np.array([1e4] + [1.0] * 12), columns=WINE.columns)
    with pytest.warns(ScaleWarning, match="'alcohol'"):
        SparsePCA(2).fit(frame)
