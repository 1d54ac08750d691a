"""Tests of dimension reached through the methods: theory against theory, permutations, maps."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_linnerud
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import CCA, FDA, LDA, PCA, PDA, SAVE, SIR, ClassicalMDS, LocalizedSIR, SparsePCA
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.inference import bootstrap, wilks
from eigenlens.regress import PolynomialRegression

X, y = load_iris(return_X_y=True)
METHODS = ("wilks", "bartlett", "pillai", "lawley-hotelling", "roy")


@pytest.mark.parametrize("method", METHODS)
def test_lda_is_cca_with_the_indicator(method):
    indicator = (y[:, None] == np.arange(2)).astype(float)
    one, two = LDA().fit(X, y).test_dimension(method=method), CCA().fit(X, indicator).test_dimension(method=method)
    np.testing.assert_allclose(one.p_values, two.p_values, rtol=1e-8)
    for name, values in two.statistics.items():
        np.testing.assert_allclose(one.statistics[name], values, rtol=1e-8)


def test_manova_of_iris_is_the_published_one():
    """Figures printed by R's summary(manova(... ~ Species, iris), test = ...)."""
    model = LDA().fit(X, y)
    expected = {
        "wilks": (0.023438631, 199.14534),
        "pillai": (1.1918988, 53.466489),
        "lawley-hotelling": (32.47732, 580.5321),
    }
    for method, (value, F) in expected.items():
        found = model.test_dimension(method=method).statistics
        assert found[method.replace("-", "_")][0] == pytest.approx(value, rel=1e-7)
        assert found["F"][0] == pytest.approx(F, rel=1e-7)
    assert model.test_dimension(method="roy").statistics["roy"][0] == pytest.approx(32.191929, rel=1e-7)


@pytest.mark.parametrize("method", ["wilks", "pillai", "lawley-hotelling", "roy"])
def test_statsmodels_agrees(method):
    import statsmodels.multivariate.cancorr as cancorr

    names = {
        "wilks": "Wilks' lambda",
        "pillai": "Pillai's trace",
        "lawley-hotelling": "Hotelling-Lawley trace",
        "roy": "Roy's greatest root",
    }
    theirs = cancorr.CanCorr(X[:, :2], X[:, 2:]).corr_test().stats_mv.loc[names[method]]
    ours = CCA().fit(X[:, :2], X[:, 2:]).test_dimension(method=method)
    key = method.replace("-", "_")
    assert ours.statistics[key][0] == pytest.approx(float(theirs["Value"]), rel=1e-6)
    if method in ("wilks", "pillai"):
        assert ours.statistics["F"][0] == pytest.approx(float(theirs["F Value"]), rel=1e-6)


@pytest.mark.parametrize(("A", "B"), [(X[:, :2], X[:, 2:]), load_linnerud(return_X_y=True)], ids=["iris", "linnerud"])
def test_statsmodels_agrees_on_every_pair(A, B):
    """Tables of the same width: with others its degrees of freedom change when the tables change places."""
    import statsmodels.multivariate.cancorr as cancorr

    theirs, ours = cancorr.CanCorr(A, B).corr_test().stats, CCA().fit(A, B).test_dimension()
    for name, column in (("wilks", "Wilks' lambda"), ("F", "F Value"), ("df1", "Num DF"), ("df2", "Den DF")):
        np.testing.assert_allclose(ours.statistics[name], theirs[column].astype(float), rtol=1e-7)
    np.testing.assert_allclose(ours.p_values, theirs["Pr > F"].astype(float), rtol=1e-6)


def test_the_test_does_not_depend_on_rank_priors_or_weights_of_the_rule():
    plain = LDA().fit(X, y).test_dimension().p_values
    for other in (LDA(1), LDA(priors=[0.2, 0.3, 0.5]), LDA(within="equal", between="equal"), PDA(lam=0)):
        np.testing.assert_allclose(other.fit(X, y).test_dimension().p_values, plain, rtol=1e-8)
    np.testing.assert_allclose(LDA().fit(X, y).test_dimension(method="wilks").p_values, plain)
    times = np.arange(150) % 3 + 1
    np.testing.assert_allclose(
        LDA().fit(X, y, times).test_dimension().p_values,
        LDA().fit(np.repeat(X, times, axis=0), np.repeat(y, times)).test_dimension().p_values,
        rtol=1e-8,
    )


@pytest.mark.parametrize(
    "model",
    [LDA(), LDA(shrinkage=0.3), LDA(shrinkage="oas"), PDA(), FDA(regressor=PolynomialRegression(2)), CCA(ridge=0.1)],
    ids=repr,
)
def test_permutations_find_what_is_there_and_nothing_else(model):
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 3
    A = rng.standard_t(3, (120, 4))
    A[:, 0] += 4.0 * (labels == 0)
    target = (
        labels if not isinstance(model, CCA) else np.column_stack([labels == 0, rng.standard_normal((120, 2))]) + 0.0
    )
    options = {} if isinstance(model, FDA) else {"method": "permutation"}
    found = model.fit(A, target).test_dimension(A, target, n_draws=99, **options)
    assert found.dimension == 1
    np.testing.assert_array_equal(found.p_values, model.test_dimension(A, target, n_draws=99, **options).p_values)
    apart = rng.permutation(A)
    noise = model.fit(apart, target).test_dimension(apart, target, alpha=0.01, n_draws=99, **options)
    assert noise.dimension == 0


def minus_log_lambda(model):
    """Return −log Λ, Wilks' statistic, of the correlations of a fit."""
    return -np.log1p(-(model.canonical_correlations_**2)).sum()


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (PDA(), 4),
        (PDA(cost=2.0), 4),
        (PDA(df=2.5), 4),
        (PDA(lam=3.0), 4),
        (PDA(penalty="smooth"), 40),
        (PDA(), 40),
        (PDA(lam=30.0), 40),
    ],
    ids=repr,
)
def test_a_draw_is_the_model_fitted_to_moved_rows(model, columns):
    """Also its λ is chosen again: with that of the fit the test rejects more often than it says."""
    rng = np.random.default_rng(0)
    A, labels = rng.standard_normal((30, columns)), np.arange(30) % 3
    found = model.fit(A, labels).test_dimension(A, labels, n_draws=19, random_state=5)
    np.testing.assert_allclose(found.statistics["statistic"][0], minus_log_lambda(model), rtol=1e-6)
    moves = np.random.default_rng([5, 0])
    fits = [clone(model).fit(A[moves.permutation(30)], labels) for _ in range(19)]
    null = np.array([minus_log_lambda(fit) for fit in fits])
    np.testing.assert_allclose(found.statistics["bar"][0], np.quantile(null, 0.95), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_correlations_of_1_tie_in_all_permutations(seed):
    """Nine rows of five and five columns have two correlations of 1 in any order: rounding must not compare them."""
    X, Y = np.random.default_rng(seed).standard_normal((2, 9, 5))
    model = CCA().fit(X, Y)
    found = model.test_dimension(X, Y, method="permutation", n_draws=49)
    whole, less, rest = found.statistics["statistic"][:3]
    np.testing.assert_allclose(whole - less, less - rest, rtol=1e-12)
    moves = np.random.default_rng([0, 0])
    fits = [CCA().fit(X[moves.permutation(9)], Y) for _ in range(49)]
    null = np.array([-np.log1p(-(fit.correlations_[2:] ** 2)).sum() for fit in fits])
    assert found.p_values[0] == pytest.approx((1 + np.sum(null >= rest)) / 50)


@pytest.mark.parametrize("model", [LDA(shrinkage=0.3), PDA(), PDA(df=2.5)], ids=repr)
@pytest.mark.parametrize("unit", [1e-180, 1e180])
@pytest.mark.filterwarnings("ignore:lam_ cannot be represented")
def test_permutations_know_no_units(model, unit):
    plain = model.fit(X, y).test_dimension(X, y, n_draws=19)
    far = X * unit
    scaled = model.fit(far, y).test_dimension(far, y, n_draws=19)
    np.testing.assert_array_equal(scaled.p_values, plain.p_values)


def test_permutation_agrees_with_normal_theory_on_normal_data():
    rng = np.random.default_rng(1)
    A, B = rng.standard_normal((200, 4)), rng.standard_normal((200, 3))
    B[:, 0] += 0.35 * A[:, 0]
    model = CCA().fit(A, B)
    theory, drawn = (model.test_dimension(A, B, method=m, n_draws=999) for m in ("pillai", "permutation"))
    np.testing.assert_allclose(drawn.p_values, theory.p_values, atol=0.05)


def test_penalties_leave_permutations_only_and_say_so():
    for model in (LDA(shrinkage=0.2), PDA(lam=3.0)):
        assert model.fit(X, y).test_dimension(X, y, n_draws=19).method == "permutation"
        with pytest.raises(InputError, match="use method='permutation'"):
            model.test_dimension(method="wilks")
    with pytest.raises(InputError, match="method="):
        FDA(regressor=PolynomialRegression(1)).fit(X, y).test_dimension(method="wilks")
    with pytest.raises(
        InputError, match=r"a model keeps none: pass them, test_dimension\(X, y, method='permutation'\)"
    ):
        PDA().fit_moments(PDA().fit(X, y).moments_).test_dimension()
    with pytest.raises(InputError, match="n=10 rows are too few"):
        LDA().fit(np.random.default_rng(0).standard_normal((10, 8)), np.arange(10) % 2).test_dimension()
    with pytest.raises(InputError, match=r"correlations holds 1\.2"):
        wilks([1.2], 10, 2, 1)


def test_auto_is_what_the_test_finds():
    rng = np.random.default_rng(2)
    labels = np.arange(300) % 4
    A = rng.standard_normal((300, 6))
    A[:, 0] += labels
    assert LDA("auto").fit(A, labels).scalings_.shape == (6, 1)
    assert LDA("auto").fit(A, labels).test_dimension().dimension == 1
    assert SIR("auto").fit(A, A[:, 1] + 0.1 * A[:, 2]).components_.shape[0] == 1
    assert SIR("auto").partial_fit(A, A[:, 1] + 0.1 * A[:, 2]).components_.shape[0] == 1
    assert SAVE("auto").fit(A, A[:, 1] ** 2).components_.shape[0] == 1
    assert CCA("auto").fit(
        A, A[:, :2] @ rng.standard_normal((2, 3)) + rng.standard_normal((300, 3))
    ).correlations_.shape == (2,)
    with pytest.raises(InputError, match="n_components='auto'"):
        LDA("auto", shrinkage=0.1).fit(A, labels)


def test_localized_sir_finds_its_number_of_directions():
    rng = np.random.default_rng(8)
    A = rng.standard_normal((400, 5))
    b = A[:, 0] ** 2 - A[:, 1] ** 2 + 0.2 * rng.standard_normal(400)
    model = LocalizedSIR("auto", n_slices=5, n_neighbors=20).fit(A, b)
    assert model.components_.shape == (2, 5)
    np.testing.assert_allclose(
        model.components_, LocalizedSIR(2, n_slices=5, n_neighbors=20).fit(A, b).components_, atol=1e-12
    )
    c = b[::-1]
    assert LocalizedSIR(n_slices=5).fit(A, c).test_dimension(A, c).dimension == 0
    hidden = np.where(np.arange(400) % 4 == 0, np.nan, A[:, 0] ** 2)
    assert LocalizedSIR("auto", n_slices=5, n_neighbors=20).fit(A, hidden).components_.shape == (1, 5)
    with pytest.raises(InputError, match="n_components='auto'"):
        LocalizedSIR("auto").fit_moments(model.moments_)
    with pytest.raises(InputError, match="n_components='auto'"):
        LocalizedSIR("auto", ridge=1.0).fit(A, b)
    assert LocalizedSIR("auto").fit(A[:, :1], b).components_.shape == (1, 1)


def test_maps():
    rng = np.random.default_rng(4)
    A = rng.standard_normal((60, 8)) * np.array([5.0, 3.0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3])
    mds = ClassicalMDS().fit(A)
    test = mds.test_dimension(A)
    assert test.dimension == 2
    np.testing.assert_allclose(test.statistics["eigenvalue"][:2], mds.eigenvalues_, rtol=1e-8)
    D = np.linalg.norm(A[:, None] - A, axis=2)
    np.testing.assert_allclose(
        ClassicalMDS(metric="precomputed").fit(D).test_dimension(D).statistics["eigenvalue"][:8],
        test.statistics["eigenvalue"][:8],
    )
    noise = 0.3 * rng.standard_normal((60, 60))
    bent = np.abs(D + noise + noise.T)
    np.fill_diagonal(bent, 0)
    assert ClassicalMDS(metric="precomputed").fit(bent).test_dimension(bent, method="negative-inertia").dimension == 2
    result = bootstrap(mds, A, n_boot=200)
    assert result.components.shape == (200, 2, 60)
    assert result.blocks == [(0, 1)]
    assert result.standard_error.max() < 2.0
    assert str(result).startswith("Points of the map move by")
    assert result.to_frame().index.names == ["component", "row"]


def test_sparse_loadings_take_part():
    rng = np.random.default_rng(5)
    f = rng.standard_normal((200, 2))
    A = np.repeat(f * np.array([2.0, 1.2]), 3, axis=1) + 0.5 * rng.standard_normal((200, 6))
    result = bootstrap(SparsePCA(2, n_nonzero=3), A, n_boot=200)
    assert ((result.low[0, :3] > 0) | (result.high[0, :3] < 0)).all()
    np.testing.assert_allclose(result.components[:, 0, 3:], 0, atol=1e-12)
    np.testing.assert_allclose(bootstrap(PCA(2), A, n_boot=200).estimate.shape, (2, 6))


@pytest.mark.parametrize(
    ("model", "target"),
    [(PCA(2), False), (LDA(), True), (PDA(), True), (SIR(), True), (SAVE(), True), (LocalizedSIR(1), True)],
    ids=lambda value: repr(value),
)
@pytest.mark.filterwarnings("ignore:X is clustered or curved")  # as irises are
def test_a_test_that_needs_rows_is_given_them(model, target):
    """A model keeps no table alive: its own rows, passed again, are all that a test needs."""
    rows = (X * 1.0, y) if target else (X * 1.0,)
    model.fit(*rows)
    names = r"X, y" if target else "X"
    with pytest.raises(InputError, match=rf"a model keeps none: pass them, test_dimension\({names}, method="):
        model.test_dimension(method="permutation", n_draws=19)
    assert model.test_dimension(*rows, method="permutation", n_draws=19).dimension >= 1


def test_the_last_step_of_a_pipeline_is_given_its_rows():
    scaler = StandardScaler()
    lda = make_pipeline(scaler, LDA()).fit(X, y)[-1]
    assert lda.test_dimension(scaler.transform(X), y, method="permutation", n_draws=19).dimension == 2


def test_a_test_is_that_of_the_rows_it_is_given():
    """Moments of other rows than those of the fit pose the same question of them."""
    half = slice(None, None, 2)
    np.testing.assert_allclose(
        LDA().fit(X, y).test_dimension(X[half], y[half]).p_values,
        LDA().fit(X[half], y[half]).test_dimension().p_values,
        rtol=1e-10,
    )
    with pytest.raises(InputTypeError, match=r"the first argument is X; write alpha=0\.01"):
        LDA().fit(X, y).test_dimension(0.01)
    with pytest.raises(ValueError, match="3 features"):
        LDA().fit(X, y).test_dimension(X[:, :3], y)


@pytest.mark.parametrize("model", [LDA(shrinkage="cv"), PDA(penalty="smooth")], ids=repr)
def test_permutations_of_as_many_columns_as_rows_end_in_an_answer(model):
    rng = np.random.default_rng(3)
    y = np.arange(25) % 3
    X = rng.standard_normal((25, 40)) + 1.5 * np.eye(3, 40)[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test = model.fit(X, y).test_dimension(X, y, n_draws=39)
    assert ((test.p_values > 0) & (test.p_values <= 1)).all()
