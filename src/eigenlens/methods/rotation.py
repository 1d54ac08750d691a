"""Rotated components: loadings that are easier to read, with intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import t as student
from sklearn.base import clone

from ..arrays import namespaces, optional
from ..arrays.parameters import check_choice, check_flag, check_number
from ..arrays.summaries import matrix, names_of
from ..arrays.typing import Array, Frame, TableLike
from ..inference.alignment import corrected_percentiles
from ..inference.bootstrapping import Bootstrap, bootstrap
from ..rows import as_source
from ..solve import orient
from ..solve.rotation import ORTHOMAX, ROTATIONS, rotation_matrix
from .spine.rows_estimator import RowsEstimator

LARGEST = 1 - 1e-9  # correlation that Fisher's transformation takes as it is


@dataclass(frozen=True, eq=False, repr=False)
class Rotation:
    """Components rotated towards loadings that are large or nearly zero.

    Attributes
    ----------
    loadings : ndarray of shape (p, k)
        Loadings of the components (directions times standard deviations) times `rotation`. Factors come in the order of
        the variance that they explain; in each, the largest entry is positive.
    rotation : ndarray of shape (k, k)
    phi : ndarray of shape (k, k)
        Correlations of the factors: the identity for varimax and quartimax.
    variance : ndarray of shape (k,)
        Sums of squared loadings of each factor.
    method : str
    model : PCA
        What was rotated.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from eigenlens import PCA
    >>> X = load_wine().data
    >>> rotated = PCA(3, scale=True).fit(X).rotate("varimax")
    >>> rotated.loadings.shape, rotated.transform(X).shape
    ((13, 3), (178, 3))
    >>> rotated.variance.round(2)
    array([4.34, 2.67, 1.63])
    """

    loadings: np.ndarray
    rotation: np.ndarray
    phi: np.ndarray
    variance: np.ndarray
    method: str
    model: Any
    normalize: bool
    power: float

    def transform(self, X: TableLike) -> Array:
        """Return the scores of rows on the rotated factors, which have variance 1 and the correlations `phi`."""
        model = self.model
        turn = np.linalg.inv(self.rotation).T

        def scores(block: Array) -> Array:
            Z = model.subspace_.project(model._filled(block)) * namespaces.like(model._scaling(-1), block)
            return Z @ namespaces.like(turn, block)

        return model._over_rows(X, scores)

    def bootstrap(self, X: TableLike, **options: Any) -> Bootstrap:
        """Return intervals of the rotated loadings, from resamples of the rows.

        Each resample is rotated separately; its factors are then matched, in order and sign, with those of the fit.
        Intervals are ± t standard errors, on Fisher's scale for correlations (an orthogonal rotation,
        `scale=True`): percentiles are too narrow for rotated loadings of a hundred rows.

        Parameters
        ----------
        X : table of shape (n, p)
            The rows of the fit.
        **options
            As those of `eigenlens.inference.bootstrap`: `n_boot`, `groups`, `block`, `level`, `random_state`, …

        Returns
        -------
        Bootstrap
            `components` and `estimate` hold factors as rows.
        """
        k = len(self.rotation)
        found = bootstrap(clone(self.model).set_params(n_components=k), X, **options)
        start = self.rotation if self.method == "oblimin" else None
        turned = np.stack(
            [
                self._matched(np.sqrt(values)[:, None] * components, start).T
                for components, values in zip(found.components, found.values, strict=True)
            ]
        )
        estimate = self.loadings.T
        bounded = bool(self.model.scale) and self.method in ORTHOMAX
        count = _drawn(X, options.get("groups"), options.get("block"))
        low, high = _t_intervals(turned, estimate, found.level, count, bounded)
        variances = np.sum(turned**2, axis=2)
        value_low, value_high = corrected_percentiles(variances, self.variance, found.level)
        return replace(
            found,
            components=turned,
            estimate=estimate,
            low=low,
            high=high,
            standard_error=turned.std(axis=0, ddof=1),
            values=variances,
            value=self.variance,
            value_low=value_low,
            value_high=value_high,
            blocks=[],
            axis="factor",
        )

    def _matched(self, loadings: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        """Rotate the loadings (k, p) of a resample, and bring its factors to the order and signs of the fit."""
        A = loadings.T
        L = A @ rotation_matrix(A, self.method, self.normalize, self.power, start)
        overlap = L.T @ self.loadings / np.sqrt(np.outer(np.sum(L**2, axis=0), self.variance))  # Tucker's congruence
        mine, theirs = linear_sum_assignment(-np.abs(overlap))
        order = mine[np.argsort(theirs)]
        return L[:, order] * np.where(overlap[order, np.arange(len(order))] < 0, -1.0, 1.0)

    def to_frame(self) -> Frame:
        """Return the loadings as a pandas DataFrame."""
        return optional.pandas().DataFrame(self.loadings, self.model._names_of_columns(), self._factors())

    def _factors(self) -> list[str]:
        return [f"{self.method}{j}" for j in range(len(self.rotation))]

    def __str__(self) -> str:
        names, factors = self.model._names_of_columns(), self._factors()
        parts = [matrix(f"Loadings ({self.method})", self.loadings, names, factors)]
        total = self.model.explained_variance_ratio_.sum() / self.model.explained_variance_.sum()
        spread = np.stack([self.variance, self.variance * float(total)])
        if np.allclose(self.phi, np.eye(len(self.phi))):
            parts.append(matrix("Variance", spread, ["sum of squares", "share"], factors))
        else:
            parts.append(matrix("Correlations of the factors (phi)", self.phi, factors, names_of(factors)))
        return "\n\n".join(map(str, parts))

    def __repr__(self) -> str:
        return f"<Rotation by {self.method} of {self.model}>"

    def _repr_html_(self) -> str:
        names, factors = self.model._names_of_columns(), self._factors()
        tables = [matrix(f"Loadings ({self.method})", self.loadings, names, factors)]
        tables.append(matrix("Correlations of the factors (phi)", self.phi, factors, factors))
        return f"<div>{''.join(part._repr_html_() for part in tables)}</div>"


def _drawn(X: TableLike, groups: Any, block: int | None) -> int:
    """Return how many rows, groups or blocks a resample draws."""
    if groups is not None:
        return len(set(np.asarray(groups).tolist()))
    n = as_source(X).n_rows or 1000
    return -(-n // block) if block else n


def _t_intervals(
    replicates: np.ndarray, estimate: np.ndarray, level: float, count: int, bounded: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return estimates ± t standard errors, as those of `count` units; between −1 and 1 by Fisher's transformation."""
    to, back = (lambda r: np.arctanh(np.clip(r, -LARGEST, LARGEST)), np.tanh) if bounded else (np.asarray, np.asarray)
    free = max(count - 1, 1)
    reach = float(student.isf((1 - level) / 2, free)) * np.sqrt(count / free) * to(replicates).std(axis=0, ddof=1)
    return back(to(estimate) - reach), back(to(estimate) + reach)


def rotated(model: Any, method: str, normalize: bool | None, power: float) -> Rotation:
    """Rotate the components of a fitted PCA."""
    check_choice("method", method, ROTATIONS)
    check_number("power", power, 1, above=True)
    if normalize is None:
        normalize = method != "oblimin"
    check_flag("normalize", normalize)
    A = namespaces.to_numpy(model.spectrum_.vectors) * namespaces.to_numpy(model._sd)
    R = rotation_matrix(A, method, bool(normalize), float(power))
    L = A @ R
    order = np.argsort(-np.sum(L**2, axis=0), kind="stable")
    R = R[:, order] * orient(L[:, order])
    L = A @ R
    phi = np.linalg.inv(R.T @ R)
    if method in ORTHOMAX:
        phi = np.eye(len(R))
    return Rotation(L, R, phi, np.sum(L**2, axis=0), method, model, bool(normalize), float(power))


class RotatesComponents(RowsEstimator):
    """Principal components that can be rotated."""

    def rotate(
        self,
        method: Literal["varimax", "quartimax", "promax", "oblimin"] = "varimax",
        *,
        normalize: bool | None = None,
        power: float = 4.0,
    ) -> Rotation:
        """Rotate the components to make the loadings easy to interpret.

        Parameters
        ----------
        method : {"varimax", "quartimax", "promax", "oblimin"}
            The first two keep factors uncorrelated; promax and oblimin (γ = 0) let them correlate.
        normalize : bool, optional
            Scale the loadings of each column to length 1 for the rotation (Kaiser). The default is True, except for
            oblimin.
        power : float
            Of promax.

        Returns
        -------
        Rotation
            With `loadings`, `rotation`, `phi`, `transform(X)`, and intervals by `bootstrap(X)`.
        """
        self._require_fit()
        return rotated(self, method, normalize, power)
