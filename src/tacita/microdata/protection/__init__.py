"""From a data frame to protected values: prepare, apply one step after the other."""
