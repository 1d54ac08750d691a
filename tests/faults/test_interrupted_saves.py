"""Files being written: ended by a signal they leave nothing, and they keep who may read them."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from eigenlens import PCA, load, save, write_rows

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions and signals of POSIX")

X = np.random.default_rng(0).standard_normal((30, 3))
MODEL = PCA(2).fit(X)

WRITER = """
import os, sys, time
from pathlib import Path
from eigenlens.rows.writing import replaced
if "named" in sys.argv:
    del os.O_TMPFILE
if "watched" in sys.argv:
    from eigenlens.app.interrupt import watch
    watch()
with replaced(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


def end(number, path, *how):
    with subprocess.Popen([sys.executable, "-c", WRITER, path, *how], stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        writer.send_signal(number)
        return writer.wait(30)


def nameless_files(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (OSError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda n: n.name)
def test_a_writer_that_is_ended_leaves_no_half_file(number, tmp_path):
    if not nameless_files(tmp_path):
        pytest.skip("this file system has no files without a name")
    end(number, tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, -signal.SIGINT)],
    ids=["SIGTERM", "SIGHUP", "SIGINT"],
)
def test_a_command_that_is_ended_leaves_no_half_file_on_any_file_system(number, code, tmp_path):
    assert end(number, tmp_path / "model", "named", "watched") == code
    assert os.listdir(tmp_path) == []


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("named", [False, True], ids=["nameless", "named"])
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_permissions(bits, named, tmp_path, monkeypatch):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = save(MODEL, tmp_path / "model")
    os.chmod(path, bits)
    save(MODEL, path)
    assert mode(path) == bits
    scores = write_rows(MODEL.transform, X, tmp_path / "scores.npy")
    os.chmod(scores, bits)
    write_rows(MODEL.transform, X, scores, overwrite=True)
    assert mode(scores) == bits


def test_a_link_goes_on_pointing_to_its_file(tmp_path):
    (tmp_path / "there").mkdir()
    real = save(MODEL, tmp_path / "there" / "model")
    link = tmp_path / "link"
    link.symlink_to(real)
    save(PCA(1).fit(X), link)
    assert link.is_symlink()
    assert load(real).n_components_ == 1
    assert sorted(os.listdir(tmp_path)) == ["link", "there"]


def test_the_umask_is_never_changed(tmp_path, monkeypatch):
    """Files that another thread made while a save asked for the umask were open to everybody."""
    before = os.umask(0o077)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask belongs to the whole process"))
        threads = [threading.Thread(target=save, args=(MODEL, tmp_path / f"m{j}")) for j in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {mode(tmp_path / f"m{j}") for j in range(8)} == {0o600}
    finally:
        monkeypatch.undo()
        os.umask(before)


def test_a_full_disk_leaves_the_old_file_and_is_named(tmp_path, monkeypatch):
    path = tmp_path / "model.eigenlens"
    X = np.random.default_rng(0).standard_normal((20, 3))
    save(PCA(1).fit(X), path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*model\.eigenlens'"):
        save(PCA(2).fit(X), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
