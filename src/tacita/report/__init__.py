"""Report pages.

A release has a confidential review (HTML and JSON) and a public quality note. Further confidential pages show
a comparison of releases, the suppressed cells or adjusted values of a table, and the risk of the keys of an
unprotected file.

Nothing here computes statistics: all figures come from the record and the report of a release.
"""

from .comparison import comparison_html, comparison_json
from .note import note_html
from .review import review_html, review_json
from .risk import risk_html
from .table_note import adjustment_note_html
from .table_review import table_html

__all__ = [
    "adjustment_note_html",
    "comparison_html",
    "comparison_json",
    "note_html",
    "review_html",
    "review_json",
    "risk_html",
    "table_html",
]
