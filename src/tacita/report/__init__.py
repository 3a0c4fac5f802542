"""Pages about a release: the confidential review (HTML and JSON) and the quality note for the public.

Nothing here computes a statistic; what is shown stands in the release's record and report.
"""

from .note import note_html
from .review import review_html, review_json

__all__ = ["note_html", "review_html", "review_json"]
