r"""Measures on λ ≥ 0 and the integral :math:`\int (1 - e^{-\lambda d})/\lambda \, g(d\lambda)` over them.

A density is integrated by the double exponential rules of Takahashi and Mori: λ = exp(π/2·sinh u) on a half-line (moved
to its beginning), tanh–sinh on an interval. Both take singularities at the ends; the step is halved until nothing
changes. Where g has a peak that the finest nodes hardly see, the line is cut around it into pieces that grow away from
the peak, each with a rule of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.optimize
from scipy.special import expit

from ..arrays import errors, namespaces
from ..arrays.errors import warn
from ..arrays.stored import stored
from ..arrays.typing import Array

TOLERANCE, ALLOWED = 1e-13, 1e-10  # relative error to reach, and beyond which a warning is due
STEPS = (0.125, 0.0625, 0.03125, 0.015625, 0.0078125)
PROBES = 10.0 ** np.arange(-6, 7)  # distances, in units of one over a typical λ, at which convergence is judged
LARGEST = 690.0  # |ln λ| up to which nodes are taken
STRETCH = 60.0  # of ln λ over which the power of a density is measured at an end
FARTHEST = 1e6  # |ln λ| up to which it is followed as that power
MIDDLE = 20.0  # |ln λ| of what counts as typical of a measure that a power carries to the end of all numbers
VANISHING = 1e-6  # share of the whole that an end node may still carry, where it goes on as no power
FAITHFUL = 0.1  # change from which on the error falls as the theory says
FINER = 64  # nodes for each of the finest rule among which peaks are looked for
FAINT = -670.0  # ln g below which numbers end in steps, which are not peaks
SHARP = 0.25  # bend of ln λg between the finest nodes beyond which a peak is cut out
GROWTH = 8.0  # of the pieces around it
BLOCK = 2**16  # entries worked on at a time, so that nodes × entries stays small


@stored("measure.Atoms")
class Atoms:
    """A finite sum of point masses.

    Parameters
    ----------
    locations, masses : arrays of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances.measures import Atoms
    >>> Atoms([0.0, 1.0], [2.0, 1.0])(np.array([3.0])).round(4)
    array([6.9502])
    """

    def __init__(self, locations: Any, masses: Any) -> None:
        self.locations = np.asarray(locations, dtype=np.float64)
        self.masses = np.asarray(masses, dtype=np.float64)
        for what, values in (("a place", self.locations), ("the mass", self.masses)):
            bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
            if len(bad):
                raise _measure_values(what, float(self.locations[bad[0]]), float(values[bad[0]]))
        if not np.any(self.masses > 0):
            raise _measure_empty()

    @classmethod
    def read(cls, g: Any) -> Atoms:
        """Read {λ: mass} or pairs (λ, mass)."""
        pairs = g.items() if isinstance(g, Mapping) else g
        try:
            table = np.array([(float(at), float(mass)) for at, mass in pairs])
        except (TypeError, ValueError) as error:
            raise _measure_kind(g) from error
        if table.size == 0:
            raise _measure_kind(g)
        return cls(table[:, 0], table[:, 1])

    def __call__(self, d: Array) -> Array:
        """Return the integral for every entry of d."""
        xp = namespaces.namespace(d)
        flat = xp.reshape(d, (-1,))
        pieces = []
        step = max(1, BLOCK // len(self.locations))
        for start in range(0, max(flat.shape[0], 1), step):
            pieces.append(self._sum(flat[start : start + step]))
        return xp.reshape(pieces[0] if len(pieces) == 1 else xp.concat(pieces, axis=0), d.shape)

    def _sum(self, d: Array) -> Array:
        """Return Σ mass·(1 − e^{−λd})/λ, for λ = 0 its limit d."""
        xp = namespaces.namespace(d)
        drift = float(self.masses[self.locations == 0].sum())
        lam, mass = self.locations[self.locations > 0], self.masses[self.locations > 0]
        with np.errstate(over="ignore"):  # e^{−∞} is 0
            grown = -xp.expm1(-d[:, None] * namespaces.like(lam, d)[None, :]) @ namespaces.like(mass / lam, d)
        return grown + drift * d


class Density(Atoms):
    """A density g(λ), replaced by the nodes of a quadrature.

    Parameters
    ----------
    g : function of an array of λ > 0
    support : pair of numbers

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances.measures import Density
    >>> Density(lambda lam: np.exp(-lam))(np.array([np.e - 1])).round(12)
    array([1.])
    """

    def __init__(self, g: Callable[[np.ndarray], Any], support: tuple[float, float] = (0.0, np.inf)) -> None:
        self.g = g
        try:
            self.low, self.high = (float(end) for end in support)
        except (TypeError, ValueError) as error:
            raise _measure_support(support) from error
        if not 0 <= self.low < self.high or np.isinf(self.low):
            raise _measure_support(support)
        self._cuts = self._around_peaks()
        super().__init__(*self._quadrature())

    def _quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Halve the step until Φ changes nowhere.

        The error falls ever faster where g is smooth, so that the last two changes tell how much is left.
        """
        change, left, values = np.inf, np.inf, None
        for step in STEPS:
            nodes, masses = self._rule(step)
            if values is None:
                middle = float(np.average(np.log(nodes), weights=masses / (1 + nodes)))
                d = PROBES / np.exp(np.clip(middle, -MIDDLE, MIDDLE) if self._scale_free else middle)
            with np.errstate(over="ignore"):
                before, values = values, -np.expm1(-d[:, None] * nodes) @ (masses / nodes)
            if before is not None:
                last, change = change, float(np.max(np.abs(values / before - 1)))
                left = change * min(1.0, change / last) if last < FAITHFUL else change
            if left <= TOLERANCE:
                return nodes, masses
        if left > ALLOWED:
            warn(
                errors.NotConvergedWarning(
                    f"The quadrature of g still changed by {left:.1e} of its value at the finest step (allowed "
                    f"{ALLOWED:.0e}): the density has jumps or spikes. Name its support=, split it into parts, or give "
                    "atoms."
                )
            )
        return nodes, masses

    def _rule(self, step: float) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes and masses g(λ)·dλ, those that carry nothing left out."""
        lam, slope = self._nodes(step, self._cuts)
        g = self._at(lam)
        bad = np.flatnonzero(~(np.isfinite(g) & (g >= 0)))
        if len(bad):
            raise _measure_values("the density", float(lam[bad[0]]), float(g[bad[0]]))
        mass = g * slope * step
        size = mass / (1 + lam)
        total = float(size.sum())
        if total == 0:
            raise _measure_empty()
        if not np.isfinite(total):
            raise _measure_not_admissible("0 or ∞", np.inf)
        rest = (
            (_beyond(lam, g, step, -1), _beyond(lam, g, step, 1))
            if np.isinf(self.high) and self.low == 0 and not self._cuts
            else (0, 0)
        )
        if np.isinf(self.high) and size[-1] > VANISHING * total and not rest[1]:
            raise _measure_not_admissible("∞", float(size[-1] / total))
        if size[0] > VANISHING * total and not rest[0]:
            raise _measure_not_admissible(f"{self.low:g}", float(size[0] / total))
        mass[0] += rest[0]
        mass[-1] += rest[1]
        self._scale_free = rest[0] + rest[1] / (1 + lam[-1]) > TOLERANCE * total
        return lam[mass > 0], mass[mass > 0]

    def _at(self, lam: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return np.broadcast_to(np.asarray(self.g(lam), dtype=np.float64), lam.shape)

    def _nodes(self, step: float, cuts: list[float]) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes and slopes dλ/du of the rules between the ends and the cuts."""
        ends = [self.low, *cuts, self.high]
        rules = [_half_line(step, a) if np.isinf(b) else _interval(step, a, b) for a, b in pairwise(ends)]
        return np.concatenate([lam for lam, _ in rules]), np.concatenate([slope for _, slope in rules])

    def _around_peaks(self) -> list[float]:
        """Return where to cut the line around peaks that are narrow compared with the finest nodes."""
        lam, _ = self._nodes(STEPS[-1] / FINER, [])
        x = np.log(lam)
        y = self._log_mass(x)
        top = 1 + np.flatnonzero(np.isfinite(y[1:-1]) & (y[1:-1] >= y[:-2]) & (y[1:-1] > y[2:]))
        with np.errstate(invalid="ignore"):
            bend = FINER**2 * (2 * y[top] - y[top - 1] - y[top + 1])
        cuts: list[float] = []
        for i in top[(bend > SHARP) & (y[top] - x[top] > FAINT)]:
            peak = float(
                scipy.optimize.golden(lambda t: -self._log_mass(np.array([t]))[0], brack=tuple(x[i - 1 : i + 2]))
            )
            for side in (-1.0, 1.0):
                cuts += [peak + side * away for away in self._spacing(peak, side)]
        inside = np.exp(cuts)
        return sorted(set(inside[(inside > self.low) & (inside < self.high)].tolist()))

    def _spacing(self, peak: float, side: float) -> np.ndarray:
        """Return distances in ln λ from the width of a peak up to 1."""
        here = self._log_mass(np.array([peak]))[0]
        widths = 0.5 ** np.arange(1.0, 40.0)
        low = self._log_mass(peak + side * widths) < here - 1
        width = widths[int(np.argmin(low))] if not low.all() else widths[-1]
        return width * GROWTH ** np.arange(max(1, int(np.ceil(-np.log(width) / np.log(GROWTH)))))

    def _log_mass(self, x: np.ndarray) -> np.ndarray:
        """Return ln λg(λ) at λ = eˣ, −∞ outside the support."""
        lam = np.exp(x)
        g = np.where(
            (lam > self.low) & (lam < self.high), self._at(np.maximum(lam, np.nextafter(self.low, np.inf))), 0.0
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(g > 0, np.log(g) + x, -np.inf)


def _half_line(step: float, low: float) -> tuple[np.ndarray, np.ndarray]:
    top = np.arcsinh(LARGEST / (np.pi / 2))
    u = np.arange(-np.floor(top / step), np.floor(top / step) + 1) * step
    lam = np.exp(np.pi / 2 * np.sinh(u))
    keep = low + lam > low  # a node that falls on the end would meet its singularity
    return low + lam[keep], (lam * np.pi / 2 * np.cosh(u))[keep]


def _interval(step: float, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    u = np.arange(-np.floor(6.2 / step), np.floor(6.2 / step) + 1) * step
    near, far = (expit(sign * np.pi * np.sinh(u)) for sign in (1, -1))  # shares of the way from low to high
    lam = low + (high - low) * near
    slope = (high - low) * near * far * np.pi * np.cosh(u)
    keep = (lam > low) & (lam < high)
    return lam[keep], slope[keep]


def _beyond(lam: np.ndarray, g: np.ndarray, step: float, side: int) -> float:
    """Return the mass that the rule on the half-line has beyond its last node below (−1) or above (1), put there.

    λ ends where floating point does, and a density such as λ^{−0.99} has a part beyond. Where it is a power of λ over
    two stretches before the end, it is followed as that; 0 where it is none, or one that has no finite integral.
    """
    order = slice(None, None, side)
    x = np.log(lam[order])
    with np.errstate(divide="ignore"):
        y = np.log(g[order])
    near, far = (int(np.argmin(np.abs(x - x[-1] + side * many * STRETCH))) for many in (1, 2))
    if not np.isfinite(y[[far, near, -1]]).all():
        return 0.0
    power, before = (y[-1] - y[near]) / (x[-1] - x[near]), (y[near] - y[far]) / (x[near] - x[far])
    rate = -power if side > 0 else power + 1  # of the decay of g above, and of λg below
    if rate <= 0 or abs(power - before) > 1e-9 * max(1.0, abs(power)):
        return 0.0
    u = np.arange(np.arcsinh(LARGEST / (np.pi / 2)) // step + 1, np.arcsinh(FARTHEST / (np.pi / 2)) / step) * step
    fallen = np.exp(-rate * (np.pi / 2 * np.sinh(u) - abs(x[-1]))) * (np.pi / 2 * np.cosh(u) * step)
    return float(np.exp(y[-1] + x[-1]) * fallen.sum())


def _measure_empty() -> errors.InputError:
    return errors.InputError("g is zero at every node: every distance would become 0. Name its support=.")


def _measure_kind(value: Any) -> errors.InputTypeError:
    return errors.InputTypeError(
        f"g={value!r} is not a measure; pass a density (a function of λ > 0 that takes arrays) or atoms: {{λ: mass}} "
        "or a list of pairs (λ, mass)."
    )


def _measure_support(support: Any) -> errors.InputError:
    return errors.InputError(
        f"support={support!r} but it must be a pair 0 ≤ low < high of numbers; high may be infinite."
    )


def _measure_values(what: str, at: float, value: float) -> errors.InputError:
    return errors.InputError(
        f"g: {what} is {value:.6g} at λ={at:.6g}, but a measure on λ ≥ 0 is finite and not negative."
    )


def _measure_not_admissible(end: str, share: float) -> errors.InputError:
    return errors.InputError(
        f"g is not admissible: ∫ g(λ)/(1 + λ) dλ must be finite, but towards λ → {end} its integrand does not die away "
        f"({share:.1e} of the whole is left at the last node). Use a density that decays, or a finite support=."
    )
