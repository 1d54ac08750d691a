"""The EM algorithm of mixture discriminant analysis for rows with missing cells.

Given the means and the covariance of the last step, a row that observes its columns o belongs to a subclass by the
density of x_o there. In each subclass it is normal given x_o, with mean μ + Σ u and covariance Σ − Σ P Σ, where P is
Σ_oo⁻¹ with zeros around it and u = P(x − μ). The M-step needs no more than sums of u and uuᵀ by responsibility, and of
P by pattern:

    δ_r = Σ·(Σᵢ w z u)/m_r,     S = Σ + Σ (Σᵢ w z uuᵀ − Σᵢ w P) Σ / W − Σ_r p_r δ_r δ_rᵀ.

Rows without holes give the steps of `em`. The likelihood is that of the observed cells, and it rises with every step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import errors
from ..moments import Grouped, Patterns
from ..moments.patterns import distinct
from ..normal import Conditional, fit
from ..normal.estimability import warn_of_blank_rows
from ..normal.likelihood import NEARLY_SINGULAR, lower
from ..normal.marginals import Layout, Marginals
from ..sources import Block
from .em import Classes, Floats, Plain, Shares, between


class HoledClasses(Classes):
    """Rows with holes by class; `rows` and `centred` are filled with what is expected of the class.

    Parameters
    ----------
    X : array of shape (n, p)
        NaN where a cell is missing; every row observes something.
    codes, w, labels
        As of `Classes`.
    names : list of str, optional
        Columns, for messages.
    """

    whole = False

    def __init__(
        self, X: Floats, codes: NDArray[np.intp], w: Floats, labels: NDArray[Any], names: list[str] | None
    ) -> None:
        kept: Any = Grouped(Patterns, pooled=False)  # type: ignore[arg-type]
        found = fit(kept.update(Block(X, codes, w, labels)), names=names)
        self._covariance = found.covariance
        super().__init__(X, codes, w, labels, found.moments)

    def _filled(self, about: list[Floats]) -> list[Floats]:
        self.varying = np.flatnonzero(self.axes.any(axis=1))
        self.size = self.spread[self.varying]
        self.axes_of_units = self.axes[self.varying] * self.size[:, None]
        cells = np.concatenate(about)[:, self.varying] / self.size
        seen = ~np.isnan(cells)
        self.masks, codes = distinct(seen)
        cuts = np.cumsum([len(rows) for rows in about])[:-1]
        self.cells = np.split(np.where(seen, cells, 0.0), cuts)
        self.patterns = np.split(codes, cuts)
        self.pattern_weights = np.bincount(codes, np.concatenate(self.weights), minlength=len(self.masks))
        law = Conditional(np.zeros(len(self._covariance)), self._covariance)
        return [law.filled(rows) for rows in about]

    @cached_property
    def layouts(self) -> dict[bool, Layout]:
        """Patterns of the rows, for covariances far from singular (False) and near it (True)."""
        return {thorough: Layout(self.masks, thorough) for thorough in (False, True)}

    @cached_property
    def places(self) -> dict[bool, list[tuple[NDArray[np.intp], NDArray[np.intp], Any, Any]]]:
        """For each class: its patterns, which of them each row has, where its rows lie and where its patterns do."""
        found = {}
        for thorough, layout in self.layouts.items():
            of_class = []
            for codes in self.patterns:
                own, local = np.unique(codes, return_inverse=True)
                of_class.append((own, local, layout.places(codes), layout.places(own)))
            found[thorough] = of_class
        return found

    def step(self, Z: Shares, wanted: int | None, before: Plain | None) -> HoledPlain:
        """Take an M-step from responsibilities and the law that they come from; at first that of the classes."""
        law = before.law if isinstance(before, HoledPlain) else self._law_of_classes([z.shape[1] for z in Z])
        return holed_step(self, Z, law, wanted)

    def _law_of_classes(self, counts: list[int]) -> Law:
        p = len(self.size)
        unit = np.linalg.inv(self.axes_of_units) if self.rank == p else np.linalg.pinv(self.axes_of_units)
        return Law(self, [np.zeros((count, p)) for count in counts], lower(unit.T))


class Law:
    """Subclass means about the class mean and a covariance LLᵀ, columns over their spread, asked about rows with holes.

    Attributes
    ----------
    U : list of arrays of shape (n_k, p)
        Σ_oo⁻¹ x_o of the rows of each class, about its mean.
    V : list of arrays of shape (R_k, P_k, p)
        Σ_oo⁻¹ δ_o of each subclass, for each pattern of the class.
    """

    def __init__(self, data: HoledClasses, offsets: list[Floats], L: Floats) -> None:
        self.offsets, self.L = offsets, L
        depth = np.linalg.svd(L / np.sqrt((L**2).sum(axis=1))[:, None], compute_uv=False)[-1]
        self.thorough = bool(depth < NEARLY_SINGULAR)
        self.marginals = Marginals(data.layouts[self.thorough], L, data.pattern_weights)
        self.U, self.V = [], []
        for k, (own, _, rows, patterns) in enumerate(data.places[self.thorough]):
            self.U.append(self.marginals.solve(data.cells[k], rows))
            masks = data.masks[own]
            solved = [self.marginals.solve(masks * d, patterns) for d in offsets[k]]
            self.V.append(np.stack(solved))

    def log_densities(self, data: HoledClasses, k: int) -> Floats:
        """Return the log-density of the observed cells of the rows of class k in each subclass."""
        own, local, _, _ = data.places[self.thorough][k]
        masks, D = data.masks[own], self.offsets[k]
        seen = masks.sum(axis=1) * np.log(2 * np.pi) + self.marginals.log_dets[own] + 2 * masks @ np.log(data.size)
        of_patterns = seen[:, None] + np.einsum("rp,rnp->nr", D, self.V[k])
        squares = (data.cells[k] * self.U[k]).sum(axis=1)
        return self.U[k] @ D.T - 0.5 * (squares[:, None] + of_patterns[local])

    def expected(self, data: HoledClasses, Z: Shares) -> tuple[list[Floats], list[Floats], Floats]:
        """Return the weights of the subclasses, their means about the class mean, and the covariance within them.

        What rows without holes would have given on average; in units of the columns' spread.
        """
        p = len(self.L)
        mass = [w @ z for w, z in zip(data.weights, Z, strict=True)]
        means, G, moved = [], np.zeros((p, p)), np.zeros((p, p))
        for k, (z, w) in enumerate(zip(Z, data.weights, strict=True)):
            local = data.places[self.thorough][k][1]
            steps = np.zeros((z.shape[1], p))
            for r in range(z.shape[1]):
                u = self.U[k] - self.V[k][r][local]
                weighted = (w * z[:, r])[:, None] * u
                steps[r] = weighted.sum(axis=0) @ self.L / mass[k][r]
                G += weighted.T @ u
            moved += (steps.T * mass[k]) @ steps
            means.append(self.offsets[k] + steps @ self.L.T)
        inner = np.eye(p) + (self.L.T @ (G - self.marginals.precision()) @ self.L - moved) / data.W
        return mass, means, self.L @ ((inner + inner.T) / 2) @ self.L.T


@dataclass(frozen=True, eq=False)
class HoledPlain(Plain):
    """An M-step of rows with holes, and the law that it leads to."""

    law: Law

    def logits(self, data: Classes, k: int) -> Floats:
        """Return log π_r + log φ of the observed cells of the rows of class k."""
        assert isinstance(data, HoledClasses)
        return self.law.log_densities(data, k) + np.log(self.shares[k])

    def without(self, alive: list[NDArray[np.bool_]]) -> HoledPlain:
        """Return the step that subclasses which have lost their rows are left out of."""
        if all(a.all() for a in alive):
            return self
        law = Law.__new__(Law)
        law.__dict__.update(self.law.__dict__)
        law.offsets = [d[a] for d, a in zip(law.offsets, alive, strict=True)]
        law.V = [v[a] for v, a in zip(law.V, alive, strict=True)]
        return replace(self, law=law)

    def log_likelihood(self, data: Classes, evidence: float) -> float:
        """ℓ of the observed cells: the densities are whole, so it is the evidence itself."""
        return evidence


def holed_step(data: HoledClasses, Z: Shares, law: Law, wanted: int | None) -> HoledPlain:
    """Estimate means, shares and the common covariance from responsibilities and what a law expects of holes."""
    A = data.axes_of_units
    mass, means, within = law.expected(data, Z)
    sphered = A.T @ within @ A
    spectrum, offsets, shares = between(data, mass, [d @ A for d in means], (sphered + sphered.T) / 2, wanted)
    centre = np.concatenate(mass) / data.W @ np.vstack([data.means[k] + d for k, d in enumerate(offsets)])
    plain = Plain(spectrum, offsets, shares, sphered, centre)
    held, root = law_of(data, plain)
    back = np.linalg.pinv(A)
    new = Law(data, [d @ back for d in held], lower(back.T @ root))
    return HoledPlain(spectrum, offsets, shares, sphered, centre, new)


def law_of(data: Classes, step: Plain) -> tuple[list[Floats], Floats]:
    """Return subclass means about the class means as the rule holds them, and a root of the covariance; sphered.

    Where the rank is reduced, means keep their leading directions, and what they lose goes to the covariance.
    """
    V, S = step.spectrum.vectors, step.within
    p_r = np.concatenate([share * w for share, w in zip(step.shares, data.class_weights / data.W, strict=True)])
    points = np.vstack([data.means[k] + d for k, d in enumerate(step.offsets)]) - step.centre
    held = points @ V @ (V.T @ S)
    lost = np.sqrt(p_r)[:, None] * (points - held)
    cuts = np.cumsum([len(d) for d in step.offsets])[:-1]
    means = [part + step.centre - data.means[k] for k, part in enumerate(np.split(held, cuts))]
    values, vectors = np.linalg.eigh(S + lost.T @ lost)
    return means, vectors * np.sqrt(np.maximum(values, 0.0))


def classes_of(
    rows: Block, codes: NDArray[np.intp], labels: NDArray[Any], start: Any, names: Any
) -> tuple[Classes, Any]:
    """Return rows by class, and where they start from; rows that observe nothing count nothing."""
    missing = np.isnan(rows.X)
    if not missing.any():
        return Classes(rows.X, codes, rows.weight, labels), start
    seen = ~missing.all(axis=1)
    if not seen.all():
        warn_of_blank_rows(int((~seen).sum()))
        gone = np.setdiff1d(np.arange(len(labels)), codes[seen])
        if len(gone):
            raise errors.InputError(
                f"X: all rows of class {errors.plain(labels[gone[0]])!r} are all NaN, so nothing is known about it; "
                "leave the class out."
            )
        start = start and [z[seen[codes == k]] for k, z in enumerate(start)]
    named = None if names is None else [str(name) for name in names]
    return HoledClasses(rows.X[seen], codes[seen], rows.weight[seen], labels, named), start
