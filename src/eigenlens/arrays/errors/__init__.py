"""The exceptions and warnings of the package, and the wording that several places share.

A message names the argument, the value received, the rule, and the way out. Where a message is
raised once, it is written there: `raise errors.InputError(...)`. The functions here return an exception to be raised.
"""

from ...exceptions import *  # noqa: F403
from ...exceptions import CommandError as CommandError
from .arguments import *  # noqa: F403
from .distances import *  # noqa: F403
from .numerics import *  # noqa: F403
from .rows import *  # noqa: F403
from .storage import *  # noqa: F403
from .wording import *  # noqa: F403
