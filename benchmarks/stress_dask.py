"""Kill workers of a real cluster and restart it at random moments, many times, and compare every bit of the result.

    python benchmarks/stress_dask.py [kills=20] [restarts=4]

The fits are `PCA`, `LDA`, `PDA`, `SIR` and `FDA`, and `transform`; the scheduler allows no failure, so every death
reaches us, except in `transform`, whose result the caller computes.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from pathlib import Path

import dask
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from clusters import Killer, P, rows_of, start
from eigenlens import FDA, LDA, PCA, PDA, SIR

BLOCKS, PAUSE = 40, 0.05
FITS = {
    "PCA": (PCA(2), ("components_", "mean_")),
    "LDA": (LDA(), ("scalings_", "means_", "priors_", "intercept_")),
    "PDA": (PDA(lam=1.0), ("scalings_", "means_")),
    "SIR": (SIR(2, n_slices=3), ("components_", "eigenvalues_")),
    "FDA": (FDA(), ("scores_",)),
}


def fitted(name, pause=0.0):
    table = rows_of(BLOCKS, pause=pause)
    model, attributes = FITS[name]
    model.fit(table[:, :P], table[:, P])
    return [np.array(getattr(model, attribute)) for attribute in attributes]


def scores(pause=0.0):
    model = PCA(2).fit(rows_of(BLOCKS)[:, :P])
    return lambda: [model.transform(rows_of(BLOCKS, pause=pause)[:, :P]).compute()]


def kills(client, wanted):
    expected = {name: fitted(name) for name in FITS} | {"transform": scores()()}
    total, counts, rounds = 0, Counter(), 0
    while total < wanted:
        name = [*expected][rounds % len(expected)]
        work = scores(PAUSE) if name == "transform" else lambda name=name: fitted(name, PAUSE)
        allow(client, 50 if name == "transform" else 0)
        with Killer(client, seed=rounds, low=0.2, high=1.0, most=min(4, wanted - total)) as killer:
            found = work()
        total, rounds = total + killer.kills, rounds + 1
        counts[name] += killer.kills
        same(name, found, expected[name])
    print(f"{total} workers killed in {rounds} rounds ({dict(counts)}), no bit changed", flush=True)


def restarts(client, wanted):
    rng = np.random.default_rng(0)
    expected = {name: fitted(name) for name in FITS}
    for k in range(wanted):
        name = [*FITS][k % len(FITS)]
        thread = threading.Thread(target=lambda: (time.sleep(rng.uniform(0.1, 1.0)), client.restart()))
        thread.start()
        found = fitted(name, PAUSE)
        thread.join()
        same(name, found, expected[name])
    print(f"{wanted} restarts of the cluster during fits, no bit changed", flush=True)


def allow(client, failures):
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", failures))


def same(name, found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert np.array_equal(ours, theirs), f"{name} differs"


def main() -> None:
    first, second = (int(word) for word in (*sys.argv[1:], 20, 4)[:2])
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), start() as client:
        began = time.monotonic()
        kills(client, first)
        allow(client, 0)
        restarts(client, second)
        print(f"in {time.monotonic() - began:.0f} s")
        client.cluster.close()


if __name__ == "__main__":
    main()
