"""Small fits, single rows, plain transforms and wide frames: beside scikit-learn they cost little more.

A call of a fraction of a millisecond is repeated until a sample takes ten, everybody in turn, and each is judged by
the quickest of its samples. What counts is processor time, with one thread on both sides: a busy machine takes the
processor away from calls, and that is no part of their cost.
"""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
from sklearn import decomposition
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from threadpoolctl import threadpool_limits

from eigenlens import LDA, PCA
from harness import Ratio

SAMPLE = 0.01  # seconds that a sample takes, about
ROUNDS = 40


def main() -> list[Ratio]:
    X, y = load_iris(return_X_y=True)
    frame, one = pd.DataFrame(X, columns=list("abcd")), X[:1]
    big = np.random.default_rng(0).standard_normal((300_000, 20))
    wide = pl.DataFrame({f"x{j}": [float(j)] for j in range(20_000)})
    ours = LDA().fit(X, y), PCA(2).fit(X), PCA(5).fit(big[:1000])
    theirs = LinearDiscriminantAnalysis().fit(X, y), decomposition.PCA(2).fit(X), decomposition.PCA(5).fit(big[:1000])
    rows = np.random.default_rng(1).standard_normal((10, 20_000))
    named = pl.DataFrame(rows, schema=[f"x{j}" for j in range(20_000)])
    ours_wide, theirs_wide = PCA(2).fit(named), decomposition.PCA(2).fit(named)
    with threadpool_limits(1, user_api="blas"):
        return [
            kept_up("LDA().fit, iris", lambda: LDA().fit(X, y), lambda: LinearDiscriminantAnalysis().fit(X, y), 1.2),
            kept_up(
                "LDA().fit, iris as a DataFrame",
                lambda: LDA().fit(frame, y),
                lambda: LinearDiscriminantAnalysis().fit(frame, y),
                1.5,
            ),
            kept_up("PCA(2).fit, iris", lambda: PCA(2).fit(X), lambda: decomposition.PCA(2).fit(X), 1.5),
            kept_up(
                "PCA(2).fit, iris as a DataFrame",
                lambda: PCA(2).fit(frame),
                lambda: decomposition.PCA(2).fit(frame),
                1.8,
            ),
            kept_up("LDA.predict, one row", lambda: ours[0].predict(one), lambda: theirs[0].predict(one), 1.1),
            kept_up("LDA.transform, one row", lambda: ours[0].transform(one), lambda: theirs[0].transform(one), 1.1),
            kept_up("PCA.transform, one row", lambda: ours[1].transform(one), lambda: theirs[1].transform(one), 1.1),
            kept_up("PCA.transform 300,000×20", lambda: ours[2].transform(big), lambda: theirs[2].transform(big), 1.2),
            kept_up(
                "PCA.transform, polars 1×20,000",
                lambda: ours_wide.transform(wide),
                lambda: theirs_wide.transform(wide),
                3.0,
            ),
        ]


def kept_up(claim: str, ours: Callable, theirs: Callable, at_most: float) -> Ratio:
    """Compare the quickest samples of both; the spread is that of the ratios within rounds."""
    ours(), theirs()
    times = max(1, round(SAMPLE / min(sample(ours, 1) for _ in range(3))))
    pairs = np.array([(sample(ours, times), sample(theirs, times)) for _ in range(ROUNDS)])
    mine, peer = pairs.min(axis=0)
    low, high = np.quantile(pairs[:, 1] / pairs[:, 0], [0.25, 0.75])
    note = f"{mine * 1e6:,.0f} µs against {peer * 1e6:,.0f}: {mine / peer:.2f} × its time, at most {at_most:g}"
    return Ratio(claim, "scikit-learn", peer / mine, float(low), float(high), 1 / at_most, note)


def sample(function: Callable, times: int) -> float:
    """Return the processor time of a call, the mean of so many."""
    start = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - start) / times


if __name__ == "__main__":
    print(*main(), sep="\n")
