"""Arrays with labels: the labels come back, and the numbers are those of the plain table."""

import numpy as np
import pytest

from eigenlens import CCA, LDA, PCA, KernelPCA, open_rows

xr = pytest.importorskip("xarray")


def field(masked=False, chunks=None, n=60):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((n, 4, 5)) + rng.standard_normal((n, 1, 1)) + 280
    array = xr.DataArray(
        values,
        dims=("time", "lat", "lon"),
        coords={
            "time": np.datetime64("2000-01-01") + np.arange(n),
            "lat": [10.0, 20, 30, 40],
            "lon": np.arange(5) * 2.0,
            "month": ("time", np.arange(n) % 12),
        },
        name="sst",
        attrs={"units": "K"},
    )
    if masked:
        array = array.where((array.lat > 10) | (array.lon > 3))
    return array.chunk(chunks) if chunks else array


def plain(array):
    return array.transpose("time", "lat", "lon").values.reshape(len(array.time), -1)


@pytest.mark.parametrize("array", [field(), field(chunks={"time": 17}), field(chunks={"time": 17, "lat": 2})])
def test_fit_is_that_of_the_table(array):
    found, expected = PCA(2).fit(array), PCA(2).fit(plain(array))
    np.testing.assert_allclose(found.components_, expected.components_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.explained_variance_, expected.explained_variance_, rtol=1e-12)


@pytest.mark.parametrize("chunks", [None, {"time": 17}])
def test_labels_come_back(chunks):
    rows = open_rows(field(chunks=chunks), rows="time")
    pca = PCA(2).fit(rows)
    scores, loadings = rows.scores(pca), rows.loadings(pca)
    assert scores.dims == ("time", "component")
    assert loadings.dims == ("component", "lat", "lon")
    assert np.array_equal(scores.time, field().time)
    assert np.array_equal(scores.month, field().month)
    assert np.array_equal(loadings.lat, field().lat)
    np.testing.assert_allclose(scores.values, PCA(2).fit(plain(field())).transform(plain(field())), rtol=0, atol=1e-11)
    centred = field() - field().mean("time")
    np.testing.assert_allclose(xr.dot(centred, loadings, dim=["lat", "lon"]).values, scores.values, rtol=0, atol=1e-10)


@pytest.mark.parametrize("chunks", [None, {"time": 17}])
def test_land_is_left_out_and_comes_back_as_nan(chunks):
    array = field(masked=True, chunks=chunks)
    rows = open_rows(array, rows="time")
    assert rows.n_features == 18
    loadings = rows.loadings(PCA(2).fit(rows))
    assert np.array_equal(np.isnan(loadings.isel(component=0)), np.isnan(array.isel(time=0)))
    seen = ~np.isnan(plain(array)[0])
    np.testing.assert_allclose(
        loadings.values.reshape(2, -1)[:, seen], PCA(2).fit(plain(array)[:, seen]).components_, atol=1e-12
    )


@pytest.mark.parametrize("chunks", [None, {"time": 17, "lat": 2}])
def test_land_may_be_among_the_rows(chunks):
    """Places are rows and times columns: the land is left out, and its scores are NaN."""
    array = field(masked=True, chunks=chunks)
    rows = open_rows(array, rows=["lat", "lon"])
    assert rows.n_features == 60
    model = PCA(2).fit(rows)
    table = array.transpose("lat", "lon", "time").values.reshape(20, 60)
    seen = ~np.isnan(table[:, 0])
    expected = PCA(2).fit(table[seen])
    np.testing.assert_allclose(model.components_, expected.components_, rtol=0, atol=1e-12)
    scores = rows.scores(model)
    assert scores.dims == ("lat", "lon", "component")
    flat = scores.values.reshape(20, 2)
    assert np.array_equal(np.isnan(flat[:, 0]), ~seen)
    np.testing.assert_allclose(flat[seen], expected.transform(table[seen]), rtol=0, atol=1e-10)


def test_labels_and_weights_of_every_row_may_come_beside_land():
    array = field(masked=True)
    table = array.transpose("lat", "lon", "time").values.reshape(20, 60)[:, :3]
    seen = ~np.isnan(table[:, 0])
    y, weight = np.array(["a", "b"])[np.arange(20) % 2], np.arange(20) % 3 + 1
    rows = open_rows(array.isel(time=slice(3)), rows=["lat", "lon"])
    model = LDA().fit(rows, y, sample_weight=weight)
    expected = LDA().fit(table[seen], y[seen], sample_weight=weight[seen])
    np.testing.assert_allclose(model.scalings_, expected.scalings_, rtol=0, atol=1e-12)
    said = model.predict(rows).values.ravel()
    assert np.isnan(said[~seen].astype(float)).all()
    assert said[seen].tolist() == expected.predict(table[seen]).tolist()


def test_a_hole_that_is_not_land_is_an_error():
    array = field()
    array[3, 1, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        PCA(2).fit(array)


def test_several_dimensions_are_rows():
    array = field()
    rows = open_rows(array, rows=["time", "lat"])
    model = PCA(2).fit(rows)
    assert rows.scores(model).dims == ("time", "lat", "component")
    expected = PCA(2).fit(array.values.reshape(-1, 5))
    np.testing.assert_allclose(model.components_, expected.components_, rtol=0, atol=1e-12)
    assert rows.loadings(model).dims == ("component", "lon")


def test_labels_of_one_dimension_are_names_and_classes_have_coordinates():
    array = field().isel(lat=0, drop=True)
    model = LDA().fit(open_rows(array), np.arange(60) % 3)
    assert model.feature_names_in_.tolist() == ["0.0", "2.0", "4.0", "6.0", "8.0"]
    said = model.predict(array)
    assert said.dims == ("time",)
    assert np.array_equal(said.time, array.time)
    assert KernelPCA(2).fit(array).transform(array).shape == (60, 2)
    assert CCA(1).fit(array, array.values[:, :2]).transform(array).shape == (60, 1)


WRONG = {
    "no such dimension": (lambda: open_rows(field(), rows="year"), "rows='year': no such dimension.*'time', 'lat'"),
    "no columns": (lambda: open_rows(field(), rows=["time", "lat", "lon"]), "leaves no dimension for the columns"),
    "dataset": (lambda: PCA(1).fit(field().to_dataset()), r"xarray Dataset; pass one of its arrays"),
    "layer": (lambda: open_rows(field(), layer="counts"), "names a layer of an AnnData"),
    "columns": (lambda: open_rows(field(), columns=["a"]), "is read as a whole"),
    "rows of an array": (lambda: open_rows(iter([np.eye(3)]), rows="time"), "dimensions of an xarray"),
    "words": (lambda: PCA(1).fit(xr.DataArray([["a", "b"]], dims=("x", "y"))), "must hold numbers|text"),
    "all NaN": (lambda: PCA(1).fit(field() * np.nan), "NaN everywhere"),
}


@pytest.mark.parametrize(("attempt", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()


def test_y_and_weights_may_have_labels():
    rng = np.random.default_rng(0)
    X = xr.DataArray(rng.standard_normal((60, 3)), dims=("time", "place"))
    y, weight = np.arange(60) % 3, np.arange(60) % 4 + 1.0
    labels, weights = xr.DataArray(y, dims="time"), xr.DataArray(weight, dims="time")
    expected = LDA().fit(X.values, y, sample_weight=weight)
    for chunks in (None, {"time": 20}):
        rows, given, counts = (a if chunks is None else a.chunk(chunks) for a in (X, labels, weights))
        found = LDA().fit(rows, given, sample_weight=counts)
        np.testing.assert_allclose(found.means_, expected.means_, rtol=0, atol=1e-12)
    assert expected.score(X, labels) == expected.score(X.values, y)
    both = CCA(1).fit(X[:, :2], X[:, 2:])
    assert np.array_equal(both.x_weights_, CCA(1).fit(X.values[:, :2], X.values[:, 2:]).x_weights_)
