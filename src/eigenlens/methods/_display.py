"""How a fitted model shows itself: a picture on request, a short table beside scikit-learn's diagram in notebooks."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from .._core import xp as _xp

MOST = 8  # directions in the table

#: Attributes that say how much a direction carries, and what to call that.
MEASURES = (
    ("canonical_correlations_", "canonical correlation"),
    ("correlations_", "canonical correlation"),
    ("explained_variance_", "variance"),
    ("eigenvalues_", "eigenvalue"),
)


class DisplayMixin:
    """Gives an estimator `plot` and a summary in notebooks."""

    def plot(self, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Draw the model with rows: the display that suits the method.

        Parameters
        ----------
        X, y : rows, and their target
            As in `fit`, where the display needs them.
        **options
            Passed to the display's `from_estimator`: `ax`, for instance.

        Returns
        -------
        display
            With `ax_` and `figure_`; see `eigenlens.report`.
        """
        # by name and late: a method knows no room to its right
        report: Any = import_module(f"{__name__.partition('.')[0]}.report")
        return report.plot(self, X, y, **options)

    def _html_repr(self) -> str:
        return str(super()._html_repr()) + self._summary_html()  # type: ignore[misc]

    def _summary(self) -> tuple[str, np.ndarray, np.ndarray | None] | None:
        """Return what a direction's value is called, the values, and their shares, where the model is fitted."""
        shares = getattr(self, "explained_variance_ratio_", None)
        shares = None if shares is None else np.asarray(_xp.to_numpy(shares), dtype=float)
        for name, words in MEASURES:
            values = getattr(self, name, None)
            if values is not None and _xp.is_array(values) and len(values.shape) == 1:
                return words, np.asarray(_xp.to_numpy(values), dtype=float), shares
        return None if shares is None else ("share", shares, None)

    def _summary_html(self) -> str:
        try:
            found = self._summary()
        except Exception:  # a summary is no reason to show nothing at all
            found = None
        if found is None:
            return ""
        words, values, shares = found
        head = (
            f"<tr><th>direction</th><th>{escape(words)}</th>"
            + ("<th>share</th>" if shares is not None else "")
            + "</tr>"
        )
        rows = []
        for j, value in enumerate(values[:MOST]):
            share = f"<td>{shares[j]:.1%}</td>" if shares is not None and j < len(shares) else ""
            rows.append(f"<tr><td>{j + 1}</td><td>{value:.4g}</td>{share}</tr>")
        more = f"<p>… {len(values) - MOST} more</p>" if len(values) > MOST else ""
        title = escape(f"{type(self).__name__}: {len(values)} direction{'' if len(values) == 1 else 's'}")
        return f"<div><p><b>{title}</b></p><table>{head}{''.join(rows)}</table>{more}</div>"
