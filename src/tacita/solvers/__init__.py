"""Solvers of programmes by other houses, a file each."""
