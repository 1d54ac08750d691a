"""What the terms of adaptive splines say about the features: importance, and the ANOVA decomposition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays.summaries import Table
from .hinges import report
from .hinges.criterion import gcv
from .hinges.rules import make_rules
from .hinges.terms import Term
from .regressor import Floats, Regressor


class TermTables(Regressor):
    """Tables of a sum of terms that was found by a search and pruned."""

    importance: str
    basis_: list[Term]
    coef_: Floats
    rss_: float
    gcv_: float
    rsq_: float
    grsq_: float
    _R: Floats
    _W: float
    _importances: dict[str, Floats]

    @property
    def feature_importances_(self) -> Floats:
        """What GCV gains by the subsets of the pruning path that use a feature, as shares of the sum."""
        if not hasattr(self, "_importances"):
            raise AttributeError("feature_importances_ come from the pruning path of fit; call fit first")
        credit = self._importances["gcv"]
        return credit / credit.sum() if credit.sum() > 0 else credit.copy()

    def evimp(self, root: bool = True) -> Table:
        """Return the importance of features by three criteria, after earth's function of this name.

        How many subsets of the pruning pass use a feature, and what these subsets gain in GCV and in RSS, 100 for the
        feature that gains most. Features come in the order of these columns; the model does not use those with 0.

        Parameters
        ----------
        root : bool
            Take square roots of the gains before they are scaled, as earth does: they are sums of squares.

        Returns
        -------
        Table
            `print` it, or `to_frame()`.
        """
        check_is_fitted(self)
        counts = self._importances["nsubsets"]
        found = [counts, *(report.scaled(self._importances[kind], root) for kind in ("gcv", "rss"))]
        order = np.lexsort([-found[2], -found[1], -counts])
        names = self._feature_names()
        values = np.column_stack(found)[order]
        title = "Importance: subsets that use a feature, and what they gain in GCV and RSS"
        return Table(title, values, [names[j] for j in order], ["subsets", "GCV", "RSS"])

    def anova(self) -> Table:
        """Return the ANOVA decomposition: what the terms of each feature, and of each set of features, add.

        Friedman's table: the number of terms, the standard deviation of their sum over the rows of the fit, and the GCV
        that the model would have without them, with the other coefficients refitted.

        Returns
        -------
        Table
            `print` it, or `to_frame()`.
        """
        check_is_fitted(self)
        names, penalty = self._feature_names(), make_rules(self, self.n_features_in_, self._feature_names()).penalty
        rows, values = [], []
        for part in report.parts(self.basis_, self.coef_, self._R, self._W):
            left = gcv(self.rss_ + part.loss, len(self.basis_) - len(part.terms), self._W, penalty)
            rows.append(", ".join(names[j] for j in part.features))
            values.append([len(part.terms), *part.spread, left])
        q = self.coef_.shape[1]
        spreads = ["standard deviation"] if q == 1 else [f"sd of response {r}" for r in range(q)]
        head = ["terms", *spreads, "GCV without"]
        title = f"What features add (ANOVA decomposition; GCV of the whole model: {self.gcv_:.4g})"
        return Table(title, np.reshape(np.array(values, dtype=float), (len(rows), len(head))), rows, head)

    def _facts(self) -> Iterator[str]:
        used = len({j for t in self.basis_ for j in t.features})
        yield f"{len(self.basis_)} terms in {used} of {self.n_features_in_} features, h(u) = max(0, u)."
        yield f"GCV {self.gcv_:.6g}, RSS {self.rss_:.6g}, R² {self.rsq_:.6g}, GCV R² {self.grsq_:.6g}."

    def _tables(self) -> Iterator[tuple[str, Table]]:
        q = self.coef_.shape[1]
        names = ["coefficient"] if q == 1 else [f"response {r}" for r in range(q)]
        yield "terms", Table("Terms", self.coef_, [str(t) for t in self.basis_], names, lines=len(self.basis_))
        if len(self.basis_) > 1:
            yield "anova", self.anova()
            yield "importance", self.evimp()
