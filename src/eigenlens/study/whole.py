"""A file of any size as the rows of a study: moments of all rows, a sample of them, and a pass that scores them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..methods.spine.patterns import patterns_in
from ..moments import Factor
from ..moments.patterns import distinct
from ..rows import Preparation
from .data import Data, tell
from .first_pass import FirstPass, collected
from .methods import asked_model, chosen, fitted_to_moments, score_names
from .misfits import Misfits
from .missing_cells import Ready, determined, modelled, too_many_patterns
from .plan import Plan, Progress
from .response_bins import sliced_moments, slices_wanted
from .targets import labels_of, written

EXTREME_AXES = 10  # whose outermost rows are in the picture
AGAIN = "one more pass, for more digits: reading rows"
FIRST, SECOND, THIRD = "first pass: what columns hold", "second pass: counting rows", "third pass: scoring rows"


@dataclass
class Passed:
    """What the third pass found.

    Attributes
    ----------
    low, high : ndarray of shape (k,)
        Range of the scores.
    rows, numbers, scores
        The outermost rows of each axis, their numbers in the file, and their scores.
    """

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
        self.first, self.plan, self.layout = first, plan, first.layout
        self.file, self.n_rows = first.file, first.kept.n_rows
        self.sink: Any = None
        self.progress: Progress | None = None
        self._fits: dict[tuple[str, bool], Any] = {}

    @property
    def passes(self) -> int:
        """How often rows were read."""
        return self.file.passes

    # -- from moments --------------------------------------------------------------------------------------------

    @property
    def moments(self) -> Any:
        """The moments of all rows, columns in their own units; weights have mean 1."""
        kept, weighing = self.first.kept.moments, self.first.kept.weighing
        assert kept is not None
        return kept if weighing is None else kept.times(1.0 / weighing.mean)

    def class_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes, sorted, and how many rows each has."""
        classes = self.first.kept.classes
        labels = np.array(sorted(classes), dtype=str)
        return labels, np.array([classes[str(label)] for label in labels])

    def reach(self) -> float:
        """Return the size of the largest response."""
        bins = self.first.kept.bins
        assert bins is not None
        return float(max(-bins.lows[0], bins.tops[-1]))

    def mean_response(self) -> float:
        """Return the mean of the response."""
        assert self.first.kept.bins is not None
        return self.first.kept.bins.mean

    def class_weights(self) -> np.ndarray:
        """Return how much each class counts."""
        return np.asarray(self.moments.weights, dtype=float)

    def preparation(self, **options: Any) -> Preparation:
        """Return the preparation that all rows would have given."""
        new = self.layout.preparation(self.plan, **options)
        sums = self.first.kept.sums
        if sums is None:
            total = self.moments.total()
            mean, weight = namespaces.to_numpy(total.mean), total.weight
            squares = namespaces.to_numpy(total.store.diagonal()) * namespaces.to_numpy(total.unit) ** 2
            count = weight
        else:
            count, weight, mean, squares = sums
        spread = np.sqrt(squares / weight * count / np.maximum(np.asarray(count) - 1, 1.0))
        new.centre_, new.spread_ = mean, np.where(spread > 0, spread, 1.0)
        new.scale_ = new.spread_ if new.standardise else np.ones(len(spread))
        blocks = new.blocks()
        alone = [b[0] for b, name in zip(blocks, new.columns_, strict=True) if name not in new.levels_]
        new.fill_ = mean[np.array(alone, dtype=int)]
        return new

    def fitted(self, model: Any, preparation: Preparation, table: Any) -> Ready:
        """Fit a model to the moments of all rows; where digits were lost, rows are read once more."""
        if self.layout.missing == "keep":
            X = preparation.transform(table)
            return Ready([("prepare", preparation)], self._likely(model, preparation), X, X, "ml", all_rows=self)
        scaled = self._asked(model, preparation)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lost = _loses(model, scaled)
        if lost:
            tell(self.file, AGAIN, self.progress)
            first = self.first
            again = collected(self.file, self.plan, self.layout, kind=Factor, pivot=first.pivot, slicing=first.slicing)
            tell(self.file, "", None)
            self.first = again
            scaled = self._asked(model, preparation)
        model = fitted_to_moments(model, scaled)
        vars(model).pop("feature_names_in_", None)
        return Ready([("prepare", preparation)], model, preparation.transform(table), all_rows=self)

    def has_likelihood(self, data: Data) -> bool:
        """Tell whether the method can be fitted by maximum likelihood to rows with holes, from their moments."""
        preparation = self.preparation(standardise=True)
        X, found = preparation.transform(data.table), patterns_in(self.moments)
        n_patterns = 0 if found is None else len(distinct(found.masks)[0])
        if too_many_patterns(n_patterns, X.shape[1]) or determined(X):
            return False
        cls = chosen(self.plan.method, self.layout.kind)
        try:
            self._likely(asked_model(cls, data.n_rows, preparation, self.plan.seed), preparation)
        except (errors.InputError, errors.NotConvergedWarning, AttributeError):
            return False
        return True

    def _likely(self, model: Any, preparation: Preparation) -> Any:
        """Fit a model by maximum likelihood to the observed cells."""
        key = (repr(model), preparation.standardise)
        if key not in self._fits:
            taking = modelled(model)
            with warnings.catch_warnings():
                warnings.simplefilter("error", errors.NotConvergedWarning)
                self._fits[key] = fitted_to_moments(taking, self._asked(taking, preparation))
            vars(self._fits[key]).pop("feature_names_in_", None)
        return self._fits[key]

    def gaps(self, names: list[str]) -> tuple[np.ndarray, int]:
        """Return how many cells of each column are missing, and in how many rows."""
        counts = dict(zip(self.layout.used, np.asarray(self.first.kept.gaps).tolist(), strict=True))
        return np.array([counts[name] for name in names]), self.first.kept.n_gaps

    def patterns(self, preparation: Preparation) -> Any:
        """Return the moments of each pattern of holes, whatever groups there are."""
        found = patterns_in(self._scaled(preparation))
        assert found is not None
        return found.total()

    def _asked(self, model: Any, preparation: Preparation) -> Any:
        """Return the moments that a model is fitted to: of a response, those of slices."""
        scaled, bins = self._scaled(preparation), self.first.kept.bins
        if bins is None:
            return scaled
        if self.first.slicing is not None:
            model.set_params(n_slices=list(self.first.slicing.cuts[0]))
            return scaled
        slicing = bins.slicing(slices_wanted(model, self.n_rows, scaled.n_features) or 2)
        model.set_params(n_slices=list(slicing.cuts[0]))
        return sliced_moments(scaled, bins, slicing)

    def _scaled(self, preparation: Preparation) -> Any:
        if self.layout.missing != "keep" and not self.moments.scalable:
            raise errors.InputError(
                "columns are out of the ordinary range of numbers, and a file that is read in pieces cannot be fitted "
                "so; scale them, or add --no-stream."
            )
        scaled = self.moments.standardised(preparation.centre_, preparation.scale_)
        scaled.names = tuple(preparation.names_out_)
        return scaled

    def separating(self, names: list[str]) -> list[str]:
        """Return the columns that do not vary within any class but do between classes."""
        moments = self.moments
        fixed = namespaces.to_numpy(moments.within().constant_columns())
        varies = ~namespaces.to_numpy(moments.total().constant_columns())
        return [names[j] for j in np.flatnonzero(fixed & varies)]

    # -- the third pass ------------------------------------------------------------------------------------------

    def read_again(self, ready: Ready, held: Misfits | None = None) -> Passed:
        """Read all rows: write their scores, and find the outermost ones.

        Parameters
        ----------
        ready : Ready
        held : Misfits, optional
            What rows are held against, to find those that do not fit.
        """
        first, layout, model = self.first, self.layout, ready.model
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
            predicted, y = None, None
            if layout.kind == "number":
                predicted = np.asarray(model.predict(X)) if hasattr(model, "predict") else None
            elif layout.kind == "classes":
                own, codes = labels_of(table.column(layout.target))
                predicted, y = np.asarray(model.predict(X), dtype=object), own[codes]
            ends = np.unique(np.concatenate([Z[:, : len(axes)].argmin(axis=0), Z[:, : len(axes)].argmax(axis=0)]))
            looked = None if held is None else held.look(X)
            odd = None if looked is None else X[looked[1]]
            return table, numbers, Z, y, predicted, ends, looked, odd

        done = 0
        for part in self.file.mapped(first.kinds, list(first.kinds), work):
            if part is None:
                continue
            table, numbers, Z, y, predicted, ends, looked, odd = part
            names = names or score_names(model, Z.shape[1])
            if self.sink is not None:
                row_names = None if layout.row_column is None else table.column(layout.row_column).to_pylist()
                target = y if layout.kind != "number" else table.column(layout.target).to_numpy()
                self.sink.rows(*score_columns(names, Z, layout.target, target, row_names, predicted))
            found.low, found.high = np.minimum(found.low, Z.min(axis=0)), np.maximum(found.high, Z.max(axis=0))
            self._outermost(found, table, numbers, Z, ends)
            if held is not None:
                names_of = [self._row_name(table, numbers, i) for i in looked[1].tolist()]
                held.take_in(looked, odd, len(numbers), names_of)
            done += len(numbers)
            if self.progress:
                self.progress(THIRD, done, self.n_rows)
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


def _loses(model: Any, moments: Any) -> bool:
    try:
        return bool(model._loses_digits(moments))
    except errors.InputError:  # what is wrong with it is said by the fit itself
        return False
