"""Check the sentences of reports on many tables: their grammar, and their truth against the numbers of the same report.

    python tools/check_sentences.py FOLDER_OF_CSV_FILES --tables 100
    python tools/check_sentences.py FOLDER_OF_CSV_FILES --show 25        # print the findings, to be read

Every table is asked without a target and with the one that its owner would ask for. The exit code is 1 if a sentence
is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

GRAMMAR = {
    "a plural of one": re.compile(
        r"(?<!\+ )(?<![\d.,%])\b(?:1|one) (?:columns|rows|directions|components|classes|cells)\b(?! of)"
    ),
    "a singular of many": re.compile(
        r"\b(?:[2-9]|\d{2,}|(?i:two|three|four|five)) (?:column|row|direction|component|cell)\b(?![s'’-])"
    ),
    "a word twice": re.compile(r"\b([a-z]+) \1\b(?<!that that)"),
    "two spaces": re.compile(r"  "),
    "odd punctuation": re.compile(r"[,;:]\.|\.\.(?!\.)|,,| ,| \.(?!\d)|\(\s|\s\)|\(\)"),
    "no number": re.compile(r"\b(?:nan|inf|None(?! of))\b|-0\.00\b|-0\.0%"),
    "a name of Python": re.compile(r"\b[a-z]+_[a-z_]+="),
    "a share beyond all": re.compile(
        r"(?<![\d.])(?:1[0-9]{2}(?<!100)|[2-9]\d{2,})(?:\.\d+)?% of the (?:variance|separation)"
    ),
    "an before a consonant": re.compile(r"\ban [bcdfgjkpqtvwxyz][a-z]+\b"),
    "a before a vowel": re.compile(r"\ba [aei][a-z]+\b"),
}
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def unquoted(text: str) -> str:
    """Return a sentence without the names of columns, files and words that it quotes, which may hold anything."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|“[^”]*”", "'x'", text)


def faults_of_grammar(sentence: str) -> Iterator[str]:
    """Yield what is wrong with a sentence as English."""
    plain = unquoted(sentence)
    for what, pattern in GRAMMAR.items():
        if found := pattern.search(plain):
            yield f"{what} ({found.group(0)!r})"
    if not re.search(r"[.?!]$", plain):
        yield "no full stop"
    if re.match(r"[a-z]", plain) and not re.match(r"[a-z]+['\d_.]", plain):
        yield "it begins small"
    for left, right in ("()", "[]"):
        if plain.count(left) != plain.count(right):
            yield f"{left} without {right}"


def number(word: str) -> int | None:
    """Return the number that a word or figures mean."""
    word = word.lower().replace(",", "")
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS else int(word) if word.isdigit() else None


def told(pattern: str, text: str) -> re.Match[str] | None:
    """Return where a sentence claims something."""
    return re.search(pattern, text)


def differs(found: re.Match[str] | None, percent: float) -> bool:
    """Tell whether a claim names another share than the numbers have."""
    return found is not None and abs(float(found.group(1)) - percent) > 0.51


def faults_of_truth(said: dict[str, Any]) -> Iterator[str]:
    """Yield what the summary says that the numbers of the same report do not."""
    text = " ".join(said["summary"])
    shown, directions = said["shown_directions"], said["directions"]
    shares = [d["share"] for d in directions if d["share"] is not None]
    counts = f"{shown} of {len(directions)} are shown"
    found = told(r"(?:At least )?(\w[\w,]*) of (\d[\d,]*) (?:direction|pair)s (?:is|are|separate)", text)
    if found and (number(found.group(1)), number(found.group(2))) != (shown, len(directions)):
        yield f"{found.group(0)!r}: {counts}"
    found = told(r"\b(Both|All \w+|The only) (?:direction|pair)", text)
    if found and shown != len(directions):
        yield f"{found.group(0)!r}: {counts}"
    if differs(told(r"first direction (?:carries|accounts for) (\d+)%", text), 100 * sum(shares[:1])):
        yield f"the share of the first direction is {shares[0]:.1%}"
    if differs(told(r"carry (\d+)% of the variance\.", text), 100 * sum(shares[: shown or 0])):
        yield f"the share of the directions that are shown is {sum(shares[:shown]):.1%}"
    yield from faults_of_weights(said)
    yield from faults_of_scores(said, text)


def faults_of_weights(said: dict[str, Any]) -> Iterator[str]:
    """Yield columns that do not weigh what a sentence says."""
    pairs = {f"{name} ({value:+.2f})" for axis in said["loadings"].values() for name, value in axis.items()}
    for sentence in said["summary"]:
        if "driven by" in sentence or "goes with" in sentence:
            claimed = len(re.findall(r"\([+-]\d\.\d\d\)", sentence))
            if sum(pair in sentence for pair in pairs) < claimed:
                yield f"a column does not weigh what is said: {sentence!r}"


def faults_of_scores(said: dict[str, Any], text: str) -> Iterator[str]:
    """Yield scores and mistakes that the comparison does not have."""
    scores = [c["score"] for c in said["comparison"] if c["score"] is not None]
    best = max(scores, default=0.0)
    found = told(r"has not seen, \w+ is right for (\d+\.\d)%", text)
    if found and f"{found.group(1)}%" not in {f"{score:.1%}" for score in scores}:
        yield f"{found.group(0)!r}: no method has this score"
    if found and "compared does better." in text and best > float(found.group(1)) / 100 + 0.00051:
        yield f"another method has {best:.1%}"
    if differs(told(r"explains (\d+)% of the variance of", text), 100 * best):
        yield f"the best method explains {best:.1%}"
    if "No row was put into a wrong class." in text:
        counts = said["confusion"]["counts"]
        if sum(map(sum, counts)) != sum(row[i] for i, row in enumerate(counts)):
            yield "rows were put into wrong classes"


def faults(said: dict[str, Any]) -> list[str]:
    """Return all faults of a report, as JSON has it."""
    steps = [step["what"] for step in said["next"]]
    sentences = [*said["summary"], *said["doubts"], *said["notes"], *steps]
    return [f"{fault}: {s}" for s in sentences for fault in faults_of_grammar(s)] + list(faults_of_truth(said))


def main() -> int:
    """Check, and print what is wrong."""
    from eigenlens.app.main import run
    from report_every_table import likely_target

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--largest", type=int, default=200_000, help="bytes of a file; larger ones are left out")
    parser.add_argument("--folds", default="3")
    parser.add_argument("--show", type=int, default=0, help="print the findings of so many reports")
    options = parser.parse_args()
    paths = sorted(p for p in options.folder.glob("*.csv") if p.stat().st_size <= options.largest)
    paths = paths[:: max(len(paths) // options.tables, 1)][: options.tables]
    asked = answered = wrong = shown = 0
    with tempfile.TemporaryDirectory() as out:
        for path in paths:
            for target in dict.fromkeys((None, likely_target(path))):
                words = ["report", str(path), "--json", "--force", "--out", out, "--folds", options.folds]
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                    code = run(words + ([] if target is None else [f"--target={target}"]))
                asked += 1
                if code:
                    continue
                answered += 1
                said = json.loads(printed.getvalue())
                found = faults(said)
                wrong += bool(found)
                for fault in found:
                    print(f"{path.stem} --target {target}: {fault}", flush=True)
                if shown < options.show:
                    shown += 1
                    print(f"\n== {path.stem} --target {target} ({said['method']})")
                    print("\n".join([*said["notes"], "--", *said["summary"], "--", *said["doubts"]]), flush=True)
    print(f"{asked} reports asked for on {len(paths)} tables, {answered} answered, {wrong} with a fault")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
