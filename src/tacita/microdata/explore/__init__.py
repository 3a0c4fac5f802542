"""Exploration of a file before it is protected: columns, hierarchies, risk."""
