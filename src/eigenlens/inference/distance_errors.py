"""How many axes of a map errors of its distances do not explain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import exponents, linalg, namespaces
from ..arrays.parameters import seed_of
from ..arrays.typing import RandomState, TableLike
from ..distances.centred_form import double_center
from ..distances.pairs import squared_distances
from ..distances.square_tables import read_distances, square_of
from ..solve import rounding
from .dimension_test import ONE_BY_ONE, DimensionTest, drawn
from .sequential import Step, against_draws, check_draws, in_order


def distance_errors_test(
    distances: TableLike, *, alpha: float = 0.05, n_draws: int = 199, random_state: RandomState | None = 0
) -> DimensionTest:
    """Test "at most d axes" of a table of distances, d = 0, 1, …, against errors as large as those that remain.

    The map in d + 1 axes leaves errors of the distances. Distances of the map in d axes with errors of this size, drawn
    anew, give eigenvalues of their own: an axis is significant if its eigenvalue exceeds what they reach.

    The test is for tables whose entries were measured or judged one by one, such as road distances. Where errors grow
    with the distance, and where distances come from rows of many columns, it finds too many axes.

    Parameters
    ----------
    distances : table of shape (n, n), or condensed
        Not squared.
    alpha : float
        Level.
    n_draws : int
    random_state : int, Generator, RandomState or None

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import distance_errors_test
    >>> points = np.random.default_rng(0).standard_normal((20, 2)) * [3.0, 1.0]
    >>> D = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    >>> errors = np.triu(0.1 * np.random.default_rng(1).standard_normal((20, 20)), 1)
    >>> distance_errors_test(np.abs(D + errors + errors.T)).dimension
    2
    """
    check_draws(alpha, n_draws)
    seed = seed_of(random_state)
    table = read_distances(square_of(distances, "distances"), "distances", squared=False)
    D = np.array(namespaces.to_numpy(table.distances()), dtype=np.float64)
    exponent, pairs = exponents.extreme_exponent(D.max(initial=0.0)), np.triu_indices(len(D), 1)
    D *= exponents.power(-exponent)
    with linalg.one_blas_thread():  # many small decompositions
        values, V = np.linalg.eigh(np.asarray(double_center(D**2)))
        values, V = values[::-1], V[:, ::-1]
        positive = values[values > rounding(len(D), float(np.abs(values).max(initial=0.0)))]
        coordinates = V[:, : len(positive)] * np.sqrt(positive)

        def shown(d: int) -> np.ndarray:
            Y = coordinates[:, :d]
            return np.sqrt(np.asarray(squared_distances(Y, Y)))[pairs] if d else np.zeros(len(pairs[0]))

        def step(d: int) -> Step:
            given, own = D[pairs], shown(d)
            size, base = float(np.std(given - shown(d + 1))), own + np.mean(given - own)

            def draw(rng: np.random.Generator) -> float:
                again = np.zeros_like(D)
                again[pairs] = np.abs(base + size * rng.standard_normal(len(base)))
                products = np.asarray(double_center((again + again.T) ** 2))
                return float(np.linalg.eigvalsh(products)[-1 - d])

            rng = np.random.default_rng([seed, d])
            return against_draws(float(positive[d]), draw, rng, alpha, n_draws, early=True, hopeless=True)[0]

        test = in_order(step, len(positive), positive, alpha, "errors of distances")
    if exponent:
        with np.errstate(over="ignore", under="ignore"):
            unit = np.float64(exponents.power(exponent))
            test = replace(test, statistics={name: value * unit * unit for name, value in test.statistics.items()})
    about = f"{ONE_BY_ONE}against maps with errors of the distances, drawn ({drawn(n_draws, 'draws')})."
    doubt = "The test assumes errors of the distances that are independent and of one size."
    return test.told(about, doubt, statistic="λ", draws=n_draws, rows=len(D))
