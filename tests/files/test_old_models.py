"""Model files that earlier versions wrote load, and answer as they did."""

import tarfile
from pathlib import Path

import numpy as np
import pytest
from old_models import answers, rows_for

from eigenlens import load, save
from eigenlens.files import describe
from eigenlens.testing import all_estimators, all_regressors

ARCHIVES = sorted(Path(__file__).parent.glob("written_by_*/models.tar.xz"))


def contents():
    for archive in ARCHIVES:
        with tarfile.open(archive) as files:
            for entry in files:
                name = f"{archive.parent.name}/{entry.name}"
                yield pytest.param(entry.name.removesuffix(".eigenlens"), files.extractfile(entry).read(), id=name)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.VersionWarning")
@pytest.mark.parametrize(("name", "content"), list(contents()))
def test_it_loads_and_answers_as_it_did(name, content, tmp_path):
    path = tmp_path / "old.eigenlens"
    path.write_bytes(content)
    model, expected = load(path), describe(path)["about"]["answers"]
    for again in (model, load(save(model, tmp_path / "new.eigenlens"))):
        found = answers(again, rows_for(name))
        assert found.keys() >= expected.keys()
        for call, values in ((call, found[call]) for call in expected):
            if np.asarray(values).dtype.kind == "f":
                np.testing.assert_allclose(values, expected[call], rtol=1e-9, atol=1e-9, err_msg=call)
            else:
                assert values == expected[call], call


def test_the_archive_holds_every_public_estimator(tmp_path):
    assert len(list(contents())) >= 100
    kinds = set()
    for parameters in contents():
        (tmp_path / "old.eigenlens").write_bytes(parameters.values[1])
        kinds |= set(describe(tmp_path / "old.eigenlens")["classes"])
    assert kinds >= {cls.__name__ for cls in [*all_estimators(), *all_regressors()]}
