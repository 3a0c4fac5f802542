"""What a release looks like before and after, as the review report draws it: figures that are ready to draw.

Places of bars and cells come from the report; words are left to the page, which speaks other languages too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tacita.core import Record
from tacita.core.results.release import AttributeSummary
from tacita.report.figures import compact
from tacita.report.heatmap import correlation, heatmaps
from tacita.report.plots import before_and_after
from tacita.report.shares import shares

# Words of the report, in English.
_WORDS = ("title", "description", "words")
_OTHERS = re.compile(r"(\d+) other categories")
_MAPS = ("before", "after", "change")


def pictures(record: Record) -> dict[str, Any]:
    """Every protected column before and after, and how columns hang together; no record shows in them."""
    told = record.correlations
    return {
        "plots": [_plot(summary) for summary in record.summaries],
        "correlations": None
        if told is None
        else {
            "columns": told.columns,
            "relations": [[each.one, each.other] for each in told.relations],
            "largest": [
                [each.one, each.other, correlation(each.before), correlation(each.after)]
                for each in told.changed_most
            ],
            "maps": dict(zip(_MAPS, map(_wordless, map(asdict, heatmaps(told))), strict=True)),
        },
    }


def _plot(summary: AttributeSummary) -> dict[str, Any]:
    drawn = shares(summary) if summary.categories else before_and_after(summary)
    return {
        "name": summary.name,
        "of": "categories" if summary.categories else "numbers",
        "edges": compact(summary.edges),
        "categories": list(summary.categories),
        "others": _others(summary.categories),
        "before": list(summary.before),
        "after": list(summary.after),
        "spread": summary.spread_change,
        "drawn": _wordless(asdict(drawn)),
    }


def _others(categories: Sequence[str]) -> int | None:
    """How many categories the last one stands for, where it stands for several."""
    found = _OTHERS.fullmatch(categories[-1]) if categories else None
    return None if found is None else int(found[1])


def _wordless(drawn: Any) -> Any:
    if isinstance(drawn, dict):
        return {name: _wordless(value) for name, value in drawn.items() if name not in _WORDS}
    return [_wordless(each) for each in drawn] if isinstance(drawn, list | tuple) else drawn
