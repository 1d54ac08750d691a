"""Names for the types that cross rooms."""

from __future__ import annotations

from typing import Any

#: An array of any namespace that follows the array API (NumPy, torch, CuPy, array-api-strict).
Array = Any

#: An array namespace, as array-api-compat gives it.
Namespace = Any

#: What a user may hand in as a table of rows: array, nested list, data frame, Arrow table, sparse matrix, source.
TableLike = Any
