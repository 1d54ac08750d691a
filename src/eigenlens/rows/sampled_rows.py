"""Rows drawn by their numbers: a file that is read in pieces, in any order, gives the sample of the table in memory."""

from __future__ import annotations

import numpy as np

SALT = 0xD1B54A32D192ED03  # so that which rows are drawn has nothing to do with the folds they are dealt to


def mixed(values: np.ndarray) -> np.ndarray:
    """Scramble whole numbers of 64 bits (the finaliser of splitmix64)."""
    with np.errstate(over="ignore"):
        z = values + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def numbers_of(X: np.ndarray) -> np.ndarray:
    """Return a number for each row that depends on its cells alone, so that it does not matter where the row lies.

    Rows that are equal get different numbers, in the order in which they come.
    """
    bits = np.where(np.isnan(X), np.nan, X.astype(np.float64) + 0.0).view(np.uint64)  # one kind of NaN, one of zero
    found = np.zeros(len(X), dtype=np.uint64)
    for j in range(X.shape[1]):
        found = mixed(found ^ bits[:, j])
    order = np.argsort(found, kind="stable")
    places = np.arange(len(X))
    begins = np.diff(found[order], prepend=found[order][:1] + np.uint64(1)) != 0
    copies = np.empty(len(X), dtype=np.uint64)
    copies[order] = places - np.maximum.accumulate(np.where(begins, places, 0))
    return np.asarray(mixed(found ^ copies) >> np.uint64(1), dtype=np.int64)


def keys(numbers: np.ndarray, seed: int) -> np.ndarray:
    """Return a random number for each row number: the rows with the smallest ones are those that are drawn."""
    return mixed(mixed(numbers.astype(np.uint64) ^ np.uint64(SALT)) ^ np.uint64(seed % 2**64))


def smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the smallest values, in ascending order of places."""
    if count >= len(values):
        return np.arange(len(values))
    return np.sort(np.argpartition(values, count - 1)[:count] if count else np.empty(0, dtype=np.intp))


def drawn(n: int, count: int, seed: int) -> np.ndarray:
    """Return the numbers of rows drawn from n without replacement, ascending.

    Examples
    --------
    >>> from eigenlens.rows.sampled_rows import drawn
    >>> len(drawn(1000, 5, seed=0))
    5
    """
    return smallest(keys(np.arange(n), seed), count)
