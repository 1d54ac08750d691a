"""The numerical contract: right to the digits the data carry, against exact answers."""

import re
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

from eigenlens import CCA, LDA, MDA, PCA, PDA, QDA, SAVE, SIR, DirectionalRegression, KernelClassifier, RobustPCA
from eigenlens.exceptions import ConditionWarning, RangeWarning, RankWarning
from eigenlens.moments import Factor, Scatter
from eigenlens.rows import as_source


def digits(found, exact):
    """Right digits of the worst entry."""
    error = np.max(np.abs(np.asarray(found, dtype=float) - exact) / np.abs(exact))
    return 16.0 if error == 0 else -np.log10(error)


def with_spectrum(singular_values, n, seed=0):
    """Centred rows with known singular values and directions, exact to the last bits."""
    rng = np.random.default_rng(seed)
    p = len(singular_values)
    U = rng.standard_normal((n, p))
    U, _ = np.linalg.qr(U - U.mean(axis=0))
    V, _ = np.linalg.qr(rng.standard_normal((p, p)))
    return (U * singular_values) @ V.T, V.T


def exact_spectrum(X):
    """Singular values and directions of rows as they stand, centred without rounding to speak of."""
    rows = (X - X[0]).astype(np.longdouble)
    rows = (rows - rows.mean(axis=0)).astype(np.float64)
    _, s, V = np.linalg.svd(rows, full_matrices=False)
    return s, V


def in_parts(n_parts, model, *tables):
    for index in np.array_split(np.arange(len(tables[0])), n_parts):
        model.partial_fit(*(table[index] for table in tables))
    return model


# -- offsets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("n", [400, 60_000])  # a triangular factor, and a scatter
@pytest.mark.parametrize("parts", [1, 9])
def test_singular_values_at_an_offset(offset, n, parts):
    X = with_spectrum(np.sqrt(n) * np.array([3.0, 2.5, 2.0, 1.5, 1.2, 1.0]), n)[0] @ np.eye(6, 40) + offset
    X = X + np.random.default_rng(1).standard_normal(X.shape) * 0.05
    s, V = exact_spectrum(X)
    model = PCA().fit(X) if parts == 1 else in_parts(parts, PCA(), X)
    assert parts > 1 or isinstance(model.moments_, Factor if n == 400 else Scatter)
    assert digits(model.singular_values_, s) >= 12
    apart = [np.linalg.norm(c - v * np.sign(c @ v)) for c, v in zip(model.components_[:6], V[:6], strict=True)]
    assert max(apart) <= 1e-11


@pytest.mark.parametrize("place", [0, 1, 19_999])
@pytest.mark.parametrize("size", [1e8, -1e12])
def test_a_wild_row_spoils_no_digit_wherever_it_stands(place, size):
    X = np.random.default_rng(2).standard_normal((20_000, 60))
    X[place] = size
    rows = X.astype(np.longdouble)
    rows = rows - rows.mean(axis=0)
    model = PCA(1).fit(X)
    assert digits(model.singular_values_, np.linalg.norm((rows @ model.components_[0]).astype(float))) >= 12
    others = np.delete(np.arange(len(X)), place)[:2000]
    exact = (rows[others] @ model.components_.T).astype(float)
    # the mean of such rows is known to ε·size/n or so in each column, and that is all that may be lost
    assert np.abs(model.transform(X[others]) - exact).max() <= 1e-2 * np.abs(size) * 2.0**-52


@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.parametrize("seed", range(3))
def test_a_column_that_separates_is_refused_in_any_number_of_blocks(seed, parts):
    rng = np.random.default_rng(seed)
    n = 200_000
    y = rng.integers(0, 3, n)
    X = np.column_stack([rng.standard_normal((n, 3)), (rng.standard_normal(3) * 10)[y]])
    with pytest.raises(ValueError, match="column 3 is constant within every class"):
        LDA().fit(X, y) if parts == 1 else in_parts(parts, LDA(), X, y).predict(X)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n", "p"), [(40, 1), (12, 20), (3000, 4)])
def test_merging_leaves_the_other_side_as_it_was(n, p, order):
    import pickle

    rng = np.random.default_rng(15)
    for kind in (Scatter, Factor):
        here, there = (as_source(np.asarray(rng.standard_normal((n, p)), order=order)).collect(kind()) for _ in "ab")
        before = pickle.dumps(there)
        here.merge(there)
        assert pickle.dumps(there) == before


def test_scores_keep_their_digits_at_an_offset():
    X = np.random.default_rng(3).standard_normal((500, 4)) * [4, 3, 2, 1]
    there = np.round(X * 2**20) / 2**20 + 2.0**30  # exact in float64
    here = there - 2.0**30
    assert np.abs(PCA(2).fit_transform(there) - PCA(2).fit_transform(here)).max() < 1e-13


def test_discriminants_and_correlations_at_an_offset():
    rng = np.random.default_rng(4)
    y = np.arange(3000) % 3
    X = np.round((rng.standard_normal((3000, 5)) + y[:, None]) * 2**20) / 2**20
    far = X + 2.0**30
    assert np.abs(LDA().fit(far, y).predict_log_proba(far) - LDA().fit(X, y).predict_log_proba(X)).max() < 1e-10
    assert digits(CCA().fit(far[:, :3], far[:, 3:]).correlations_, CCA().fit(X[:, :3], X[:, 3:]).correlations_) >= 12


# -- NIST's univariate data sets NumAcc1–4, which are given by a rule -------------------------------------------------


NUMACC = {
    "NumAcc1": ([10000001, 10000003, 10000002], 10000002, 1, 14, 14),
    "NumAcc2": ([1.2, *[1.1, 1.3] * 500], 1.2, 0.1, 14, 14),
    "NumAcc3": ([1000000.2, *[1000000.1, 1000000.3] * 500], 1000000.2, 0.1, 14, 8.5),
    "NumAcc4": ([10000000.2, *[10000000.1, 10000000.3] * 500], 10000000.2, 0.1, 14, 7.5),
}


@pytest.mark.parametrize("name", NUMACC)
def test_nist_numacc(name):
    values, mean, sd, mean_digits, sd_digits = NUMACC[name]
    model = PCA(1).fit(np.array(values, dtype=float)[:, None])
    assert digits(model.mean_, mean) >= mean_digits
    assert digits(np.sqrt(model.explained_variance_), sd) >= sd_digits
    # the decimal numbers are not binary ones: of what float64 holds, every digit is right
    held = [Fraction(float(v)) for v in values]
    centre = sum(held) / len(held)
    variance = sum((v - centre) ** 2 for v in held) / (len(held) - 1)
    assert digits(model.explained_variance_, float(variance)) >= 14


# -- float32 -------------------------------------------------------------------------------------------------


def test_kelvin_temperatures_in_float32():
    rng = np.random.default_rng(5)
    X = (290 + rng.standard_normal((100_000, 8)) @ np.diag(np.linspace(1, 0.3, 8))).astype(np.float32)
    s, V = exact_spectrum(X.astype(np.float64))
    model = PCA(3).fit(X)
    assert model.components_.dtype == np.float32
    assert digits(model.singular_values_, s[:3]) >= 5
    assert digits(model.explained_variance_, s[:3] ** 2 / (len(X) - 1)) >= 5
    scores = model.transform(X)
    exact = (X.astype(np.float64) - X.astype(np.float64).mean(axis=0)) @ V[:3].T
    assert np.abs(np.abs(scores) - np.abs(exact)).max() < 1e-5


# -- condition -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [1e2, 2e3, 1e4, 1e6, 1e8, 1e10])
def test_smallest_singular_value_of_ill_conditioned_rows(condition):
    s = np.geomspace(1, 1 / condition, 30) * 1e3
    X, _ = with_spectrum(s, 60_000)
    exact, _ = exact_spectrum(X)
    model = PCA(30).fit(X)
    assert digits(model.singular_values_, exact) >= min(12, 17 - np.log10(condition))


def test_condition_decides_the_second_pass():
    X, _ = with_spectrum(np.geomspace(1, 1e-8, 30), 60_000)
    assert isinstance(PCA(3).fit(X).moments_, Scatter)  # the leading directions do not depend on it
    assert isinstance(PCA(30).fit(X).moments_, Factor)


def test_moments_alone_tell_that_digits_are_lost():
    X, _ = with_spectrum(np.geomspace(1, 1e-9, 30), 60_000)
    moments = as_source(X).collect(Scatter())
    with pytest.warns(ConditionWarning, match=r"condition .*digits"):
        PCA(30).fit_moments(moments)


def test_lda_and_cca_of_nearly_collinear_columns():
    rng = np.random.default_rng(6)
    n = 60_000
    y = np.arange(n) % 2
    Z = rng.standard_normal((n, 30))
    Z[:, 1] += 0.3 * y
    X = Z.copy()
    X[:, 0] = Z[:, 0] + 1e-7 * Z[:, 1]  # seen only through the difference of two nearly equal columns
    X[:, 1] = Z[:, 0]
    exact = LDA().fit(Z, y).predict_log_proba(Z)
    assert np.abs(LDA().fit(X, y).predict_log_proba(X) - exact).max() < 1e-6


def test_several_small_canonical_angles():
    """Their cosines are equal, and so tell neither the angles nor the pairs apart."""
    rng = np.random.default_rng(16)
    Q = np.linalg.qr(np.column_stack([np.ones(200), rng.standard_normal((200, 8))]))[0][:, 1:]
    true = np.array([1e-9, 4e-9, 1e-8, 0.7])
    X = Q[:, :4] @ rng.standard_normal((4, 4))
    Y = (np.cos(true) * Q[:, :4] + np.sin(true) * Q[:, 4:]) @ rng.standard_normal((4, 4))
    model = CCA().fit(X, Y)
    np.testing.assert_allclose(model.angles_, true, rtol=1e-6)
    x, y = model.transform(X, Y)
    np.testing.assert_allclose(np.linalg.norm(x - y, axis=0) / 199**0.5, 2 * np.sin(true / 2), rtol=1e-5)


def test_small_canonical_angles():
    rng = np.random.default_rng(7)
    n = 60_000
    Q, _ = np.linalg.qr((lambda A: A - A.mean(axis=0))(rng.standard_normal((n, 33))))
    X, apart = Q[:, :30], Q[:, 30:]
    for angle in (1e-3, 1e-6, 1e-9):
        Y = np.stack([np.cos(angle) * X[:, 0] + np.sin(angle) * apart[:, 0], apart[:, 1]], axis=1)
        found = CCA().fit(X, Y).angles_
        assert abs(found[0] / angle - 1) < 1e-6
        assert digits(found[1:], np.pi / 2) >= 12


def test_correlations_900_and_899_are_told_apart():
    rng = np.random.default_rng(8)
    Q, _ = np.linalg.qr((lambda A: A - A.mean(axis=0))(rng.standard_normal((2000, 6))))
    rho = np.array([0.9, 0.899])
    X, Y = Q[:, :3], np.column_stack([rho * Q[:, :2] + np.sqrt(1 - rho**2) * Q[:, 3:5], Q[:, 5]])
    for model in (CCA(2).fit(X + 1e3, Y * 7), in_parts(5, CCA(2), X + 1e3, Y * 7)):
        assert digits(model.correlations_, rho) >= 12


# -- scale ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e155, 1e-160])
@pytest.mark.parametrize("n", [300, 60_000])
def test_extreme_scales(scale, n):
    X = np.random.default_rng(9).standard_normal((n, 30)) * np.linspace(2, 1, 30)
    s, _ = exact_spectrum(X)
    with pytest.warns(RangeWarning, match=r"explained_variance_.*rescale X"):
        model = PCA().fit(X * scale)
    assert digits(model.singular_values_ / scale, s) >= 12
    with pytest.warns(RangeWarning):
        assert digits(in_parts(4, PCA(), X * scale).singular_values_ / scale, s) >= 12


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.RangeWarning")  # covariances beyond float64 are told
@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.NotConvergedWarning")
@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize(
    "model",
    [LDA(), QDA(), PDA(), MDA(random_state=0), KernelClassifier(lam=1e-3), PCA(2), SIR(1), RobustPCA()],
    ids=repr,
)
def test_units_of_any_size_change_no_answer(model, scale):
    """Squares of the columns leave float64: answers, summaries and angles do not, and NumPy says nothing."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4)) @ np.diag([3.0, 2.0, 1.0, 0.5])
    y = (X[:, 0] + 0.5 * rng.standard_normal(80) > 0).astype(int)
    plain, scaled = clone(model).fit(X, y), clone(model).fit(X * scale, y)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(scaled.predict(X * scale), plain.predict(X))
    if isinstance(model, MDA):
        assert scaled.n_iter_ == plain.n_iter_
        expected = plain.log_likelihood_[-1] - 80 * 4 * np.log(scale)
        assert scaled.log_likelihood_[-1] == pytest.approx(expected, rel=1e-12)
    if hasattr(plain, "structure_"):
        np.testing.assert_allclose(np.abs(scaled.structure_), np.abs(plain.structure_), rtol=0, atol=1e-6)
    if hasattr(plain, "subspace_"):
        assert scaled.subspace_.distance(plain.subspace_) < 1e-7
    assert str(scaled.summary())


def test_rows_near_the_largest_float():
    X = np.random.default_rng(10).uniform(-1, 1, (5000, 3))
    s, _ = exact_spectrum(X)
    with pytest.warns(RangeWarning, match="singular_values_ and explained_variance_"):
        model = PCA().fit(X * 1.7e308)
    assert digits(model.explained_variance_ratio_, s**2 / np.sum(s**2)) >= 12


def test_lda_does_not_depend_on_units():
    rng = np.random.default_rng(11)
    y = np.arange(600) % 3
    X = rng.standard_normal((600, 4)) + np.outer(y, [1, 0.5, 0, 0.2])
    base = LDA().fit(X, y).predict_log_proba(X)
    for exponents in ([100, -100, 100, -100], [300, -300, 0, 250]):
        Z = X * 10.0 ** np.array(exponents)
        assert np.abs(LDA().fit(Z, y).predict_log_proba(Z) - base).max() < 1e-10
        assert np.abs(in_parts(3, LDA(), Z, y).predict_log_proba(Z) - base).max() < 1e-10


def test_lda_does_not_depend_on_idle_columns():
    rng = np.random.default_rng(12)
    for n in (600, 60_000):
        y = np.arange(n) % 3
        X = rng.standard_normal((n, 30)) + np.outer(y, np.linspace(0, 1, 30)) + 290
        base = LDA().fit(X, y).predict_log_proba(X)
        constant = np.column_stack([X, np.full(n, 0.1)])
        assert np.abs(LDA().fit(constant, y).predict_log_proba(constant) - base).max() < 1e-10
        copied = np.column_stack([X, X[:, 2]])
        with pytest.warns(RankWarning, match=r"rank 30 but 31 columns"):
            model = LDA().fit(copied, y)
        assert np.abs(model.predict_log_proba(copied) - base).max() < 1e-10


@pytest.mark.parametrize("scale", [1e70, 1e-70, 1e100])
def test_ledoit_wolf_refuses_what_its_fourth_powers_cannot_hold(scale):
    rng = np.random.default_rng(16)
    y = np.arange(90) % 3
    with pytest.raises(ValueError, match="fourth powers"):
        LDA(shrinkage="ledoit-wolf").fit(rng.standard_normal((90, 4)) * scale, y)


# -- far away ------------------------------------------------------------------------------------------------


def test_posteriors_a_million_sd_away():
    rng = np.random.default_rng(13)
    y = np.arange(300) % 3
    X = rng.standard_normal((300, 2)) + np.eye(3, 2)[y] * 3
    far = np.array([[1e6, -1e6], [-1e6, 3e6], [1e150, 1e150]])
    model = LDA().fit(X, y)
    assert np.isfinite(model.predict_log_proba(far)).all()
    assert np.abs(model.predict_proba(far).sum(axis=1) - 1).max() < 1e-15


# -- threads -------------------------------------------------------------------------------------------------


def test_threads_change_no_bit(monkeypatch):
    from eigenlens.arrays import threads

    X = np.random.default_rng(14).standard_normal((40_000, 60))
    y = np.arange(len(X)) % 5
    many = LDA().fit(X, y).scalings_
    monkeypatch.setattr(threads, "thread_count", lambda: 1)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        assert np.array_equal(LDA().fit(X, y).scalings_, many)


@pytest.mark.parametrize("model", [PCA(1), SIR(1), SAVE(1), DirectionalRegression(1), LDA(1)], ids=repr)
@pytest.mark.parametrize("size", [1e35, 1e45])
def test_weights_of_any_size_suit_rows_in_single_precision(model, size):
    """Weights beyond the range of float32 became infinite, and the columns constant."""
    draw = np.random.default_rng(0)
    X = draw.standard_normal((60, 4)).astype(np.float32)
    y = X[:, 0] + 0.3 * draw.standard_normal(60) > 0
    weights = draw.uniform(1.0, 2.0, 60) * 1e4
    few = model.fit(X, y, sample_weight=weights).transform(X)
    many = model.fit(X, y, sample_weight=weights * size).transform(X)
    np.testing.assert_allclose(many, few, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("model", [LDA(), SIR(n_slices=3)], ids=repr)
@pytest.mark.parametrize("size", [1e12, 1e13, 1e14])
def test_a_row_far_beyond_the_others_costs_digits_and_is_told(model, size):
    """The order of the rows changes what is beyond the digits that the warning leaves."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 4)), np.arange(90) % 3
    X[:, 0] += y
    far, order = X.copy(), rng.permutation(90)
    far[17] *= size
    with pytest.warns(ConditionWarning, match="digits of the weakest direction are right. Leave out rows") as heard:
        one, other = clone(model).fit(far, y), clone(model).fit(far[order], y[order])
    digits = min(int(re.search(r"about (\d+) digits", str(warning.message))[1]) for warning in heard)
    answer = "predict_proba" if isinstance(model, LDA) else "transform"
    apart = np.abs(getattr(one, answer)(X) - getattr(other, answer)(X)).max()
    assert apart < 10.0 ** (1 - digits)
