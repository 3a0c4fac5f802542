"""Other values in place of the original ones, record by record. One method family per file."""
