"""What the columns of scores are called: as `get_feature_names_out` says, in files and in frames alike."""

from __future__ import annotations

from typing import Any

SECOND = "_second"  # set of columns, after the name that its direction has in the first


def score_names(model: Any, k: int) -> list[str]:
    """Return the names of k columns of scores of a model: `lda0`, `lda1`, …; those of a second set end in `_second`."""
    named = getattr(model, "get_feature_names_out", None)
    names = [] if named is None else [str(name) for name in named()]
    if names and k == 2 * len(names):
        return names + [name + SECOND for name in names]
    return names if len(names) == k else [f"{type(model).__name__.lower()}{j}" for j in range(k)]
