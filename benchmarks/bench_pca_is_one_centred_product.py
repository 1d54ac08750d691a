"""PCA of 200,000 × 200, 10 components: no slower than scikit-learn's default, and right where that is wrong."""

import numpy as np
import sklearn.decomposition

from eigenlens import PCA
from eigenlens.moments import Factor, Scatter
from eigenlens.rows import as_source
from harness import Ratio, digits, race

CLAIM = "PCA 200,000×200, k=10"


def centred_product(X):
    rows = X - X.mean(axis=0)
    return rows.T @ rows


def main() -> list[Ratio]:
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((200_000, 200))
    noise[:, :10] *= np.linspace(4, 2, 10)
    noise = np.round(noise * 2**20) / 2**20  # moving these rows by an offset then costs them no digit
    exact = np.linalg.eigvalsh(centred_product(noise))[::-1][:10] / (len(noise) - 1)
    rows = race(
        CLAIM,
        lambda: PCA(10).fit(noise),
        {
            "scikit-learn PCA(10)": lambda: sklearn.decomposition.PCA(10).fit(noise),
            "bare centred cross product": lambda: centred_product(noise),
            "our triangular factor instead": lambda: as_source(noise).collect(Factor()),
            "our scatter alone": lambda: as_source(noise).collect(Scatter()),
        },
        targets={"scikit-learn PCA(10)": 0.8, "bare centred cross product": 0.667},
    )
    for offset in (1e4, 1e8):
        X = noise + offset
        ours = digits(PCA(10).fit(X).explained_variance_, exact)
        theirs = digits(sklearn.decomposition.PCA(10).fit(X).explained_variance_, exact)
        note = f"right digits of the variances: ours {ours:.1f}, scikit-learn's default {theirs:.1f}"
        rows.append(Ratio(f"{CLAIM}, offset {offset:.0e}", note=note, holds=ours >= 14))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
