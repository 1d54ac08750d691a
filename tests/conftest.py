"""What all tests share: helper modules of the test folders can be imported by name."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "reference")]
