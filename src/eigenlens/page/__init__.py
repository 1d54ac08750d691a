"""Findings of a study become a page: one HTML file with its script, its pictures and its numbers, for any browser.

`findings.py` says what there is to show, `build.py` puts the page together, and `page.js` links pictures and tables.
"""

from .build import render

__all__ = ["render"]
