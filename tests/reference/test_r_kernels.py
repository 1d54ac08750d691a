"""Kernel PCA, support vector classification and regression as kernlab and e1071 have them (R 4.2.2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refs import HERE, figures
from sklearn.datasets import load_iris

from eigenlens import KernelClassifier, KernelPCA, KernelRegressor
from eigenlens.kernels import Gaussian, Linear, Polynomial

IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.mark.parametrize("sigma", [0.2, 1])
def test_kpca(sigma):
    r = figures("kpca_iris")[f"rbf_sigma_{sigma}"]
    model = KernelPCA(4, kernel=Gaussian((0.5 / sigma) ** 0.5)).fit(IRIS)
    assert_allclose(model.eigenvalues_ / 150, r["eig_of_centred_K_over_n"], rtol=1e-10)
    theirs = np.array(r["rotated"]) / 150**0.5
    signs = np.sign(np.sum(theirs * model.embedding_, axis=0))
    assert_allclose(model.embedding_ * signs, theirs, atol=1e-8)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("rbf_sigma0.5_C1", Gaussian(1.0)),
        ("poly2_C1", Polynomial(2)),
        ("linear_C1", Linear()),
        ("linear_C100", Linear()),
    ],
)
def test_svm(name, kernel):
    r = figures("svm_iris")[name]
    model = KernelClassifier(kernel, lam=1 / (2 * r["C"])).fit(IRIS[50:], SPECIES[50:])
    assert_allclose(model.decision_function(IRIS[50:]), r["decision"], atol=1e-6)
    assert len(model.support_) == r["n_sv"]
    assert_allclose(model.intercept_, -r["b"], atol=1e-6)
    assert_allclose(model.support_ + 1, r["sv_index"])


def test_svm_of_e1071():
    r = figures("svm_iris")["e1071_rbf_gamma0.5_C1"]
    model = KernelClassifier(Gaussian(1.0), lam=0.5).fit(IRIS[50:], SPECIES[50:])
    assert_allclose(-model.decision_function(IRIS[50:]), r["decision"], atol=1e-6)  # its positive side is the first


@pytest.mark.parametrize("case", ["a", "b"])
def test_svr(case):
    r = figures("svr_airquality")[case]
    table = np.genfromtxt(HERE / "airquality.csv", delimiter=",", skip_header=1)
    table = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    kernel = Gaussian((0.5 / r["gamma"]) ** 0.5)
    model = KernelRegressor(kernel, loss="epsilon_insensitive", epsilon=r["epsilon"], lam=1 / (2 * r["C"]))
    model.fit(table[:, 1:], table[:, 0])
    assert_allclose(model.predict(table[:, 1:]), r["fitted"], atol=1e-6)
    assert len(model.support_) == r["n_sv"]
