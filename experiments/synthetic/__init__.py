"""What was published of synthetic data by regression beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.document import Document
from experiments.version import VERSION
from tacita.core import RunContext

from . import plot
from .findings import Findings, gather
from .page import page


def document(run: RunContext, quick: bool) -> Document:
    """All experiments, as a page, figures and numbers."""
    return _document(gather(run, quick))


def rendered(numbers: Mapping[str, Any]) -> Document:
    """The same from the numbers of an earlier run."""
    return _document(Findings.from_numbers(numbers))


def _document(found: Findings) -> Document:
    figures = {
        **{
            f"synthetic-{split.lower()}.svg": plot.against_c(found.against_c, split) for split in found.splits
        },
        "synthetic-clouds.svg": plot.clouds(found.clouds),
        "synthetic-panels.svg": plot.panels(),
        "synthetic-s3.svg": plot.fields(found.surface),
        "synthetic-s3-surface.svg": plot.surface(found.surface),
    }
    return Document("synthetic", page(found), {"version": VERSION, **found.numbers()}, figures)
