"""What a range of penalties does to sparse components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import optional
from ..arrays.typing import Frame


@dataclass(frozen=True, eq=False, repr=False)
class SparsePath:
    """Sparse components over a range of penalties.

    Attributes
    ----------
    alphas : ndarray of shape (m,)
    n_nonzero : ndarray of shape (m, k)
    explained_variance_ratio : ndarray of shape (m, k)
        Adjusted.
    components : ndarray of shape (m, k, p)
    dense : float
        Share of the variance that as many ordinary principal components explain.
    """

    alphas: np.ndarray
    n_nonzero: np.ndarray
    explained_variance_ratio: np.ndarray
    components: np.ndarray
    dense: float

    def __repr__(self) -> str:
        most, least = self.n_nonzero.sum(axis=1).max(), self.n_nonzero.sum(axis=1).min()
        return f"<SparsePath: {len(self.alphas)} penalties, {most} to {least} nonzero loadings>"

    def to_frame(self) -> Frame:
        """Return a pandas table: a row for each penalty."""
        pd = optional.pandas()

        return pd.DataFrame(
            {
                "alpha": self.alphas,
                "n_nonzero": self.n_nonzero.sum(axis=1),
                "explained": self.explained_variance_ratio.sum(axis=1),
                "lost": self.dense - self.explained_variance_ratio.sum(axis=1),
            }
        )
