"""Random estimators, tables, targets, weights and parameters: every call must answer, or refuse in our own words.

`python -m fuzz --cases 5000` (with `tests` on the path) prints the cases that do neither; `python -m fuzz --only SEED`
repeats one of them with its traceback. A case is decided by its seed alone.
"""
