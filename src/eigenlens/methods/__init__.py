"""The names users know: one file per method, wiring only."""
