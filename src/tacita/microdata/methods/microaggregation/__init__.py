"""Groups of at least k records, published as their means. One method family per file."""
