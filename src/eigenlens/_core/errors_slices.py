"""Messages about the cells of several responses."""

from __future__ import annotations

from .errors import InputError, SliceWarning

WAY_OUT = (
    "Slice the first principal components of y instead, or pass slices=, for example the labels that k-means gives the "
    "rows of y."
)


def more_cells_than_slices(q: int, cells: int, n_slices: int) -> SliceWarning:
    return SliceWarning(
        f"y has {q} responses, and halving each makes {cells} cells where n_slices={n_slices} were asked for. {WAY_OUT}"
    )


def more_cells_than_rows(q: int, cells: int, n: int) -> InputError:
    return InputError(f"y has {q} responses, and halving each makes {cells} cells for {n} rows. {WAY_OUT}")
