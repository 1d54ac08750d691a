r"""Measures on λ ≥ 0 and the integral :math:`\int (1 - e^{-\lambda d})/\lambda \, g(d\lambda)` over them.

A density is integrated in ln λ, by 16 Gauss nodes on each of many panels: they are cut where the density varies, and in
halves until Φ changes nowhere. So peaks, jumps and singularities at the ends get short panels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.errors import warn
from ..arrays.stored import stored
from ..arrays.typing import Array

TOLERANCE, ALLOWED = 1e-13, 1e-10  # relative error to reach, and beyond which a warning is due
LARGEST = 690.0  # |ln λ| up to which nodes are taken


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
        _refuse_values("a place", self.locations, self.locations)
        _refuse_values("the mass", self.locations, self.masses)
        if not np.any(self.masses > 0):
            raise _empty()

    @classmethod
    def read(cls, g: Any) -> Atoms:
        """Read {λ: mass} or pairs (λ, mass)."""
        try:
            table = np.array([(float(at), float(mass)) for at, mass in (g.items() if isinstance(g, Mapping) else g)])
        except (TypeError, ValueError):
            table = np.zeros(0)
        if table.size == 0:
            raise errors.InputTypeError(
                f"g={g!r} is not a measure; pass a density (a function of λ > 0 that takes arrays) or atoms: "
                "{λ: mass} or a list of pairs (λ, mass)."
            )
        return cls(table[:, 0], table[:, 1])

    def __add__(self, other: Atoms) -> Atoms:
        """Return the sum of two measures; a density is there with the nodes of its quadrature."""
        return Atoms(*(np.append(getattr(self, name), getattr(other, name)) for name in ("locations", "masses")))

    def __rmul__(self, factor: float) -> Atoms:
        return Atoms(self.locations, factor * self.masses)

    def __call__(self, d: Array) -> Array:
        """Return the integral for every entry of d: the sum of mass·(1 − e^{−λd})/λ, for λ = 0 of its limit d."""
        xp = namespaces.namespace(d)
        flat, step = xp.reshape(d, (-1,)), max(1, 2**16 // len(self.locations))
        drift = float(self.masses[self.locations == 0].sum())
        lam, mass = (namespaces.like(part[self.locations > 0], d) for part in (self.locations, self.masses))
        with np.errstate(over="ignore"):  # e^{−∞} is 0
            grown = [
                -xp.expm1(-flat[start : start + step, None] * lam[None, :]) @ (mass / lam)
                for start in range(0, max(flat.shape[0], 1), step)
            ]
        return xp.reshape(xp.concat(grown, axis=0) + drift * flat, d.shape)


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
        except (TypeError, ValueError):
            self.low = self.high = np.inf
        if not 0 <= self.low < self.high or np.isinf(self.low):
            raise errors.InputError(
                f"support={support!r} but it must be a pair 0 ≤ low < high of numbers; high may be infinite."
            )
        super().__init__(*self._quadrature())

    def _mass(self, t: np.ndarray) -> np.ndarray:
        """Return λg(λ) at λ = eᵗ, the density of ln λ."""
        lam = np.clip(np.exp(t), np.nextafter(self.low, np.inf), np.nextafter(self.high, 0))  # not on the ends
        with np.errstate(all="ignore"):
            mass = np.broadcast_to(np.asarray(self.g(lam), dtype=np.float64), lam.shape) * lam
        _refuse_values("the density", lam, mass / lam)
        return mass

    def _quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes and masses."""
        low = np.log(self.low) if self.low > 0 else -LARGEST
        high = np.log(self.high) if np.isfinite(self.high) else LARGEST
        looks = 2**17  # peaks that are narrower are not seen
        u = np.linspace(np.arcsinh(low / (np.pi / 2)), np.arcsinh(high / (np.pi / 2)), looks)
        t = np.clip(np.pi / 2 * np.sinh((u[1:] + u[:-1]) / 2), low, high)
        size = self._mass(t) / (1 + np.exp(t))  # what must have a finite integral
        total = float(size @ np.diff(np.pi / 2 * np.sinh(u)))
        if total == 0:
            raise _empty()
        beyond = [self._beyond(t, size, total, end) for end in (0, -1)]
        # a power may carry a measure to the end of all numbers; convergence is judged about a typical 1/λ
        middle = float(np.clip(np.average(t, weights=size * np.diff(u) * np.cosh(u[1:])), -20.0, 20.0))
        probes = 10.0 ** np.arange(-6, 7) / np.exp(middle)
        nodes, masses = self._settled(self._panels(low, t, size, high), probes)
        nodes, masses = np.append(nodes, t[[0, -1]]), np.append(masses, beyond)
        return np.exp(nodes[masses > 0]), masses[masses > 0]

    def _panels(self, low: float, t: np.ndarray, size: np.ndarray, high: float) -> np.ndarray:
        """Return the edges of panels within which neither λ nor a density that counts varies much."""
        floor = np.exp(-75.0) * size.max()
        (seen,) = np.nonzero(size > floor)
        first, last = max(int(seen[0]) - 1, 0), min(int(seen[-1]) + 1, len(t) - 1)
        y = np.log(np.maximum(size[first : last + 1], floor))
        varied = np.cumsum(np.abs(np.diff(y)) + np.diff(t[first : last + 1])) // 3.0
        steps = np.diff(varied, prepend=0.0)
        cut, jumps = (first + np.flatnonzero(steps > many) for many in (0, 1))
        ends = [low] * (first == 0 < self.low) + [high] * (last == len(t) - 1 and self.high < np.inf)
        return np.unique(np.concatenate([t[cut], t[jumps + 1], t[[first, last]], ends]))

    def _settled(self, edges: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes, in ln λ, and masses of panels that are cut in halves until Φ(d) changes nowhere."""
        x, share = np.polynomial.legendre.leggauss(16)

        def rule(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            t = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * x
            mass = self._mass(t) * share * (high - low)[:, None] / 2
            with np.errstate(over="ignore"):
                grown = -np.expm1(-d[:, None, None] * np.exp(t)) * (mass / np.exp(t))
            return t, mass, grown.sum(axis=2)

        low, high = edges[:-1], edges[1:]
        t, mass, value = rule(low, high)
        total, kept = value.sum(axis=1, keepdims=True), []
        for _ in range(60):
            middle = (low + high) / 2
            halves = rule(np.concatenate([low, middle]), np.concatenate([middle, high]))
            off = (np.abs(value - halves[2][:, : len(low)] - halves[2][:, len(low) :]) / total).max(axis=0)
            done = (off <= TOLERANCE) | (middle <= low) | (middle >= high)
            kept.append((t[done], mass[done]))
            if done.all() or len(low) > 20_000:
                break
            again = np.flatnonzero(np.concatenate([~done, ~done]))
            t, mass, value = halves[0][again], halves[1][again], halves[2][:, again]
            low, high = np.concatenate([low, middle])[again], np.concatenate([middle, high])[again]
        if not done.all():
            kept.append((t[~done], mass[~done]))
            if (left := float(off[~done].sum())) > ALLOWED:
                warn(
                    errors.NotConvergedWarning(
                        f"The quadrature of g still changed by {left:.1e} of its value on the finest panels (allowed "
                        f"{ALLOWED:.0e}): the density has jumps or spikes. Name its support=, split it into parts, or "
                        "give atoms."
                    )
                )
        nodes, masses = (np.concatenate([part[i].ravel() for part in kept]) for i in (0, 1))
        return nodes, masses

    def _beyond(self, t: np.ndarray, size: np.ndarray, total: float, end: int) -> float:
        """Return the mass beyond the last place that floating point has, where the density goes on as a power of λ.

        λ ends where floating point does, and a density such as λ^{−0.99} has a part beyond.
        """
        if (self.low, self.high)[end] not in (0.0, np.inf):
            return 0.0
        far = end + (1, -1)[end] * (len(t) // 24)
        with np.errstate(all="ignore"):
            rate = float(np.log(size[far] / size[end]) / abs(t[far] - t[end]))
        if size[end] > 1e-6 * total and not rate > 1e-9:
            raise errors.InputError(
                f"g is not admissible: ∫ g(λ)/(1 + λ) dλ must be finite, but towards λ → {(self.low, '∞')[end]:} its "
                f"integrand does not die away ({size[end] / total:.1e} of the whole is left at the last node). Use a "
                "density that decays, or a finite support=."
            )
        return float(size[end] * (1 + np.exp(t[end])) / rate) if rate > 0 and size[end] > 0 else 0.0


def _refuse_values(what: str, at: np.ndarray, values: np.ndarray) -> None:
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise errors.InputError(
            f"g: {what} is {np.ravel(values)[bad[0]]:.6g} at λ={np.ravel(at)[bad[0]]:.6g}, but a measure on λ ≥ 0 is "
            "finite and not negative."
        )


def _empty() -> errors.InputError:
    return errors.InputError("g is zero at every node: every distance would become 0. Name its support=.")
