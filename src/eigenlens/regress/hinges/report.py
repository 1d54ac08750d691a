"""What is shown of a model: the table of terms, importances from the pruning path, plots of the terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .prune import Subset
from .terms import Term, evaluate

Floats = NDArray[np.float64]


def importances(path: list[Subset], scores: Floats, terms: Sequence[Term], size: int, p: int) -> Floats:
    """Credit each feature with what every subset up to the chosen size gains over the one before.

    Parameters
    ----------
    path : list of Subset
        Subsets of sizes 1, 2, …
    scores : array
        Criterion of each subset, falling as it improves.
    """
    credit = np.zeros(p)
    for k in range(1, size):
        features = frozenset[int]().union(*(terms[t].features for t in path[k].terms))
        credit[list(features)] += scores[k - 1] - scores[k]
    credit = np.maximum(credit, 0.0)
    return credit / credit.sum() if credit.sum() > 0 else credit


def table(terms: Sequence[Term], coef: Floats, figures: dict[str, float], head: str) -> str:
    """Lay the terms and their coefficients out as text."""
    rows = [[str(t), *(f"{c:.6g}" for c in row)] for t, row in zip(terms, coef, strict=True)]
    names = ["coefficient"] if coef.shape[1] == 1 else [f"response {r}" for r in range(coef.shape[1])]
    rows.insert(0, ["term", *names])
    wide = [max(len(r[c]) for r in rows) for c in range(len(rows[0]))]
    lines = [head, ""]
    for r in rows:
        lines.append("  ".join([r[0].ljust(wide[0]), *(v.rjust(k) for v, k in zip(r[1:], wide[1:], strict=True))]))
    lines += ["", "   ".join(f"{k} {v:.6g}" for k, v in figures.items())]
    return "\n".join(line.rstrip() for line in lines)


def groups(terms: Sequence[Term]) -> dict[tuple[int, ...], list[int]]:
    """Terms by the set of features they use, single features first."""
    found: dict[tuple[int, ...], list[int]] = {}
    for k, t in enumerate(terms):
        if t.factors:
            found.setdefault(tuple(sorted(t.features)), []).append(k)
    return dict(sorted(found.items(), key=lambda kv: (len(kv[0]), kv[0])))


def plot_terms(terms: Sequence[Term], coef: Floats, low: Floats, high: Floats, names: Sequence[str], axes: Any) -> Any:
    """Draw what each group of terms adds to the prediction: a curve for one feature, a map for two.

    Larger groups are left out. A group of two is drawn without the terms of its features alone.
    """
    found = [(f, ks) for f, ks in groups(terms).items() if len(f) <= 2]
    axes = _panels(len(found)) if axes is None else np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(axes) < len(found):
        raise ValueError(f"axes holds {len(axes)} axes but {len(found)} panels are needed; pass as many or none")
    for ax, (features, ks) in zip(axes, found, strict=False):
        draw = _draw_curve if len(features) == 1 else _draw_map
        draw(ax, [terms[k] for k in ks], coef[ks], low, high, features, names)
    return axes[: len(found)]


def _panels(count: int) -> Any:
    import matplotlib.pyplot as plt

    columns = min(3, max(1, count))
    rows = max(1, -(-count // columns))
    size = (3.6 * columns, 3.0 * rows)
    _, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for ax in grid.ravel()[count:]:
        ax.set_visible(False)
    return grid.ravel()


def _part(part: list[Term], coef: Floats, at: dict[int, Floats], p: int) -> Floats:
    """Value of some terms where their features take the values ``at``; the other features do not matter."""
    X = np.zeros((len(next(iter(at.values()))), p))
    for j, x in at.items():
        X[:, j] = x
    return evaluate(part, X) @ coef


def _draw_curve(
    ax: Any,
    part: list[Term],
    coef: Floats,
    low: Floats,
    high: Floats,
    f: tuple[int, ...],
    names: Sequence[str],
) -> None:
    j = f[0]
    knots = sorted({t.factors[0].knot for t in part if low[j] < t.factors[0].knot < high[j]})
    x = np.unique(np.concatenate([np.linspace(low[j], high[j], 200), knots]))
    ax.plot(x, _part(part, coef, {j: x}, len(low)), color="C0")
    for t in knots:
        ax.axvline(t, color="0.8", linewidth=0.8, zorder=0)
    ax.set_xlabel(names[j])
    ax.set_ylabel("contribution")


def _draw_map(
    ax: Any,
    part: list[Term],
    coef: Floats,
    low: Floats,
    high: Floats,
    f: tuple[int, ...],
    names: Sequence[str],
) -> None:
    i, j = f
    U, V = np.meshgrid(np.linspace(low[i], high[i], 80), np.linspace(low[j], high[j], 80))
    Z = _part(part, coef, {i: U.ravel(), j: V.ravel()}, len(low)).reshape(U.shape)
    ax.figure.colorbar(ax.contourf(U, V, Z, levels=12, cmap="viridis"), ax=ax, label="contribution")
    ax.set_xlabel(names[i])
    ax.set_ylabel(names[j])
