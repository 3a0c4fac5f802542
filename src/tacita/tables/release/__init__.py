"""From a table to a release: suppress or adjust, audit, record."""
