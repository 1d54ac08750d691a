"""The parts of adaptive splines, each against its definition written out."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from eigenlens.regress.hinges.candidates import Grid
from eigenlens.regress.hinges.pruning import backward, cost
from eigenlens.regress.hinges.search import Forward, Rules
from eigenlens.regress.hinges.terms import Factor, Term, evaluate
from eigenlens.solve.linear_smoother import gcv


def rules(p, **given):
    plain = {
        "degree": 1,
        "max_terms": 99,
        "penalty": -1.0,
        "tol": 0.0,
        "min_span": 1,
        "end_span": 1,
        "fast_k": None,
        "allow_linear": False,
        "allowed": lambda features, j: True,
        "linear": frozenset(),
        "names": tuple(f"x{j}" for j in range(p)),
    }
    return Rules(**(plain | given))


def hinges(grid, x):
    """The hinge of every grid position, written out."""
    u = (x - grid.values[0]) / grid.scale + grid.scaled[0]
    up = np.maximum(u[:, None] - grid.scaled, 0)
    down = np.maximum(grid.scaled - u[:, None], 0)
    return u, np.where(grid.mirrored, down, up)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 120),
    digits=st.integers(0, 3),
    space=st.sampled_from([1.0, 2.0, 5.0]),
    offset=st.sampled_from([0.0, 1e6]),
)
def test_inner_products_with_all_hinges(seed, n, digits, space, offset):
    rng = np.random.default_rng(seed)
    x = offset + np.round(rng.normal(size=n), digits)
    w = rng.integers(1, 4, size=n).astype(float)
    grid = Grid.lay(x, w, space, 1.0)
    if grid is None:
        assert np.ptp(x) == 0
        return
    V = rng.normal(size=(n, 3))
    u, H = hinges(grid, x)
    found = grid.hinges(sum(h @ V for h in grid.hats()))
    assert_allclose(found, H.T @ V, atol=1e-11 * n)
    v = rng.random(n)
    first, second, line = grid.squares(v, grid.masses(v))
    assert_allclose(first, H.T @ v, atol=1e-11 * n)
    assert_allclose(second, (H**2).T @ v, atol=1e-11 * n)
    assert_allclose(line, v @ u**2, rtol=1e-11)


def test_grid_keeps_the_spans():
    x = np.arange(100.0)
    grid = Grid.lay(x, np.ones(100), 7.0, 10.0)
    inner = grid.values[1:-1]
    assert inner[0] == 10
    assert inner[-1] <= 89
    assert set(np.diff(inner)) == {7.0}
    assert_allclose(grid.values[[0, -1]], [0, 99])


def brute_force(X, Y, w, degree, steps):
    """RSS after each step when every pair over every value of every feature is tried by least squares."""
    root = np.sqrt(w)[:, None]
    terms, path = [(np.ones(len(X)), frozenset())], []
    for _ in range(steps):
        B, best = np.stack([b for b, _ in terms], axis=1), (np.inf, None)
        for b, used in terms:
            for j in set(range(X.shape[1])) - used if len(used) < degree else ():
                for t in np.unique(X[:, j]):
                    pair = b * np.maximum(X[:, j] - t, 0), b * np.maximum(t - X[:, j], 0)
                    A = root * np.column_stack([B, *pair])
                    A /= np.maximum(np.linalg.norm(A, axis=0), 1e-300)
                    c = np.linalg.lstsq(A, root * Y, rcond=1e-9)[0]
                    rss = np.sum((root * Y - A @ c) ** 2)
                    if rss < best[0] * (1 - 1e-10):
                        best = rss, [(h, used | {j}) for h in pair]
        path.append(best[0])
        terms += best[1]
    return path


@pytest.mark.parametrize(("n", "degree", "q"), [(50, 1, 1), (40, 2, 1), (35, 2, 3), (30, 3, 1)])
def test_forward_search_equals_brute_force(n, degree, q):
    rng = np.random.default_rng(n + q)
    X = np.round(rng.random((n, 3)), 2)
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    Y = f[:, None] * np.arange(1, q + 1) + rng.normal(size=(n, q))
    w = rng.integers(1, 3, size=n).astype(float)
    found = Forward(X, Y, w, rules(3, degree=degree)).run()
    expected = brute_force(X, Y, w, degree, 4)
    assert_allclose([r for _, r in found.path[1:5]], expected, rtol=1e-10)


@pytest.mark.parametrize("fast_k", [None, 1, 2, 5])
@pytest.mark.parametrize("q", [1, 2])
def test_gain_is_what_the_model_gains(fast_k, q):
    """Also for parents that were set aside and had to catch up."""
    rng = np.random.default_rng(5)
    X = rng.random((300, 4))
    Y = (10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 5 * X[:, 2] * X[:, 3])[:, None] + rng.normal(size=(300, q))
    Y -= Y.mean(axis=0)
    s = Forward(X, Y, np.ones(300), rules(4, degree=3, fast_k=fast_k, min_span=None, end_span=None))
    for _ in range(12):
        choice, before = s.choose(), s.rss
        assert s.enter(choice)
        assert_allclose(before - s.rss, choice.gain, rtol=1e-8)


def test_basis_stays_orthonormal_and_factor_exact():
    rng = np.random.default_rng(2)
    X = 1e5 + rng.random((200, 3))
    y = np.sin(9 * (X[:, :1] - 1e5)) + rng.normal(size=(200, 1)) / 5
    y -= y.mean()
    found = Forward(X, y, np.ones(200), rules(3, degree=2, max_terms=31)).run()
    B = evaluate(found.terms, X)
    assert_allclose(found.factor.T @ found.factor, B.T @ B, rtol=1e-9, atol=1e-9)
    assert_allclose(found.factor.T @ found.z[: found.M], B.T @ y, atol=1e-9)
    assert found.reason == "max_terms=31 reached"


def test_pruning_path_is_least_squares_on_nested_subsets():
    rng = np.random.default_rng(3)
    B = np.column_stack([np.ones(60), rng.normal(size=(60, 6)) * [1, 10, 1e-5, 1, 1e6, 1]])
    Y = rng.normal(size=(60, 2)) + B[:, 1:3] @ [[1, 0], [0.5, 1]]
    w = rng.integers(1, 4, size=60).astype(float)
    Q, R = np.linalg.qr(np.sqrt(w)[:, None] * B)
    E = np.sqrt(w)[:, None] * Y
    path = backward(R, Q.T @ E, ((E - Q @ (Q.T @ E)) ** 2).sum(axis=0))
    root = np.sqrt(w)[:, None]
    for size, s in enumerate(path, start=1):
        assert len(s.terms) == size
        assert s.terms[0] == 0
        c, *_ = np.linalg.lstsq(root * B[:, s.terms], root * Y, rcond=None)
        assert_allclose(s.coef, c, rtol=1e-6, atol=1e-9 * np.abs(c).max())
        assert_allclose(s.rss, np.sum((root * (Y - B[:, s.terms] @ c)) ** 2, axis=0), rtol=1e-10)
    for small, large in pairwise(path):
        (gone,) = set(large.terms) - set(small.terms)
        losses = []
        for k in large.terms[1:]:
            kept = [t for t in large.terms if t != k]
            c, *_ = np.linalg.lstsq(root * B[:, kept], root * Y, rcond=None)
            losses.append(np.sum((root * (Y - B[:, kept] @ c)) ** 2))
        assert large.terms[1 + int(np.argmin(losses))] == gone


def test_criterion():
    assert cost(5, 3.0) == 5 + 3 * 4 / 2
    assert gcv(10.0, cost(5, 3.0), 100.0) == pytest.approx(0.1 / (1 - 0.11) ** 2)
    assert gcv(10.0, cost(50, 3.0), 100.0) == np.inf
    assert gcv(10.0, cost(50, -1.0), 100.0) == 0.1


def test_terms_read_and_evaluate():
    term = Term((Factor(0, 2.0, 1, "a"), Factor(1, -1.5, -1, "b"), Factor(2, 3.0, 0, "c")))
    X = np.array([[5.0, -2.0, 4.0], [1.0, -2.0, 4.0]])
    assert_allclose(term(X), [3 * 0.5 * 1, 0])
    assert str(term) == "h(a-2)*h(-1.5-b)*(c-3)"
    assert str(Term((Factor(1, -1.5, 1),))) == "h(x1+1.5)"
    assert str(Term()) == "1"
    assert term.degree == 3
    assert term.features == {0, 1, 2}


def test_a_list_of_terms_can_be_read():
    cold, windy = Factor(0, 76.0, 1, "Temp"), Factor(1, 8.6, -1, "Wind")
    assert repr([Term(), Term((cold,)), Term((cold, windy))]) == "[1, h(Temp-76), h(Temp-76)*h(8.6-Wind)]"
