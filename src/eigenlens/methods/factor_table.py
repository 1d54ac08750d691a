"""Points of a factor map: columns, categories or rows, with what each has to do with every axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..arrays import optional
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Frame


@stored("FactorTable")
@dataclass(frozen=True, eq=False, repr=False)
class FactorTable:
    """Coordinates, contributions and qualities of points on the axes of a model.

    Attributes
    ----------
    names : list of str
    coordinates : ndarray of shape (m, k)
    contributions : ndarray of shape (m, k), or None
        Share of the point in the inertia of each axis. They add up to 1 over all points that make the axis; points that
        take no part in it (supplementary ones) have none.
    cos2 : ndarray of shape (m, k)
        Share of each axis in the squared distance of the point from the centre.
    columns : list of str, or None
        The column that each category belongs to.
    weights : ndarray of shape (m,), or None
        How many rows a category has.
    test_values : ndarray of shape (m, k), or None
        How many standard deviations a category lies from where as many rows drawn at random would lie: beyond ±2 it is
        no accident.

    Examples
    --------
    >>> from eigenlens import CorrespondenceAnalysis
    >>> hair = [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]]
    >>> eyes = CorrespondenceAnalysis().fit(hair).columns_
    >>> eyes.names, eyes.coordinates[:, 0].round(2)
    (['0', '1', '2', '3'], array([-0.49,  0.55, -0.21,  0.16]))
    """

    names: list[str]
    coordinates: np.ndarray
    contributions: np.ndarray | None
    cos2: np.ndarray
    columns: list[str] | None = None
    weights: np.ndarray | None = None
    test_values: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.names)

    def only(self, places: list[int]) -> FactorTable:
        """Return some of the points."""

        def some(values: Any) -> Any:
            if values is None:
                return None
            return [values[j] for j in places] if isinstance(values, list) else values[places]

        return FactorTable(*(some(getattr(self, field.name)) for field in fields(self)))

    def __repr__(self) -> str:
        return f"<FactorTable: {len(self)} points on {self.coordinates.shape[1]} axes>"

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame: a row for each point, the axes side by side under each measure."""
        pd = optional.pandas()
        parts = {
            "coordinate": self.coordinates,
            "contribution": self.contributions,
            "cos2": self.cos2,
            "test value": self.test_values,
        }
        columns = {
            (measure, j + 1): values[:, j]
            for measure, values in parts.items()
            if values is not None
            for j in range(values.shape[1])
        }
        index = self.names
        if self.columns is not None:
            index = pd.MultiIndex.from_arrays([self.columns, self.names], names=["column", "category"])
        return pd.DataFrame(columns, index=index)

    def summaries(self, what: str, attribute: str, axes: list[str]) -> Iterator[tuple[str, Table]]:
        """Yield what the summary of a model shows of these points, `what` being their plural."""
        yield attribute, matrix(f"Coordinates of the {what} ({attribute}_)", self.coordinates, self.names, axes)
        if self.contributions is not None:
            title = f"Contributions of the {what} to the axes ({attribute}_.contributions)"
            yield f"{attribute}.contributions", matrix(title, self.contributions, self.names, axes)
        title = f"Squared cosines of the {what} ({attribute}_.cos2)"
        yield f"{attribute}.cos2", matrix(title, self.cos2, self.names, axes)
        if self.test_values is not None:
            title = f"Test values of the {what}: beyond ±2, chance is unlikely ({attribute}_.test_values)"
            yield f"{attribute}.test_values", matrix(title, self.test_values, self.names, axes)

    def _repr_html_(self) -> str:
        try:
            return str(self.to_frame().to_html(float_format="{:.3f}".format))
        except ImportError:
            return f"<p>{len(self)} points on {self.coordinates.shape[1]} axes</p>"
