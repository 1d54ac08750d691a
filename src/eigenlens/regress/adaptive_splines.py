"""Adaptive splines (MARS): a sum of products of hinges, found by a forward search and pruned backward.

f(x) = β₀ + Σ_m β_m Π_k [s_km (x_{j(k,m)} − t_km)]₊

The forward search adds, at each step, the reflected pair b·(x_j − t)₊, b·(t − x_j)₊ (b is a term already
in the model) that lowers the residual sum of squares over all responses most; pruning then keeps the subset with
the least GCV = (RSS/W) / (1 − C/W)², C = M + c·(M − 1)/2 for M terms and W the sum of the weights.

Reference: J. H. Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19, 1–67.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.stats import t as student
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors, exponents
from ..arrays.linalg import one_blas_thread
from ..arrays.parameters import check_choice, check_flag, check_number, is_number
from ..arrays.stored import stored
from ..arrays.summaries import Table
from ..arrays.threads import thread_count
from ..arrays.typing import Array, ColumnLike, TableLike
from ..drawing import Display
from ..solve.linear_smoother import gcv
from .hinges import pruning
from .hinges.search import Forward, Rules
from .hinges.terms import Term, evaluate
from .regressor import Floats, Regressor, column, warn_if_relative

MANY_ROWS = 100_000  # from which threads over features pay off


@stored("AdaptiveSplines", renamed={"n_jobs": None})
class AdaptiveSplines(Regressor):
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
    _R: Floats
    _W: float
    _importances: dict[str, Floats]

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
        "n_jobs": "leave it out; from 100,000 rows on features are shared among threads",
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

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        rules = self._rules(X.shape[1], self._feature_names())
        warn_if_relative(w)
        workers = thread_count() if len(X) >= MANY_ROWS else 1
        pool = ThreadPoolExecutor(workers) if workers > 1 else None
        with one_blas_thread(), pool or nullcontext():  # BLAS threads on slim matrices cost more than they bring
            search = _Search(X, Y, w, rules, pool)
            size = self._size(search, X, Y, w, pool)
        found, best, unit = search.found, search.subsets[size - 1], search.unit
        self._W, self._R = float(w.sum()), qr(found.factor[:, best.terms], mode="r")[0][: len(best.terms)]
        self._low, self._high = X.min(axis=0), X.max(axis=0)
        self.basis_ = [found.terms[k] for k in best.terms]
        self.coef_ = best.coef * unit
        self.coef_[0] += search.origin
        self._response_rss = best.rss * unit**2
        sizes, gcvs = np.arange(1, len(search.subsets) + 1), search.scores * unit**2
        rss = np.array([s.rss.sum() for s in search.subsets]) * unit**2
        self.rss_, self.gcv_, self.df_ = (
            float(rss[size - 1]),
            float(gcvs[size - 1]),
            pruning.cost(size, max(rules.penalty, 0.0)),
        )
        self.rsq_ = float(1 - self.rss_ / rss[0]) if rss[0] > 0 else 1.0
        self.grsq_ = float(1 - self.gcv_ / gcvs[0]) if 0 < gcvs[0] < np.inf else self.rsq_
        self.forward_terms_ = found.terms
        self.forward_path_ = np.array(found.path) * [1.0, unit**2]
        self.pruning_path_ = np.column_stack([sizes, rss, gcvs])
        self.stopped_ = found.reason
        self._importances = {
            kind: pruning.credits(search.subsets, score, found.terms, size, X.shape[1])
            for kind, score in {"gcv": gcvs, "rss": rss, "nsubsets": -sizes.astype(float)}.items()
        }

    def _size(self, search: _Search, X: Floats, Y: Floats, w: Floats, pool: ThreadPoolExecutor | None) -> int:
        """Return the number of terms to keep."""
        if self.prune is None or search.rules.penalty < 0:
            return len(search.subsets)
        if self.prune == "gcv":
            return pruning.choose_size(search.scores)
        total = np.zeros(len(search.subsets))
        for train, test in folds_of(self.cv, self._places, len(X)):
            part = _Search(X[train], Y[train], w[train], search.rules, pool)
            total += part.held_out(X[test], Y[test], w[test], len(total))
        return pruning.choose_size(total)

    @property
    def _penalty(self) -> float:
        """The cost of a knot: Friedman's, unless one is given."""
        return float((2 if self.degree == 1 else 3) if self.penalty is None else self.penalty)

    def _rules(self, p: int, names: Sequence[str]) -> Rules:
        """Check the parameters for p features, and fill in their defaults."""
        check_number("degree", self.degree, 1, integer=True)
        check_number("tol", self.tol, 0.0, 1.0)
        for name, least in (("max_terms", 1), ("min_span", 1), ("end_span", 1), ("fast_k", 0)):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), least, integer=True)
        if self.penalty is not None:
            check_number("penalty", self.penalty, -1.0)
        if self.prune is not None:
            check_choice("prune", self.prune, ("gcv", "cv"))
        check_flag("allow_linear", self.allow_linear)
        return Rules(
            degree=int(self.degree),
            max_terms=min(200, max(20, 2 * p)) + 1 if self.max_terms is None else int(self.max_terms),
            penalty=self._penalty,
            tol=float(self.tol),
            min_span=self.min_span,
            end_span=self.end_span,
            fast_k=self.fast_k,
            allow_linear=bool(self.allow_linear),
            allowed=self._allowed(p, names),
            linear=frozenset(column("linear", f, names) for f in _listed("linear", self.linear)),
            names=tuple(names),
        )

    def _allowed(self, p: int, names: Sequence[str]) -> Callable[[frozenset[int], int], bool]:
        """Return whether a feature may join a term of others."""
        listed = range(p) if self.interactions is None else _listed("interactions", self.interactions)
        interacting = frozenset(column("interactions", f, names) for f in listed)
        forbidden = set()
        for pair in _listed("forbidden", self.forbidden):
            if isinstance(pair, str) or not isinstance(pair, Collection) or len(pair) != 2:
                raise errors.InputError(
                    f"forbidden holds {pair!r} but it is a list of pairs; use [(feature, feature), …]."
                )
            forbidden.add(frozenset(column("forbidden", f, names) for f in pair))

        def allowed(features: frozenset[int], j: int) -> bool:
            together = not features or features | {j} <= interacting
            return together and not any(frozenset((i, j)) in forbidden for i in features)

        return allowed

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
        found = [counts, *(pruning.scaled(self._importances[kind], root) for kind in ("gcv", "rss"))]
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
        names, rows, values = self._feature_names(), [], []
        for features, count, spread, loss in pruning.anova(self.basis_, self.coef_, self._R, self._W):
            left = gcv(self.rss_ + loss, pruning.cost(len(self.basis_) - count, self._penalty), self._W)
            rows.append(", ".join(names[j] for j in features))
            values.append([count, *spread, float(left)])
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


class _Search:
    """One forward search and its pruning path, in a unit of the responses that keeps their squares in range."""

    def __init__(self, X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None) -> None:
        self.rules, self.origin = rules, Y[0] + w @ (Y - Y[0]) / w.sum()
        self.unit = exponents.unit_of(Y - self.origin)
        self.found = found = Forward(X, (Y - self.origin) / self.unit, w, rules, pool).run()
        _refuse_wide_products(found.units, rules.degree)
        self.subsets = pruning.backward(found.factor, found.z[: found.M], np.sum(found.res**2, axis=0))
        rss, parameters = zip(
            *((s.rss.sum(), pruning.cost(len(s.terms), rules.penalty)) for s in self.subsets), strict=True
        )
        self.scores = gcv(rss, parameters, found.W)

    def held_out(self, X: Floats, Y: Floats, w: Floats, sizes: int) -> Floats:
        """Return the sum of squares on new rows for each size; sizes beyond the largest repeat it."""
        B, loss = evaluate(self.found.terms, X), np.empty(sizes)
        for k in range(sizes):
            s = self.subsets[min(k, len(self.subsets) - 1)]
            E = Y - self.origin - self.unit * (B[:, s.terms] @ s.coef)
            loss[k] = w @ np.sum(E * E, axis=1)
        return loss


def _refuse_wide_products(units: Sequence[float], degree: int) -> None:
    """Refuse terms whose squares cannot be added up, by the size of each; a term uses each feature only once."""
    if max(units) > 1e150 or min(units) < 1e-150:
        raise errors.InputError(
            f"degree={degree} but products of so many columns of X leave the range from 1e-150 to 1e+150, whose "
            "squares can be added up; divide the columns by constants."
        )


def _listed(name: str, value: Any) -> Any:
    """Return a list of features, nothing for None; a single feature is not taken for a list."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Collection):
        what = "(feature, feature), …" if name == "forbidden" else "feature, …"
        raise errors.InputTypeError(f"{name}={value!r} but it is a list; use [{what}], or None.")
    return value


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
