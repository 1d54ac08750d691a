"""Eigenvalues, and where a test cuts them off."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ._style import FOUND, INK, LEVEL, QUIET, axes_for, plain


class DimensionDisplay:
    """Eigenvalues with the cut that a test of dimension makes, and its p-values.

    Parameters
    ----------
    eigenvalues : ndarray of shape (q,), or None
        Where the test has none of its own (Wilks), p-values are drawn; where it has a noise band, that too.
    test : DimensionTest
        Of "at most d directions", d = 0 … q − 1: the p-value of d speaks of the next eigenvalue.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.report import DimensionDisplay
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> display = DimensionDisplay.from_estimator(SIR().fit(X, np.exp(X[:, 0])))
    >>> display.test.dimension
    1
    """

    def __init__(self, eigenvalues: np.ndarray | None, test: Any) -> None:
        self.eigenvalues, self.test = eigenvalues, test

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any) -> Self:
        """Test the dimension of a fitted model and draw the result.

        Parameters
        ----------
        model : fitted estimator that has `test_dimension`
        X, y
            Not looked at: the test reads the model.
        ax : axes, optional
        **options
            Passed to `model.test_dimension`: alpha, method, n_draws, random_state.
        """
        test = model.test_dimension(**options)
        values = test.statistics.get("eigenvalue")
        return cls(None if values is None else np.asarray(values, dtype=float), test).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        if self.eigenvalues is None or "noise" in self.test.statistics or not self.test.is_test:
            self.ax_ = self.test.plot(None if ax is None else axes_for(ax, 1)[0])
            self.figure_ = self.ax_.figure
            return self
        q, d = len(self.eigenvalues), self.test.dimension
        self.ax_ = axes_for(ax, 1, width=max(4.6, 0.75 * q + 1.5), height=3.8)[0]
        self.figure_ = self.ax_.figure
        place, top = np.arange(1, q + 1), max(float(np.max(self.eigenvalues)), 1e-300)
        colours = [FOUND if j < d else QUIET for j in range(q)]
        self.ax_.bar(place, self.eigenvalues, color=colours, width=0.7)
        for x, value, p in zip(place, self.eigenvalues, self.test.p_values, strict=True):
            text = f"p={p:.2f}" if p >= 0.01 else "p<0.01"
            self.ax_.annotate(text, (x, value), (0, 3), textcoords="offset points", ha="center", fontsize=8, color=INK)
        self.ax_.axvline(d + 0.5, color=LEVEL, linestyle="--", linewidth=1.2)
        side, ha = (6, "left") if d < q / 2 else (-6, "right")
        note = f"cut at {self.test.alpha:.0%} ({self.test.method})"
        self.ax_.annotate(
            note, (d + 0.5, 1.14 * top), (side, 0), textcoords="offset points", color=LEVEL, ha=ha, va="top", fontsize=9
        )
        self.ax_.set(xlabel="direction", ylabel="eigenvalue λ", xticks=place, ylim=(0, 1.16 * top), xlim=(0.4, q + 0.6))
        self.ax_.set_title(str(self.test), fontsize=10, loc="left")
        plain(self.ax_)
        return self
