"""How a fitted model shows itself: a picture on request, a summary in words and tables, the same in notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import namespaces
from ...arrays.summaries import Summary, Table, matrix, names_of, table, tables_of
from ...arrays.typing import ColumnLike, TableLike
from ...drawing import Display
from .directions_table import directions
from .structure import spreads, total_of


class DisplayMixin:
    """Gives an estimator `plot` and `summary`, which notebooks show."""

    def plot(self, X: TableLike | None = None, y: ColumnLike | None = None, **options: Any) -> Display:
        """Draw the model with rows: the display that suits the method.

        Parameters
        ----------
        X, y : rows, and their target
            As in `fit`, where the picture needs them.
        **options
            Passed to the function of `eigenlens.displays` that draws: `ax`, for instance.

        Returns
        -------
        Display
            With `ax_` and `figure_`.
        """
        from ...displays import plot  # late: a fit draws nothing

        return plot(self, X, y, **options)

    def summary(self) -> Summary:
        """Return the fit in words and tables: rows, classes, means, coefficients, shares, correlations, tests.

        Returns
        -------
        Summary
            `print` it, or take a table by its name: `summary().to_frame("directions")`.
        """
        self._require_fit()  # type: ignore[attr-defined]
        return self._summarised(self._summary_test())

    def _summarised(self, test: str = "") -> Summary:
        return Summary(str(self), [self._size(), *self._facts()], tables_of(self._tables()), test)

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._summary_html()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._summary_html()
        return bundle

    def _summary_html(self) -> str:
        if not self.__sklearn_is_fitted__():  # type: ignore[attr-defined]
            return ""
        try:
            return self._summarised()._repr_html_()
        except Exception:  # a broken summary must not hide the model
            return ""

    # -- what a method may say otherwise -------------------------------------------------------------------------

    def _facts(self) -> Iterator[str]:
        """Yield sentences of the summary, in addition to the size of the table."""
        yield from ()

    def _summary_test(self) -> str:
        """Return what a test says that needs moments only and no draws; empty where there is none."""
        return ""

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        """Yield the tables of the summary, by name."""
        columns, found = self._names_of_columns(), self._names_of_directions()
        yield "classes", self._table_of_classes()
        yield "columns", self._table_of_columns(columns)
        if hasattr(self, "means_"):
            yield "means", matrix("Class means", _transposed(self.means_), columns, self.classes_)  # type: ignore[attr-defined]
        if found:
            yield "directions", directions(self, found)
        for name, title, values in self._direction_tables():
            yield name, matrix(title, values, columns, found)
        if hasattr(self, "centroids_"):
            title = "Class means in the directions (centroids_)"
            yield "centroids", matrix(title, self.centroids_, self._names_of_centroids(), found)

    def _direction_tables(self) -> Iterator[tuple[str, str, Any]]:
        """Yield name, title and values of the tables with a row for each column and a column for each direction."""
        for attribute in ("components_", "scalings_", "x_weights_"):
            if hasattr(self, attribute):
                values = getattr(self, attribute)
                values = _transposed(values) if attribute == "components_" else values
                yield "coefficients", f"Coefficients ({attribute})", values
        if hasattr(self, "structure_"):
            yield "structure", "Correlations of columns with scores (structure_)", self.structure_
        if hasattr(self, "structure_within_"):
            title = "The same within classes (structure_within_)"
            yield "structure_within", title, self.structure_within_

    # -- tables --------------------------------------------------------------------------------------------------

    def _size(self) -> str:
        """Say how many rows, columns and classes there were."""
        moments, p = getattr(self, "_whole_moments", None), getattr(self, "n_features_in_", None)
        if moments is None:
            weight = self.__dict__.get("_rows_seen")
        else:  # the weight of a table of counts is what they add up to
            weight = moments.weight if total_of(moments) is not None else moments.n_rows
        parts = [] if weight is None else [_counted(weight, "row")]
        parts += [] if p is None else [_counted(p, "column")]
        if hasattr(self, "classes_"):
            parts.append(f"{len(self.classes_)} classes")
        return ", ".join(parts) + "."

    def _names_of_columns(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(getattr(self, "n_features_in_", 0))] if names is None else names_of(names)

    def _names_of_directions(self) -> list[str]:
        names = getattr(self, "get_feature_names_out", None)
        return [] if names is None else names_of(names())

    def _names_of_centroids(self) -> list[str]:
        return names_of(self.classes_)  # type: ignore[attr-defined]

    def _table_of_classes(self) -> Table | None:
        if not hasattr(self, "priors_"):
            return None
        weights = getattr(self, "_class_weights", None)
        return table("Classes", {"prior": self.priors_, "rows": weights}, self.classes_)  # type: ignore[attr-defined]

    def _table_of_columns(self, names: list[str]) -> Table | None:
        """Return means and standard deviations, those within classes too; from moments, and so none without."""
        moments = getattr(self, "_whole_moments", None)
        if moments is None:
            return None
        total, p = total_of(moments), len(names)
        if total is None:
            return None
        found = {
            "mean": namespaces.to_numpy(total.mean)[:p],
            "standard deviation": spreads(total, total.weight - 1)[:p],
        }
        if hasattr(self, "classes_"):
            divisor = moments.weight - len(self.classes_)
            found["within classes"] = spreads(moments.within(), divisor)
        return table("Columns", found, names)


def _transposed(values: Any) -> np.ndarray:
    return namespaces.to_numpy(values).T


def _counted(number: float, noun: str) -> str:
    return f"{number:,.10g}" + f" {noun}" + ("" if number == 1 else "s")
