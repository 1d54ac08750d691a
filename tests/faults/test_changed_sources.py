"""Files that change after they were opened are refused, whenever it happens and whatever changed."""

import gzip
import json
import os
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

from eigenlens import FDA, LDA, PCA, SIR, open_rows, write_rows
from eigenlens.app.main import run
from eigenlens.exceptions import InputError
from eigenlens.rows import TableFile
from eigenlens.rows.stream import RowSource

rng = np.random.default_rng(0)
N = 300
X = rng.standard_normal((N, 3)) * [3, 2, 1] + 2 * (np.arange(N) % 3)[:, None]
FRAME = pd.DataFrame(X, columns=list("abc"))
FRAME["k"] = np.arange(N) % 3
CHANGED = "has changed since it was opened"


def write_npy(path, values=X):
    np.save(path, values)


def write_fortran(path, values=X):
    np.save(path, np.asfortranarray(values))


def write_parquet(path, values=X):
    pd.DataFrame(values, columns=[f"c{j}" for j in range(values.shape[1])]).to_parquet(path, row_group_size=50)


def write_csv(path, values=X):
    pd.DataFrame(values, columns=[f"c{j}" for j in range(values.shape[1])]).to_csv(path, index=False)


def write_zarr(path, values=X):
    shutil.rmtree(path, ignore_errors=True)
    array = zarr.create_array(str(path), shape=values.shape, chunks=(50, values.shape[1]), dtype="f8")
    array[:] = values


KINDS = {
    "rows.npy": write_npy,
    "columns.npy": write_fortran,
    "rows.parquet": write_parquet,
    "rows.csv": write_csv,
    "rows.zarr": write_zarr,
}
USES = {
    "fit": lambda source: PCA(1).fit(source),
    "load": lambda source: FDA().fit(source, np.arange(N) % 3),
    "transform": lambda source: PCA(1).fit(X).transform(source),
}


@pytest.fixture(params=KINDS)
def opened(request, tmp_path):
    path = tmp_path / request.param
    KINDS[request.param](path)
    return path, KINDS[request.param], open_rows(path)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
class TestBeforeAPass:
    def test_wider(self, opened, use):
        path, write, source = opened
        write(path, np.hstack([X, X[:, :1]]))
        with pytest.raises(ValueError, match=CHANGED):
            use(source)

    def test_other_numbers(self, opened, use):
        path, write, source = opened
        write(path, X + 1)
        with pytest.raises(ValueError, match=CHANGED):
            use(source)

    def test_gone(self, opened, use):
        path, _, source = opened
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        with pytest.raises(ValueError, match=r"has changed.*it is gone"):
            use(source)

    def test_swapped(self, opened, use, tmp_path):
        path, write, source = opened
        other = tmp_path / f"other{path.suffix}"
        write(other, X[::-1])
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        os.rename(other, path)
        with pytest.raises(ValueError, match=CHANGED):
            use(source)

    def test_unchanged(self, opened, use):
        _, _, source = opened
        use(source)
        use(source)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_changed_during_a_pass(opened, use, monkeypatch):
    path, write, source = opened
    checked, calls = RowSource._checked, []

    def interfering(self, piece):
        batch = checked(self, piece)
        if not calls:
            calls.append(write(path, X * 2))
        return batch

    monkeypatch.setattr(RowSource, "_checked", interfering)
    with pytest.raises(ValueError, match=CHANGED):
        use(source)


def test_sir_compares_its_two_passes(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    FRAME.to_parquet(path)
    source = open_rows(path, list("abc"), target="k")
    read = RowSource.target_values

    def then_swapped(self):
        found = read(self)
        FRAME.assign(k=FRAME["k"][::-1].to_numpy()).to_parquet(path)
        return found

    monkeypatch.setattr(RowSource, "target_values", then_swapped)
    with pytest.raises(ValueError, match=CHANGED):
        SIR(1, n_slices=3).fit(source)


def test_a_failed_pass_leaves_model_and_output(tmp_path):
    write_npy(tmp_path / "rows.npy")
    model, source = PCA(1).fit(X), open_rows(tmp_path / "rows.npy")
    before = model.components_
    write_npy(tmp_path / "rows.npy", X + 1)
    with pytest.raises(ValueError, match=CHANGED):
        model.fit(source)
    with pytest.raises(ValueError, match=CHANGED):
        write_rows(model.transform, source, tmp_path / "scores.npy")
    assert model.components_ is before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rows.npy"]


def test_a_lost_chunk(tmp_path):
    write_zarr(tmp_path / "rows.zarr")
    source, whole = open_rows(tmp_path / "rows.zarr"), zarr.open(str(tmp_path / "rows.zarr"), mode="r")
    given = open_rows(whole)
    chunk = sorted(p for p in (tmp_path / "rows.zarr").rglob("*") if p.is_file() and p.name != "zarr.json")[2]
    chunk.unlink()
    for each in (source, given):
        with pytest.raises(ValueError, match=r"has changed.*it is gone"):
            PCA(1).fit(each)
    with pytest.raises(ValueError, match=r"only 5 of 6 chunks are stored.*would be read as 0.0.*open_rows\(zarr"):
        open_rows(tmp_path / "rows.zarr")
    assert PCA(1).fit(open_rows(zarr.open(str(tmp_path / "rows.zarr"), mode="r"))).n_features_in_ == 3


def test_tables_of_the_command_line(tmp_path):
    """What a column holds is read in one pass, its cells in another."""
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    table = TableFile(tmp_path / "rows.csv")
    table.profile()
    FRAME[["b", "a", "c", "k"]].to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(ValueError, match=CHANGED):
        table.read(["a"])


# -- bytes that do not match -------------------------------------------------------------------------------------------


def flipped(path, places):
    data = bytearray(path.read_bytes())
    for place in places:
        data[place // 8] ^= 1 << place % 8
    path.write_bytes(data)


def outcome(work):
    """Return what work returns, or what its refusal says."""
    try:
        return work()
    except ValueError as error:
        return str(error)


def pages_of(path):
    """Return where the pages lie: from behind the magic word to the footer."""
    data = path.read_bytes()
    return 4, len(data) - 8 - int.from_bytes(data[-8:-4], "little")


@pytest.mark.parametrize("compression", ["none", "snappy"])
def test_checksums_of_parquet_are_verified(tmp_path, compression):
    path = tmp_path / "rows.parquet"
    options = {"write_page_checksum": True, "compression": compression, "use_dictionary": False}
    pq.write_table(pa.table(dict(zip("abc", X.T, strict=True))), path, **options)
    expected, whole = PCA(1).fit(open_rows(path)).components_, path.read_bytes()
    low, high = pages_of(path)
    for place in rng.integers(8 * low, 8 * high, 60):
        path.write_bytes(whole)
        flipped(path, [place])
        found = outcome(lambda: PCA(1).fit(open_rows(path)).components_)
        assert "rows.parquet" in found if isinstance(found, str) else np.array_equal(found, expected)


def test_checksums_of_parquet_in_tables(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(dict(zip("abc", X.T, strict=True))), path, write_page_checksum=True, compression="none")
    flipped(path, [8 * (sum(pages_of(path)) // 2) + 3])
    with pytest.raises(ValueError, match="CRC"):
        TableFile(path).read(["a", "b", "c"])


def test_checksums_of_parquet_are_written(tmp_path):
    path = write_rows(PCA(2).fit(X).transform, X, tmp_path / "scores.parquet")
    expected, whole = pd.read_parquet(path), path.read_bytes()
    low, high = pages_of(path)
    refused = 0
    for place in rng.integers(8 * low, 8 * high, 40):
        path.write_bytes(whole)
        flipped(path, [place])
        try:
            assert pq.read_table(path, page_checksum_verification=True).to_pandas().equals(expected)
        except OSError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize("target", [None, "k"])
def test_every_cut_of_a_compressed_csv(tmp_path, target):
    path = tmp_path / "rows.csv.gz"
    whole = gzip.compress(FRAME.to_csv(index=False).encode())
    for end in [*range(0, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"rows\.csv\.gz"):
            LDA().fit(open_rows(path, target=target)) if target else PCA(1).fit(open_rows(path))
        with pytest.raises(ValueError, match=r"rows\.csv\.gz"):
            TableFile(path).read(["a"])


def test_every_flip_in_a_compressed_csv(tmp_path):
    path = tmp_path / "rows.csv.gz"
    whole = gzip.compress(FRAME.to_csv(index=False).encode(), mtime=0)
    expected = PCA(1).fit(FRAME[list("abc")]).components_
    for place in rng.integers(0, 8 * len(whole), 60):
        path.write_bytes(whole)
        flipped(path, [place])
        found = outcome(lambda: PCA(1).fit(open_rows(path, list("abc"))).components_)
        # some bits of a gzip header are read by nobody
        assert "rows.csv.gz" in found if isinstance(found, str) else np.allclose(found, expected, rtol=1e-12)


def test_broken_descriptions_of_zarr(tmp_path):
    path = tmp_path / "rows.zarr"
    write_zarr(path)
    header = path / "zarr.json"
    text = header.read_text()
    broken = [text[:end] for end in range(0, len(text) - 2, 40)]
    for key in json.loads(text):
        broken += [json.dumps({**json.loads(text), key: value}) for value in (None, "x", [2**62, 3], -1)]
        broken.append(json.dumps({k: v for k, v in json.loads(text).items() if k != key}))
    expected, refused = PCA(1).fit(X).components_, 0
    for each in broken:
        header.write_text(each)
        found = outcome(lambda: PCA(1).fit(open_rows(path)).components_)
        assert "rows.zarr" in found if isinstance(found, str) else np.allclose(found, expected, rtol=1e-12)
        refused += isinstance(found, str)
    assert refused > 0.7 * len(broken)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["x.csv", "x.npy", "x.parquet", "x.csv.gz", "x.feather"])
def test_a_pipe_is_not_waited_for(name, tmp_path, capsys):
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="is a pipe or a device, which cannot be read twice; write its content to a"):
        open_rows(tmp_path / name)
    with pytest.raises(InputError, match="is a pipe or a device"):
        open_rows(tmp_path / "x.*")
    assert run(["report", str(tmp_path / name)]) == 1
    assert "is a pipe or a device" in capsys.readouterr().err
