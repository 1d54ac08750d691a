"""Do tests hold their level, do they gain power, do intervals cover? By simulation, one line for each claim.

    python benchmarks/calibration_of_inference.py [table ...] [--only TEXT] [--replicates N] [--minutes N]

With `--minutes`, all lines of the tables named go on from where `calibration/results.json` has them, to 2,000
replicates or until the time is over; the file says how many replicates each has had.

Tables: pca, canonical, inverse, permutation, fda, ranks, power, coverage, gcv, components, rivals, linear,
rule, bends; without a name, all of them. On one core each takes up to four minutes, components and rivals hours.
What follows ± is two Monte Carlo standard errors, replicates being the unit: what is counted several times within a
replicate (loadings) is averaged there first. Replicate r depends on its table and r alone.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np

from calibration.defaults import bends, linear, rule
from calibration.intervals import coverage
from calibration.levels import canonical, fda, gcv, inverse, pca, permutation
from calibration.page import print_page
from calibration.power import power, ranks
from calibration.resumable import run_in_steps
from calibration.shared_directions import components, rivals
from calibration.simulation import simulated
from eigenlens.exceptions import EigenlensWarning

TABLES = {
    f.__name__: f
    for f in (
        *(pca, canonical, inverse, permutation, fda, ranks, power, coverage, gcv),
        *(components, rivals, linear, rule, bends),
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], metavar="table")
    parser.add_argument("--replicates", type=int, help="instead of those of the page, for a quick look")
    parser.add_argument("--only", default="", help="lines that hold this text")
    parser.add_argument("--minutes", type=float, help="go on from calibration/results.json for so long")
    parser.add_argument("--page", action="store_true", help="print what calibration/results.json has, as tables")
    wanted = parser.parse_args()
    if wanted.page:
        return print_page()
    warnings.simplefilter("ignore", EigenlensWarning)
    if wanted.minutes:
        return run_in_steps({name: TABLES[name]() for name in wanted.tables}, 60 * wanted.minutes)
    for name in wanted.tables or TABLES:
        for number, (what, replicate, count) in enumerate(TABLES[name]()):
            if wanted.only not in what:
                continue
            start, count = time.time(), wanted.replicates or count
            shares, errors = (np.atleast_1d(a) for a in simulated(replicate, count, [list(TABLES).index(name), number]))
            for line, share, error in zip(what.split("; "), shares, errors, strict=True):
                print(f"| {line} | {share:.2%} ± {error:.2%} |", flush=True)
            print(f"    {count} replicates, {time.time() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
