"""Schoenberg transforms: each equals its integral, and each keeps squared distances squared distances."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from eigenlens import ClassicalMDS
from eigenlens.distances import (
    Exponential,
    Identity,
    Logarithm,
    Measure,
    Power,
    Rational,
    Sum,
    gower,
    is_bernstein,
    is_positive_semidefinite,
    is_squared_distance,
)
from eigenlens.exceptions import InputError, InputTypeError, NotConvergedWarning

d = np.concatenate([[0.0], 10.0 ** np.linspace(-6, 6, 49)])
CLOSED = [
    Identity(),
    *[Exponential(a) for a in (1e-5, 0.3, 20.0)],
    *[Logarithm(a) for a in (1e-5, 2.0, 1e6)],
    *[Rational(a) for a in (1e-3, 0.5, 1e6)],
    *[Power(p) for p in (0.05, 0.3, 0.5, 0.9, 1.0)],
]
ALL = [
    *CLOSED,
    Measure({0.0: 0.5, 0.2: 1.0, 3.0: 2.0}),
    Measure(lambda lam: np.exp(-lam) / (1 + lam)),
    Measure(lambda lam: 1 / np.sqrt(lam), support=(0, 2)),
    Logarithm(2.0) @ Power(0.7),
    Exponential(0.5) @ (Rational(1.0) @ Power(0.5)),
    2.0 * Power(0.3) + Exponential(0.5),
    Measure(lambda lam: np.exp(-lam), atoms={0.0: 0.3, 2.0: 1.0}),
]


def named(transform):
    """A name without the address of a function: workers that run tests side by side must agree on it."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(transform))


@pytest.mark.parametrize("transform", CLOSED, ids=repr)
def test_closed_form_is_its_integral(transform):
    np.testing.assert_allclose(transform.measure(d), transform(d), rtol=1e-12)


@pytest.mark.parametrize("x", [1e-3, 0.7, 40.0])
@pytest.mark.parametrize(
    ("transform", "g"),
    [
        (Logarithm(2.0), lambda lam: np.exp(-2 * lam)),
        (Rational(0.5), lambda lam: lam * np.exp(-0.5 * lam)),
        (Measure(lambda lam: np.exp(-lam) / (1 + lam)), lambda lam: np.exp(-lam) / (1 + lam)),
    ],
    ids=["logarithm", "rational", "measure"],
)
def test_integral_by_another_quadrature(transform, g, x):
    def integrand(lam):
        return -np.expm1(-lam * x) / lam * g(lam)

    parts = [quad(integrand, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in ((0, 0.1), (0.1, 1), (1, 10), (10, 300))]
    assert transform(x) == pytest.approx(sum(parts), rel=1e-10)


@pytest.mark.parametrize("p", [0.001, 0.01, 0.03, 0.97, 0.99, 0.999])
def test_powers_near_the_ends_have_their_measure(p):
    """Of λ^{−0.99}, a thousandth lies below the smallest number there is."""
    x = np.array([1e-8, 1e-3, 1.0, 1e4, 1e10])
    np.testing.assert_allclose(Power(p).measure(x), x**p, rtol=1e-10)


def test_a_density_that_goes_on_as_a_power_and_ends():
    """∫ (1 − e^{−λx})/λ · λ^{−p}e^{−λ} dλ = Γ(1 − p)((1 + x)^p − 1)/p."""
    from scipy.special import gamma

    x, p = np.array([1e-6, 0.3, 50.0]), 0.99
    exact = gamma(1 - p) * np.expm1(p * np.log1p(x)) / p
    np.testing.assert_allclose(Measure(lambda lam: lam**-p * np.exp(-lam))(x), exact, rtol=1e-10)


def test_measure_on_an_interval_with_a_singular_end():
    """∫₀² (1 − e^{−λx})/λ · λ^{−1/2} dλ = 2√x·γ(½, 2x) + 2(e^{−2x} − 1)/√2 by parts."""
    from scipy.special import gamma, gammainc

    x = np.array([1e-4, 0.3, 5.0, 1e3])
    exact = 2 * np.sqrt(x) * gamma(0.5) * gammainc(0.5, 2 * x) + 2 * np.expm1(-2 * x) / np.sqrt(2)
    np.testing.assert_allclose(Measure(lambda lam: 1 / np.sqrt(lam), support=(0, 2))(x), exact, rtol=1e-9)


@pytest.mark.parametrize("transform", ALL, ids=named)
def test_squared_distances_stay_squared_distances(transform):
    @settings(max_examples=10, deadline=None, derandomize=True)
    @given(
        n=st.integers(3, 25), p=st.integers(1, 6), scale=st.sampled_from([1e-3, 1.0, 100.0]), seed=st.integers(0, 10**6)
    )
    def holds(n, p, scale, seed):
        X = np.random.default_rng(seed).standard_normal((n, p)) * scale
        D2 = squareform(pdist(X, "sqeuclidean"))
        found = is_squared_distance(transform(D2), tol=1e-10)
        assert found, str(found)
        assert is_positive_semidefinite(transform.kernel(D2, 0.7), tol=1e-10)

    holds()


def test_a_square_is_no_schoenberg_transform():
    """The law above can fail: d² of squared distances is not conditionally negative definite."""
    X = np.random.default_rng(0).standard_normal((10, 2))
    assert not is_squared_distance(squareform(pdist(X, "sqeuclidean")) ** 2)


def test_composition():
    f, g, h = Logarithm(2.0), Power(0.7), Exponential(0.1)
    np.testing.assert_array_equal((f @ g)(d), f(g(d)))
    np.testing.assert_array_equal(((f @ g) @ h)(d), (f @ (g @ h))(d))
    with pytest.raises(TypeError):
        f @ 3


def test_sums_and_multiples():
    f, g = Logarithm(2.0), Power(0.7)
    np.testing.assert_array_equal((f + 3 * g)(d), f(d) + 3 * g(d))
    np.testing.assert_array_equal((g * 0.5)(d), 0.5 * g(d))
    np.testing.assert_array_equal((np.float64(2.0) * g)(d), 2 * g(d))
    np.testing.assert_allclose((f + 3 * g).measure(d), f(d) + 3 * g(d), rtol=1e-12)
    assert (Identity() + 2 * Exponential(0.3)).measure.locations.tolist() == [0.0, 0.3]
    assert (f + 3 * g).set_params(right__factor=1.0).right.factor == 1.0
    for wrong in (lambda: f + 3, lambda: f * "a", lambda: f * g, lambda: True * f):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(InputError, match=r"factor=-1 but .*above 0"):
        (-1 * f)(d)
    with pytest.raises(InputTypeError, match=r"right=3 is not a Schoenberg transform"):
        Sum(f, 3)(d)


@pytest.mark.parametrize(
    "composed",
    [
        Identity() @ Logarithm(2.0),
        Logarithm(2.0) @ Identity(),
        Power(0.5) @ Power(0.3),
        Rational(0.5) @ Rational(2.0),
        (2 * Power(0.5) + Identity()) @ Power(0.4),
        Identity() @ (Power(0.5) @ Power(0.5)),
    ],
    ids=repr,
)
def test_the_measure_of_a_composition_with_a_closed_form(composed):
    np.testing.assert_allclose(composed.measure(d), composed(d), rtol=1e-11)


def test_the_measure_of_other_compositions_is_refused():
    for composed in (Logarithm(2.0) @ Power(0.5), Exponential() + Exponential() @ Power()):
        with pytest.raises(InputError, match=r"measure of Composition\(.* is not known in closed form"):
            composed.measure  # noqa: B018


def test_a_density_and_atoms():
    both = Measure(lambda lam: np.exp(-2 * lam), atoms={0.0: 3.0, 0.5: 2.0})
    np.testing.assert_allclose(both(d), Logarithm(2.0)(d) + 3 * d + 2 * Exponential(0.5)(d), rtol=1e-12)
    both.set_params(atoms=None)
    np.testing.assert_allclose(both(d), Logarithm(2.0)(d), rtol=1e-12)
    for atoms in (3, "a", {-1.0: 1.0}, {1.0: -1.0}, []):
        with pytest.raises((InputError, InputTypeError)):
            both.set_params(atoms=atoms)(d)


@pytest.mark.parametrize("transform", ALL, ids=named)
def test_schoenberg_transforms_are_bernstein_functions(transform):
    found = is_bernstein(transform)
    assert found, str(found)
    assert found.order is None
    assert str(found).startswith("no sign of a Bernstein function is wrong up to order 6, at 61 places")


@pytest.mark.parametrize(
    ("f", "order"),
    [
        (lambda x: x - 1, 0),
        (lambda x: np.sin(x) + 1, 1),
        (lambda x: 1 / (1 + x), 1),
        (lambda x: x**1.01, 2),
        (lambda x: -np.expm1(-(x**2)), 2),
        (lambda x: x - 0.1 * np.sin(x), 2),
        (np.tanh, 3),
        (np.arctan, 3),
        (lambda x: x - x**2 / 4000 - 1e-9 * x**3, 3),
    ],
)
def test_what_is_no_bernstein_function(f, order):
    found = is_bernstein(f)
    assert not found
    assert found.order == order
    low, high = found.place
    assert low <= high
    assert (order == 0) == (low == high)
    x = np.geomspace(1e-3, 1e3, 61)
    x = x[(x >= low) & (x <= high)]
    divided = sum(f(at) / np.prod([at - other for other in x if other != at]) for at in x)
    assert found.value == pytest.approx(divided, rel=1e-3)


def test_bernstein_functions_written_naively():
    for f in (lambda x: 1 - np.exp(-x), lambda x: np.log(1 + x), lambda x: np.sqrt(x + 4) - 2, lambda x: 0 * x):
        assert is_bernstein(f)
    assert is_bernstein(lambda x: x / (1 + x) + 2, at=np.linspace(1, 50, 99), order=4)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((3,), "f=3 but it must be a function"),
        ((np.log, [1.0, 2.0]), r"at has shape \(2,\) but it must hold more than order=6"),
        ((np.sqrt, np.arange(20)), "ascending numbers above 0"),
        ((np.sqrt, "abc"), "at='abc' cannot be read as numbers"),
        ((np.sum,), r"returned shape \(\)"),
        ((lambda x: x / (x > 1),), "31 NaN or infinite; name other"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_no_function(arguments, match):
    with pytest.raises((InputError, InputTypeError), match=match):
        is_bernstein(*arguments)
    with pytest.raises(InputError, match=r"order=0 but"):
        is_bernstein(np.sqrt, order=0)


def test_small_and_large_arguments_keep_their_digits():
    tiny = np.array([1e-300, 1e-20])
    for transform in (Exponential(2.0), Logarithm(1.0), Rational(1.0)):
        np.testing.assert_allclose(transform(tiny), tiny, rtol=1e-15)
    assert Rational(2.0)(1e308) == 0.5
    assert Exponential(2.0)(1e308) == 0.5


@pytest.mark.parametrize("transform", ALL, ids=named)
def test_other_libraries_and_shapes(transform):
    there = transform(torch.tensor(d.reshape(5, 10)))
    assert isinstance(there, torch.Tensor)
    np.testing.assert_allclose(there.numpy(), transform(d).reshape(5, 10), rtol=1e-14)
    assert isinstance(transform(2.0), float)
    assert transform([1.0, 2.0]).shape == (2,)


@pytest.mark.parametrize("transform", [Power(0.3), Measure({1.0: 2.0}), Logarithm(3.0) @ Power(0.5)], ids=repr)
def test_scikit_learn_transformer(transform):
    X = np.random.default_rng(0).standard_normal((12, 3))
    D = squareform(pdist(X))
    again = pickle.loads(pickle.dumps(clone(transform)))
    np.testing.assert_array_equal(again.fit_transform(D**2), transform(D**2))
    pipeline = make_pipeline(
        FunctionTransformer(np.square), transform, ClassicalMDS(metric="precomputed", squared=True)
    )
    direct = ClassicalMDS(metric="precomputed", schoenberg=transform).fit_transform(D)
    np.testing.assert_allclose(pipeline.fit_transform(D), direct, rtol=0, atol=1e-12)


def test_parameters_are_reached_through_a_composition():
    assert (Logarithm(2.0) @ Power(0.5)).get_params()["inner__p"] == 0.5


def test_distances_that_are_negative_or_missing():
    with pytest.raises(InputError, match=r"D2 holds -1, but .*D\*\*2"):
        Power(0.5)(np.array([1.0, -1.0]))
    with pytest.raises(InputError, match="D2 holds nan"):
        Power(0.5)(np.array([1.0, np.nan]))


@pytest.mark.parametrize(
    ("transform", "match"),
    [
        (Exponential(0.0), "a=0.0 but it must be a finite number above 0"),
        (Exponential(-1), "a=-1 but"),
        (Logarithm("x"), "a='x' but"),
        (Rational(np.nan), "a=nan but"),
        (Power(1.5), "p=1.5 but it must be a number above 0 and at most 1"),
        (Power(0), "p=0 but"),
        (Measure(3.0), "g=3.0 is not a measure; pass a density"),
        (Measure([]), "is not a measure"),
        (Measure({-1.0: 2.0}), "a place is -1 at λ=-1"),
        (Measure({1.0: -2.0}), "the mass is -2 at λ=1"),
        (Measure({1.0: 0.0}), "zero at every node"),
        (Measure(lambda lam: 1 + 0 * lam), "not admissible: .*λ → ∞"),
        (Measure(lambda lam: 1 / lam), "not admissible: .*λ → 0"),
        (Measure(lambda lam: -np.exp(-lam)), "the density is .* not negative"),
        (Measure(lambda lam: np.exp(-lam), support=(2, 1)), r"support=\(2, 1\) but"),
    ],
)
def test_what_is_no_transform(transform, match):
    with pytest.raises((InputError, InputTypeError), match=match):
        transform(1.0)


def test_jumps_are_found_and_what_never_settles_warns():
    with pytest.warns(NotConvergedWarning, match=r"jumps or spikes. Name its support="):
        Measure(lambda lam: np.sin(1e6 * lam) ** 2 * np.exp(-lam))(2.0)
    box = Measure(lambda lam: (np.abs(lam - 1.0) < 0.1) * 1.0)(2.0)
    assert box == pytest.approx(quad(lambda lam: -np.expm1(-2 * lam) / lam, 0.9, 1.1)[0], rel=1e-10)
    whole = Measure(lambda lam: 1.0 + 0 * lam, support=(0, 3))(2.0)
    exact = quad(lambda lam: -np.expm1(-2 * lam) / lam, 0, 3)[0]
    assert whole == pytest.approx(exact, rel=1e-12)
    assert Measure(lambda lam: (lam < 3.0) * 1.0)(2.0) == pytest.approx(exact, rel=1e-10)  # the jump is found


@pytest.mark.parametrize("width", [0.1, 0.03, 0.01, 0.003, 1e-3])
@pytest.mark.parametrize("middle", [1.1, 37.0, 1e-5])
def test_a_narrow_density_is_an_atom_of_its_mass(middle, width):
    """∫ over a normal density of standard deviation σ about m, by quadrature in units of σ."""

    def density(lam):
        return np.exp(-0.5 * ((lam - middle) / (width * middle)) ** 2)

    def inner(z):
        lam = middle * (1 + width * z)
        return np.exp(-0.5 * z**2) * -np.expm1(-lam * 2.0 / middle) / lam * width * middle

    exact = quad(inner, -12 if width < 0.08 else -1 / width, 12, epsabs=0, epsrel=1e-12, limit=500)[0]
    assert Measure(density)(2.0 / middle) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("widths", [(1e-3, 0.1), (1e-4, 1e-2), (1e-4, 1e-4)])
def test_no_narrow_peak_is_lost_beside_another(widths):
    middles, d = (0.07, 11.0), 2.0

    def density(lam):
        return sum(np.exp(-0.5 * ((lam - m) / (w * m)) ** 2) for m, w in zip(middles, widths, strict=True))

    def inner(z, m, w):
        lam = m * (1 + w * z)
        return np.exp(-0.5 * z**2) * -np.expm1(-lam * d) / lam * w * m

    parts = [
        quad(inner, max(-12, -1 / w), 12, (m, w), epsabs=0, epsrel=1e-12) for m, w in zip(middles, widths, strict=True)
    ]
    assert Measure(density)(d) == pytest.approx(sum(part[0] for part in parts), rel=1e-8)


def test_a_density_too_narrow_to_be_seen_is_refused():
    def density(lam):
        return np.exp(-0.5 * ((lam - 1.1) / 1e-6) ** 2)

    with pytest.raises(InputError, match=r"zero at every node: .* Name its support="):
        Measure(density)(2.0)
    mass = Measure(density, support=(1.1 - 1e-4, 1.1 + 1e-4))(2.0)
    assert mass == pytest.approx(1e-6 * np.sqrt(2 * np.pi) * -np.expm1(-2.2) / 1.1, rel=1e-9)


def test_gower_of_an_array_takes_weights_by_number():
    rows = np.array([[0.0, 1.0], [1.0, 5.0], [2.0, 3.0]])
    np.testing.assert_allclose(gower(rows, weights={1: 2.0}), gower(rows, weights={"1": 2.0}))
    with pytest.raises(InputError, match="leaves no column"):
        gower(rows, weights={0: 0, 1: 0})


def test_gower_of_a_frame_whose_columns_are_named_by_integers():
    rows = pd.DataFrame({0: [0.0, 1.0, 2.0], 1: ["a", "b", "b"]})  # an integer in brackets is a row of such a frame
    named = rows.rename(columns={0: "x", 1: "kind"})
    np.testing.assert_array_equal(gower(rows, weights={0: 2.0}), gower(named, weights={"x": 2.0}))


@pytest.mark.parametrize("shape", [(30, 3), (4, 6)])
def test_mahalanobis_of_dependent_columns_says_what_is_wrong(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    X[:, 2] = X[:, 0] + X[:, 1]
    with pytest.raises(InputError, match=r"mahalanobis.*which has rank \d of \d columns"):
        ClassicalMDS(metric="mahalanobis").fit(X)
    np.testing.assert_allclose(ClassicalMDS(2, metric="mahalanobis").fit(X[:, :2] * [1e-9, 1e9]).stress_, 0, atol=1e-3)


def test_a_function_that_returns_no_numbers_is_no_bernstein_function_and_is_told_so():
    with pytest.raises(InputTypeError, match="cannot be read as numbers"):
        is_bernstein(lambda d: "a")
