"""Pages about a release: the confidential review (HTML and JSON) and the quality note for the public.
And about several of them side by side: the confidential comparison. And about a table: its withheld cells, or
its adjusted values. And about a file before anything is protected: the risk of its keys.

Nothing here computes a statistic; what is shown stands in the release's record and report.
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
