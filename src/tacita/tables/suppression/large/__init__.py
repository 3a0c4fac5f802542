"""Suppression in large tables of any shape: patterns by small programmes, each around a cell."""
