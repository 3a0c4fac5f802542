"""Wishes of the documents that tacita does not offer as methods: run, and measured beside what it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.document import Document
from tacita.core import RunContext

from .page import page
from .trials import Findings, gather


def document(run: RunContext, quick: bool) -> Document:
    """All searches, as a page and numbers."""
    return _document(gather(run, quick))


def rendered(numbers: Mapping[str, Any]) -> Document:
    """The page of an earlier run from its numbers."""
    return _document(Findings.from_numbers(numbers))


def _document(found: Findings) -> Document:
    return Document("wishes", page(found), found.numbers())
