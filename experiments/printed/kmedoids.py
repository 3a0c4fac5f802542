"""Document 001: k-medoids by BRKGA for microaggregation (in Portuguese; the copy names no author)."""

from __future__ import annotations

from typing import NamedTuple

from .document import Source

SIZES = (3, 4, 5, 10, 25, 50, 100)

Losses = dict[str, dict[int, float]]


class Release(NamedTuple):
    """One column of Table 2: IL2 in percent, and DLD as a share."""

    il2: float
    dld: float


def _usual(*three: float) -> dict[int, float]:
    return dict(zip((3, 5, 10), three, strict=True))


def _all(*seven: float) -> dict[int, float]:
    return dict(zip(SIZES, seven, strict=True))


# IL1 in percent by method (our names), file and k. Only the last row is the document's own: the others are
# "those reported in the literature", which it does not cite one by one.
TABLE_1: dict[str, Losses] = {
    "mdav": {
        "tarragona": _all(16.932, 19.545, 22.461, 33.192, 46.975, 58.526, 69.550),
        "census": _all(5.692, 7.494, 9.088, 14.155, 21.402, 28.996, 39.063),
    },
    "cbfs": {
        "tarragona": _usual(16.974, 22.827, 33.218),
        "census": _usual(5.680, 8.905, 13.896),
    },
    "npn-mhm": {
        "tarragona": _usual(17.395, 27.021, 40.183),
        "census": _usual(6.350, 11.344, 18.734),
    },
    "gsms": {
        "tarragona": _usual(16.610, 21.950, 33.230),
        "census": _usual(5.560, 8.670, 13.550),
    },
    "imhm": {
        "tarragona": _all(16.931, 19.515, 21.186, 30.784, 43.452, 56.431, 68.194),
        "census": _all(5.367, 6.858, 8.417, 12.228, 18.613, 25.080, 32.678),
    },
    "brkga": {
        "tarragona": _all(23.219, 25.425, 26.427, 31.635, 36.676, 42.126, 46.667),
        "census": _all(10.176, 11.605, 12.469, 15.514, 19.190, 22.260, 25.707),
    },
}

TABLE_2: dict[str, dict[int, Release]] = {
    "tarragona": {
        3: Release(6.044, 0.185),
        4: Release(6.625, 0.104),
        5: Release(6.791, 0.102),
        10: Release(7.847, 0.037),
        25: Release(9.460, 0.007),
        50: Release(10.812, 0.007),
        100: Release(12.665, 0.004),
    },
    "census": {
        3: Release(8.239, 0.276),
        4: Release(9.799, 0.195),
        5: Release(10.314, 0.144),
        10: Release(12.129, 0.076),
        25: Release(14.294, 0.030),
        50: Release(16.779, 0.016),
        100: Release(18.698, 0.006),
    },
}

# Section 6: IL2 of one group (k = n), and the share of it, in percent, that no k up to 10 reaches.
IL2_MAXIMA = {"tarragona": 17.64, "census": 48.89}
IL2_SHARES = {"tarragona": 45, "census": 25}
# Section 6: no DLD reaches this, but for Census at k = 3.
DLD_BELOW = 0.2


def count_losses() -> int:
    """Figures of Table 1."""
    return sum(len(by_k) for files in TABLE_1.values() for by_k in files.values())


def count_releases() -> int:
    """Figures of Table 2."""
    return sum(len(release) for by_k in TABLE_2.values() for release in by_k.values())


SOURCE = Source(
    "001",
    "Microaggregation through the k-medoids problem and a biased random-key genetic algorithm",
    "the copy at hand names neither authors nor title",
    "Portuguese",
    {"Table 1": "IL1 of six methods", "Table 2": "IL2 and DLD of the document's own method"},
    {},
    {"Table 1": count_losses(), "Table 2": count_releases()},
)
