"""torch and CuPy arrays on a CUDA device: results stay there and agree with NumPy's."""

import numpy as np
import pytest

from eigenlens.testing import sample_for
from eigenlens.testing.laws import scores as scores_of
from variants import all_variants


def cuda_libraries():
    found = []
    try:
        import torch

        if torch.cuda.is_available():
            found.append(("torch", lambda a: torch.asarray(a, device="cuda"), lambda a: a.cpu().numpy()))
    except ImportError:
        pass
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount():
            found.append(("cupy", cupy.asarray, cupy.asnumpy))
    except Exception:
        pass
    return found


LIBRARIES = cuda_libraries()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not LIBRARIES, reason="no CUDA device with torch or CuPy here")]


@pytest.mark.parametrize("library", LIBRARIES or [None], ids=lambda library: library[0] if library else "none")
@pytest.mark.parametrize("estimator", list(all_variants()), ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_device_agrees_with_the_host(estimator, library, dtype):
    from sklearn.base import clone

    _, to_device, to_host = library
    data = sample_for(estimator, n=400, offset=100.0)
    X = data.X.astype(dtype)
    y = data.y
    if estimator._target == "labels":
        y = np.unique(y, return_inverse=True)[1]
    rest = [] if y is None else [y]
    host = clone(estimator).fit(X, *rest)
    device = clone(estimator).fit(to_device(X), *map(to_device, rest))
    scores = scores_of(device, to_device(X))
    assert type(scores) is type(to_device(X))
    assert scores.device == to_device(X).device
    expected = scores_of(host, X)
    tolerance = 1e-9 if dtype is np.float64 else 1e-4
    np.testing.assert_allclose(to_host(scores), expected, rtol=0, atol=tolerance * np.abs(expected).max())
    if hasattr(device, "predict"):
        np.testing.assert_allclose(to_host(device.predict(to_device(X))), host.predict(X), rtol=1e-3)
    if not hasattr(estimator, "partial_fit"):
        return
    batches = clone(estimator)
    for index in np.array_split(np.arange(len(X)), 3):
        batches.partial_fit(to_device(X[index]), *[to_device(r[index]) for r in rest])
    np.testing.assert_allclose(
        to_host(scores_of(batches, to_device(X))), expected, rtol=0, atol=tolerance * np.abs(expected).max()
    )
