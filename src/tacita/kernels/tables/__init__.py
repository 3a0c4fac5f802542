"""Kernels over the rows and columns of tables."""
