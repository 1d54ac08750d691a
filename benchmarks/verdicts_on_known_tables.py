"""Verdicts on tables that statisticians know: how many directions are shown, beside parallel analysis.

    python benchmarks/verdicts_on_known_tables.py

Prints the tables of docs/inference.md. Most of the data are those of R (datasets, MASS, FactoMineR), read through
Rscript; the others are scikit-learn's.
"""

from __future__ import annotations

import io
import subprocess
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from eigenlens import CCA, LDA, PCA, SIR

MEASURED = {
    "crabs": "MASS::crabs[, 4:8]",
    "decathlon": "{data(decathlon, package='FactoMineR'); decathlon[, 1:10]}",
    "iris": lambda: load_iris().data,
    "wine": lambda: load_wine().data,
    "digits": lambda: load_digits().data,
    "breast cancer": lambda: load_breast_cancer().data,
    "diabetes": lambda: load_diabetes().data,
    "USJudgeRatings": "USJudgeRatings",
    "mtcars": "mtcars",
    "swiss": "swiss",
    "USArrests": "USArrests",
    "attitude": "attitude",
    "morley": "morley[, c('Run', 'Speed')]",
}


def of_r(expression: str) -> pd.DataFrame:
    """Return a table of R."""
    code = f"write.csv({expression}, stdout(), row.names = FALSE)"
    made = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return pd.read_csv(io.StringIO(made.stdout))


def main() -> None:
    warnings.simplefilter("ignore")
    print("| table | rows × columns | shown | of the next | PCA('auto') | parallel, unscaled | parallel, scaled |")
    for name, where in MEASURED.items():
        X = np.asarray(where() if callable(where) else of_r(where), dtype=float)
        X = X[:, X.std(axis=0) > 0]
        print(f"| {name} | {len(X)} × {X.shape[1]} | {components(X)} |")
    print("\n| question | verdict |")
    for question, verdict in asked():
        print(f"| {question} | {verdict} |")


def components(X: np.ndarray) -> str:
    test = PCA().fit(X).test_dimension(X)
    kept = PCA("auto").fit(X).n_components_
    Z = X / X.std(axis=0)
    horn = [PCA().fit(part).test_dimension(method="parallel").dimension for part in (X, Z)]
    return f"{test.dimension} | {test.of_the_next} | {kept} | {horn[0]} | {horn[1]}"


def asked() -> Any:
    judges = of_r("USJudgeRatings")
    y, X = judges.pop("RTEN"), judges
    yield "SIR of RTEN on the other ratings", SIR().fit(X, y).test_dimension(X, y)
    yield "the same, 10 slices", SIR(n_slices=10).fit(X, y).test_dimension(X, y)
    morley = of_r("morley")
    speed = morley[["Run", "Speed"]]
    yield "LDA of morley's experiments by run and speed", LDA().fit(speed, morley.Expt).test_dimension(speed, morley.Expt)
    breaks = of_r("warpbreaks")
    yield "LDA of warpbreaks' tension by breaks", LDA().fit(breaks[["breaks"]], breaks.tension).test_dimension(
        breaks[["breaks"]], breaks.tension
    )
    yield "LDA of warpbreaks' wool by breaks", LDA().fit(breaks[["breaks"]], breaks.wool).test_dimension(
        breaks[["breaks"]], breaks.wool
    )
    crabs = of_r("MASS::crabs")
    X, y = crabs.iloc[:, 3:8], crabs.sp + crabs.sex
    yield "LDA of the four kinds of crabs", LDA().fit(X, y).test_dimension(X, y)
    iris = load_iris()
    yield "LDA of iris", LDA().fit(iris.data, iris.target).test_dimension(iris.data, iris.target)
    savings = of_r("LifeCycleSavings")
    A, B = savings[["pop15", "pop75"]], savings[["sr", "dpi", "ddpi"]]
    yield "CCA of LifeCycleSavings, ages with economy", CCA().fit(A, B).test_dimension(A, B)


if __name__ == "__main__":
    main()
