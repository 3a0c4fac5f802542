"""The templates, with every name that comes from the data escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from .figures import number, setting, span, spoken


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
    environment.filters.update(number=number, setting=setting, spoken=spoken)
    environment.globals.update(span=span)
    return environment


def render(template: str, **content: object) -> str:
    """A whole page."""
    return _environment().get_template(template).render(**content)
