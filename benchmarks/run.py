"""Run every benchmark of this folder, print the ratios and write results.json."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).parent


RESULTS = HERE / "results.json"


def main() -> None:
    wanted = sys.argv[1:]
    known = json.loads(RESULTS.read_text())["results"] if RESULTS.exists() and wanted else []
    results = {(row["claim"], row["peer"]): row for row in known}
    for path in sorted(HERE.glob("bench_*.py")):
        if wanted and not any(word in path.stem for word in wanted):
            continue
        print(f"\n{path.stem}", flush=True)
        for row in importlib.import_module(path.stem).main():
            print(" ", row, flush=True)
            results[row.claim, row.peer] = row.as_dict()
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    RESULTS.write_text(json.dumps({"machine": machine, "results": list(results.values())}, indent=1) + "\n")


if __name__ == "__main__":
    main()
