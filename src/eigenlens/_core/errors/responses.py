"""Responses and their slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._kinds import InputError, InputTypeError, SliceWarning, plain


def response_shape(shape: Sequence[int]) -> InputError:
    return InputError(f"y should be one response per row or a table of several, got an array of shape {tuple(shape)}.")


def response_missing(count: int) -> InputError:
    return InputError(
        f"Input y contains NaN ({count} missing responses). Drop those rows, or use LocalizedSIR, which learns "
        f"from rows without a response as well."
    )


def response_all_missing(n: int) -> InputError:
    return InputError(
        f"y is missing in all {n} rows (NaN or None), so that there is nothing to slice; "
        f"give some responses, or use PCA."
    )


def response_infinite(count: int) -> InputError:
    return InputError(f"Input y contains infinity ({count} values). Drop or clip them: a response must be finite.")


def response_words_in_several(count: int) -> InputTypeError:
    return InputTypeError(
        f"y has {count} columns and words among them; several responses must be numbers. "
        f"Make the cells yourself and pass them as slices=, one label per row."
    )


def given_slices(cause: Exception) -> InputTypeError:
    return InputTypeError(
        f"slices must be one label (a word or a whole number) per row. Reading them as labels: {cause}"
    )


def fewer_slices(found: int, wanted: int) -> SliceWarning:
    return SliceWarning(
        f"y gives {found} slices where n_slices={wanted} were asked for: tied values stay in one slice. "
        f"Ask for {found} or fewer, or pass slices= to cut by hand."
    )


def responses_differ(ours: int, theirs: int) -> InputError:
    return InputError(f"y has {theirs} column(s) but earlier rows had {ours}; pass the same responses in every batch.")


def levels_were_few(n_slices: Any) -> InputError:
    return InputError(
        f"y was whole numbers of at most n_slices={n_slices} distinct values in the first batch, each its own slice, "
        f"and is not so any more. Fix the cuts beforehand: n_slices=[cut, cut, …], or pass slices=."
    )


def one_slice(label: Any) -> InputError:
    return InputError(
        f"y has one slice ({plain(label)!r}): the response is constant, and nothing can be told apart by it; "
        f"inverse regression needs at least two slices. (In partial_fit the first batch fixes the cuts: "
        f"begin with a larger one, or give them, n_slices=[cut, cut, …].)"
    )


def rows_are_slices(n: int) -> InputError:
    if n < 4:
        return InputError(f"Each of the {n} rows is a slice of its own: there must be more rows than slices.")
    return InputError(
        f"Each of the {n} rows is a slice of its own, so that every direction fits perfectly: y is like a list of "
        f"names. Use fewer slices (n_slices up to {n // 2}), or join levels and pass them as slices=."
    )


def many_slices(K: int, n: int) -> SliceWarning:
    return SliceWarning(
        f"y makes {K} slices of {n} rows, fewer than two rows each on average: the slice means are mostly noise. "
        f"Join levels and pass them as slices=, or use fewer slices."
    )


def too_few_draws(n_draws: int, alpha: float) -> InputError:
    return InputError(
        f"n_draws={n_draws} gives p-values of {1 / (1 + n_draws):.2g} at best, which cannot be below alpha={alpha:g}; "
        f"use n_draws of at least {int(-(-1 // alpha)) - 1}."
    )


def neighbours_clipped(k: int, smallest: float) -> SliceWarning:
    return SliceWarning(
        f"n_neighbors={k} but the smallest slice has a weight of {smallest:g}: in such slices all rows are neighbours, "
        f"as in plain SIR. Use n_neighbors up to {max(int(smallest), 1)}, or fewer slices."
    )


_WAY_OUT = (
    "Slice the first principal components of y instead, or pass slices=, for example the labels that k-means gives the "
    "rows of y."
)


def more_cells_than_slices(q: int, cells: int, n_slices: int) -> SliceWarning:
    return SliceWarning(
        f"y has {q} responses, and halving each makes {cells} cells where n_slices={n_slices} was asked for. {_WAY_OUT}"
    )


def more_cells_than_rows(q: int, cells: int, n: int) -> InputError:
    return InputError(f"y has {q} responses, and halving each makes {cells} cells for {n} rows. {_WAY_OUT}")
