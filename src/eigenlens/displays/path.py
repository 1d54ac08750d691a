"""Scores of a path over λ: where the best one lies, and how flat it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import errors
from .style import FOUND, INK, LEVEL, QUIET, Display, plain


@dataclass(repr=False)
class PathDisplay(Display):
    """GCV and leave-one-out error over λ, with the λ chosen and the degrees of freedom above.

    Parameters
    ----------
    lams, gcv, loo, df : arrays of shape (L,)
    chosen : float
        The λ of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import KernelRegressor
    >>> from eigenlens.displays import PathDisplay
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=(80, 1))
    >>> y = np.sin(6 * x[:, 0]) + 0.2 * rng.standard_normal(80)
    >>> display = PathDisplay.from_estimator(KernelRegressor(lam="loo").fit(x, y))
    >>> display.ax_.get_xlabel()
    'λ'
    """

    needs = ""

    lams: np.ndarray
    gcv: np.ndarray
    loo: np.ndarray
    df: np.ndarray
    chosen: float

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw the path of a fitted KernelRegressor or KernelClassifier whose `lam` is a rule.

        Parameters
        ----------
        model : fitted kernel machine
        ax : matplotlib axes, optional
        """
        if not hasattr(model, "path_"):
            raise errors.InputError(
                f"lam={model.lam!r} was given, so there is no path of λ to draw; fit with lam='gcv' or lam='loo'."
            )
        path = model.path_
        return cls(path.lams, path.gcv, path.loo, path.df, model.lam_).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw into axes, new ones if none are given."""
        (ax,) = self._draw_on(ax, 1, 5.6, 4.0)
        curves = (self.gcv, "GCV", FOUND, "-"), (self.loo, "leave-one-out", LEVEL, (0, (5, 3)))
        for values, name, colour, style in curves:  # they often coincide: both are to be seen
            ax.loglog(self.lams, values, color=colour, linestyle=style, label=name, linewidth=1.6)
            ax.plot(self.lams[np.argmin(values)], values.min(), "o", color=colour, markersize=5)
        ax.axvline(self.chosen, color=INK, linestyle="--", linewidth=0.9, label=f"λ = {self.chosen:.2g}")
        best = min(np.min(self.gcv), np.min(self.loo))
        finite = np.concatenate([self.gcv, self.loo])
        top = np.max(finite[np.isfinite(finite)])
        ax.set(xlabel="λ", ylabel="estimated squared error", ylim=(0.9 * best, min(top * 1.1, 30 * best)))
        ax.legend(frameon=False, fontsize="small")
        plain(ax)
        self._mark_df(ax)
        return self

    def _mark_df(self, ax: Any) -> None:
        """Write the degrees of freedom along the top."""
        above = ax.secondary_xaxis("top")
        wanted = [d for d in (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if self.df.min() < d < self.df.max()]
        order = np.argsort(self.df)
        places = np.exp(np.interp(wanted, self.df[order], np.log(self.lams)[order]))
        above.set_xticks(places, [str(d) for d in wanted])
        above.minorticks_off()
        above.tick_params(color=QUIET, labelcolor=INK, labelsize="small")
        above.spines["top"].set_visible(False)
        above.set_xlabel("degrees of freedom", fontsize="small")
