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


class _Line:
    """A running line over windows of one span: where each window lies in cumulative weight, and its moments
    of x.
    """

    def __init__(self, u: Array, wg: Array, span: float) -> None:
        W = float(wg.sum())
        length = min(W, max(span * W, LEAST_WINDOW))
        self.cum = np.concatenate([[0.0], np.cumsum(wg)])
        low = np.clip(self.cum[:-1] + wg / 2.0 - length / 2.0, 0.0, W - length)
        self.ends = [self._locate(low), self._locate(low + length)]
        self.u, self.wg, self.length = u, wg, length
        self.mean_x = self._window(wg * u) / length
        self.var_x = np.maximum(self._window(wg * u**2) / length - self.mean_x**2, 0.0)
        self.dx = u - self.mean_x
        self.flat = self.var_x <= SAME
        self.safe_var = np.where(self.flat, 1.0, self.var_x)
        pull = np.where(self.flat, 0.0, self.dx**2 / self.safe_var)
        self.freedom = np.maximum(1.0 - (1.0 + pull) / length, LEAST_FREEDOM)

    def _locate(self, at: Array) -> tuple[NDArray[np.intp], Array]:
        i = np.clip(np.searchsorted(self.cum, at, side="right") - 1, 0, self.cum.size - 2)
        return i, (at - self.cum[i]) / (self.cum[i + 1] - self.cum[i])

    def _window(self, terms: Array) -> Array:
        total = np.concatenate([[0.0], np.cumsum(terms)])
        (i, a), (j, b) = self.ends
        return total[j] + b * terms[j] - total[i] - a * terms[i]

    def fit(self, y: Array) -> tuple[Array, Array]:
        """Return the line's value and slope at each abscissa."""
        wy = self.wg * y
        mean = self._window(wy) / self.length
        cov = self._window(wy * self.u) / self.length - mean * self.mean_x
        slope = np.where(self.flat, 0.0, cov / self.safe_var)
        return mean + slope * self.dx, slope


def supersmooth(x: Array, y: Array, w: Array, span: float | None = None, bass: float = 0.0) -> Supersmoother:
    """Smooth y on x with weights w.

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
        fit, slope = _Line(u, wg, 1.0).fit(yg)
    elif span is not None:
        fit, slope = _Line(u, wg, span).fit(yg)
    else:
        fit, slope = _choose_spans(u, wg, yg, group, w, r, bass)
    scale = width if width > 0 else 1.0
    return Supersmoother(low + width * (u + 0.5), fit + center, slope / scale)


def _choose_spans(
    u: Array, wg: Array, yg: Array, group: NDArray[np.intp], w: Array, r: Array, bass: float
) -> tuple[Array, Array]:
    lines = [_Line(u, wg, s) for s in SPANS]
    tweeter, middle, _ = lines
    fits = np.array([line.fit(yg)[0] for line in lines])
    loss = np.array(
        [
            middle.fit(np.bincount(group, w * np.abs(r - f[group])) / wg / line.freedom)[0]
            for f, line in zip(fits, lines, strict=True)
        ]
    )
    loss = np.maximum(loss, 0.0)
    spans = np.array(SPANS)
    best = np.argmin(loss, axis=0)
    chosen = spans[best]
    if bass > 0:
        least, woofer = loss.min(axis=0), loss[2]
        ratio = np.where(woofer > 0, least / np.where(woofer > 0, woofer, 1.0), 1.0)
        chosen = chosen + (spans[2] - chosen) * np.maximum(ratio, 1e-7) ** (10.0 - bass)
    smooth_span = np.clip(middle.fit(chosen)[0], spans[0], spans[2])
    # Piecewise linear blend of the three fits at the smoothed span.
    up = np.clip((smooth_span - spans[1]) / (spans[2] - spans[1]), 0.0, 1.0)
    down = np.clip((spans[1] - smooth_span) / (spans[1] - spans[0]), 0.0, 1.0)
    blend = down * fits[0] + (1.0 - up - down) * fits[1] + up * fits[2]
    fit = tweeter.fit(blend)[0]
    return fit, middle.fit(fit)[1]
