"""Eigenvalues, and where a test cuts them off."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .style import Display, axes_for


class DimensionDisplay(Display):
    """What a test of dimension found: eigenvalues or statistics with the cut that it makes, and p-values.

    Parameters
    ----------
    eigenvalues : ndarray of shape (q,), or None
        Those of the test; None if it has none (Wilks), and p-values are drawn instead.
    test : DimensionTest
        Of "at most d directions", d = 0 … q − 1: the p-value of d belongs to the next eigenvalue.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.displays import DimensionDisplay
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
        X, y : rows, and their target, optional
            What `model.test_dimension` is given: some tests need rows.
        ax : axes, optional
        **options
            Passed to `model.test_dimension`: alpha, method, n_draws, random_state.
        """
        test = model.test_dimension(X, y, **options)
        values = test.statistics.get("eigenvalue")
        return cls(None if values is None else np.asarray(values, dtype=float), test).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        self._draw_on(self.test.plot(None if ax is None else axes_for(ax)[0]).ax_)
        return self
