"""Patterns found soon, without a proof: paths, elimination, sub-gradients, chance."""
