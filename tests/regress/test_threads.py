"""Fitting on one thread gives the user's setting back, also after an error."""

import pytest
from threadpoolctl import threadpool_info

from eigenlens.regress._threads import one_thread


def blas_threads():
    return {i["filepath"]: i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"}


def test_threads_come_back():
    before = blas_threads()
    with one_thread():
        assert set(blas_threads().values()) == {1}
    assert blas_threads() == before
    with pytest.raises(RuntimeError, match="stop"), one_thread():
        raise RuntimeError("stop")
    assert blas_threads() == before
