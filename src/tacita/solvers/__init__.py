"""Solvers of linear and integer programs from other projects, one module each."""
