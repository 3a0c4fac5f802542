"""Loss against time, one mark a method, drawn as SVG by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, log10

from experiments.plots import Scale, canvas, linear

from .losses import Loss

WIDTH, HEIGHT = 920.0, 560.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 44.0, 56.0
_LETTER, _LINE = 6.4, 13.0
Box = tuple[float, float, float, float]

_STYLE = (
    ".front{fill:none;stroke:#b5482a;stroke-width:1.5}.leader{stroke:#bbb}"
    ".mark{fill:#2f6f9f}.best{fill:#b5482a}"
)


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
