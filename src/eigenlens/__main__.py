"""`python -m eigenlens` is the command line."""

from .app import main

main()
