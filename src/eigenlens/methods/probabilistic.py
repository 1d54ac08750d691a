"""Probabilistic PCA: a normal model with the components as its directions, and noise of one variance in all others.

References
----------
Tipping, Bishop (1999), Probabilistic principal component analysis.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.typing import Array, ColumnLike, TableLike
from ..moments.conditional import Conditional
from ..solve import Form
from ._principal import PrincipalComponents
from .spine.component_tests import MEANINGS
from .spine.patterns import with_holes


class ProbabilisticComponents(PrincipalComponents):
    """Components with the law V(Λ − σ²I)Vᵀ + σ²I, under which rows have a likelihood."""

    n_components_: int
    components_: Array
    noise_variance_: float
    _sd: Array
    _noise_sd: float

    def _facts(self) -> Iterator[str]:
        yield from super()._facts()
        if self.n_components in tuple(MEANINGS):
            yield f"{self.n_components_} kept by {self.n_components!r}: {MEANINGS[self.n_components]}."

    def score_samples(self, X: TableLike) -> Array:
        """Return the log-likelihood of each row, or of its observed cells, under probabilistic PCA."""
        return self._log_likelihoods(X)

    def _log_likelihoods(self, X: TableLike, here: bool = False) -> Array:
        self._require_fit()
        p, k, noise = self.n_features_in_, self.n_components_, self._noise_sd
        if (k < p and noise <= 0) or self.spectrum_.rank < k:
            raise errors.InputError(
                "The likelihood does not exist: the components leave no variance for the noise (rank "
                f"{self.spectrum_.rank} of {p} columns). Use fewer components than the rank, or drop collinear columns."
            )
        constant, scale = self._log_constant(), self._divisors()

        def log_density(block: Array) -> Array:
            xp = namespaces.namespace(block)
            rows = self.subspace_.centred(block)
            scores = rows @ namespaces.like(self.subspace_.basis, block)
            distance = xp.sum((scores / namespaces.like(self._sd, block)) ** 2, axis=1)
            if k < p:
                left = (rows - self.subspace_.offsets(scores)) / namespaces.like(scale, block)
                distance = distance + xp.sum((left / noise) ** 2, axis=1)
            return -0.5 * (constant + distance)

        def observed(rows: np.ndarray) -> np.ndarray:
            form = Form(factor=self._model_root())
            model = Conditional(namespaces.to_numpy(self.subspace_.point), form, scale)
            return model.log_density(rows)[:, 0]

        def of_rows(block: Array) -> Array:
            return with_holes(block, log_density, observed)

        return self._over_rows(X, of_rows, named="log_likelihood", here=here)

    def score(self, X: TableLike, y: ColumnLike | None = None) -> float:
        """Return the mean log-likelihood of rows."""
        values = self._log_likelihoods(X, here=True)
        return float(namespaces.namespace(values).mean(namespaces.float64(values)))

    def get_covariance(self) -> Array:
        """Return the covariance of the probabilistic model, V(Λ − σ²I)Vᵀ + σ²I, in the units of X."""
        self._require_fit()
        V, noise = self.spectrum_.vectors, self.noise_variance_
        xp = namespaces.namespace(V)
        eye = xp.eye(V.shape[0], dtype=xp.float64, device=namespaces.device(V))
        scale = namespaces.like(self._divisors(), V)
        S = (V * (self._sd**2 - noise)) @ V.T + noise * eye
        return namespaces.cast(S * scale * scale[:, None], self.components_.dtype)

    def _model_root(self) -> np.ndarray:
        """Return rows whose products are the covariance of probabilistic PCA, of columns as they were divided."""
        V, sd, noise = namespaces.to_numpy(self.spectrum_.vectors), namespaces.to_numpy(self._sd), self._noise_sd
        beyond = np.sqrt(np.maximum((sd - noise) * (sd + noise), 0.0))
        return np.concatenate([(V * beyond).T, noise * np.eye(len(V))])

    def _log_constant(self) -> float:
        """Return minus twice the log-density of probabilistic PCA at its mean."""
        p, k = self.n_features_in_, self.n_components_
        log_sd = float(np.log(namespaces.to_numpy(self._sd)).sum())
        log_sd += (p - k) * float(np.log(self._noise_sd)) if k < p else 0.0
        log_sd += float(np.log(self._divisors()).sum())
        return p * float(np.log(2 * np.pi)) + 2 * log_sd

    def _divisors(self) -> np.ndarray:
        """Return what columns are divided by."""
        return np.ones(self.n_features_in_) if self._scale is None else namespaces.to_numpy(self._scale)
