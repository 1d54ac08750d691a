"""Kill workers of a real cluster at random moments, many times, and compare every bit of the result.

python benchmarks/stress_dask.py [kills]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from clusters import Killer, P, rows_of, start
from eigenlens import LDA


def main() -> None:
    wanted, kills, rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20, 0, 0
    with start() as client:
        table = rows_of(60)
        expected = LDA().fit(table[:, :P], table[:, P])
        table = rows_of(60, pause=0.05)
        began = time.monotonic()
        while kills < wanted:
            with Killer(client, seed=rounds, low=0.2, high=1.5, most=min(4, wanted - kills)) as killer:
                model = LDA().fit(table[:, :P], table[:, P])
            kills, rounds = kills + killer.kills, rounds + 1
            assert model.moments_.groups[0].n_rows == 60 * 400, "a row was lost or counted twice"
            for name in ("scalings_", "means_", "priors_", "intercept_"):
                assert np.array_equal(getattr(model, name), getattr(expected, name)), f"{name} differs"
            print(f"fit {rounds}: {killer.kills} workers killed, result the same bit for bit", flush=True)
        print(f"{kills} workers killed over {rounds} fits in {time.monotonic() - began:.0f} s, no bit changed")
        client.cluster.close()


if __name__ == "__main__":
    main()
