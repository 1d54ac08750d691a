"""MixedPCA: its definition on indicators, its relatives, R's figures, every kind of table, and what it refuses."""

import pickle
import sys
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eigenlens import PCA, CorrespondenceAnalysis, MixedPCA, load, open_rows, save
from eigenlens.exceptions import InputError, InputTypeError, MissingWarning, RankWarning
from eigenlens.moments.mixed import crosstabs

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
from refs import figures

MAPS = figures("factor_maps")
rng = np.random.default_rng(3)


def table(n=400, seed=0):
    """Words that go together, with numbers that go with them."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "size": rng.standard_normal(n) + kind + 100.0,
            "colour": np.array(["red", "green", "blue", "grey"])[(kind + (rng.random(n) < 0.3)) % 4],
            "weight": 3.0 * rng.standard_normal(n) - kind,
            "flag": rng.random(n) < 0.2 + 0.3 * kind,
            "place": np.array(["north", "south"])[rng.integers(0, 2, n)],
        }
    )


T = table()
WORDS = T[["colour", "flag", "place"]]


def coded(frame, weight=None):
    """The columns of the definition: standardised numbers and indicators over the root of their shares, centred."""
    w = np.ones(len(frame)) if weight is None else np.asarray(weight, float)
    w = w / w.sum()
    parts = []
    for name in frame:
        if frame[name].dtype.kind == "f":
            x = frame[name].to_numpy() - w @ frame[name].to_numpy()
            parts.append((x / np.sqrt(w @ x**2))[:, None])
    for name in frame:
        if frame[name].dtype.kind != "f":
            Z = pd.get_dummies(frame[name].astype(str)).to_numpy(float)
            share = w @ Z
            parts.append((Z - share) / np.sqrt(share))
    return np.concatenate(parts, axis=1), w


def same_up_to_sign(found, expected, atol):
    found, expected = np.asarray(found), np.asarray(expected, dtype=float)[:, : np.shape(found)[1]]
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("weight", [None, rng.integers(1, 5, len(T))])
@pytest.mark.parametrize("columns", [list(T), list(WORDS), ["size", "weight"]], ids=["mixed", "words", "numbers"])
def test_it_is_the_components_of_the_coded_columns(columns, weight):
    frame = T[columns]
    Z, w = coded(frame, weight)
    Q = 3.0 if columns == list(WORDS) else 1.0
    values, vectors = np.linalg.eigh(Z.T @ (w[:, None] * Z) / Q)
    order = np.argsort(-values)[: int((values > 1e-10).sum())]
    model = MixedPCA().fit(frame, sample_weight=weight)
    np.testing.assert_allclose(model.eigenvalues_, values[order], atol=1e-12)
    scores = Z @ vectors[:, order] / np.sqrt(Q)
    same_up_to_sign(model.transform(frame), scores, 1e-10)
    np.testing.assert_allclose(w @ model.transform(frame) ** 2, model.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(model.cos2(frame), scores**2 / (Z**2).sum(axis=1, keepdims=True) * Q, atol=1e-10)
    np.testing.assert_allclose(model.contributions(frame, weight).sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.explained_variance_ratio_.sum(), 1.0, rtol=1e-12)
    total = model.numbers_.contributions.sum(axis=0)
    if hasattr(model, "categories_"):
        total = total + model.categories_.contributions.sum(axis=0)
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_mixed_inertia_counts_numbers_and_free_levels():
    assert MixedPCA().fit(T).eigenvalues_.sum() == pytest.approx(2 + 3 + 1 + 1)


def test_numbers_only_are_the_components_of_correlations():
    X = T[["size", "weight"]].to_numpy()
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    same_up_to_sign(MixedPCA().fit(X).transform(X), PCA().fit(standard).transform(standard), 1e-12)


def test_two_columns_of_words_are_correspondence_analysis_of_their_table():
    frame = T[["colour", "place"]]
    ca = CorrespondenceAnalysis().fit(pd.crosstab(frame.colour, frame.place))
    mca = MixedPCA().fit(frame)
    root = np.sqrt(ca.eigenvalues_)
    np.testing.assert_allclose(mca.eigenvalues_[: len(root)], (1 + root) / 2, rtol=1e-12)


def test_a_category_is_the_mean_of_its_rows():
    for frame, over_root in ((T, False), (WORDS, True)):
        model = MixedPCA(3).fit(frame)
        scores = model.transform(frame)
        unit = np.sqrt(model.eigenvalues_) if over_root else 1.0
        for name, column, point in zip(
            model.categories_.names, model.categories_.columns, model.categories_.coordinates, strict=True
        ):
            rows = (frame[column].astype(str) == name).to_numpy()
            np.testing.assert_allclose(point, scores[rows].mean(axis=0) / unit, atol=1e-11)
        groups = [scores[(frame["colour"] == c).to_numpy()] for c in sorted(set(frame["colour"]))]
        between = sum(len(g) * g.mean(axis=0) ** 2 for g in groups) / (scores**2).sum(axis=0)
        np.testing.assert_allclose(model.eta2_[model.columns_.index("colour")], between, rtol=1e-10)


# -- R ------------------------------------------------------------------------------------------------------------


def titanic():
    said = MAPS["titanic"]
    counts = pd.DataFrame(said["counts"], columns=[*said["columns"], "times"])
    return counts, said


def test_factominer_mca_of_the_titanic():
    counts, said = titanic()
    rows = counts.loc[counts.index.repeat(counts["times"])].reset_index(drop=True)
    active = ["Class", "Sex", "Age"]
    for model in (MixedPCA().fit(rows[active]), MixedPCA().fit(counts[active], sample_weight=counts["times"])):
        np.testing.assert_allclose(model.eigenvalues_, np.array(said["eig"])[:, 0], atol=1e-12)
        order = [model.categories_.names.index(name) for name in said["categories"]]
        points = model.categories_.only(order)
        same_up_to_sign(points.coordinates, said["category_coord"], 1e-10)
        np.testing.assert_allclose(100 * points.contributions, said["category_contrib"], atol=1e-9)
        np.testing.assert_allclose(points.cos2, said["category_cos2"], atol=1e-11)
        np.testing.assert_allclose(model.eta2_, said["eta2"], atol=1e-11)
        beside = model.supplementary(rows[["Survived"]] if len(points) == 0 else _survived(model, rows, counts))
        order = [beside.names.index(name) for name in said["sup_categories"]]
        same_up_to_sign(beside.coordinates[order], said["sup_coord"], 1e-10)
        same_up_to_sign(beside.categories.test_values[order], said["sup_vtest"], 1e-9)


def _survived(model, rows, counts):
    return (rows if len(model._fit_rows[0]) == len(rows) else counts)[["Survived"]]


def test_adjusted_inertias_by_their_formulas():
    counts, said = titanic()
    model = MixedPCA(2).fit(counts[["Class", "Sex", "Age"]], sample_weight=counts["times"])
    values, Q, L = np.array(said["eig"])[:, 0], 3, 8
    beyond = np.where(values > 1 / Q + 1e-12, (Q / (Q - 1) * (values - 1 / Q)) ** 2, 0)
    greenacre = Q / (Q - 1) * ((values**2).sum() - (L - Q) / Q**2)
    expected = np.stack([beyond / beyond.sum(), beyond / greenacre], axis=1)[:2]
    np.testing.assert_allclose(model.adjusted_inertia_, expected, atol=1e-12)


def test_factominer_famd_of_mtcars():
    said = MAPS["mtcars"]
    cars = pd.DataFrame(said["rows"], columns=said["columns"]).set_index("car")
    model = MixedPCA(5).fit(cars)
    np.testing.assert_allclose(model.eigenvalues_, np.array(said["eig"])[:5, 0], atol=1e-12)
    same_up_to_sign(model.transform(cars), said["row_coord"], 1e-11)
    np.testing.assert_allclose(100 * model.contributions(cars), said["row_contrib"], atol=1e-10)
    np.testing.assert_allclose(model.cos2(cars), said["row_cos2"], atol=1e-11)
    assert model.numbers_.names == said["quanti_names"]
    same_up_to_sign(model.numbers_.coordinates, said["quanti_coord"], 1e-11)
    order = [model.categories_.names.index(name) for name in said["categories"]]
    same_up_to_sign(model.categories_.coordinates[order], said["category_coord"], 1e-11)
    np.testing.assert_allclose(np.vstack([model.numbers_.cos2, model.eta2_]), said["var_coord"], atol=1e-11)
    part = said["supplementary"]
    active = cars.drop(columns=part["columns"])
    held = np.array(part["rows"]) - 1
    fitted = active.drop(active.index[held])
    model = MixedPCA(5).fit(fitted)
    np.testing.assert_allclose(model.eigenvalues_, np.array(part["eig"])[:5, 0], atol=1e-12)
    same_up_to_sign(model.transform(active.iloc[held]), part["sup_row_coord"], 1e-11)


# -- tables of every kind -----------------------------------------------------------------------------------------


def assert_same_model(ours, theirs, rows=T):
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, atol=1e-12)
    assert ours.categories_.names == theirs.categories_.names
    np.testing.assert_allclose(ours.categories_.coordinates, theirs.categories_.coordinates, atol=1e-10)
    np.testing.assert_allclose(ours.numbers_.coordinates, theirs.numbers_.coordinates, atol=1e-10)
    np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), atol=1e-10)


@pytest.mark.parametrize(
    "kind",
    [
        "polars",
        "arrow",
        "objects",
        "lists",
        "category",
        "parquet",
        "parquet categories",
        "csv",
        "dask",
        "batches",
        "enum",
    ],
)
def test_every_kind_of_table_is_the_frame(kind, tmp_path):
    if kind.startswith("parquet"):
        frame = T.astype({"colour": "category"}) if kind.endswith("categories") else T
        frame.to_parquet(tmp_path / "t.parquet", row_group_size=37)
        X = open_rows(tmp_path / "t.parquet", batch_rows=50)
    elif kind == "csv":
        T.to_csv(tmp_path / "t.csv", index=False)
        X = open_rows(tmp_path / "t.csv", batch_rows=64)
    else:
        made = {
            "polars": lambda: pl.from_pandas(T),
            "arrow": lambda: pa.Table.from_pandas(T),
            "objects": lambda: T.to_numpy(dtype=object),
            "lists": lambda: T.to_numpy(dtype=object).tolist(),
            "category": lambda: T.astype({"colour": "category", "place": "category"}),
            "dask": lambda: dd.from_pandas(T, npartitions=5),
            "batches": lambda: open_rows([T.iloc[k : k + 70] for k in range(0, len(T), 70)]),
            "enum": lambda: pl.from_pandas(T).with_columns(pl.col("place").cast(pl.Enum(["north", "south"]))),
        }
        X = made[kind]()
    model = MixedPCA().fit(X)
    expected = MixedPCA().fit(T)
    rows = T if kind not in ("objects", "lists") else T.to_numpy(dtype=object)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-12)
    assert model.categories_.names == expected.categories_.names
    np.testing.assert_allclose(model.transform(rows), expected.transform(T), atol=1e-10)
    if kind != "lists":
        np.testing.assert_allclose(np.asarray(model.transform(X)), expected.transform(T), atol=1e-10)


def test_the_order_of_categories_is_that_of_the_table():
    ordered = T.assign(colour=pd.Categorical(T["colour"], ["red", "grey", "green", "blue", "pink"]))
    model = MixedPCA().fit(ordered)
    assert model.categories_.names[:4] == ["red", "grey", "green", "blue"]
    parts = MixedPCA().partial_fit(ordered[:100]).partial_fit(ordered[100:])
    assert parts.categories_.names == model.categories_.names


def test_columns_of_codes_can_be_listed():
    coded = T.assign(kind=np.arange(len(T)) % 3)
    listed = MixedPCA(categories=["colour", "flag", "place", "kind"]).fit(coded)
    assert listed.columns_ == ["colour", "flag", "place", "kind"]
    words = MixedPCA().fit(coded.assign(kind=coded["kind"].astype(str)))
    np.testing.assert_allclose(listed.eigenvalues_, words.eigenvalues_, atol=1e-13)
    assert listed.transform(coded).shape == (len(T), len(words.eigenvalues_))
    array = MixedPCA(2, categories=[1]).fit(np.array([[0.5, 1], [1.5, 2], [2.5, 1], [3.0, 2]]))
    assert array.categories_.names == ["1", "2"]


# -- laws ---------------------------------------------------------------------------------------------------------


def test_parts_merge_though_each_has_other_levels():
    whole = MixedPCA().fit(T)
    order = np.argsort(T["colour"].to_numpy(), kind="stable")  # every part has levels of its own
    parts = [T.iloc[index] for index in np.array_split(order, 5)]
    batches = MixedPCA()
    for part in parts:
        batches.partial_fit(part)
    assert_same_model(batches, whole)
    moments = None
    for part in reversed(parts):
        seen = MixedPCA().partial_fit(part).moments_
        moments = seen if moments is None else moments.merge(seen)
    merged = MixedPCA().fit_moments(moments)
    np.testing.assert_allclose(merged.eigenvalues_, whole.eigenvalues_, atol=1e-12)


def test_a_weight_is_a_repeated_row():
    times = np.arange(len(T)) % 4
    repeated = T.loc[T.index.repeat(times)]
    assert_same_model(MixedPCA().fit(T, sample_weight=times), MixedPCA().fit(repeated))


def test_an_offset_changes_nothing():
    far = T.assign(size=T["size"] + 2.0**30)
    near = T.assign(size=far["size"] - 2.0**30)
    np.testing.assert_allclose(MixedPCA().fit(far).transform(far), MixedPCA().fit(near).transform(near), atol=1e-8)


def test_models_go_through_files(tmp_path):
    for frame in (T, WORDS):
        model = MixedPCA(2).fit(frame)
        for again in (load(save(model, tmp_path / "m.eigenlens")), pickle.loads(pickle.dumps(model))):
            assert np.array_equal(again.transform(frame), model.transform(frame))
            assert again.categories_.names == model.categories_.names
            with pytest.raises(InputError, match=r"supplementary\(Z, X\)"):
                again.supplementary(T[["place"]])
            beside = again.supplementary(T[["place"]], frame)
            np.testing.assert_allclose(beside.coordinates, model.supplementary(T[["place"]]).coordinates, atol=1e-12)


def test_counts_of_pairs_are_products_of_indicators():
    sizes = [2, 7, 3, 40, 2, 600]
    codes = [rng.integers(0, size, 500) for size in sizes]
    Z = np.concatenate([np.eye(size)[c] for size, c in zip(sizes, codes, strict=True)], axis=1)
    assert np.array_equal(crosstabs(codes, sizes), Z.T @ Z)
    w = rng.random(500)
    np.testing.assert_allclose(crosstabs(codes, sizes, w), Z.T @ (w[:, None] * Z), atol=1e-12)


# -- supplementary columns ----------------------------------------------------------------------------------------


def test_supplementary_numbers_are_correlations():
    model = MixedPCA(2).fit(WORDS)
    scores = model.transform(WORDS)
    found = model.supplementary(T[["size", "weight"]])
    expected = [[np.corrcoef(T[c], scores[:, j])[0, 1] for j in range(2)] for c in ("size", "weight")]
    np.testing.assert_allclose(found.numbers.coordinates, expected, atol=1e-12)
    assert found.categories is None


def test_an_active_column_is_placed_where_it_is():
    for frame in (T, WORDS):
        model = MixedPCA(3).fit(frame)
        found = model.supplementary(frame[["colour"]])
        rows = [j for j, c in enumerate(model.categories_.columns) if c == "colour"]
        own = model.categories_.only(rows)
        np.testing.assert_allclose(found.coordinates, own.coordinates, atol=1e-10)
        np.testing.assert_allclose(found.cos2, own.cos2, atol=1e-10)
        np.testing.assert_allclose(found.categories.test_values, own.test_values, atol=1e-8)
        np.testing.assert_allclose(found.eta2[0], model.eta2_[model.columns_.index("colour")], atol=1e-10)


# -- missing words ------------------------------------------------------------------------------------------------


def holes(share):
    frame = T.copy()
    frame["colour"] = frame["colour"].astype(object)
    frame.loc[rng.random(len(T)) < share, "colour"] = None
    return frame


def test_frequent_gaps_are_a_level_and_rare_ones_say_nothing():
    often, rarely = holes(0.3), holes(0.01)
    model = MixedPCA().fit(often)
    assert "missing" in model.categories_.names
    filled = MixedPCA().fit(often.fillna({"colour": "missing"}))
    np.testing.assert_allclose(model.eigenvalues_, filled.eigenvalues_, atol=1e-12)
    assert model.transform(often).shape == filled.transform(often.fillna({"colour": "missing"})).shape
    few = MixedPCA().fit(rarely)
    assert "missing" not in few.categories_.names
    Z = np.where(rarely["colour"].isna().to_numpy()[:, None], 0.0, _indicators(rarely["colour"]))
    others, _ = coded(T[["size", "weight", "flag", "place"]])
    whole = np.concatenate([others, Z], axis=1)
    values = np.sort(np.linalg.eigvalsh(whole.T @ whole / len(T)))[::-1]
    np.testing.assert_allclose(few.eigenvalues_, values[: len(few.eigenvalues_)], atol=1e-12)
    np.testing.assert_allclose((few.transform(rarely) ** 2).mean(axis=0), few.eigenvalues_, atol=1e-12)


def _indicators(series):
    Z = pd.get_dummies(series).to_numpy(float)
    share = Z.sum(axis=0) / Z.sum()
    return (Z - share) / np.sqrt(share)


def test_gaps_can_be_refused():
    frame = holes(0.1)
    with pytest.raises(InputError, match=r"missing words \(by column: 'colour' \d+\).*missing='level'"):
        MixedPCA(missing="refuse").fit(frame)
    model = MixedPCA(missing="refuse").fit(T)
    with pytest.raises(InputError, match="'colour' has missing words"):
        model.transform(frame)


# -- missing numbers ----------------------------------------------------------------------------------------------


def with_gaps(share=0.2):
    draws = np.random.default_rng(3)
    frame = T.copy()
    for column in ("size", "weight"):
        frame[column] = frame[column].where(draws.random(len(T)) >= share)
    return frame


def test_complete_rows_need_no_likelihood():
    plain, modelled = MixedPCA().fit(T), MixedPCA(missing="ml").fit(T)
    np.testing.assert_allclose(modelled.eigenvalues_, plain.eigenvalues_, rtol=1e-13)
    np.testing.assert_allclose(modelled.transform(T), plain.transform(T), atol=1e-12)


def test_missing_numbers_are_those_of_the_joint_maximum_of_the_likelihood():
    frame = with_gaps().assign(size=lambda rows: rows["size"] + 1e4)[["size", "weight", "flag"]]
    model = MixedPCA(missing="ml").fit(frame)
    joint = PCA(missing="ml").fit(frame.assign(flag=frame["flag"].astype(float)))
    sd = np.sqrt(np.diag(joint.covariance_))
    values = np.linalg.eigvalsh(joint.covariance_ / sd / sd[:, None])[::-1]
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-8)
    filled = pd.DataFrame(joint.impute(frame.assign(flag=frame["flag"].astype(float))), columns=frame.columns)
    filled = filled.assign(flag=frame["flag"].to_numpy())
    np.testing.assert_allclose(model.transform(frame), model.transform(filled), atol=1e-7)


def test_numbers_alone_are_those_of_pca():
    frame = with_gaps()[["size", "weight"]].dropna(how="all")
    model, joint = MixedPCA(missing="ml").fit(frame), PCA(missing="ml").fit(frame)
    sd = np.sqrt(np.diag(joint.covariance_))
    values = np.linalg.eigvalsh(joint.covariance_ / sd / sd[:, None])[::-1]
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)


def test_missing_words_beside_missing_numbers_are_a_level():
    frame = with_gaps().assign(colour=holes(0.3)["colour"])
    model = MixedPCA(missing="ml").fit(frame)
    named = MixedPCA(missing="ml").fit(frame.fillna({"colour": "missing"}))
    np.testing.assert_allclose(model.eigenvalues_, named.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(model.transform(frame), named.transform(frame.fillna({"colour": "missing"})), atol=1e-7)


def test_batches_and_weights_of_rows_with_missing_numbers():
    frame = with_gaps()
    whole, parts = MixedPCA(missing="ml").fit(frame), MixedPCA(missing="ml")
    for start in range(0, len(frame), 37):
        parts.partial_fit(frame[start : start + 37])
    np.testing.assert_allclose(parts.eigenvalues_, whole.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(parts.transform(frame), whole.transform(frame), atol=1e-6)
    times = np.arange(len(frame)) % 3 + 1
    weighted = MixedPCA(missing="ml").fit(frame, sample_weight=times)
    repeated = MixedPCA(missing="ml").fit(frame.loc[frame.index.repeat(times)])
    np.testing.assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, atol=1e-9)


@pytest.mark.parametrize("in_file", [False, True])
def test_what_is_advised_for_missing_numbers_works(in_file, tmp_path):
    frame = with_gaps()
    frame.to_csv(tmp_path / "table.csv", index=False)
    given = open_rows(tmp_path / "table.csv") if in_file else frame
    with pytest.raises(InputError, match=r"column size.*MixedPCA\(missing='ml'\)"):
        MixedPCA().fit(given)
    model = MixedPCA(2, missing="ml").fit(given)
    scores = model.transform(frame)
    assert np.isfinite(scores).all()
    save(model, tmp_path / "model.eigenlens")
    np.testing.assert_array_equal(load(tmp_path / "model.eigenlens").transform(frame), scores)
    np.testing.assert_allclose(model.cos2(T).sum(axis=1), MixedPCA(missing="ml").fit(frame).cos2(T)[:, :2].sum(axis=1))


def test_refusals_of_missing_numbers():
    frame = with_gaps()
    with pytest.raises(InputError, match="No cell of column 'size' is observed"):
        MixedPCA(missing="ml").fit(frame.assign(size=np.nan))
    model = MixedPCA(missing="ml").fit(frame)
    with pytest.raises(InputError, match=r"% of the numbers are missing\. Pass the complete rows"):
        model.test_dimension(frame)
    assert model.test_dimension(T, n_draws=19).dimension >= 1
    with pytest.raises(InputTypeError, match="Patterns"):
        MixedPCA().fit_moments(model.moments_)
    with pytest.warns(MissingWarning, match="1 row is all NaN"):
        MixedPCA(missing="ml").fit(
            pd.concat([frame[["size", "weight"]].dropna(how="all"), frame[["size", "weight"]][:1] * np.nan])
        )


# -- what it refuses ----------------------------------------------------------------------------------------------


def test_refusals_name_the_column():
    model = MixedPCA(2).fit(T)
    with pytest.raises(InputError, match=r"column 'colour' holds 'pink', which the fit has not seen .*'blue'"):
        model.transform(T.assign(colour="pink"))
    with pytest.raises(InputError, match="column 'size' holds words, but it held numbers"):
        model.transform(T.assign(size="large"))
    with pytest.raises(InputError, match=r"categories has the column 'hue'.*'colour'"):
        MixedPCA(categories=["hue"]).fit(T)
    with pytest.raises(InputError, match="categories does not list 'flag', 'place'"):
        MixedPCA(categories=["colour"]).fit(T)
    with pytest.raises(InputError, match=r"categories='colour' is not understood; use 'auto', or .*\['colour'\]"):
        MixedPCA(categories="colour").fit(T)
    with pytest.raises(InputError, match=r"n_components=9 but 400 rows and 7 free columns .* at most 7"):
        MixedPCA(9).fit(T)
    with pytest.raises(InputError, match=r"X contains NaN \(the first in row 3, column size\)"):
        MixedPCA().fit(T.assign(size=T["size"].where(np.arange(len(T)) != 3)))
    with pytest.raises(InputError, match="cannot be merged: which columns are words"):
        MixedPCA().fit(T).moments_.merge(MixedPCA().fit(T.assign(place=1.0)).moments_)
    with pytest.warns(RankWarning, match="rank 2 but n_components=3"):
        MixedPCA(3).fit(pd.DataFrame({"a": list("xxyz"), "b": list("uuvw")}))


def test_a_word_that_is_everywhere_carries_nothing():
    model = MixedPCA().fit(T.assign(same="same"))
    expected = MixedPCA().fit(T)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-12)


def test_constant_columns_have_no_component():
    for columns in ({"a": ["x"] * 5}, {"a": ["x"] * 5, "b": [2.0] * 5}):
        with pytest.warns(RankWarning, match="All columns of X are constant: no component has variance"):
            found = MixedPCA().fit(pd.DataFrame(columns))
        assert not found.eigenvalues_.any()
        assert not getattr(found, "adjusted_inertia_", np.zeros(1)).any()


def test_dates_are_neither_words_nor_numbers(tmp_path):
    rows = table(30)
    rows["when"] = pd.date_range("2020-01-01", periods=30)
    rows.to_parquet(tmp_path / "rows.parquet")
    kinds = [rows, pl.from_pandas(rows), pa.table(rows), dd.from_pandas(rows, npartitions=2)]
    for X in (*kinds, open_rows(tmp_path / "rows.parquet"), open_rows(pa.table(rows).to_reader())):
        with pytest.raises(InputError, match=r"columns of dates: 'when'. Make them numbers, such as days since the"):
            MixedPCA().fit(X)
    words = [name for name in rows if rows[name].dtype.kind not in "fi"]
    assert "when" in MixedPCA(categories=words).fit(rows).columns_
    with pytest.raises(InputError, match="categories does not list 'when'"):
        MixedPCA(categories=words[:-1]).fit(rows)


def test_the_command_line_applies_models_of_words(tmp_path):
    pytest.importorskip("click")
    from eigenlens.app.main import run

    model = MixedPCA(2).fit(T)
    save(model, tmp_path / "m.eigenlens")
    T.to_csv(tmp_path / "rows.csv", index=False)
    words = ["transform", *(str(tmp_path / name) for name in ("m.eigenlens", "rows.csv"))]
    assert run([*words, "--out", str(tmp_path / "scores.csv")]) == 0
    np.testing.assert_allclose(pd.read_csv(tmp_path / "scores.csv").to_numpy(), model.transform(T), atol=1e-9)


@pytest.mark.parametrize(("weight", "words"), [(0.5, "must be whole numbers"), (1e9, "pass weights of at most")])
def test_a_test_of_axes_repeats_rows_and_says_which_weights_it_cannot(weight, words):
    model = MixedPCA(2).fit(T)
    doubled, repeated = np.full(len(T), 2.0), pd.concat([T, T]).sort_index()
    one, other = model.test_dimension(T, sample_weight=doubled, n_draws=19), model.test_dimension(repeated, n_draws=19)
    np.testing.assert_allclose(one.p_values, other.p_values)
    with pytest.raises(InputError, match=words):
        model.test_dimension(T, sample_weight=np.where(np.arange(len(T)) == 0, 3.0, weight), n_draws=19)


def test_plain_pandas_frames_are_read_as_others_are():
    """Frames of text, booleans, categories and numbers take a short way, with what the long one gives."""
    rng = np.random.default_rng(0)
    words = pd.DataFrame({"a": rng.choice(["x", "y", "z"], 60), "b": rng.choice(["u", "v"], 60)})
    words.loc[3, "a"] = None
    words["size"] = rng.standard_normal(60)
    words["count"] = rng.integers(0, 9, 60)
    words["yes"] = rng.random(60) < 0.5
    words["grade"] = pd.Categorical(rng.choice(["low", "high"], 60), ["low", "high"])
    plain = MixedPCA(3, missing="unobserved").fit(words)
    long_way = words.astype({"a": object, "b": object})
    other = MixedPCA(3, missing="unobserved").fit(long_way)
    assert plain.categories_.names == other.categories_.names
    np.testing.assert_allclose(plain.eigenvalues_, other.eigenvalues_, rtol=1e-13)
    np.testing.assert_allclose(plain.transform(words), other.transform(long_way), rtol=1e-10, atol=1e-12)
    numbered = words.set_axis([5, 4, 3, 2, 1, 0], axis=1)
    np.testing.assert_allclose(MixedPCA(3, missing="unobserved").fit(numbered).eigenvalues_, plain.eigenvalues_)
    with pytest.raises(InputError, match="same name"):
        MixedPCA(2).fit(words.set_axis(["a", "a", "c", "d", "e", "f"], axis=1))


@pytest.mark.skipif(int(pd.__version__.split(".")[0]) < 3, reason="pandas 2 has words as objects, which are looked at")
def test_plain_pandas_frames_are_not_asked_column_by_column(monkeypatch):
    """To ask narwhals about each column takes longer than a small fit."""
    frame = pd.DataFrame({"a": list("xyzxyz"), "b": list("uvuvvu"), "size": [1.0, 2, 4, 3, 6, 5]})

    def refuse(*args, **options):
        raise AssertionError("the frame was read by way of narwhals")

    monkeypatch.setattr("narwhals.from_native", refuse)
    assert MixedPCA(2).fit(frame).transform(frame).shape == (6, 2)


def test_a_summary_shows_adjusted_inertias_contributions_cosines_and_test_values():
    table = pd.DataFrame({"a": list("xxyyzzxy"), "b": list("uvuvuvvv"), "c": list("ppqqpqpq")})
    said = str(MixedPCA(2).fit(table).summary())
    for words in ("Benzécri", "categories_.contributions", "categories_.cos2", "categories_.test_values"):
        assert words in said


def test_supplementary_columns_are_of_the_rows_as_they_were():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.standard_normal(30), "b": rng.standard_normal(30), "c": list("xyz") * 10})
    other = pd.DataFrame({"d": rng.standard_normal(30)})
    model = MixedPCA(2).fit(table)
    before = model.supplementary(other).numbers.coordinates
    table["a"] = -table["a"]
    table.loc[:, "b"] = 0.0
    np.testing.assert_array_equal(model.supplementary(other).numbers.coordinates, before)


@pytest.mark.parametrize("columns", [["a", "b"], ["a", "b", "size"]])
def test_an_empty_batch_of_words_changes_nothing(columns):
    table = pd.DataFrame({"a": list("xyz") * 10, "b": list("uv") * 15, "size": np.arange(30.0) % 7})[columns]
    model = MixedPCA(2).partial_fit(table)
    before = model.transform(table)
    np.testing.assert_array_equal(model.partial_fit(table.iloc[:0]).transform(table), before)
