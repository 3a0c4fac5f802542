"""What a confidential record keeps of a suppressed or audited table, in plain figures for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from tacita.core import Caution, Table
from tacita.core.percent import SHARE_TAKEN, is_share

from .audit import Audit
from .suppress import Suppressed


def result(found: Suppressed) -> dict[str, Any]:
    """Cost, proof, withheld cells and what the audit found of each sensitive one. Confidential.

    A side of a range without limit is None. `lower_bound`, `gap`, `proven` and `status` speak of the problem
    alone, at `problem_cost`; `lone_cost` was paid against lone contributors, and no bound is known for it.
    """
    pattern = found.pattern
    return {
        "confidential": True,
        "problem": pattern.problem,
        "method": pattern.method,
        "parameters": dict(pattern.parameters),
        "status": pattern.status,
        "cost": pattern.cost,
        "problem_cost": pattern.problem_cost,
        "lone_cost": pattern.lone_cost,
        "lone_count": pattern.lone_count,
        "secondary_count": pattern.secondary_count,
        "primary_count": int(pattern.primary.sum()),
        "lower_bound": pattern.lower_bound,
        "gap": pattern.gap,
        "proven": pattern.proven,
        "seconds": pattern.seconds,
        "withheld": _withheld(found.table, found.audit),
        **audited(found.table, found.audit),
    }


def audited(table: Table, found: Audit) -> dict[str, Any]:
    """The verdict, the range of every sensitive cell, and the warnings. Confidential."""
    failed = {each.cell: each for each in found.failures}
    ranges = {
        int(cell): (low, high) for cell, low, high in zip(found.cells, found.low, found.high, strict=True)
    }
    needed = dict(zip(("wanted_low", "wanted_high", "wanted_width"), table.needed(), strict=True))
    told = []
    for cell in np.flatnonzero(table.primary).tolist():
        value = float(table.values[cell])
        low, high = ranges.get(cell, (value, value))
        entry = {**_place(table, cell), "low": _finite(low), "high": _finite(high)}
        if found.problem == "interval":
            entry |= {name: _finite(figures[cell]) for name, figures in needed.items()}
        entry["protected"] = cell not in failed
        if cell in failed:
            entry |= {"reason": failed[cell].reason, "shortfall": _finite(failed[cell].shortfall)}
        told.append(entry)
    return {
        "safe": found.safe,
        "places": place_names(table),
        "audit": told,
        "warnings": [
            {"name": each.name, "text": each.text, "count": each.count, "advice": each.advice}
            for each in found.cautions
        ],
    }


def _withheld(table: Table, found: Audit) -> list[dict[str, Any]]:
    return [
        {
            **_place(table, int(cell)),
            "kind": "primary" if table.primary[cell] else "secondary",
            "low": _finite(low),
            "high": _finite(high),
        }
        for cell, low, high in zip(found.cells, found.low, found.high, strict=True)
    ]


def place_names(table: Table) -> list[str]:
    """What says in a record where a cell stands: row and column; else the names of the dimensions."""
    return ["row", "column"] if len(table.dimensions) == 2 else [each.name for each in table.dimensions]


def _place(table: Table, cell: int) -> dict[str, str]:
    return dict(zip(place_names(table), table.label(cell), strict=True))


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def not_in_the_file(table: Table, kind: str | None) -> list[dict[str, Any]]:
    """Warnings of what an audit could not try because the file does not say it."""
    sensitive, advice = int(table.primary.sum()), "Go from records to a .csv list, which keeps both."
    found = []
    if kind == "jj":
        text = (
            f"A JJ problem does not say who stands behind a cell: around {sensitive} sensitive cells nobody "
            "was taken to be alone in a withheld one."
        )
        found.append(Caution("contributors-unknown", text, sensitive, advice))
    elif table.contributors is not None and not table.rules:
        text = (
            f"The file does not say which rules made {sensitive} cells sensitive: whether withheld cells "
            "of a line add up to a sensitive sum was asked only of sums of one contributor."
        )
        found.append(Caution("rules-unknown", text, sensitive, advice))
    return [asdict(each) for each in found if sensitive]


def about_levels(asked: Mapping[str, str | float], problem: str, sensitive: int) -> list[dict[str, Any]]:
    """Warnings of levels that the problem does not keep, and of shares that were given for percents."""
    found = []
    if problem != "interval" and (kept := [name for name, level in asked.items() if level]):
        what = f"{', '.join(kept)}: {problem} protection keeps no levels"
        text = f"{what}; {sensitive} sensitive cells go without."
        found.append(Caution("levels-not-kept", text, sensitive, "Use interval protection."))
    for name, level in asked.items():
        if is_share(level):
            text = f"{name}: {SHARE_TAKEN.format(level, 100 * level)}"
            advice = f"Write {100 * level:g}."
            found.append(Caution("share-for-percent", text, sensitive, advice))
    return [asdict(each) for each in found if sensitive]
