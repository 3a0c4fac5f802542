"""Layout of the risk-utility map: trials to pixel positions, which the template `map.html` draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tacita.core import Trial, Trials
from tacita.core.display.number_format import number, setting
from tacita.core.display.svg import Axis, Box, Tick, pixel

WIDTH = 880.0
HEIGHT = 500.0
LEFT = 58.0
RIGHT = 24.0
TOP = 40.0
BOTTOM = 56.0
# Maps with more marks than this have labels on the front only.
CROWDED = 16
# Text size in pixels, rounded up so that labels never touch.
_LETTER = 6.6
_LINE = 15.0
_MARK = 6.0
_RING = 10.5
_COLOURS = 6
# The area that labels may use.
_INSIDE = Box(LEFT + 2, TOP - 6, WIDTH - 2, HEIGHT - BOTTOM - 1)

# Mark outlines around 0, 0, all of about the same visual weight.
_SHAPES = (
    "m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z",
    "m-5-5h10v10h-10z",
    "m0-7l7 7l-7 7l-7-7z",
    "m0-6.5l6.5 11.5h-13z",
    "m0 6.5l6.5-11.5h-13z",
    "m-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
)


@dataclass(frozen=True)
class Series:
    """How the marks of one method look."""

    method: str
    colour: int
    shape: str


@dataclass(frozen=True)
class Label:
    """The label of a mark, in the colour of its method (0: none)."""

    x: str
    y: str
    anchor: str
    text: str
    colour: int = 0


@dataclass(frozen=True)
class Spot:
    """One trial on the map."""

    x: str
    y: str
    series: Series
    on_front: bool
    words: str


@dataclass(frozen=True)
class Corner:
    """The better corner, in words and as signs of x and y; with an arrow if no mark is there."""

    words: str
    across: int
    down: int
    arrow: Label | None


@dataclass(frozen=True)
class RiskMap:
    """Everything the template needs, formatted as text."""

    title: str
    description: str
    spots: tuple[Spot, ...]
    labels: tuple[Label, ...]
    front: str
    legend: tuple[Series, ...]
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    across_title: str
    upward_title: str
    corner: Corner
    crowded: bool
    width: str = f"{WIDTH:g}"
    height: str = f"{HEIGHT:g}"
    left: str = f"{LEFT:g}"
    right: str = f"{WIDTH - RIGHT:g}"
    top: str = f"{TOP:g}"
    baseline: str = f"{HEIGHT - BOTTOM:g}"


def risk_map(trials: Trials) -> RiskMap | None:
    """The map of loss (right) and risk (up) with one mark per trial; None if no trial has both."""
    shown = trials.on_map
    if not shown:
        return None
    x = Axis.around((_figure(t, trials.loss) for t in shown), LEFT, WIDTH - RIGHT)
    y = Axis.around((_figure(t, trials.risk) for t in shown), HEIGHT - BOTTOM, TOP)
    series = {name: _series(i, name) for i, name in enumerate(dict.fromkeys(trial.method for trial in shown))}
    places = [(x.at(_figure(t, trials.loss)), y.at(_figure(t, trials.risk))) for t in shown]
    words = [describe(trial, trials) for trial in shown]
    radii = [_RING if trial.on_front else _MARK + 2 for trial in shown]
    marks = [Box.around(px, py, radius) for (px, py), radius in zip(places, radii, strict=True)]
    corner = _corner(trials, marks)
    return RiskMap(
        title=f"Risk-utility map: {trials.risk} against {trials.loss}",
        description=f"{len(shown)} trials, {len(trials.front)} of them on the front. {'; '.join(words)}.",
        # the front last, so that it is drawn on top
        spots=tuple(
            Spot(pixel(px), pixel(py), series[t.method], t.on_front, text)
            for (px, py), t, text in sorted(
                zip(places, shown, words, strict=True), key=lambda entry: entry[1].on_front
            )
        ),
        labels=tuple(_labels(trials, series, places, marks, corner)),
        front=_stairs([(x.at(_figure(t, trials.loss)), y.at(_figure(t, trials.risk))) for t in trials.front]),
        legend=tuple(series.values()),
        across=x.ticks(),
        upward=y.ticks(),
        across_title=_axis_title(trials, trials.loss, "loss"),
        upward_title=_axis_title(trials, trials.risk, "risk"),
        corner=corner,
        crowded=len(shown) > CROWDED,
    )


def describe(trial: Trial, trials: Trials) -> str:
    """A trial and its position in words."""
    figures = ", ".join(f"{name} {number(trial.value(name))}" for name in (trials.loss, trials.risk))
    settings = " ".join([trial.method, *_parameters(trial, sorted(trial.parameters))])
    return f"{settings}: {figures}{', on the front' if trial.on_front else ''}"


def _figure(trial: Trial, name: str) -> float:
    value = trial.value(name)
    assert value is not None, "only trials with both figures are on the map"
    return value


def _series(index: int, method: str) -> Series:
    # each pass through the colours uses other shapes: 36 methods before two look alike
    shape = _SHAPES[(index + index // _COLOURS) % len(_SHAPES)]
    return Series(method, index % _COLOURS + 1, shape)


def _parameters(trial: Trial, names: Sequence[str]) -> list[str]:
    return [f"{name}={setting(trial.parameters[name])}" for name in names if name in trial.parameters]


def _axis_title(trials: Trials, name: str, measure: str) -> str:
    score = trials.scale(name)
    unit = f" ({score.unit})" if score and score.unit else ""
    return f"{name}{unit}, {measure}: {trials.direction(name)} is better"


def _stairs(places: Sequence[tuple[float, float]]) -> str:
    """The step line of the front: no trial lies on its better side."""
    if not places:
        return ""
    first = f"M{pixel(places[0][0])} {pixel(places[0][1])}"
    steps = (f"H{pixel(b[0])}V{pixel(b[1])}" for a, b in pairwise(places) if a != b)
    return first + "".join(steps)


def _corner(trials: Trials, marks: Sequence[Box]) -> Corner:
    left, low = (trials.direction(name) == "lower" for name in (trials.loss, trials.risk))
    arrow = "↙↖↘↗"[2 * (not left) + (not low)]
    label = Label(
        pixel(LEFT + 9 if left else WIDTH - RIGHT - 9),
        pixel(HEIGHT - BOTTOM - 10 if low else TOP + 16),
        "start" if left else "end",
        f"{arrow} better" if left else f"better {arrow}",
    )
    free = not any(_box_of(label).overlap(mark) for mark in marks)
    words = f"{'lower' if low else 'upper'} {'left' if left else 'right'}"
    return Corner(words, -1 if left else 1, 1 if low else -1, label if free else None)


def _labels(
    trials: Trials,
    series: Mapping[str, Series],
    places: Sequence[tuple[float, float]],
    marks: Sequence[Box],
    corner: Corner,
) -> Iterator[Label]:
    """Labels next to marks where they fit, those of the front first, never over a mark or another label."""
    shown = list(zip(trials.on_map, places, strict=True))
    if len(shown) > CROWDED:
        shown = [(trial, point) for trial, point in shown if trial.on_front]
    occupied = [*marks, *([_box_of(corner.arrow)] if corner.arrow else [])]
    for trial, point in sorted(shown, key=lambda entry: (not entry[0].on_front, entry[1])):
        text = ", ".join(_parameters(trial, trials.differing)) or trial.method
        # labels of the front go to its better side, which is empty; the front line is on the other
        side = 1 if trial.on_front else -1
        for dx, dy, anchor in _label_offsets(side * corner.across, side * corner.down):
            label = Label(
                pixel(point[0] + dx), pixel(point[1] + dy), anchor, text, series[trial.method].colour
            )
            box = _box_of(label)
            if box.within(_INSIDE) and not any(box.overlap(other) for other in occupied):
                occupied.append(box)
                yield label
                break


def _label_offsets(across: int, down: int) -> Iterator[tuple[float, float, str]]:
    """The candidate positions of a label around a mark, those towards one corner first."""
    anchors = {-1: "end", 1: "start"}
    # text is drawn above its baseline, so labels below a mark need more distance
    for side in (across, -across):
        for level in (down, -down):
            yield side * 5.0, 23.0 if level > 0 else -14.0, anchors[side]
        yield side * (_RING + 3), 4.5, anchors[side]
    for level in (down, -down):
        yield 0.0, 23.0 if level > 0 else -14.0, "middle"


def _box_of(label: Label) -> Box:
    return Box.of_text(float(label.x), float(label.y), label.text, label.anchor, _LETTER, _LINE)
