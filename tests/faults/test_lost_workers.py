"""Workers that die and clusters that are restarted change no bit of a result, in whatever pass it happens."""

import threading
import time
from concurrent.futures import CancelledError

import dask
import numpy as np
import pytest
from distributed import KilledWorker

from clusters import Killer, P, rows_of, start
from eigenlens import FDA, LDA, PCA, PDA, SIR
from eigenlens.rows import dask as source_of


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), start() as client:
        yield client
        client.cluster.close()


def parts(table):
    return table[:, :P], table[:, P]


FITS = {
    "PCA": (PCA(2), "components_"),
    "LDA": (LDA(), "scalings_"),
    "PDA": (PDA(lam=1.0), "scalings_"),
    "SIR": (SIR(2, n_slices=3), "components_"),
    "FDA": (FDA(), "scores_"),
}


def fitted(name, table):
    model, attribute = FITS[name]
    return getattr(model.fit(*parts(table)), attribute)


@pytest.mark.parametrize("name", FITS)
def test_killed_workers_change_no_bit(client, name):
    """No failure is allowed by the scheduler, so that every death of a worker reaches us."""
    expected = np.array(fitted(name, rows_of(20)))
    with Killer(client, 3, 0.2, 0.4, most=2) as killer:
        found = np.array(fitted(name, rows_of(20, pause=0.1)))
    assert killer.kills >= 1
    assert np.array_equal(found, expected)


def test_y_is_asked_for_again(monkeypatch):
    """SIR reads y before X; a worker that dies then is no other than one that dies later."""
    X, y = parts(rows_of(4))
    deaths = iter([True, False] * 50)

    class Future:
        def __init__(self, run):
            self.run = run

        def result(self):
            if next(deaths):
                raise KilledWorker("task", None, 1)
            return dask.compute(self.run)[0]

        def done(self):
            return True

        def release(self):
            pass

        def cancelled(self):
            return False

    class Client:
        def compute(self, runs):
            return [Future(run) for run in runs] if isinstance(runs, list) else Future(runs)

        def sync(self, *args):
            pass

    expected = SIR(2, n_slices=3).fit(X, y).components_
    monkeypatch.setattr(source_of, "_client", Client)
    assert np.array_equal(SIR(2, n_slices=3).fit(X, y).components_, expected)


def test_a_scheduler_that_is_gone_is_told(monkeypatch):
    """The client hears of it when it asks for the lost partitions again, and is closed by then."""
    X, y = parts(rows_of(4))

    class Lost:
        def result(self):
            raise CancelledError

        def cancelled(self):
            return True

        def done(self):
            return False

        def release(self):
            pass

    class Client:
        status = "running"

        def compute(self, runs):
            if self.status == "closed":
                raise OSError("Client is closed")
            self.status = "closed"
            return [Lost() for _ in runs]

        def sync(self, *args):
            pass

        def cancel(self, futures):
            raise OSError("Client is closed")

    model = LDA().fit(*(part.compute() for part in (X, y)))
    before = model.scalings_
    client = Client()
    monkeypatch.setattr(source_of, "_client", lambda: client)
    with pytest.raises(RuntimeError, match="the Dask scheduler is gone"):
        model.fit(X, y)
    assert model.scalings_ is before


@pytest.mark.parametrize("name", ["LDA", "SIR"])
def test_a_restarted_cluster_changes_no_bit(client, name):
    expected = np.array(fitted(name, rows_of(20)))
    restarted = []

    def restart():
        time.sleep(0.4)
        client.restart()
        restarted.append(True)

    thread = threading.Thread(target=restart)
    thread.start()
    found = np.array(fitted(name, rows_of(20, pause=0.08)))
    thread.join()
    assert restarted
    assert np.array_equal(found, expected)


def test_transform_under_kills(client):
    """The scores are computed by the caller, so it is the scheduler that asks again: as often as it is told to."""
    model = PCA(2).fit(parts(rows_of(20))[0])
    expected = model.transform(parts(rows_of(20))[0]).compute()
    scores = model.transform(parts(rows_of(20, pause=0.1))[0])
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 20))
    with Killer(client, 5, 0.2, 0.4, most=2) as killer:
        found = scores.compute()
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    assert killer.kills >= 1
    assert np.array_equal(found, expected)
