"""Is the condition of inverse regression met? Given the direction found, other variates must have straight means.

Rows of an elliptical law meet it in every direction. Clusters and curves in X break it, and then the bend of X itself
is taken for a second direction of y. For an elliptical law the other variates may have their signs
changed, row by row, and nothing changes: this gives the law of the bend where there is none, heavy tails included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.parameters import seed_of
from ..arrays.typing import RandomState

BINS = 8  # of the direction: fine enough for clusters and bends, coarse enough for a hundred rows
BENT = 0.05  # share of a variate's variance below which a bend is too small to make a direction of its own
DOUBT = 0.01  # p-value below which it is said


@dataclass(frozen=True)
class Linearity:
    """How far variates bend along a direction.

    Attributes
    ----------
    bend : float
        Largest share of the variance of another variate that its mean along the direction explains.
    p_value : float
        Probability that rows of an elliptical distribution bend as far.
    """

    bend: float
    p_value: float

    @property
    def doubtful(self) -> bool:
        """Whether the condition is broken far enough to mislead."""
        return self.p_value < DOUBT and self.bend > BENT

    def warning(self, name: str, rows: str = "X", response: str = "y", way_out: str = "LocalizedSIR") -> str:
        """Return what a method of this name would mistake, as a sentence, and the way out."""
        return (
            f"{rows} is clustered or curved along the first direction (means bend by {self.bend:.0%} of the variance "
            f"of a variate, p = {self.p_value:.2g}), and {name} mistakes such bends for directions of {response}. "
            f"Check them with {way_out}, which does not need straight means."
        )


def check_linearity(
    Z: np.ndarray, direction: int = 0, *, n_draws: int = 199, random_state: RandomState | None = 0
) -> Linearity:
    """Test whether the means of other variates are straight along one of them.

    Parameters
    ----------
    Z : ndarray of shape (n, r)
        Variates, uncorrelated with variance 1.
    direction : int
        The one along which the others are looked at.
    n_draws : int
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Linearity
        With `bend`, `p_value` and `doubtful`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import check_linearity
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.standard_normal((400, 3))
    >>> check_linearity(Z).doubtful
    False
    >>> Z[:, 1] = Z[:, 0] ** 2 + 0.5 * Z[:, 1]
    >>> check_linearity((Z - Z.mean(axis=0)) / Z.std(axis=0)).doubtful
    True
    """
    n, r = Z.shape
    if r < 2 or n < 5 * BINS:
        return Linearity(0.0, 1.0)
    u, others = Z[:, direction], np.delete(Z, direction, axis=1)
    H = _curved(u)
    found = H.T @ others  # (bins, r − 1)
    rng = np.random.default_rng(seed_of(random_state))
    null = np.empty(n_draws)
    for b in range(n_draws):
        signs = rng.choice(np.array([-1.0, 1.0]), n)
        null[b] = np.linalg.norm((H * signs[:, None]).T @ others, 2)
    size = float(np.linalg.norm(found, 2))
    noise = float(np.mean(null**2)) / n
    bend = max(size**2 / n - noise, 0.0)
    return Linearity(bend, float((1 + np.sum(null >= size)) / (1 + n_draws)))


def _curved(u: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of functions of u, constant in bins, that have no constant and no straight part."""
    bins = np.searchsorted(np.quantile(u, np.arange(1, BINS) / BINS), u)
    steps = (bins[:, None] == np.arange(BINS)).astype(np.float64)
    straight = np.linalg.qr(np.column_stack([np.ones(len(u)), u]))[0]
    left, s, _ = np.linalg.svd(steps - straight @ (straight.T @ steps), full_matrices=False)
    return np.asarray(left[:, s > 1e-8 * s[0]])
