"""What the library answers: run in two trees by `tools/beside.py`, which compares the answers.

`python -m answers SECTION FILE` asks one section of the library that PYTHONPATH names, and pickles the answers.
A section yields cases, each a name and a function; a case asks one thing after the other, and what
fails is an answer too.
Only names that users import are used, and those that move are looked up in every place where they may be.
"""
