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

SPANS = (0.05, 0.2, 0.5)
# Two neighbours on either side, as Friedman has it.
LEAST_WINDOW = 5.0
# x closer than this share of their range are equal; windows narrower than its root carry no slope.
SAME = 1e-9
# Leave-one-out residuals are r/(1 − h); a row that fixes its own line is not evidence.
LEAST_FREEDOM = 0.05


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
        out = np.interp(x, self.x, self.y)
        low, high = x < self.x[0], x > self.x[-1]
        return (
            out
            + np.where(low, self.slope[0] * (x - self.x[0]), 0)
            + np.where(high, self.slope[-1] * (x - self.x[-1]), 0)
        )


class _Lines:
    """Running lines over windows of several spans: where each window begins and ends in cumulative weight.

    Moments come in pairs, as real and imaginary part of one sum.
    """

    def __init__(self, u: Array, wg: Array, spans: tuple[float, ...]) -> None:
        W = float(wg.sum())
        self.length = np.clip(np.array(spans) * W, min(LEAST_WINDOW, W), W)[:, None]
        self.cum = np.concatenate([[0.0], np.cumsum(wg)])
        low = np.minimum(np.maximum(self.cum[:-1] + wg / 2.0 - self.length / 2.0, 0.0), W - self.length)
        self.ends = np.stack([low, low + self.length])
        self.wg, self.first = wg, wg * u
        x = self._means(self.first + 1j * (self.first * u), slice(None))
        self.mean_x, self.dx = x.real, u - x.real
        var_x = x.imag - x.real**2
        self.steep = np.divide(1.0, var_x, out=np.zeros_like(var_x), where=var_x > SAME)
        self.freedom = np.maximum(1.0 - (1.0 + self.dx**2 * self.steep) / self.length, LEAST_FREEDOM)

    def _means(self, terms: NDArray[np.complex128], spans: slice | int) -> NDArray[np.complex128]:
        totals = np.cumsum(terms, axis=-1).reshape(-1, terms.shape[-1])
        ends = [np.interp(self.ends[:, spans], self.cum, np.concatenate([[0.0j], total])) for total in totals]
        means = np.array([high - low for low, high in ends], dtype=np.complex128) / self.length[spans]
        return means if terms.ndim > 1 else means[0, ...]

    def fit(self, y: Array, spans: slice | int = slice(None)) -> tuple[Array, Array]:
        """Return values and slopes of the lines of some spans at each abscissa; y may have several rows for one."""
        found = self._means(self.wg * y + 1j * (self.first * y), spans)
        slope = (found.imag - found.real * self.mean_x[spans]) * self.steep[spans]
        return found.real + slope * self.dx[spans], slope


def supersmooth(x: Array, y: Array, w: Array, span: float | None = None, bass: float = 0.0) -> Supersmoother:
    """Return the smooth of y on x with weights w; see `smoothed_rows`."""
    return smoothed_rows(x, y, w, span, bass)[0]


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
    low, width = float(x.min()), float(x.max() - x.min())
    center = float(w @ y / w.sum())
    order = np.argsort(x, kind="stable")
    t = (x[order] - low) / width if width > 0 else np.zeros_like(x)
    new = np.concatenate([[True], np.diff(t) > SAME])
    group = np.empty(x.size, dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    wg: Array = np.bincount(group, w).astype(np.float64)
    u = t[new] - 0.5
    r = y - center
    yg = np.bincount(group, w * r) / wg
    if u.size < 3:
        span = 1.0
    if span is not None:
        fit, slope = (found[0] for found in _Lines(u, wg, (span,)).fit(yg))
    else:
        fit, slope = _choose_spans(u, wg, yg, group, w, r, bass)
    scale = width if width > 0 else 1.0
    fit, slope = fit + center, slope / scale
    return Supersmoother(low + width * (u + 0.5), fit, slope), fit[group], slope[group]


def _choose_spans(
    u: Array, wg: Array, yg: Array, group: NDArray[np.intp], w: Array, r: Array, bass: float
) -> tuple[Array, Array]:
    short, middle, long = SPANS
    tweeter, midrange = 0, 1
    lines = _Lines(u, wg, SPANS)
    fits = lines.fit(yg)[0]
    apart = np.array([np.bincount(group, off) for off in w * np.abs(r - fits[:, group])])
    loss = np.maximum(lines.fit(apart / wg / lines.freedom, midrange)[0], 0.0)
    chosen = np.array(SPANS)[np.argmin(loss, axis=0)]
    if bass > 0:
        least, woofer = loss.min(axis=0), loss[2]
        ratio = np.where(woofer > 0, least / np.where(woofer > 0, woofer, 1.0), 1.0)
        chosen = chosen + (long - chosen) * np.maximum(ratio, 1e-7) ** (10.0 - bass)
    span = np.minimum(np.maximum(lines.fit(chosen, midrange)[0], short), long)
    # Piecewise linear blend of the three fits at the smoothed span.
    up = np.maximum(span - middle, 0.0) / (long - middle)
    down = np.maximum(middle - span, 0.0) / (middle - short)
    fit = lines.fit(down * fits[0] + (1.0 - up - down) * fits[1] + up * fits[2], tweeter)[0]
    return fit, lines.fit(fit, midrange)[1]
