"""PCA(10) of wide, square and sparse tables with a few directions: no slower than scikit-learn's default.

    python benchmarks/bench_any_shape_needs_few_products.py [most_cells]

Dense tables beside the default solver (randomised, unless there are few columns), sparse ones beside ARPACK, transform
beside transform, and the solvers that can be asked for beside the one that the rules choose. "flat" is noise without
structure, where the default is faster; the note says how many digits it loses.
"""

import sys
from dataclasses import replace
from itertools import product

import numpy as np
import scipy.sparse
import sklearn.decomposition

from eigenlens import LDA, PCA
from harness import Ratio, digits, race, seconds

K = 10
SIDES = (500, 2_000, 5_000, 20_000, 50_000)
TARGETS = {"planted": 1.0, "flat": None}
MOST_CELLS = 1e8
SPARSE = [(400, 20_000), (6_000, 3_000), (5_000, 20_000), (20_000, 5_000)]
FILLED = (0.001, 0.01, 0.1)


def planted(n, p, rng):
    """Noise with ten directions that stand out of it."""
    X = rng.standard_normal((n, p))
    U, V = (np.linalg.qr(rng.standard_normal((m, K)))[0] for m in (n, p))
    X += (U * (n**0.5 + p**0.5) * np.linspace(11, 1.5, K)) @ V.T
    return X


def described(model):
    spectrum = model.spectrum_
    steps = f", {spectrum.steps} steps" if spectrum.steps else ""
    return f"{type(model.moments_).__name__}, {spectrum.solver}{steps}"


def dense(n, p, kind, rng) -> Ratio:
    X = planted(n, p, rng) if kind == "planted" else rng.standard_normal((n, p))
    rounds = 5 if n * p <= 1e7 else 3 if n * p <= 5e7 else 1
    peer = "scikit-learn PCA(10)"
    peers = {peer: lambda: sklearn.decomposition.PCA(K, random_state=0).fit(X)}
    (found,) = race(f"{kind} {n:,}×{p:,}", lambda: PCA(K).fit(X), peers, rounds, {peer: TARGETS[kind]})
    ours, theirs = PCA(K).fit(X), peers[peer]()
    lost = digits(theirs.explained_variance_, ours.explained_variance_)
    found = replace(found, note=f"{described(ours)}; scikit-learn has {lost:.1f} digits of our variances")
    print(found, flush=True)
    return found


def sparse(n, p, filled) -> list[Ratio]:
    X = scipy.sparse.random(n, p, filled, format="csr", random_state=0)
    theirs = sklearn.decomposition.PCA(K, svd_solver="arpack", random_state=0).fit(X)
    ours = PCA(K).fit(X)
    peers = {"scikit-learn, ARPACK": lambda: sklearn.decomposition.PCA(K, svd_solver="arpack", random_state=0).fit(X)}
    rows = race(f"sparse {n:,}×{p:,}, {filled:.1%}", lambda: PCA(K).fit(X), peers, 3, dict.fromkeys(peers, 1.0))
    rows = [replace(row, note=described(ours)) for row in rows]
    peers = {"scikit-learn's transform": lambda: theirs.transform(X)}
    rows += race("  its transform", lambda: ours.transform(X), peers, 7, dict.fromkeys(peers, 0.8))
    print(*rows, sep="\n", flush=True)
    return rows


def asked_for(n, p, filled) -> list[Ratio]:
    """Solvers that are asked for beside the one that the rules choose."""
    X = scipy.sparse.random(n, p, filled, format="csr", random_state=0)
    rows = []
    for solver in ("randomized", "lanczos"):
        peers = {"solver='auto'": lambda: PCA(K).fit(X)}
        claim = f"sparse {n:,}×{p:,}, {filled:.1%}, {solver}"
        rows += race(claim, lambda name=solver: PCA(K, solver=name).fit(X), peers, 3, dict.fromkeys(peers, 0.5))
    print(*rows, sep="\n", flush=True)
    return rows


def shrunk(rng) -> Ratio:
    X, y = rng.standard_normal((500, 20_000)), np.arange(500) % 5
    LDA(shrinkage=0.3).fit(X[:, :1_000], y)
    ours = np.median([seconds(lambda: LDA(shrinkage=0.3).fit(X, y)) for _ in range(3)])
    gram = np.median([seconds(lambda: X @ X.T) for _ in range(3)])
    return Ratio("LDA(shrinkage=0.3) 500×20,000", note=f"{ours / gram:.1f} Gram products of its rows")


def main(most_cells: float = 2e7) -> list[Ratio]:
    rng = np.random.default_rng(0)
    shapes = sorted((shape for shape in product(SIDES, SIDES) if shape[0] * shape[1] <= most_cells), key=np.prod)
    rows = [dense(n, p, kind, rng) for n, p in shapes for kind in TARGETS]
    rows += [row for (n, p), filled in product(SPARSE, FILLED) for row in sparse(n, p, filled)]
    return [*rows, *asked_for(20_000, 5_000, 0.01), shrunk(rng)]


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else MOST_CELLS)
