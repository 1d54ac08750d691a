"""A table as a matrix of low rank plus a sparse one: what robust PCA computes.

`pursue` solves the convex problem, `fit_rank` that of a given rank, `least_absolute` splits new rows.
"""

from .fixed_rank import fit_rank
from .least_absolute import least_absolute
from .pursuit import Parts, Report, only, pursue

__all__ = ["Parts", "Report", "fit_rank", "least_absolute", "only", "pursue"]
