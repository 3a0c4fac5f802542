"""Timings, printed as ratios against a plain version or a peer in the same run. `python -m benchmarks`."""

import sys
from pathlib import Path

# cases are drawn and judged by modules of the tests: their twins, and what lies in support/
_TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(folder) for folder in (_TESTS / "support", _TESTS) if str(folder) not in sys.path]
