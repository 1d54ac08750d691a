"""Factor maps of counts and of words beside numbers: from 5 × 5 counts to 100,000 rows, beside prince.

Both fit two axes to the same frame and give the coordinates of rows and columns. prince runs twice: as it comes
(engine="sklearn"), which multiplies the table by random columns and stops after a few rounds (3 for FAMD, 10 for the
others), so that eigenvalues with close neighbours are right to about three digits; and with engine="scipy", a full SVD,
which agrees with ours to rounding. What counts is processor time, with one thread on both sides, and everybody runs in
turn. prince is not needed for anything else: `pip install prince`.

    python benchmarks/bench_factor_maps_are_faster_than_prince.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from eigenlens import CorrespondenceAnalysis, MixedPCA
from harness import Ratio

AT_LEAST = 10.0
SAMPLE, MOST = 0.05, 200  # seconds of processor time that a sample takes, about, and calls in it at most
ROUNDS = 7


def counts(rows: int, columns: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    rates = np.exp(0.5 * rng.standard_normal((rows, 2)) @ rng.standard_normal((2, columns)))
    table = rng.poisson(5 * rates) + (np.arange(rows)[:, None] % columns == np.arange(columns))
    return pd.DataFrame(table, index=[f"r{i}" for i in range(rows)], columns=[f"c{j}" for j in range(columns)])


def words(rows: int, columns: int) -> pd.DataFrame:
    rng = np.random.default_rng(columns)
    hidden = rng.integers(0, 4, rows)
    levels = np.array([f"level {k}" for k in range(6)])
    return pd.DataFrame(
        {f"w{j}": levels[np.where(rng.random(rows) < 0.5, hidden, rng.integers(0, 6, rows))] for j in range(columns)}
    )


def mixed(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    numbers = rng.standard_normal((rows, 5)) + rng.standard_normal((rows, 1))
    return pd.DataFrame(numbers, columns=[f"x{j}" for j in range(5)]).join(words(rows, 5))


def ours_counts(frame: pd.DataFrame) -> np.ndarray:
    model = CorrespondenceAnalysis(2).fit(frame)
    return result(model.eigenvalues_, model.rows_.coordinates, model.columns_.coordinates)


def theirs_counts(frame: pd.DataFrame, engine: str) -> np.ndarray:
    import prince

    model = prince.CA(n_components=2, engine=engine).fit(frame)
    return result(model.eigenvalues_, model.row_coordinates(frame), model.column_coordinates(frame))


def ours_words(frame: pd.DataFrame) -> np.ndarray:
    model = MixedPCA(2).fit(frame)
    return result(model.eigenvalues_, model.transform(frame))


def theirs_words(frame: pd.DataFrame, engine: str) -> np.ndarray:
    import prince

    model = prince.MCA(n_components=2, engine=engine).fit(frame)
    return result(model.eigenvalues_, model.row_coordinates(frame))


def theirs_mixed(frame: pd.DataFrame, engine: str) -> np.ndarray:
    import prince

    model = prince.FAMD(n_components=2, engine=engine).fit(frame)
    return result(model.eigenvalues_, model.row_coordinates(frame))


def result(eigenvalues: Any, *coordinates: Any) -> np.ndarray:
    assert all(len(table) for table in coordinates)
    return np.asarray(eigenvalues, dtype=float)


def race(claim: str, frame: pd.DataFrame, ours: Callable, theirs: Callable) -> list[Ratio]:
    peers = {"prince": partial(theirs, engine="sklearn"), "prince, exact": partial(theirs, engine="scipy")}
    everybody = [ours, *peers.values()]
    found = [f(frame) for f in everybody]
    times = [max(1, min(MOST, round(SAMPLE / max(sample(f, frame, 1), 1e-6)))) for f in everybody]
    rounds = np.array([[sample(f, frame, m) for f, m in zip(everybody, times, strict=True)] for _ in range(ROUNDS)])
    quickest = rounds.min(axis=0) * 1e3
    rows = []
    for j, peer in enumerate(peers, start=1):
        low, middle, high = np.quantile(rounds[:, j] / rounds[:, 0], [0.25, 0.5, 0.75])
        apart = float(np.abs(found[0] / found[j] - 1).max())
        note = f"{quickest[0]:,.2f} ms against {quickest[j]:,.2f}; eigenvalues differ by {apart:.0e}"
        rows.append(Ratio(claim, peer, float(middle), float(low), float(high), AT_LEAST, note))
    return rows


def sample(function: Callable, frame: pd.DataFrame, times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        function(frame)
    return (time.process_time() - start) / times


def main() -> list[Ratio]:
    warnings.simplefilter("ignore")
    rows = []
    with threadpool_limits(1, user_api="blas"):
        for shape in [(5, 5), (10, 8), (50, 20), (300, 60), (2000, 500)]:
            rows.extend(race("CA {:,} × {:,}".format(*shape), counts(*shape), ours_counts, theirs_counts))
        for shape in [(300, 4), (10_000, 10), (100_000, 10)]:
            rows.extend(race("MCA {:,} × {:,}".format(*shape), words(*shape), ours_words, theirs_words))
        for n in (300, 10_000, 100_000):
            rows.extend(race(f"FAMD {n:,} × 10", mixed(n), ours_words, theirs_mixed))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
