"""Moments are values: they have names, add up, say what they are, and travel in files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from eigenlens import CCA, LDA, PCA, QDA, SIR, CorrespondenceAnalysis, LocalizedSIR, MixedPCA, load, save
from eigenlens.exceptions import InputError
from eigenlens.files import describe
from eigenlens.moments import Cross, Factor, Grouped, Outline, Patterns, Scatter
from eigenlens.rows import Block
from eigenlens.testing import sample

METHODS = [PCA(2), LDA(), QDA(), LDA(shrinkage="ledoit-wolf"), CCA(1), SIR(1, n_slices=[0.0]), PCA(2, missing="ml")]


def named(data, letters="abcd"):
    X = pd.DataFrame(data.X, columns=list(letters))
    return (X,) if data.y is None else (X, data.y)


def parts(estimator, n=90):
    data = sample(estimator._target, n=n, p=4, offset=5.0)
    return data, [data.rows(index) for index in np.array_split(np.arange(n), 3)]


@pytest.mark.parametrize("estimator", METHODS, ids=repr)
def test_they_add_up(estimator):
    data, pieces = parts(estimator)
    moments = [clone(estimator).fit(*named(piece)).moments_ for piece in pieces]
    counts = [m.n_rows for m in moments]
    found = clone(estimator).fit_moments(sum(moments))
    expected = clone(estimator).fit(*named(data))
    assert found.feature_names_in_.tolist() == list("abcd")
    assert [m.n_rows for m in moments] == counts  # neither side changed
    assert (moments[0] + moments[1]).n_rows == counts[0] + counts[1]
    apply = "predict_proba" if hasattr(found, "predict_proba") else "transform"
    rows = named(data)[0]
    np.testing.assert_allclose(getattr(found, apply)(rows), getattr(expected, apply)(rows), rtol=0, atol=1e-9)


@pytest.mark.parametrize("estimator", METHODS, ids=repr)
def test_other_columns_are_refused_by_name(estimator):
    _, pieces = parts(estimator)
    left, right = (
        clone(estimator).fit(*named(piece, letters)) for piece, letters in zip(pieces, ("abcd", "abdc"), strict=False)
    )
    with pytest.raises(InputError, match=r"column 2 is 'c' on one side and 'd' on the other"):
        left.moments_.merge(right.moments_)
    with pytest.raises(InputError, match="column 2"):
        left.moments_ + right.moments_
    nameless = clone(estimator).fit(*pieces[1].arguments()).moments_
    assert (nameless + left.moments_).names == tuple("abcd")
    assert (left.moments_ + nameless).names == tuple("abcd")


def test_names_of_the_second_table_count_too():
    data = sample("table", n=40, p=3)
    frames = [pd.DataFrame(data.y, columns=names) for names in (["u", "v", "w"], ["u", "w", "v"])]
    left, right = (CCA(1).fit(data.X, frame).moments_ for frame in frames)
    with pytest.raises(InputError, match="column 1 is 'v' on one side and 'w'"):
        left + right


@pytest.mark.parametrize("estimator", METHODS, ids=repr)
def test_files_bring_them_back_to_the_last_bit(estimator, tmp_path):
    data, pieces = parts(estimator)
    moments = clone(estimator).fit(*named(pieces[0])).moments_
    path = save(moments, tmp_path / "site.eigenlens", about={"site": "A"})
    again = load(path)
    assert type(again) is type(moments)
    assert repr(again) == repr(moments)
    assert again.names == moments.names == tuple("abcd")
    assert describe(path)["about"] == {"site": "A"}
    other = clone(estimator).fit(*named(pieces[1])).moments_
    found, expected = (clone(estimator).fit_moments(m + other) for m in (again, moments))
    apply = "predict_proba" if hasattr(found, "predict_proba") else "transform"
    rows = named(data)[0]
    assert np.array_equal(getattr(found, apply)(rows), getattr(expected, apply)(rows))


def test_text_is_not_what_files_are(tmp_path):
    with pytest.raises(InputError, match=r"m\.json' ends in \.json.*end it in \.eigenlens.*b64encode"):
        save(PCA(1).fit(np.arange(12.0).reshape(4, 3) ** 2).moments_, tmp_path / "m.json")


def test_they_say_what_they_are():
    assert repr(Scatter()) == "<Scatter: no rows yet>"
    assert repr(Grouped()) == "<Grouped: no rows yet>"
    assert repr(Cross(Factor)) == "<Cross: no rows yet>"
    assert repr(Patterns()) == "<Patterns: no rows yet>"
    data = sample("labels", n=60, p=4)
    weighted = LDA().fit(data.X, data.y, sample_weight=np.full(60, 2.0)).moments_
    assert repr(weighted) == "<Grouped: 60 rows of weight 120 of 4 columns in 3 groups (factor, pooled)>"
    wide = PCA(1).fit(pd.DataFrame(np.eye(9), columns=list("abcdefghi"))).moments_
    assert repr(wide) == "<Factor: 9 rows of 9 columns (a, b, c, d, e, f and 3 more)>"


@pytest.mark.parametrize("estimator", [e for e in METHODS if e.get_params().get("missing") != "ml"], ids=repr)
@pytest.mark.parametrize("n", [4, 90])
def test_sealed_moments_hold_no_cell(estimator, n):
    data, _ = parts(estimator, n if estimator._target == "none" else max(n, 24))
    moments = clone(estimator).fit(*data.arguments()).moments_
    sealed = moments.sealed()
    centred = {"Grouped": lambda m: m.groups, "Cross": lambda m: [m.joint]}.get(type(moments).__name__, lambda m: [m])
    cells = np.concatenate([data.X.ravel(), np.ravel(data.y) if estimator._target == "table" else []])
    assert any(np.isin(part.pivot, cells).any() for part in centred(moments))
    for part in centred(sealed):
        assert not np.isin(part.pivot, cells).any()
        assert part.factor is None or np.allclose(part.factor, np.triu(part.factor), atol=1e-12)
    found, expected = (clone(estimator).fit_moments(m) for m in (sealed, moments))
    apply = "predict_proba" if hasattr(found, "predict_proba") else "transform"
    np.testing.assert_allclose(getattr(found, apply)(data.X), getattr(expected, apply)(data.X), rtol=0, atol=1e-8)
    assert (sealed + moments).n_rows == 2 * moments.n_rows


@pytest.mark.parametrize("n", [6, 90])
def test_moments_of_words_and_numbers_are_sealed(n):
    rng = np.random.default_rng(0)
    numbers = {"a": 5 + rng.standard_normal(n), "b": rng.standard_normal(n)}
    frame = pd.DataFrame({**numbers, "w": ["x", "y", "z"] * (n // 3)})
    moments = MixedPCA(2).fit(frame).moments_
    sealed = moments.sealed()
    cells = frame[["a", "b"]].to_numpy()
    assert np.isin(moments.numbers.pivot, cells).any()
    assert not np.isin(sealed.numbers.pivot, cells).any()
    assert np.allclose(sealed.numbers.factor, np.triu(sealed.numbers.factor), atol=1e-12)
    found, expected = (MixedPCA(2).fit_moments(m) for m in (sealed, moments))
    np.testing.assert_allclose(found.transform(frame), expected.transform(frame), rtol=0, atol=1e-8)
    assert (sealed + moments).n_rows == 2 * n
    words = MixedPCA(1).fit(frame[["w"]].assign(v=frame["w"])).moments_
    np.testing.assert_array_equal(words.sealed().words.counts, words.words.counts)


@pytest.mark.parametrize("n", [4, 90])
def test_moments_of_counts_are_sealed(n):
    counts = np.random.default_rng(0).gamma(7.0, size=(n, 4))  # amounts, so that no profile is a round number
    for moments in (
        CorrespondenceAnalysis(2).fit(counts).moments_,
        CorrespondenceAnalysis(2).partial_fit(counts).moments_,
    ):
        sealed = moments.sealed()
        profiles = counts / counts.sum(axis=1, keepdims=True)
        assert not np.isin(sealed.centred.pivot, profiles).any()
        assert moments.smallest / 2 < sealed.smallest <= moments.smallest  # a power of two, not the total of a row
        assert np.log2(sealed.smallest) % 1 == 0
        found, expected = (CorrespondenceAnalysis(2).fit_moments(m) for m in (sealed, moments))
        np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-8)
        np.testing.assert_allclose(found.transform(counts), expected.transform(counts), rtol=0, atol=1e-8)
        assert (sealed + moments).n_rows == 2 * n


def test_local_moments_travel_in_files(tmp_path):
    data, _ = parts(SIR())
    model = LocalizedSIR(1, n_slices=4).fit(data.X, data.X[:, 0])
    again = load(save(model.moments_, tmp_path / "m.eigenlens"))
    found = LocalizedSIR(1, n_slices=4, ridge=0.1).fit_moments(again)
    expected = LocalizedSIR(1, n_slices=4, ridge=0.1).fit_moments(model.moments_)
    np.testing.assert_array_equal(found.components_, expected.components_)


def test_moments_of_rows_with_holes_cannot_be_sealed():
    moments = PCA(1, missing="ml").fit(np.array([[1.0, 2], [3, np.nan], [4, 4], [0, 1]])).moments_
    with pytest.raises(TypeError, match="Patterns moments keep single rows"):
        moments.sealed()


def test_empty_moments_are_not_saved(tmp_path):
    with pytest.raises(InputError, match="have seen no row"):
        save(Scatter(), tmp_path / "m.eigenlens")
    with pytest.raises(TypeError):
        Scatter() + 3


def test_moments_show_their_means_in_a_notebook():
    frame = pd.DataFrame({"a<b": [1.0, 2.0, 6.0], "c": [0.0, 3.0, 1.5]})
    shown = PCA().fit(frame).moments_._repr_html_()
    assert "3 rows of 2 columns" in shown
    assert "a&lt;b" in shown  # names are text, not markup
    assert "<td>3</td>" in shown
    rows = np.random.default_rng(0).standard_normal((9, 2))
    by_class = LDA().fit(rows, [0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert all(f"<th>{label}</th>" in by_class.moments_._repr_html_() for label in ("0", "1", "2", "x0", "x1"))


@pytest.mark.parametrize("moments", [Scatter(), Factor(), Grouped(), Cross()], ids=lambda m: type(m).__name__)
def test_moments_without_rows_can_be_shown(moments):
    assert "no rows yet" in moments._repr_html_()


@pytest.mark.parametrize("kind", [Scatter, Factor])
@pytest.mark.parametrize("asked", ["mean", "means", "matrix", "n_features"])
def test_moments_of_no_rows_say_so(kind, asked):
    with pytest.raises(InputError, match="have seen no row yet"):
        getattr(kind(), asked)


def test_means_and_variances_alone_are_sealed():
    X = np.random.default_rng(0).standard_normal((30, 4))
    moments = Outline().update(Block(X))
    sealed = moments.sealed()
    np.testing.assert_allclose(sealed.mean, moments.mean, atol=1e-12)
    np.testing.assert_allclose(sealed.store.diagonal(), moments.store.diagonal())
