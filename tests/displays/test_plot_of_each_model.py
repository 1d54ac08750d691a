"""`model.plot(X, y)`: every model shows itself, or says in our words what it lacks."""

import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.datasets import load_diabetes, load_wine
from sklearn.preprocessing import StandardScaler

from eigenlens import FDA, MDA, PCA, QDA, KernelClassifier, KernelRegressor, SparsePCA, displays
from eigenlens.exceptions import BootstrapWarning, InputError
from eigenlens.inference import bootstrap

mpl.use("Agg")
WINE = load_wine(as_frame=True)
X = pd.DataFrame(StandardScaler().fit_transform(WINE.data), columns=WINE.data.columns)
y = WINE.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})


def test_a_kernel_classifier_draws_its_boundary_and_keeps_quiet():
    model = KernelClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = model.plot(X, y)
    assert display.ax_.get_xlabel() == "alcohol"
    with pytest.raises(InputError, match=r"y=None, but the picture of a KernelClassifier .* pass X and y"):
        model.plot(X)


@pytest.mark.parametrize("classes", [2, 3])
def test_qda_draws_its_regions_without_words_of_kernels(classes):
    some = np.asarray(WINE.target) < classes
    display = QDA().fit(X[some], y[some]).plot(X[some], y[some])
    assert display.ax_.get_xlabel() == "alcohol"
    assert "f = ±1" not in [text.get_text() for text in display.ax_.get_legend().get_texts()]
    mpl.pyplot.close("all")


def test_the_scree_of_pca_speaks_of_pca():
    display = displays.scree(PCA().fit(X))
    words = [display.ax_.get_xlabel(), *(text.get_text() for text in display.ax_.get_legend().get_texts())]
    assert words == ["component", "together", "each component"]
    sparse = displays.scree(SparsePCA(2, n_nonzero=4).fit(X))
    assert "not zero" in sparse.ax_.get_xlabel()
    mpl.pyplot.close("all")


def test_a_kernel_regressor_draws_its_path_or_says_that_it_has_none():
    rows, target = load_diabetes(return_X_y=True)
    assert KernelRegressor().fit(rows, target).plot(rows, target).ax_.get_xlabel() == "λ"
    with pytest.raises(InputError, match="lam='gcv'"):
        KernelRegressor(lam=0.1).fit(rows, target).plot(rows, target)


def test_names_of_arrows_do_not_cover_each_other():
    display = SparsePCA(2).fit(X).plot(X, y)  # several columns load on the first component alone
    names = [Text.get_window_extent(text) for text in display.ax_.texts if text.get_text() and text.get_visible()]
    assert len(names) > 5
    assert not any(a.overlaps(b) for i, a in enumerate(names) for b in names[:i])


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.EigenlensWarning")
@pytest.mark.parametrize(
    ("model", "names"),
    [
        (FDA(), ["barbera", "barolo", "grignolino"]),
        (MDA(n_subclasses=[1, 2, 1], n_init=1), ["barbera 1", "barolo 1", "barolo 2", "grignolino 1"]),
    ],
    ids=["FDA", "MDA"],
)
def test_a_bootstrap_of_class_scores_names_the_classes(model, names):
    found = bootstrap(model, X, y, n_boot=10)
    assert found.kind == "score"
    assert found.names == names
    assert str(found).split(" at ")[0].endswith("scores are away from zero")
    assert found.to_frame().index.names == ["component", "class"]
    assert [text.get_text() for text in found.plot().ax_.get_yticklabels()] == names


def test_a_bootstrap_of_loadings_still_names_columns():
    with pytest.warns(BootstrapWarning):
        found = bootstrap(SparsePCA(1), X, n_boot=10)
    assert found.names == list(X.columns)
    assert np.shape(found.low) == (1, 13)


def test_all_our_warnings_can_be_caught_by_one_public_name():
    import eigenlens

    with pytest.warns(eigenlens.EigenlensWarning, match="n_boot"):
        bootstrap(SparsePCA(1), X, n_boot=10)
