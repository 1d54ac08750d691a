"""Run every benchmark of this folder, print the ratios and write results.json.

python benchmarks/run.py              all of them
python benchmarks/run.py mds kernels  those with these words in their names
python benchmarks/run.py --claims     those behind the figures of the README; fails where one is missed
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

from harness import circumstances

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
#: Behind the README: under ten minutes together
CLAIMS = ["_lda_is_one_pass", "_mds_finds", "_cca_needs", "_mda_is_faster", "bench_pca_is_one", "_memory_is_one_block"]


def main(wanted: list[str]) -> int:
    """Return 1 where a claim of the README is missed, or could not be measured."""
    claims = wanted == ["--claims"]
    wanted = CLAIMS if claims else wanted
    known = json.loads(RESULTS.read_text())["results"] if RESULTS.exists() and wanted else []
    results = {(row["claim"], row["peer"]): row for row in known}
    measured, bad = circumstances(), []
    for path in sorted(HERE.glob("bench_*.py")):
        if wanted and not any(word in path.stem for word in wanted):
            continue
        print(f"\n{path.stem}", flush=True)
        rows = importlib.import_module(path.stem).main()
        bad += [str(row) for row in rows if row.missed] + ([] if rows else [f"{path.stem}: nothing was measured"])
        for row in rows:
            print(" ", row, flush=True)
            results[row.claim, row.peer] = {**row.as_dict(), "measured": measured}
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    found = {"machine": machine, "results": list(results.values())}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    if claims:
        print("\nMissed:" if bad else "\nAll claims are met.", *bad, sep="\n  ")
    return int(claims and bool(bad))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
