"""Rotations of principal components, beside R's (stats 4.2.2, GPArotation 2022.10).

`rotations.json` holds loadings of scaled components (`prcomp`) of tables of R and MASS, and what R makes of them when
it runs to convergence: `varimax(A, eps = 1e-15)`, `promax` of that, `oblimin(A, eps = 1e-9, maxit = 3000)`.
"""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from eigenlens import PCA
from eigenlens.exceptions import InputError
from eigenlens.moments import Scatter
from eigenlens.solve.rotation import rotation_matrix

# loadings of three scaled components of R's table `swiss`, and what R makes of them
LOADINGS = np.array([
    [-0.8174532480356128, 0.35104167241107537, -0.1599792819450641],
    [-0.7588283979767124, -0.44858868393040535, 0.035302349416488236],
    [0.9118030384719371, 0.13628018110500065, -0.08399797282841161],
    [0.812666982195085, 0.1951810469875631, 0.49015163600960315],
    [-0.6262740687786666, 0.15901552758972573, 0.7427908395188398],
    [-0.2677219346647401, 0.8842467523442128, -0.1474030843645847],
])  # fmt: skip
VARIMAX = np.array([
    [-0.6283360387926037, 0.5911813076296235, 0.2697256439579752],
    [-0.7833570038829222, -0.21597648050237309, 0.3435179254973765],
    [0.78134050213697, -0.10531543244785511, -0.4852096532187097],
    [0.9527731359507675, -0.16065439506279403, 0.07200977776432302],
    [-0.16783626632368986, 0.1432605309852385, 0.9594533790032106],
    [0.028640809378687557, 0.9322803025259598, 0.07299427492858798],
])  # fmt: skip
RAW_VARIMAX = np.array([
    [-0.6360125291160451, 0.5643938251265728, 0.30659600798314907],
    [-0.7578124613384338, -0.24873903266964406, 0.37702489024916497],
    [0.760813967921897, -0.07078075586195527, -0.5226518142917896],
    [0.96034055549677, -0.12603834256426977, 0.02514448265375474],
    [-0.12733823840808023, 0.12606121268836454, 0.968058325829076],
    [-0.0019699557040254723, 0.9318143079413115, 0.08374507389984873],
])  # fmt: skip
PROMAX = np.array([
    [-0.5895496004428821, 0.5091708006761897, 0.1058974164735727],
    [-0.7712515636578909, -0.3307771822625648, 0.18640705653303755],
    [0.7025323052525073, 0.014241721310576924, -0.33565597126467384],
    [1.1049368423045074, -0.05773620320606911, 0.3612701622777291],
    [0.17564068374517444, 0.0643928171448319, 1.0572476505012112],
    [0.09817592194655306, 0.9427338485006902, 0.04771254128971434],
])  # fmt: skip
OBLIMIN = np.array([
    [-0.6045373081557961, 0.5077171950922464, 0.17598226518644233],
    [-0.7396903203106808, -0.3228871170531238, 0.26330422363282124],
    [0.7108984049737566, 0.010169281707092293, -0.40117875949131],
    [1.0119090518461342, -0.0648079345416773, 0.2137511573903642],
    [0.0320748517451831, 0.060898524088399075, 0.9858441704311164],
    [0.03364181324560028, 0.9326948761511047, 0.045678095325981494],
])  # fmt: skip
RAW_QUARTIMAX = np.array([
    [-0.700877343882661, 0.5336583993457821, 0.2025662873838596],
    [-0.7963418119074498, -0.28456546096353474, 0.2513181605758167],
    [0.8365084493050737, -0.03324214843569913, -0.39517249648293007],
    [0.9487817521928172, -0.08459737603158048, 0.17728046144631343],
    [-0.28483572133796864, 0.11198067877837745, 0.9357202134946859],
    [-0.05632186242641429, 0.9300905349121186, 0.08399087624153462],
])  # fmt: skip

OF_R = json.loads((Path(__file__).parents[1] / "reference" / "rotations.json").read_text())

METHODS = ("varimax", "quartimax", "promax", "oblimin")
rng = np.random.default_rng(0)
X = np.repeat(rng.standard_normal((200, 2)), 3, axis=1) + 0.5 * rng.standard_normal((200, 6))


def apart(ours, theirs):
    """Return the largest difference, whatever the order and signs of the factors."""
    k = ours.shape[1]
    turned = (
        ours[:, order] * np.sign((ours[:, order] * theirs).sum(axis=0)) for order in map(list, permutations(range(k)))
    )
    return min(np.abs(L - theirs).max() for L in turned)


@pytest.mark.parametrize(
    ("method", "normalize", "theirs", "tolerance"),
    [
        ("varimax", True, VARIMAX, 1e-8),
        ("varimax", False, RAW_VARIMAX, 1e-8),
        ("promax", True, PROMAX, 1e-4),  # by default, R's varimax within it stops early; see OF_R
        ("oblimin", False, OBLIMIN, 1e-7),
        ("quartimax", False, RAW_QUARTIMAX, 1e-7),
    ],
)
def test_as_in_r(method, normalize, theirs, tolerance):
    R = rotation_matrix(LOADINGS, method, normalize)
    assert apart(LOADINGS @ R, theirs) < tolerance


@pytest.mark.parametrize("table", OF_R)
def test_tables_of_r(table):
    """To 1e-6 where R runs to convergence."""
    theirs = {name: np.array(L) for name, L in OF_R[table].items()}
    A = theirs.pop("loadings")
    for name, L in theirs.items():
        method = name.split(",")[0]
        normalize = method != "oblimin" if "," not in name else name.endswith("normalised")
        R = rotation_matrix(A, method, normalize)
        assert apart(A @ R, L) < 1e-6, name


def test_promax_of_a_settled_varimax_is_that_of_r():
    target = VARIMAX * np.abs(VARIMAX) ** 3
    U = np.linalg.lstsq(VARIMAX, target, rcond=None)[0]
    U = U * np.sqrt(np.diagonal(np.linalg.inv(U.T @ U)))
    assert apart(LOADINGS @ rotation_matrix(LOADINGS, "promax", True), VARIMAX @ U) < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_loadings_rotation_phi_and_scores_belong_together(method):
    pca = PCA(2, scale=True).fit(X)
    found = pca.rotate(method)
    A = pca.components_.T * np.sqrt(pca.explained_variance_)
    np.testing.assert_allclose(found.loadings, A @ found.rotation, atol=1e-13)
    np.testing.assert_allclose(found.phi, np.linalg.inv(found.rotation.T @ found.rotation), atol=1e-12)
    np.testing.assert_allclose(np.diagonal(found.phi), 1.0, rtol=1e-12)
    F = found.transform(X)
    np.testing.assert_allclose(np.cov(F.T), found.phi, atol=1e-11)
    np.testing.assert_allclose(
        F @ found.loadings.T * pca.scale_ + pca.mean_, pca.inverse_transform(pca.transform(X)), atol=1e-11
    )
    assert (np.diff(found.variance) <= 0).all()
    assert (np.take_along_axis(found.loadings, np.abs(found.loadings).argmax(axis=0)[None], axis=0) > 0).all()
    simple = np.sort(np.abs(found.loadings), axis=1)
    assert (simple[:, 0] < 0.3).all()
    assert (simple[:, 1] > 0.7).all()


def test_rotation_does_not_depend_on_where_it_starts():
    Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    for method, normalize in (("varimax", True), ("oblimin", False)):
        direct, turned = (A @ rotation_matrix(A, method, normalize) for A in (LOADINGS, LOADINGS @ Q))
        assert apart(direct, turned) < 1e-6


def test_one_component_and_given_moments():
    one = PCA(1).fit(X).rotate("oblimin")
    np.testing.assert_allclose(one.rotation, [[1.0]])
    known = PCA(2).fit_moments(Scatter.from_covariance(np.cov(X.T), weight=200))
    np.testing.assert_allclose(known.rotate().loadings, PCA(2).fit(X).rotate().loadings, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_of_factors_that_change_places(method):
    """Both factors explain the same, so that resamples find them in either order."""
    found = PCA(2, scale=True).fit(X).rotate(method)
    result = found.bootstrap(X, n_boot=200)
    assert result.components.shape == (200, 2, 6)
    np.testing.assert_array_equal(result.estimate, found.loadings.T)
    assert (result.standard_error < 0.15).all()
    assert ((result.low <= result.estimate) & (result.estimate <= result.high)).all()
    large = np.abs(found.loadings.T) > 0.7
    assert (result.low[large] > 0.5).all()


def test_intervals_of_correlations_stay_between_minus_one_and_one():
    """Percentiles are too narrow: they hold the population in 93% of tables of 100 rows, these in 95%."""
    loud = X.copy()
    loud[:, 0] = loud[:, 1] + 0.01 * loud[:, 0]
    low_high = []
    for method in ("varimax", "oblimin"):
        result = PCA(2, scale=True).fit(loud).rotate(method).bootstrap(loud, n_boot=200)
        low_high.append((result.low, result.high, result.estimate))
    low, high, estimate = low_high[0]
    assert (low > -1).all()
    assert (high < 1).all()
    np.testing.assert_allclose(np.arctanh(low) + np.arctanh(high), 2 * np.arctanh(estimate), atol=1e-9)
    low, high, estimate = low_high[1]
    np.testing.assert_allclose(low + high, 2 * estimate, atol=1e-12)


def test_what_cannot_be_rotated_is_refused():
    pca = PCA(2).fit(X)
    with pytest.raises(InputError, match="varymax"):
        pca.rotate("varymax")
    with pytest.raises(InputError, match="power"):
        pca.rotate("promax", power=1)
    with pytest.raises(InputError, match="normalize"):
        pca.rotate(normalize="kaiser")
    with pytest.raises(ValueError, match="not fitted"):
        PCA().rotate()


def test_intervals_of_rotated_components_speak_of_factors():
    X = np.random.default_rng(0).standard_normal((60, 5))
    found = PCA(2, scale=True).fit(X).rotate("varimax").bootstrap(X, n_boot=200, random_state=0, progress=False)
    assert found.to_frame().index.names[0] == "factor"
    assert found.plot().ax_.get_title(loc="left").startswith("factor 1:")
