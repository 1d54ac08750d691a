"""Cross-validation from moments: equal to refits, for every method, source, weight and kind of fold."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import eigenlens
from eigenlens import CCA, FDA, LDA, MDA, PCA, PDA, QDA, SAVE, SIR, LocalizedSIR, MixedPCA, RobustPCA, SparsePCA
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.rows import Block
from eigenlens.rows.sampled_rows import numbers_of
from eigenlens.validation import cross_validate
from eigenlens.validation.folds import DealtFolds

X, y = load_wine(return_X_y=True)
X = X / X.std(axis=0)  # columns of one unit
rng = np.random.default_rng(0)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)
SPLIT = KFold(4, shuffle=True, random_state=2)
Z, Y = X[:, :8], X[:, 8:]

CLASSIFIERS = [
    (LDA(), {"shrinkage": [0.0, 0.1, 0.5]}),
    (LDA(shrinkage="oas"), {"n_components": [1, 2]}),
    (LDA(), {"shrinkage": [None, "ledoit-wolf"]}),
    (LDA(priors=[0.2, 0.3, 0.5]), {"within": ["pooled", "equal"]}),
    (QDA(), {"pooling": [0, 0.3, 1], "shrinkage": [None, 0.1]}),
    (PDA(), {"lam": [0.0, 1.0, 100.0]}),
    (make_pipeline(StandardScaler(), LDA()), {"lda__shrinkage": [0.0, 0.3]}),
    (make_pipeline(StandardScaler(with_mean=False), QDA()), None),
    (make_pipeline(StandardScaler(with_std=False), StandardScaler(), PDA()), {"pda__lam": [1.0, 30.0]}),
]


@pytest.mark.parametrize(("model", "settings"), CLASSIFIERS, ids=str)
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_classifiers_score_as_refits_do(model, settings, scoring):
    result = cross_validate(model, X, y, cv=FOLDS, settings=settings, scoring=scoring)
    assert result.from_moments
    assert result.passes == 2
    for setting, scores in zip(result.settings, result.scores, strict=True):
        again = cross_val_score(clone(model).set_params(**setting), X, y, cv=FOLDS, scoring=scoring)
        np.testing.assert_allclose(scores, again, rtol=1e-9, atol=1e-12)
    best = clone(model).set_params(**result.best)
    np.testing.assert_array_equal(result.predictions, cross_val_predict(best, X, y, cv=FOLDS))
    np.testing.assert_allclose(result.model.predict_proba(X), best.fit(X, y).predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("scaler", [None, StandardScaler()], ids=str)
def test_settings_of_a_wide_table_share_what_none_of_them_changes(scaler):
    """Decompositions are made once a fold for each penalty: a grid over penalties must not mix them up."""
    wide = np.random.default_rng(3).standard_normal((60, 150))
    kinds = np.repeat([0, 1, 2], 20)
    wide[:, :10] += kinds[:, None]
    model, prefix = (PDA(), "") if scaler is None else (make_pipeline(scaler, PDA()), "pda__")
    grid = {f"{prefix}penalty": ["ridge", "smooth", np.eye(150) * 3], f"{prefix}lam": [0.5, 20.0]}
    result = cross_validate(model, wide, kinds, cv=FOLDS, settings=grid, scoring="neg_log_loss")
    assert result.from_moments
    for setting, scores in zip(result.settings, result.scores, strict=True):
        again = cross_val_score(clone(model).set_params(**setting), wide, kinds, cv=FOLDS, scoring="neg_log_loss")
        np.testing.assert_allclose(scores, again, rtol=1e-8)


@pytest.mark.parametrize(
    ("model", "target", "settings", "scoring"),
    [
        (CCA(), Y, {"ridge": [0.0, 0.1]}, "r2"),
        (CCA(2), Y, {"ridge": [0.0, 0.1]}, "neg_mean_squared_error"),
        (PenalizedRegression(), Y, {"lam": [0.0, 0.5]}, "r2"),
        (PenalizedRegression("smooth"), Y[:, 0], {"df": [3.0, 5.0]}, "neg_mean_squared_error"),
        (
            make_pipeline(StandardScaler(), PenalizedRegression()),
            Y[:, 1],
            {"penalizedregression__lam": [1.0, 9.0]},
            "r2",
        ),
        (make_pipeline(StandardScaler(), CCA(2)), Y, None, "r2"),
    ],
    ids=str,
)
def test_responses_score_as_refits_do(model, target, settings, scoring):
    result = cross_validate(model, Z, target, cv=SPLIT, settings=settings, scoring=scoring)
    assert result.from_moments
    for setting, scores in zip(result.settings, result.scores, strict=True):
        again = cross_val_score(clone(model).set_params(**setting), Z, target, cv=SPLIT, scoring=scoring)
        np.testing.assert_allclose(scores, again, rtol=1e-8)
    best = clone(model).set_params(**result.best)
    np.testing.assert_allclose(result.predictions, cross_val_predict(best, Z, target, cv=SPLIT), rtol=1e-8)


def test_pca_scores_as_refits_do():
    counts = [1, 2, 5, 13]
    result = cross_validate(PCA(), X, cv=SPLIT, settings={"n_components": counts})
    again = [cross_val_score(PCA(k), X, cv=SPLIT) for k in counts]
    np.testing.assert_allclose(result.scores, again, rtol=1e-10)
    errors = cross_validate(PCA(), X, cv=SPLIT, settings={"n_components": counts[:3]}, scoring="reconstruction")
    for k, scores in zip(counts, errors.scores, strict=False):
        folds = [-PCA(k).fit(X[a]).reconstruction_error(X[b]).mean() for a, b in SPLIT.split(X)]
        np.testing.assert_allclose(scores, folds, rtol=1e-9)


def test_pipelines_scale_before_pca():
    model = make_pipeline(StandardScaler(), PCA(3))
    for scaled in (PCA(2, scale=True), PCA(5, scale=True)):
        np.testing.assert_allclose(cross_validate(scaled, X, cv=SPLIT).scores[0], cross_val_score(scaled, X, cv=SPLIT))
    result = cross_validate(model, X, cv=SPLIT)
    np.testing.assert_allclose(result.scores[0], cross_val_score(model, X, cv=SPLIT), rtol=1e-10)
    scaler = result.model[0]
    np.testing.assert_allclose(scaler.scale_, StandardScaler().fit(X).scale_, rtol=1e-12)
    np.testing.assert_allclose(result.model.transform(X), clone(model).fit(X).transform(X), atol=1e-9)


@pytest.mark.parametrize("model", [SIR(2), SAVE(2)], ids=str)
def test_slices_score_as_refits_with_the_same_cuts(model):
    response = X[:, 12]
    result = cross_validate(model, X[:, :12], response, cv=SPLIT)
    cuts = np.asarray(result.model.moments_.meaning.cuts[0])
    for (a, b), score in zip(SPLIT.split(X), result.scores[0], strict=True):
        again = clone(model).set_params(n_slices=cuts).fit(X[a, :12], response[a])
        scores, slices = again.transform(X[b, :12]), np.searchsorted(cuts, response[b], side="left")
        means = again.transform(again.slice_means_)
        lost = np.sum((scores - means[slices]) ** 2)
        assert score == pytest.approx(1 - lost / np.sum(scores**2), rel=1e-8)


def test_weights_count_rows():
    times = rng.integers(0, 4, len(X))
    numbers = rng.integers(0, 4, len(X))
    for model in (LDA(), QDA(), PDA(lam=2.0), make_pipeline(StandardScaler(), LDA())):
        weighted = cross_validate(model, X, y, cv=numbers, sample_weight=times, scoring="neg_log_loss")
        repeated = cross_validate(
            model,
            np.repeat(X, times, axis=0),
            np.repeat(y, times),
            cv=np.repeat(numbers, times),
            scoring="neg_log_loss",
        )
        np.testing.assert_allclose(weighted.scores, repeated.scores, rtol=1e-9)
    weighted = cross_validate(PenalizedRegression(lam=1.0), Z, Y, cv=numbers, sample_weight=times)
    again = cross_validate(
        PenalizedRegression(lam=1.0),
        np.repeat(Z, times, axis=0),
        np.repeat(Y, times, axis=0),
        cv=np.repeat(numbers, times),
    )
    np.testing.assert_allclose(weighted.scores, again.scores, rtol=1e-9)


@pytest.mark.parametrize("model", [LDA(missing="ml"), PDA(lam=1.0, missing="ml")], ids=str)
def test_missing_cells(model):
    holed = load_iris().data.copy()
    target = load_iris().target
    holed[rng.random(holed.shape) < 0.1] = np.nan
    result = cross_validate(model, holed, target, cv=FOLDS, scoring="neg_log_loss")
    assert result.from_moments
    again = cross_val_score(model, holed, target, cv=FOLDS, scoring="neg_log_loss")
    np.testing.assert_allclose(result.scores[0], again, rtol=1e-6)
    pca = cross_validate(PCA(2, missing="ml"), holed, cv=SPLIT)
    np.testing.assert_allclose(pca.scores[0], cross_val_score(PCA(2, missing="ml"), holed, cv=SPLIT), rtol=1e-6)


def test_a_class_that_one_fold_holds_alone():
    labels = y.copy()
    labels[:3] = 7
    numbers = np.arange(len(y)) % 4
    numbers[:3] = 0
    result = cross_validate(LDA(), X, labels, cv=numbers, settings={"shrinkage": [0.0, 0.1]})
    again = cross_val_score(LDA(shrinkage=0.1), X, labels, cv=PredefinedSplit(numbers))
    np.testing.assert_allclose(result.scores[1], again)
    assert (result.predictions[:3] != 7).all()


def test_every_source_has_the_folds_of_the_array(tmp_path):
    dask = pytest.importorskip("dask.array")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(13)]).assign(grower=np.array(["a", "b", "c"])[y])
    frame.to_csv(tmp_path / "wine.csv", index=False)
    frame.to_parquet(tmp_path / "wine.parquet", row_group_size=40)
    words = frame["grower"].to_numpy()
    grid = {"shrinkage": [0.0, 0.05]}
    expected = cross_validate(LDA(), X, words, settings=grid)
    sources = [
        (eigenlens.open_rows(tmp_path / "wine.csv", target="grower"), None),
        (eigenlens.open_rows(tmp_path / "wine.parquet", target="grower", batch_rows=17), None),
        (eigenlens.open_rows([X[:50], X[50:]]), words),
        (frame.drop(columns="grower"), frame["grower"]),
        (sparse.csr_matrix(X), words),
        (dask.from_array(X, chunks=(60, 13)), dask.from_array(y, chunks=60)),
    ]
    for rows, labels in sources[:-1]:
        found = cross_validate(LDA(), rows, labels, settings=grid)
        np.testing.assert_allclose(found.scores, expected.scores, atol=1e-12)
        np.testing.assert_array_equal(found.predictions, expected.predictions)
        assert found.passes == 2
    numbers = cross_validate(LDA(), X, y, settings=grid)
    found = cross_validate(LDA(), *sources[-1], settings=grid)
    np.testing.assert_allclose(found.scores, numbers.scores, atol=1e-12)
    ddf = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    found = cross_validate(LDA(), ddf[list(ddf.columns[:-1])], ddf["grower"], settings=grid)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-12)
    found = cross_validate(PCA(2), eigenlens.open_rows(tmp_path / "wine.csv", columns=list(frame.columns[:-1])))
    np.testing.assert_allclose(found.scores, cross_validate(PCA(2), X).scores, rtol=1e-10)


def test_dealt_folds_are_even_and_differ_by_seed():
    from eigenlens.rows import Block
    from eigenlens.validation.folds import DealtFolds

    block = Block(np.zeros((1000, 0)), y, None, np.array([0, 1, 2]), None, np.arange(1000))
    for by_class, labels in ((False, y[:0]), (True, np.repeat(np.arange(3), [500, 300, 200]))):
        block = Block(np.zeros((1000, 0)), labels, None, np.array([0, 1, 2]), None, np.arange(1000))
        first, second = DealtFolds(5, 0, by_class)(block), DealtFolds(5, 1, by_class)(block)
        assert np.bincount(first).tolist() == [200] * 5
        assert 0.7 < np.mean(first != second) < 0.9


def test_numbers_by_cells_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((400, 3)), np.zeros((50, 3))])
    X[7, 1] = np.nan
    order = rng.permutation(len(X))
    numbers = numbers_of(X)
    assert len(set(numbers.tolist())) == len(X)  # copies of a row are told apart
    assert np.array_equal(np.sort(numbers[order]), np.sort(numbers_of(X[order])))
    assert np.array_equal(numbers_of(X[order])[order < 400], numbers[order][order < 400])
    assert np.array_equal(numbers_of(-np.abs(np.zeros((1, 3)))), numbers_of(np.zeros((1, 3))))
    folds = DealtFolds(5, 0)(Block(X, numbers=numbers))
    assert np.bincount(folds, minlength=5).min() > 60


def test_rows_far_from_the_origin_and_ill_conditioned_keep_their_digits():
    many = rng.standard_normal((30_000, 45))
    many[:, 1] = many[:, 0] + 1e-6 * many[:, 1]
    labels = (many[:, 2] + 0.3 * rng.standard_normal(30_000) > 0).astype(int)
    result = cross_validate(LDA(), many + 1e6, labels, cv=SPLIT, scoring="neg_log_loss")
    assert result.passes == 3  # the condition asked for factors
    again = cross_val_score(LDA(), many + 1e6, labels, cv=SPLIT, scoring="neg_log_loss")
    np.testing.assert_allclose(result.scores[0], again, rtol=1e-7)


def test_other_models_are_refitted_and_say_so():
    result = cross_validate(FDA(), X, y, cv=FOLDS)
    assert not result.from_moments
    assert "by refits. FDA needs the rows" in str(result)
    np.testing.assert_allclose(result.scores[0], cross_val_score(FDA(), X, y, cv=FOLDS))
    prepared = make_pipeline(MinMaxScaler(), LDA())
    result = cross_validate(prepared, X, y, cv=FOLDS, settings={"lda__shrinkage": [0.1, 0.2]})
    assert "MinMaxScaler cannot be applied to moments" in str(result)
    np.testing.assert_allclose(
        result.scores[1], cross_val_score(prepared.set_params(lda__shrinkage=0.2), X, y, cv=FOLDS)
    )
    frame = pd.DataFrame(X)
    other = make_pipeline(StandardScaler(), LogisticRegression())
    result = cross_validate(other, frame, y, cv=FOLDS, settings={"logisticregression__C": [0.1, 1.0]})
    np.testing.assert_allclose(result.scores[1], cross_val_score(other, frame, y, cv=FOLDS))
    np.testing.assert_array_equal(result.predictions.dtype, y.dtype)
    result = cross_validate(LDA(), X, y, cv=ShuffleSplit(3, random_state=0))
    assert "fitted to its rows" in result.note
    np.testing.assert_allclose(result.scores[0], cross_val_score(LDA(), X, y, cv=ShuffleSplit(3, random_state=0)))


def test_scorers_of_scikit_learn_and_functions():
    result = cross_validate(LDA(), X, y, cv=FOLDS, scoring="f1_macro", settings={"shrinkage": [0.0, 0.2]})
    assert result.from_moments
    np.testing.assert_allclose(
        result.scores[1], cross_val_score(LDA(shrinkage=0.2), X, y, cv=FOLDS, scoring="f1_macro")
    )

    def directions(model, rows, labels):
        return model.transform(rows).shape[1]

    assert (cross_validate(LDA(), X, y, cv=3, scoring=directions).scores == 2).all()
    sparse_axes = cross_validate(
        SparsePCA(2, n_nonzero=4), X, cv=3, scoring=lambda m, rows, labels: float(m.n_components_)
    )
    assert sparse_axes.from_moments


def test_words_and_models_without_a_score():
    frame = pd.DataFrame(X[:, :4]).rename(columns=str).assign(grower=np.array(["a", "b", "c"])[y])
    result = cross_validate(MixedPCA(2), frame, cv=SPLIT, scoring=lambda m, rows, labels: m.transform(rows)[:, 0].var())
    assert result.from_moments
    expected = [MixedPCA(2).fit(frame.iloc[a]).transform(frame.iloc[b])[:, 0].var() for a, b in SPLIT.split(frame)]
    np.testing.assert_allclose(result.scores[0], expected, rtol=1e-9)
    for model in (RobustPCA(), SparsePCA(2), MixedPCA(2)):
        with pytest.raises(InputError, match="pass scoring="):
            cross_validate(model, X)
    with pytest.raises(InputError, match="n_slices changes the slices"):
        cross_validate(SIR(), X[:, :12], X[:, 12], settings={"n_slices": [5, 10]})


def test_models_that_choose_for_themselves_are_refitted():
    result = cross_validate(LDA(shrinkage="cv"), X, y, cv=FOLDS)
    assert "a cross-validation of its own" in str(result)
    np.testing.assert_allclose(result.scores[0], cross_val_score(LDA(shrinkage="cv"), X, y, cv=FOLDS))


def test_groups_stay_together():
    groups = np.arange(len(X)) // 6
    splits = list(GroupKFold(4).split(X, y, groups))
    result = cross_validate(LDA(), X, y, cv=splits)
    np.testing.assert_allclose(result.scores[0], cross_val_score(LDA(), X, y, cv=splits))
    assert result.passes == 2


def test_one_standard_error_frame_and_words():
    result = cross_validate(LDA(), X, y, settings={"shrinkage": [0.0, 1e-6, 1e-5, 1e-4, 0.5]})
    frame = result.to_frame()
    assert frame.columns.tolist()[:3] == ["shrinkage", "mean", "standard_error"]
    np.testing.assert_allclose(frame["mean"], result.scores.mean(axis=1))
    least = result.mean_scores.max() - result.standard_errors[result.best_index]
    expected = max(v for v, m in zip(frame["shrinkage"], frame["mean"], strict=True) if m >= least)
    assert result.one_standard_error == {"shrinkage": expected}
    assert "is best of 5 settings" in str(result)
    assert "<p>" in result._repr_html_()


def test_settings_that_cannot_be_fitted_are_told():
    few = np.r_[np.arange(8), np.arange(80, 88)]
    result = cross_validate(QDA(), X[few], y[few], cv=2, settings={"pooling": [0.0], "shrinkage": [None, 0.5]})
    assert np.isnan(result.scores[0]).all()
    assert result.best["shrinkage"] == 0.5
    assert "could not be fitted: class" in result.note


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cv": 1}, "cv=1"),
        ({"cv": "five"}, "cv='five'"),
        ({"cv": 2.5}, "cv=2.5"),
        ({"cv": np.arange(3)}, "one number for each row"),
        ({"cv": np.zeros(178, dtype=int)}, "one fold holds every row"),
        ({"settings": {"shrink": [1]}}, "no parameter 'shrink'"),
        ({"settings": {"shrinkage": 0.5}}, "must be a list of values"),
        ({"settings": []}, "must be a dict of lists"),
        ({"settings": {"shrinkage": [2.0]}}, "shrinkage=2.0"),
        ({"scoring": "acuracy"}, "acuracy"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_what_is_wrong_is_named(options, words):
    with pytest.raises((InputError, InputTypeError), match=words):
        cross_validate(LDA(), X, y, **options)


def test_streams_that_are_read_once_are_refused():
    with pytest.raises(InputError, match="reads rows twice"):
        cross_validate(PCA(1), eigenlens.open_rows(iter([X[:50], X[50:]])))
    with pytest.raises(InputError, match="splits rows in memory"):
        cross_validate(PCA(1), eigenlens.open_rows([X[:50], X[50:]]), cv=KFold(3))


def test_plot(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    for settings in ({"shrinkage": [0.0, 0.01, 0.9]}, {"shrinkage": [0.1, 0.2], "n_components": [1, 2]}, None):
        assert cross_validate(LDA(), X, y, settings=settings).plot().ax_.get_ylabel() == "accuracy"


def test_folds_may_be_numbered_with_gaps():
    X, y = load_wine(return_X_y=True)
    folds = np.arange(len(y)) % 4
    found, same = (cross_validate(LDA(), X, y, cv=numbers) for numbers in (3 * folds + 1, folds))
    np.testing.assert_array_equal(found.scores, same.scores)
    np.testing.assert_array_equal(found.predictions, same.predictions)


@pytest.mark.parametrize("model", [LDA(), FDA()], ids=repr)
def test_a_class_in_one_fold_only_is_told(model):
    X, y = load_wine(return_X_y=True)
    folds = np.arange(len(y)) % 3
    folds[y == 2] = 1
    assert "Class '2' lies in one fold only" in cross_validate(model, X, y, cv=folds).note
    assert "one fold only" not in cross_validate(model, X, y, cv=np.arange(len(y)) % 3).note


def test_a_splitter_of_groups_says_how_it_gets_them():
    X, y = load_wine(return_X_y=True)
    cv, groups = GroupKFold(3), np.arange(len(y)) // 4
    with pytest.raises(InputError, match=r"cv=list\(cv.split\(X, y, groups\)\)"):
        cross_validate(LDA(), X, y, cv=cv)
    found = cross_validate(LDA(), X, y, cv=list(cv.split(X, y, groups)))  # what the message says
    assert found.scores.shape == (1, 3)


def test_localized_sir_is_fitted_to_rows():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match="LocalizedSIR does not predict"):
        cross_validate(LocalizedSIR(), X[:, :4], y + 0.0)


def test_rows_of_weight_zero_are_not_scored():
    X, y = load_wine(return_X_y=True)
    weight, folds = 1.0 + np.arange(len(y)) % 2, np.arange(len(y)) % 3
    weight[::5] = 0
    found = cross_validate(LDA(), X, y, cv=folds, sample_weight=weight).predictions
    for fold in range(3):
        train, test = folds != fold, (folds == fold) & (weight > 0)
        assert (found[test] == LDA().fit(X[train], y[train], weight[train]).predict(X[test])).all()
    assert all(label is None for label in found[weight == 0])


def test_several_classes_in_one_fold_each_are_told_in_the_plural():
    X, y = load_wine(return_X_y=True)
    note = cross_validate(LDA(), X, y, cv=y).note
    assert "Classes '0', '1', '2' lie in one fold only, so models that score them have not seen them;" in note


def _many_rows():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((600, 5))
    kinds = rng.integers(0, 3, 600)
    rows[kinds == 1, 0] += 1.0
    rows[kinds == 2, 1] += 1.0
    response = rows[:, 0] + rows[:, 1] ** 2 + 0.5 * rng.standard_normal(600)
    return rows, kinds, response, rng.uniform(0.1, 3.0, 600), rng.integers(0, 5, 600)


WEIGHTED = [
    (LDA(), {"shrinkage": [0.0, 0.1, 0.5]}),
    (QDA(), {"pooling": [0.0, 0.3, 1.0]}),
    (PDA(), {"lam": [1.0, 100.0]}),
    (FDA(), {"regressor": [PenalizedRegression(), AdaptiveSplines()]}),
    (MDA(), {"n_subclasses": [1, 2]}),
    (SIR(1, n_slices=[-0.5, 0.5, 2.0]), {"ridge": [0.0, 0.1]}),  # a number of slices would cut each part by itself
    (PenalizedRegression(), {"lam": [1.0, 10.0]}),
    (PolynomialRegression(), {"degree": [1, 2]}),
    (AdaptiveSplines(), {"degree": [1, 2]}),
    (AdditiveSplines(), None),
    (make_pipeline(StandardScaler(), PDA()), {"pda__lam": [1.0, 100.0]}),
]


@pytest.mark.parametrize("shares", [False, True], ids=["weights", "shares"])
@pytest.mark.parametrize(("model", "settings"), WEIGHTED, ids=lambda v: type(v).__name__ if v is not None else "")
def test_predictions_with_weights_are_those_of_refits(model, settings, shares):
    rows, kinds, response, weight, folds = _many_rows()
    final = model[-1] if hasattr(model, "steps") else model
    truth = kinds if hasattr(final, "predict_proba") else response
    given = weight / weight.sum() if shares else weight
    result = cross_validate(model, rows, truth, cv=folds, settings=settings, sample_weight=given)
    counted = given * len(rows) if shares else weight  # a part of the shares no longer adds up to 1
    for k in range(5):
        train, test = folds != k, folds == k
        steps = [name for name, _ in getattr(model, "steps", [])]
        names = [f"{name}__sample_weight" for name in steps] or ["sample_weight"]
        refit = (
            clone(model)
            .set_params(**result.best)
            .fit(rows[train], truth[train], **dict.fromkeys(names, counted[train]))
        )
        found = result.predictions[test]
        if isinstance(model, SIR):  # the slice whose mean is nearest
            apart = refit.transform(rows[test]) - refit.transform(refit.slice_means_).T
            expected = refit.slices_[np.abs(apart).argmin(axis=1)]
        else:
            expected = refit.predict(rows[test])
        if truth is kinds or isinstance(model, SIR):
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("model", [LDA(), MDA(n_subclasses=1)], ids=repr)
def test_folds_without_rows_are_refused(model):
    rows, kinds, *_ = _many_rows()
    with pytest.raises(InputError, match=r"cv: fold \d+ of 60 has no rows to score.*leave_one_out"):
        cross_validate(model, rows[:60], kinds[:60], cv=60)


def test_where_no_setting_can_be_fitted_the_reasons_are_told():
    rows, kinds, *_ = _many_rows()
    with pytest.raises(
        InputError, match=r"settings: none can be fitted in every fold.*n_subclasses=-1 could not be fitted"
    ):
        cross_validate(MDA(), rows, kinds, settings={"n_subclasses": [-1, -2]})
