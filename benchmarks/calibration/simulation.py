"""What a line of a table is, and how it is simulated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Replicate = Callable[[np.random.Generator], object]  # what one simulated table says: an outcome, or an array of them
Table = Callable[[np.random.Generator], tuple]  # the arguments of fit
Line = tuple[str, Replicate, int]  # what is claimed, how it is simulated, how many replicates
LEVELS = 2000
SHAPES = ((400, 20), (100, 50), (50, 100))  # n/p = 20, 2, 0.5
CANONICAL = ("wilks", "bartlett", "pillai", "lawley-hotelling", "roy")


def simulated(replicate: Replicate, replicates: int, seed: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return means over replicates and two standard errors of them."""
    found = np.array([replicate(np.random.default_rng([*seed, r])) for r in range(replicates)], dtype=float)
    if found.ndim == 1 or set(np.unique(found)) <= {0.0, 1.0}:
        share = (found.sum(axis=0) + 2) / (replicates + 4)  # keeps an error where all replicates agree
        return found.mean(axis=0), 2 * np.sqrt(share * (1 - share) / (replicates + 4))
    return found.mean(axis=0), 2 * found.std(axis=0, ddof=1) / np.sqrt(replicates)


def rejected(model: object, table: Table, method: str, d: int = 0) -> Replicate:
    """Return whether "at most d directions" is rejected at 5% in a table drawn anew."""

    def once(rng: np.random.Generator) -> bool:
        rows = table(rng)
        return model.fit(*rows).test_dimension(*rows, **drawn(rng, method)).p_values[d] <= 0.05

    return once


def drawn(rng: np.random.Generator, method: str, n_draws: int = 19) -> dict:
    return {"method": method, "n_draws": n_draws, "random_state": int(rng.integers(2**31))}
