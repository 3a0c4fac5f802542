"""From records or lists of cells to tables."""
