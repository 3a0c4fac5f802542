"""The bytes of a published table, without an audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacita.core import Table

from .csv import PublishedCSV
from .excel import PublishedExcel
from .html import PublishedHTML
from .published_table import Shown
from .table_format import PublishedFormat


def _writer(form: PublishedFormat) -> Callable[[Table, Any], bytes]:
    """What writes a table without the cells of a pattern or mask."""
    return lambda table, withheld: form.encode(Shown.of(table, withheld))


to_csv, to_excel, to_html = map(_writer, (PublishedCSV(), PublishedExcel(), PublishedHTML()))
