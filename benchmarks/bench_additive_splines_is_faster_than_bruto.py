"""AdditiveSplines of 5,000 × 20 beside R's mda::bruto, with the same answer."""

from __future__ import annotations

import numpy as np

from eigenlens.regress import AdditiveSplines
from harness import Ratio, beside
from peer_r import run_r

ROWS, FEATURES, ROUNDS = 5_000, 20, 7
SCRIPT = """
keep("seconds", clock(function() f <<- bruto(x, y)))
keep("kinds", cbind(as.integer(f$type), f$df))
keep("fitted", as.vector(f$fitted.values))
"""


def main() -> list[Ratio]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROWS, FEATURES))
    y = 10 * np.sin(X[:, 0]) + X[:, 1] ** 2 + 2 * X[:, 2] + np.exp(X[:, 3] / 2) + rng.normal(size=ROWS)
    told = run_r("mda", SCRIPT, X, y, ROUNDS, ["seconds", "kinds", "fitted"])
    if told is None:
        return []
    model = AdditiveSplines().fit(X, y)
    kinds = np.array(["out", "linear", "smooth"])[told["kinds"][:, 0].astype(int) - 1]
    same = int(np.sum(kinds == model.kind_))
    apart = np.abs(told["kinds"][:, 1] - model.df_).max()
    gap = np.linalg.norm(model.predict(X) - told["fitted"]) / np.linalg.norm(told["fitted"])
    note = f"{same} of {FEATURES} kinds the same, df within {apart:.3f}, fits within {gap:.0e}"
    fit = lambda: AdditiveSplines().fit(X, y)  # noqa: E731
    return [beside("AdditiveSplines 5,000×20", "R's mda::bruto", fit, told["seconds"], 1, note)]


if __name__ == "__main__":
    print(*main(), sep="\n")
