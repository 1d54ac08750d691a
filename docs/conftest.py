"""The pages are run as doctests; scripts that draw, and the configuration of Sphinx, are not pages."""

collect_ignore_glob = ["*.py", "gallery/*", "pictures/*", "auto_examples/*", "api/*", "_made/*"]
