"""Experiments of the literature, run again: published figures beside ours."""
