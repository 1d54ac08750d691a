"""A table as a matrix of low rank plus a sparse one: what robust PCA computes.

`pursue` solves the convex problem, `least_absolute` splits new rows.
"""

from .least_absolute import least_absolute
from .pursuit import Parts, Report, only, pursue

__all__ = ["Parts", "Report", "least_absolute", "only", "pursue"]
