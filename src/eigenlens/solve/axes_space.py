"""Soft- and hard-threshold axes of a large form, by way of a small space in which their partners are sought.

A round of the alternation multiplies the form twice, and there may be a hundred. But partners A hardly leave the space
of those before: so the alternation runs to its end within a space Q of which GQ is known, where a round costs no
product with G, and then Q takes in what G makes of the axes found. A handful of such turns gives the axes of the whole
form to rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from .axes_forms import Matrix
from .sparse_axes import SparseAxes, sparse_axes

LEAST = 2**17  # cells of a form from which its products take longer than the rounds
ROOM = 16  # times as many directions as axes in a space, the most
ROUGH = 1e-3  # change at which the first axes are settled
CLOSER = 0.1  # the same of later ones, relative to what was outside
TURNS = 12  # of a search that need not settle, the most
SOON, FAR = 3, 1e-2  # turns after which one that leaves so much outside will not settle: all directions are alike
NOTHING = 1e-13  # share of an image outside of the space that is rounding


class AxesSpace:
    """A form seen from a space of partners: A is Qa, and only a is ever asked for.

    Parameters
    ----------
    form : Matrix
    A : array of shape (p, k)
        Orthonormal, or with columns of zeros.
    """

    def __init__(self, form: Matrix, A: np.ndarray) -> None:
        self.form = form
        left, s, _ = linalg.thin_svd(A)
        self.Q = left[:, s > 0.5]
        self.seen = form.image(self.Q)

    @property
    def gram(self) -> np.ndarray:
        raise NotImplementedError("thresholds ask for no regression")

    def image(self, a: np.ndarray) -> np.ndarray:
        """Return G Q a."""
        return np.asarray(self.seen @ a)

    def turned(self, B: np.ndarray) -> tuple[np.ndarray, float]:
        """Return QᵀGB; thresholds do not ask for tr BᵀGB."""
        on = B.any(axis=1)
        return self.seen[on].T @ B[on], np.nan

    def grow(self, axes: SparseAxes) -> tuple[SparseAxes, float]:
        """Take in G B; return the axes in the larger space, and the share of G B that was outside."""
        image = self.form.image(axes.B)
        outside = image - self.Q @ (self.Q.T @ image)
        outside -= self.Q @ (self.Q.T @ outside)
        size = float(np.linalg.norm(image)) or 1.0
        left, s, _ = linalg.thin_svd(outside)
        fresh = left[:, s > NOTHING * size]
        if self.Q.shape[1] + fresh.shape[1] > ROOM * axes.B.shape[1]:
            axes = self._shrunk(axes)
        if fresh.shape[1]:
            fresh = np.linalg.qr(fresh - self.Q @ (self.Q.T @ fresh))[0]
            self.Q, self.seen = np.hstack([self.Q, fresh]), np.hstack([self.seen, self.form.image(fresh)])
        a = np.vstack([axes.A, np.zeros((fresh.shape[1], axes.A.shape[1]))])
        return replace(axes, A=a), float(np.linalg.norm(s)) / size

    def _shrunk(self, axes: SparseAxes) -> SparseAxes:
        """Keep the partners, and the directions that were taken in last."""
        last = np.eye(self.Q.shape[1])[:, -(ROOM // 2) * axes.A.shape[1] :]
        turn = np.linalg.qr(np.hstack([axes.A[:, axes.A.any(axis=0)], last]))[0]
        self.Q, self.seen = self.Q @ turn, self.seen @ turn
        return replace(axes, A=turn.T @ axes.A)


def is_large(form: Matrix) -> bool:
    """Tell whether products with the form take long."""
    return form.values.size >= LEAST


def suits(form: Matrix, k: int) -> bool:
    """Tell whether a space of partners is worth it: the form is large, and they are few."""
    return is_large(form) and 2 * ROOM * k <= min(form.values.shape)


def axes_in_space(
    form: Matrix,
    start: np.ndarray,
    *,
    l1: np.ndarray | None = None,
    counts: np.ndarray | None = None,
    near: SparseAxes | None = None,
    tol: float,
    max_iter: int,
    polish: bool,
) -> SparseAxes:
    """Find the axes that `sparse_axes` finds with an infinite ridge."""
    k = start.shape[1]
    penalties = np.zeros(k) if l1 is None else l1
    found = near or SparseAxes(start, start, penalties, 0, np.inf, False, np.inf)
    space = AxesSpace(form, found.A)
    found = replace(found, A=space.Q.T @ found.A)
    options: dict[str, Any] = {"l1": l1, "counts": counts, "ridge": np.inf}
    rounds, turns, outside, last = 0, 0, 1.0, False
    while True:
        closer = tol if last else max(tol, min(ROUGH, CLOSER * outside))
        more: dict[str, Any] = {"tol": closer, "max_iter": max(1, max_iter - rounds), "polish": polish and last}
        found = sparse_axes(space, found.A, near=found, **options, **more)
        rounds, turns = rounds + found.n_iter, turns + 1
        wanders = np.isnan(found.penalties).any() and not found.converged
        if last or wanders or rounds >= max_iter:
            break
        free = counts is not None and not np.isnan(found.penalties).any()
        if free and (turns > TURNS or (turns > SOON and outside > FAR)):
            found = replace(found, penalties=np.full(k, np.nan), converged=False)
            break
        found, outside = space.grow(found)
        last = outside <= tol
    return replace(found, A=space.Q @ found.A, n_iter=rounds)
