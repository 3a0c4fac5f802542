"""How long the published experiments took when their pages were last made.

    python -m benchmarks.experiment_seconds

Sums the seconds that the numbers behind the pages (docs/reproduced/*.json) keep for each table, search and
method: what `python -m experiments` takes at least, one after the other, on the machine that made them.
`synthetic` keeps none. Issue 39 asks for at most 6 hours on two cores.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .table import Columns

_PAGES = Path(__file__).resolve().parent.parent / "docs" / "reproduced"
_LIMIT = 6 * 3600.0


def seconds_of(numbers: Any) -> Iterator[float]:
    """Every `seconds` of something that was run; limits of a whole method are none.

    >>> list(seconds_of({"answers": [{"seconds": 2.0}, {"seconds": 3.0}], "method": {"seconds": 240.0}}))
    [2.0, 3.0]
    """
    if isinstance(numbers, dict):
        for value in numbers.values():
            if not isinstance(value, dict) or "seconds" not in value:
                yield from seconds_of(value)
    elif isinstance(numbers, list):
        for each in numbers:
            if isinstance(each, dict) and "seconds" in each:
                yield float(each["seconds"])
            else:
                yield from seconds_of(each)


def main() -> int:
    """Print the seconds of each experiment and of all."""
    total = 0.0
    table = Columns(experiment="<20", seconds=">10.0f")
    table.print_titles()
    for path in sorted(_PAGES.glob("*.json")):
        seconds = sum(seconds_of(json.loads(path.read_text(encoding="utf-8"))))
        total += seconds
        table.print(path.stem, seconds)
    table.print("together", total)
    print(f"{total / 3600:.1f} of {_LIMIT / 3600:.0f} hours")
    return int(total > _LIMIT)


if __name__ == "__main__":
    sys.exit(main())
