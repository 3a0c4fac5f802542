"""Rendering of templates; every name from the data is escaped."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from tacita.core import ParameterError
from tacita.core.display.number_format import measured, number, setting, span, spoken


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tacita.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(measured=measured, number=number, setting=setting, spoken=spoken)
    environment.globals.update(span=span)
    return environment


def render(template: str | Path, **content: object) -> str:
    """A page from a template: by name, or by path for templates of other packages."""
    known = _environment()
    if isinstance(template, Path):
        return known.from_string(template.read_text("utf-8")).render(made=made_at(), **content)
    return known.get_template(template).render(made=made_at(), **content)


def made_at() -> str:
    """The date and minute of creation, or of SOURCE_DATE_EPOCH if it is set.

    Only pages show it: all other files of a run have the same bytes every time.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        when = datetime.now(UTC) if not epoch else datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        raise ParameterError(
            "SOURCE_DATE_EPOCH: wanted whole seconds since 1970, got something else. Correct or unset it."
        ) from None
    return f"{when:%Y-%m-%d %H:%M} UTC"
