"""Check before a run what the output of a plan cannot hold of its source: an error or a warning."""

from __future__ import annotations

from tacita.core import DataError, DisclosureWarning, Microdata, ParameterError
from tacita.io import writable
from tacita.io.formats.record_format import RecordFormat
from tacita.microdata.plans.plan import Protection


def check_output(data: Microdata, protection: Protection, form: RecordFormat) -> DisclosureWarning | None:
    """A warning of what the output cannot hold, or None; raise if it cannot be written at all."""
    parts = _released_columns(data, protection)
    if parts is None:
        return None
    unchanged, changed = parts
    writable.refuse_unwritable(data, unchanged, changed, form, all_stay=not _drops_records(protection))
    names = [name for name in data.columns if name in changed or name in unchanged]
    return writable.kept_less(data, names, form)


def _released_columns(data: Microdata, protection: Protection) -> tuple[list[str], set[str]] | None:
    """The unchanged and the changed columns of the output; None if roles are wrong."""
    try:
        steps = protection.planned
        roles = data.with_roles(protection.whole)
        changed = {*roles.quasi, *(roles.roles.pseudonyms if roles.roles else ())}
        gone = {*(roles.roles.identifiers if roles.roles else ())}
        for step in steps:
            gone.update(step.section.build().dropped_columns)
    except (DataError, ParameterError):
        # wrong roles raise their error where they are used
        return None
    unchanged = [name for name in data.columns if name not in gone and name not in changed]
    return unchanged, changed - gone


def _drops_records(protection: Protection) -> bool:
    return any(step.missing == "drop" or step.section.build().drops_records for step in protection.planned)
