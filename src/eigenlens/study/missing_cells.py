"""Rows with holes in a study: the best fit that can be had of them, and what is said about it.

Methods that have maximum likelihood use it. For the others, a missing cell is filled with the value that the rest of
its row predicts, or with the mean of its column where rows are too few for a covariance.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..arrays import namespaces
from ..arrays.errors import InputError, NotConvergedWarning, listed
from ..inference.mcar import littles_mcar
from ..moments.expected_cells import ExpectedCells, independent
from ..page.findings import Findings
from ..rows.preparation import ABSENT
from ..rows.sampled_rows import keys, smallest
from .data import Data, sample_rows
from .gaps import holes_in
from .methods import fitted
from .sentences import correlations, joined

WORK = 5e9  # different patterns of holes, times the cube of the columns: beyond, a likelihood takes minutes
MOST_SHOWN = 8  # columns whose holes are counted in a note
ALIKE = 0.95  # scores that correlate at least so much are those of the same direction
LEVEL = 0.05


@dataclass(frozen=True)
class Ready:
    """A model fitted to a table.

    Attributes
    ----------
    steps : list of (str, transformer)
        What comes before the model.
    model : fitted model
    X : ndarray of shape (n, p)
        What the model was fitted to; NaN where a cell is missing and the model takes that.
    kept : ndarray of shape (n, p) or None
        The same before anything was filled; None where holes were not kept.
    how : str
        "ml", "row" or "nothing": how holes are met; empty where there are none.
    why : str
        Why there is no likelihood, if there is none.
    all_rows : Whole or None
        Where X is a sample of rows, and the model was fitted to all of them.
    """

    steps: list[tuple[str, Any]]
    model: Any
    X: np.ndarray
    kept: np.ndarray | None = None
    how: str = ""
    why: str = ""
    all_rows: Any = None

    @property
    def preparation(self) -> Any:
        return self.steps[0][1]

    @property
    def unfilled(self) -> np.ndarray:
        """The rows as they were prepared, NaN where holes were kept."""
        return self.X if self.kept is None else self.kept

    @property
    def whole(self) -> np.ndarray | None:
        """Which rows have no holes; None where holes were not kept."""
        return None if self.kept is None else ~np.isnan(self.kept).any(axis=1)

    def predict_rows(self, X: np.ndarray) -> np.ndarray:
        """Return what the model predicts of rows that were prepared."""
        for _, step in self.steps[1:]:
            X = step.transform(X)
        return np.asarray(self.model.predict(X))

    def correlations(self, scores: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Return the correlations of the prepared columns with the scores; as likely as they are, where cells miss."""
        if self.all_rows is not None or (self.how == "ml" and hasattr(self.model, "structure_")):
            return np.nan_to_num(namespaces.floats(self.model.structure_))
        return correlations(self.X, scores, weights)

    @property
    def pipeline(self) -> Pipeline:
        """Everything from a table to an answer."""
        return Pipeline([*self.steps, ("model", self.model)])


def fitted_to(model: Any, preparation: Any, table: Any, y: Any = None, weights: Any = None, whole: Any = None) -> Ready:
    """Fit a model to a prepared table; where holes were kept, in the best way that can be had.

    Parameters
    ----------
    model : unfitted model
    preparation : fitted Preparation
    table : data frame
    y : ndarray, optional
    weights : ndarray, optional
        How much each row counts.
    whole : Whole, optional
        All rows, where the table is a sample of them.
    """
    if whole is not None:
        return whole.fitted(model, preparation, table)
    return fitted_rows(model, preparation, preparation.transform(table), y, weights)


def fitted_rows(
    model: Any, preparation: Any, X: np.ndarray, y: Any = None, weights: Any = None, named: bool = True
) -> Ready:
    """Fit a model to rows that were prepared; it is told the names of the columns where somebody reads what it says."""
    names, first = preparation.names_out_ if named else None, [("prepare", preparation)]
    if preparation.missing != "keep":
        return Ready(first, fitted(model, names, X, y, weights), X)
    taking, why = modelled(model), _beyond_likelihood(X)
    if taking is not None and not why:
        try:
            return Ready(first, _converged(taking, names, X, y, weights), X, X, "ml")
        except (InputError, NotConvergedWarning) as error:
            why = _first_sentence(error)
    elif taking is None:
        why = f"{type(model).__name__} has no likelihood of rows with holes"
    given = "nothing" if _too_many(X) else "row"
    try:
        fill = ExpectedCells(given).fit(X)
    except InputError as error:
        given, why = "nothing", why or _first_sentence(error)  # the model's own reason names its columns
        fill = ExpectedCells(given).fit(X)
    filled = fill.transform(X)
    return Ready([*first, ("fill", fill)], fitted(model, names, filled, y, weights), filled, X, given, why)


def fitted_to_pair(
    model: Any, preparation: Any, X: np.ndarray, Y: np.ndarray, weights: Any = None
) -> tuple[Ready, np.ndarray]:
    """Fit a model of two sets of columns; return the second as it was fitted, too."""
    given = {} if weights is None else {"sample_weight": weights}
    first, both = [("prepare", preparation)], np.concatenate([X, Y], axis=1)
    if preparation.missing != "keep":
        return Ready(first, model.fit(X, Y, **given), X), Y
    why = _beyond_likelihood(both)
    if not why:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", NotConvergedWarning)
                return Ready(first, modelled(model).fit(X, Y, **given), X, both, "ml"), Y
        except (InputError, NotConvergedWarning) as error:
            why = _first_sentence(error)
    fill = ExpectedCells("nothing").fit(X)
    X, Y = fill.transform(X), ExpectedCells("nothing").fit_transform(Y)
    return Ready([*first, ("fill", fill)], model.fit(X, Y, **given), X, both, "nothing", why), Y


def modelled(model: Any) -> Any:
    """Return the model set to take rows with holes, unfitted; None where it cannot."""
    if "ml" in getattr(model, "_modes", ()):
        return clone(model).set_params(missing="ml")
    if "ml" in getattr(getattr(model, "directions", None), "_modes", ()):
        return clone(model).set_params(directions__missing="ml")
    tags = getattr(model, "__sklearn_tags__", None)
    return clone(model) if tags is not None and tags().input_tags.allow_nan else None


def _converged(model: Any, names: list[str] | None, X: np.ndarray, y: Any, weights: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotConvergedWarning)
        return fitted(model, names, X, y, weights)


def _beyond_likelihood(X: np.ndarray) -> str:
    """Say why no likelihood is tried, if none is."""
    if _too_many(X):
        return f"the likelihood of {X.shape[1]:,} columns with {_patterns(X):,} patterns of holes takes too long"
    if determined(X):
        return "some columns are determined by others, as the last of a set of words is"
    return ""


def determined(X: np.ndarray) -> bool:
    """Tell whether some columns are determined by others."""
    return len(independent(X)) < X.shape[1]


def too_many_patterns(patterns: int, p: int) -> bool:
    """Tell whether the likelihood of p columns would take too long."""
    return patterns * p**3 > WORK


def _too_many(X: np.ndarray) -> bool:
    return too_many_patterns(_patterns(X), X.shape[1])


def _patterns(X: np.ndarray) -> int:
    return len(np.unique(np.packbits(np.isnan(X), axis=1), axis=0))


def _first_sentence(error: BaseException) -> str:
    said = str(error).split(". ")[0].rstrip(".")
    return said if said[:2].isupper() else said[:1].lower() + said[1:]


# -- what is said ---------------------------------------------------------------------------------------------------


def tell_holes(findings: Findings, data: Data, ready: Ready, y: Any = None, second: Any = None) -> None:
    """Say how many cells are missing, what became of them, and what that assumes; keep what their picture needs.

    Parameters
    ----------
    findings : Findings
    data : Data
    ready : Ready
    y : ndarray, optional
        As in the fit.
    second : Preparation, optional
        Of the second set of columns.
    """
    if data.second_look:
        return
    whole, prepared = ready.whole, [ready.preparation] + ([] if second is None else [second])
    names = [name for preparation in prepared for name in preparation.columns_]
    gaps = holes_in(data.table.select(names))
    counts, touched = gaps.sum(axis=0), int(gaps.any(axis=1).sum())
    if data.whole is not None:
        counts, touched = data.whole.gaps(names)
    if whole is None or not counts.any():
        return
    words = {name: p.fill_words_.get(name) for p in prepared for name in p.levels_}
    data.notes += [_counted(names, counts, touched, data.n_rows), *_words_told(words, names, counts)]
    complete = int(whole.sum()) if data.whole is None else data.whole.first.kept.n_complete
    if complete < data.n_rows:
        data.notes += _told(findings.method, ready)
        data.notes += _compared(findings)
        data.notes += _tested_by_little(ready, data) + _without_them(ready, data, complete, y)
        findings.doubts.append(
            "Cells are assumed to be missing at random: whether one is missing may depend on observed cells, "
            "but not on the value that is missing."
        )
    findings.gaps = {"names": names, "gaps": gaps, "of": data.n_rows}


def tell_missing_words(findings: Findings, data: Data, preparation: Any) -> None:
    """Say the same where a method takes words as they are, and numbers have no holes."""
    names = preparation.columns_
    gaps = holes_in(data.table.select(names))
    if not gaps.any():
        return
    counts, words = gaps.sum(axis=0), {name: preparation.fill_words_.get(name) for name in preparation.levels_}
    data.notes.append(_counted(names, counts, int(gaps.any(axis=1).sum()), data.n_rows))
    data.notes += _words_told(words, names, counts)
    findings.gaps = {"names": names, "gaps": gaps, "of": data.n_rows}


def _counted(names: list[str], counts: np.ndarray, touched: int, n: int) -> str:
    order = [j for j in np.argsort(-counts, kind="stable") if counts[j]]
    described = listed((f"{names[j]!r} {counts[j]:,}" for j in order), MOST_SHOWN)
    total, cells = int(counts.sum()), n * len(names)
    share = f"{total / cells:.1%}" if total >= 0.0005 * cells else "less than 0.1%"
    return (
        f"{total:,} of {cells:,} cells {'is' if total == 1 else 'are'} missing ({share}), in "
        f"{touched:,} of {n:,} rows: {described}."
    )


def _words_told(fills: dict[str, str | None], names: list[str], gaps: np.ndarray) -> list[str]:
    counts = dict(zip(names, gaps.tolist(), strict=True))
    lacking = {name: word for name, word in fills.items() if counts.get(name)}
    own = [repr(name) for name, word in lacking.items() if word == ABSENT]
    rare = [f"{name!r} ({counts[name]:,})" for name, word in lacking.items() if word is None]
    notes = [f"Missing words are a kind of their own, {ABSENT!r}, in {listed(own)}: they are frequent."] if own else []
    return notes + ([f"Missing words are unobserved, like missing numbers, in {listed(rare)}."] if rare else [])


def _told(method: str, ready: Ready) -> list[str]:
    if ready.how == "ml":
        own = "by maximum likelihood " if "missing" in ready.model.get_params() else ""
        return [f"{method} is fitted {own}to the observed cells; none is filled in."]
    where = "what the rest of the row predicts" if ready.how == "row" else "the mean of the column"
    return [
        f"Missing cells are filled with {where}, since {ready.why}. Filled cells make columns look less spread out."
    ]


def _compared(findings: Findings) -> list[str]:
    lacking = [c.name for c in findings.comparison if c.fills]
    if not lacking:
        return []
    need = "needs" if len(lacking) == 1 else "need"
    return [
        f"In the comparison, {joined(lacking)} {need} complete rows: missing cells are filled with what the rest of "
        "the row predicts."
    ]


def _tested_by_little(ready: Ready, data: Data) -> list[str]:
    """Ask whether rows with holes differ from the others."""
    assert ready.kept is not None
    raw: Any = ready.kept[:, independent(ready.kept)]
    if _too_many(raw):
        return []
    weights = data.weights
    if data.whole is not None:
        raw, weights = data.whole.patterns(ready.preparation), None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotConvergedWarning)
            found = littles_mcar(raw, weights, alpha=LEVEL)
    except (InputError, NotConvergedWarning):
        return []
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
    if found.p_value <= LEVEL:
        what = f"Little's test: cells are not missing completely at random ({p})"
        return [f"{what}, so leaving out rows with holes may mislead."]
    return [f"Little's test finds no evidence against cells missing completely at random ({p})."]


def _without_them(ready: Ready, data: Data, m: int, y: Any) -> list[str]:
    """Say what is left if rows with holes are left out, and whether the first direction stays what it is.

    Of many rows a sample is looked at, the same that a file read in pieces has.
    """
    n, p = data.n_rows, ready.X.shape[1]
    left = f"Without the rows with unobserved cells, {m:,} of {n:,} rows would be left"
    if ready.how != "ml" or "missing" not in ready.model.get_params() or m <= p + 2:
        return [f"{left}."]
    numbers = data.numbers if data.numbers is not None else np.arange(len(ready.X))
    whole = np.asarray(ready.whole).copy()
    if n > sample_rows(p):
        drawn = np.zeros(len(whole), dtype=bool)
        drawn[smallest(keys(numbers, 0), sample_rows(p))] = True
        whole &= drawn
    X, target = ready.X[whole], () if y is None else (y[whole],)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = clone(ready.model).set_params(missing="refuse").fit(X, *target)
            pair = [np.asarray(model.transform(X))[:, 0] for model in (ready.model, other)]
    except InputError:
        return [f"{left}, too few for {type(ready.model).__name__}."]
    r = abs(float(np.corrcoef(np.stack(pair))[0, 1]))
    same = "nearly the same" if r >= ALIKE else "another one"
    return [f"{left}, and the first direction would be {same} (correlation of its scores: {r:.3f})."]
