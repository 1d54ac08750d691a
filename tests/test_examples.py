"""The examples still show what they say."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(f"{name}_example", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def localized():
    return example("localized_sir")


def test_city_maps(tmp_path, capsys):
    maps = example("city_maps")
    _, laid = maps.united_states()
    assert laid.residual < 60  # miles, of a country 2,700 miles wide
    found = {name: row for name, *row in maps.repairs()}
    assert found["cailliez"][0] == pytest.approx(2132.678, abs=1e-3)
    assert found["lingoes"][0] == pytest.approx(2251844.33, abs=1e-2)
    assert maps.duality() < 1e-13
    maps.report()
    said = capsys.readouterr().out
    assert "off by 49 miles" in said
    assert "negative inertia 13.2%" in said
    maps.draw(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"united_states.png", "european_roads.png"}


def test_surveillance(tmp_path):
    film = example("surveillance")
    frames, background, block = film.film()
    model = film.separate(frames)
    assert model.rank_ == 2
    assert np.linalg.norm(model.low_rank_ - background) <= 1e-6 * np.linalg.norm(background)
    assert not (model.sparse_ != 0)[~block].any()
    assert film.draw(model, frames, tmp_path).stat().st_size > 10_000


def test_phase_diagram(tmp_path):
    phase = example("phase_diagram")
    corners = phase.diagram(40, 1, ranks=[0.05, 0.45], shares=[0.03, 0.45])
    assert corners[0, 0] == 1
    assert corners[1, 1] == 0
    assert phase.draw(corners, 40, tmp_path).exists()


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


def test_lda_and_svm_part_ways_where_tails_are_heavy(tmp_path):
    spec = importlib.util.spec_from_file_location("lda_against_svm", EXAMPLES / "lda_against_svm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (_, angle, lda, svm), *_ = module.compare(module.gaussian, sizes=(800,), samples=4)
    assert angle < 4
    assert abs(lda - svm) < 0.01
    (_, angle, lda, svm), *_ = module.compare(module.heavy, sizes=(200,), samples=8)
    assert angle > 4
    assert svm < lda
    assert module.draw(tmp_path).exists()


def test_doors(tmp_path):
    doors = example("doors")
    for door, libraries in doors.DOORS.items():
        if all(importlib.util.find_spec(name) for name in libraries):
            limit = 1e-9 if door is doors.moments_in_sqlite else 1e-12  # a database adds up in its own order
            assert doors.apart(door, tmp_path) < limit, door.__name__
