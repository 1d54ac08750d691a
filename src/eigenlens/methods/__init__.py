"""The names users know: tables become fitted models, one file for each method.

What methods share (how rows are read, moments posed, answers published) is in `spine`; a method is wiring, and knows no
other method.
"""
