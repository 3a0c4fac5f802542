"""Methods that leave out columns, or the records that a condition names."""
