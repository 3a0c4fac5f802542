"""Suppression in tables of any shape: branch and cut on their relations."""
