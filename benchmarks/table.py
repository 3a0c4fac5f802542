"""The table that benchmarks print: a line for each result, as soon as it is known."""

from __future__ import annotations

import re


class Columns:
    """Columns by title and form, such as `ours=">10.5g"`; texts and gaps take the width of the form alone."""

    def __init__(self, **forms: str) -> None:
        self.forms = forms

    def print_titles(self) -> None:
        """The first line: what each column holds."""
        self.print(*(title.replace("_", " ") for title in self.forms))

    def print(self, *cells: float | str | None) -> None:
        """One line of cells."""
        shown = (_shown(cell, form) for cell, form in zip(cells, self.forms.values(), strict=True))
        print(" ".join(shown).rstrip(), flush=True)


def _shown(cell: float | str | None, form: str) -> str:
    if cell is None or isinstance(cell, str):
        return format(cell or "", re.match(r"[<>]?\d*", form)[0])  # type: ignore[index]
    return format(cell, form)
