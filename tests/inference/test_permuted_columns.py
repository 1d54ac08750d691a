"""Methods without a theory of noise are repeated on columns permuted one by one."""

import numpy as np
import pytest

from eigenlens import PCA, KernelPCA, RobustPCA, load, save
from eigenlens.exceptions import InputError
from eigenlens.kernels import Gaussian, Linear, Precomputed

MODELS = {"RobustPCA": RobustPCA(), "KernelPCA": KernelPCA(5)}


def planted(n=90, p=8, seed=1):
    """Two strong directions, and noise."""
    rng = np.random.default_rng(seed)
    axes = np.kron(np.eye(2), np.ones((1, p // 2)))
    return 2 * rng.standard_normal((n, 2)) @ axes + rng.standard_normal((n, p))


@pytest.mark.parametrize("name", MODELS)
def test_planted_directions_are_found(name):
    X = planted()
    found = MODELS[name].fit(X).test_dimension(X, n_draws=39)
    assert found.dimension == 2
    assert found.p_values[0] == pytest.approx(1 / 40)
    assert "at the 5% level (parallel analysis, permuted columns: " in str(found)
    again = MODELS[name].fit(X).test_dimension(X, n_draws=39)
    np.testing.assert_array_equal(found.p_values, again.p_values)


@pytest.mark.filterwarnings("ignore::eigenlens.EigenlensWarning")
@pytest.mark.parametrize("kind", [KernelPCA(2), RobustPCA(2, tol=1e-3, max_iter=100)], ids=["KernelPCA", "RobustPCA"])
def test_unrelated_columns_are_noise_nineteen_times_in_twenty(kind):
    """Permuted tables and the table itself are then alike, so the level is exact: 5% of 60 is 3."""
    rejected = 0
    for seed in range(60):
        X = np.random.default_rng(seed).standard_t(4, (30, 4))
        rejected += kind.fit(X).test_dimension(X, n_draws=19).dimension > 0
    assert rejected <= 8  # one in 250 with the level of 5%


def test_a_linear_kernel_is_asked_what_pca_is_asked():
    X = planted()
    kernel = KernelPCA(8, kernel=Linear()).fit(X).test_dimension(X)
    pca = PCA().fit(X).test_dimension(X, method="permutation", n_draws=99)
    assert kernel.dimension == pca.dimension == 2
    np.testing.assert_allclose(kernel.statistics["eigenvalue"] / (len(X) - 1), pca.statistics["eigenvalue"], rtol=1e-5)


def test_cells_not_observed_and_weights():
    X = planted()
    spoiled = X.copy()
    spoiled[3, 2] = spoiled[10, 5] = np.nan
    assert RobustPCA().fit(spoiled).test_dimension(spoiled, n_draws=19).dimension == 2
    weight = np.where(np.arange(len(X)) % 7 == 0, 0.0, 2.0)
    for model in (RobustPCA(), KernelPCA(3)):
        assert model.fit(X, sample_weight=weight).test_dimension(X, sample_weight=weight, n_draws=19).dimension >= 2


@pytest.mark.parametrize("name", MODELS)
def test_rows_are_asked_for(name, tmp_path):
    X = planted()
    model = MODELS[name].fit(X)
    with pytest.raises(InputError, match=r"a model keeps none: pass them, test_dimension\(X, "):
        model.test_dimension()
    loaded = load(save(model, tmp_path / "model.eigenlens"))
    assert loaded.test_dimension(X, n_draws=19).dimension == 2
    with pytest.raises(InputError, match="n_draws=5"):
        model.test_dimension(X, n_draws=5)


def test_a_kernel_matrix_has_no_columns_to_permute():
    K = Gaussian(3.0)(planted())
    with pytest.raises(InputError, match="rows were never seen"):
        KernelPCA(3, kernel=Precomputed()).fit(K).test_dimension(K)
