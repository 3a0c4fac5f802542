"""The quality note of an adjusted table, for the public.

Only these leave the record for the note: the method, the figures that users need to reckon with (base, reach,
largest noise and its variance), and which promises were verified. How many cells changed, and by how much in
all, stays: that is one more equation for an attacker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.core import Table
from tacita.core.display.number_format import number

from .pages import render


def adjustment_note_html(table: Table, result: Mapping[str, Any], titles: Sequence[str] = ()) -> str:
    """A short page that is safe to publish with an adjusted table, or with several linked ones.

    `titles` has the title of each table, empty if it has none; by default the title of `table`.
    """
    shown = titles or [table.title]
    kept = {verdict["guarantee"] for verdict in result["promises"] if verdict["passed"]}
    return render(
        "adjustment_note.html",
        method=result["method"],
        cells=result["cells"],
        title=", ".join(title for title in shown if title),
        tables=len(shown),
        done=_done(table, result),
        additive="adds-up" in kept,
        zeros="zeros-stay" in kept,
        promises=[verdict["promise"] for verdict in result["promises"] if verdict["passed"]],
    )


def _done(table: Table, result: Mapping[str, Any]) -> list[str]:
    """The adjustment described for users of the table."""
    parameters = result["parameters"]
    match result["method"]:
        case "rounding":
            how = (
                "up or down by chance, so that no value is biased"
                if parameters["random"]
                else "as near as can be"
            )
            promises = [
                f"Every value is a multiple of {number(result['base'])}, rounded {how}; all sums add up.",
                f"No value is {number(result['reach'])} or more away from the true one.",
            ]
        case "small-counts":
            promises = [
                f"Counts of 1 to {parameters['base'] - 1} in inner cells became 0 or {parameters['base']}; "
                "sums were added up from the new counts. Larger inner counts are as they were."
            ]
        case "cell-key" if table.frequency:
            promises = [
                f"Counts carry noise of at most {parameters['largest']} and of variance "
                f"{number(parameters['variance'])} at most, on average none. The same records have the same "
                "noise in every table of the same keys.",
                *(
                    [f"Counts of 1 to {parameters['hidden']} are never published."]
                    if parameters["hidden"]
                    else []
                ),
            ]
        case "cell-key":
            promises = [
                "Values carry noise, on average none, in proportion to the largest contribution of a cell."
            ]
        case "cta":
            promises = ["Some values were changed, up or down, and others with them so that all sums add up."]
        case other:
            promises = [f"Values were changed by the method {other}."]
    return promises
