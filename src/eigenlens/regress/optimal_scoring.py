"""Optimal scoring: discriminant analysis as a regression of class scores.

Rows belong to G groups by an indicator or by shares, Z (n×G, rows adding to 1); D = diag(Zᵀw)/W. The groups get
scores θ (ΘᵀDΘ = I, none of them constant), the scores of the rows, Zθ, are regressed on x, and those scores are best
that the regression fits best:

    M = ΘᵀZᵀ diag(w) F / W,  F the fits of ZΘ;   M u = α² u.

For a smoother that is symmetric and keeps constants (least squares on any basis, penalised least squares, additive
smoothing splines), η = F u has group means α²Θu, and α²(1 − α²) is its variance within groups, the penalty counted
in. For any other regression (nearest neighbours, trees, networks) the group means and the variance within groups
are taken as they are. Both are one pencil in the space of the fits: group means of F against

    S = within-group covariance of F  [ + (ZΘ − F)ᵀ diag(w) F / W, what a symmetric smoother shrinks away ].

With F linear in x this is linear discriminant analysis.

References
----------
Hastie, Tibshirani, Buja (1994), Flexible discriminant analysis by optimal scoring, JASA 89.
Hastie, Buja, Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23.
Hastie, Tibshirani (1996), Discriminant analysis by Gaussian mixtures, JRSS B 58.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..arrays import errors, linalg
from ..arrays.stored import stored
from ..solve import Form, Pencil, Spectrum, orient, solve
from .polynomial import PolynomialRegression

Floats = NDArray[np.float64]

NOISE = 1e-9  # fits this small compared with the largest are the rounding of a regression that has fewer directions


def contrasts(shares: Floats) -> Floats:
    """Return scores Θ of G groups (G × (G − 1)) with ΘᵀDΘ = I and 1ᵀDΘ = 0, D = diag(shares).

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress.optimal_scoring import contrasts
    >>> shares = np.array([0.5, 0.3, 0.2])
    >>> theta = contrasts(shares)
    >>> bool(np.allclose(theta.T @ (shares[:, None] * theta), np.eye(2))), bool(np.allclose(shares @ theta, 0))
    (True, True)
    """
    root = np.sqrt(shares)
    axis = root.copy()
    axis[0] += 1.0  # the reflection that takes √shares to −e₁; its other columns are orthogonal to √shares
    reflection = np.eye(len(root)) - np.outer(axis, axis) / (1.0 + root[0])
    scores: Floats = reflection[:, 1:] / root[:, None]
    return scores


def indicator(codes: NDArray[np.intp], n_groups: int) -> scipy.sparse.csr_array:
    """Return Z for rows that belong to one group each."""
    n = len(codes)
    return scipy.sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_groups))


@stored("Scoring")
@dataclass(frozen=True, eq=False)
class Scoring:
    """A regression of scores, and what it says about the groups.

    Attributes
    ----------
    regressor : fitted regressor
        Of the contrasts, one response for each.
    shares : array of shape (G,)
        Zᵀw/W.
    means : array of shape (G, q)
        Mean fit of each group.
    within : Form on q coordinates
        The metric of the fits: their covariance within groups, divisor W, with what the smoother shrank away.
    basis : array of shape (G − 1, q)
        From fits to coordinates in which they have unit second moment; directions that are rounding are left out.
    symmetric : bool
        Whether the regression behaved as a symmetric smoother that keeps constants.
    perfect : bool
        Whether it reproduces the groups of its rows exactly (α = 1).
    """

    regressor: Any
    shares: Floats
    means: Floats
    within: Form
    basis: Floats
    symmetric: bool
    perfect: bool

    def fits(self, X: Floats) -> Floats:
        """Return the fits of rows in the coordinates of `means` and `within`."""
        return fits_of(self.regressor, X, len(self.shares) - 1) @ self.basis

    def solve(self, priors: Floats, divisor: float = 1.0) -> Spectrum:
        """Return the canonical directions of the fits, all of them.

        Parameters
        ----------
        priors : array of shape (G,)
            Weights of the group means in the between-group scatter.
        divisor : float
            (W − K)/W, or 1 for the maximum-likelihood reading; within-group covariance is taken over W times it.

        Returns
        -------
        Spectrum
            Values are those of between against within; in `left`, over √priors, are the optimal scores.
        """
        offsets = self.means - priors @ self.means
        A = Form(factor=np.sqrt(priors)[:, None] * offsets, squared=False)
        spectrum = solve(Pencil(A, self.within.times(1.0 / divisor)))
        keep = max(1, min(spectrum.rank, len(spectrum), len(priors) - 1))
        spectrum = spectrum.first(keep)
        assert spectrum.left is not None
        signs = orient(spectrum.left / np.sqrt(priors)[:, None])
        return replace(spectrum, vectors=spectrum.vectors * signs, left=spectrum.left * signs)


def score(regressor: Any, X: Floats, Z: scipy.sparse.csr_array, w: Floats) -> Scoring:
    """Regress the scores of the groups on the rows.

    Parameters
    ----------
    regressor : regressor
        Cloned; with several responses, or one that is then fitted once for each.
    X : array of shape (n, p)
    Z : sparse array of shape (n, G)
        Shares of the rows in the groups; every group has some weight.
    w : array of shape (n,)
        Weights, all positive.
    """
    W = float(w.sum())
    mass = np.asarray(Z.T @ w)
    theta = contrasts(mass / W)
    wanted = Z @ theta
    model = fit_scores(regressor, X, wanted, w)
    F = fits_of(model, X, theta.shape[1])
    if _is_flat(F, w):
        model = fit_scores(PolynomialRegression(1), X, wanted, w)
        F = fits_of(model, X, theta.shape[1])
        if _is_flat(F, w):
            raise errors.nothing_separates()
        errors.warn(
            errors.ConstantFitWarning(
                f"regressor={type(regressor).__name__} fits every class score by a constant: nothing it sees in X "
                "separates the classes. A linear regression takes its place. Use a more flexible regressor or less "
                "penalty, or check that y belongs to X."
            )
        )
    with linalg.one_blas_thread():  # tall and thin: threads would wait for each other
        return _measured(model, F, wanted, Z, w)


def permuted_scores(
    regressor: Any, X: Floats, Z: scipy.sparse.csr_array
) -> tuple[Floats, Callable[[int, np.random.Generator], Floats]]:
    """Return how well the groups' scores are fitted, α², and a function that draws it for scores unrelated to X.

    The function takes d and a generator: optimal scores after the d-th are moved, together, to other rows, and the
    regression is fitted again.
    """
    n, ones = len(X), np.ones(len(X))
    wanted = Z @ contrasts(np.asarray(Z.T @ ones) / n)

    def fitted(Y: Floats) -> Floats:
        M = Y.T @ fits_of(fit_scores(regressor, X, Y, ones), X, Y.shape[1]) / n
        return (M + M.T) / 2

    values, turn = np.linalg.eigh(fitted(wanted))
    scores = wanted @ turn[:, ::-1]

    def draw(d: int, rng: np.random.Generator) -> Floats:
        moved = np.concatenate([scores[:, :d], scores[rng.permutation(n), d:]], axis=1)
        return np.asarray(np.linalg.eigvalsh(fitted(moved))[::-1], dtype=np.float64)

    return values[::-1], draw


def _is_flat(F: Floats, w: Floats) -> bool:
    """Tell whether fits hardly differ from zero; the scores they fit have unit size."""
    return bool(np.sqrt((w / w.sum()) @ F**2).max() < NOISE)


def _measured(model: Any, F: Floats, wanted: Floats, Z: scipy.sparse.csr_array, w: Floats) -> Scoring:
    """Measure group means and the metric within groups of fits."""
    W = float(w.sum())
    mass = np.asarray(Z.T @ w)
    _, size, axes = np.linalg.svd(linalg.triangle(np.sqrt(w / W)[:, None] * F), full_matrices=False)
    keep = size > NOISE * size[0]
    # the symmetric root does not turn where singular values tie, as they do in a perfect fit
    basis = axes[keep].T / size[keep] @ (axes if keep.all() else np.eye(int(keep.sum())))
    G, Y = F @ basis, wanted @ basis
    means = (Z.T @ (w[:, None] * G)) / mass[:, None]
    rows = np.sqrt(w / W)[:, None]
    blurred = Z @ means
    inside = linalg.triangle(rows * (G - blurred))
    spread = (means.T * mass) @ means / W - (rows * blurred).T @ (rows * blurred)  # zero where Z is 0 or 1
    symmetric, shrunk = _shrinkage(F, wanted, G, Y, w / W, getattr(model, "symmetric_smoother", False))
    one_group_each = Z.nnz == Z.shape[0] and np.all(Z.data == 1.0)
    extra = [] if one_group_each else [_root(spread)]
    if symmetric:
        extra.append(_root(shrunk))
    within = Form(factor=np.vstack([inside, *extra]), squared=False)
    _, spreads, turn = np.linalg.svd(within.values, full_matrices=False)
    nought = 1e-6  # √(1 − α²) below which the groups of the rows are reproduced exactly
    perfect = bool(spreads[-1] < nought)
    if perfect:  # what is left is rounding, which is not to choose directions: where all tie, the contrasts do
        turn = np.eye(len(turn)) if spreads[0] < nought else turn
        tied = nought * (1 + 1e-6 * np.arange(len(turn)))
        within = Form(factor=np.maximum(spreads, tied)[:, None] * turn, squared=False)
    return Scoring(model, mass / W, means, within, basis, symmetric, perfect)


def _shrinkage(F: Floats, wanted: Floats, G: Floats, Y: Floats, v: Floats, declared: bool) -> tuple[bool, Floats]:
    """Tell whether fits are those of a symmetric smoother that keeps constants, and return what it shrank away.

    The fits themselves tell: M is then symmetric, and fits of scores without a mean have none. What may be asymmetric
    is judged relative to M and to I − M, since either may be small. A smoother that stops early may declare it.
    """
    M = wanted.T @ (v[:, None] * F)
    scale = min(np.linalg.norm(M, 2), np.linalg.norm(np.eye(len(M)) - M, 2))
    off = max(np.linalg.norm(M - M.T, 2), np.linalg.norm(v @ F))
    shrunk = (Y - G).T @ (v[:, None] * G)
    shrunk = (shrunk + shrunk.T) / 2
    lowest, slack = np.linalg.eigvalsh(shrunk)[0], 1e-8
    return declared or bool(off <= slack * scale + 1e-12 and lowest >= -slack), shrunk


def _root(S: Floats) -> Floats:
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    root: Floats = np.sqrt(np.clip(values, 0.0, None))[:, None] * vectors.T
    return root


# -- regressors of any kind ------------------------------------------------------------------------------------------


def check_regressor(regressor: Any) -> None:
    """Refuse what cannot be a regressor."""
    able = hasattr(regressor, "fit") and hasattr(regressor, "predict")
    if isinstance(regressor, type) or not able or is_classifier(regressor):
        raise _not_a_regressor(regressor)


def fit_scores(regressor: Any, X: Floats, Y: Floats, w: Floats) -> Any:
    """Fit a clone to several responses; one that takes a single response is fitted once for each."""
    counted = np.all(w == 1.0)
    if not counted and not has_fit_parameter(regressor, "sample_weight"):
        raise errors.InputError(
            f"sample_weight was given but regressor={type(regressor).__name__} takes no weights in fit. Leave "
            "sample_weight out, repeat the rows, or use a regressor that takes weights, such as those of "
            "eigenlens.regress."
        )
    weights = {} if counted else {"sample_weight": w}
    if Y.shape[1] == 1:
        return clone(regressor).fit(X, Y[:, 0], **weights)
    if get_tags(regressor).target_tags.multi_output:
        return clone(regressor).fit(X, Y, **weights)
    try:
        return clone(regressor).fit(X, Y, **weights)  # networks take several responses without saying so
    except (TypeError, ValueError):
        return MultiOutputRegressor(clone(regressor)).fit(X, Y, **weights)


def fits_of(model: Any, X: Floats, responses: int) -> Floats:
    """Return predictions as an n × responses table of finite numbers."""
    F = np.asarray(model.predict(X), dtype=np.float64)
    F = F.reshape(len(X), -1)
    if F.shape[1] != responses:
        raise errors.InputError(
            f"regressor={type(model).__name__} predicts {F.shape[1]} columns but {responses} responses were fitted; "
            "use a regressor of several responses, or wrap it: sklearn.multioutput.MultiOutputRegressor(regressor)."
        )
    if not np.isfinite(F).all():
        raise errors.InputError(
            f"regressor={type(model).__name__} predicts NaN or infinity; scale the columns of X, or use a regressor "
            "that stays finite."
        )
    return F


def _not_a_regressor(value: Any) -> errors.InputTypeError:
    kind = "a class" if isinstance(value, type) else "a classifier" if hasattr(value, "predict") else "no regressor"
    return errors.InputTypeError(
        f"regressor={value!r} is {kind}, but discriminants regress class scores on X: pass a regressor object with fit "
        f"and predict, such as eigenlens.regress.AdaptiveSplines() or sklearn.neighbors.KNeighborsRegressor()."
    )
