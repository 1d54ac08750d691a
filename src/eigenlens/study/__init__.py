"""The main job: a table and a question become a fitted pipeline, tests, comparisons, and the sentences that say so.

`report` is what users call; a question is a file with a function that calls shared steps in order.
"""

from .data import Data, read_data
from .notebook import Report, report
from .plan import Plan
from .run import Study, study

__all__ = ["Data", "Plan", "Report", "Study", "read_data", "report", "study"]
