"""Methods fitted to rows with holes by maximum likelihood, and what they say of rows with holes."""

from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
import torch

import eigenlens
from eigenlens import CCA, LDA, PCA, PDA, QDA, SAVE, SIR, DirectionalRegression, open_rows
from eigenlens.exceptions import InputError, MissingWarning
from eigenlens.inference import bootstrap
from eigenlens.moments.completion import fit
from eigenlens.moments.conditional import Conditional
from eigenlens.moments.redrawn import Redrawn

REFERENCE = Path(__file__).parents[1] / "reference"
NAMES = ["a", "b", "c", "d"]


def table(n=240, share=0.2, seed=0):
    """Rows of three classes, whole and with holes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, 4)) + y[:, None] * [2.0, 0.0, 1.0, -1.0] + 10
    H = X.copy()
    H[rng.random(X.shape) < share] = np.nan
    H[np.isnan(H).all(axis=1), 0] = 10.0
    return X, H, y


MODELS = [
    PCA(3, missing="ml"),
    PCA(2, missing="ppca"),
    PCA(0.9, missing="ml", whiten=True),
    LDA(missing="ml"),
    LDA(1, missing="ml"),
    LDA(within="equal", missing="ml"),
    LDA(shrinkage="oas", missing="ml"),
    PDA(lam=2.0, missing="ml"),
    CCA(missing="ml"),
    SIR(2, n_slices=4, missing="ml"),
    SAVE(2, n_slices=3, missing="ml"),
    DirectionalRegression(2, n_slices=3, missing="ml"),
]


def arguments(model, X, y):
    if isinstance(model, PCA):
        return (X,)
    if isinstance(model, CCA):
        return X[:, :2], X[:, 2:]
    return X, y if isinstance(model, LDA | PDA) else np.asarray(y) + np.sin(np.arange(len(X)))


def fresh(model):
    return type(model)(**model.get_params(deep=False))


def new_rows(model, X):
    return X[:, :2] if isinstance(model, CCA) else X


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_table_without_holes_gives_the_fit_without_the_option(model):
    X, _, y = table()
    plain = fresh(model).set_params(missing="refuse").fit(*arguments(model, X, y))
    found = fresh(model).fit(*arguments(model, X, y))
    ours, theirs = (m.transform(new_rows(m, X)) for m in (found, plain))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    if hasattr(plain, "predict_proba"):
        np.testing.assert_allclose(found.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    assert np.isfinite(found.log_likelihood_)
    assert not hasattr(plain, "log_likelihood_")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_parts_merged_and_partial_fits_are_the_whole(model):
    _, H, y = table()
    args = arguments(model, H, y)
    if not isinstance(model, PCA | LDA | PDA | CCA):
        model = fresh(model).set_params(n_slices=[0.5, 1.5])
    whole = fresh(model).fit(*args)
    grown, parts = fresh(model), []
    for start in (0, 80, 160):
        part = [a[start : start + 80] for a in args]
        grown.partial_fit(*part)
        parts.append(fresh(model).fit(*part).moments_)
    merged = fresh(model).fit_moments(parts[0].merge(parts[1]).merge(parts[2]))
    rows = new_rows(model, H)
    for other in (grown, merged):
        np.testing.assert_allclose(other.transform(rows), whole.transform(rows), rtol=1e-6, atol=1e-6)
        assert other.log_likelihood_ == pytest.approx(whole.log_likelihood_, rel=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weight_two_is_the_row_twice(model):
    _, H, y = table(120)
    args = arguments(model, H, y)
    if not isinstance(model, PCA | LDA | PDA | CCA):
        model = fresh(model).set_params(n_slices=[0.5, 1.5])
    w = np.arange(len(H)) % 3
    twice = fresh(model).fit(*(np.repeat(a, w, axis=0) for a in args))
    weighted = fresh(model).fit(*args, sample_weight=w)
    rows = new_rows(model, H)
    np.testing.assert_allclose(weighted.transform(rows), twice.transform(rows), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_model_goes_to_a_file_and_comes_back(model, tmp_path):
    _, H, y = table()
    found = fresh(model).fit(*arguments(model, H, y))
    eigenlens.save(found, tmp_path / "model.eigenlens")
    back = eigenlens.load(tmp_path / "model.eigenlens")
    rows = new_rows(model, H)
    np.testing.assert_array_equal(back.transform(rows), found.transform(rows))
    np.testing.assert_array_equal(back.impute(rows, return_std=True)[1], found.impute(rows, return_std=True)[1])
    assert back.log_likelihood_ == found.log_likelihood_


def test_pca_of_airquality_has_the_covariance_of_lavaan():
    files = [REFERENCE / "airquality.csv", REFERENCE / "airquality_holes.csv"]
    X = np.concatenate([np.genfromtxt(file, delimiter=",", skip_header=1) for file in files])
    pca = PCA(2, ddof=0, missing="ml").fit(X)
    mean = [41.871173019597926, 184.84680624984503, 9.9575163398692812, 77.882352941176464]
    covariance = [
        [1044.0186430644776, 942.52984181323882, -64.635927693698989, 209.56350282618041],
        [942.52984181323882, 8090.7016612067891, -17.335380341311975, 238.07331132702893],
        [-64.635927693698989, -17.335380341311975, 12.330417360844152, -15.172318339100343],
        [209.56350282618041, 238.07331132702893, -15.172318339100343, 89.005767012688921],
    ]
    np.testing.assert_allclose(pca.mean_, mean, rtol=1e-9)
    np.testing.assert_allclose(pca.covariance_, covariance, rtol=1e-9)
    values = np.linalg.eigvalsh(covariance)[::-1]
    np.testing.assert_allclose(pca.explained_variance_, values[:2], rtol=1e-9)


def test_scores_are_expectations_given_the_observed_cells():
    X, H, _ = table()
    pca = PCA(3, missing="ml").fit(H)
    mean, S = pca.mean_, pca.covariance_
    for x, score in zip(H[:40], pca.transform(H[:40]), strict=True):
        o, m = ~np.isnan(x), np.isnan(x)
        full = x.copy()
        full[m] = mean[m] + S[np.ix_(m, o)] @ np.linalg.solve(S[np.ix_(o, o)], x[o] - mean[o])
        np.testing.assert_allclose(score, pca.components_ @ (full - mean), atol=1e-9)
    # and nearer to the scores of the whole rows than those of rows filled with means
    naive = pca.transform(np.where(np.isnan(H), mean, H))
    truth = pca.transform(X)
    assert np.mean((pca.transform(H) - truth) ** 2) < 0.7 * np.mean((naive - truth) ** 2)


def test_log_densities_are_those_of_the_observed_cells():
    _, H, _ = table()
    pca = PCA(2, missing="ml").fit(H)
    S = pca.get_covariance()
    for x, value in zip(H[:20], pca.score_samples(H[:20]), strict=True):
        o = ~np.isnan(x)
        law = scipy.stats.multivariate_normal(pca.mean_[o], S[np.ix_(o, o)])
        assert value == pytest.approx(law.logpdf(x[o]), rel=1e-9)
    low = PCA(2, missing="ppca", ddof=0).fit(H)
    assert low.score_samples(H).sum() == pytest.approx(low.log_likelihood_, rel=1e-9)


@pytest.mark.parametrize("missing", ["ml", "ppca"])
def test_the_likelihood_of_whole_rows_is_that_of_the_model(missing):
    X, _, _ = table()
    pca = PCA(4 if missing == "ml" else 2, missing=missing, ddof=0).fit(X)
    assert pca.score_samples(X).sum() == pytest.approx(pca.log_likelihood_, rel=1e-10)


@pytest.mark.parametrize("model", [LDA(missing="ml"), LDA(priors=[0.2, 0.3, 0.5], missing="ml")], ids=repr)
def test_posteriors_are_what_integration_over_the_missing_cell_gives(model):
    _, H, y = table()
    lda = fresh(model).fit(H, y)
    S, centres = lda.covariance_, lda.means_
    rows = H[np.isnan(H).sum(axis=1) == 1][:15]
    u = np.linspace(-12, 12, 4001)
    for x, posterior, score in zip(rows, lda.predict_proba(rows), lda.transform(rows), strict=True):
        j = int(np.flatnonzero(np.isnan(x))[0])
        grid = np.tile(x, (len(u), 1))
        grid[:, j] = lda.mean_[j] + u * np.sqrt(S[j, j])
        density = np.stack([scipy.stats.multivariate_normal(m, S).pdf(grid) for m in centres], axis=1) * lda.priors_
        mass = density.sum(axis=0)
        np.testing.assert_allclose(posterior, mass / mass.sum(), atol=1e-10)
        z = (grid - lda.mean_) @ lda.scalings_
        np.testing.assert_allclose(score, (density.sum(axis=1) @ z) / mass.sum(), atol=1e-8)


@pytest.mark.parametrize("model", [LDA(1, missing="ml"), PDA(lam=3.0, missing="ml"), LDA(shrinkage=0.3, missing="ml")])
def test_the_rule_of_rows_with_holes_is_the_rule_of_whole_rows_where_nothing_is_missing(model):
    X, H, y = table()
    found = fresh(model).fit(H, y)
    np.testing.assert_allclose(found._log_odds(X), found._scores(X, sharp=False), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found._law.mahalanobis(X)[:, 3:6], found.mahalanobis(X), rtol=1e-9)


def test_distances_of_observed_cells():
    _, H, y = table()
    lda = LDA(missing="ml").fit(H, y)
    law = Conditional(lda.means_, lda.covariance_)
    np.testing.assert_allclose(lda.mahalanobis(H), law.mahalanobis(H), rtol=1e-8, atol=1e-9)


def test_far_rows_with_holes_have_posteriors():
    _, H, y = table()
    lda = LDA(missing="ml").fit(H, y)
    far = np.array([[1e9, np.nan, 0.0, 0.0], [np.nan, -1e9, np.nan, 1.0]])
    logs = lda.predict_log_proba(far)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0)


def test_cca_predicts_from_what_is_observed():
    _, H, _ = table()
    cca = CCA(missing="ml").fit(H[:, :2], H[:, 2:])
    S, mean = cca.covariance_, np.concatenate([cca.x_mean_, cca.y_mean_])
    x = np.array([[11.0, np.nan]])
    expected = mean[2:] + S[2:, 0] / S[0, 0] * (11.0 - mean[0])
    np.testing.assert_allclose(cca.predict(x)[0], expected, rtol=1e-8)
    ours, theirs = cca.transform(H[:, :2], H[:, 2:])
    assert np.isfinite(ours).all()
    assert np.isfinite(theirs).all()


def test_imputed_cells_and_their_standard_errors():
    X, H, _ = table(4000)
    pca = PCA(missing="ml").fit(H)
    cells, spread = pca.impute(H, return_std=True)
    holes = np.isnan(H)
    np.testing.assert_array_equal(cells[~holes], H[~holes])
    assert (spread[~holes] == 0).all()
    inside = np.abs(X - cells)[holes] < 1.96 * spread[holes]
    assert 0.92 < inside.mean() < 0.97
    with pytest.raises(ValueError, match="missing='ml'"):
        PCA().fit(X).impute(X)


def test_more_columns_than_rows_by_probabilistic_pca():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 50)) * 3 + 0.1 * rng.standard_normal((30, 50))
    H = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    pca = PCA(2, missing="ppca", ddof=0).fit(H)
    assert pca.noise_variance_ == pytest.approx(0.01, rel=0.3)
    assert np.sqrt(np.mean((pca.impute(H) - X)[np.isnan(H)] ** 2)) < 0.15
    assert pca.score_samples(H).sum() == pytest.approx(pca.log_likelihood_, rel=1e-9)
    with pytest.raises(ValueError, match="missing='ppca'"):
        PCA(2, missing="ml").fit(H)
    with pytest.raises(ValueError, match="whole number"):
        PCA(0.9, missing="ppca").fit(H)


def kinds(X, folder):
    frame = pd.DataFrame(X, columns=NAMES)
    arrow = pa.Table.from_pandas(frame.astype("Float64"))
    frame.to_csv(folder / "empty.csv", index=False)
    frame.to_csv(folder / "dots.csv", index=False, na_rep="none given")
    pq.write_table(arrow, folder / "rows.parquet")
    return {
        "masked": np.ma.masked_invalid(X),
        "pandas NA": frame.astype("Float64"),
        "polars": pl.DataFrame(frame).with_columns(pl.all().fill_nan(None)),
        "arrow": arrow,
        "torch": torch.tensor(X),
        "dask": da.from_array(X, chunks=(50, 4)),
        "csv": open_rows(folder / "empty.csv"),
        "csv with words for holes": open_rows(folder / "dots.csv", na=["none given"]),
        "parquet": open_rows(folder / "rows.parquet"),
    }


@pytest.mark.parametrize(
    "kind", ["masked", "pandas NA", "polars", "arrow", "torch", "dask", "csv", "csv with words for holes", "parquet"]
)
def test_any_table_with_holes_gives_the_same_model(kind, tmp_path):
    _, H, y = table(150)
    rows = kinds(H, tmp_path)[kind]
    labels = da.from_array(y, chunks=50) if kind == "dask" else y
    for model in (
        PCA(2, missing="ml"),
        LDA(missing="ml"),
        QDA(missing="ml"),
        PDA(lam=1.0, missing="ml"),
        SIR(2, n_slices=3, missing="ml"),
        SAVE(2, n_slices=3, missing="ml"),
    ):
        target = [] if isinstance(model, PCA) else [y]
        ours, reference = fresh(model).fit(rows, *[labels for _ in target]), fresh(model).fit(H, *target)
        found, expected = (m.predict_proba if isinstance(m, QDA) else m.transform for m in (ours, reference))
        answer = found(rows)
        answer = np.asarray(answer.compute() if kind == "dask" else answer)
        np.testing.assert_allclose(answer, expected(H), atol=1e-10 * np.abs(expected(H)).max())


def test_columns_are_named_and_blank_rows_counted():
    _, H, y = table()
    frame = pd.DataFrame(H, columns=NAMES)
    blank = frame.copy()
    blank.iloc[:3] = np.nan
    with pytest.warns(MissingWarning, match="3 rows"):
        lda = LDA(missing="ml").fit(blank, y)
    np.testing.assert_allclose(lda.predict_proba(blank[:3]), np.tile(lda.priors_, (3, 1)))
    frame["c"], frame["a"] = np.nan, 1.0 * np.arange(len(frame))
    for model in (PCA(missing="ml"), LDA(missing="ml"), SAVE(missing="ml", n_slices=3)):
        with pytest.raises(ValueError, match="column 'c'"):
            model.fit(frame, *(() if isinstance(model, PCA) else (y,)))
    with pytest.raises(ValueError, match="'c of X'"):
        CCA(missing="ml").fit(frame, H[:, :2])
    never = pd.DataFrame(H, columns=NAMES)
    never["c"] = np.arange(len(H)) ** 0.5
    never.loc[::2, "a"], never.loc[1::2, "b"] = np.nan, np.nan
    with pytest.raises(ValueError, match="'a' and 'b'"):
        PCA(missing="ml").fit(never)


def test_what_cannot_be_done_with_holes_is_refused_by_name():
    X, H, y = table()
    for model in (PCA("auto", missing="ml"), PCA("mle", missing="ml"), LDA("auto", missing="ml")):
        with pytest.raises(ValueError, match="n_components='"):
            model.fit(*arguments(model, H, y))
        model.fit(*arguments(model, X, y))
    for model in MODELS:
        found = fresh(model).fit(*arguments(model, H, y))
        if has_holed_test(model):
            continue
        with pytest.raises(ValueError, match=r"of the cells are missing.*bootstrap"):
            found.test_dimension()
    cca = CCA(missing="ml").fit(X[:, :2], X[:, 2:])
    with pytest.raises(ValueError, match=r"method='permutation' holds its level.*Leave method out"):
        cca.test_dimension(H[:, :2], H[:, 2:], method="permutation")
    with pytest.raises(ValueError, match=r"method='gap'.*\('shared'\)"):
        PCA(2, missing="ml").fit(H).test_dimension(method="gap")
    with pytest.raises(ValueError, match="groups and block"):
        LDA(missing="ml").fit(H, y).test_dimension(H, y, groups=y)
    with pytest.raises(ValueError, match="ledoit-wolf"):
        LDA(shrinkage="ledoit-wolf", missing="ml").fit(H, y)
    with pytest.raises(ValueError, match="missing='ml'"):
        LDA().fit(H, y)
    with pytest.raises(TypeError, match="Patterns"):
        LDA().fit_moments(LDA(missing="ml").fit(H, y).moments_)


@pytest.mark.parametrize("model", [PCA(2, missing="ml"), LDA(missing="ml"), SIR(2, n_slices=3, missing="ml")], ids=repr)
def test_tests_of_tables_without_holes_are_those_without_the_option(model):
    X, _, y = table()
    args = arguments(model, X, y)
    plain = fresh(model).set_params(missing="refuse").fit(*args).test_dimension()
    assert fresh(model).fit(*args).test_dimension().dimension == plain.dimension


def has_holed_test(model):
    plain = getattr(model, "shrinkage", None) is None and not isinstance(model, PDA | SAVE | DirectionalRegression)
    return plain and model.missing == "ml"


@pytest.mark.parametrize("model", [m for m in MODELS if has_holed_test(m)], ids=repr)
def test_tests_of_rows_with_holes_come_from_moments_or_rows(model):
    _, H, y = table()
    args = arguments(model, H, y)
    found = fresh(model).fit(*args)
    test = found.test_dimension(n_draws=29)
    again = found.test_dimension(*args, n_draws=29)
    assert test.dimension == again.dimension
    assert test.dimension >= 1
    np.testing.assert_allclose(test.p_values, again.p_values)
    assert "missing cells" in test.method
    assert "missing at random" in test.note


@pytest.mark.parametrize("d", [0, 1])
@pytest.mark.parametrize("name", ["PCA", "LDA", "CCA", "SIR"])
def test_the_null_law_of_a_test_has_its_directions(name, d):
    """The law that is drawn from has d directions exactly, and those of the fit."""
    _, H, y = table()
    model = {"PCA": PCA(2, missing="ml"), "LDA": LDA(missing="ml"), "CCA": CCA(missing="ml"), "SIR": SIR(missing="ml")}
    model = model[name].set_params(**({"n_slices": 3} if name == "SIR" else {}))
    model.fit(*arguments(model, H, y))
    sample = Redrawn(model.moments_)
    hypothesis = model._hypothesis()(sample)
    null = hypothesis.null(sample.law, d)
    if name == "PCA":  # noise of each column, and one direction that all share
        assert hypothesis.statistic(null, d) < hypothesis.statistic(sample.law, d)
        np.testing.assert_allclose(np.diag(null[1]), np.diag(sample.law[1]), rtol=1e-6)
    else:
        values = hypothesis.values(null)
        np.testing.assert_allclose(values[:d], hypothesis.values(sample.law)[:d], rtol=1e-7)
        assert hypothesis.statistic(null, d) < 1e-12


def test_drawn_samples_have_the_law_they_are_drawn_from():
    _, H, y = table(400)
    sample = Redrawn(LDA(missing="ml").fit(H, y).moments_)
    mu, S = sample.law
    rng = np.random.default_rng(0)
    laws = [sample.draw((mu, S), rng) for _ in range(200)]
    means, covariances = (np.array(part) for part in zip(*laws, strict=True))
    error = means.std(axis=0) / np.sqrt(200)
    assert (np.abs(means.mean(axis=0) - mu) < 4 * error).all()
    G = len(mu)
    expected = S * (400 - G) / 400  # a little more is lost to the holes
    np.testing.assert_allclose(covariances.mean(axis=0), expected, atol=0.05 * np.abs(S).max())


def test_noise_is_not_taken_for_a_direction_where_cells_are_missing():
    """The usual test of these moments, as if nothing were missing, finds one in every second table."""
    found, naive = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 6))
        H = np.where(rng.random(X.shape) < 0.4, np.nan, X)
        H[np.isnan(H).all(axis=1), 0] = 0.0
        cca = CCA(missing="ml").fit(H[:, :3], H[:, 3:])
        found += cca.test_dimension(n_draws=19).dimension > 0
        naive += CCA().fit_moments(cca._whole_moments).test_dimension().dimension > 0
    assert found <= 2
    assert naive >= 4


def test_a_singular_table_has_no_law_of_holes_but_a_fit():
    X, _, _ = table()
    X[:, 3] = X[:, 0] + X[:, 1]
    pca = PCA(2, missing="ml").fit(X)
    np.testing.assert_allclose(pca.transform(X), PCA(2).fit(X).transform(X), atol=1e-11)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="singular"):
        pca.transform(X)


def test_units_do_not_matter():
    _, H, y = table()
    units = np.array([1e150, 1e-150, 1.0, 1e9])
    plain, scaled = LDA(missing="ml").fit(H, y), LDA(missing="ml").fit(H * units, y)
    np.testing.assert_allclose(scaled.predict_proba(H * units), plain.predict_proba(H), atol=1e-7)
    np.testing.assert_allclose(np.abs(scaled.transform(H * units)), np.abs(plain.transform(H)), atol=1e-6)


def test_slices_have_means_of_their_own_and_one_covariance_within():
    _, H, y = table()
    sir = SIR(2, missing="ml").fit(H, y)
    found = fit(sir.moments_)
    total = found.moments.total()
    np.testing.assert_allclose(sir.covariance_, total.matrix / len(H), rtol=1e-12)
    np.testing.assert_allclose(sir.slice_means_, found.moments.within().means, rtol=1e-12)


def test_resampling_works_with_holes():
    _, H, y = table(60)
    for model in (PCA(2, missing="ml"), LDA(missing="ml"), CCA(1, missing="ml"), SIR(1, missing="ml", n_slices=3)):
        result = bootstrap(model, *arguments(model, H, y), n_boot=200)
        assert np.isfinite(result.low).all()


def test_single_precision_comes_back_as_such():
    _, H, y = table()
    lda = LDA(missing="ml").fit(H.astype(np.float32), y)
    assert lda.transform(H.astype(np.float32)).dtype == np.float32
    assert lda.covariance_.dtype == np.float32
    assert PCA(2, missing="ml").fit(H.astype(np.float32)).impute(H.astype(np.float32)).dtype == np.float32


def test_infinity_is_not_a_missing_cell():
    _, H, _ = table()
    H[0, 0] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*write NaN where a value is not known") as told:
        PCA(1, missing="ml").fit(H)
    assert "missing='ml'" not in str(told.value)


@pytest.mark.parametrize(("model", "labels"), [(LDA(missing="ml"), 5), (SIR(n_slices=5, missing="ml"), None)])
def test_fewer_columns_than_classes_and_all_directions_significant(model, labels):
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 5
    X = np.array([[0, 0], [6, 0], [0, 6], [6, 6], [3, 12]])[codes] + rng.standard_normal((200, 2))
    X[::9, 1] = np.nan
    y = codes if labels else codes + 0.0
    assert model.fit(X, y).test_dimension(n_draws=19).dimension == 2


def test_imputed_amounts_are_kept_within_the_observed_ones():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3)) @ np.array([[1.0, 0.9, 0.5], [0, 0.3, 0.2], [0, 0, 0.6]])
    X[:, :2] = np.exp(X[:, :2])  # amounts, and a column of both signs
    X[X[:, 0] < 0.5, 1] = np.nan
    X[5:60:7, 2] = np.nan
    frame = pd.DataFrame(X, columns=["ozone", "wind", "change"])
    model = PCA(2, missing="ml").fit(frame)
    plain = model.impute(frame)
    gaps, low = np.isnan(X), np.nanmin(X, axis=0)
    assert (plain[gaps[:, 1], 1] < low[1]).any()
    with pytest.warns(MissingWarning, match="moved imputed cells .* of column wind"):
        within = model.impute(frame, bounds="observed")
    assert within[:, 1].min() >= low[1]
    np.testing.assert_array_equal(within[:, 1], np.clip(plain[:, 1], low[1], np.nanmax(X[:, 1])))
    np.testing.assert_array_equal(within[:, 2], plain[:, 2])  # its observed cells have both signs
    with pytest.raises(InputError, match="bounds='all'"):
        model.impute(frame, bounds="all")
