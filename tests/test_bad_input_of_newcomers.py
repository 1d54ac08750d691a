"""Mistakes that a newcomer made: our words, naming argument, value and rule, and an unharmed model."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from eigenlens import CCA, FDA, LDA, MDA, PDA, QDA, SIR, ClassicalMDS, KernelClassifier, KernelRegressor
from eigenlens.distances import Power, double_center
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.kernels import SchoenbergKernel
from eigenlens.regress import AdaptiveSplines, ProjectionPursuit

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("wrong", [True, "x", 1e300, -1, [], pytest.param(object(), id="object")], ids=str)
@pytest.mark.parametrize("kind", [MDA, ClassicalMDS])
def test_seeds(kind, wrong):
    model = kind().fit(X, y)
    before = pickle.dumps(vars(model.set_params(random_state=0)))
    with pytest.raises((InputError, InputTypeError), match=r"random_state=.* whole number of at least 0"):
        model.set_params(random_state=wrong).fit(X, y)
    assert pickle.dumps(vars(model.set_params(random_state=0))) == before


@pytest.mark.parametrize(
    "right", [None, 2**40, np.int64(3), np.random.default_rng(0), np.random.RandomState(0)], ids=str
)
def test_seeds_of_every_kind(right):
    assert MDA(n_init=1, random_state=right).fit(X, y).score(X, y) > 0.9
    assert ClassicalMDS(n_landmarks=20, random_state=right).fit(X).embedding_.shape == (150, 2)


@pytest.mark.parametrize(
    "wrong", ["k-means", pytest.param(object(), id="object"), [["a"]]], ids=["word", "object", "list of words"]
)
def test_a_start_that_is_no_table(wrong):
    with pytest.raises(InputTypeError, match=r"(?s)init=.*cannot be read as numbers.*shape \(150, 9\)"):
        MDA(init=wrong).fit(X, y)


@pytest.mark.parametrize("penalty", ["ridge", "smooth"])
def test_nothing_varies(penalty):
    with pytest.raises(InputError, match="X: nothing in it separates the classes"):
        PDA(penalty=penalty).fit(np.ones((60, 4)), np.arange(60) % 3)


def test_columns_constant_within_classes_are_fine_where_a_penalty_holds_them():
    columns = np.eye(3)[y] + 5
    assert PDA().fit(columns, y).score(columns, y) == 1
    with pytest.raises(InputError, match="constant within"):
        LDA().fit(columns, y)


@pytest.mark.parametrize("kind", [KernelClassifier, KernelRegressor, LDA])
def test_a_picture_of_what_is_not_fitted(kind):
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
        kind().plot(X, y)


@pytest.mark.parametrize("name", ["linear", "interactions", "forbidden"])
@pytest.mark.parametrize("wrong", [True, 1, 2.5, "x0", pytest.param(object(), id="object")], ids=str)
def test_one_feature_is_no_list_of_features(name, wrong):
    with pytest.raises((InputError, InputTypeError), match=rf"(?s){name}=.* is a list; use \[.*or None"):
        AdaptiveSplines(**{name: wrong}).fit(X, y)


def test_a_pair_is_a_pair():
    with pytest.raises(InputError, match=r"forbidden holds 1 but it is a list of pairs"):
        AdaptiveSplines(forbidden=[1]).fit(X, y)


@pytest.mark.parametrize("parameters", [{"cost": -1}, {"cost": None}, {"df": -1}, {"df": "few"}, {"df": []}], ids=str)
@pytest.mark.parametrize("smoother", ["supersmoother", "spline"])
def test_projection_pursuit_reads_all_its_parameters(smoother, parameters):
    (name,) = parameters
    with pytest.raises((InputError, InputTypeError), match=f"{name}="):
        ProjectionPursuit(smoother=smoother, **parameters).fit(X, y)


@pytest.mark.filterwarnings("ignore::eigenlens.EigenlensWarning")
@pytest.mark.parametrize("n", [2, 3])
def test_fewer_rows_than_slices_could_have(n):
    with pytest.raises(InputError, match=f"Each of the {n} rows is a slice .* more rows than slices"):
        SIR(n_slices=10).fit(X[:n], np.arange(n) + 0.5)


def test_words_among_distances():
    with pytest.raises(InputTypeError, match=r"weights=\['a', .* cannot be read as numbers; pass 3 numbers with sum 1"):
        double_center(np.zeros((3, 3)), ["a", "b", "c"])
    with pytest.raises(InputTypeError, match="D2='far' cannot be read as numbers; pass squared distances"):
        Power(0.5)("far")
    with pytest.raises(InputTypeError, match="transform='power' is not a Schoenberg transform"):
        SchoenbergKernel("power")(X)


@pytest.mark.parametrize("kind", [LDA, QDA, FDA, MDA, SIR, CCA, KernelClassifier, KernelRegressor])
def test_the_name_of_a_column_is_not_y(kind):
    with pytest.raises(InputTypeError, match=r"y='species' is a single word.*fit\(X, target='species'\)"):
        kind().fit(X, "species")
