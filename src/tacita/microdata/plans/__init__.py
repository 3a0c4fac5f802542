"""Plans for records: the sections of a plan document."""
