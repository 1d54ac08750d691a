"""Peak memory of a fit over its input: a few blocks and a few p × p matrices, however many rows there are."""

import subprocess
import sys

from harness import Ratio

SCRIPT = """
import resource, sys
import numpy as np
from eigenlens import PCA, LDA, CCA
n, p, name = int(sys.argv[1]), 200, sys.argv[2]
rng = np.random.default_rng(0)
X = np.empty((n, p))
for start in range(0, n, 10_000):
    X[start:start + 10_000] = rng.standard_normal((min(10_000, n - start), p))
y = np.arange(n) % 10
def fit(rows):
    if name == "PCA": PCA(10).fit(X[:rows])
    if name == "LDA": LDA().fit(X[:rows], y[:rows])
    if name == "CCA": CCA(10).fit(X[:rows, :180], X[:rows, 180:])
fit(20_000)  # libraries and thread buffers
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fit(n)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, X.nbytes // 1024)
"""


def main() -> list[Ratio]:
    rows = []
    for name in ("PCA", "LDA", "CCA"):
        for n in (200_000, 400_000):
            run = subprocess.run(
                [sys.executable, "-c", SCRIPT, str(n), name], capture_output=True, text=True, check=True
            )
            extra, size = (int(word) / 1024 for word in run.stdout.split())
            nan = float("nan")
            note = f"peak over the input: {extra:.1f} MiB beyond a fit of 20,000 rows, for an input of {size:.0f} MiB"
            rows.append(Ratio(f"{name} {n:,}×200 memory", "", nan, nan, nan, "", note))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
