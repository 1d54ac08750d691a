"""The small problem: symmetric pencils A v = λ B v and their spectra.

Order, sign, rank and clipping of the directions that methods find are decided here. This room knows no rows and no
labels.
"""

from .ends import Extreme, Inertia, inertia, largest, rounding
from .pencil import Form, Pencil, Spectrum, Whitening, count_rank, orient
from .solve import Choice, choose_solver, solve, whiten
from .subspace import principal_angles

__all__ = [
    "Choice",
    "Extreme",
    "Form",
    "Inertia",
    "Pencil",
    "Spectrum",
    "Whitening",
    "choose_solver",
    "count_rank",
    "inertia",
    "largest",
    "orient",
    "principal_angles",
    "rounding",
    "solve",
    "whiten",
]
