"""What was published of cell suppression with a proof beside ours."""

from __future__ import annotations

from dataclasses import asdict, replace

from tacita._version import __version__
from tacita.core import Run
from tacita.reproduce.document import Document

from .experiments import Setting, gather
from .page import page
from .plot import times_and_proofs


def document(
    run: Run,
    quick: bool,
    *,
    tables: int | None = None,
    cap: float | None = None,
    largest: int | None = None,
) -> Document:
    """All experiments, as a page, a figure and numbers.

    `tables` stand behind each row, `cap` seconds of processor time end a search, and tables with a side above
    `largest` are left out.
    """
    said = {"tables": tables, "cap": cap, "largest": largest}
    given = {name: value for name, value in said.items() if value is not None}
    setting = replace(Setting.usual(quick), **given)  # type: ignore[arg-type]
    found = gather(setting, run)
    numbers = {
        "version": __version__,
        "setting": asdict(setting),
        "command": setting.command,
        "rows": [
            {**asdict(row.case), "primaries": row.case.primaries, "answers": [asdict(a) for a in row.answers]}
            for row in found
        ],
    }
    return Document("tables", page(setting, found), numbers, {"tables.svg": times_and_proofs(found)})
