"""Kernels over records."""
