"""Coarser values in place of fine ones, the same for everybody who had the same."""
