"""Suppression in large tables of any shape: patterns by small linear programs, each around one cell."""
