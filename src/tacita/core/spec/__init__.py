"""Specification of a run: parameters, methods, roles, options and plans. Pydantic alone, no arrays."""
