"""Warnings of what the source of a table does not say, or says in several spellings."""

from __future__ import annotations

from collections.abc import Mapping

from tacita.core import Caution, Table
from tacita.core.data.percent import SHARE_TAKEN, is_share


def not_in_the_file(table: Table, kind: str | None) -> tuple[Caution, ...]:
    """Warnings of what an audit could not try because the file does not say it."""
    sensitive, advice = int(table.primary.sum()), "Go from records to a .csv list, which keeps both."
    found = []
    if kind == "jj":
        text = (
            f"A JJ problem does not say who stands behind a cell: around {sensitive} sensitive cells nobody "
            "was taken to be alone in a withheld one."
        )
        found.append(Caution("contributors-unknown", text, sensitive, advice))
    elif table.contributors is not None and not table.rules:
        text = (
            f"The file does not say which rules made {sensitive} cells sensitive: whether withheld cells "
            "of a line add up to a sensitive sum was asked only of sums of one contributor."
        )
        found.append(Caution("rules-unknown", text, sensitive, advice))
    return tuple(found) if sensitive else ()


def respelled_units(table: Table) -> tuple[Caution, ...]:
    """A warning where names of units were taken for the same although they are spelled otherwise."""
    merged = 0 if table.contributors is None else table.contributors.respelled
    text = f"{merged} names of units differ from another only in spelling, and were counted as the same unit."
    return (Caution("units-respelled", text, merged, "Spell each unit in one way."),) if merged else ()


def about_levels(asked: Mapping[str, str | float], problem: str, sensitive: int) -> tuple[Caution, ...]:
    """Warnings of levels that the problem does not keep, and of shares that were given for percents."""
    found = []
    if problem != "interval" and (kept := [name for name, level in asked.items() if level]):
        what = f"{', '.join(kept)}: {problem} protection keeps no levels"
        text = f"{what}; {sensitive} sensitive cells go without."
        found.append(Caution("levels-not-kept", text, sensitive, "Use interval protection."))
    for name, level in asked.items():
        if is_share(level):
            text = f"{name}: {SHARE_TAKEN.format(level, 100 * level)}"
            advice = f"Write {100 * level:g}."
            found.append(Caution("share-for-percent", text, sensitive, advice))
    return tuple(found) if sensitive else ()
