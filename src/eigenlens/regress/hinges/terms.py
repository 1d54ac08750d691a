"""Terms: products of hinges (x − t)₊, (t − x)₊ and straight factors x − t, at most one factor per feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays.stored import stored

Floats = NDArray[np.float64]


@stored("hinge.Factor")
@dataclass(frozen=True)
class Factor:
    """One factor of a term.

    Attributes
    ----------
    feature : int
        Column of X.
    knot : float
        The knot t.
    sign : int
        1 for (x − t)₊, −1 for (t − x)₊, 0 for the straight x − t.
    name : str
        Name of the column.
    """

    feature: int
    knot: float
    sign: int
    name: str = ""

    def __call__(self, X: Floats) -> Floats:
        """Evaluate on the rows of X."""
        d = X[:, self.feature] - self.knot
        if self.sign == 0:
            return d
        return np.maximum(self.sign * d, 0.0)

    def __str__(self) -> str:
        name = self.name or f"x{self.feature}"
        t = f"{abs(self.knot):.6g}"
        if self.sign < 0:
            return f"h({'-' if self.knot < 0 else ''}{t}-{name})"
        if self.knot == 0:
            return name if self.sign == 0 else f"h({name})"
        inside = f"{name}{'+' if self.knot < 0 else '-'}{t}"
        return f"({inside})" if self.sign == 0 else f"h({inside})"

    def __repr__(self) -> str:  # a list of terms is read as often as one of them
        return str(self)


@stored("hinge.Term")
@dataclass(frozen=True)
class Term:
    """A basis function: the product of its factors; without factors it is the constant.

    ``str(term)`` reads like ``h(Temp-76)*h(8.6-Wind)``, where h(u) = max(0, u).
    """

    factors: tuple[Factor, ...] = ()

    @property
    def degree(self) -> int:
        """Number of factors."""
        return len(self.factors)

    @property
    def features(self) -> frozenset[int]:
        """Columns of X that take part."""
        return frozenset(f.feature for f in self.factors)

    def times(self, factor: Factor) -> Term:
        """Return the product with one more factor."""
        return Term((*self.factors, factor))

    def __call__(self, X: Floats) -> Floats:
        """Evaluate on the rows of X."""
        b = np.ones(len(X))
        for f in self.factors:
            b *= f(X)
        return b

    def __str__(self) -> str:
        return "*".join(str(f) for f in self.factors) or "1"

    def __repr__(self) -> str:
        return str(self)


def evaluate(terms: Sequence[Term], X: Floats) -> Floats:
    """Return the n×M matrix of the terms on the rows of X."""
    B = np.empty((len(X), len(terms)))
    for k, term in enumerate(terms):
        B[:, k] = term(X)
    return B
