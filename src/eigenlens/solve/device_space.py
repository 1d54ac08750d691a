"""A Krylov space on a device whose steps are not waited for: the host looks only when directions may have settled.

A step makes a dozen small matrices. Fetching each would leave the device idle for as long as it works; here they stay
there until the next look, and come together. What a step would have had to look at, whether its vectors are far enough
from parallel, is then asked of all steps at once. If one of them was not, the search starts again, step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np

from ..arrays import devices, namespaces
from ..arrays.typing import Array
from .block_space import BlockSpace

FIRST_LOOK = 8  # steps before it: a look takes half as long as a step, and most searches take as many
MOST_AHEAD = 8  # steps between looks
STRAIGHT = 1e-3  # sine of an angle between the vectors of a step, down to which a turn makes them orthonormal,
BENT = 1e-8  # except for so much, which a second turn squares
HASTE = 0.8  # share of the steps to come, by the pace so far, after which to look: the pace grows


class Uncertain(Exception):
    """Vectors of a step were nearly parallel, and this was not checked."""


@dataclass(frozen=True, eq=False)
class _Step:
    """What a step leaves on the device: its rows of T, and how straight its vectors were before and after a turn."""

    near: int
    low: int
    high: int
    row: Array
    angles: Array


class DeviceSpace(BlockSpace):
    """A `BlockSpace` that takes in blocks without waiting for them."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._steps_ahead: list[_Step] = []
        self._R_there: Any = None
        self._due = FIRST_LOOK
        self._history.append((0, 1.0))

    def grow(self) -> None:
        m, block, xp = self.m, self._next, self._xp
        if int(block.shape[0]) != self.width or m + 2 * self.width > self.n:
            raise Uncertain
        R = self._R_there if self._steps_ahead else namespaces.like(self._R, block)
        near = m - int(R.shape[1]) if m else 0
        self.Q[m : m + self.width, :] = block
        image = namespaces.float64(self._apply(block))
        self.steps += 1
        self.m = m + self.width
        corner = image @ block.T
        row = xp.concat([R[:, : m - near], (corner + corner.T) / 2], axis=1)
        rows = self._outside(image - row @ self.Q[near : self.m, :])
        basis, R, straight = devices.orthonormal_ahead(rows)
        self._next, products = devices.straightened(self._outside(basis))
        self._R_there = (R + products @ R) / 2  # the square root of products that are nearly the identity
        self._steps_ahead.append(_Step(near, m, self.m, row, xp.concat([straight[None, :], products], axis=0)))

    def _ritz(self, kept: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self._fetch()
        return super()._ritz(kept)

    def _fetch(self) -> None:
        """Bring what steps left on the device, in one copy, and write it into T."""
        if not self._steps_ahead:
            return
        xp = self._xp
        parts = [part for step in self._steps_ahead for part in (step.row, step.angles)] + [self._R_there]
        flat = namespaces.to_numpy(xp.concat([xp.reshape(part, (-1,)) for part in parts]))
        ends = np.cumsum([int(part.shape[0]) * int(part.shape[1]) for part in parts])
        found = [cells.reshape(part.shape) for cells, part in zip(np.split(flat, ends[:-1]), parts, strict=True)]
        for step, row, angles in zip(self._steps_ahead, found[0::2], found[1::2], strict=False):
            bent = np.abs(angles[1:] - np.eye(self.width)).max()
            if not (angles[0].min() > STRAIGHT and bent < BENT):  # also where they are NaN
                raise Uncertain
            self.T[step.low : step.high, step.near : step.high] = row
            self.T[step.near : step.high, step.low : step.high] = row.T
            self._top = max(self._top, float(np.diagonal(row[:, step.low - step.near :]).max()))
        self._R, self._steps_ahead = found[-1], []

    def _plan(self, worst: float) -> None:
        super()._plan(worst)
        (before, was), (now, is_) = self._history[-2:]
        pace = log(was / is_) / (now - before) if 0 < is_ < was else 0.0
        left = log(is_ / self._goal) / pace if pace > 0 and is_ > self._goal else 1.0
        self._due = self.steps + max(1, min(ceil(HASTE * left), MOST_AHEAD))
