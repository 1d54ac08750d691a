"""Ask one section of the library that PYTHONPATH names, and keep the answers.

python -m answers SECTION FILE TREE [PATTERN]
"""

import os
import pickle
import re
import sys
import tempfile
from pathlib import Path

import eigenlens

from .functions import functions
from .models import in_every_way, on_tables, pictures, tests
from .recording import Recorder
from .refusals import refusals
from .texts import command_line, reports, signatures

SECTIONS = {
    "tables": on_tables,
    "ways": in_every_way,
    "tests": tests,
    "pictures": pictures,
    "functions": functions,
    "refusals": refusals,
    "signatures": signatures,
    "reports": reports,
    "command line": command_line,
}


def main(section: str, place: str, tree: str, pattern: str = "") -> None:
    """Write the answers of a section whose names hold a pattern."""
    if not Path(eigenlens.__file__).is_relative_to(Path(tree).resolve()):
        raise SystemExit(f"PYTHONPATH leads to {eigenlens.__file__}, not to {tree}")
    recorder = Recorder(lambda name: re.search(pattern, name) is not None)
    place = os.path.abspath(place)
    with tempfile.TemporaryDirectory(prefix="answers-") as folder:
        os.chdir(folder)
        answers = recorder.run(SECTIONS[section]())
        os.chdir("/")
    Path(place).write_bytes(pickle.dumps({"answers": answers, "seconds": recorder.seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
