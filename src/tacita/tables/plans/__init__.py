"""Plans for tables: the sections of a plan document."""
