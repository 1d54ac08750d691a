"""The law of this room: wherever rows live, the fit is that of the array in memory, to 12 digits."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from eigenlens import LDA, PCA, SAVE, SIR, LocalizedSIR, open_rows
from eigenlens.regress import PolynomialRegression
from eigenlens.testing import sample, sample_for
from eigenlens.testing.laws import outcome
from kinds import KINDS, frame_of, roles
from variants import VARIANTS, all_variants

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


STREAMS = ("generator", "frames", "arrow_reader")  # read once
FEW_KINDS = ("parquet", "csv", "dask_array", "batch_list")  # for settings that read rows as others of their method do


def must_see_y_first(estimator):
    return hasattr(estimator, "n_slices") and hasattr(estimator, "partial_fit")


def assert_12_digits(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if value.dtype.kind not in "fiu":
            assert np.array_equal(found[name], value), name
            continue
        np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-12 * np.abs(value).max(initial=0), err_msg=name)


def said(model, X):
    return {
        name: value
        for name, value in outcome(model, X).items()
        if value.dtype.kind != "O" or name != "feature_names_in_"
    }


def readings():
    """Every kind of rows for each method, and for its fits with holes, which keep other moments; a few for the rest."""
    for estimator in all_variants():
        first = VARIANTS.get(type(estimator), [estimator])[0]
        every = repr(estimator) == repr(first) or getattr(estimator, "missing", None) == "ml"
        yield from (
            pytest.param(estimator, kind, id=f"{estimator!r}-{kind}") for kind in (KINDS if every else FEW_KINDS)
        )


@cache
def of_the_array(said_of):
    """What a fit to the array says: the same for all kinds."""
    estimator = next(e for e in all_variants() if repr(e) == said_of)
    data = sample_for(estimator, n=150, p=4, offset=5.0)
    return data, said(clone(estimator).fit(*data.arguments()), data.X)


@pytest.mark.parametrize(("estimator", "kind"), list(readings()))
def test_every_kind_is_the_array(estimator, kind, tmp_path):
    data, expected = of_the_array(repr(estimator))
    rows = KINDS[kind](data, tmp_path)
    if kind in STREAMS and must_see_y_first(estimator):
        with pytest.raises(ValueError, match=r"must see all of y .* Give the cuts"):
            clone(estimator).fit(*rows)
        return
    model = clone(estimator).fit(*rows)
    assert_12_digits(said(model, data.X), expected)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(STREAMS)))
@pytest.mark.parametrize("estimator", [PCA(2), LDA()], ids=repr)
def test_rows_go_back_out(estimator, kind, tmp_path):
    """transform and predict take what fit takes."""
    data = sample_for(estimator, n=150, p=4)
    source = KINDS[kind](data, tmp_path)
    model = clone(estimator).fit(*source)
    np.testing.assert_allclose(np.asarray(model.transform(source[0])), model.transform(data.X), rtol=0, atol=1e-12)
    if hasattr(model, "predict"):
        assert np.array_equal(np.asarray(model.predict(source[0])), model.predict(data.X))


def with_response(n=150, p=4):
    """A response of real numbers in place of labels."""
    data = sample("labels", n=n, p=p, offset=5.0)
    return replace(data, y=data.X[:, 0] + 0.3 * np.sin(5 * data.X[:, 1]))


@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(STREAMS)))
@pytest.mark.parametrize("estimator", [SIR(2, n_slices=5), SAVE(2, n_slices=5), LocalizedSIR(2, n_slices=5)], ids=repr)
def test_slices_of_numbers(estimator, kind, tmp_path):
    """Quantiles are those of all rows, wherever y lies."""
    data = with_response()
    expected = said(clone(estimator).fit(data.X, data.y), data.X)
    assert_12_digits(said(clone(estimator).fit(*KINDS[kind](data, tmp_path)), data.X), expected)


@pytest.mark.parametrize("kind", STREAMS)
def test_given_cuts_need_one_pass(kind, tmp_path):
    data = with_response()
    estimator = SIR(2, n_slices=[3.0, 5.0, 7.0])
    expected = said(clone(estimator).fit(data.X, data.y), data.X)
    assert_12_digits(said(clone(estimator).fit(*KINDS[kind](data, tmp_path)), data.X), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_regressors_fetch_their_rows(kind, tmp_path):
    data = with_response()
    expected = PolynomialRegression(degree=2).fit(data.X, data.y)
    model = PolynomialRegression(degree=2).fit(*KINDS[kind](data, tmp_path))
    np.testing.assert_allclose(model.predict(data.X), expected.predict(data.X), rtol=0, atol=1e-10)


def test_permutations_read_the_file_again(tmp_path):
    data = with_response()
    np.save(tmp_path / "rows.npy", data.X)
    here = SIR(2, n_slices=5).fit(data.X, data.y).test_dimension(data.X, data.y, method="permutation", n_draws=19)
    rows = open_rows(tmp_path / "rows.npy")
    there = SIR(2, n_slices=5).fit(rows, data.y).test_dimension(rows, data.y, method="permutation", n_draws=19)
    np.testing.assert_allclose(there.p_values, here.p_values, rtol=1e-12)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_partial_fit_takes_them(kind, tmp_path):
    data = sample("labels", n=100, p=3)
    model = LDA().partial_fit(*KINDS[kind](data.rows(slice(0, 60)), tmp_path))
    model.partial_fit(*data.rows(slice(60, 100)).arguments())
    np.testing.assert_allclose(model.scalings_, LDA().fit(*data.arguments()).scalings_, rtol=1e-10)


@pytest.mark.parametrize("weight", ["column", "beside"])
@pytest.mark.parametrize("estimator", [e for e in all_variants() if e._obeys().counts_rows], ids=repr)
def test_weights(estimator, weight, tmp_path):
    data = sample_for(estimator, n=90, p=4)
    times = np.arange(90) % 4 % 3  # zeros among them, the first row too
    frame_of(data).assign(times=times).to_parquet(tmp_path / "rows.parquet", row_group_size=20)
    extra = {"weight": "times"} if weight == "column" else {}
    source = open_rows(tmp_path / "rows.parquet", **roles(data), **extra, batch_rows=11)
    model = clone(estimator).fit(source, **({} if extra else {"sample_weight": times}))
    expected = clone(estimator).fit(*data.arguments(), sample_weight=times)
    assert_12_digits(said(model, data.X), said(expected, data.X))


@pytest.mark.parametrize("batch_rows", [1, 7, 64, 10_000])
def test_rerun_gives_the_same_bits(batch_rows, tmp_path):
    X = np.random.default_rng(0).standard_normal((3000, 40)) + 1e5
    np.save(tmp_path / "rows.npy", X)
    first, second = (PCA(5).fit(open_rows(tmp_path / "rows.npy", batch_rows=batch_rows)).components_ for _ in range(2))
    assert np.array_equal(first, second)
    np.testing.assert_allclose(first, PCA(5).fit(X).components_, rtol=0, atol=1e-11)


def test_how_files_are_cut_changes_no_bit(tmp_path):
    """Blocks are even whatever the files and row groups are, so even the last digit stays."""
    frame = frame_of(sample("none", n=500, p=6, offset=100.0))
    fits = []
    for name, cuts, group in (("one", 1, 500), ("many", 7, 3)):
        (tmp_path / name).mkdir()
        for k, index in enumerate(np.array_split(np.arange(500), cuts)):
            frame.iloc[index].to_parquet(tmp_path / name / f"{k}.parquet", row_group_size=group, index=False)
        fits.append(PCA(3).fit(open_rows(tmp_path / name, batch_rows=50)).components_)
    assert np.array_equal(*fits)


def test_single_precision_files_give_single_precision(tmp_path):
    X = sample("none", n=200, p=4).X.astype(np.float32)
    np.save(tmp_path / "rows.npy", X)
    frame_of(sample("none", n=200, p=4)).astype(np.float32).to_parquet(tmp_path / "rows.parquet")
    for name in ("rows.npy", "rows.parquet"):
        model = PCA(2).fit(open_rows(tmp_path / name))
        assert model.components_.dtype == np.float32
        assert model.transform(open_rows(tmp_path / name)).dtype == np.float32


def test_names_travel(tmp_path):
    data = sample("labels", n=60, p=3)
    frame_of(data).to_parquet(tmp_path / "rows.parquet")
    source = open_rows(tmp_path / "rows.parquet", **roles(data))
    model = LDA().fit(source)
    assert model.feature_names_in_.tolist() == ["c0", "c1", "c2"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(open_rows(tmp_path / "rows.parquet", columns=["c1", "c0", "c2"]))


def test_second_pass_where_digits_would_be_lost(tmp_path):
    X = np.random.default_rng(0).standard_normal((30_000, 50))
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    np.save(tmp_path / "rows.npy", X)
    model = PCA().fit(open_rows(tmp_path / "rows.npy"))
    assert type(model.moments_).__name__ == "Factor"
    np.testing.assert_allclose(model.singular_values_, PCA().fit(X).singular_values_, rtol=1e-9)


def test_y_alone_in_one_pass(tmp_path):
    data = sample("labels", n=60, p=3)
    for name in ("rows.parquet", "rows.csv"):
        frame = frame_of(data)
        frame.to_parquet(tmp_path / name) if "parquet" in name else frame.to_csv(tmp_path / name, index=False)
        y, weight = open_rows(tmp_path / name, **roles(data)).target_values()
        assert y.tolist() == data.y.tolist()
        assert weight is None
