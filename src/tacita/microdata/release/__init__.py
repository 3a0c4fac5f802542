"""From protected values to a release: encode, verify, record."""
