"""A real cluster whose workers can be killed: what the Dask tests and the stress script share."""

from __future__ import annotations

import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from distributed.core import Status

P = 6
WORKERS = 2
PATIENT = {
    "distributed.comm.timeouts.connect": "300s",
    "distributed.comm.timeouts.tcp": "300s",
    "distributed.deploy.lost-worker-timeout": "300s",
}


def rows_of(n_blocks: int, rows: int = 400, pause: float = 0.0):
    """Labelled rows that every worker can make anew: the last column is the class."""

    def make(block_info=None):
        k = block_info[None]["chunk-location"][0]
        time.sleep(pause)
        rng = np.random.default_rng(k)
        y = rng.integers(0, 3, rows)
        return np.column_stack([rng.standard_normal((rows, P)) + y[:, None] * np.linspace(0, 1, P) + 50, y])

    return da.map_blocks(make, chunks=((rows,) * n_blocks, (P + 1,)), dtype=float, meta=np.empty((0, 0)))


def start() -> Client:
    """Two processes of one thread each, restarted when they die; no dashboard. A busy machine may take its time."""
    dask.config.set(PATIENT)
    cluster = LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )
    return Client(cluster)


class Killer:
    """Kills a worker process at random moments until it is told to stop."""

    def __init__(self, client: Client, seed: int, low: float, high: float, most: int = 10**6) -> None:
        self.client, self.rng, self.low, self.high, self.most = client, np.random.default_rng(seed), low, high, most
        self.kills = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *exc) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self.rng.uniform(self.low, self.high)):
            # a nanny gives up a worker that dies while it is being started; a cluster manager would start another
            self.client.cluster.scale(WORKERS)
            processes = [nanny.process for nanny in self.client.cluster.workers.values()]
            running = [p for p in processes if p is not None and p.status == Status.running and p.pid]
            if running and self.kills < self.most:
                pid = running[self.rng.integers(len(running))].pid
                try:
                    os.kill(pid, signal.SIGKILL)
                    self.kills += 1
                except ProcessLookupError:
                    pass
