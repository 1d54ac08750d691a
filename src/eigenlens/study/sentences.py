"""What was found, and what to doubt, in sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..page.findings import ComparedMethod, Direction, Findings, counted, percent
from ..rows.endings import name_of
from .data import Data
from .plan import Plan

ALIKE = 0.8  # columns whose weights differ by less than this factor weigh alike
AS_WELL = 0.05  # of the variance: methods that differ by less explain as much
NEARLY = 0.97  # and so many as weigh the same to two digits are counted, and not named
ALL_OF_IT = 0.9995  # of the variance: no measurement is so exact
MINOR = 0.2  # of the largest weight: columns below it do not make a direction


def base(
    data: Data,
    plan: Plan,
    cls: Any,
    directions: list[Direction],
    axes: list[str],
    scores: np.ndarray,
    names: list[str],
    loadings: np.ndarray,
) -> Findings:
    """Return findings with what all studies share."""
    return Findings(
        title=plan.title or _title(data.sources),
        source=data.source,
        method=cls.__name__,
        kind=data.kind,
        n_rows=data.n_rows,
        n_columns=len(names),
        notes=data.notes,
        value_name="value",
        directions=directions,
        axes=axes,
        scores=scores,
        loading_names=list(names),
        loadings=loadings,
        loading_kind="",
        columns=data.shown,
        row_names=data.row_names,
        target=plan.target,
        numbers=data.numbers,
    )


def _title(sources: tuple[str, ...]) -> str:
    name = name_of(sources)
    name = name if len(sources) == 1 else name.replace("-and-", " and ").replace("-more", " more")
    return name.replace("_", " ").strip() or name


def correlations(X: np.ndarray, Z: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the correlation of each column of X with each of Z; zero where one of them does not vary.

    A column with holes (NaN) is correlated over the rows that have it.
    """
    holed = np.isnan(X).any(axis=0)
    if holed.any():
        found = correlations(np.where(holed, 0.0, X), Z, weights)
        for j in np.flatnonzero(holed):
            seen = ~np.isnan(X[:, j])
            found[j] = correlations(X[seen, j : j + 1], Z[seen], None if weights is None else weights[seen])[0]
        return found
    A, B = (M - np.average(M, axis=0, weights=weights) for M in (X, Z))
    if weights is not None:
        A, B = (np.sqrt(weights)[:, None] * M for M in (A, B))
    a, b = np.sqrt((A**2).sum(axis=0)), np.sqrt((B**2).sum(axis=0))
    return (A / np.where(a > 0, a, 1)).T @ (B / np.where(b > 0, b, 1))


def _driven(findings: Findings, j: int, limit: int = 3) -> str:
    """Name the columns that count most in a direction; those that do not count are left out."""
    tops = findings.top_loadings(j, limit)
    sizes = np.abs(findings.loadings[findings.columns_of(j), j])
    p, largest = len(sizes), sizes.max(initial=0.0)
    if p > limit and largest > 0 and sizes.min() >= ALIKE * largest:
        return f"all {p:,} columns alike ({sizes.min():.2f} to {largest:.2f} in size)"
    equal = int((sizes >= NEARLY * largest).sum())
    if tops and equal > limit:
        some = joined([f"{name} ({value:+.2f})" for name, value in tops[: limit - 1]])
        return f"{equal:,} of {p:,} columns alike, {some} among them"
    named = [f"{name} ({value:+.2f})" for name, value in tops if abs(value) >= MINOR * largest]
    return joined(named or ["none of the columns"])


def _share(part: float) -> str:
    """Write a share; what is not all is not 100%."""
    if 0.995 <= part < 1 - 1e-9:
        return "more than 99%"
    return "less than 1%" if 0 < part < 0.005 else f"{part:.0%}"


def joined(items: list[str]) -> str:
    """Write a list as a sentence does: “a, b and c”."""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def _count(k: int, noun: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return f"{words[k] if k < len(words) else k} {noun}{'' if k == 1 else 's'}"


def _some(shown: int, k: int, noun: str) -> str:
    """Write how many of k: “Both directions”, “All three directions”, “One of 3 directions”."""
    if shown < k:
        return f"{_count(shown, '').split()[0].capitalize()} of {k} {noun}s"
    if k == 1:
        return f"The only {noun}"
    return f"Both {noun}s" if k == 2 else f"All {_count(k, noun)}"


def _by_test(findings: Findings) -> str:
    level = "" if findings.test.level is None else f", {findings.test.level:.0%}"
    return f" ({findings.test.name}{level})" if findings.test.name else ""


def _none_shown(findings: Findings, what: str) -> str:
    """Say that there is none, or that rows are too few to tell."""
    if findings.too_few_rows:
        return f"There are too few rows to tell whether there is a {what}{_by_test(findings)}."
    return f"These rows show no {what}{_by_test(findings)}."


def spread_words(findings: Findings, standardised: bool) -> None:
    """Say what a PCA, or one of its kin, has found."""
    shares = [d.share or 0.0 for d in findings.directions]
    shown, k = findings.shown_directions, len(shares)
    if shown is not None:
        carried = f", and carry {_share(sum(shares[:shown]))} of the variance" if any(shares) and shown > 1 else ""
        some = _some(shown, k, "direction")
        some = f"At least {some[0].lower()}{some[1:]}" if findings.test.stopped else some
        if shown == k and 0 < sum(shares) < 0.999:  # there are more, which were not computed
            some += " that were computed"
        findings.summary.append(
            f"{some} {'is' if shown == 1 else 'are'} shown{_by_test(findings)}{carried}."
            if shown
            else _none_shown(findings, "direction that the columns share")
        )
    if findings.n_columns == 1:
        findings.summary.append(f"There is a single column, {findings.loading_names[0]}, and it is the only direction.")
        return
    if k and any(shares):
        two = f"; the first two together {_share(sum(shares[:2]))}" if k > 2 else ""
        findings.summary.append(f"The first direction carries {_share(shares[0])} of the variance{two}.")
    if k:
        what = "It" if any(shares) else "The first direction"
        findings.summary.append(f"{what} is driven by {_driven(findings, 0)}.")
    if k > 1 and (shown is None or shown > 1):
        findings.summary.append(f"The second is driven by {_driven(findings, 1)}.")
    if not standardised:
        findings.doubts.append("Columns were not standardised: a column in large units weighs more than others.")
    if findings.n_rows < 5 * findings.n_columns:
        findings.doubts.append(
            f"There are {counted(findings.n_rows, 'row')} for {counted(findings.n_columns, 'column')}: single "
            f"directions may change with a few more rows. Compare fits on two halves of the rows."
        )
    if shown is not None:
        findings.doubts += [findings.test.doubt] if findings.test.doubt and shown < k else []
        findings.doubts.append(
            "Outlying rows can make a direction of their own. Look at the rows at the ends of each axis."
        )


def class_words(findings: Findings, counts: np.ndarray) -> None:
    """Say what a discriminant has found."""
    shown, k = findings.shown_directions, len(findings.directions)
    if shown is not None:
        findings.summary.append(
            f"{_some(shown, k, 'direction')} {'separates' if shown == 1 else 'separate'} the classes of "
            f"{findings.target!r} beyond chance."
            if shown
            else _none_shown(findings, f"direction that separates the classes of {findings.target!r}")
        )
    if k:
        share = findings.directions[0].share or 0
        most = f"The first direction accounts for {_share(share)} of the separation and"
        if k == 1:
            most = "It" if shown else "The one direction"
        findings.summary.append(f"{most} goes with {_driven(findings, 0)}.")
    ours = findings.ours
    if ours is not None and findings.baseline is not None:
        rule, plain = findings.baseline
        verdict = "" if ours.low > plain else " These rows do not show that it does better than this rule."
        verdict = " The rule does better." if ours.high < plain else verdict
        findings.summary.append(
            f"On rows that it has not seen, {findings.method} is right for {ours.score:.1%} (95% interval "
            f"{ours.low:.1%} to {ours.high:.1%}); the rule “{rule}” is right for {plain:.1%}.{verdict}"
        )
        _name_the_best(findings, ours)
    if findings.confusion is not None:
        _name_the_confusion(findings)
    if counts.min() < 10:
        findings.doubts.append(
            f"The smallest class has {_count(int(counts.min()), 'row')}; what is said about it is uncertain."
        )
    if counts.max() > 5 * counts.min():
        findings.doubts.append(
            "Classes differ much in size, and accuracy is mostly that of the large ones: read the confusion "
            "matrix by rows."
        )
    left_out = "; the accuracies are for rows left out" if findings.comparison else ""
    findings.doubts.append(
        f"The picture of the scores is drawn for the rows that were fitted, and looks cleaner than new rows "
        f"would{left_out}."
    )


def _name_the_best(findings: Findings, ours: ComparedMethod) -> None:
    best = max((c for c in findings.comparison if np.isfinite(c.score)), key=lambda c: c.score)
    if best.score <= ours.score:
        findings.summary.append("None of the other methods compared does better.")
    elif f"{best.score:.1%}" == f"{ours.score:.1%}":
        findings.summary.append("None of the other methods compared does better by more than a tenth of a percent.")
    elif best.name in findings.told_apart:
        findings.summary.append(f"{best.name} does better ({best.score:.1%}), with {best.advantage}.")
    else:
        findings.summary.append(
            f"{best.name} comes out at {best.score:.1%}, a difference that these rows cannot tell from chance."
        )


def _name_the_confusion(findings: Findings) -> None:
    classes, table = findings.confusion  # type: ignore[misc]
    off = table - np.diag(np.diag(table))
    if off.max() == 0:
        findings.summary.append("No row was put into a wrong class.")
        return
    i, j = np.unravel_index(int(off.argmax()), off.shape)
    findings.summary.append(
        f"The most frequent mistake takes {classes[i]!r} for {classes[j]!r} ({off[i, j]:,} of {table[i].sum():,} rows)."
    )


def number_words(findings: Findings, blind_spot: str) -> None:
    """Say what an inverse regression has found."""
    d, k = findings.shown_directions, len(findings.directions)
    if d is not None:
        findings.summary.append(
            f"These rows show that {findings.target!r} depends on {_count(d, 'direction')}, of {k} possible"
            f"{_by_test(findings)}."
            if d
            else _none_shown(findings, f"direction on which {findings.target!r} depends")
        )
    if k:
        findings.summary.append(f"The first direction goes with {_driven(findings, 0)}.")
    _name_the_fit(findings, [c for c in findings.comparison if np.isfinite(c.score)])
    findings.doubts += [doubt for doubt in (blind_spot, findings.test.doubt) if doubt]


def _name_the_fit(findings: Findings, scored: list[ComparedMethod]) -> None:
    """Say how much of the response is explained, and whether a straight line or a curve does it."""
    if not scored:
        return
    best = max(scored, key=lambda c: c.score)
    if best.score <= 0:
        findings.summary.append(
            f"On rows left out, none of the methods does better than the mean of {findings.target!r} "
            f"(R² {percent(best.score)})."
        )
        return
    if best.score >= ALL_OF_IT:
        findings.summary.append(
            f"A leak? The other columns determine {findings.target!r}: on rows left out, {best.name} explains all of "
            f"its variance (R² {best.score:.4f}). Look for columns that are made of it, or add up to it."
        )
        return
    line = next((c for c in scored if c.name == "linear regression"), None)
    curve = max((c for c in scored if c is not line), key=lambda c: c.score, default=None)
    other = "" if line is None or best is line else f"; linear regression explains {_explained(line)}"
    findings.summary.append(
        f"On rows left out, {best.name} explains {best.score:.0%} of the variance of {findings.target!r} (95% "
        f"interval {percent(best.low)} to {percent(best.high)}){other}."
    )
    if best is line and curve is not None:
        better = "A straight line on all columns does better than any curve on a few directions; the best explains"
        said = f"{better} {_explained(curve)}."
        if curve.score >= line.score - AS_WELL:
            as_well = (
                "A straight line on all columns does as well as the best curve on a few directions, which explains"
            )
            said = f"{as_well} {_explained(curve)}."
        elif curve.score >= line.low:
            open_ = "a difference from the straight line that these rows cannot tell from chance"
            said = f"The best curve on a few directions explains {_explained(curve)}, {open_}."
        findings.summary.append(said)


def _explained(method: ComparedMethod) -> str:
    return "none of it" if method.score <= 0 else f"{method.score:.0%}"


def view_words(findings: Findings) -> None:
    """Say what canonical correlations have found."""
    d, values = findings.shown_directions, [x.value for x in findings.directions]
    if d is not None:
        findings.summary.append(
            f"{_some(d, len(values), 'pair')} {'is' if d == 1 else 'are'} related beyond chance{_by_test(findings)}."
            if d
            else _none_shown(findings, "related pair of directions")
        )
    if values:
        findings.summary.append(
            f"The strongest pair correlates at {values[0]:.2f}; in the first set it goes with {_driven(findings, 0)}, "
            f"in the second with {_driven(findings, len(values))}."
        )
    if findings.n_rows < 10 * findings.n_columns:
        findings.doubts.append(
            f"Canonical correlations are too large where rows are few: here there are {findings.n_rows:,} for "
            f"{findings.n_columns:,} columns."
        )
    findings.doubts.append("Correlations are those of the rows that were fitted; on new rows they are smaller.")


def map_words(findings: Findings, model: Any, test: Any) -> None:
    """Say what classical scaling has found."""
    shares = [d.share or 0.0 for d in findings.directions]
    findings.summary.append(
        f"Two coordinates carry {_share(sum(shares[:2]))} of the map, three {_share(sum(shares[:3]))}."
        if len(shares) > 2
        else f"The map has {_count(len(shares), 'coordinate')}."
    )
    if findings.test.name:
        shown, left = findings.shown_directions or 0, sum(d.shown is None for d in findings.directions)
        stand = f"{_count(shown, 'coordinate').capitalize()} {'is' if shown == 1 else 'are'} shown by both"
        more = f", {_count(left, 'more')[: None if left == 1 else -1]} by one of them" if left else ""
        findings.summary.append(f"{stand} the broken stick and the negative eigenvalues{more}.")
    if test:
        findings.summary.append("The distances are Euclidean: a map without any error exists, in enough dimensions.")
    else:
        inertia = float(getattr(model, "negative_inertia_", 0.0))
        findings.summary.append(
            f"The distances are not Euclidean: no map shows them exactly, in any number of dimensions ({inertia:.0%} "
            f"of the inertia is negative)."
        )
        findings.doubts.append("No map can show the negative part; a Schoenberg transform or a correction may fix it.")
    assert findings.shepard is not None
    drawn, given = findings.shepard["drawn"], findings.shepard["given"]
    stress = float(np.sqrt(np.sum((drawn - given) ** 2) / np.sum(given**2)))
    findings.summary.append(
        f"Distances on the map differ from the given ones by {stress:.0%} (stress in two dimensions)."
    )
    findings.doubts.append("A map may be turned and mirrored freely: only distances between points mean something.")
