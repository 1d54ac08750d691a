"""Simulations of what tests and intervals claim, by subject."""
