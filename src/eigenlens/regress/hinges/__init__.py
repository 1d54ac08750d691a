"""The parts of adaptive splines: terms, knots, the forward search, pruning, and what is shown of a model."""
