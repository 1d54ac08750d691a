"""Wording of what tests of dimension and the bootstrap complain of."""

from __future__ import annotations

from typing import Any

from ._kinds import EigenlensWarning, InputError, listed


class BootstrapWarning(EigenlensWarning):
    """The replicates are too few, or some of them could not be fitted."""


def few_replicates(n_boot: int, need: int, level: float) -> BootstrapWarning:
    return BootstrapWarning(
        f"n_boot={n_boot}: the ends of {level:.0%} intervals rest on about {max(n_boot * (1 - level) / 2, 0):.0f} "
        f"replicates each side; use n_boot of {need} or more for intervals that do not move from seed to seed."
    )


def replicates_failed(failed: int, n_boot: int, cause: Exception) -> InputError:
    return InputError(
        f"{failed} resamples could not be fitted before {n_boot} were done, the last because: {cause} "
        f"Rows, or groups of them, are too few to be left out; give larger groups, or fewer components."
    )


def one_group(found: int) -> InputError:
    return InputError(f"groups holds {found} distinct value(s); resampling groups needs at least 2, better 30 or more.")


def no_rows_to_resample(kind: str) -> InputError:
    return InputError(
        f"X=None: the bootstrap draws rows, and this {kind} does not have them (unfitted, fitted in batches or from "
        f"moments, or loaded from a file); call bootstrap(model, X, y) with the rows."
    )


def nothing_to_align(kind: str, names: tuple[str, ...]) -> InputError:
    return InputError(
        f"model={kind}: after fitting it has none of {listed(names, 8)}, so that there are no loadings to follow "
        f"through the resamples; give an estimator that has one of them."
    )


def rows_needed(method: str, found: Any, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} rows and X has {found}; add rows.")


def values_needed(method: str, found: int, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} eigenvalues and got {found}; give all of them.")


def whole_weights(example: float) -> InputError:
    return InputError(
        f"sample_weight holds {example:g}: rows are permuted as often as they stand in the table, so that the "
        f"permutation test needs whole numbers as weights."
    )


def permutation_only(option: str, method: str) -> InputError:
    return InputError(
        f"{option}: the normal theory of method={method!r} holds for plain least squares; use method='permutation', "
        f"which assumes no law."
    )


def sizes_missing(names: list[str]) -> InputError:
    return InputError(
        f"{listed(names)} missing: with correlations alone the test needs n (rows), p and s (columns of the two "
        f"tables); or give a fitted CCA or LDA."
    )


def correlations_range(value: float) -> InputError:
    return InputError(f"correlations holds {value:g}; canonical correlations lie between 0 and 1, largest first.")
