"""Functions of a reproducing kernel Hilbert space and Mercer's expansion: laws, and spectra known in closed form."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from eigenlens.exceptions import InputError
from eigenlens.kernels import (
    Brownian,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RKHSFunction,
    Spline,
    ThinPlate,
    hermite,
    legendre,
    mercer,
)

KERNELS = [Gaussian(0.8), Laplacian(1.0), Matern(1.5, 1.0), Polynomial(2), Linear(), Spline(-3.0, 3.0), Brownian()]
each = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


def functions(kernel, seed, p=2):
    rng = np.random.default_rng(seed)
    return [
        RKHSFunction(kernel, rng.standard_normal((m, p)), rng.standard_normal(m)) for m in rng.integers(1, 8, size=3)
    ]


@each
def test_laws_of_the_space(kernel):
    @settings(max_examples=15, deadline=None, derandomize=True)
    @given(seed=st.integers(0, 10**6), a=st.floats(-3, 3))
    def holds(seed, a):
        f, g, h = functions(kernel, seed)
        x = np.random.default_rng(seed + 1).standard_normal((4, 2))
        size = 1e-12 * (f.norm() + g.norm() + h.norm() + 1) ** 2
        for row in x:  # the reproducing property
            assert f.inner(RKHSFunction(kernel, row[None], [1.0])) == pytest.approx(
                f(row[None])[0], abs=1e-10, rel=1e-10
            )
        assert abs(f.inner(g)) <= f.norm() * g.norm() * (1 + 1e-12) + size  # Cauchy–Schwarz
        assert f.inner(g) == pytest.approx(g.inner(f), abs=size)
        assert (f + a * g).inner(h) == pytest.approx(f.inner(h) + a * g.inner(h), abs=100 * size)
        assert_allclose((f - a * g)(x), f(x) - a * g(x), atol=1e-10 * (1 + np.abs(f(x)).max() + np.abs(g(x)).max()))
        assert_allclose((f / 2)(x), -(-f / 2)(x))

    holds()


@each
def test_projection_is_orthogonal_and_agrees_at_the_points(kernel):
    f = functions(kernel, 3)[0]
    Z = np.random.default_rng(5).standard_normal((3, 2))
    p = f.project(Z)
    assert_allclose(p(Z), f(Z), atol=1e-9 * np.abs(f(Z)).max()) if not isinstance(kernel, Linear) else None
    rest = f - p
    for row in Z:
        assert abs(rest.inner(RKHSFunction(kernel, row[None], [1.0]))) < 1e-9 * (1 + f.norm())
    assert f.norm() ** 2 == pytest.approx(p.norm() ** 2 + rest.norm() ** 2, rel=1e-7, abs=1e-9)


def test_several_functions_share_their_points():
    rng = np.random.default_rng(0)
    f = RKHSFunction(Gaussian(1.0), rng.standard_normal((5, 2)), rng.standard_normal((5, 3)))
    x = rng.standard_normal((4, 2))
    assert f(x).shape == (4, 3)
    assert len(list(f)) == 3
    assert_allclose(f[1](x), f(x)[:, 1])
    assert_allclose(f.norm(), [g.norm() for g in f])
    assert f[0][0](x).shape == (4,)


def test_conditional_kernels_have_norms_only_under_their_condition():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert RKHSFunction(ThinPlate(2), points, [1.0, -1.0, -1.0, 1.0]).norm() > 0
    with pytest.raises(InputError, match="conditionally positive definite of order 2"):
        RKHSFunction(ThinPlate(2), points, [1.0, 0.0, 0.0, 0.0]).norm()


def test_mistakes():
    f = RKHSFunction(Gaussian(1.0), [[0.0]], [1.0])
    with pytest.raises(InputError, match="different spaces"):
        f + RKHSFunction(Gaussian(2.0), [[0.0]], [1.0])
    with pytest.raises(InputError, match=r"coefficients has shape \(2,\) but there are 1 points"):
        RKHSFunction(Gaussian(1.0), [[0.0]], [1.0, 2.0])
    with pytest.raises(InputError, match=r"kernel\.fitted"):
        RKHSFunction(Gaussian(), [[0.0]], [1.0])
    with pytest.raises(InputError, match="2 columns and Z has 1"):
        f([[0.0, 1.0]])


# -- Mercer ------------------------------------------------------------------------------------------------------


def test_brownian_motion():
    expansion = mercer(Brownian(), *legendre(1500), n_components=8)
    i = np.arange(1, 9)
    assert_allclose(expansion.eigenvalues, 1 / ((i - 0.5) * np.pi) ** 2, rtol=1e-4)
    x = np.linspace(0, 1, 50)[:, None]
    exact = np.sqrt(2) * np.sin((i - 0.5) * np.pi * x)
    found = expansion.functions(x)
    assert_allclose(found * np.sign((found * exact).sum(axis=0)), exact, atol=2e-3)
    assert expansion.trace == pytest.approx(0.5, rel=1e-12)  # ∫ min(x, x) dx
    assert expansion.truncation_error == pytest.approx(0.5 - (1 / ((i - 0.5) * np.pi) ** 2).sum(), rel=1e-3)


def test_gaussian_kernel_under_the_normal_distribution():
    sigma, h = 1.0, 0.7
    a, b = 1 / (4 * sigma**2), 1 / (2 * h**2)
    c = np.sqrt(a**2 + 2 * a * b)
    A = a + b + c
    exact = np.sqrt(2 * a / A) * (b / A) ** np.arange(10)
    expansion = mercer(Gaussian(h), *hermite(100, sigma), n_components=10)
    assert_allclose(expansion.eigenvalues, exact, rtol=1e-9)


@pytest.mark.parametrize("kernel", [Gaussian(), Laplacian(1.0), Polynomial(2)], ids=repr)
def test_expansion_over_a_sample(kernel):
    X = np.random.default_rng(0).standard_normal((60, 2))
    whole = mercer(kernel, X)
    F = whole.functions(X)
    assert_allclose(F.T @ F / 60, np.eye(F.shape[1]), atol=1e-4)  # orthonormal in L²(μ)
    F = mercer(kernel, X, n_components=4).functions(X)
    assert_allclose(F.T @ F / 60, np.eye(4), atol=1e-10)
    assert_allclose(whole(X), whole.kernel(X), atol=1e-8)
    few = mercer(kernel, X, n_components=4)
    assert few.error(X) > 0
    assert few.truncation_error == pytest.approx(np.trace(few.kernel(X) - few(X)) / 60, rel=1e-8, abs=1e-12)
    assert_allclose(few.features(X) @ few.features(X).T, few(X), atol=1e-12)
    assert "4 terms carry" in str(few)


def test_mercer_refuses_conditional_kernels():
    with pytest.raises(InputError, match="positive definite only conditionally"):
        mercer(ThinPlate(), np.random.default_rng(0).random((10, 2)))


def test_all_eigenfunctions_are_called_together_or_one_by_one():
    expansion = mercer(Gaussian(0.5), np.linspace(0, 1, 50)[:, None], n_components=3)
    rows = np.array([[0.0], [0.3], [1.0]])
    together = expansion.eigenfunctions(rows)
    assert together.shape == (3, 3)
    for j, function in enumerate(expansion.eigenfunctions):
        np.testing.assert_allclose(function(rows), together[:, j], atol=1e-14)


def test_the_error_of_an_expansion_at_rows_of_another_library():
    torch = pytest.importorskip("torch")
    rows = np.linspace(0, 1, 50)[:, None]
    expansion = mercer(Gaussian(0.5), rows, n_components=3)
    assert expansion.error(torch.asarray(rows)) == pytest.approx(expansion.error(rows))


@pytest.mark.parametrize("rule", [legendre, hermite])
def test_a_rule_without_nodes_is_refused(rule):
    with pytest.raises(InputError, match="n=0"):
        rule(0)


def test_a_projection_on_no_points_is_refused():
    function = RKHSFunction(Gaussian(1.0), np.zeros((1, 2)), np.ones(1))
    with pytest.raises(InputError, match="points"):
        function.project(np.zeros((0, 2)))
