"""Linear maps as ONNX graphs say what the models say."""

import warnings

import numpy as np
import onnxruntime as runtime
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import CCA, FDA, LDA, PCA, PDA, SAVE, SIR
from eigenlens.files.onnx import export_onnx
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
