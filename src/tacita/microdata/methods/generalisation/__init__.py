"""Coarser keys until nobody stands out: one level for everybody, one node for each class, or ranges."""
