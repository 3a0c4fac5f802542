"""How numbers and results are shown. The standard library alone."""
