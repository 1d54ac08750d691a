"""LDA with a chosen amount of shrinkage, on twenty tables in raw units, against scikit-learn's shrinkage="auto".

Five folds, four times, the same for all. The difference in accuracy is printed with two standard errors: that of an
accuracy of so many rows, and that of the difference, from rows that only one of the two gets right. Tables are those of
scikit-learn and of the R packages MASS, mlbench and caret; without R the tables of R are left out with a word.

    python benchmarks/shrinkage_on_raw_tables.py [TABLE …]
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold

from eigenlens import LDA

FOLDS, TIMES, MOST_ROWS = 5, 4, 1_000
OURS = ("ledoit-wolf", "oas", "cv")
IN_R = """
suppressMessages({library(MASS); library(mlbench); library(caret)})
out <- commandArgs(TRUE)[1]
keep <- function(name, y, x) {
  x <- x[sapply(x, is.numeric)]; whole <- complete.cases(x) & !is.na(y)
  write.csv(cbind(y = as.character(y[whole]), x[whole, ]), file.path(out, paste0(name, ".csv")), row.names = FALSE)
}
keep("crabs", paste(crabs$sp, crabs$sex), crabs[4:8])
keep("forensic glass", fgl$type, fgl)
keep("Pima", Pima.tr$type, Pima.tr)
keep("biopsy", biopsy$class, biopsy[2:10])
keep("birth weight", birthwt$low, birthwt[c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv")])
for (name in c("Sonar", "Vehicle", "Vowel", "Ionosphere", "Satellite", "PimaIndiansDiabetes2")) {
  data(list = name); d <- get(name); keep(name, d[[ncol(d)]], d[-ncol(d)])
}
data(LetterRecognition); keep("letters", LetterRecognition$lettr, LetterRecognition)
data(dhfr); keep("dhfr", dhfr$Y, dhfr)
data(mdrr); keep("mdrr", mdrrClass, mdrrDescr)
data(cox2); keep("cox2", cox2Class, cox2Descr)
data(segmentationData); keep("cell segmentation", segmentationData$Class, segmentationData[-(1:3)])
"""


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name in ("wine", "breast_cancer", "iris", "digits"):
        found = getattr(datasets, f"load_{name}")()
        yield name.replace("_", " "), found.data, found.target
    if shutil.which("Rscript") is None:
        print("  skipped: tables of R (Rscript is not on the path)")
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "write.R").write_text(IN_R)
        subprocess.run(["Rscript", str(Path(folder, "write.R")), folder], check=True)
        for path in sorted(Path(folder).glob("*.csv")):
            with path.open(newline="") as lines:
                rows = list(csv.reader(lines))[1:]
            X, y = np.array([row[1:] for row in rows], dtype=float), np.array([row[0] for row in rows])
            yield path.stem, X, y


def hits(model: object, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how often each row is predicted rightly by a model that has not seen it."""
    found = np.zeros(len(y))
    for seed in range(TIMES):
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
            varying = np.ptp(X[train], axis=0) > 0
            fitted = model.fit(X[train][:, varying], y[train])
            found[test] += fitted.predict(X[test][:, varying]) == y[test]
    return found / TIMES


def main() -> int:
    warnings.simplefilter("ignore")
    lost = 0
    print("| table | rows × columns | scikit-learn | " + " | ".join(OURS) + " |")
    print("|---|---|---|" + "---|" * len(OURS))
    for name, X, y in tables():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        if len(y) > MOST_ROWS:
            few = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
            X, y = X[few], y[few]
        theirs = hits(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), X, y)
        cells, share = [], theirs.mean()
        of_accuracy = np.sqrt(share * (1 - share) / len(y))
        for shrinkage in OURS:
            apart = hits(LDA(shrinkage=shrinkage), X, y) - theirs
            of_difference = apart.std(ddof=1) / np.sqrt(len(y))
            cells.append(f"{100 * apart.mean():+.1f} ± {100 * of_difference:.1f}")
            lost += bool(apart.mean() < -of_accuracy)
        head = f"| {name} | {len(y):,} × {X.shape[1]} | {100 * share:.1f} ± {100 * of_accuracy:.1f} | "
        print(head + " | ".join(cells) + " |", flush=True)
    print(f"\nWorse by more than a standard error of the accuracy: {lost}")
    return lost


if __name__ == "__main__":
    sys.exit(main() > 0)
