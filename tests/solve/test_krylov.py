"""Leading eigenvectors of a matrix to rounding, and the inertia that comes with them."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from eigenlens.arrays.threads import rows_times
from eigenlens.solve import Form, Pencil, inertia, solve

N = 1200


def matrix(values):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((len(values), len(values))))[0]
    B = (Q * values) @ Q.T
    return (B + B.T) / 2, Q


def spectrum(kind):
    rng = np.random.default_rng(1)
    return {
        "geometric": 0.9 ** np.arange(N),
        "harmonic": 1 / np.arange(1.0, N + 1),
        "signs": np.concatenate([[3.0, 2.5, 2.2, 2.0], rng.uniform(-1, 1, N - 5), [-4.0]]),
        "ten of rank": np.concatenate([np.linspace(2, 1, 10), np.zeros(N - 10)]),
        "fourfold": np.concatenate([[5.0] * 4, np.ones(N - 4)]),
    }[kind]


@pytest.mark.parametrize("kind", ["geometric", "harmonic", "signs", "ten of rank", "fourfold"])
@pytest.mark.parametrize("k", [1, 4])
def test_eigenvalues_to_rounding_and_the_equation_that_defines_them(kind, k):
    values = spectrum(kind)
    B, _ = matrix(values)
    found = solve(Pencil(Form(matrix=B), n_components=k))
    assert found.solver == "lanczos"
    size = np.abs(values).max()
    np.testing.assert_allclose(found.values, np.sort(values)[::-1][:k], rtol=0, atol=1e-14 * size)
    V = found.vectors
    np.testing.assert_allclose(B @ V, V * found.values, rtol=0, atol=1e-14 * size)
    np.testing.assert_allclose(V.T @ V, np.eye(k), rtol=0, atol=1e-13)


def test_directions_that_no_iteration_tells_apart_are_right_all_the_same():
    values = np.linspace(1, 0, N)
    B, _ = matrix(values)
    np.testing.assert_allclose(solve(Pencil(Form(matrix=B), n_components=2)).values, values[:2], rtol=0, atol=1e-13)


def test_eigenvalues_and_inertia_share_their_passes_over_the_matrix():
    n, passes = 1600, []
    values = np.concatenate([[30.0, 20.0], np.random.default_rng(2).uniform(0, 1, n - 5), [-9.0, -6.0, -3.0]])
    B, _ = matrix(values)

    class Counted(Form):
        def operator(self):
            apply = super().operator()
            return lambda V: passes.append(len(V)) or apply(V)

    form = Counted(matrix=B)
    np.testing.assert_allclose(solve(Pencil(form, n_components=2)).values, [30.0, 20.0], rtol=1e-13)
    alone = len(passes)
    assert inertia(form).negative == pytest.approx(18.0, rel=1e-6)
    assert len(passes) <= max(alone, 10)


def test_products_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(3)
    A, V = rng.standard_normal((1500, 1501)), rng.standard_normal((8, 1500))
    shared = rows_times(V, A)
    np.testing.assert_allclose(shared, V @ A, rtol=0, atol=1e-11)
    with threadpool_limits(1):
        np.testing.assert_array_equal(shared, rows_times(V, A))
