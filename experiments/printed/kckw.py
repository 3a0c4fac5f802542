"""Document 003: Lin & Yin, KC and KCKW (in Chinese)."""

from __future__ import annotations

from .document import Source

# Table 1: rank of the loss at k = 3, by our names. Ranks are dense: methods that share one leave none out.
# MDAV and MDAV-MHM share one on Tarragona, MDAV and CBFS on EIA. What was not tried has no rank.
TABLE_1: dict[str, dict[str, int]] = {
    "kward": {"tarragona": 2},
    "mst-d": {"tarragona": 3, "census": 9},
    "npn-mhm": {"tarragona": 9, "census": 10, "eia": 6},
    "md": {"tarragona": 8, "census": 7, "eia": 3},
    "md-mhm": {"tarragona": 7, "census": 6, "eia": 2},
    "mdav": {"tarragona": 4, "census": 5, "eia": 4},
    "mdav-mhm": {"tarragona": 4, "census": 2, "eia": 1},
    "cbfs": {"tarragona": 6, "census": 4, "eia": 4},
    "cbfs-mhm": {"tarragona": 5, "census": 3},
    "kc": {"tarragona": 10, "census": 8, "eia": 7},
    "kckw": {"tarragona": 1, "census": 1, "eia": 5},
}
# Its last column; methods that lack a file have none.
SUMS = {
    "npn-mhm": 25,
    "md": 18,
    "md-mhm": 15,
    "mdav": 13,
    "mdav-mhm": 7,
    "cbfs": 14,
    "kc": 25,
    "kckw": 7,
}
# What the document calls them where that is not our name in capitals.
NAMES = {"kward": "Uk-W(MD)", "mst-d": "M-d"}
# The figure of each file, with its losses as bars or, on EIA, as a line.
FIGURES = {"tarragona": "Figure 3", "census": "Figure 4", "eia": "Figure 5"}
# Section 4.2: each loss is the mean of so many runs.
STARTS = 5


def count() -> int:
    """Ranks and sums of Table 1."""
    return sum(map(len, TABLE_1.values())) + len(SUMS)


SOURCE = Source(
    "003",
    "一個針對微聚合問題的分裂重組法 (A divisive partitioning method to microaggregation)",
    "Huei-Jhen Lin and Peng-Yeng Yin, National Chi Nan University",
    "Chinese",
    {"Table 1": "ranks of eleven methods on three files, and their sums"},
    {
        "Figure 1": "pseudo code of KC",
        "Figure 2": "pseudo code of KCKW",
        "Figure 3": "losses on Tarragona, k = 3, as bars",
        "Figure 4": "losses on Census, k = 3, as bars",
        "Figure 5": "losses on EIA, k = 3, as a line",
    },
    # the copy at hand has the captions of figures 3 to 5 alone, and the text states no loss
    {"Table 1": count(), "Figure 3": 0, "Figure 4": 0, "Figure 5": 0},
)
