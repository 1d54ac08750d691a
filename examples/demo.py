"""A first look at eigenlens: three methods on tables that ship with scikit-learn.

Run it with `make demo`, or with `python examples/demo.py` where eigenlens is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sklearn.decomposition
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

from eigenlens import CCA, LDA, PCA

WIDTH = 100
SHORT = {
    "od280/od315_of_diluted_wines": "od280/od315",
    "alcalinity_of_ash": "alcalinity",
    "nonflavanoid_phenols": "nonflavanoids",
    "color_intensity": "color",
}
PHENOLS_AND_COLOUR = {
    "total_phenols",
    "flavanoids",
    "nonflavanoid_phenols",
    "proanthocyanins",
    "color_intensity",
    "hue",
    "od280/od315_of_diluted_wines",
}


def main() -> None:
    """Fit the three methods and print what they found."""
    print("eigenlens: one pass that collects moments, one small symmetric problem, a subspace to look through")
    principal_components()
    discriminants()
    canonical_pairs()
    pieces()


def principal_components() -> None:
    """Show which directions of the wine table carry its variance."""
    wine = load_wine()
    Z = StandardScaler().fit_transform(wine.data)
    title("PCA", "wine: 178 bottles, 13 measurements, each scaled to unit variance")

    pca = PCA(4).fit(Z)
    shares = pca.explained_variance_ratio_
    rows = [
        (
            str(j + 1),
            f"{pca.explained_variance_[j]:.2f}",
            f"{shares[j]:.1%}",
            f"{shares[: j + 1].sum():.1%}",
            strongest(pca.components_[j], wine.feature_names, 3),
        )
        for j in range(pca.n_components_)
    ]
    table(("direction", "variance", "share", "so far", "strongest loadings"), rows)

    # The counts need eigenvalues only, so the moments of the fit above are enough: the rows are not read again.
    counts = {rule: PCA(rule).fit_moments(pca.moments_).n_components_ for rule in ("parallel", 0.9)}
    say(f"How many to keep: parallel analysis says {counts['parallel']}; 90% of the variance takes {counts[0.9]}.")


def discriminants() -> None:
    """Show what tells the iris species apart, and how well."""
    iris = load_iris()
    X, y = iris.data, iris.target
    title("LDA", "iris: 150 flowers, 4 measurements, 3 species; ratio of variance between to within them")

    lda = LDA().fit(X, y)
    spread = np.sqrt(np.mean([X[y == k].var(axis=0, ddof=1) for k in range(3)], axis=0))
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]
    rows = [
        (
            str(j + 1),
            f"{lda.spectrum_.values[j]:.2f}",
            f"{lda.explained_variance_ratio_[j]:.1%}",
            *(f"{c:+.1f}" for c in lda.centroids_[:, j]),
            strongest(lda.scalings_[:, j] * spread, names, 2),
        )
        for j in range(2)
    ]
    table(("direction", "ratio", "share", *iris.target_names, "strongest weights"), rows)

    majority = np.bincount(y).max() / len(y)
    cells = [("10-fold accuracy", "with both directions", f"{accuracy(LDA(), X, y):.1%}")]
    cells += [("", "with the first alone", f"{accuracy(LDA(1), X, y):.1%}")]
    cells += [("", "majority rule", f"{majority:.1%}")]
    print()
    for what, how, value in cells:
        print(f"  {what:<17} {how:<21} {value:>6}")


def canonical_pairs() -> None:
    """Show what two halves of the wine table have in common."""
    wine = load_wine()
    phenols = np.array([n in PHENOLS_AND_COLOUR for n in wine.feature_names])
    title("CCA", "wine: 6 columns of acids, minerals and alcohol beside 7 of phenols and colour")

    Z = StandardScaler().fit_transform(wine.data)
    x_names, y_names = np.array(wine.feature_names)[~phenols], np.array(wine.feature_names)[phenols]
    cca = CCA().fit(Z[:, ~phenols], Z[:, phenols])
    test = cca.test_dimension()
    rows = [
        (
            str(j + 1),
            f"{cca.correlations_[j]:.3f}",
            f"{np.degrees(cca.angles_[j]):.1f}°",
            p_value(test.p_values[j]),
            strongest(cca.x_weights_[:, j], x_names, 2),
            strongest(cca.y_weights_[:, j], y_names, 2),
        )
        for j in range(4)
    ]
    table(("pair", "correlation", "angle", "p-value", "minerals side", "phenols side"), rows)
    say(str(test))


def pieces() -> None:
    """Show that the way rows arrive, and where their origin lies, does not change the answer."""
    title("Digits", "iris in whole millimetres: the same answer from parts, and far from the origin")
    X = np.rint(load_iris().data * 10)
    truth = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)

    parts = [PCA().fit(part).moments_ for part in np.array_split(X, 4)]
    merged = parts[0].copy()
    for part in parts[1:]:
        merged.merge(part)

    rows = [("fitted in one go", off(PCA().fit(X), truth), off(sklearn.decomposition.PCA().fit(X), truth))]
    rows += [("fitted in 4 parts, then merged", off(PCA().fit_moments(merged), truth), "–")]
    far = X + 1e8
    rows += [("10⁸ added to every cell", off(PCA().fit(far), truth), off(sklearn.decomposition.PCA().fit(far), truth))]
    table(("largest relative error of a singular value", "eigenlens", "scikit-learn's default"), rows)


def off(model: Any, truth: np.ndarray) -> str:
    """Return the largest relative error of the singular values, for print."""
    return f"{np.abs(model.singular_values_ / truth - 1).max():.0e}"


def accuracy(model: LDA, X: np.ndarray, y: np.ndarray) -> float:
    """Return the share of rows classified correctly by models that have not seen them."""
    return float(cross_val_score(model, X, y, cv=10).mean())


def strongest(weights: np.ndarray, names: Sequence[str], count: int) -> str:
    """Name the columns of largest weight, with sign."""
    order = np.argsort(-np.abs(weights))[:count]
    return ", ".join(f"{weights[j]:+.2f} {SHORT.get(names[j], names[j])}" for j in order)


def p_value(p: float) -> str:
    """Write a p-value without pretending to know its far digits."""
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def title(name: str, subject: str) -> None:
    """Print the heading of a section."""
    print(f"\n\n{name} · {subject}\n{'─' * WIDTH}")


def say(sentence: str) -> None:
    """Print a sentence below a table."""
    print(f"\n  {sentence}")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print rows under a head; numbers to the right, words to the left."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    words = [sum(c.isalpha() for c in column[1]) > 4 for column in columns]
    for row in (head, *rows):
        cells = [f"{c:<{w}}" if left else f"{c:>{w}}" for c, w, left in zip(row, widths, words, strict=True)]
        print("  " + "   ".join(cells).rstrip())


if __name__ == "__main__":
    main()
