"""What becomes of columns of which much is withheld."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import Caution
from tacita.microdata.protection.protect import Protected

# Percent of the values of a column beyond which it is hardly of use.
_MUCH = 20.0

NOT_PROMISED_OF_WILDCARDS = (
    "That records look alike: who is compatible with k records may still fit one of them best.",
)


def much_withheld(protected: Protected) -> Iterator[Caution]:
    """Columns that lost a fifth of their values or more."""
    found = protected.search if protected.method.kind == "withholding" else {}
    for name, share in found.get("share_by_column", {}).items():
        if share > _MUCH:
            yield Caution(
                "much-withheld",
                f"Column {name} lost {share:.0f} % of its values.",
                found["cells_by_column"][name],
                "Recode it into fewer categories first, give it more importance, or leave a key out.",
            )
