"""`advise`: from answers to a method."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import Any

import click
from rich.table import Table

from .advice import FIRST, Answer, Leaf, Question, leaves
from .console import console, escape, print_json


def run_advise(options: dict[str, Any]) -> None:
    """Follow the answers given and ask for the others; print the method, or the methods that are still possible."""
    path, place = followed(options["answers"])
    if on_terminal() and not options["as_json"]:
        path, place = asked(path, place)
    found = [(path, place)] if isinstance(place, Leaf) else list(leaves(place, path))
    if options["as_json"]:
        print_json([entry(way, leaf) for way, leaf in found])
    elif isinstance(place, Leaf):
        print_leaf(place)
    else:
        print_question(place, found)


def on_terminal() -> bool:
    """Tell whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def asked(path: tuple[Answer, ...], place: Question | Leaf) -> tuple[tuple[Answer, ...], Question | Leaf]:
    """Ask one question after the other until the answers lead to a method."""
    out = console()
    while isinstance(place, Question):
        possible = answers_to(path, place)
        out.print(f"[bold]{place.text}[/bold]")
        for key, answer in possible.items():
            out.print(f"  {key:<12}{escape(answer.text)}")
        word = click.prompt("Your answer", type=click.Choice(list(possible)), show_choices=False)
        path, place = (*path, possible[word]), possible[word].then
        out.print()
    return path, place


def answers_to(path: tuple[Answer, ...], place: Question) -> dict[str, Answer]:
    """Return the answers to a question that lead to a method, by their words."""
    return {way[len(path)].key: way[len(path)] for way, _ in leaves(place, path)}


def followed(words: tuple[str, ...]) -> tuple[tuple[Answer, ...], Question | Leaf]:
    """Return the answers that words name, and the question or the method where they lead."""
    path: tuple[Answer, ...] = ()
    place: Question | Leaf = FIRST
    for word in words:
        if isinstance(place, Leaf):
            raise click.UsageError(f"{word!r}: the answers before it already lead to {place.method}; leave it out.")
        possible = answers_to(path, place)
        if word not in possible:
            raise click.UsageError(f"{word!r} does not answer {place.text!r}; choose one of {', '.join(possible)}.")
        path, place = (*path, possible[word]), possible[word].then
    return path, place


def entry(way: tuple[Answer, ...], leaf: Leaf) -> dict[str, Any]:
    return {"answers": [a.key for a in way], "method": leaf.method, "shows": leaf.shows, "code": leaf.code}


def print_leaf(leaf: Leaf) -> None:
    room, _, name = leaf.method.rpartition(".")
    out = console()
    out.print(f"[bold]{name}[/bold] shows {escape(leaf.shows)}.\n")
    out.print(f"from eigenlens{'.' + room if room else ''} import {name}\n{escape(leaf.code)}", soft_wrap=True)


def print_question(question: Question, found: list[tuple[tuple[Answer, ...], Leaf]]) -> None:
    out = console()
    out.print(f"[bold]{question.text}[/bold]\n")
    for before, group in groupby(found, key=lambda each: each[0][:-1]):
        head = ": ".join(a.text for a in before) or "other data"
        out.print(escape(head[0].upper() + head[1:]), style="italic")
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(min_width=29, no_wrap=True, style="dim")
        table.add_column(min_width=24, no_wrap=True, style="bold")
        table.add_column()
        for way, leaf in group:
            table.add_row("  " + " ".join(a.key for a in way), leaf.method.rpartition(".")[2], escape(way[-1].text))
        out.print(table)
    out.print("\nThe words on the left lead to a method: eigenlens advise classes lumps")
