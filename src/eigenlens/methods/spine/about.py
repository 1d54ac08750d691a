"""What a method says about itself, once, to the parts of the package that know no method by name.

The command line, studies, reports, ONNX files and the laws ask the class of a model for its `_declaration`. A method
that has one in its own file, and is a public name of the package, is known to all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ...arrays import namespaces

Question = Literal["none", "classes", "number", "views", "distances"]

#: Work, in multiplications, of one draw of a test: from numbers of rows, of columns, and of groups (classes, or sets of
#: columns that are permuted together).
Cost = Callable[[int, int, int], float]


@dataclass(frozen=True)
class DirectionTest:
    """What `test_dimension` costs a study.

    Attributes
    ----------
    cost : function, optional
        Of one draw. None if the test draws from moments or not at all: the number of rows then does not matter.
    draws : int
        The most that are worth their time.
    rows_cost : function, optional
        Of one draw from rows, for a test that also works from the moments of the fit; a study uses the moments if the
        rows cost too much.
    patience : float
        How many times the usual work a study may spend before it does without.
    theory : function of (model, X, y), optional
        Tells whether a fitted model tests these rows without draws after all.
    advice : function
        Says what to do where the test refuses the rows.
    """

    cost: Cost | None = None
    draws: int = 199
    rows_cost: Cost | None = None
    patience: float = 1.0
    theory: Callable[[Any, np.ndarray, Any], bool] | None = None
    advice: Callable[[], str] = str

    def cost_for(self, model: Any, X: np.ndarray, y: Any) -> Cost | None:
        """Return what a draw costs, None where this model needs none for these rows."""
        return None if self.theory is not None and self.theory(model, X, y) else self.cost


def variances(model: Any, scores: np.ndarray) -> np.ndarray:
    """Return the variance along each direction, as the model says or as its scores have it."""
    own = getattr(model, "explained_variance_", None)
    return scores.var(axis=0, ddof=1) if own is None else namespaces.to_numpy(own)


def refitted(model: Any, X: np.ndarray, **coarser: Any) -> np.ndarray:
    """Return the variances that a model finds in other rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the model that is kept says what there is to say
        again = clone(model).set_params(**coarser).fit(X)
        return type(model)._declaration.spread.variances(again, np.asarray(again.transform(X)))


@dataclass(frozen=True)
class Spread:
    """How a method that has no target is held against columns that have nothing in common.

    Attributes
    ----------
    cost : function
        Of one repetition, where the groups are sets of columns that are permuted together.
    draws : int
        The most that are worth their time.
    repeated : function of (model, rows)
        Returns the variances that the method finds in other rows.
    variances : function of (model, scores)
        Returns those of the directions of a fitted model.
    """

    cost: Cost = lambda n, p, groups: 25_000 * n * p
    draws: int = 39
    repeated: Callable[[Any, np.ndarray], np.ndarray] = refitted
    variances: Callable[[Any, np.ndarray], np.ndarray] = variances


@dataclass(frozen=True)
class NextMethod:
    """Another method that is worth a look after this one.

    Attributes
    ----------
    name : str
        On the command line.
    why : str
        A sentence. It may hold {target}.
    when : {"always", "no direction", "warned"}
        "no direction": where the test shows none. "warned": where a warning of the fit names the other method.
    """

    name: str
    why: str
    when: Literal["always", "no direction", "warned"] = "always"


@dataclass(frozen=True)
class Declaration:
    """What a method is for, how it is asked, tested and shown.

    Attributes
    ----------
    question : {"none", "classes", "number", "views", "distances"} or None
        What a study asks of it: the kind of its target. None where no study does.
    name : str
        On the command line.
    place : int
        Among the methods of its question; the first is taken where none is named.
    use : str
        When to use it, in a line.
    make : function of (class, seed)
        Makes an unfitted model for a study.
    directions : function of (rows, columns, columns too many), optional
        How many directions to look at; None leaves `n_components` alone. Words that became columns of 0 and 1 give a
        column too many for each column of words.
    test : DirectionTest or None
        None where `test_dimension` is not what a study asks.
    spread : Spread
        For a method that has no target.
    untested : str
        Why it has no test.
    if_separated : function of a model, optional
        Parameters with which it can be fitted where a column does not vary within classes.
    compares : {"none", "classes", "number", "views", "distances"} or None
        The question in whose comparison it takes part, where no study asks it alone: it predicts but has no directions.
    compared_as : str
        Its name where methods are compared by how well they predict; empty where it does not take part.
    fit_cost : function
        Work of one fit in a comparison, in multiplications (a thousand million take about a second).
    brisk : mapping of str to value
        Parameters with which it takes part in a comparison, where the usual ones would take several times as long.
    advantage : str
        What it has, where it predicts better than another.
    blind_spot : function
        Says what it cannot see, as a sentence.
    display : str
        The function of `eigenlens.displays` that draws it.
    linear_map : function of a fitted model, optional
        Returns the basis, with which centred rows are multiplied to give scores. None if scores are not a linear map.
    next_methods : tuple of NextMethod
        What a report suggests after it.
    takes_words : bool
        Whether it takes columns of words as they are.
    takes_few_rows : bool
        Whether it is the method to take where columns are as many as rows, or more.
    foreign_names : mapping of str to str
        Parameters that other libraries have for this method, and what to write in their place.
    """

    question: Question | None = None
    name: str = ""
    place: int = 100
    use: str = ""
    make: Callable[[type, int], Any] = lambda cls, seed: cls()
    directions: Callable[[int, int, int], int | None] | None = None
    test: DirectionTest | None = None
    spread: Spread = Spread()
    untested: str = ""
    if_separated: Callable[[Any], Mapping[str, Any]] | None = None
    compares: Question | None = None
    compared_as: str = ""
    fit_cost: Cost = lambda n, p, groups: 3 * n * p * min(n, p) + n * n * p / 5
    brisk: Mapping[str, Any] = field(default_factory=dict)
    advantage: str = "boundaries that need not be straight"
    blind_spot: Callable[[], str] = str
    display: str = "scores"
    linear_map: Callable[[Any], Any] | None = None
    next_methods: tuple[NextMethod, ...] = ()
    takes_words: bool = False
    takes_few_rows: bool = False
    foreign_names: Mapping[str, str] = field(default_factory=dict)


def basis_of(model: Any) -> Any:
    """Return the basis of the subspace of a model whose scores are coordinates in it."""
    return model.subspace_.basis


@dataclass(frozen=True)
class Laws:
    """Which laws an estimator obeys, with the parameters that it has.

    Attributes
    ----------
    invariance : {"permutation", "units", "rotation", "linear", "none"}
        Maps of the columns that leave scores unchanged, up to sign: a signed permutation, one with other units for the
        columns, a rotation, any linear map.
    centres : bool
        The same row added to all rows moves the means and nothing else.
    solves_pencil : bool
        The directions are those of the pencil, rather than made from them.
    counts_rows : bool
        Weight 2 is the row twice, and the order of rows nothing, to round-off: not so from random starts.
    per_row : tuple of str
        Fitted attributes with a row for every row of the table, which laws about the rows do not compare.
    counts : bool
        The rows are counts, none of them negative.
    one_response : bool
        The second table has one column.
    """

    invariance: Literal["permutation", "units", "rotation", "linear", "none"] = "rotation"
    centres: bool = True
    solves_pencil: bool = True
    counts_rows: bool = True
    per_row: tuple[str, ...] = ()
    counts: bool = False
    one_response: bool = False
