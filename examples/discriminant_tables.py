"""Two tables of The Elements of Statistical Learning (12.3 vowel, 12.4 waveform), and smooth digits.

The vowel data are not ours to ship: pass the path of a CSV file with the columns split (train, test), y, x.1 … x.10.

    python examples/discriminant_tables.py [VOWEL.csv]
"""

from __future__ import annotations

import csv
import sys
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from eigenlens import FDA, LDA, MDA, PDA
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.regress.penalties import penalty_matrix

SIMULATIONS = 10


def waveform(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of the waveform problem: each a random mixture of two of three triangles at 21 points, plus noise.

    Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, section 2.6.1.
    """
    points = np.arange(1, 22)
    peaks = np.array([np.maximum(6 - np.abs(points - middle), 0) for middle in (11, 15, 7)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    y = rng.integers(0, 3, n)
    share = rng.uniform(size=(n, 1))
    first, second = peaks[pairs[y, 0]], peaks[pairs[y, 1]]
    return share * first + (1 - share) * second + rng.standard_normal((n, 21)), y


def waveform_models() -> dict[str, tuple[Any, str, str]]:
    """Return the rows of table 12.4: a model, and the test errors of the book and of R (100 simulations)."""
    few = {"n_init": 1, "max_iter": 5, "tol": 0}  # the five steps that R's mda takes
    return {
        "LDA": (LDA(), ".191 (.006)", ".198"),
        "QDA (scikit-learn)": (QuadraticDiscriminantAnalysis(), ".205 (.006)", ".210"),
        "FDA, MARS degree 1": (FDA(), ".191 (.006)", ".201"),
        "FDA, MARS degree 2": (FDA(regressor=AdaptiveSplines(2)), ".215 (.002)", ".214"),
        "FDA, BRUTO": (FDA(regressor=AdditiveSplines()), "–", ".178"),
        "MDA, 3 subclasses, 5 steps": (MDA(**few), ".169 (.006)", ".176"),
        "MDA, 3 subclasses, to the end": (MDA(), "–", "–"),
        "MDA penalised, 4 df": (MDA(regressor=PenalizedRegression("smooth", df=4), **few), ".157 (.005)", ".187"),
        "MDA penalised, 5 df": (MDA(regressor=PenalizedRegression("smooth", df=5), **few), "–", ".163"),
        "PDA, 4 df": (PDA(penalty="smooth", df=4), ".171 (.005)", ".188"),
        "PDA, 5 df": (PDA(penalty="smooth", df=5), "–", ".167"),
        "PDA, GCV": (PDA(penalty="smooth"), "–", "–"),
    }


def waveform_table(simulations: int = SIMULATIONS) -> list[tuple[str, ...]]:
    """Return table 12.4: errors on 300 rows seen and 500 not seen, means and standard errors."""
    errors: dict[str, list[tuple[float, float]]] = {name: [] for name in waveform_models()}
    for seed in range(simulations):
        rng = np.random.default_rng(seed)
        (X, y), (Z, z) = waveform(300, rng), waveform(500, rng)
        for name, (model, _, _) in waveform_models().items():
            model.fit(X, y)
            errors[name].append((np.mean(model.predict(X) != y), np.mean(model.predict(Z) != z)))
    rows = []
    for name, (_, book, r) in waveform_models().items():
        mean = np.mean(errors[name], axis=0)
        se = np.std(errors[name], axis=0, ddof=1) / np.sqrt(simulations)
        ours = [f"{m:.3f} ({s:.3f})".replace("0.", ".") for m, s in zip(mean, se, strict=True)]
        rows.append((name, *ours, book, r))
    return rows


def vowel_table(path: str) -> list[tuple[str, ...]]:
    """Return table 12.3: errors on the speakers seen and not seen."""
    with open(path) as lines:
        table = list(csv.DictReader(lines))
    train, test = ([row for row in table if row["split"] == part] for part in ("train", "test"))
    (X, y), (Z, z) = (
        (np.array([[float(r[f"x.{j}"]) for j in range(1, 11)] for r in part]), np.array([int(r["y"]) for r in part]))
        for part in (train, test)
    )
    models = {
        "LDA": (LDA(), ".32 / .56", ".316 / .556"),
        "LDA, 2 directions": (LDA(2), "– / .49", ".350 / .491"),
        "FDA, BRUTO": (FDA(regressor=AdditiveSplines(max_iter=100)), ".06 / .44", ".064 / .446"),
        "FDA, polynomials degree 2": (FDA(regressor=PolynomialRegression(2)), "– / –", ".023 / .439"),
        "FDA, MARS degree 1, 61 terms": (FDA(regressor=AdaptiveSplines(max_terms=61)), ".09 / .45", ".074 / .450"),
        "  the same, best of 10 ranks": (None, "–", "–"),
        "FDA, MARS degree 2, 61 terms": (FDA(regressor=AdaptiveSplines(2, max_terms=61)), ".02 / .42", ".053 / .422"),
        "PDA, ridge, GCV": (PDA(), "–", "–"),
        "MDA, 2 subclasses": (MDA(n_subclasses=2), "–", "–"),
    }
    rows = []
    for name, (model, book, r) in models.items():
        if model is None:
            trials = [FDA(k, regressor=AdaptiveSplines(max_terms=61)).fit(X, y) for k in range(1, 11)]
            model = min(trials, key=lambda trial: np.mean(trial.predict(Z) != z))
            name = f"  the same, rank {model.n_components} (chosen on the test rows)"
        else:
            model.fit(X, y)
        ours = [f"{np.mean(model.predict(A) != a):.3f}".replace("0.", ".") for A, a in ((X, y), (Z, z))]
        rows.append((name, *ours, book, r))
    return rows


def digits_table() -> list[tuple[str, ...]]:
    """Return what a penalty on neighbouring pixels does to 8 × 8 digits: error on rows not seen, and roughness."""
    X, y = load_digits(return_X_y=True)
    omega = penalty_matrix((8, 8), 64)
    rows = []
    for n in (200, 400, 900):
        cells = []
        for model in (LDA(), PDA(), PDA(penalty=(8, 8))):
            wrong, rough = [], []
            for seed in range(10):
                order = np.random.default_rng(seed).permutation(len(X))
                seen, rest = order[:n], order[n:]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # blank pixels are constant
                    model.fit(X[seen], y[seen])
                V = model.scalings_
                wrong.append(1 - model.score(X[rest], y[rest]))
                rough.append(np.mean(np.einsum("ij,ik,kj->j", V, omega, V) / np.sum(V**2, axis=0)))
            cells.append(f"{np.mean(wrong):.3f} / {np.mean(rough):.2f}")
        rows.append((f"{n} digits seen", *cells))
    return rows


def show(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print a table as Markdown."""
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def main() -> None:
    """Print the tables."""
    if len(sys.argv) > 1:
        show("Vowel", ("model", "train", "test", "book", "R"), vowel_table(sys.argv[1]))
    else:
        print("Vowel: left out, pass the path of the data to see it.")
    show("Digits", ("test error / roughness", "LDA", "PDA, ridge", "PDA, pixel grid"), digits_table())
    show("Waveform", ("model", "train", "test", "book, test", "R, test"), waveform_table())


if __name__ == "__main__":
    main()
