"""Read text files that are small when packed and huge when not, and count what a reader makes of them.

    python benchmarks/stress_bombs.py [--size 1024] [--seconds 120] [--memory 2048] [--only NAME ...]

Each file is read by `open_rows` and `PCA`, and by `eigenlens report`, in a process of its own. A round is *answered* or
*refused*; a traceback is *raw*, and a process that takes more than so many seconds, or so many MiB, is *slow* or
*greedy*: none of these may happen. Files are written in pieces of 16 MiB, packed once, and unpack to any size (MiB).
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa

PIECE = 2**24
ROWS = "".join(f"{k % 7},{k % 11}\n" for k in range(77)).encode()
#: What a file begins with, and what is repeated after it.
CONTENTS = {
    "header": (b"", b"a"),
    "names": (b"a", b",a"),
    "cell": (b"a,b\n1,2\n", b"1"),
    "cells": (b"a,b\n1,2\n", b"1,"),
    "quote": (b'a,b\n1,2\n"', b"x\n"),
    "blank": (b"a,b\n1,2\n", b"\n"),
    "spaces": (b"a,b\n1,2\n", b" "),
    "zeros": (b"a,b\n1,2\n", b"\0"),
    "rows": (b"a,b\n", ROWS),
}
ENDINGS = (".csv", ".csv.gz", ".csv.zst", ".csv.zip")
FIT = "import sys, eigenlens; eigenlens.PCA(1).fit(eigenlens.open_rows(sys.argv[1]))"
DOORS = {
    "PCA": [sys.executable, "-c", FIT],
    "report": [sys.executable, "-m", "eigenlens", "report", "--folds", "0", "--force"],
}


def write(path: Path, begin: bytes, again: bytes, pieces: int) -> None:
    piece = again * (PIECE // len(again))
    zstd = pa.Codec("zstd")
    if path.suffix == ".zip":
        archive = ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1)
        with archive, archive.open(path.stem, "w", force_zip64=True) as file:
            file.write(begin)
            for _ in range(pieces):
                file.write(piece)
        return
    pack = {".csv": bytes, ".gz": gzip.compress, ".zst": lambda b: zstd.compress(b, asbytes=True) if b else b}[
        path.suffix
    ]
    packed = pack(piece)
    with path.open("wb") as file:
        file.write(pack(begin))
        for _ in range(pieces):
            file.write(packed)


def outcome(command: list[str], folder: Path, seconds: float, mebibytes: float) -> tuple[str, float, float, str]:
    """Run a command; return what came of it, its seconds, the most memory it took (MiB) and its last line."""
    start, most, verdict = time.monotonic(), 0.0, ""
    with (folder / "said").open("w+") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        while process.poll() is None and not verdict:
            time.sleep(0.02)
            most = max(most, resident(process.pid))
            late = time.monotonic() - start > seconds
            verdict = "greedy" if most > mebibytes else "slow" if late else ""
        process.kill()
        process.wait()
        said.seek(0)
        text = said.read()
    if not verdict:
        verdict = "answered" if process.returncode == 0 else "refused"
        ours = "eigenlens.exceptions" in text or "Traceback" not in text
        verdict = verdict if ours and process.returncode in (0, 1) else "raw"
    return verdict, time.monotonic() - start, most, (text.strip().splitlines() or [""])[-1]


def resident(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError):
        return 0.0


def rounds(only: list[str]) -> Iterator[tuple[str, str]]:
    for name in CONTENTS:
        for ending in ENDINGS:
            if not only or name in only:
                yield name, ending


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--memory", type=float, default=2048)
    parser.add_argument("--only", nargs="*", choices=[*CONTENTS], default=[])
    options = parser.parse_args()
    counts: Counter = Counter()
    for name, ending in rounds(options.only):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"rows{ending}")
            write(path, *CONTENTS[name], options.size * 2**20 // PIECE)
            for door, words in DOORS.items():
                if door == "PCA" and ending == ".csv.zip":  # open_rows does not read it
                    continue
                found, took, most, said = outcome([*words, path.name], Path(folder), options.seconds, options.memory)
                counts[found] += 1
                print(f"{name}{ending}, {door}: {found} in {took:.1f} s with {most:.0f} MiB: {said[:150]}", flush=True)
    print(f"{sum(counts.values())} readings:", dict(counts))
    return int(any(counts[bad] for bad in ("raw", "slow", "greedy")))


if __name__ == "__main__":
    raise SystemExit(main())
