"""The main job: from a table to an answer, a model and what to show."""

from .data import Data, read_data
from .notebook import Report, report
from .plan import Plan
from .run import Study, study

__all__ = ["Data", "Plan", "Report", "Study", "read_data", "report", "study"]
