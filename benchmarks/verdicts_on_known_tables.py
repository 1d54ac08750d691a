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
    print("| table | rows × columns | shown | of the next | moments | parallel, unscaled | parallel, scaled |")
    for name, where in MEASURED.items():
        X = np.asarray(where() if callable(where) else of_r(where), dtype=float)
        X = X[:, X.std(axis=0) > 0]
        print(f"| {name} | {len(X)} × {X.shape[1]} | {components(X)} |")
    print("\n| question | verdict |")
    for question, verdict in asked():
        print(f"| {question} | {verdict} |")


def components(X: np.ndarray) -> str:
    test = PCA().fit(X).test_dimension(X)
    kept = PCA().fit(X).test_dimension().dimension
    Z = X / X.std(axis=0)
    horn = [PCA().fit(part).test_dimension(method="parallel").dimension for part in (X, Z)]
    return f"{test.dimension} | {test.of_the_next} | {kept} | {horn[0]} | {horn[1]}"


def asked() -> Any:
    judges = of_r("USJudgeRatings")
    y, X = judges.pop("RTEN"), judges
    yield "SIR of RTEN on the other ratings", SIR().fit(X, y).test_dimension(X, y)
    yield "the same, 10 slices", SIR(n_slices=10).fit(X, y).test_dimension(X, y)
    morley, breaks, crabs, iris = of_r("morley"), of_r("warpbreaks"), of_r("MASS::crabs"), load_iris()
    for question, X, y in (
        ("morley's experiments by run and speed", morley[["Run", "Speed"]], morley.Expt),
        ("warpbreaks' tension by breaks", breaks[["breaks"]], breaks.tension),
        ("warpbreaks' wool by breaks", breaks[["breaks"]], breaks.wool),
        ("the four kinds of crabs", crabs.iloc[:, 3:8], crabs.sp + crabs.sex),
        ("iris", iris.data, iris.target),
    ):
        yield f"LDA of {question}", LDA().fit(X, y).test_dimension(X, y)
    savings = of_r("LifeCycleSavings")
    A, B = savings[["pop15", "pop75"]], savings[["sr", "dpi", "ddpi"]]
    yield "CCA of LifeCycleSavings, ages with economy", CCA().fit(A, B).test_dimension(A, B)


if __name__ == "__main__":
    main()
