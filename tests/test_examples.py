"""The examples still show what they say."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def localized():
    spec = importlib.util.spec_from_file_location("localized_example", EXAMPLES / "localized_sir.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_swiss_roll_and_tai_chi(localized, tmp_path):
    roll = localized.compare(localized.swiss_roll, 3, 3, 10, (1000,), samples=3)
    assert roll["LocalizedSIR", 1000] > 0.85
    assert max(roll[name, 1000] for name in ("SIR", "SAVE", "DirectionalRegression")) < 0.6
    disc = localized.compare(localized.tai_chi, 2, 2, 10, (1000,), samples=3)
    assert disc["LocalizedSIR", 1000] > 0.9
    assert disc["SAVE", 1000] < 0.7
    assert localized.fit("SIR", *localized.tai_chi(300, np.random.default_rng(0)), 2, 10).components_.shape == (1, 6)
    localized.draw(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"swiss_roll.png", "tai_chi.png"}
