"""Dependent attributes drawn anew, given independent ones that are kept. One method family per file."""
