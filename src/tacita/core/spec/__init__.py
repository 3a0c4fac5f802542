"""What can be asked for: parameters, methods, roles, options and plans. Pydantic alone, no arrays."""
