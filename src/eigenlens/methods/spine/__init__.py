"""What methods share: rows become moments, moments a `Problem`, and its solution the attributes of a fitted model.

`moments_estimator.py` is the walk of a fit from moments, `rows_estimator.py` that of a fit that needs all rows at once.
"""
