"""The bytes of a published table, read back and attacked before they may be written.

What an outsider reads in the file counts, not what was meant: withheld cells must be empty, published ones
the true values, nothing else may be there, and the pattern that the file itself shows must pass the audit.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacita.core import ParameterError, Pattern, Run, Table, VerificationError
from tacita.io import published

from .audit import Audit, audit, require_safe
from .judge import Problem
from .reading import Seen, differs, read_back

Mask = npt.NDArray[np.bool_]

_FORMS = {".csv": "csv", ".xlsx": "excel", ".html": "html", ".htm": "html"}


def form_of(path: Path) -> str:
    """What kind of published table a path names, by its ending.

    >>> form_of(Path("table.xlsx"))
    'excel'
    """
    ending = path.suffix.lower()
    found = _FORMS.get(ending)
    if ending in (".tab", ".jj"):
        raise ParameterError(
            f"{path.name}: files of tau-ARGUS hold the true values and say which are sensitive. "
            f"A published table ends in {', '.join(_FORMS)}."
        )
    if found is None:
        raise ParameterError(
            f"{path.name}: wanted a published table ending in {', '.join(_FORMS)}, "
            f"got {path.suffix or 'no ending'}."
        )
    return found


def encoded(table: Table, pattern: Pattern, form: str, run: Run | None = None) -> bytes:
    """A published table as bytes that have been read back, compared and audited."""
    content = {"csv": published.to_csv, "excel": published.to_excel, "html": published.to_html}[form](
        table, pattern
    )
    seen = read_back(content, form, table, "Published table")
    refuse_differences(table, seen, pattern.withheld)
    problem: Problem = pattern.problem  # type: ignore[assignment]
    insisted = bool(pattern.parameters.get("insist"))
    require_safe(audit(table, seen.withheld, problem, run, insist=insisted))
    return content


def refuse_differences(table: Table, seen: Seen, withheld: Mask) -> None:
    """Raise where a file withholds other cells than it should, or shows another value, or anything else."""
    if not np.array_equal(seen.withheld, withheld):
        raise VerificationError(
            "Published table: read back, it does not withhold the cells that it should. Nothing was written."
        )
    if seen.besides:
        raise VerificationError(
            f"Published table: read back, it shows more than the table: {'; '.join(seen.besides)}. Nothing "
            "was written."
        )
    if wrong := int(changed(table, seen).sum()):
        raise VerificationError(
            f"Published table: read back, {wrong} values are not those of the table. Nothing was written."
        )


def changed(table: Table, seen: Seen) -> Mask:
    """Published cells whose value in the file is not that of the table."""
    return ~seen.withheld & differs(seen.values, table)


def audit_published(
    table: Table,
    content: bytes,
    form: str,
    problem: Problem,
    run: Run | None = None,
    *,
    source: str,
    strict: bool = False,
    insist: bool = False,
) -> tuple[Audit, int, tuple[str, ...]]:
    """Attack a published file, whoever made it; also how many values are others, and what else is there.

    A cell that is called withheld counts as such, although its value may stand there: that is told besides.
    """
    seen = read_back(content, form, table, source)
    found = audit(table, seen.withheld, problem, run, strict=strict, insist=insist)
    return found, int(changed(table, seen).sum()), seen.besides
