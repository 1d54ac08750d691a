"""MCA of a million rows of words: about as fast as just reading them, and far faster than prince, with its numbers.

FAMD too. Correspondence analysis is less of a race: both multiply the table a few times, prince by random columns.
prince is not a dependency: where it is not installed, its race is left out.
"""

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from eigenlens import CorrespondenceAnalysis, MixedPCA, open_rows
from harness import Ratio, race

N, Q, K = 1_000_000, 20, 5
FEW = 50_000  # rows for prince, which makes an indicator of every level


def words(n: int) -> pd.DataFrame:
    """Answers to twenty questions with three to eight answers each, which go together."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, n)
    columns = {}
    for j in range(Q):
        levels = 3 + j % 6
        codes = (kind * (rng.random(n) < 0.4) + rng.integers(0, levels, n)) % levels
        columns[f"q{j}"] = np.array([f"q{j} answer {k}" for k in range(levels)])[codes]
    return pd.DataFrame(columns)


def reading(folder: Path) -> list[Ratio]:
    path = folder / "words.parquet"
    table = words(N)
    table.to_parquet(path, index=False)
    names = list(table.columns)
    peers = {
        "pyarrow, just reading": lambda: pq.read_table(path),
        "pyarrow, reading dictionaries": lambda: pq.read_table(path, read_dictionary=names),
    }
    targets = {"pyarrow, just reading": 1 / 1.5}
    return race(f"MCA {N:,}×{Q}, k={K}", lambda: MixedPCA(K).fit(open_rows(path)), peers, rounds=5, targets=targets)


def by_indicators(table: pd.DataFrame) -> np.ndarray:
    """Return the eigenvalues of MCA from the singular values of the indicators, standardised and centred."""
    Z = pd.get_dummies(table).to_numpy(float)
    share = Z.mean(axis=0)
    s = np.linalg.svd((Z - share) / np.sqrt(share), compute_uv=False)
    return s[:K] ** 2 / (len(table) * Q)


def beside_prince() -> list[Ratio]:
    table = words(FEW)
    claim = f"MCA {FEW:,}×{Q}, k={K}"
    try:
        prince = import_module("prince")
    except ImportError:
        return [Ratio(claim, note="prince is not installed")]
    ours, theirs = MixedPCA(K).fit(table), prince.MCA(n_components=K, random_state=0).fit(table)
    exact = by_indicators(table)
    apart = [float(np.abs(np.asarray(model.eigenvalues_) - exact).max()) for model in (ours, theirs)]
    rows = race(
        claim,
        lambda: MixedPCA(K).fit(table),
        {"prince": lambda: prince.MCA(n_components=K, random_state=0).fit(table)},
        rounds=3,
        targets={"prince": 10},
    )
    rows.append(Ratio(claim, note="off the SVD of indicators: ours {:.0e}, prince {:.0e}".format(*apart)))
    return [*rows, *famd_and_ca(prince, table)]


def famd_and_ca(prince: Any, table: pd.DataFrame) -> list[Ratio]:
    """Half of the columns numbers; and a table of counts, of texts by words."""
    rng = np.random.default_rng(1)
    mixed = table.iloc[:, : Q // 2].assign(**{f"x{j}": rng.standard_normal(FEW) for j in range(Q // 2)})
    texts, vocabulary = 20_000, 100
    topics = rng.dirichlet(np.full(5, 0.3), texts) @ rng.dirichlet(np.full(vocabulary, 0.2), 5)
    counts = pd.DataFrame(rng.poisson(60 * topics), columns=[f"word{j}" for j in range(vocabulary)])
    counts = counts[counts.sum(axis=1) > 0]
    return [
        *race(
            f"FAMD {FEW:,}×{Q}, k={K}",
            lambda: MixedPCA(K).fit(mixed),
            {"prince": lambda: prince.FAMD(n_components=K, random_state=0).fit(mixed)},
            rounds=3,
            targets={"prince": 10},
        ),
        *race(
            f"correspondence analysis {texts:,}×{vocabulary}, k={K}",
            lambda: CorrespondenceAnalysis(K).fit(counts),
            {"prince": lambda: prince.CA(n_components=K, random_state=0).fit(counts)},
            rounds=5,
        ),
    ]


def main() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        return [*reading(Path(folder)), *beside_prince()]


if __name__ == "__main__":
    print(*main(), sep="\n")
