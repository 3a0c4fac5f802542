"""Counts and moments that methods and measures share."""
