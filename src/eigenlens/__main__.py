"""`python -m eigenlens` is the command line."""

from .cli import main

main()
