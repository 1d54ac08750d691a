"""ProjectionPursuit of the first 200 rows of MASS::Boston beside R's ppr, three terms of five, with the residuals left.

R's search is compiled, and each of its smooths takes a few microseconds; the target says how far behind we may be.
"""

from __future__ import annotations

import numpy as np

from eigenlens.regress import ProjectionPursuit
from harness import Ratio, beside
from peer_r import run_r

ROWS, ROUNDS = 200, 7
# one fit of R's is shorter than its clock can tell
SCRIPT = """
b <- as.matrix(MASS::Boston)[1:200, ]; x <- b[, -14]; y <- b[, 14]
keep("table", b)
keep("seconds", clock(function() for (i in 1:20) f <<- ppr(x, y, nterms = 3, max.terms = 5)) / 20)
keep("rss", f$gofn[3])
"""


def main() -> list[Ratio]:
    told = run_r("stats", SCRIPT, np.zeros((2, 1)), np.zeros(2), ROUNDS, ["table", "seconds", "rss"])
    if told is None:
        return []
    X, y = told["table"][:, :-1], told["table"][:, -1]
    share = ProjectionPursuit(3, 5).fit(X, y).rss_ / float(told["rss"])
    note = f"{share:.2f} times R's residual sum of squares"
    fit = lambda: ProjectionPursuit(3, 5).fit(X, y)  # noqa: E731
    return [beside("ProjectionPursuit, Boston 200×13", "R's ppr", fit, told["seconds"], 0.3, note)]


if __name__ == "__main__":
    print(*main(), sep="\n")
