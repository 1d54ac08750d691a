"""Adaptive splines (MARS): a sum of products of hinges, found by a forward search and pruned backward.

f(x) = β₀ + Σ_m β_m Π_k [s_km (x_{j(k,m)} − t_km)]₊

The forward search adds, at each step, the reflected pair b·(x_j − t)₊, b·(t − x_j)₊ (b is a term already
in the model) that lowers the residual sum of squares over all responses most; pruning then keeps the subset with
the least GCV = (RSS/W) / (1 − C/W)², C = M + c·(M − 1)/2 for M terms and W the sum of the weights.

Reference: J. H. Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19, 1–67.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.stats import t as student
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.linalg import one_blas_thread
from ..arrays.parameters import check_number, is_number
from ..arrays.stored import stored
from ..arrays.threads import thread_count
from ..arrays.typing import Array, ColumnLike, TableLike
from ..drawing import Display
from ._term_tables import TermTables
from .hinges import report
from .hinges.criterion import Unit, cost, gcv
from .hinges.prune import Subset
from .hinges.rules import make_rules
from .hinges.terms import Term, evaluate
from .hinges.whole_fit import Search
from .regressor import Floats, warn_if_relative


@stored("AdaptiveSplines")
class AdaptiveSplines(TermTables):
    """Multivariate adaptive regression splines.

    Parameters
    ----------
    degree : int, default 1
        Largest number of factors in a term: 1 is additive, 2 lets pairs of features interact.
    max_terms : int, optional
        Largest number of terms of the forward search, including the constant. By default min(200, max(20, 2p)) + 1. A
        pair of hinges counts as two, as in R's earth and mda, even if it adds only one column, as a second knot of a
        feature does: the first pair already spans the straight line.
    penalty : float, optional
        Cost c of a knot in GCV; 2 for degree 1, 3 above. With a negative number, nothing is pruned.
    min_span : int, optional
        Smallest number of rows from one knot of a feature to the next, under the same parent; 1 allows every value. By
        default Friedman's rule, with at most about 1000 candidates per feature.
    end_span : int, optional
        Smallest number of rows beyond a knot on either side. By default Friedman's rule, doubled in interactions.
    fast_k : int or None, default 20
        Parents tried at each step, the most promising first (Fast MARS); None or 0 tries all.
    allow_linear : bool, default True
        Let a feature enter as a straight line if a hinge does not pay off by GCV.
    tol : float, default 0.001
        The search ends when a step raises R² by less than this. If the gain is no larger than the best candidate would
        reach on noise, the step must gain this much for each column it adds.
    prune : {"gcv", "cv", None}, default "gcv"
        How to choose the size: "cv" takes the size with the smallest cross-validated sum of squares, and None keeps all
        terms.
    cv : int or splitter, default 5
        Folds for ``prune="cv"``; an int shuffles the rows, always in the same way. A row is one unit whatever its
        weight, except that rows of weight zero are ignored.
    interactions : list of features, optional
        Only these features (columns or names) may share a term; the others stay additive. By default all.
    forbidden : list of pairs of features, optional
        Pairs that never share a term.
    linear : list of features, optional
        Features that may only enter as straight lines.
    n_jobs : int, optional
        Threads over features; worth it from about 10⁵ rows. The result does not depend on it.

    Attributes
    ----------
    basis_ : list of Term
        The terms kept, the constant first; ``str(term)`` is readable.
    coef_ : array of shape (terms, responses)
    rss_, gcv_, df_ : float
        Residual sum of squares over all responses, GCV, and effective number of parameters C.
    rsq_, grsq_ : float
        1 − RSS/RSS₀ and 1 − GCV/GCV₀, against the constant alone.
    feature_importances_ : array of shape (p,)
        What GCV gains by the subsets that use a feature, on the pruning path; they add to 1.
    forward_terms_ : list of Term
        All terms of the forward search.
    forward_path_ : array of shape (steps, 2)
        Number of terms and RSS after each step of the search.
    pruning_path_ : array of shape (sizes, 3)
        Number of terms, RSS and GCV of each subset of the pruning pass.
    stopped_ : str
        Why the search ended.

    See Also
    --------
    eigenlens.regress.AdditiveSplines : A smooth curve for each column (BRUTO).
    eigenlens.regress.ProjectionPursuit : Curves along a few directions.
    FDA : Boundaries that bend.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress import AdaptiveSplines
    >>> x = np.linspace(0, 10, 101).reshape(-1, 1)
    >>> model = AdaptiveSplines(min_span=1, end_span=1).fit(x, 2 + 3 * np.maximum(0, x[:, 0] - 4))
    >>> [str(term) for term in model.basis_]
    ['1', 'h(x0-4)']
    >>> np.round(model.predict([[4.0], [6.0]]), 6)
    array([2., 8.])
    """

    rsq_: float
    grsq_: float
    forward_terms_: list[Term]
    forward_path_: Array
    pruning_path_: Array
    stopped_: str

    basis_: list[Term]
    coef_: Floats
    rss_: float
    gcv_: float
    df_: float

    _foreign_names: ClassVar[dict[str, str]] = {
        "glm": "it predicts numbers; FDA(regressor=AdaptiveSplines()) tells classes apart and gives their posteriors",
        "nk": "write max_terms=",
        "nprune": "write max_terms=, or prune='cv'",
        "thresh": "write tol=",
        "pmethod": "write prune='gcv', 'cv' or None",
        "nfold": "write prune='cv' and cv=",
        "minspan": "write min_span=",
        "endspan": "write end_span=",
        "linpreds": "write linear=",
        "importance": "feature_importances_ counts gains in GCV; evimp() shows subsets and RSS as well",
    }

    _work = (10, 40)

    def __init__(
        self,
        degree: int = 1,
        *,
        max_terms: int | None = None,
        penalty: float | None = None,
        min_span: int | None = None,
        end_span: int | None = None,
        fast_k: int | None = 20,
        allow_linear: bool = True,
        tol: float = 0.001,
        prune: Literal["gcv", "cv"] | None = "gcv",
        cv: Any = 5,
        interactions: Sequence[int | str] | None = None,
        forbidden: Sequence[tuple[int | str, int | str]] | None = None,
        linear: Sequence[int | str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.degree = degree
        self.max_terms = max_terms
        self.penalty = penalty
        self.min_span = min_span
        self.end_span = end_span
        self.fast_k = fast_k
        self.allow_linear = allow_linear
        self.tol = tol
        self.prune = prune
        self.cv = cv
        self.interactions = interactions
        self.forbidden = forbidden
        self.linear = linear
        self.n_jobs = n_jobs

    def _check_range(self, name: str, values: Floats, reach: float, names: Any) -> None:
        """Refuse features whose products leave the range; a term uses each feature only once."""
        super()._check_range(name, values, reach, names)
        many = int(self.degree) if is_number(self.degree, integer=True) and self.degree > 1 else 1
        if name != "X" or many == 1:
            return
        with np.errstate(divide="ignore"):
            logs = np.log10(np.maximum(np.abs(values).max(axis=0), np.ptp(values, axis=0)))
        logs = np.sort(logs[np.isfinite(logs)])
        if logs[-many:].clip(min=0).sum() > reach or logs[:many].clip(max=0).sum() < -reach:
            raise errors.InputError(
                f"degree={many} but products of so many columns of X leave the range from 1e-{reach:.0f} to "
                f"1e+{reach:.0f}, whose squares can be added up; divide the columns by constants."
            )

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        rules = make_rules(self, X.shape[1], self._feature_names())
        if self.n_jobs is not None:
            check_number("n_jobs", self.n_jobs, -1, integer=True)
        warn_if_relative(w)
        workers = thread_count() if self.n_jobs == -1 else self.n_jobs or 1
        pool = ThreadPoolExecutor(workers) if workers > 1 else None
        with one_blas_thread(), pool or nullcontext():  # BLAS threads on slim matrices cost more than they bring
            search = Search(X, Y, w, rules, pool)
            size = search.size(self.prune, folds_of(self.cv, self._places, len(X)))
        found, best = search.found, search.subsets[size - 1]
        self._keep([found.terms[k] for k in best.terms], best, search.unit, w, rules.penalty)
        rss = search.unit.scale**2 * np.array([s.rss.sum() for s in search.subsets])
        gcvs = np.array([gcv(r, k + 1, self._W, rules.penalty) for k, r in enumerate(rss)])
        sizes = np.arange(1, len(rss) + 1)
        self._compare(rss[0], gcvs[0])
        self.forward_terms_ = found.terms
        self.forward_path_ = np.array([(m, r * search.unit.scale**2) for m, r in found.path])
        self.pruning_path_ = np.column_stack([sizes, rss, gcvs])
        self.stopped_ = found.reason
        self._importances = {
            kind: report.credits(search.subsets, score, found.terms, size, X.shape[1])
            for kind, score in {"gcv": gcvs, "rss": rss, "nsubsets": -sizes.astype(float)}.items()
        }
        self._frame(X, found.R[:, best.terms])

    def _predict(self, X: Floats) -> Floats:
        Y = np.repeat(self.coef_[:1], len(X), axis=0)
        for term, c in zip(self.basis_[1:], self.coef_[1:], strict=True):  # the n×M matrix need not exist
            Y += term(X)[:, None] * c
        return Y

    def basis(self, X: TableLike) -> Array:
        """Evaluate the terms, (n, terms) with the constant first; ``basis(X) @ coef_`` is the fit."""
        rows, given_back = self._read_rows(X)
        return given_back(evaluate(self.basis_, rows))

    def predict_interval(self, X: TableLike, level: float = 0.95) -> tuple[Array, Array]:
        """Prediction interval for a new response at each row, given the terms.

        ŷ ± t·σ·√(1 + b(x)ᵀ(BᵀWB)⁻¹b(x)), σ² = RSS/(W − C): counting C parameters accounts for the search on average,
        but the terms are treated as known. Errors are assumed normal, with one variance per response.

        Parameters
        ----------
        X : array of shape (n, p)
        level : float, default 0.95

        Returns
        -------
        low, high : arrays shaped like ``predict(X)``
        """
        rows, given_back = self._read_rows(X)
        if not is_number(level) or not 0 < level < 1:
            raise errors.number("level", level, "a probability, a number between 0 and 1")
        left = self._W - self.df_
        if left <= 0:
            raise errors.InputError(
                f"{self._W:g} rows leave no degrees of freedom in addition to {self.df_:g} parameters; use fewer terms"
            )
        terms = evaluate(self.basis_, rows)
        if not (np.isfinite(terms).all() and np.isfinite(self._R).all()):
            raise errors.InputError(
                "X: products of columns overflow in the terms of the model; divide the columns by their size."
            )
        h = np.sum(solve_triangular(self._R, terms.T, trans="T") ** 2, axis=0)
        half = student.ppf(0.5 + level / 2, left) * np.sqrt(np.outer(1 + h, self._response_rss / left))
        Y = self._predict(rows)
        return given_back(self._shaped(Y - half)), given_back(self._shaped(Y + half))

    def plot(
        self, X: TableLike | None = None, y: ColumnLike | None = None, *, response: int = 0, axes: Any = None
    ) -> Display:
        """Draw what the terms of each feature, and of each pair of features, add to the prediction.

        Parameters
        ----------
        X, y : table and responses, optional
            If given, the partial residuals of these rows are drawn behind the curves.
        response : int, default 0
            Which response.
        axes : sequence of matplotlib axes, optional
            One per panel; made if not given.

        Returns
        -------
        display
            With `axes_` (one for each panel), `ax_` and `figure_`.
        """
        from .figures import Residuals, plot_terms

        check_is_fitted(self)
        return plot_terms(self, Residuals(self, X, y, response), response, axes)

    def _keep(self, terms: list[Term], best: Subset, unit: Unit, w: Floats, penalty: float) -> None:
        self._W = float(w.sum())
        self.basis_ = terms
        self.coef_ = best.coef * unit.scale
        self.coef_[0] += unit.pivot
        self._response_rss = best.rss * unit.scale**2
        self.rss_ = float(self._response_rss.sum())
        self.gcv_ = gcv(self.rss_, len(terms), self._W, penalty)
        self.df_ = cost(len(terms), max(penalty, 0.0))

    def _compare(self, rss: float, score: float) -> None:
        """R² and its GCV form, against the constant alone."""
        self.rsq_ = 1 - self.rss_ / rss if rss > 0 else 1.0
        self.grsq_ = 1 - self.gcv_ / score if 0 < score < np.inf else self.rsq_

    def _frame(self, X: Floats, R: Floats) -> None:
        """Keep what intervals and plots need: the factor of the terms, the ranges of the features."""
        self._R = qr(R, mode="r")[0][: R.shape[1]]
        self._low, self._high = X.min(axis=0), X.max(axis=0)


def folds_of(cv: Any, places: np.ndarray, n: int) -> Iterator[tuple[Any, Any]]:
    """Yield positions among the n rows of positive weight, to learn from and to judge by.

    Parameters
    ----------
    cv : int, splitter or list of pairs of row numbers
    places : ndarray
        Of each row that was given: its position among those of positive weight, or −1.
    n : int
    """
    if is_number(cv, integer=True):
        if not 2 <= cv <= n:
            rule = f"use a number of folds from 2 to {n}" if n > 1 else "folds need two rows or more; add rows"
            raise errors.InputError(f"cv={cv!r} but X has n_samples={n}; {rule}, or use prune='gcv'.")
        yield from KFold(cv, shuffle=True, random_state=0).split(np.empty((n, 0)))
        return
    try:
        splitter = check_cv(cv)
    except ValueError as error:
        raise errors.InputError(
            f"cv={cv!r} is not a number of folds; use a whole number from 2 on, a splitter of scikit-learn, or a list "
            "of pairs of row numbers."
        ) from error
    for fold in splitter.split(np.empty((len(places), 0))):  # these number all rows given
        train, test = (places[rows] for rows in fold)
        yield train[train >= 0], test[test >= 0]
