"""Loss against time, one mark a method, and losses as bars, drawn as SVG by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10

from experiments.files import SPOKEN
from experiments.plots import Scale, canvas, linear, round_steps
from experiments.printed.kckw import FIGURES, NAMES
from experiments.printed.kckw import TABLE_1 as RANKS
from experiments.published import LOSSES

from .counts import USUAL, Count
from .losses import Loss
from .ranks import loss_of

WIDTH, HEIGHT = 920.0, 560.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 44.0, 56.0
_LETTER, _LINE = 6.4, 13.0
Box = tuple[float, float, float, float]

_STYLE = (
    ".front{fill:none;stroke:#b5482a;stroke-width:1.5}.leader{stroke:#bbb}"
    ".mark{fill:#2f6f9f}.best{fill:#b5482a}"
)

# Bars: the height of one, and room for a panel's title and for its scale.
_BAR, _HEAD, _FOOT = 20.0, 34.0, 40.0
_NAMES = 190.0
_BARS = (
    ".ours{fill:#2f6f9f}.new{fill:#b5482a}.printed{fill:none;stroke:#333;stroke-width:1.2}"
    ".range{stroke:#222;stroke-width:1.4}"
)


def bars_of_losses(ranked: Sequence[Loss], counts: Sequence[Count]) -> str:
    """Figures 3 to 5 of document 003: a panel a file, a bar a method, what print has of it as an outline.

    Of KC and KCKW, which are drawn in another colour, a line spans the five starts.
    """
    losses = loss_of(ranked)
    files = list(dict.fromkeys(file for _, file in losses))
    parts: list[str] = []
    top = 2 * TOP
    for file in files:
        spread = {
            one.method: one.losses
            for one in counts
            if (one.file, one.reading, one.share) == (file, "ours", USUAL[one.method])
        }
        bars = {name: losses[name, file] for name in RANKS}
        parts += _panel(FIGURES[file], file, bars, spread, top)
        top += _HEAD + _BAR * len(bars) + _FOOT
    parts += _key(TOP + 8)
    title = "IL1 at k = 3 in percent, ours and printed (document 003, figures 3 to 5)"
    return canvas(title, parts, width=WIDTH, height=top, left=24.0, style=_BARS)


def _panel(
    figure: str, file: str, bars: Mapping[str, float], spread: Mapping[str, Sequence[float]], top: float
) -> Iterator[str]:
    known = {name: LOSSES[name][file][3] for name in bars if 3 in LOSSES.get(name, {}).get(file, {})}
    most = max(*bars.values(), *known.values(), *(max(each) for each in spread.values()))
    x = linear(0.0, most * 1.02, _NAMES, WIDTH - 90)
    first, last = top + _HEAD - 8, top + _HEAD + _BAR * len(bars)
    yield f'<text x="24" y="{top + 12:g}" style="font-weight:600">{figure}: {SPOKEN[file]}</text>'
    for tick in round_steps(0.0, most, 8):
        at = x(tick)
        yield f'<line class="grid" x1="{at:.1f}" y1="{first:g}" x2="{at:.1f}" y2="{last:g}"/>'
        yield f'<text x="{at:.1f}" y="{last + 16:g}" text-anchor="middle">{tick:g}</text>'
    for row, (name, ours) in enumerate(bars.items()):
        y = top + _HEAD + _BAR * row
        rank = RANKS[name].get(file)
        label = (
            f"{NAMES.get(name, name.upper())} ({'not ranked' if rank is None else f'printed rank {rank}'})"
        )
        yield f'<text x="{_NAMES - 8:g}" y="{y + 12:g}" text-anchor="end">{escape(label)}</text>'
        kind = "new" if name in spread else "ours"
        yield f'<rect class="{kind}" x="{_NAMES:g}" y="{y:g}" width="{x(ours) - _NAMES:.1f}" height="10"/>'
        if name in known:
            wide = x(known[name]) - _NAMES
            yield f'<rect class="printed" x="{_NAMES:g}" y="{y - 2:g}" width="{wide:.1f}" height="14"/>'
        if name in spread:
            low, high = (x(pick(spread[name])) for pick in (min, max))
            yield f'<line class="range" x1="{low:.1f}" y1="{y + 5:g}" x2="{high:.1f}" y2="{y + 5:g}"/>'
        end = x(max(ours, known.get(name, 0.0), *spread.get(name, (0.0,))))
        yield f'<text x="{end + 6:.1f}" y="{y + 10:g}">{ours:.3f}</text>'


def _key(y: float) -> Iterator[str]:
    marks = (
        ('<rect class="ours" x="{x:g}" y="{y:g}" width="26" height="10"/>', "ours"),
        ('<rect class="new" x="{x:g}" y="{y:g}" width="26" height="10"/>', "ours, mean of five starts"),
        ('<line class="range" x1="{x:g}" y1="{m:g}" x2="{e:g}" y2="{m:g}"/>', "least to most of them"),
        ('<rect class="printed" x="{x:g}" y="{y:g}" width="26" height="10"/>', "printed in the literature"),
    )
    x = 24.0
    for mark, words in marks:
        yield mark.format(x=x, y=y, m=y + 5, e=x + 26)
        yield f'<text x="{x + 34:g}" y="{y + 10:g}">{escape(words)}</text>'
        x += 34 + _LETTER * len(words) + 24


def loss_against_time(found: Sequence[Loss], title: str) -> str:
    """Seconds to the right, loss upwards, both logarithmic; methods that none beats in both are joined."""
    times = [max(one.seconds, 1e-3) for one in found]
    x = _decades(min(times), max(times), LEFT, WIDTH - RIGHT)
    y = _span(min(one.ours for one in found), max(one.ours for one in found), HEIGHT - BOTTOM, TOP)
    places = [(x(t), y(one.ours)) for t, one in zip(times, found, strict=True)]
    front = _front(found)
    parts = [
        *_grid(times, found, x, y),
        '<path class="front" d="'
        + "M"
        + "L".join(f"{places[i][0]:.1f} {places[i][1]:.1f}" for i in front)
        + '"/>',
    ]
    taken: list[Box] = [(px - 5, py - 5, px + 5, py + 5) for px, py in places]
    for i, (px, py) in enumerate(places):
        kind = "best" if i in front else "mark"
        parts.append(f'<circle class="{kind}" cx="{px:.1f}" cy="{py:.1f}" r="4.5"/>')
        parts += _label(px, py, found[i].label, taken)
    return canvas(title, parts, width=WIDTH, height=HEIGHT, left=LEFT, style=_STYLE)


def _decades(low: float, high: float, start: float, end: float) -> Scale:
    first, last = floor(log10(low)), ceil(log10(high) + 1e-9)
    scale = linear(first, last, start, end)
    return lambda value: scale(log10(value))


def _span(low: float, high: float, start: float, end: float) -> Scale:
    first, last = log10(low * 0.97), log10(high * 1.05)
    scale = linear(first, last, start, end)
    return lambda value: scale(log10(value))


def _front(found: Sequence[Loss]) -> list[int]:
    """Those that nothing else beats in both time and loss, fastest first."""
    order = sorted(range(len(found)), key=lambda i: (found[i].seconds, found[i].ours))
    kept: list[int] = []
    for i in order:
        if not kept or found[i].ours < found[kept[-1]].ours:
            kept.append(i)
    return kept


def _grid(times: Sequence[float], found: Sequence[Loss], x: Scale, y: Scale) -> Iterator[str]:
    for power in range(floor(log10(min(times))), ceil(log10(max(times)) + 1e-9) + 1):
        at = x(10.0**power)
        yield f'<line class="grid" x1="{at:.1f}" y1="{TOP:g}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM:g}"/>'
        yield f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18:g}" text-anchor="middle">{10.0**power:g}</text>'
    low, high = (pick(one.ours for one in found) for pick in (min, max))
    for tick in (v * 10.0**p for p in range(-2, 3) for v in (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8)):
        if low * 0.97 <= tick <= high * 1.05:
            at = y(tick)
            yield f'<line class="grid" x1="{LEFT:g}" y1="{at:.1f}" x2="{WIDTH - RIGHT:g}" y2="{at:.1f}"/>'
            yield f'<text x="{LEFT - 8:g}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text x="{middle:g}" y="{HEIGHT - 14:g}" text-anchor="middle">processor seconds</text>'
    yield f'<text x="14" y="{HEIGHT / 2:g}" transform="rotate(-90 14 {HEIGHT / 2:g})">IL1, %</text>'


def _label(px: float, py: float, text: str, taken: list[Box]) -> Iterator[str]:
    """Words where they touch nothing, the nearest free place; a thin line leads there if it is far."""
    wide = _LETTER * len(text)
    for away in (0, 14, 28, 42, 60, 80, 104, 130):
        for dx, dy in _around(wide, away):
            left, base = px + dx, py + dy
            box = (left, base - _LINE + 2, left + wide, base + 3)
            inside = box[0] >= LEFT and box[2] <= WIDTH - 4 and box[1] >= TOP and box[3] <= HEIGHT - BOTTOM
            if inside and not any(_touch(box, other) for other in taken):
                taken.append(box)
                if away:
                    end = (min(max(px, box[0]), box[2]), box[1] if box[1] > py else box[3])
                    yield (
                        f'<line class="leader" x1="{px:.1f}" y1="{py:.1f}" '
                        f'x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'
                    )
                yield f'<text x="{left:.1f}" y="{base:.1f}">{escape(text)}</text>'
                return


def _around(wide: float, away: float) -> Iterator[tuple[float, float]]:
    for side in (8, -8 - wide):
        yield side, 4
        yield side, -8 - away
        yield side, 14 + away
    yield 8 + away, -6 - away / 2
    yield 8 + away, 12 + away / 2


def _touch(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
