"""Every exception and warning of the package, with its wording.

A message names the argument, the value received, the rule, and the way out. The functions return an exception
ready to be raised, so that the wording of one mistake lives in one place. What all rooms need is found here; modules of
this package that are not imported below belong to one room each.
"""

from ._kinds import *  # noqa: F403
from .arguments import *  # noqa: F403
from .arrays import *  # noqa: F403
from .discriminants import *  # noqa: F403
from .elsewhere import *  # noqa: F403
from .numerics import *  # noqa: F403
from .responses import *  # noqa: F403
from .targets import *  # noqa: F403
