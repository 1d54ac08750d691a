"""The runner: rounds of cases, and a table of those that end raw or hang."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

from .cases import Case


def main():
    """Run cases and print those that fail, one line for each place, with the seeds that lead there."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--only", type=int, help="one seed, with its traceback")
    options = parser.parse_args()
    if options.only is not None:
        return repeat(options.only)
    outcomes, places, began = Counter(), defaultdict(list), time.perf_counter()
    slowest = []
    for seed in range(options.start, options.start + options.cases):
        before = time.process_time()
        case = Case(seed)
        verdicts = case.run()
        slowest = sorted([*slowest, (time.process_time() - before, seed)])[-5:]
        outcomes.update(verdict.outcome for verdict in verdicts)
        for verdict in verdicts:
            if verdict.outcome in ("raw", "hung"):
                kind, _, place = verdict.error.rpartition(" @ ")
                places[place].append((seed, verdict, kind, case.title))
                print(f"{seed}: {verdict.outcome} in {verdict.call}: {verdict.error}", file=sys.stderr, flush=True)
    for place, found in sorted(places.items(), key=lambda item: -len(item[1])):
        seed, verdict, kind, title = found[0]
        print(f"{len(found):4} × {place}\n       {verdict.outcome} in {verdict.call}: {kind}\n       {title}")
        print(f"       python -m fuzz --only {seed}   (seeds {sorted({f[0] for f in found})[:8]})")
    failing = len({found[0] for group in places.values() for found in group})
    counts = ", ".join(f"{outcomes[k]:,} {k}" for k in ("answered", "refused", "raw", "hung"))
    print(f"{options.cases:,} cases from seed {options.start} in {time.perf_counter() - began:.0f} s: {failing} fail.")
    print(f"{sum(outcomes.values()):,} calls: {counts}.")
    print("The slowest cases: " + ", ".join(f"{seconds:.1f} s (seed {seed})" for seconds, seed in slowest[::-1]) + ".")
    return 1 if failing else 0


def repeat(seed):
    """Run one case and show all that came of it."""
    case = Case(seed)
    print(case.title)
    verdicts = case.run()
    for verdict in verdicts:
        print(f"{verdict.outcome:9} {verdict.call:22} {verdict.error}")
        if verdict.outcome in ("raw", "hung"):
            print(verdict.trace)
    return int(any(verdict.outcome in ("raw", "hung") for verdict in verdicts))


sys.exit(main())
