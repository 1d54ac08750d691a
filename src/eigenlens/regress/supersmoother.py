"""Friedman's supersmoother: running straight lines whose span is chosen locally by cross-validation.

Three running lines (spans 0.05, 0.2, 0.5 of the rows) are fitted; at each x the span with the least
leave-one-out absolute residual, itself smoothed, is preferred; the preferred spans are smoothed and the fit
is interpolated between the three lines accordingly.

Here a window is measured in weight, and a row on its edge counts in part. Equal x are merged first. So a row
of weight m is exactly m equal rows, and every window sum is a difference of two values of one piecewise
linear function: O(n) after sorting, without a loop.

References
----------
Friedman (1984), A variable span smoother, Stanford LCS technical report 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.stored import stored

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

SPANS = (0.05, 0.2, 0.5)
# x closer than this share of their range are equal; windows narrower than its root carry no slope.
SAME = 1e-9


@stored("smoother.Supersmoother")
@dataclass(frozen=True)
class Supersmoother:
    """A fitted supersmoother: straight between its nodes and beyond them.

    Attributes
    ----------
    x, y, slope : ndarray (g,)
        Distinct abscissae in order, smoothed values, smoothed slopes.
    """

    x: Array
    y: Array
    slope: Array

    def __call__(self, x: Array, derivative: bool = False) -> Array:
        """Return the values at x, or the smoothed slopes there."""
        x = np.asarray(x, dtype=np.float64)
        if derivative:
            return np.interp(x, self.x, self.slope)
        beyond = self.slope[0] * np.minimum(x - self.x[0], 0.0) + self.slope[-1] * np.maximum(x - self.x[-1], 0.0)
        return np.interp(x, self.x, self.y) + beyond


class _Lines:
    """Running lines over windows of several spans, which begin and end somewhere in cumulative weight.

    Sums come in pairs, of y and of xy, as real and imaginary part; values and slopes are real parts of multiples.
    """

    def __init__(self, u: Array, wg: Array, spans: tuple[float, ...]) -> None:
        self.cum = np.concatenate([[0.0], wg.cumsum()])
        W = self.cum[-1]
        least = 5.0  # rows: two neighbours on either side, as Friedman has it
        length = np.minimum(np.maximum(np.array(spans) * W, min(least, W)), W)[:, None]
        low = np.minimum(np.maximum(self.cum[:-1] + (wg - length) / 2.0, 0.0), W - length)
        self.ends, self.pair = np.array([low, low + length]), wg * (1.0 + 1j * u)
        mean = self._sums(u, slice(None)) / length
        dx, var_x = u - mean.real, mean.imag - mean.real**2
        steep = np.divide(1.0, var_x, out=np.zeros_like(var_x), where=var_x > SAME) / length
        self.of_slopes = -(mean.real + 1j) * steep
        self.of_values = 1.0 / length + dx * self.of_slopes
        self.own = 1.0 / length + dx**2 * steep  # what a row counts in its own line

    def _sums(self, y: Array, span: slice | int) -> NDArray[np.complex128]:
        total = np.concatenate([[0.0], (self.pair * y).cumsum()])
        low, high = np.interp(self.ends[:, span], self.cum, total)
        return high - low

    def values(self, y: Array, span: slice | int = slice(None)) -> Array:
        """Return the values of the lines at each abscissa, of all spans or of one."""
        return (self._sums(y, span) * self.of_values[span]).real

    def slopes(self, y: Array, span: slice | int = slice(None)) -> Array:
        """Return their slopes."""
        return (self._sums(y, span) * self.of_slopes[span]).real


def smoothed_rows(
    x: Array, y: Array, w: Array, span: float | None = None, bass: float = 0.0
) -> tuple[Supersmoother, Array, Array]:
    """Smooth y on x with weights w; return the smooth, and its values and slopes at x.

    Parameters
    ----------
    x, y, w : ndarray (n,)
        Abscissae, ordinates, positive weights.
    span : float, optional
        One fixed share of the rows per window; chosen locally by cross-validation if None.
    bass : float
        0 to 10; higher prefers the long span more.
    """
    order = x.argsort(kind="stable")
    ts, ws, center = x[order], w[order], float(w @ y / w.sum())
    low, width = float(ts[0]), float(ts[-1] - ts[0])
    t = (ts - low) / width if width > 0 else np.zeros_like(x)
    new = np.concatenate([[True], t[1:] - t[:-1] > SAME])
    first = new.nonzero()[0]
    u, wg = t[first] - 0.5, np.add.reduceat(ws, first)
    r = y[order] - center
    yg = np.add.reduceat(ws * r, first) / wg
    group = new.cumsum() - 1
    if u.size < 3:
        span = 1.0
    lines = _Lines(u, wg, SPANS if span is None else (span,))
    if span is None:
        fit, slope = _choose_spans(lines, wg, yg, first, group, ws, r, bass)
    else:
        fit, slope = lines.values(yg, 0), lines.slopes(yg, 0)
    scale = width if width > 0 else 1.0
    fit, slope = fit + center, slope / scale
    values, slopes = np.empty_like(x), np.empty_like(x)
    values[order], slopes[order] = fit[group], slope[group]
    return Supersmoother(low + width * (u + 0.5), fit, slope), values, slopes


def _choose_spans(
    lines: _Lines, wg: Array, yg: Array, first: Indices, group: Indices, w: Array, r: Array, bass: float
) -> tuple[Array, Array]:
    short, middle, long = SPANS
    tweeter, midrange = 0, 1
    fits = lines.values(yg)
    apart = np.add.reduceat(w * np.abs(r - fits[:, group]), first, axis=1) / wg
    held_out = apart / np.maximum(1.0 - lines.own, 0.05)  # a row that fixes its own line is not evidence
    loss = np.maximum([lines.values(row, midrange) for row in held_out], 0.0)
    chosen = np.array(SPANS)[loss.argmin(axis=0)]
    if bass > 0:
        least, woofer = loss.min(axis=0), loss[2]
        ratio = np.divide(least, woofer, out=np.ones_like(least), where=woofer > 0)
        chosen = chosen + (long - chosen) * np.maximum(ratio, 1e-7) ** (10.0 - bass)
    span = np.minimum(np.maximum(lines.values(chosen, midrange), short), long)
    # Piecewise linear blend of the three fits at the smoothed span.
    up = np.maximum(span - middle, 0.0) / (long - middle)
    down = np.maximum(middle - span, 0.0) / (middle - short)
    fit = lines.values(down * fits[0] + (1.0 - up - down) * fits[1] + up * fits[2], tweeter)
    return fit, lines.slopes(fit, midrange)
