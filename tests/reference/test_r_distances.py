"""Scaling, additive constants and Schoenberg transforms, computed with R 4.2.2 (stats; vegan 2.6-4), up to sign."""

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from refs import figures, unshipped
from scipy.spatial.distance import pdist
from test_r import same_up_to_sign

from eigenlens import ClassicalMDS
from eigenlens.distances import Exponential, Logarithm, Power, cailliez, lingoes

spec = importlib.util.spec_from_file_location("city_maps", Path(__file__).parents[2] / "examples" / "city_maps.py")
city_maps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(city_maps)
ROADS = city_maps.european_roads()[1]


def test_cmdscale_eurodist():
    mds = ClassicalMDS(metric="precomputed").fit(ROADS)
    np.testing.assert_allclose(mds.eigenvalues_, [19538377.089542832, 11856555.334001094], rtol=1e-12)
    np.testing.assert_allclose(mds.goodness_of_fit_, [0.75375431550798377, 0.86791342964782314], rtol=1e-12)
    athens_barcelona = [[2290.2746796314523, 1798.8029280852843], [-825.38279035333289, 546.81147998193478]]
    signs = np.sign(mds.embedding_[0] * athens_barcelona[0])
    np.testing.assert_allclose(mds.embedding_[:2] * signs, athens_barcelona, rtol=1e-11)


def test_cmdscale_eurodist_with_cailliez_constant():
    mds = ClassicalMDS(metric="precomputed", correction="cailliez").fit(ROADS)
    assert mds.additive_constant_ == pytest.approx(2132.6784951979516, rel=1e-12)
    np.testing.assert_allclose(mds.eigenvalues_, [42271880.800571151, 29539104.213813014], rtol=1e-11)
    athens_barcelona = [[-2683.2195822804106, 3149.7539396310767], [1448.3278544949608, 734.877260417594]]
    signs = np.sign(mds.embedding_[0] * athens_barcelona[0])
    np.testing.assert_allclose(mds.embedding_[:2] * signs, athens_barcelona, rtol=1e-10)


@pytest.mark.parametrize(
    ("transform", "unit", "values", "fit"),
    [
        (
            Power(0.5),
            1.0,
            [4925.404551589667, 3596.585376543504, 1722.7106841911955],
            [0.6429093074471687, 0.6612388575070082],
        ),
        (
            Power(0.3),
            1.0,
            [167.84713335143726, 129.04053884944113, 89.04489319904647],
            [0.4986074108804828, 0.4993968157629234],
        ),
        (
            Exponential(1e-6),
            1e-6,
            [1.8367898846214608, 1.4785154120195954, 1.140953711885122],
            [0.5528005673478066, 0.587181989474122],
        ),
        (
            Logarithm(1e6),
            1.0,
            [3.9455031163671057, 2.8247825964403437, 1.8505149732396822],
            [0.6691766552501812, 0.7168423829081029],
        ),
    ],
    ids=["root", "power", "exponential", "logarithm"],
)
def test_cmdscale_of_transformed_roads(transform, unit, values, fit):
    mds = ClassicalMDS(3, metric="precomputed", schoenberg=transform).fit(ROADS)
    np.testing.assert_allclose(mds.eigenvalues_ * unit, values, rtol=1e-11)
    np.testing.assert_allclose(mds.goodness_of_fit_, fit, rtol=1e-11)


@pytest.mark.parametrize("folder", ["mds_eurodist", "schoenberg_eurodist"])
def test_whole_maps_of_the_roads(folder):
    expected = figures(folder)
    if folder == "mds_eurodist":
        same_up_to_sign(ClassicalMDS(metric="precomputed").fit_transform(ROADS), expected["points"], 1e-9)
        corrected = ClassicalMDS(metric="precomputed", correction="cailliez").fit(ROADS)
        same_up_to_sign(corrected.embedding_, expected["add_points"], 1e-9)
        np.testing.assert_allclose(corrected.goodness_of_fit_, expected["add_GOF"], rtol=1e-9)
        return
    names = ("sqrt_d", "d_power_0.3", "sqrt_one_minus_exp_d2_over_1e6", "sqrt_log1p_d2_over_1e6")
    transforms = (Power(0.5), Power(0.3), Exponential(1e-6), Logarithm(1e6))
    for name, transform, unit in zip(names, transforms, (1, 1, 1e-3, 1), strict=True):
        mds = ClassicalMDS(3, metric="precomputed", schoenberg=transform).fit(ROADS)
        same_up_to_sign(mds.embedding_ * unit, expected[name]["points3"], 1e-9)


def test_vegan_dune():
    """wcmdscale with weights, and both additive constants, on Bray–Curtis dissimilarities."""
    folder = unshipped("wmds_dune")
    expected = json.loads((folder / "expected.json").read_text())
    rows = np.genfromtxt(folder / "data.csv", delimiter=",", skip_header=1)
    D = np.array(expected["bray_curtis"])
    weight = np.array(expected["weights"])
    for model, given in ((ClassicalMDS(4, metric="precomputed"), D), (ClassicalMDS(4, metric="braycurtis"), rows)):
        mds = model.fit(given, sample_weight=weight)
        np.testing.assert_allclose(mds.eigenvalues_, expected["weighted"]["eig"][:4], rtol=1e-9)
        same_up_to_sign(mds.embedding_, expected["weighted"]["points"], 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = ClassicalMDS(19, metric="precomputed").fit(D, sample_weight=weight)
    np.testing.assert_allclose(every.goodness_of_fit_, expected["weighted"]["GOF"], rtol=1e-9)
    same_up_to_sign(
        ClassicalMDS(metric="precomputed").fit_transform(pdist(rows, "braycurtis")),
        expected["unweighted"]["points2"],
        1e-9,
    )
    for repair in (lingoes, cailliez):
        name = repair.__name__
        assert repair(D**2).constant == pytest.approx(expected[name]["ac"], rel=1e-9)
        mds = ClassicalMDS(4, metric="precomputed", correction=name).fit(D)
        np.testing.assert_allclose(mds.eigenvalues_, expected[name]["eig"][:4], rtol=1e-9)
