"""Pages about an adjusted table: the confidential review, and the quality note for the public.

Only these leave the record for the note: the method, the figures that users need to reckon with (base, reach,
largest noise and its variance), and which promises were verified. How many cells changed, and by how much in
all, stays: that is one more equation for an attacker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacita.core import Adjusted, Table
from tacita.core.display.number_format import number

from .pages import render
from .suppression import range_of
from .tablemap import MOST_DRAWN, MOST_PANELS, Part, States, maps_of, paper_of

_STATES = ("lowered", "same", "raised")
_PALETTE = ((224, 164, 60), (226, 232, 238), (98, 160, 190))
# Rows of each list that a page shows; the JSON beside it has them all.
_MOST = 500


def adjustment_html(
    table: Table, adjusted: Adjusted, result: Mapping[str, Any], parts: Sequence[Part] = ()
) -> str:
    """The review page of an adjusted table; `result` is the record beside it, as JSON. Confidential.

    `parts` are the tables that are published of one system of linked ones.
    """
    states = _states(table, adjusted)
    maps = maps_of(table, parts, states)
    return render(
        "adjustment.html",
        result=result,
        maps=maps,
        paper=paper_of(maps),
        most=(MOST_DRAWN, MOST_PANELS),
        counts=states.counts(),
        attacked=result["attacked"][:_MOST],
        attacked_left=max(0, len(result["attacked"]) - _MOST),
        range_of=lambda found: f"{range_of(found)}{'' if found['all_of_it'] else ', or more'}",
    )


def _states(table: Table, adjusted: Adjusted) -> States:
    """Which cells were raised, lowered or left; true values stand below those that changed."""
    moved = np.sign(adjusted.values - table.values).astype(np.int64)
    changed = np.flatnonzero(moved).tolist()

    def value(cell: int) -> str:
        return f"{'● ' if table.primary[cell] else ''}{number(float(adjusted.values[cell]))}"

    def words(cell: int) -> str | None:
        if not moved[cell]:
            return None
        return f"{' / '.join(table.label(cell))}: {value(cell)}, true {number(float(table.values[cell]))}"

    below = {cell: f"true {number(float(table.values[cell]))}" for cell in changed}
    return States(_STATES, _PALETTE, moved + 1, value, below, words)


def adjustment_note_html(table: Table, result: Mapping[str, Any], titles: Sequence[str] = ()) -> str:
    """A short page that is safe to publish beside an adjusted table, or beside several that are linked.

    `titles` has that of each table, empty where nobody gave one; that of the one if not given.
    """
    shown = titles or [table.title]
    kept = {each["guarantee"] for each in result["promises"] if each["passed"]}
    return render(
        "adjustment_note.html",
        method=result["method"],
        cells=result["cells"],
        title=", ".join(title for title in shown if title),
        tables=len(shown),
        done=_done(table, result),
        additive="adds-up" in kept,
        zeros="zeros-stay" in kept,
        promises=[each["promise"] for each in result["promises"] if each["passed"]],
    )


def _done(table: Table, result: Mapping[str, Any]) -> list[str]:
    """What was done, in sentences for users of the table."""
    asked = result["parameters"]
    match result["method"]:
        case "rounding":
            how = (
                "up or down by chance, so that no value is biased" if asked["random"] else "as near as can be"
            )
            told = [
                f"Every value is a multiple of {number(result['base'])}, rounded {how}; all sums add up.",
                f"No value is {number(result['reach'])} or more away from the true one.",
            ]
        case "small-counts":
            told = [
                f"Counts of 1 to {asked['base'] - 1} in inner cells became 0 or {asked['base']}; sums were "
                "added up from the new counts. Larger inner counts are as they were."
            ]
        case "cell-key" if table.frequency:
            told = [
                f"Counts carry noise of at most {asked['largest']} and of variance "
                f"{number(asked['variance'])} at most, on average none. The same records have the same noise "
                "in every table of the same keys.",
                *([f"Counts of 1 to {asked['hidden']} are never published."] if asked["hidden"] else []),
            ]
        case "cell-key":
            told = [
                "Values carry noise, on average none, in proportion to the largest contribution of a cell."
            ]
        case "cta":
            told = ["Some values were changed, up or down, and others with them so that all sums add up."]
        case other:
            told = [f"Values were changed by the method {other}."]
    return told
