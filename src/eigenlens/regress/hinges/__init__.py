"""The parts of adaptive splines: terms, candidates for knots, the forward search, and pruning."""
