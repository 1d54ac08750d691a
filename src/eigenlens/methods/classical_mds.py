r"""Classical multidimensional scaling (principal coordinates): a map from distances.

From squared distances D and weights w, with :math:`\alpha = w/W` and :math:`H = I - 1\alpha^T`,

.. math:: B = -\tfrac12 H D H^T, \qquad \sqrt{w} B \sqrt{w} = U \Lambda U^T, \qquad
          Y = \sqrt{w}^{-1} U_k \Lambda_k^{1/2} .

Distances are Euclidean if and only if no eigenvalue is negative. For Euclidean distances between rows the map is
that of principal components, and is computed that way, without an n-by-n table.

References
----------
Torgerson (1952), Multidimensional scaling: I. Theory and method, Psychometrika 17.
Gower (1966), Some distance properties of latent root and vector methods used in multivariate analysis, Biometrika 53.
Mardia, Kent, Bibby (1979), Multivariate Analysis, chapter 14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_flag, check_number, check_seed, published_at_once, random_from
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, ColumnNames, RandomState, TableLike
from ..distances.landmarks import CHOICES, Landmarks, choose_landmarks
from ..distances.maps import CONSTANTS, Map, map_of_pairs, map_of_rows
from ..distances.metrics import EUCLIDEAN, Metric
from ..distances.objects import Objects, objects_in
from ..distances.refinement import CRITERIA, RefinedPlacement, criteria, refined, with_shortest_paths
from ..distances.square_tables import both_ways, is_made, looks_like_distances, read_distances, square_of
from ..distances.transforms import SchoenbergTransform
from ..rows import as_source, map_rows
from ..solve.subspace import Subspace
from ._distance_eigenvalues import EigenvaluesOfDistances
from .spine.about import Declaration, Laws
from .spine.problem import SCALE_FIRST, spread_of_rows, warn_of_spread

COMPARED = 1000  # points up to which strain and S-stress are told


@stored("ClassicalMDS")
class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, EigenvaluesOfDistances):
    """Classical multidimensional scaling, also called principal coordinates analysis.

    Parameters
    ----------
    n_components : int
        Axes of the map.
    metric : str or function
        "precomputed", a name that scikit-learn or SciPy knows, or a function of two rows; where X is a list of objects,
        such as words or graphs, of two of them.
    metric_params : dict, optional
        Further arguments of the metric.
    squared : bool
        Whether the precomputed table, or the metric, holds squared distances.
    schoenberg : SchoenbergTransform, optional
        A transform of `eigenlens.distances` that is applied to the squared distances first.
    correction : {"lingoes", "cailliez"}, optional
        Add the smallest constant that makes the distances Euclidean.
    n_landmarks : int, optional
        Scale only this many rows, and place all others by their distances to them. Time and memory are then linear in
        the number of rows.
    landmarks : {"random", "maxmin"}
        How landmarks are chosen: at random, or each as far as possible from those before it.
    symmetrize : bool
        Take the mean of d_ij and d_ji if they differ, instead of raising an error.
    overwrite : bool
        Reuse the memory of the precomputed distances, which are lost.
    refine : {"stress", "sstress"}, optional
        Go on from the classical map to the nearest one with the least stress, Σ(δ − d)², or S-stress, Σ(δ² − d²)², over
        all pairs of points. Precomputed distances may then be missing (NaN).
    random_state : int, Generator, RandomState or None
        For the choice of landmarks.

    Attributes
    ----------
    embedding_ : array of shape (n, k)
        The map, centred, along its principal axes. Rows of weight 0 are placed on it.
    eigenvalues_ : array of shape (k,)
        Sums of squares along the axes, 0 where the distances fill no further axis.
    negative_inertia_ : float
        Σ|λ₋|/Σ|λ|: the share that no map in a Euclidean space can show.
    goodness_of_fit_ : array of shape (2,)
        Share of the axes of the map in Σ|λ| and in the sum of the positive λ.
    inertia_exact_ : bool
        Whether these two are exact, or estimates (above 1,000 points, and with landmarks).
    stress_ : float
        Kruskal's stress-1 between the distances δ, as transformed and corrected, and those in the map, d:
        √(Σ(δ − d)²/Σd²).
    strain_, sstress_ : float
        Σ wᵢwⱼ(bᵢⱼ − yᵢ·yⱼ)², which classical scaling minimises (B = −½HDHᵀ), and Σ wᵢwⱼ(δ² − d²)², over all i and j. Up
        to 1,000 points, or with `refine`; NaN otherwise.
    stress_exact_ : bool
        Whether the stress covers all pairs (up to 5,000 rows), or a sample of them.
    additive_constant_ : float
        What the correction added: c in (d + c)² for Cailliez, in d² + 2c for Lingoes.
    landmarks_ : ndarray or None
        Positions of the landmarks.
    landmark_error_ : float
        With landmarks, an estimate of how far their choice moves the points of the map, relative to its size; NaN if
        half of them are too few for a map with this many axes.
    spectrum_ : Spectrum

    See Also
    --------
    PCA : Directions of largest variance.
    KernelPCA : Components of curved data.
    eigenlens.distances.procrustes : Align two maps.
    eigenlens.distances.is_squared_distance : Test whether distances are Euclidean.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import ClassicalMDS
    >>> D = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])      # a right-angled triangle
    >>> mds = ClassicalMDS(metric="precomputed").fit(D)
    >>> np.linalg.norm(mds.embedding_[0] - mds.embedding_[2]).round(12).item()
    5.0
    >>> round(mds.negative_inertia_, 12), round(mds.stress_, 12)
    (0.0, 0.0)
    >>> bool(np.allclose(mds.transform([[3.0, 0.0, 4.0]]), mds.embedding_[1]))
    True
    """

    eigenvalues_: Array
    negative_inertia_: float
    goodness_of_fit_: Array
    inertia_exact_: bool
    stress_: float
    strain_: float
    sstress_: float
    stress_exact_: bool
    additive_constant_: float
    landmarks_: Array | None
    landmark_error_: float

    _declaration = Declaration(
        question="distances",
        name="mds",
        place=0,
        use="a map of points from the distances between them",
        make=lambda cls, seed: cls(metric="precomputed"),
        display="configuration",
        foreign_names={
            "dissimilarity": "it is called metric ('euclidean' or 'precomputed')",
            **dict.fromkeys(
                ("n_init", "max_iter", "eps", "random_state", "init", "n_jobs", "verbose"),
                "classical scaling is one eigenproblem, without starts and steps; leave it out",
            ),
        },
    )

    _in_memory = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        squared: bool = False,
        schoenberg: SchoenbergTransform | None = None,
        correction: Literal["lingoes", "cailliez"] | None = None,
        n_landmarks: int | None = None,
        landmarks: Literal["random", "maxmin"] = "random",
        symmetrize: bool = False,
        overwrite: bool = False,
        refine: Literal["stress", "sstress"] | None = None,
        random_state: RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.squared = squared
        self.schoenberg = schoenberg
        self.correction = correction
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.symmetrize = symmetrize
        self.overwrite = overwrite
        self.refine = refine
        self.random_state = random_state

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Make the map.

        Parameters
        ----------
        X : table of shape (n, p); of shape (n, n) or condensed, n(n − 1)/2, if distances are precomputed; or a list of
            objects
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column or list of columns, optional
            Columns of X to exclude, by name.
        """
        X, _ = self._take_target(X, None, target)
        self._check_parameters()
        items = objects_in(X) if callable(self.metric) else None
        self._objects = None if items is None else Objects(self.metric, items, dict(self.metric_params or {}))
        known = None
        X = self._tabled(X)
        if self.refine is not None and self._precomputed:
            X, known = _with_all_distances(X, self.squared)
        source: Any = self._open(X, None, sample_weight, reset=True)
        n, weight = source.table.shape[0], source.row_weights
        weight = (np.ones(n) if weight is None else namespaces.to_numpy(weight))[source.kept]
        self.landmarks_ = None
        if self._precomputed:
            found = self._of_table(source, weight, self.overwrite or is_made(X))
        else:
            found = self._of_rows(source, weight)
        self.strain_ = self.sstress_ = float("nan")
        if n <= COMPARED or self.refine is not None:
            found = self._compared(found, weight, None if known is None else known[np.ix_(source.kept, source.kept)])
        self._publish(found, source)
        return self

    def _compared(self, found: Map, weight: np.ndarray, known: np.ndarray | None) -> Map:
        """Compare the distances in the map with those asked for, after a refinement where one is asked for."""
        unit = 2.0**found.exponent
        Y = namespaces.to_numpy(found.coordinates) / unit
        delta = np.sqrt(namespaces.to_numpy(found.squares(slice(0, len(Y)))))
        if self.refine is not None:
            Y = refined(delta, Y, weight, known, self.refine)
            place = RefinedPlacement(found.place, Y * unit, weight, self.refine)
            found = replace(found, coordinates=namespaces.like(Y * unit, found.coordinates), place=place)
        strain, stress, sstress = criteria(delta, Y, weight, known)
        with np.errstate(over="ignore", under="ignore"):
            self.strain_, self.sstress_ = (
                float(np.float64(value) * unit * unit * unit * unit) for value in (strain, sstress)
            )
        return replace(found, judgement=found.judgement._replace(stress=stress, exact=True)) if self.refine else found

    def _open(self, X: TableLike, *args: Any, **keywords: Any) -> Any:
        """Open rows, or a square table of distances, which may be given by its pairs."""
        given = square_of(self._tabled(X), "X").native if self._precomputed else X
        try:
            return super()._open(given, *args, **keywords)
        except errors.InputTypeError as error:
            if self.metric != "gower":
                raise
            raise errors.InputTypeError(
                f"{error} Gower's distances between rows of words are made before the fit: "
                "ClassicalMDS(metric='precomputed').fit(eigenlens.distances.gower(X))."
            ) from error

    def _tabled(self, X: TableLike) -> TableLike:
        """Return the distances among objects; rows and tables as they are."""
        items = None if self._objects is None else objects_in(X)
        return X if items is None or self._objects is None else self._objects.among(items)

    def fit_transform(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Array:
        """Make the map and return it."""
        return self.fit(X, y, sample_weight, target=target).embedding_

    def _of_rows(self, source: Any, weight: np.ndarray) -> Map:
        rows, k, steps = map_rows(source, namespaces.float64), self.n_components, (self.schoenberg, self.correction)
        if looks_like_distances(rows):
            errors.warn(
                errors.PrecomputedWarning(
                    f"X is a symmetric {rows.shape[0]} × {rows.shape[0]} table with 0 on its diagonal, like distances, "
                    f"but {errors.metric_named(self.metric)} takes its rows as features. If these are "
                    "distances, use metric='precomputed'."
                )
            )
        elif self._obeys().invariance == "rotation":
            warn_of_spread(spread_of_rows(rows), getattr(self, "feature_names_in_", None), SCALE_FIRST)
        plain = self.metric == "euclidean" and not (self.squared or self.metric_params)
        if plain and steps == (None, None) and self.n_landmarks is None and self.refine is None:
            return map_of_rows(rows, weight, k)
        metric = Metric.ready(self.metric, self.squared, self.metric_params, rows, weight, self.symmetrize)
        if self.n_landmarks is None:
            return map_of_pairs(metric.table(rows), weight, k, steps, metric, rows, self.squared)
        chosen = self._choose(source.kept, weight, lambda i: metric(rows, rows[i : i + 1, :])[0][:, 0])
        points = namespaces.take_rows(rows, namespaces.like(chosen.places, rows))
        return map_of_pairs(metric.table(points), weight, k, steps, metric, points, self.squared, chosen, rows)

    def _of_table(self, source: Any, weight: np.ndarray, overwrite: bool) -> Map:
        kept, k, steps = source.kept, self.n_components, (self.schoenberg, self.correction)
        read = partial(
            read_distances,
            source.table,
            "X",
            squared=self.squared,
            symmetrize=self.symmetrize,
            ordinary=self.schoenberg is not None,
        )
        if self.n_landmarks is None:
            return map_of_pairs(read(overwrite=overwrite, index=kept), weight, k, steps, None, kept, self.squared)
        every = source.table.rows(0, source.table.shape[0])
        rows = every if len(kept) == every.shape[0] else namespaces.take_rows(every, namespaces.like(kept, every))
        if self.symmetrize:
            rows = both_ways(every, kept)
        chosen = self._choose(kept, weight, lambda i: rows[:, int(kept[i])])
        points = kept[chosen.places]
        return map_of_pairs(read(index=points), weight, k, steps, None, points, self.squared, chosen, rows)

    def _choose(self, kept: np.ndarray, weight: np.ndarray, distances_to: Callable[[int], Array]) -> Landmarks:
        """Choose landmarks among the rows that count, and remember their indices."""
        n, m = len(kept), min(int(self.n_landmarks or 0), len(kept))
        if m < min(self.n_components + 1, n):
            raise errors.InputError(
                f"n_landmarks={m} but {self.n_components} axes need at least {self.n_components + 1} landmarks, and "
                f"there are {n} rows; use between {self.n_components + 1} and {n}."
            )
        rng = random_from(self.random_state)
        chosen = choose_landmarks(weight, m, self.landmarks, rng, lambda i: namespaces.to_numpy(distances_to(i)))
        self.landmarks_ = kept[chosen.places]
        return chosen

    def _publish(self, found: Map, source: Any) -> None:
        k, dtype = self.n_components, source.first().X.dtype
        if found.rank < k:
            errors.warn(_too_few_positive(found.rank, k, found.inertia.negative == 0))
        self._place, self.spectrum_ = found.place, found.spectrum
        Y = self._with_rows_of_no_weight(found.coordinates, source)
        self._embedding = namespaces.attribute_copy(Y, dtype)
        values, unit = found.inertia.values, 2.0**found.exponent
        with np.errstate(over="ignore", under="ignore"):
            self.eigenvalues_ = namespaces.attribute_copy(found.eigenvalues * unit * unit, dtype)
            self._values = None if values is None else values * unit * unit
        self.negative_inertia_, self.inertia_exact_ = found.inertia.share, found.inertia.exact
        kept = float(namespaces.namespace(Y).sum(found.eigenvalues))
        sums = (found.inertia.positive + found.inertia.negative, found.inertia.positive)
        self.goodness_of_fit_ = np.array([min(kept / total, 1.0) if total > 0 else 0.0 for total in sums])
        self._mapped = len(source.kept)
        self.stress_, self.stress_exact_ = found.judgement.stress, found.judgement.exact
        self.additive_constant_, self.landmark_error_ = found.constant, found.landmark_error
        lost = (self.eigenvalues_ == 0) | ~namespaces.namespace(Y).isfinite(self.eigenvalues_)
        if bool(namespaces.namespace(Y).any(lost[: found.rank])):
            advice = "the map is right; rescale the distances to get them."
            errors.warn(errors.not_representable("eigenvalues_", dtype, advice))

    def _with_rows_of_no_weight(self, Y: Array, source: Any) -> Array:
        """Return the map of all rows: those that did not shape it are placed on it."""
        n = source.table.shape[0]
        if len(source.kept) == n:
            return Y
        others = np.setdiff1d(np.arange(n), source.kept)
        every = namespaces.dense(source.table.rows(0, n))
        if self._precomputed and self.symmetrize:
            rows = both_ways(every, others)
        else:
            rows = namespaces.take_rows(every, namespaces.like(others, every))
        xp = namespaces.namespace(Y)
        whole_map = xp.concat([Y, namespaces.like(self._place.project(rows), Y)], axis=0)
        return namespaces.take_rows(whole_map, namespaces.like(np.argsort(np.concatenate([source.kept, others])), Y))

    def _check_parameters(self) -> None:
        check_number("n_components", self.n_components, 1, integer=True)
        if not (isinstance(self.metric, str) or callable(self.metric)):
            raise errors.InputTypeError(
                f"metric={self.metric!r} but it must be a name, 'precomputed', or a function of two rows."
            )
        if not (self.metric_params is None or isinstance(self.metric_params, dict)):
            raise errors.InputTypeError(
                f"metric_params={self.metric_params!r} but it must be a dict of arguments of the metric, or None."
            )
        if self.schoenberg is not None:
            if not isinstance(self.schoenberg, SchoenbergTransform):
                raise errors.no_transform("schoenberg", self.schoenberg)
            self.schoenberg._check()
        if self.correction is not None:
            check_choice("correction", self.correction, CONSTANTS)
        if self.n_landmarks is not None:
            check_number("n_landmarks", self.n_landmarks, 1, integer=True)
        if self.refine is not None:
            check_choice("refine", self.refine, CRITERIA)
            if self.n_landmarks is not None:
                raise errors.InputError(
                    "refine compares all pairs of points, n_landmarks a few; leave one of them out."
                )
        check_choice("landmarks", self.landmarks, CHOICES)
        check_seed(self.random_state)
        for name in ("squared", "symmetrize", "overwrite"):
            check_flag(name, getattr(self, name))

    # -- use -----------------------------------------------------------------------------------------------------

    @property
    def embedding_(self) -> Array:
        """The map: a row of coordinates for each row of the fit."""
        if not hasattr(self, "_embedding"):
            raise AttributeError("ClassicalMDS has no embedding_ before it is fitted")
        return self._embedding

    def transform(self, X: TableLike) -> Array:
        """Place new rows on the map, by their features or by their distances to all rows of the fit (Gower).

        Parameters
        ----------
        X : table of shape (m, p); of shape (m, n) if distances are precomputed
        """
        self._require_fit()
        X = X if self._objects is None else self._objects.table(X)
        return self._over_rows(X, lambda rows: self._place.project(rows))

    def distances_among(self, X: TableLike) -> Array:
        """Return the distances among rows as the map was asked to show them: measured, transformed and corrected.

        Parameters
        ----------
        X : table of shape (m, p); of shape (m, m) if distances are precomputed
        """
        self._require_fit()
        X = self._tabled(self._without_target(X))
        if self._precomputed:
            square = square_of(X, "X")
            return self._place.distances(read_distances(square, "X", squared=self.squared, symmetrize=self.symmetrize))
        source = as_source(X, estimator=type(self).__name__, every_row=True)
        self._check_columns(source, reset=False)
        rows = map_rows(source, namespaces.float64)
        if not isinstance(self._place, Subspace) and self._place.metric is not None:
            return self._place.distances(self._place.metric.table(rows))
        return Metric.ready(self.metric, False, None, rows, np.ones(rows.shape[0])).table(rows).distances()

    def _facts(self) -> Iterator[str]:
        fit = ", ".join(f"{share:.4g}" for share in self.goodness_of_fit_)
        yield f"Goodness of fit (of all inertia, of the positive): {fit}. Stress: {self.stress_:.4g}."
        yield f"Negative inertia: {self.negative_inertia_:.4g}."

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def _obeys(self) -> Laws:
        counted = self.correction is None and self.n_landmarks is None and self.refine is None
        return Laws(invariance="rotation" if self.metric in EUCLIDEAN else "none", counts_rows=counted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _with_all_distances(X: Any, squared: bool) -> tuple[Any, np.ndarray | None]:
    """Return a table whose missing distances are filled by the shortest ways over others, and which were known."""
    given = square_of(X, "X").native
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):  # of another library, or no numbers, which the reader refuses
        return X, None
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not np.isnan(values).any():
        return X, None
    filled, known = with_shortest_paths(values, squared)
    return filled, known


def _too_few_positive(found: int, k: int, euclidean: bool) -> errors.RankWarning:
    if found == 0:
        return errors.RankWarning("All distances are 0: the points coincide, and the map is 0.")
    repair = "" if euclidean else ", or repair the distances (correction='lingoes')"
    return errors.RankWarning(
        f"n_components={k} but the distances have {found} positive eigenvalue(s): the other {k - found} column(s) of "
        f"the map are 0. Ask for n_components={found}{repair}."
    )
