"""Cross-validation beside fits and predictions, and beside scikit-learn's grid search; leave-one-out beside one fit."""

from collections.abc import Callable

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, KFold

from eigenlens import LDA, PCA, QDA
from eigenlens.validation import cross_validate, leave_one_out
from harness import Ratio, race, seconds

GRID = np.linspace(0.0, 0.98, 50)


def main(tell: Callable[[Ratio], None] = lambda row: None) -> list[Ratio]:
    """Return all ratios; `tell` is given each as soon as it is known."""
    rows: list[Ratio] = []

    def known(found: list[Ratio]) -> None:
        rows.extend(found)
        for row in found:
            tell(row)

    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 200_000)
    X = rng.standard_normal((200_000, 50)) + 0.3 * rng.standard_normal((5, 50))[y]

    def validated() -> object:
        return cross_validate(LDA(), X, y, cv=10, settings={"shrinkage": GRID})

    def fit_and_predictions() -> None:
        model = LDA(shrinkage=0.1).fit(X, y)
        for _ in GRID:
            model.predict(X)

    claim = "LDA 200,000×50, 10 folds × 50"
    peer = "one fit and 50 predictions"
    known(race(claim, validated, {peer: fit_and_predictions}, rounds=3, targets={peer: 1 / 1.5}))
    some = GRID[10::25]  # scikit-learn takes as long for each of them, and minutes for all
    search = GridSearchCV(LinearDiscriminantAnalysis("lsqr"), {"shrinkage": some}, cv=KFold(10), refit=False)
    ratio = len(GRID) / len(some) * seconds(lambda: search.fit(X, y)) / seconds(validated)
    note = f"one round of {len(some)} settings, times {len(GRID) // len(some)}"
    known([Ratio(claim, "scikit-learn GridSearchCV", ratio, ratio, ratio, 20.0, note)])
    labels = rng.integers(0, 2, 4600)
    table = rng.standard_normal((4600, 57)) + 0.3 * labels[:, None]
    for model in (LDA(), LDA(shrinkage=0.1), QDA()):
        found = race(
            f"leave-one-out of 4,600×57, {type(model).__name__}{'' if repr(model)[4] == ')' else ', shrunk'}",
            lambda model=model: leave_one_out(model, table, labels),
            {"one fit": lambda model=model: model.fit(table, labels)},
            rounds=9,
            targets={"one fit": 1 / 5},
        )
        known(found)
    press = {"one fit": lambda: PCA(2).fit(table)}
    known(race("PRESS of 4,600×57, 2 components", lambda: leave_one_out(PCA(2), table), press))
    return rows


if __name__ == "__main__":
    main(lambda row: print(row, flush=True))
