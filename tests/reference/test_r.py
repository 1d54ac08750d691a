"""Results computed with R 4.2.2 (stats; MASS 7.3-58.2), up to sign."""

import csv
import json

import numpy as np
import pytest
from refs import unshipped
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from tables import LIFECYCLE, USARRESTS

from eigenlens import CCA, LDA, PCA
from eigenlens.moments import Cross


def same_up_to_sign(found, expected, tolerance):
    """Compare columns."""
    expected = np.asarray(expected)
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore:The first component is column")
def test_prcomp_usarrests():
    model = PCA().fit(USARRESTS)
    sdev = [83.73240024640165, 14.212401849181347, 6.489426072877231, 2.482790000012727]
    rotation = [
        [0.041704320628287196, -0.044821656269670065, 0.07989065942081089, -0.9949217312469785],
        [0.995221281426497, -0.05876002785722298, -0.06756973508380429, 0.038938297635160025],
        [0.04633574611971076, 0.9768574799098895, -0.20054628735386532, -0.05816914305893181],
        [0.07515550058554683, 0.20071806645033677, 0.9740805921824919, 0.07232501963760986],
    ]
    scores = [
        [64.80216368174361, -11.448007397783664, -2.4949328403836573, -2.407900933754863],
        [92.82745015669464, -17.98294270067179, 20.126574873597747, 4.094047030530415],
    ]
    np.testing.assert_allclose(np.sqrt(model.explained_variance_), sdev, rtol=1e-12)
    same_up_to_sign(model.components_.T, rotation, 1e-12)
    same_up_to_sign(model.transform(USARRESTS[:2]), scores, 1e-12)


def test_prcomp_usarrests_scaled():
    model = PCA(ddof=0).fit(StandardScaler().fit_transform(USARRESTS))
    sdev = [1.5748782743912282, 0.99486941481776425, 0.59712911550252645, 0.41644938195396003]
    rotation = [
        [-0.53589947493815537, -0.41818086542095462, 0.34123272795282827, 0.64922780434194438],
        [-0.58318363490967051, -0.18798560423193905, 0.26814842783288551, -0.74340747993670953],
        [-0.27819087461943315, 0.872806193060425, 0.37801579308699945, 0.13387773082424781],
        [-0.54343209144568294, 0.16731863540174563, -0.81777790762616576, 0.089024322703624426],
    ]
    np.testing.assert_allclose(np.sqrt(model.explained_variance_), sdev, rtol=1e-12)
    same_up_to_sign(model.components_.T, rotation, 1e-12)


def test_mass_lda_iris():
    X, y = load_iris(return_X_y=True)
    model = LDA().fit(X, y)
    scaling = [
        [0.82937764226600619, -0.024102148876952112],
        [1.534473067700012, -2.16452123465844],
        [-2.2012116555617731, 0.93192121002937167],
        [-2.8104603088431039, -2.8391878529827346],
    ]
    scores = [[8.061799783002677, -0.30042062137878167], [7.128687720699469, 0.7866604257258292]]
    posterior = [
        [1, 3.8963579276864796e-22, 2.6111682749481194e-42],
        [1, 7.21796991863852e-18, 5.042143345883715e-37],
    ]
    same_up_to_sign(model.scalings_, scaling, 1e-12)
    same_up_to_sign(model.transform(X[:2]), scores, 1e-12)
    np.testing.assert_allclose(model.predict_proba(X[:2]), posterior, rtol=1e-9)
    np.testing.assert_allclose(
        model.explained_variance_ratio_, [0.99121260496536723, 0.0087873950346327879], rtol=1e-12
    )
    # MASS's svd is the root of the ratio of mean squares: between (K − 1) over within (n − K)
    roots = np.sqrt(model.spectrum_.values * len(X) / 2)
    np.testing.assert_allclose(roots, [48.6426438022589, 4.5799827109712865], rtol=1e-12)
    assert np.mean(model.predict(X) != y) == pytest.approx(0.02)


def test_cancor_lifecycle():
    X, Y = LIFECYCLE[:, 1:3], LIFECYCLE[:, [0, 3, 4]]
    model = CCA().fit(X, Y)
    xcoef = [[-0.0091108562292218486, -0.03622206048674606], [0.04864751375024487, -0.260311581574807]]
    ycoef = [
        [0.0084710221368642143, 0.033379355879616837],
        [0.0001307398019593922, -7.5882316273524165e-05],
        [0.0041705999975253693, -0.012267896418041817],
    ]
    np.testing.assert_allclose(model.correlations_, [0.82479661124741621, 0.36527615148513809], rtol=1e-13)
    # cancor's variates have sum of squares 1, ours variance 1
    same_up_to_sign(model.x_weights_ / np.sqrt(len(X) - 1), xcoef, 1e-12)
    same_up_to_sign(model.y_weights_ / np.sqrt(len(X) - 1), ycoef, 1e-12)


def test_anova_mlm_lifecycle():
    """R's anova(lm(Y ~ 1), lm(Y ~ X), test = …): the statistic, its F and the degrees of freedom."""
    expected = {
        "wilks": (0.27705263702351, 13.497719993549, 6, 90, 7.3003482686708e-11),
        "pillai": (0.81371611676901, 10.517702072410, 6, 92, 7.3013205147496e-09),
        "lawley-hotelling": (2.2817996463623, 16.733197406657, 6, 88, 8.6878158058286e-13),
    }
    for X, Y in ((LIFECYCLE[:, 1:3], LIFECYCLE[:, [0, 3, 4]]), (LIFECYCLE[:, [0, 3, 4]], LIFECYCLE[:, 1:3])):
        model = CCA().fit(X, Y)
        for method, figures in expected.items():
            test = model.test_dimension(method=method)
            found = [test.statistics[name][0] for name in (method.replace("-", "_"), "F", "df1", "df2")]
            np.testing.assert_allclose([*found, test.p_values[0]], figures, rtol=1e-9)
        roy = model.test_dimension(method="roy").statistics
        found = [roy[name][0] for name in ("roy", "F", "df1", "df2")]
        np.testing.assert_allclose(found, [2.1278292185419, 32.626714684309, 3, 46], rtol=1e-11)


def test_hotelling_1936_from_a_correlation_matrix():
    R = [
        [1, 0.6328, 0.2412, 0.0586],
        [0.6328, 1, -0.0553, 0.0655],
        [0.2412, -0.0553, 1, 0.4248],
        [0.0586, 0.0655, 0.4248, 1],
    ]
    model = CCA().fit_moments(Cross.from_covariance(R, split=2, weight=140))
    np.testing.assert_allclose(model.correlations_, [0.3945059220249314, 0.0688478668552326], rtol=1e-10)
    same_up_to_sign(
        model.x_weights_, [[-1.2568447439508696, 0.29701768129852585], [1.0253166844046888, 0.78524130691288474]], 1e-10
    )
    same_up_to_sign(
        model.y_weights_,
        [[-1.1044721794510104, -0.018180091476534904], [0.45272157726522255, 1.0075874574377397]],
        1e-10,
    )


def vowels(part):
    with open(unshipped("vowel_lda_qda") / "data.csv") as lines:
        rows = [row for row in csv.DictReader(lines) if row["split"] == part]
    columns = [f"x.{j}" for j in range(1, 11)]
    return np.array([[float(row[c]) for c in columns] for row in rows]), np.array([int(row["y"]) for row in rows])


def test_manova_vowel():
    """R's summary(manova(x ~ y), test = …) of the eleven vowels: the statistic, its F and the degrees of freedom."""
    expected = {
        "wilks": (0.0317037868682, 22.6013456936, 100, 3648.99350376),
        "pillai": (2.03934241132, 13.2443835815, 100, 5170),
        "lawley-hotelling": (7.21428486543, 36.51870998879, 100, 5062),
        "roy": (4.05199401947, 209.488090806, 10, 517),
    }
    model = LDA().fit(*vowels("train"))
    for method, figures in expected.items():
        found = model.test_dimension(method=method).statistics
        names = (method.replace("-", "_"), "F", "df1", "df2")
        np.testing.assert_allclose([found[name][0] for name in names], figures, rtol=1e-10)


def test_mass_lda_vowel_at_every_rank():
    expected = json.loads((unshipped("vowel_lda_qda") / "expected.json").read_text())["lda"]
    (X, y), (Z, z) = vowels("train"), vowels("test")
    model = LDA().fit(X, y)
    same_up_to_sign(model.scalings_, expected["scaling_p_by_dim"], 1e-10)
    assert np.mean(model.predict(X) != y) == pytest.approx(expected["train_error"])
    assert model.predict(Z).tolist() == expected["test_class"]
    np.testing.assert_allclose(model.predict_proba(Z[:15]), expected["test_posterior_first_rows"], rtol=1e-8)
    errors = [np.mean(LDA(k).fit_moments(model.moments_).predict(Z) != z) for k in range(1, 11)]
    np.testing.assert_allclose(errors, expected["test_error_by_dimension"], rtol=1e-12)
