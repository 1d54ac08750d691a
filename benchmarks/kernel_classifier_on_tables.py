"""KernelClassifier with several defaults on twenty tables, against scikit-learn's SVC(): accuracy and time.

Columns are brought to mean 0 and variance 1 on the rows of the fit, or not, with --raw. Five folds, the same
for all; of large tables 1,000 rows. Tables are those of scikit-learn and of the R packages MASS, mlbench and kernlab;
without R the tables of R are left out with a word. The last row has the mean accuracy, on how many tables it is above
and below SVC's by more than a row in two hundred, and the time of all fits over that of SVC.

    python benchmarks/kernel_classifier_on_tables.py [--raw]
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from eigenlens import KernelClassifier
from eigenlens.kernels import Gaussian
from eigenlens.kernels.evaluate import median_distance

FOLDS, MOST_ROWS, APART = 5, 1_000, 0.005
IN_R = """
suppressMessages({library(MASS); library(mlbench); library(kernlab)})
out <- commandArgs(TRUE)[1]
keep <- function(name, y, x) {
  x <- as.data.frame(lapply(x, as.numeric)); whole <- complete.cases(x) & !is.na(y)
  write.csv(cbind(y = as.character(y[whole]), x[whole, ]), file.path(out, paste0(name, ".csv")), row.names = FALSE)
}
keep("crabs", paste(crabs$sp, crabs$sex), crabs[4:8])
keep("glass", fgl$type, fgl[1:9])
keep("Pima", Pima.tr$type, Pima.tr[1:7])
keep("birth weight", birthwt$low, birthwt[2:9])
for (name in c("Sonar", "Vehicle", "Vowel", "Ionosphere", "Satellite", "DNA", "Shuttle", "Zoo")) {
  data(list = name); d <- get(name); keep(name, d[[ncol(d)]], d[-ncol(d)])
}
data(LetterRecognition); keep("letters", LetterRecognition$lettr, LetterRecognition[-1])
data(HouseVotes84); keep("votes", HouseVotes84$Class, HouseVotes84[-1])
data(spam); keep("spam", spam$type, spam[1:57])
data(musk); keep("musk", musk$Class, musk[1:166])
"""

Model = Callable[[np.ndarray], Any]  # from the rows of the fit


def gaussian(share: float, **options: Any) -> Model:
    """Return machines with a bandwidth of so many median distances."""
    return lambda X: KernelClassifier(Gaussian(share * median_distance(X)), **options)


CANDIDATES: dict[str, Model] = {
    "SVC": lambda X: SVC(),
    "default": lambda X: KernelClassifier(),
    "hinge, 1, C = 1": gaussian(1.0, lam=0.5),
    **{f"hinge, {share}, C = {C}": gaussian(share, lam=0.5 / C) for share in (0.35, 0.5, 0.7) for C in (1, 3, 10)},
    **{f"hinge, 1, C = {C}": gaussian(1.0, lam=0.5 / C) for C in (3, 10, 30)},
    **{
        f"squared, {share}, {rule}": gaussian(share, loss="squared", lam=rule)
        for share in (0.5, 1.0)
        for rule in ("loo", "gcv")
    },
}


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
            yield path.stem, np.array([row[1:] for row in rows], dtype=float), np.array([row[0] for row in rows])


def judged(make: Model, X: np.ndarray, y: np.ndarray, scaled: bool) -> tuple[float, float]:
    """Return the accuracy on rows left out, and the processor time of the fits."""
    hits, spent = 0, 0.0
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        varying = np.ptp(X[train], axis=0) > 0
        fit, new = X[train][:, varying], X[test][:, varying]
        if scaled:
            mean, size = fit.mean(axis=0), fit.std(axis=0)
            fit, new = (fit - mean) / size, (new - mean) / size
        model = make(fit)
        start = time.process_time()
        model.fit(fit, y[train])
        spent += time.process_time() - start
        hits += int((model.predict(new) == y[test]).sum())
    return hits / len(y), spent


def main() -> None:
    warnings.simplefilter("ignore")
    found = []
    print("| table | rows × columns | " + " | ".join(CANDIDATES) + " |\n|---|---|" + "---|" * len(CANDIDATES))
    for name, X, y in tables():
        if len(y) > MOST_ROWS:
            few = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
            X, y = X[few], y[few]
        found.append([judged(make, X, y, "--raw" not in sys.argv) for make in CANDIDATES.values()])
        cells = " | ".join(f"{100 * share:.1f}" for share, _ in found[-1])
        print(f"| {name} | {len(y):,} × {X.shape[1]} | {cells} |", flush=True)
    share, spent = np.array(found).transpose(2, 0, 1)
    better, worse = (((sign * (share - share[:, :1])) > APART).sum(axis=0) for sign in (1, -1))
    cost = spent.sum(axis=0) / spent[:, 0].sum()
    columns = zip(100 * share.mean(axis=0), better, worse, cost, strict=True)
    cells = (f"{m:.2f}, +{b} −{w}, {c:.1f} ×" for m, b, w, c in columns)
    print(f"| all | | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
