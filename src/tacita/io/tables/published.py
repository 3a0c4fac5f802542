"""The bytes of a published table, without an audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacita.core import Table

from .base import PublishedFormat
from .csv import PublishedCSV
from .excel import PublishedExcel
from .html import PublishedHTML
from .shown import Shown


def _writer(form: PublishedFormat) -> Callable[[Table, Any], bytes]:
    """What writes a table without the cells of a pattern or mask."""
    return lambda table, withheld: form.encode(Shown.of(table, withheld))


to_csv, to_excel, to_html = map(_writer, (PublishedCSV(), PublishedExcel(), PublishedHTML()))
