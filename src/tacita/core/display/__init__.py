"""Display of numbers and results, with the standard library alone."""
