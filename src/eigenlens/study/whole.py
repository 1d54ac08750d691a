"""A file of any size as the rows of a study: moments of all rows, a sample of them, and one more pass."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from ..moments import Factor
from ..moments.folded import Folded
from ..moments.scaled_columns import can_scale, columns_total, scale_columns
from ..spectral import Form
from ..tables import Preparation, TableFile
from .columns import counted_kinds, used_columns, without_counters
from .data import Data, tell
from .first_pass import FirstPass, collected
from .fold_models import FoldModels, confusion, fold_numbers, teams_of
from .gaps import missing_cells, no_row_left, note_gone
from .holes import Ready
from .layout import layout_of
from .methods import chosen, fitted_to_moments, score_names
from .misfits import Misfits
from .plan import Plan, Progress
from .roles import hinted_groups, noted_years, roles_of
from .targets import labels_of, shown_column, target_of, written

MOST_COLUMNS = 2_000
EXTREME_AXES = 10  # whose outermost rows are in the picture
MOST_PASSES = 4
AGAIN = "one more pass, for more digits: reading rows"
FIRST, SECOND = "first pass: counting rows", "second pass: scoring rows"


@dataclass
class Passed:
    """What the second pass found.

    Attributes
    ----------
    confusions : dict of str to ndarray of shape (K, K)
        Of rows and the classes that models gave them that had not seen them.
    low, high : ndarray of shape (k,)
        Range of the scores.
    rows, numbers, scores
        The outermost rows of each axis, their numbers in the file, and their scores.
    """

    confusions: dict[str, np.ndarray] = field(default_factory=dict)
    low: Any = np.inf
    high: Any = -np.inf
    rows: Any = None
    numbers: Any = None
    scores: Any = None


class Whole:
    """All rows of a file.

    Parameters
    ----------
    first : FirstPass
        What the first pass has kept.
    progress : Progress or None

    Attributes
    ----------
    sink : object or None
        Takes the scores of all rows, block by block.
    """

    def __init__(self, first: FirstPass, plan: Plan) -> None:
        assert first.layout is not None
        self.first, self.plan, self.layout = first, plan, first.layout
        self.file, self.n_rows = first.file, first.kept.n_rows
        self.sink: Any = None
        self.progress: Progress | None = None

    @property
    def passes(self) -> int:
        """How often rows were read."""
        return self.file.passes

    # -- from moments --------------------------------------------------------------------------------------------

    @property
    def moments(self) -> Any:
        """The moments of all rows, columns in their own units."""
        kept = self.first.kept.moments
        return kept.total() if isinstance(kept, Folded) else kept

    def class_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes, sorted, and how many rows each has."""
        moments = self.moments
        return moments.labels, np.round(moments.weights).astype(int)

    def preparation(self, **options: Any) -> Preparation:
        """Return the preparation that all rows would have given."""
        new = self.layout.preparation(self.plan, **options)
        sums = self.first.kept.sums
        if sums is None:
            total = columns_total(self.moments)
            mean, weight = np.asarray(_xp.to_numpy(total.mean)), total.weight
            squares = np.asarray(_xp.to_numpy(total.store.diagonal())) * np.asarray(_xp.to_numpy(total.unit)) ** 2
        else:
            weight, mean, squares = sums
        spread = np.sqrt(squares / np.maximum(np.asarray(weight) - 1, 1.0))
        new.centre_, new.spread_ = mean, np.where(spread > 0, spread, 1.0)
        new.scale_ = new.spread_ if new.standardise else np.ones(len(spread))
        blocks = new.blocks()
        alone = [b[0] for b, name in zip(blocks, new.columns_, strict=True) if name not in new.levels_]
        new.fill_ = mean[np.array(alone, dtype=int)]
        return new

    def fitted(self, model: Any, preparation: Preparation, table: Any) -> Ready:
        """Fit a model to the moments of all rows; where digits were lost, rows are read once more."""
        scaled = self._scaled(preparation)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lost = _loses(model, scaled)
        if lost:
            tell(self.file, AGAIN, self.progress)
            again = collected(self.file, self.plan, self.layout, Factor)
            tell(self.file, "", None)
            self.first = again
            scaled = self._scaled(preparation)
        model = fitted_to_moments(model, scaled)
        vars(model).pop("feature_names_in_", None)
        return Ready([("prepare", preparation)], model, preparation.transform(table), all_rows=self)

    def _scaled(self, preparation: Preparation) -> Any:
        if self.layout.missing != "keep" and not can_scale(self.moments):
            raise errors.InputError(
                "columns are out of the ordinary range of numbers, and a file that is read in pieces cannot be fitted "
                "so; scale them, or add --no-stream."
            )
        scaled = scale_columns(self.moments, preparation.centre_, preparation.scale_)
        scaled.names = tuple(preparation.names_out_)
        return scaled

    def correlations(self, model: Any) -> np.ndarray:
        """Return the correlations of the prepared columns with the scores of all rows; zero where one is constant."""
        return np.nan_to_num(np.asarray(_xp.to_numpy(model.structure_), dtype=float))

    def separation(self, model: Any) -> np.ndarray:
        """Return the share of each score's variance that lies between the classes."""
        moments = model._whole_moments
        within, weights = moments.within(), moments.weights
        means = np.asarray(_xp.to_numpy(model._coordinates(within.means)))
        between = weights @ (means - weights @ means / weights.sum()) ** 2
        V = model.subspace_.basis * within.unit[:, None]
        total = between + np.asarray(_xp.to_numpy(V * Form.of(within, 1.0).apply(V))).sum(axis=0)
        return np.clip(between / np.where(total > 0, total, 1), 0.0, 1.0)

    def separating(self, names: list[str]) -> list[str]:
        """Return the columns that do not vary within any class but do between classes."""
        moments = self.moments
        fixed = np.asarray(_xp.to_numpy(moments.within().constant_columns()))
        varies = ~np.asarray(_xp.to_numpy(moments.total().constant_columns()))
        return [names[j] for j in np.flatnonzero(fixed & varies)]

    def teams(self, models: dict[str, Any], preparation: Preparation) -> dict[str, FoldModels]:
        """Fit the methods that fit from moments to the rows outside each fold."""
        folded = self.first.kept.moments
        if not isinstance(folded, Folded) or self.layout.missing == "keep" or self.plan.folds < 2:
            return {}
        centre, scale = preparation.centre_, preparation.scale_
        training = [scale_columns(part, centre, scale) for part in folded.training()]
        return teams_of(models, training, preparation.standardise)

    # -- the second pass -----------------------------------------------------------------------------------------

    def read_again(self, ready: Ready, teams: dict[str, FoldModels], held: Misfits | None = None) -> Passed:
        """Read all rows: write their scores, judge each by the models of its own fold, and find the outermost ones.

        Parameters
        ----------
        ready : Ready
        teams : dict of str to FoldModels
        held : Misfits, optional
            What rows are held against, to find those that do not fit.
        """
        first, layout, model = self.first, self.layout, ready.model
        labels = self.class_sizes()[0] if layout.kind == "classes" else None
        assert first.kinds is not None
        found, names = Passed(), None
        axes = list(range(EXTREME_AXES))

        def work(table: Any, start: int) -> Any:
            _, table, numbers, _ = first.rows_that_count(table, start)
            if not len(numbers):
                return None
            X = ready.steps[0][1].transform(table)
            for _, step in ready.steps[1:]:
                X = step.transform(X)
            Z = np.asarray(model.transform(X))
            judged, predicted, y = {}, None, None
            if labels is not None:
                own, codes = labels_of(table.column(layout.target))
                codes, y = np.searchsorted(labels, own)[codes], own[codes]
                predicted = np.asarray(model.predict(X), dtype=object)
                if teams:
                    folds = fold_numbers(first.folds, codes, labels, numbers)
                    judged = {
                        name: confusion(codes, team.places(X, folds, labels), len(labels))
                        for name, team in teams.items()
                    }
            ends = np.unique(np.concatenate([Z[:, : len(axes)].argmin(axis=0), Z[:, : len(axes)].argmax(axis=0)]))
            looked = None if held is None else held.look(X)
            odd = None if looked is None else X[looked[1]]
            return table, numbers, Z, y, predicted, judged, ends, looked, odd

        done = 0
        for part in self.file.mapped(first.kinds, list(first.kinds), work):
            if part is None:
                continue
            table, numbers, Z, y, predicted, judged, ends, looked, odd = part
            names = names or score_names(model, Z.shape[1])
            if self.sink is not None:
                row_names = None if layout.row_column is None else table.column(layout.row_column).to_pylist()
                target = y if layout.kind != "number" else np.asarray(table.column(layout.target).to_numpy())
                self.sink.rows(*score_columns(names, Z, layout.target, target, row_names, predicted))
            for name, table_of in judged.items():
                found.confusions[name] = found.confusions.get(name, 0) + table_of
            found.low, found.high = np.minimum(found.low, Z.min(axis=0)), np.maximum(found.high, Z.max(axis=0))
            self._outermost(found, table, numbers, Z, ends)
            if held is not None:
                names_of = [self._row_name(table, numbers, i) for i in looked[1].tolist()]
                held.take_in(looked, odd, len(numbers), names_of)
            done += len(numbers)
            if self.progress:
                self.progress(SECOND, done, self.n_rows)
        return found

    def _row_name(self, table: Any, numbers: np.ndarray, i: int) -> str:
        column = self.layout.row_column
        return f"row {numbers[i] + 1}" if column is None else written(table.column(column)[i].as_py())

    @staticmethod
    def _outermost(found: Passed, table: Any, numbers: np.ndarray, Z: np.ndarray, ends: np.ndarray) -> None:
        """Keep the rows at the ends of the first axes."""
        import pyarrow as pa

        rows, numbers, scores = table.take(pa.array(ends)), numbers[ends], Z[ends]
        if found.rows is not None:
            rows = pa.concat_tables([found.rows, rows])
            numbers, scores = np.append(found.numbers, numbers), np.concatenate([found.scores, scores])
        k = min(scores.shape[1], EXTREME_AXES)
        kept = np.unique(np.concatenate([scores[:, :k].argmin(axis=0), scores[:, :k].argmax(axis=0)]))
        found.rows, found.numbers, found.scores = rows.take(pa.array(kept)), numbers[kept], scores[kept]


def score_columns(
    names: list[str], Z: np.ndarray, target: str | None, y: Any, row_names: Any, predicted: Any
) -> tuple[list[str], list[np.ndarray]]:
    """Return the columns of the file of scores: the name of the row, the target, the scores, what is predicted."""
    columns: dict[str, np.ndarray] = {}
    if row_names is not None:
        columns["row"] = np.array([written(v) for v in row_names], dtype=object)
    if target is not None:
        columns[target] = y if y.dtype.kind == "f" else np.asarray(y, dtype=object)
    for j, name in enumerate(names):
        columns[name] = Z[:, j]
    if predicted is not None:
        columns["predicted"] = predicted if predicted.dtype.kind == "f" else np.asarray(predicted, dtype=object)
    return list(columns), list(columns.values())


# -- from a file to a study ------------------------------------------------------------------------------------------


def read_in_pieces(file: TableFile, plan: Plan, source: str, progress: Progress | None = None) -> Data | None:
    """Read a file once, keeping moments and a sample; None where its study needs rows, so that they must be in memory.

    Parameters
    ----------
    file : TableFile
    plan : Plan
    source : str
        What the rows are called.
    progress : Progress or None
    """
    tell(file, FIRST, progress)
    first = FirstPass(file, plan)
    profile = file.profile(ignore=plan.drop, watcher=first)
    notes, roles, n = counted_kinds(file, profile), roles_of(file, plan, profile), file.n_rows or 0
    layout = layout_of(file, plan, profile, n, _running(first, profile), roles)
    if not _fits_from_moments(layout, plan) or roles.weights is not None or roles.group is not None:
        return None
    while first.kinds is None or first.layout != layout:
        if file.passes > MOST_PASSES:
            return None
        first = collected(file, plan, layout)
        layout = layout_of(file, plan, profile, n, _running(first, profile), roles)
    first.layout = layout
    tell(file, "", None)
    first.prune()
    kept = first.kept
    notes += roles.notes
    gone = _note_gaps(file, plan, first, profile, notes)
    used = without_counters(used_columns(plan, profile, roles), list(layout.counters), plan, notes)
    notes += noted_years(roles, used)
    table, numbers = kept.rows[0], kept.numbers[0]
    order = np.argsort(numbers)
    table, numbers = table.take(order), numbers[order]
    shown = {name: shown_column(table.column(name)) for name in [*([plan.target] if plan.target else []), *used]}
    y = None if plan.target is None else target_of(table.column(plan.target), layout.kind)
    if layout.kind == "classes":
        shown[str(plan.target)] = np.array(y, dtype=object)
        roles.hints += hinted_groups(table, used, np.asarray(y), profile)
    row_names = None if roles.rows is None else [written(v) for v in table.column(roles.rows).to_pylist()]
    data = Data(source, table.select(used), y, layout.kind, row_names, notes, shown, file.names)
    data.dialect, data.gone, data.roles = file.dialect if file.is_text else None, gone, roles
    data.numbers = numbers if kept.n_rows < n or len(numbers) < n else None
    if len(numbers) < kept.n_rows:
        data.whole = Whole(first, plan)
        data.whole.progress = progress
    return data


def _running(first: FirstPass, profile: dict[str, Any]) -> set[str]:
    """Return columns of ascending numbers; those that nobody has followed may be."""
    followed = set(first.kept.ends) if first.kinds is not None else set()
    return first.kept.running | {name for name in profile if name not in followed}


def _fits_from_moments(layout: Any, plan: Plan) -> bool:
    if layout.missing == "keep":  # their likelihood, and what is told of them, take the rows
        return False
    if layout.kind not in ("none", "classes") or len(layout.columns) > MOST_COLUMNS or not layout.columns:
        return False
    return hasattr(chosen(plan.method, layout.kind), "fit_moments")


def _note_gaps(file: TableFile, plan: Plan, first: FirstPass, profile: Any, notes: list[str]) -> tuple[str, ...]:
    """Say which rows are left out for missing cells, or refuse these."""
    layout, kept = first.layout, first.kept
    assert layout is not None
    counts = {name: profile[name].missing for name in layout.wanted if profile[name].missing}
    true_gaps = [name for name in counts if profile[name].missing > profile[name].odd]
    if plan.missing == "refuse" and true_gaps:
        raise missing_cells(file.path, counts, file.n_rows or 0, kept.n_holed + kept.n_unknown)
    if kept.n_rows == 0:
        raise no_row_left(plan, counts, file.n_rows or 0)
    if plan.missing == "ml":
        return note_gone(kept.n_unknown, kept.n_empty, plan, notes)
    left = kept.n_unknown + kept.n_empty + kept.n_holed
    if left:
        notes.append(f"{left:,} rows with missing cells are left out.")
    return ()


def _loses(model: Any, moments: Any) -> bool:
    try:
        return bool(model._loses_digits(moments))
    except errors.InputError:  # what is wrong with it is said by the fit itself
        return False
