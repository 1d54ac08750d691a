"""What a model costs: effective parameters, GCV, and the unit in which sums of squares are taken."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cost(M: int, penalty: float) -> float:
    """Effective number of parameters of M terms, C = M + penalty·(M − 1)/2; negative charges nothing."""
    return 0.0 if penalty < 0 else M + penalty * (M - 1) / 2


def gcv(rss: float, M: int, W: float, penalty: float) -> float:
    """GCV = (RSS/W) / (1 − C/W)², infinite where C ≥ W."""
    left = 1.0 - cost(M, penalty) / W
    return float(rss) / W / left**2 if left > 0 else math.inf


@dataclass
class Unit:
    """Origin and scale (a power of two) taken out of the responses before anything is squared."""

    pivot: Floats
    scale: float

    @classmethod
    def of(cls, Y: Floats, w: Floats) -> tuple[Unit, Floats]:
        """Return the unit and Y in it."""
        first = Y[0]
        pivot = first + w @ (Y - first) / w.sum()
        D = Y - pivot
        largest = np.abs(D).max(initial=0.0)
        scale = float(2.0 ** np.ceil(np.log2(largest))) if largest > 0 else 1.0
        return cls(pivot, scale), D / scale
