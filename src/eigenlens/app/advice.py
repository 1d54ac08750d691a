"""Which method answers which question: the table behind `eigenlens advise` and the site's page, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True)
class Leaf:
    """A method at the end of the questions.

    Attributes
    ----------
    method : str
        Public name, in `eigenlens` or in the room named before the dot.
    shows : str
        What its picture or its answer shows.
    code : str
        A line that fits it.
    """

    method: str
    shows: str
    code: str

    @property
    def available(self) -> bool:
        """Say whether this version of the library has the method."""
        room, _, name = self.method.rpartition(".")
        home = import_module(f"eigenlens.{room}" if room else "eigenlens")
        return name in home.__all__


@dataclass(frozen=True)
class Answer:
    """One of the answers to a question: what it says, and where it leads.

    Attributes
    ----------
    key : str
        A word for the command line.
    text : str
    then : Question or Leaf
    """

    key: str
    text: str
    then: Question | Leaf


@dataclass(frozen=True)
class Question:
    """A question with its answers.

    Attributes
    ----------
    text : str
    answers : tuple of Answer
    """

    text: str
    answers: tuple[Answer, ...]


SPREAD = Question(
    "What is the table like?",
    (
        Answer(
            "numbers",
            "numbers",
            Leaf("PCA", "the directions of largest spread, and how many the rows show", "PCA('auto').fit(X)"),
        ),
        Answer(
            "words",
            "numbers and words, or words only",
            Leaf("MixedPCA", "rows, numbers and categories on one map", "MixedPCA(2).fit(table)"),
        ),
        Answer(
            "wrong",
            "numbers, some cells wildly wrong or missing",
            Leaf("RobustPCA", "a low-rank table, and the cells that do not fit it", "RobustPCA().fit(X)"),
        ),
        Answer(
            "many",
            "many columns, and each direction should use few of them",
            Leaf("SparsePCA", "directions that can be read, column by column", "SparsePCA(3, n_nonzero=5).fit(X)"),
        ),
        Answer(
            "bent",
            "rows on a curve, a ring or in clusters",
            Leaf("KernelPCA", "curved structure, laid out straight", "KernelPCA(2).fit(X)"),
        ),
    ),
)
CLASSES = Question(
    "What do the classes look like?",
    (
        Answer(
            "clouds",
            "clouds of about the same shape (start here if unsure)",
            Leaf("LDA", "the directions that separate the classes, tested", "LDA().fit(X, y)"),
        ),
        Answer(
            "shapes",
            "clouds, each with its own shape",
            Leaf("QDA", "curved boundaries between clouds of different shape", "QDA().fit(X, y)"),
        ),
        Answer(
            "bent",
            "separated by bent boundaries",
            Leaf("FDA", "boundaries bent by adaptive splines", "FDA().fit(X, y)"),
        ),
        Answer(
            "lumps",
            "several lumps in one class",
            Leaf("MDA", "subclasses, and the directions between them", "MDA(n_subclasses=3).fit(X, y)"),
        ),
        Answer(
            "ordered",
            "many columns, or columns in order: spectra, curves, images",
            Leaf("PDA", "smooth coefficients, as a curve or an image", "PDA(penalty='smooth').fit(X, y)"),
        ),
        Answer(
            "any",
            "any shape; only the prediction counts",
            Leaf("KernelClassifier", "a boundary of any shape", "KernelClassifier().fit(X, y)"),
        ),
    ),
)
DIRECTIONS = Question(
    "How does the number move along a direction?",
    (
        Answer(
            "trend",
            "it rises or falls (start here if unsure)",
            Leaf("SIR", "the directions on which the number depends, tested", "SIR().fit(X, y)"),
        ),
        Answer(
            "symmetric",
            "it is symmetric, such as x²",
            Leaf("SAVE", "directions along which the spread changes", "SAVE().fit(X, y)"),
        ),
        Answer(
            "both",
            "both kinds",
            Leaf("DirectionalRegression", "trends and symmetric effects at once", "DirectionalRegression().fit(X, y)"),
        ),
        Answer(
            "bends",
            "it bends, up or down: a best setting is in between",
            Leaf(
                "PrincipalHessianDirections",
                "directions along which the number bends, with the sign",
                "PrincipalHessianDirections().fit(X, y)",
            ),
        ),
        Answer(
            "pieces",
            "the rows lie on a bent surface or in pieces, or few rows have a number",
            Leaf("LocalizedSIR", "the same, from neighbours within slices", "LocalizedSIR(2).fit(X, y)"),
        ),
    ),
)
FORMULA = Question(
    "What may the prediction look like?",
    (
        Answer(
            "hinges",
            "hinges and their products (start here if unsure)",
            Leaf("regress.AdaptiveSplines", "few terms that can be read", "AdaptiveSplines(degree=2).fit(X, y)"),
        ),
        Answer(
            "curves",
            "a sum of smooth curves",
            Leaf("regress.AdditiveSplines", "a curve for each column that counts", "AdditiveSplines().fit(X, y)"),
        ),
        Answer(
            "combinations",
            "curves along combinations of columns",
            Leaf("regress.ProjectionPursuit", "few directions, a curve on each", "ProjectionPursuit(2).fit(X, y)"),
        ),
        Answer(
            "line",
            "a line, with many or ordered columns",
            Leaf("regress.PenalizedRegression", "smooth or small coefficients", "PenalizedRegression().fit(X, y)"),
        ),
        Answer(
            "smooth",
            "any smooth function",
            Leaf("KernelRegressor", "a smooth surface through the rows", "KernelRegressor(lam='loo').fit(X, y)"),
        ),
    ),
)
NUMBER = Question(
    "What do you want to know?",
    (
        Answer("directions", "on which directions the number depends", DIRECTIONS),
        Answer("formula", "a prediction of the number", FORMULA),
    ),
)
FIRST = Question(
    "What do you have?",
    (
        Answer("table", "one table", SPREAD),
        Answer("classes", "a table, and a class for each row", CLASSES),
        Answer("number", "a table, and a number for each row", NUMBER),
        Answer(
            "two",
            "two tables about the same rows",
            Leaf("CCA", "what the tables have in common, pair by pair, tested", "CCA().fit(X, Y)"),
        ),
        Answer(
            "distances",
            "distances between things",
            Leaf("ClassicalMDS", "a map, and whether there can be one", "ClassicalMDS(2, metric='precomputed').fit(D)"),
        ),
        Answer(
            "counts",
            "a two-way table of counts",
            Leaf("CorrespondenceAnalysis", "rows and columns on one map", "CorrespondenceAnalysis(2).fit(N)"),
        ),
    ),
)


def leaves(question: Question = FIRST, path: tuple[Answer, ...] = ()) -> Iterator[tuple[tuple[Answer, ...], Leaf]]:
    """Walk the questions: every available method, with the answers that lead to it."""
    for answer in question.answers:
        here = (*path, answer)
        if isinstance(answer.then, Leaf):
            if answer.then.available:
                yield here, answer.then
        else:
            yield from leaves(answer.then, here)
