"""Timings, printed as ratios against a plain version or a peer in the same run. `python -m benchmarks`."""
