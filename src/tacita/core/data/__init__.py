"""The values that everything works on: records, tables, hierarchies, groups, patterns."""
