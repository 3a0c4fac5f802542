"""Where the cells of correlations go: a triangle of figures. The template `heatmap.html` draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tacita.core.display.number_format import MINUS
from tacita.core.results.plot_data import Correlations, Relation

from .plots import pixel, shortened

_CELL, _MARGIN = 36.0, 2.0
# A name runs to the right of its cell, where the triangle leaves room.
_NAME, _LETTER = 15, 8.0
# Lower ends of the shades: of a correlation, and of a change of one.
_STRENGTHS = (0.05, 0.25, 0.5, 0.75)
_CHANGES = (0.01, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Cell:
    """A figure in its square; `shade` is its CSS class: n4 to n1, z, p1 to p4."""

    x: str
    y: str
    text: str
    shade: str
    words: str


@dataclass(frozen=True)
class Name:
    """A column's name at the end of its row, above its own column of cells."""

    x: str
    y: str
    text: str
    full: str


@dataclass(frozen=True)
class Heatmap:
    """Everything the template needs, as text ready to be written."""

    title: str
    description: str
    cells: tuple[Cell, ...]
    names: tuple[Name, ...]
    keys: tuple[tuple[str, str], ...]
    width: str
    height: str
    size: str = pixel(_CELL - 1)


def heatmaps(told: Correlations) -> tuple[Heatmap, Heatmap, Heatmap]:
    """Correlations before, after, and what changed.

    >>> told = Correlations(2, ("a", "b"), (Relation("b", "a", 0.5, -0.25),))
    >>> [each.cells[0].text for each in heatmaps(told)]
    ['.50', '−.25', '−.75']
    """
    return (
        _heatmap("Original", told, lambda each: each.before, _STRENGTHS),
        _heatmap("Released", told, lambda each: each.after, _STRENGTHS),
        _heatmap("Change", told, lambda each: each.change, _CHANGES),
    )


def correlation(value: float | None) -> str:
    """A correlation without the nought that all have.

    >>> correlation(0.504), correlation(-1.0), correlation(-0.001), correlation(None)
    ('.50', '−1', '0', '–')
    """
    if value is None:
        return "–"
    text = f"{abs(value):.2f}"
    if text == "0.00":
        return "0"
    text = text.removeprefix("0").removesuffix(".00")
    return f"{MINUS}{text}" if value < 0 else text


def _heatmap(
    title: str, told: Correlations, figure: Callable[[Relation], float | None], shades: Sequence[float]
) -> Heatmap:
    places = [(i, j) for i in range(len(told.names)) for j in range(i)]
    values = [figure(each) for each in told.relations]
    cells = tuple(
        Cell(
            pixel(_MARGIN + j * _CELL),
            pixel(_MARGIN + i * _CELL),
            correlation(value),
            _shade(value, shades),
            f"{each.one} and {each.other}: {correlation(value)}",
        )
        for (i, j), value, each in zip(places, values, told.relations, strict=True)
    )
    names = tuple(
        Name(pixel(_MARGIN + i * _CELL + 4), pixel(_MARGIN + (i + 0.5) * _CELL), shortened(name, _NAME), name)
        for i, name in enumerate(told.names)
    )
    known = [value for value in values if value is not None]
    span = f"{correlation(min(known))} to {correlation(max(known))}" if known else "none"
    count = len(told.names)
    ends = [i * _CELL + 4 + _LETTER * len(name.text) for i, name in enumerate(names)]
    return Heatmap(
        title=f"{title}: correlations of {count} columns",
        description=f"{len(values)} pairs, from {span}.",
        cells=cells,
        names=names,
        keys=_keys(shades),
        width=pixel(2 * _MARGIN + max(ends)),
        height=pixel(2 * _MARGIN + count * _CELL),
    )


def _shade(value: float | None, shades: Sequence[float]) -> str:
    level = 0 if value is None else sum(round(abs(value), 2) >= end for end in shades)
    return "z" if value is None or not level else f"{'p' if value > 0 else 'n'}{level}"


def _keys(shades: Sequence[float]) -> tuple[tuple[str, str], ...]:
    below = [(f"n{level}", f"{MINUS}{end:g}") for level, end in enumerate(shades, 1)]
    above = [(f"p{level}", f"{end:g}") for level, end in enumerate(shades, 1)]
    return (*reversed(below), ("z", "0"), *above)
