"""Linear maps as ONNX graphs say what the models say."""

import warnings

import numpy as np
import onnxruntime as runtime
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from eigenlens import CCA, FDA, LDA, PCA, PDA, QDA, SAVE, SIR, KernelPCA
from eigenlens.files.onnx import export_onnx
from eigenlens.regress import PenalizedRegression, PolynomialRegression
from eigenlens.testing import sample

LINEAR = [PCA(2), PCA(2, whiten=True), LDA(), LDA(1), LDA(priors=[0.2, 0.3, 0.5]), PDA(), SIR(2), SAVE(2), CCA()]


def run(path, X):
    session = runtime.InferenceSession(str(path))
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, {"X": X}), strict=True))


@pytest.mark.parametrize("estimator", [*LINEAR, make_pipeline(StandardScaler(), LDA())], ids=repr)
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_scores_and_classes(estimator, offset, tmp_path):
    data = sample(getattr(estimator, "_target", "labels"), offset=offset)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator.fit(*data.arguments())
    said = run(export_onnx(model, tmp_path / "m.onnx"), data.X)
    Z = model.transform(data.X)
    assert np.abs(said["scores"] - Z).max() <= 1e-13 * np.abs(Z).max()
    if hasattr(model, "predict_proba"):
        assert (said["label"] == model.predict(data.X)).all()
        assert np.abs(said["probabilities"] - model.predict_proba(data.X)).max() < 1e-13


def test_whole_numbers_as_labels(tmp_path):
    data = sample("labels")
    model = LDA().fit(data.X, np.arange(len(data)) % 3 * 10)
    assert (run(export_onnx(model, tmp_path / "m.onnx"), data.X)["label"] == model.predict(data.X)).all()


def test_what_is_not_linear_is_refused(tmp_path):
    data = sample("labels")
    with pytest.raises(TypeError, match=r"FDA cannot be written as ONNX.*not a linear map"):
        export_onnx(FDA().fit(data.X, data.y), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


PIPELINES = [
    make_pipeline(StandardScaler(), PCA(3), LDA()),
    make_pipeline(StandardScaler(with_std=False), PCA(3, whiten=True), QDA()),
    make_pipeline(MinMaxScaler((-1, 2)), PCA(2), PenalizedRegression(lam=1.0)),
    make_pipeline(MaxAbsScaler(), "passthrough", LDA()),
    QDA(),
    QDA(pooling=0.3, shrinkage=0.1),
    PenalizedRegression(lam=1.0),
    PolynomialRegression(degree=1),
    LinearRegression(),
    Ridge(),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", PIPELINES, ids=repr)
def test_pipelines_qda_and_regressors(model, dtype, tmp_path):
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    data = sample("labels" if hasattr(last, "predict_proba") else "table")
    model.fit(data.X, data.y)
    said = run(export_onnx(model, tmp_path / "m.onnx", dtype=dtype), data.X.astype(dtype))
    digits = 1e-12 if dtype == "float64" else 1e-4
    if hasattr(last, "predict_proba"):
        assert said["probabilities"].dtype == dtype
        assert np.abs(said["probabilities"] - model.predict_proba(data.X)).max() < digits
        assert np.mean(said["label"] == model.predict(data.X)) > (0.99 if dtype == "float32" else 0.999)
    else:
        expected = model.predict(data.X)
        assert np.abs(said["prediction"] - expected).max() < digits * np.abs(expected).max()


def test_single_precision_keeps_the_digits_of_an_offset(tmp_path):
    """Rows at 10⁴, exact in float32: the centre is subtracted in two steps, so scores keep six digits."""
    data = sample("none", offset=1e4)
    X = data.X.astype(np.float32)
    model = PCA(2).fit(X.astype(np.float64))
    said = run(export_onnx(model, tmp_path / "m.onnx", dtype="float32"), X)["scores"]
    Z = model.transform(X.astype(np.float64))
    assert np.abs(said - Z).max() < 1e-6 * np.abs(Z).max()


def test_steps_that_are_not_known_are_refused(tmp_path):
    data = sample("labels")
    model = make_pipeline(KernelPCA(2), LDA()).fit(data.X, data.y)
    with pytest.raises(TypeError, match=r"KernelPCA cannot be written as ONNX: .* known steps"):
        export_onnx(model, tmp_path / "m.onnx")
    with pytest.raises(TypeError, match="PolynomialRegression cannot be written"):
        export_onnx(PolynomialRegression(degree=2).fit(data.X, data.X[:, 0]), tmp_path / "m.onnx")
    with pytest.raises(ValueError, match="dtype='float16' is not an option"):
        export_onnx(LDA().fit(data.X, data.y), tmp_path / "m.onnx", dtype="float16")
