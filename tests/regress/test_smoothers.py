"""The one-dimensional smoothers against their definitions and against SciPy's smoothing spline."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import make_smoothing_spline

from eigenlens.regress.smoothing_spline import SplineSmoother
from eigenlens.regress.supersmoother import smoothed_rows


@pytest.fixture
def ties():
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=300), 1)
    w = rng.integers(1, 4, size=300).astype(float)
    y = np.sin(x) + 0.3 * rng.normal(size=300)
    return x, y - w @ y / w.sum(), w


def merged(x, y, w):
    u, inverse = np.unique(x, return_inverse=True)
    total = np.bincount(inverse, w)
    return u, np.bincount(inverse, w * y) / total, total


@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e2, 1e4])
def test_spline_with_ties_is_the_smoothing_spline(ties, ratio):
    x, y, w = ties
    s = SplineSmoother(x, w)
    lam = s.scale * ratio
    f = s.curve(lam, *s.coordinates((w * y)[:, None]))
    u, v, total = merged(x, y, w)
    g = make_smoothing_spline(u, v, total, lam=lam * s.width**3)
    assert_allclose(f(u)[:, 0], g(u), atol=1e-11)
    assert_allclose(f(u, derivative=True)[:, 0], g(u, 1), atol=1e-9)


@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e2])
def test_df_is_the_trace_of_the_smoother_less_one(ties, ratio):
    x, y, w = ties
    s = SplineSmoother(x, w)
    lam = s.scale * ratio
    u, _, total = merged(x, y, w)
    unit = np.eye(u.size)
    trace = sum(make_smoothing_spline(u, unit[i], total, lam=lam * s.width**3)(u[i]) for i in range(u.size))
    assert s.df(lam) == pytest.approx(trace - 1, abs=1e-9)
    assert s.df(s.lam_for_df(4.2)) == pytest.approx(4.2, abs=1e-9)


def test_residual_sum_from_modes_is_that_of_the_fit(ties):
    x, y, w = ties
    s = SplineSmoother(x, w)
    z, b = s.coordinates((w * y)[:, None])
    fit = s.fit_values(s.scale, z, b)[:, 0]
    predicted = w @ y**2 - z @ z - s.gain(s.scale, b[:, 0] ** 2)
    assert predicted == pytest.approx(w @ (y - fit) ** 2, rel=1e-12)
    assert w @ fit == pytest.approx(0, abs=1e-10)


def test_large_lambda_is_the_line_and_beyond_the_knots_it_goes_straight(ties):
    x, y, w = ties
    s = SplineSmoother(x, w)
    z, b = s.coordinates((w * y)[:, None])
    line = np.polynomial.Polynomial.fit(x, y, 1, w=np.sqrt(w))
    assert_allclose(s.curve(np.inf, z, b)(x)[:, 0], line(x), atol=1e-12)
    far = s.curve(s.scale, z, b)(np.array([x.max() + 1, x.max() + 2, x.max() + 3]))[:, 0]
    assert np.diff(far, 2) == pytest.approx(0, abs=1e-12)


def test_many_distinct_values_thin_the_knots_but_hardly_change_the_fit():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=1500)
    y = np.sin(6 * x) + 0.3 * rng.normal(size=1500)
    w = np.ones(1500)
    s = SplineSmoother(x, w)
    assert 100 < s.knots.size < 200
    lam = s.lam_for_df(8.0)
    f = s.curve(lam, *s.coordinates((y - y.mean())[:, None]))
    order = np.argsort(x)
    g = make_smoothing_spline(x[order], y[order] - y.mean(), lam=lam * s.width**3)
    assert_allclose(f(x)[:, 0], g(x), atol=1e-4)


def test_an_outlying_value_leaves_the_line_exact():
    rng = np.random.default_rng(2)
    x = np.append(rng.normal(size=60), 1e6)
    y = 3.0 + 2.0 * x
    s = SplineSmoother(x, np.ones(61))
    r = y - y.mean()
    fit = s.fit_values(s.scale, *s.coordinates(r[:, None]))[:, 0]
    assert_allclose(fit, r, atol=1e-9 * np.ptp(r))


def test_values_over_many_magnitudes_still_give_a_smoother():
    """Knots over 20 magnitudes are numerically dependent: fewer are kept, and no fit is worse than none."""
    rng = np.random.default_rng(13)
    x = np.exp(8 * rng.normal(size=100))
    r = rng.normal(size=100)
    r -= r.mean()
    s = SplineSmoother(x, np.ones(100))
    for lam in (s.least_lam, s.scale, np.inf):
        z, b = s.coordinates(r[:, None])
        fit = s.fit_values(lam, z, b)[:, 0]
        assert np.sum((r - fit) ** 2) <= r @ r
        assert fit @ (r - fit) >= -1e-9 * (r @ r)


def test_supersmoother_weights_are_repeated_rows():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=120), rng.normal(size=120)
    w = rng.integers(1, 5, size=120)
    again = rng.permutation(np.repeat(np.arange(120), w))
    weighted = smoothed_rows(x, y, w.astype(float))[0](x)
    repeated = smoothed_rows(x[again], y[again], np.ones(again.size))[0](x)
    assert_allclose(weighted, repeated, atol=1e-12)


def test_supersmoother_keeps_a_line_and_its_slope():
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 3, size=80)
    f = smoothed_rows(x, 2.0 - 1.5 * x, np.ones(80))[0]
    new = np.linspace(-4, 5, 30)
    assert_allclose(f(new), 2.0 - 1.5 * new, atol=1e-9)
    assert_allclose(f(new, derivative=True), -1.5, atol=1e-9)


def test_supersmoother_window_is_a_local_line():
    """A fixed span over distinct x with unit weights: an odd window of whole rows is plain least squares."""
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(size=45))
    y = rng.normal(size=45)
    f = smoothed_rows(x, y, np.ones(45), span=11 / 45)[0]
    for i in (0, 3, 22, 44):
        start = min(max(i - 5, 0), 45 - 11)
        near = slice(start, start + 11)
        line = np.polynomial.Polynomial.fit(x[near], y[near], 1)
        assert f(x[i : i + 1])[0] == pytest.approx(line(x[i]), abs=1e-10)


def test_supersmoother_adapts_and_bass_makes_it_smoother():
    rng = np.random.default_rng(6)
    x = np.sort(rng.uniform(size=400))
    truth = np.sin(2 * np.pi * (1 - x) ** 2)
    y = truth + 0.2 * rng.normal(size=400)
    w = np.ones(400)
    local = np.mean((smoothed_rows(x, y, w)[0](x) - truth) ** 2)
    stiff = np.mean((smoothed_rows(x, y, w, span=0.5)[0](x) - truth) ** 2)
    assert local < 0.3 * stiff
    bend = [np.sum(np.diff(smoothed_rows(x, y, w, bass=b)[0](x), 2) ** 2) for b in (0.0, 8.0)]
    assert bend[1] < bend[0]


@pytest.mark.parametrize("seed", range(4))
def test_the_smoothness_of_least_gcv_is_known_to_many_digits(seed):
    """The score is flat at its minimum, so the smoothness comes from its slope: ±h sees the same on both sides."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300)
    y = np.sin(x) + 0.3 * rng.normal(size=300)
    y -= y.mean()
    s = SplineSmoother(x, np.ones(300))
    z, b = s.coordinates(y[:, None])
    b2, straight = b[:, 0] ** 2, float(y @ y - z @ z)
    lam, best = s.best_lam(straight, b2, 0.0, 300.0, 2.0, np.inf)

    def score(lam):
        return (straight - s.gain(lam, b2)) / (1 - 2.0 * s.df(lam) / 300) ** 2

    h = 1e-4
    up, down, here = (score(lam * np.exp(t)) for t in (h, -h, 0.0))
    curvature = (up + down - 2 * here) / h**2
    assert abs(up - down) / (2 * h) < 5 * h**2 * curvature  # ln λ; a central difference has an error of h²
    assert best == pytest.approx(here / 300, rel=1e-9)


def test_values_that_differ_in_their_last_bits_are_one(ties):
    x, _, w = ties
    apart = x + np.where(np.arange(x.size) % 2, 0.0, 4e-16 * x)
    assert np.unique(apart).size > np.unique(x).size
    assert SplineSmoother(apart, w, 12).knots.size == 12
    assert_allclose(SplineSmoother(apart, w, 12).knots, SplineSmoother(x, w, 12).knots, atol=1e-14)
